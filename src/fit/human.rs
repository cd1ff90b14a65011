//! Report for people.

use super::result::rounded;
use super::result::{Floor, FloorKind, Report, RunnerUp, digits};
use crate::diag::{and_ticked, count, wrapped};
use crate::terms::Layer;
use crate::units::Rate;
use std::fmt::Write as _;

/// Returns the report as a table, sentences, and YAML to paste.
#[must_use]
pub fn human(report: &Report) -> String {
    let mut out = String::new();
    let measured = &report.measured;
    line(
        &mut out,
        &format!(
            "{} of {}, from {} to {} IP bytes; standard deviation {} %",
            count(measured.rows, "measurement"),
            count(measured.sizes, "packet size"),
            measured.smallest,
            measured.largest,
            measured.scatter_percent
        ),
    );
    out.push('\n');
    for (what, value, sure) in table(report) {
        line(&mut out, format!("  {what:10} {value:28} {sure}").trim_end());
    }
    for row in report.far.iter().take(5) {
        let direction = if row.off_percent > 0.0 { "above" } else { "below" };
        let (number, ip, off) = (row.line, row.ip, row.off_percent.abs());
        paragraph(
            &mut out,
            &format!(
                "line {number}: the measurement of {ip} bytes is {off} % {direction} the curve and has little weight"
            ),
        );
    }
    for note in &report.notes {
        paragraph(&mut out, &format!("note: {note}"));
    }
    if let Some(runner_up) = &report.runner_up {
        paragraph(&mut out, &runner_up_words(runner_up));
    }
    for words in &report.further {
        paragraph(&mut out, words);
    }
    let _ = write!(out, "\n{}", report.yaml);
    out
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Adds a paragraph, wrapped between words.
fn paragraph(out: &mut String, text: &str) {
    out.push('\n');
    wrapped(out, "", text, 0);
}

fn table(report: &Report) -> Vec<(&'static str, String, String)> {
    let overhead = &report.overhead;
    let span = |least: String, most: String| {
        if least == most { "95 %: only this one".to_owned() } else { format!("95 %: {least} to {most}") }
    };
    let (mpu, mpu_sure) = match &report.floor {
        Some(floor) => (
            format!("{} bytes", report.mpu),
            format!(
                "{}; applies to packets of up to {} bytes",
                span(floor.least.to_string(), floor.most.to_string()),
                floor.knee
            ),
        ),
        None => (
            "none".to_owned(),
            format!("none above {} bytes, the smallest charge measured", report.smallest_charge),
        ),
    };
    let ceiling = match &report.floor {
        Some(floor) if floor.kind == FloorKind::Ceiling => (
            format!("{:.0} packets per second", floor.pps),
            format!("{}, or an mpu", sure(floor.probability)),
        ),
        Some(floor) => {
            ("none found".to_owned(), format!("the mpu equals {:.0} packets per second", floor.pps))
        }
        None => ("none found".to_owned(), String::new()),
    };
    let rate = |bps: u64| rounded(Rate::from_bps(bps)).to_string();
    let mut rows = vec![
        ("layer", layers(&report.layer.layers), sure(report.layer.probability)),
        (
            "overhead",
            format!("{} bytes", overhead.bytes),
            span(overhead.least.to_string(), overhead.most.to_string()),
        ),
        ("mpu", mpu, mpu_sure),
        ("ceiling", ceiling.0, ceiling.1),
        (
            "rate",
            format!("{} for packets", rate(report.rate.bps)),
            span(rate(report.rate.least), rate(report.rate.most)),
        ),
    ];
    let profiles = and_ticked(report.profiles.iter().map(String::as_str));
    rows.push(if profiles.is_empty() {
        ("profile", "none".to_owned(), "no profile agrees within the noise".to_owned())
    } else {
        ("profile", profiles, String::new())
    });
    rows
}

/// Formats a probability.
fn sure(probability: f64) -> String {
    if probability > 0.999 { "more than 99.9 %".to_owned() } else { format!("{:.1} %", 100.0 * probability) }
}

fn name(layer: Layer) -> &'static str {
    match layer {
        Layer::Ethernet => "ethernet",
        Layer::Ptm => "ptm",
        Layer::Atm => "atm",
    }
}

fn layers(layers: &[Layer]) -> String {
    layers.iter().map(|layer| name(*layer)).collect::<Vec<_>>().join(" or ")
}

fn runner_up_words(runner_up: &RunnerUp) -> String {
    let RunnerUp { layers: of, overhead, floor, odds, .. } = runner_up;
    let floor =
        floor.map_or("no minimum charge".to_owned(), |floor| format!("a minimum charge of {floor} bytes"));
    let odds = if *odds >= 1e6 { "more than a million".to_owned() } else { digits(*odds, 2).to_string() };
    format!(
        "The runner-up is {} with {overhead} bytes of overhead and {floor}. It is {odds} times less likely.",
        layers(of)
    )
}

/// Text for the runner-up in a legend.
pub(super) fn runner_up_short(runner_up: &RunnerUp) -> String {
    let floor = runner_up.floor.map_or(String::new(), |floor| format!(", minimum charge {floor:.0}"));
    format!("runner-up: {}, overhead {}{floor}", layers(&runner_up.layers), runner_up.overhead)
}

/// Returns one line with the result and another on the measurements.
pub(super) fn headline(report: &Report) -> (String, String) {
    let mpu = match &report.floor {
        Some(floor) if floor.kind == FloorKind::Ceiling => {
            format!("at most {:.0} packets per second", floor.pps)
        }
        _ if report.mpu == 0 => "no mpu".to_owned(),
        _ => format!("mpu {}", report.mpu),
    };
    let measured = &report.measured;
    let rate = rounded(Rate::from_bps(report.rate.bps));
    (
        format!("{}, overhead {}, {mpu}", layers(&report.layer.layers), report.overhead.bytes),
        format!(
            "{rate} for packets; {} of {}, standard deviation {} %",
            count(measured.rows, "measurement"),
            count(measured.sizes, "packet size"),
            measured.scatter_percent
        ),
    )
}

/// Returns the keys of `link` to paste.
pub(super) fn yaml(report: &Report) -> String {
    let mut out = String::new();
    if let [only] = report.profiles.as_slice() {
        let ceiling = report.floor.as_ref().is_some_and(|floor| floor.kind == FloorKind::Ceiling);
        let with = if ceiling { ", with this mpu" } else { "" };
        let _ = writeln!(out, "# or, equal within the noise: profile: {only}{with}");
    }
    line(&mut out, "link:");
    let whole = report.layer.layers.len() > 1;
    let rate = rounded(Rate::from_bps(report.rate.bps));
    let layer = report.layer.layers.first().map_or("ethernet", |layer| name(*layer));
    let why = if whole {
        format!("   # for a stated rate of {rate}; write ptm if the modem states 65/64 of that")
    } else {
        String::new()
    };
    line(&mut out, &format!("  layer: {layer}{why}"));
    line(&mut out, &format!("  overhead: {}", report.overhead.bytes));
    let why = report.floor.as_ref().map_or(String::new(), |floor| floor_comment(floor, rate));
    line(&mut out, &format!("  mpu: {}{why}", report.mpu));
    out
}

fn floor_comment(floor: &Floor, rate: Rate) -> String {
    match floor.kind {
        FloorKind::Padding => String::new(),
        FloorKind::Ceiling if floor.bytes > 256.5 => {
            format!("   # {:.0} bytes are needed at {rate}, but 256 is the largest mpu", floor.bytes)
        }
        FloorKind::Ceiling => {
            format!("   # {rate} / (8 x {:.0} packets per second): valid at this rate only", floor.pps)
        }
    }
}
