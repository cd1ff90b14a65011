//! Report for people.

use super::result::{Decisive, FitReport, Floor, FloorKind, MEASURABLE, PADDED, RunnerUp, digits, rounded};
use qosc_compiler::diag::{and_ticked, count, wrapped};
use qosc_compiler::terms::Layer;
use std::fmt::Write as _;

/// Returns the report as a table, sentences, and YAML to paste.
#[must_use]
pub fn human(report: &FitReport) -> String {
    let measured = &report.measured;
    let mut out = format!(
        "{}, from {} to {} IP bytes; standard deviation {} %\n\n",
        extent(report),
        measured.smallest,
        measured.largest,
        measured.scatter_percent
    );
    table(&mut out, report);
    let far = report.far.iter().take(5).map(|row| {
        let direction = if row.off_percent > 0.0 { "above" } else { "below" };
        let (number, ip, off) = (row.line, row.ip, row.off_percent.abs());
        format!("line {number}: the measurement of {ip} bytes is {off} % {direction} the curve and has little weight")
    });
    let notes = report.notes.iter().map(|note| format!("note: {note}"));
    let runner_up = report.runner_up.iter().map(runner_up_words);
    for words in far.chain(notes).chain(runner_up).chain(report.further.iter().cloned()) {
        out.push('\n');
        wrapped(&mut out, "", &words, 0);
    }
    let _ = write!(out, "\n{}", report.yaml);
    out
}

/// Returns the number of measurements and of sizes.
fn extent(report: &FitReport) -> String {
    let measured = &report.measured;
    format!("{} of {}", count(measured.rows, "measurement"), count(measured.sizes, "packet size"))
}

fn table(out: &mut String, report: &FitReport) {
    let mut row = |what: &str, value: &str, sure: &str| {
        let _ = writeln!(out, "{}", format!("  {what:10} {value:28} {sure}").trim_end());
    };
    row("layer", &layers(&report.layer.layers), &sure(report.layer.probability));
    let overhead = &report.overhead;
    row("overhead", &format!("{} bytes", overhead.bytes), &span(overhead.least, overhead.most));
    match &report.floor {
        Some(floor) => {
            let binds = format!("applies to packets of up to {} bytes", floor.knee);
            let bytes = format!("{} bytes", report.mpu);
            row("mpu", &bytes, &format!("{}; {binds}", span(floor.least, floor.most)));
            let pps = format!("{:.0} packets per second", floor.pps);
            match floor.kind {
                FloorKind::Ceiling => {
                    row("ceiling", &pps, &format!("{}, or an mpu", sure(floor.probability)));
                }
                FloorKind::Padding => row("ceiling", "none found", &format!("the mpu equals {pps}")),
            }
        }
        None => {
            let least = report.smallest_charge;
            row("mpu", "none", &format!("none above {least} bytes, the smallest charge measured"));
            row("ceiling", "none found", "");
        }
    }
    let [best, least, most] =
        [report.rate.bps, report.rate.least, report.rate.most].map(|bps| rounded(bps as f64));
    row("rate", &format!("{best} for packets"), &span(least, most));
    match report.profiles.as_slice() {
        [] => row("profile", "none", "no profile agrees within the noise"),
        profiles => row("profile", &and_ticked(profiles.iter().map(String::as_str)), ""),
    }
}

/// Formats a probability.
fn sure(probability: f64) -> String {
    if probability > 0.999 { "more than 99.9 %".to_owned() } else { format!("{:.1} %", 100.0 * probability) }
}

/// Formats an interval that contains the true value with a probability of 95 %.
fn span<T: PartialEq + std::fmt::Display>(least: T, most: T) -> String {
    if least == most { "95 %: only this one".to_owned() } else { format!("95 %: {least} to {most}") }
}

fn layers(layers: &[Layer]) -> String {
    layers.iter().map(<&str>::from).collect::<Vec<_>>().join(" or ")
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

/// Sentences on open questions and the measurements that would answer them.
pub(super) fn further(report: &FitReport) -> Vec<String> {
    let mut said = Vec::new();
    if report.layer.layers.len() > 1 {
        let bps = report.best.bps();
        said.push(format!(
            "Packet rates alone cannot distinguish Ethernet from PTM, because PTM takes 1/65 of every packet. If the modem states a rate of about {}, \
             the line is PTM. If it states {}, the line is Ethernet. Give the stated rate with `--rate`.",
            rounded(bps * 65.0 / 64.0),
            rounded(bps)
        ));
    }
    if let Some(runner_up) = report.runner_up.as_ref().filter(|runner_up| runner_up.odds < 1000.0) {
        let size = |size: &Decisive| {
            let Decisive { ip, differ_percent, measurements } = size;
            let times = if *measurements == 1 { "once".to_owned() } else { format!("{measurements} times") };
            format!("{ip} bytes ({times}, difference {differ_percent} %)")
        };
        let sizes: Vec<String> = runner_up.decisive.iter().map(size).collect();
        said.push(if sizes.is_empty() {
            "The runner-up has the same packet rate at every size, within the precision of a measurement."
                .to_owned()
        } else {
            format!("To rule out the runner-up, measure IP packets of {}.", sizes.join(", "))
        });
    }
    said.extend(report.floor.as_ref().map(|floor| floor_words(report, floor)));
    said.extend(narrower(report));
    said
}

/// Sentence on a test that distinguishes padding from a ceiling.
fn floor_words(report: &FitReport, floor: &Floor) -> String {
    let pps = floor.pps;
    let test = format!(
        "To decide, shape the sender to half the rate, {}, and measure small packets again. With a minimum charge, their rate halves. With a \
         ceiling, it stays at {pps:.0} per second.",
        rounded(report.rate.bps as f64 / 2.0)
    );
    match floor.kind {
        FloorKind::Padding => format!(
            "A ceiling of {pps:.0} packets per second would look the same at this rate, but Ethernet frames pad packets of up to {PADDED} bytes, \
             which explains the mpu. {test}"
        ),
        FloorKind::Ceiling => format!(
            "No frame pads packets above {PADDED} bytes, so a ceiling on packets is more likely. At one rate, the two look the same. {test}"
        ),
    }
}

/// Sentence on measurements that would narrow down the overhead.
fn narrower(report: &FitReport) -> Option<String> {
    let (least, most) = (report.overhead.least, report.overhead.most);
    let width = f64::from(most - least) / 2.0;
    if report.wire().layer == Layer::Atm {
        // with IP packets of n x 48 - o bytes, the overhead o needs one cell less than o + 1
        let middle = u64::from(least + (most - least) / 2);
        let size = (1..=40u64)
            .map(|cells| (cells * 48).saturating_sub(middle))
            .find(|ip| MEASURABLE.contains(ip))?;
        return (most > least).then(|| {
            format!(
                "Overheads from {least} to {most} take the same number of cells at nearly all measured sizes. Measure {size} and {} bytes: \
                 if a packet fits in one cell less, the overhead is at most {middle}.",
                size + 1
            )
        });
    }
    (width > 1.0).then(|| {
        format!(
            "For an overhead that is exact to the byte, take about {} times as many measurements: half of packets below 64 bytes, half of packets above 1000.",
            (width * width).ceil()
        )
    })
}

/// Returns the keys of `link` to paste.
pub(super) fn yaml(report: &FitReport) -> String {
    let rate = rounded(report.rate.bps as f64);
    let ceiling = report.floor.as_ref().filter(|floor| floor.kind == FloorKind::Ceiling);
    let profile = match report.profiles.as_slice() {
        [only] => {
            let with = if ceiling.is_some() { ", with this mpu" } else { "" };
            format!("# or, equal within the noise: profile: {only}{with}\n")
        }
        _ => String::new(),
    };
    let why_layer = if report.layer.layers.len() > 1 {
        format!("   # for a stated rate of {rate}; write ptm if the modem states 65/64 of that")
    } else {
        String::new()
    };
    let why_mpu = match ceiling {
        Some(floor) if floor.bytes > 256.5 => {
            format!("   # {:.0} bytes are needed at {rate}, but 256 is the largest mpu", floor.bytes)
        }
        Some(floor) => {
            format!("   # {rate} / (8 x {:.0} packets per second): valid at this rate only", floor.pps)
        }
        None => String::new(),
    };
    let (layer, overhead, mpu) = (report.wire().layer, report.overhead.bytes, report.mpu);
    let layer: &str = layer.into();
    format!("{profile}link:\n  layer: {layer}{why_layer}\n  overhead: {overhead}\n  mpu: {mpu}{why_mpu}\n")
}
