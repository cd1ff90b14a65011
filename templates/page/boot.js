
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
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);

// On paper everything is open, and in the colours of a light page.
const opened = [];
addEventListener("beforeprint", () => {
  document.querySelectorAll("details:not([open])").forEach(one => { one.open = true; opened.push(one); });
  document.documentElement.classList.add("paper");
  figures.forEach(chart);
  again();
});
addEventListener("afterprint", () => {
  opened.splice(0).forEach(one => { one.open = false; });
  document.documentElement.classList.remove("paper");
  again();
});

if (figures.length) {
  document.documentElement.classList.add("script");
  document.querySelector("header").append(make("p", "hint",
    "Drag across a chart to zoom in, by mouse or by finger; two fingers zoom and move. A double click goes back to the whole range. " +
    "Click a name to hide its series. In a chart that has the focus, + and - zoom, the arrows move, and 0 goes back."));
}
