//! Picture of a fit: packet rates by size, and below them the bytes of small packets on the line.

use super::curve::Curve;
use super::human::headline;
use super::result::Report;
use crate::plot::{Axis, Canvas};
use std::fmt::Write as _;

/// Width and height of the picture.
const SIZE: (f64, f64) = (860.0, 900.0);
/// Left and right edge of both panels.
const EDGES: (f64, f64) = (88.0, 836.0);
/// Top and bottom edges of the panel with packet rates and of the panel with charges.
const RATES: (f64, f64) = (92.0, 462.0);
const CHARGES: (f64, f64) = (540.0, 836.0);
/// Largest packet in the lower panel, in bytes. In small packets, overhead and least charge are most of the charge.
const SMALL: u64 = 200;

/// Label of both horizontal axes.
const ALONG: &str = "IP packet, bytes";

/// Colours that people with colour vision deficiency can distinguish (Okabe and Ito 2008, "Color Universal Design").
const POINTS: &str = "#0072b2";
const FITTED: &str = "#d55e00";
const SECOND: &str = "#555555";

/// Returns an SVG picture: measured points, the fitted curve, and the runner-up as a dashed curve.
#[must_use]
pub fn plot(report: &Report) -> String {
    let mut out = Canvas::new(SIZE);
    let (title, below) = headline(report);
    out.text((EDGES.0, 30.0), "start", "font-size=\"18\" font-weight=\"bold\"", &title);
    out.text((EDGES.0, 52.0), "start", "fill=\"#555555\"", &below);
    legend(&mut out, report);

    let sizes = &report.sizes;
    let least = report.measured.smallest as f64;
    let most = report.measured.largest as f64;
    let rates = sizes.iter().flat_map(|size| size.pps.iter().copied().chain([size.fitted]));
    let (low, high) = range(rates);
    let x = Axis { from: least * 0.9, to: most * 1.1, start: EDGES.0, end: EDGES.1, is_log: true };
    let y = Axis { from: low / 1.25, to: high * 1.25, start: RATES.1, end: RATES.0, is_log: true };
    out.frame((&x, &y), "packets per second", ALONG);
    let points = sizes.iter().flat_map(|size| size.pps.iter().map(|pps| (size.ip as f64, *pps)));
    draw(&mut out, report, (&x, &y), points, &|curve, ip| curve.pps(ip));

    // the bit rate over the packet rate is the charge of a packet
    let taken = |pps: f64| report.rate.bps as f64 / 8.0 / pps;
    let small: Vec<_> = sizes.iter().filter(|size| size.ip <= SMALL).collect();
    if small.len() > 1 {
        let charges =
            small.iter().flat_map(|size| size.pps.iter().map(|pps| taken(*pps)).chain([size.charge]));
        let (_, high) = range(charges);
        let last = small.last().map_or(most, |size| size.ip as f64);
        let x = Axis { from: 0.0, to: last * 1.05, start: EDGES.0, end: EDGES.1, is_log: false };
        let y = Axis { from: 0.0, to: high * 1.12, start: CHARGES.1, end: CHARGES.0, is_log: false };
        out.frame((&x, &y), "bytes on the line", ALONG);
        let points = small.iter().flat_map(|size| size.pps.iter().map(|pps| (size.ip as f64, taken(*pps))));
        draw(&mut out, report, (&x, &y), points, &|curve, ip| {
            curve.charge(ip) * report.rate.bps as f64 / curve.bps()
        });
    }
    out.finished()
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
}

fn legend(out: &mut Canvas, report: &Report) {
    let mut left = EDGES.0;
    let y = 72.0;
    let dot = left + 12.0;
    out.shape(format_args!("<circle cx=\"{dot:.1}\" cy=\"{y}\" r=\"3\" fill=\"{POINTS}\"/>"));
    out.text((left + 24.0, y + 4.0), "start", "", "measured");
    left += 110.0;
    let lines = [("fitted".to_owned(), FITTED, "")].into_iter().chain(
        report
            .runner_up
            .iter()
            .map(|second| (super::human::runner_up_short(second), SECOND, " stroke-dasharray=\"7 5\"")),
    );
    for (words, colour, dashes) in lines {
        let end = left + 28.0;
        out.shape(format_args!("<line x1=\"{left:.1}\" y1=\"{y}\" x2=\"{end:.1}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"));
        out.text((end + 8.0, y + 4.0), "start", "", &words);
        left += 100.0;
    }
}

/// Draws the points and curves of a panel.
fn draw(
    out: &mut Canvas,
    report: &Report,
    (x, y): (&Axis, &Axis),
    points: impl Iterator<Item = (f64, f64)>,
    value: &dyn Fn(&Curve, u64) -> f64,
) {
    for (ip, value) in points {
        let (x, y) = (x.at(ip), y.at(value));
        out.shape(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{POINTS}\" fill-opacity=\"0.5\"/>"
        ));
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
            // a curve beyond the frame is cut off at it
            let py = py.clamp(y.end, y.start);
            let _ = write!(path, "{}{px:.1} {py:.1}", if path.is_empty() { "M" } else { "L" });
        }
        out.shape(format_args!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.8\"{dashes}/>"
        ));
    }
}
