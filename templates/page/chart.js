
// A chart: a `figure.chart` holds its data as JSON and becomes a uPlot with buttons, a legend with the values at the cursor,
// and zoom along x by mouse, by touch and by keys. Texts are set as text only, never as HTML.

const POINT = 3;        // side of a drawn point, CSS pixels
const LOST = 7;         // height of a row of marks of what was lost
const NEAR = 40;        // a value further than this from the cursor is not shown as the value there
const SLOP = 8;         // a finger or a mouse that moves less than this, clicks
const FONT = "14px system-ui, sans-serif";

// The same for a canvas, which counts the pixels of the screen.
const bigFont = () => FONT.replace("14", 14 * devicePixelRatio);

const css = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const make = (kind, name, text = "") => {
  const made = document.createElement(kind);
  made.className = name;
  made.textContent = text;
  return made;
};
const button = (text, act) => {
  const made = make("button", "", text);
  made.type = "button";
  made.addEventListener("click", act);
  return made;
};

class Chart {
  constructor(figure) {
    this.place = figure.querySelector(".drawing");
    this.data = JSON.parse(figure.querySelector("script").textContent);
    this.rows = join(this.data.series);
    this.logX = this.data.x.log;
    const xs = this.rows[0];
    this.whole = [xs[0] ?? 0, xs[xs.length - 1] ?? 1];
    if (this.logX) {
      const least = leastAbove0([xs]);
      this.rows[0] = forLog(xs, least);
      this.whole = this.whole.map(x => Math.max(x, least));
    }
    if (this.whole[0] === this.whole[1]) this.whole = this.logX ? [this.whole[0] / 2, this.whole[1] * 2] : [this.whole[0] - 1, this.whole[1] + 1];
    this.range = this.whole;
    this.points = this.data.points;
    this.log = this.data.y.log;
    this.shown = this.data.series.map(() => true);
    this.losing = this.data.series.map((one, n) => n).filter(n => this.data.series[n].y.includes(null));
    this.controls(figure);
    this.draw();
  }

  controls(figure) {
    const tools = make("div", "tools");
    this.buttons = {
      points: button("points", () => { this.points = !this.points; this.draw(); }),
      log: button("log scale", () => { this.log = !this.log; this.draw(); }),
      whole: button("whole range", () => this.zoom(...this.whole)),
    };
    tools.append(...Object.values(this.buttons));
    const legend = make("div", "legend");
    this.at = make("span", "at");
    this.outputs = [];
    this.keys = this.data.series.map((one, n) => {
      const key = button("", () => { this.shown[n] = !this.shown[n]; this.draw(); });
      const swatch = make("i", one.dashed ? "dashed" : "");
      swatch.style.borderTopColor = "var(--c" + one.colour + ")";
      const output = make("output", "");
      this.outputs.push(output);
      key.append(swatch, one.name, " ", output);
      return key;
    });
    legend.append(...this.keys, this.at);
    this.place.before(tools, make("div", "axis", this.place.dataset.y));
    this.place.after(make("div", "axis x", this.place.dataset.x), legend);
    this.place.tabIndex = 0;
    this.place.addEventListener("keydown", event => this.key(event));
  }

  // Draws anew: what a uPlot is made with cannot all be changed afterwards, and making one takes milliseconds.
  draw() {
    const { x, y, series } = this.data;
    this.plot?.destroy();
    const columns = this.rows.slice(1);
    const data = this.log ? [this.rows[0], ...columns.map(column => forLog(column, leastAbove0(columns)))] : this.rows;
    const soft = css("soft"), grid = css("grid");
    const axis = { stroke: soft, font: FONT, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1, size: 5 } };
    const values = (u, ticks) => ticks.map(tick => tick === null ? "" : String(Number(tick.toPrecision(10))));
    const logAxis = key => ({ splits: (u, n, from, to) => logTicks(u, key, from, to), filter: (u, ticks) => ticks });
    this.plot = new uPlot({
      ...this.size(),
      padding: [this.losing.length ? Math.max(this.losing.length * LOST + 4, 26) : 8, 12, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, dist: SLOP }, dataIdx: (u, n, row) => this.nearest(n, row), points: { size: 8 } },
      scales: {
        x: { time: false, distr: this.logX ? 3 : 1, range: (u, from, to) => from === null || from === to ? this.whole : [from, to] },
        y: { distr: this.log ? 3 : 1, range: (u, from, to) => this.rangeOfY(from, to) },
      },
      axes: [
        { ...axis, values, size: 30, space: 60, ...(this.logX ? logAxis("x") : {}) },
        { ...axis, values, size: (u, ticks) => 18 + 8.5 * Math.max(1, ...(ticks || []).map(tick => tick.length)), space: 36, ...(this.log ? logAxis("y") : {}) },
      ],
      series: [{}, ...series.map((one, n) => ({
        label: one.name,
        show: this.shown[n],
        stroke: css("c" + one.colour),
        width: 1.5,
        dash: one.dashed ? [7, 5] : undefined,
        ...(this.points ? { paths: () => null, points: { show: false } } : {}),
      }))],
      hooks: {
        drawClear: [u => this.shade(u)],
        drawSeries: [(u, n) => { if (this.points) this.dots(u, n); }],
        draw: [u => this.marks(u)],
        setCursor: [u => this.tell(u)],
        setScale: [(u, key) => { if (key === "x") this.zoomed(u); }],
      },
    }, data, this.place);
    touch(this, this.plot.over);
    this.plot.setScale("x", { min: this.range[0], max: this.range[1] });
    this.buttons.points.setAttribute("aria-pressed", this.points);
    this.buttons.log.setAttribute("aria-pressed", this.log);
    this.keys.forEach((key, n) => key.setAttribute("aria-pressed", this.shown[n]));
    this.tell(this.plot);
  }

  size() {
    const width = this.place.clientWidth;
    return { width, height: width < 500 ? 260 : 320 };
  }

  resize() {
    const size = this.size();
    if (size.width > 0 && size.width !== this.plot.width) this.plot.setSize(size);
  }

  // Linear from zero up, since half the height is then half the value; logarithmic to the next round values.
  rangeOfY(from, to) {
    if (from === null || to === null) return this.log ? [1, 10] : [0, 1];
    if (this.log) return [round(from, Math.floor), round(to * 1.0001, Math.ceil)];
    const room = 0.06 * (Math.max(to, 0) - Math.min(from, 0)) || 1;
    return [from < 0 ? from - room : 0, to > 0 ? to + room : 0];
  }

  // Zoom, within what there is. Nobody wants to see less than a millionth of it.
  zoom(from, to) {
    const [start, end] = this.whole;
    from = Math.max(from, start);
    to = Math.min(to, end);
    if (to - from > (end - start) * 1e-6) this.plot.setScale("x", { min: from, max: to });
  }

  zoomed(u) {
    const { min, max } = u.scales.x;
    this.range = [min, max];
    Object.assign(this.place.dataset, { from: min, to: max });
    this.buttons.whole.disabled = min <= this.whole[0] && max >= this.whole[1];
  }

  // x as a scale on which pixels are even steps, and back.
  even(x) { return this.logX ? Math.log(x) : x; }
  back(value) { return this.logX ? Math.exp(value) : value; }

  // Has two values stand at two places, in pixels from the left: what two fingers do.
  hold(one, other, left, right) {
    const step = (this.even(other) - this.even(one)) / (right - left);
    const start = this.even(one) - step * left;
    this.zoom(this.back(start), this.back(start + step * this.plot.over.clientWidth));
  }

  // Zooms around the middle, or moves sideways: shares of what is seen.
  move(grow, aside) {
    const [from, to] = this.range.map(x => this.even(x));
    const width = to - from, [start, end] = this.whole.map(x => this.even(x));
    const shift = Math.min(Math.max(aside * width, start - from), end - to);
    const more = (grow - 1) * width / 2;
    this.zoom(this.back(from - more + shift), this.back(to + more + shift));
  }

  key(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    switch (event.key) {
      case "+": this.move(0.5, 0); break;
      case "-": this.move(2, 0); break;
      case "ArrowLeft": this.move(1, -0.25); break;
      case "ArrowRight": this.move(1, 0.25); break;
      case "0": case "Escape": this.zoom(...this.whole); break;
      default: return;
    }
    event.preventDefault();
  }

  // The row nearest to this one in which a series has something, even if that was lost.
  nearest(n, row) {
    const column = this.rows[n];
    for (let away = 0; away < column.length; away++) {
      if (column[row - away] !== undefined) return row - away;
      if (column[row + away] !== undefined) return row + away;
    }
    return row;
  }

  // The values at the cursor.
  tell(u) {
    const { x, y } = this.data, { left, idx } = u.cursor;
    const off = idx === null || idx === undefined || left < 0;
    this.at.textContent = off ? "" : "at " + withUnit(u.posToVal(left, "x"), x);
    this.outputs.forEach((output, n) => {
      const row = off || !this.shown[n] ? -1 : this.nearest(n + 1, idx);
      const near = row >= 0 && Math.abs(u.valToPos(this.rows[0][row], "x") - left) <= NEAR;
      const value = near ? this.rows[n + 1][row] : undefined;
      output.textContent = value === undefined ? "" : value === null ? "lost" : withUnit(value, y);
    });
  }

  // The grounds of periods, below everything, each with what was then.
  shade(u) {
    const { ctx } = u, { left, top, width, height } = u.bbox, dpr = devicePixelRatio;
    ctx.save();
    ctx.beginPath();
    ctx.rect(left, top, width, height);
    ctx.clip();
    ctx.font = bigFont();
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    for (const [from, to, text] of this.data.shaded) {
      const start = Math.max(u.valToPos(from, "x", true), left), end = Math.min(u.valToPos(to, "x", true), left + width);
      if (!(end > start)) continue;
      ctx.fillStyle = css("shade");
      ctx.fillRect(start, top, end - start, height);
      ctx.fillStyle = css("soft");
      let said = text;
      while (said && ctx.measureText(said).width > end - start - 8 * dpr) said = said.replace(/.…?$/u, said.length > 2 ? "…" : "");
      ctx.fillText(said, start + 4 * dpr, top + 4 * dpr);
    }
    ctx.restore();
  }

  // Points as squares, one for each place: much faster than circles, and fifty thousand look no different.
  dots(u, n) {
    const { ctx } = u, { left, top, width, height } = u.bbox;
    const [xs, ys] = [u.data[0], u.data[n]];
    const side = Math.round(POINT * devicePixelRatio), half = side >> 1;
    const taken = new Uint8Array((width + 1) * (height + 1));
    ctx.save();
    ctx.fillStyle = u.series[n].stroke(u, n);
    const [first, last] = u.series[0].idxs;
    for (let row = first; row <= last; row++) {
      if (ys[row] === null || ys[row] === undefined) continue;
      const x = Math.round(u.valToPos(xs[row], "x", true)), y = Math.round(u.valToPos(ys[row], "y", true));
      const place = (y - top) * (width + 1) + x - left;
      if (x < left || x > left + width || taken[place]) continue;
      taken[place] = 1;
      ctx.fillRect(x - half, y - half, side, side);
    }
    ctx.restore();
  }

  // What was lost: a mark above the chart, in a row for each series that lost anything.
  marks(u) {
    const { ctx } = u, { left, top, width } = u.bbox, dpr = devicePixelRatio;
    const [first, last] = u.series[0].idxs;
    ctx.save();
    if (this.losing.length) {
      ctx.font = bigFont();
      ctx.textBaseline = "bottom";
      ctx.textAlign = "right";
      ctx.fillStyle = css("soft");
      // above the number of the topmost line
      ctx.fillText("lost", left - 8 * dpr, top - 8 * dpr);
    }
    this.losing.forEach((n, line) => {
      if (!this.shown[n]) return;
      ctx.fillStyle = u.series[n + 1].stroke(u, n + 1);
      let before = -1;
      for (let row = first; row <= last; row++) {
        if (this.rows[n + 1][row] !== null) continue;
        const x = Math.round(u.valToPos(this.rows[0][row], "x", true));
        if (x === before || x < left || x > left + width) continue;
        before = x;
        ctx.fillRect(x - dpr, top - ((this.losing.length - line) * LOST + 1) * dpr, 2 * dpr, (LOST - 2) * dpr);
      }
    });
    ctx.restore();
  }
}
