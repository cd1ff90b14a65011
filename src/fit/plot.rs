//! A picture of a fit: packet rates by size, and below it what small packets take on the line.

use super::curve::Curve;
use super::human::headline;
use super::report::Report;
use std::fmt::Write as _;

/// The picture's width and height.
const SIZE: (f64, f64) = (860.0, 900.0);
/// Left and right edge of both panels.
const EDGES: (f64, f64) = (88.0, 836.0);
/// Top and bottom edge of the panel of packet rates, and of that of charges.
const RATES: (f64, f64) = (92.0, 462.0);
const CHARGES: (f64, f64) = (540.0, 836.0);
/// The lower panel shows packets of up to so many bytes: there overhead and least charge are most of what a packet takes.
const SMALL: u64 = 200;

/// Colours that everybody can tell apart (Okabe and Ito 2008, "Color Universal Design").
const POINTS: &str = "#0072b2";
const FITTED: &str = "#d55e00";
const SECOND: &str = "#555555";

/// An axis: values to places.
#[derive(Debug, Clone, Copy)]
struct Axis {
    from: f64,
    to: f64,
    start: f64,
    end: f64,
    is_log: bool,
}

impl Axis {
    fn at(&self, value: f64) -> f64 {
        let part = |v: f64| if self.is_log { v.ln() } else { v };
        let share = (part(value) - part(self.from)) / (part(self.to) - part(self.from));
        self.start + share * (self.end - self.start)
    }

    /// Round values along it.
    fn ticks(&self) -> Vec<f64> {
        let within = |tick: &f64| *tick >= self.from * 0.9999 && *tick <= self.to * 1.0001;
        if self.is_log {
            let decades = (0..=15).map(|power| 10f64.powi(power));
            return decades
                .flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * decade))
                .filter(within)
                .collect();
        }
        let rough = (self.to - self.from) / 8.0;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * decade).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        (0..200).map(|n| f64::from(n) * step).filter(within).collect()
    }
}

/// An SVG picture: points that were measured, the fitted curve, the runner-up dashed.
#[must_use]
pub fn plot(report: &Report) -> String {
    let (width, height) = SIZE;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\" fill=\"#222222\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let (title, below) = headline(report);
    text(&mut out, (EDGES.0, 30.0), "start", "font-size=\"18\" font-weight=\"bold\"", &title);
    text(&mut out, (EDGES.0, 52.0), "start", "fill=\"#555555\"", &below);
    legend(&mut out, report);

    let sizes = &report.sizes;
    let least = report.measured.smallest as f64;
    let most = report.measured.largest as f64;
    let rates = sizes.iter().flat_map(|size| size.pps.iter().copied().chain([size.fitted]));
    let (low, high) = range(rates);
    let x = Axis { from: least * 0.9, to: most * 1.1, start: EDGES.0, end: EDGES.1, is_log: true };
    let y = Axis { from: low / 1.25, to: high * 1.25, start: RATES.1, end: RATES.0, is_log: true };
    frame(&mut out, (&x, &y), "packets a second");
    let points = sizes.iter().flat_map(|size| size.pps.iter().map(|pps| (size.ip as f64, *pps)));
    draw(&mut out, report, (&x, &y), points, &|curve, ip| curve.pps(ip));

    // the rate over the packet rate is what a packet took
    let taken = |pps: f64| report.rate.bps as f64 / 8.0 / pps;
    let small: Vec<_> = sizes.iter().filter(|size| size.ip <= SMALL).collect();
    if small.len() > 1 {
        let charges =
            small.iter().flat_map(|size| size.pps.iter().map(|pps| taken(*pps)).chain([size.charge]));
        let (_, high) = range(charges);
        let last = small.last().map_or(most, |size| size.ip as f64);
        let x = Axis { from: 0.0, to: last * 1.05, start: EDGES.0, end: EDGES.1, is_log: false };
        let y = Axis { from: 0.0, to: high * 1.12, start: CHARGES.1, end: CHARGES.0, is_log: false };
        frame(&mut out, (&x, &y), "bytes on the line");
        let points = small.iter().flat_map(|size| size.pps.iter().map(|pps| (size.ip as f64, taken(*pps))));
        draw(&mut out, report, (&x, &y), points, &|curve, ip| {
            curve.charge(ip) * report.rate.bps as f64 / curve.bps()
        });
    }
    out.push_str("</svg>\n");
    out
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, more: &str, words: &str) {
    let _ = writeln!(out, "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{words}</text>");
}

fn legend(out: &mut String, report: &Report) {
    let mut left = EDGES.0;
    let y = 72.0;
    let _ = writeln!(out, "<circle cx=\"{:.1}\" cy=\"{y}\" r=\"3\" fill=\"{POINTS}\"/>", left + 12.0);
    text(out, (left + 24.0, y + 4.0), "start", "", "measured");
    left += 110.0;
    let lines = [("fitted".to_owned(), FITTED, "")].into_iter().chain(
        report
            .runner_up
            .iter()
            .map(|second| (super::human::runner_up_short(second), SECOND, " stroke-dasharray=\"7 5\"")),
    );
    for (words, colour, dashes) in lines {
        let end = left + 28.0;
        let _ = writeln!(
            out,
            "<line x1=\"{left:.1}\" y1=\"{y}\" x2=\"{end:.1}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"
        );
        text(out, (end + 8.0, y + 4.0), "start", "", &words);
        left += 100.0;
    }
}

/// The frame of a panel, its grid and its words.
fn frame(out: &mut String, (x, y): (&Axis, &Axis), what: &str) {
    let (top, bottom) = (y.end, y.start);
    for tick in x.ticks() {
        let at = x.at(tick);
        let _ = writeln!(
            out,
            "<line x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"#e4e4e4\"/>"
        );
        text(out, (at, bottom + 18.0), "middle", "", &format!("{tick}"));
    }
    for tick in y.ticks() {
        let at = y.at(tick);
        let (left, right) = EDGES;
        let _ = writeln!(
            out,
            "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"#e4e4e4\"/>"
        );
        text(out, (left - 8.0, at + 4.5), "end", "", &format!("{tick}"));
    }
    let _ = writeln!(
        out,
        "<rect x=\"{}\" y=\"{top}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#888888\"/>",
        EDGES.0,
        EDGES.1 - EDGES.0,
        bottom - top
    );
    text(out, ((EDGES.0 + EDGES.1) / 2.0, bottom + 40.0), "middle", "", "IP packet, bytes");
    let middle = (top + bottom) / 2.0;
    text(out, (26.0, middle), "middle", &format!("transform=\"rotate(-90 26 {middle:.1})\""), what);
}

/// Points and curves of a panel.
fn draw(
    out: &mut String,
    report: &Report,
    (x, y): (&Axis, &Axis),
    points: impl Iterator<Item = (f64, f64)>,
    value: &dyn Fn(&Curve, u64) -> f64,
) {
    for (ip, value) in points {
        let (x, y) = (x.at(ip), y.at(value));
        let _ = writeln!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{POINTS}\" fill-opacity=\"0.5\"/>"
        );
    }
    let second = report
        .runner_up
        .iter()
        .filter_map(|second| second.curve)
        .map(|curve| (curve, SECOND, " stroke-dasharray=\"7 5\""));
    let curves = second.chain(report.best.map(|curve| (curve, FITTED, "")));
    for (curve, colour, dashes) in curves {
        let mut path = String::new();
        let (from, to) = (x.from.max(20.0).ceil() as u64, x.to.floor() as u64);
        for ip in from..=to {
            let (px, py) = (x.at(ip as f64), y.at(value(&curve, ip)));
            // a curve that is far off is cut at the frame
            let py = py.clamp(y.end, y.start);
            let _ = write!(path, "{}{px:.1} {py:.1}", if path.is_empty() { "M" } else { "L" });
        }
        let _ = writeln!(
            out,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dashes}/>"
        );
    }
}
