//! Advice on further measurements.

use super::curve::{Carried, Curve};
use super::result::{Decisive, FloorKind, PADDED, Report, digits, rounded};
use super::weigh::Fit;
use crate::units::Rate;

/// Sizes in bytes that can be measured on every line: from an empty UDP packet to the largest packet for PPPoE (RFC
/// 2516).
const MEASURABLE: std::ops::RangeInclusive<u64> = 28..=1492;
/// Difference in standard deviations of a mean at which two curves count as distinct. One in a thousand is by chance.
const SURE: f64 = 3.3;
/// Largest acceptable number of measurements of one size.
const ROWS_MAX: f64 = 200.0;

/// True if the packet rates of two lines differ by more than `by`, as a logarithm, at any size.
pub(super) fn differ(one: &Curve, other: &Curve, by: f64) -> bool {
    MEASURABLE.rev().any(|ip| apart(one, other, ip) > by)
}

fn apart(one: &Curve, other: &Curve, ip: u64) -> f64 {
    (one.rate - other.rate + (other.charge(ip) / one.charge(ip)).ln()).abs()
}

/// Returns at most three sizes at which two lines differ most, the best first; none if no size distinguishes them.
pub(super) fn decisive(one: &Curve, other: &Curve, scatter: f64) -> Vec<Decisive> {
    let sizes: Vec<(u64, f64)> = MEASURABLE.map(|ip| (ip, apart(one, other, ip))).collect();
    let mut found: Vec<Decisive> = Vec::new();
    let mut most = 0.0;
    for _ in 0..3 {
        let fresh = |size: &&(u64, f64)| found.iter().all(|known| known.ip.abs_diff(size.0) >= 16);
        // among sizes with the same difference, the smallest packets are the best, because they show it soonest
        let best = sizes
            .iter()
            .filter(fresh)
            .fold((0, 0.0), |best, size| if size.1 > best.1 { *size } else { best });
        most = best.1.max(most);
        let measurements = (SURE * scatter / best.1).powi(2).ceil().max(1.0);
        if best.1 < most / 2.0 || measurements > ROWS_MAX {
            break;
        }
        let differ_percent = digits(100.0 * best.1.exp_m1(), 2);
        found.push(Decisive { ip: best.0, differ_percent, measurements: measurements as u64 });
    }
    found
}

/// Sentences on open questions and the measurements that would answer them.
pub(super) fn further(report: &Report, fit: &Fit) -> Vec<String> {
    let mut said = Vec::new();
    if fit.best.carried == Carried::Whole {
        let ptm = Rate::from_bps((fit.best.bps() * 65.0 / 64.0).round() as u64);
        said.push(format!(
            "Packet rates alone cannot distinguish Ethernet from PTM, because PTM takes 1/65 of every packet. If the modem states a rate of about {}, \
             the line is PTM. If it states {}, the line is Ethernet. Give the stated rate with `--rate`.",
            rounded(ptm),
            rounded(Rate::from_bps(fit.best.bps().round() as u64))
        ));
    }
    if let Some(runner_up) = &report.runner_up
        && runner_up.odds < 1000.0
    {
        let sizes: Vec<String> = runner_up
            .decisive
            .iter()
            .map(|size| {
                format!(
                    "{} bytes ({}, difference {})",
                    size.ip,
                    times(size.measurements),
                    percent(size.differ_percent)
                )
            })
            .collect();
        said.push(if sizes.is_empty() {
            "The runner-up has the same packet rate at every size, within the precision of a measurement."
                .to_owned()
        } else {
            format!("To rule out the runner-up, measure IP packets of {}.", sizes.join(", "))
        });
    }
    if let Some(floor) = &report.floor {
        said.push(floor_words(report, floor.kind, floor.pps));
    }
    said.extend(narrower(report, fit));
    said
}

/// Sentence on a test that distinguishes padding from a ceiling.
fn floor_words(report: &Report, kind: FloorKind, pps: f64) -> String {
    let half = Rate::from_bps(report.rate.bps / 2);
    let test = format!(
        "To decide, shape the sender to half the rate, {}, and measure small packets again. With a minimum charge, their rate halves. With a \
         ceiling, it stays at {pps:.0} per second.",
        rounded(half)
    );
    match kind {
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
fn narrower(report: &Report, fit: &Fit) -> Option<String> {
    let (least, most) = (report.overhead.least, report.overhead.most);
    if fit.best.carried.in_cells() {
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
    let width = f64::from(most - least) / 2.0;
    (width > 1.0).then(|| {
        format!(
            "For an overhead that is exact to the byte, take about {} times as many measurements: half of packets below 64 bytes, half of packets above 1000.",
            (width * width).ceil()
        )
    })
}

fn times(n: u64) -> String {
    if n == 1 { "once".to_owned() } else { format!("{n} times") }
}

fn percent(value: f64) -> String {
    format!("{value} %")
}
