
// Charts of a page: each `figure.chart` holds its data as JSON and becomes a uPlot with buttons, a legend with the values at
// the cursor, and zoom along x by mouse, by touch and by keys. Texts are set as text only, never as HTML.
"use strict";
(() => {
  const POINT = 3;        // side of a drawn point, CSS pixels
  const LOST = 7;         // height of a row of marks of what was lost
  const NEAR = 40;        // a value further than this from the cursor is not shown as the value there
  const SLOP = 8;         // a finger that moves less than this, taps
  const FONT = "14px system-ui, sans-serif";

  const page = document.documentElement;
  const css = name => getComputedStyle(page).getPropertyValue("--" + name).trim();
  const dark = matchMedia("(prefers-color-scheme: dark)");
  page.classList.add("script");

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
  // Four digits are as many as anybody reads off a chart; more where a number has them before the point.
  const written = value => String(Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4)));
  const withUnit = (value, axis) => written(value) + (axis.unit && " " + axis.unit);

  // One list of x for all series, as uPlot wants it. There y is null where something was lost, and undefined where a series
  // has nothing at this x; two values of a series at the same x take two rows.
  const join = series => {
    const next = series.map(() => 0);
    const rows = [[], ...series.map(() => [])];
    for (;;) {
      let x = Infinity;
      series.forEach((one, n) => { if (next[n] < one.x.length) x = Math.min(x, one.x[next[n]]); });
      if (x === Infinity) return rows;
      rows[0].push(x);
      series.forEach((one, n) => rows[n + 1].push(one.x[next[n]] === x ? one.y[next[n]++] : undefined));
    }
  };

  // A logarithmic axis has no place for zero and less: they go to the least value that has one.
  const forLog = (column, least) => column.map(value => value <= 0 && value !== null ? least : value);
  const leastAbove0 = columns => {
    let least = Infinity;
    for (const column of columns) for (const value of column) if (value > 0 && value < least) least = value;
    return least === Infinity ? 1 : least;
  };

  // The next of 1, 2 and 5 times a power of ten, downwards by Math.floor and upwards by Math.ceil.
  const round = (value, way) => {
    const power = Math.floor(Math.log10(value));
    const digits = [1, 2, 5, 10].map(digit => Number(digit + "e" + power));
    return way === Math.ceil ? digits.find(one => one >= value) ?? digits[3] : digits.findLast(one => one <= value) ?? digits[0];
  };

  // Round values along a logarithmic axis: as many as there is room for.
  const logTicks = (u, key, from, to) => {
    const room = Math.abs(u.valToPos(10, key) - u.valToPos(1, key));
    const wanted = key === "y" ? 26 : 60;
    const digits = [[1, 2, 3, 4, 5, 6, 7, 8, 9], [1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]];
    const steps = digits.find(set => room / (set.length * 1.6) >= wanted) || [1];
    const ticks = [];
    for (let power = Math.floor(Math.log10(from)); power <= Math.log10(to); power++) {
      for (const digit of steps) {
        const tick = Number(digit + "e" + power);
        if (tick >= from && tick <= to) ticks.push(tick);
      }
    }
    return ticks;
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
        padding: [this.losing.length ? this.losing.length * LOST + 4 : 8, 12, 0, 0],
        legend: { show: false },
        cursor: { drag: { x: true, y: false, dist: SLOP }, dataIdx: (u, n, row) => this.nearest(n, row), points: { size: 8 } },
        scales: {
          x: { time: false, distr: this.logX ? 3 : 1, range: (u, from, to) => from === null || from === to ? this.whole : [from, to] },
          y: { distr: this.log ? 3 : 1, range: (u, from, to) => this.rangeOfY(from, to) },
        },
        axes: [
          { ...axis, values, size: 34, space: 60, ...(this.logX ? logAxis("x") : {}) },
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
      this.touch(this.plot.over);
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

    // One finger sideways marks what to zoom to, two hold their places, two taps go back.
    touch(over) {
      const fingers = new Map();
      let from = null, marks = false, held = null, lastTap = null;
      const left = event => Math.min(Math.max(event.clientX - over.getBoundingClientRect().left, 0), over.clientWidth);
      const none = () => { marks = false; this.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false); };
      const mark = (one, other) => this.plot.setSelect(
        { left: Math.min(one, other), top: 0, width: Math.abs(one - other), height: over.clientHeight }, false);
      over.addEventListener("pointerdown", event => {
        if (event.pointerType !== "touch") return;
        fingers.set(event.pointerId, left(event));
        none();
        held = null;
        from = fingers.size === 1 ? left(event) : null;
        if (fingers.size === 2) held = [...fingers].map(([id, px]) => [id, this.plot.posToVal(px, "x")]);
      });
      over.addEventListener("pointermove", event => {
        if (!fingers.has(event.pointerId)) return;
        const px = left(event);
        fingers.set(event.pointerId, px);
        if (held) {
          const [[one, first], [other, second]] = held;
          const places = [fingers.get(one), fingers.get(other)];
          if (Math.abs(places[0] - places[1]) > SLOP) this.hold(first, second, ...places);
        } else if (from !== null) {
          marks ||= Math.abs(px - from) > SLOP;
          if (marks) mark(from, px);
          this.plot.setCursor({ left: px, top: event.clientY - over.getBoundingClientRect().top });
        }
      });
      const up = event => {
        if (!fingers.delete(event.pointerId)) return;
        const px = left(event);
        if (event.type === "pointerup" && from !== null) {
          if (marks) {
            const ends = [Math.min(from, px), Math.max(from, px)].map(end => this.plot.posToVal(end, "x"));
            none();
            if (Math.abs(px - from) > SLOP) this.zoom(...ends);
            lastTap = null;
          } else if (lastTap && event.timeStamp - lastTap.time < 400 && Math.abs(px - lastTap.px) < 4 * SLOP) {
            this.zoom(...this.whole);
            lastTap = null;
          } else {
            lastTap = { time: event.timeStamp, px };
          }
        }
        none();
        from = null;
        held = null;
      };
      over.addEventListener("pointerup", up);
      over.addEventListener("pointercancel", up);
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
      ctx.font = FONT.replace("14", 14 * dpr);
      ctx.textBaseline = "top";
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

  // A chart is made when it first comes near the screen, so that a long report opens at once.
  const charts = new Map();
  const chart = figure => charts.get(figure) || charts.set(figure, new Chart(figure)).get(figure);
  const figures = [...document.querySelectorAll("figure.chart")];
  const seen = new IntersectionObserver(entries => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      seen.unobserve(target);
      chart(target);
    }
  }, { rootMargin: "400px" });
  figures.forEach(figure => seen.observe(figure));
  const widths = new ResizeObserver(entries => entries.forEach(({ target }) => charts.get(target)?.resize()));
  figures.forEach(figure => widths.observe(figure));
  const again = () => charts.forEach(one => one.draw());
  dark.addEventListener("change", again);

  // On paper everything is open, and as wide as the sheet.
  const opened = [];
  addEventListener("beforeprint", () => {
    document.querySelectorAll("details:not([open])").forEach(one => { one.open = true; opened.push(one); });
    figures.forEach(figure => chart(figure).resize());
  });
  addEventListener("afterprint", () => {
    opened.splice(0).forEach(one => { one.open = false; });
  });

  if (figures.length) {
    document.querySelector("header").append(make("p", "hint",
      "Drag across a chart to zoom in, by mouse or by finger; two fingers zoom and move. A double click goes back to the whole range. " +
      "Click a name to hide its series."));
  }
})();
