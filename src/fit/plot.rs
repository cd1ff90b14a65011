//! Picture of a fit: packet rates by size, and below them the bytes of small packets on the line.

use super::human::{headline, runner_up_short};
use super::result::{Report, SizeFound};
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

/// Dashes of the runner-up's curve.
const DASHES: &str = " stroke-dasharray=\"7 5\"";

/// Returns an SVG picture: measured points, the fitted curve, and the runner-up as a dashed curve.
#[must_use]
pub fn plot(report: &Report) -> String {
    let (title, below) = headline(report);
    let mut out = Canvas::new(SIZE, EDGES.0, &title, &below);
    legend(&mut out, report);
    let sizes: Vec<&SizeFound> = report.sizes.iter().collect();
    panel(&mut out, report, &sizes, ("packets per second", RATES, true), &|pps| pps);
    let small: Vec<&SizeFound> = report.sizes.iter().filter(|size| size.ip <= SMALL).collect();
    if small.len() > 1 {
        // the bit rate over the packet rate is the charge of a packet
        let charge = |pps: f64| report.rate.bps as f64 / 8.0 / pps;
        panel(&mut out, report, &small, ("bytes on the line", CHARGES, false), &charge);
    }
    out.finished()
}

fn legend(out: &mut Canvas, report: &Report) {
    let y = 72.0;
    let dot = EDGES.0 + 12.0;
    out.shape(format_args!("<circle cx=\"{dot:.1}\" cy=\"{y}\" r=\"3\" fill=\"{POINTS}\"/>"));
    out.text((dot + 12.0, y + 4.0), "start", "", "measured");
    let mut line = |left: f64, words: &str, colour: &str, dashes: &str| {
        let end = left + 28.0;
        out.shape(format_args!("<line x1=\"{left:.1}\" y1=\"{y}\" x2=\"{end:.1}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>"));
        out.text((end + 8.0, y + 4.0), "start", "", words);
    };
    line(EDGES.0 + 110.0, "fitted", FITTED, "");
    if let Some(second) = &report.runner_up {
        line(EDGES.0 + 210.0, &runner_up_short(second), SECOND, DASHES);
    }
}

/// Draws a panel with the measurements of some sizes and the curves. `value` gives the vertical value of a packet rate.
fn panel(
    out: &mut Canvas,
    report: &Report,
    sizes: &[&SizeFound],
    (label, (top, bottom), is_log): (&str, (f64, f64), bool),
    value: &dyn Fn(f64) -> f64,
) {
    let at = |size: &&SizeFound, pps: f64| (size.ip as f64, value(pps));
    let points: Vec<(f64, f64)> =
        sizes.iter().flat_map(|size| size.pps.iter().map(move |pps| at(size, *pps))).collect();
    let fitted = sizes.iter().map(|size| at(size, size.fitted));
    let (low, high) = (points.iter().copied().chain(fitted))
        .fold((f64::MAX, f64::MIN), |(low, high), (_, value)| (low.min(value), high.max(value)));
    let (least, most) = (report.measured.smallest as f64, points.last().map_or(0.0, |point| point.0));
    let (x, y) = if is_log {
        ((least * 0.9, most * 1.1), (low / 1.25, high * 1.25))
    } else {
        ((0.0, most * 1.05), (0.0, high * 1.12))
    };
    let x = Axis { from: x.0, to: x.1, start: EDGES.0, end: EDGES.1, is_log };
    let y = Axis { from: y.0, to: y.1, start: bottom, end: top, is_log };
    out.frame((&x, &y), label, ALONG);
    for (ip, value) in points {
        let (x, y) = (x.at(ip), y.at(value));
        out.shape(format_args!(
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{POINTS}\" fill-opacity=\"0.5\"/>"
        ));
    }
    let second = report.runner_up.iter().map(|second| (&second.curve, SECOND, DASHES));
    for (curve, colour, dashes) in second.chain([(&report.best, FITTED, "")]) {
        let mut path = String::new();
        for ip in x.from.max(20.0).ceil() as u64..=x.to.floor() as u64 {
            // a curve beyond the frame is cut off at it
            let (px, py) = (x.at(ip as f64), y.within(value(curve.pps(ip))));
            let _ = write!(path, "{}{px:.1} {py:.1}", if path.is_empty() { "M" } else { "L" });
        }
        out.stroke(&path, colour, &format!("stroke-width=\"1.8\"{dashes}"));
    }
}
