
// Fingers on a chart: one sideways marks what to zoom to, two hold their places, two taps go back.
const touch = (chart, over) => {
  const fingers = new Map();
  let from = null, marks = false, held = null, lastTap = null;
  const left = event => Math.min(Math.max(event.clientX - over.getBoundingClientRect().left, 0), over.clientWidth);
  const none = () => { marks = false; chart.plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false); };
  const mark = (one, other) => chart.plot.setSelect(
    { left: Math.min(one, other), top: 0, width: Math.abs(one - other), height: over.clientHeight }, false);
  over.addEventListener("pointerdown", event => {
    if (event.pointerType !== "touch") return;
    fingers.set(event.pointerId, left(event));
    none();
    held = null;
    from = fingers.size === 1 ? left(event) : null;
    if (fingers.size === 2) held = [...fingers].map(([id, px]) => [id, chart.plot.posToVal(px, "x")]);
  });
  over.addEventListener("pointermove", event => {
    if (!fingers.has(event.pointerId)) return;
    const px = left(event);
    fingers.set(event.pointerId, px);
    if (held) {
      const [[one, first], [other, second]] = held;
      const places = [fingers.get(one), fingers.get(other)];
      if (Math.abs(places[0] - places[1]) > SLOP) chart.hold(first, second, ...places);
    } else if (from !== null) {
      marks ||= Math.abs(px - from) > SLOP;
      if (marks) mark(from, px);
      chart.plot.setCursor({ left: px, top: event.clientY - over.getBoundingClientRect().top });
    }
  });
  const up = event => {
    if (!fingers.delete(event.pointerId)) return;
    const px = left(event);
    if (event.type === "pointerup" && from !== null) {
      if (marks) {
        const ends = [Math.min(from, px), Math.max(from, px)].map(end => chart.plot.posToVal(end, "x"));
        none();
        if (Math.abs(px - from) > SLOP) chart.zoom(...ends);
        lastTap = null;
      } else if (lastTap && event.timeStamp - lastTap.time < 400 && Math.abs(px - lastTap.px) < 4 * SLOP) {
        chart.zoom(...chart.whole);
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
};
