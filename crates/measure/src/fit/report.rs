//! Report on a fit: every number with its certainty, for programs and for people.

use super::curve::Curve;
use super::data::Data;
use super::human::{further, yaml};
use super::result::{
    Decisive, FitReport, Floor, FloorKind, LayerFound, MEASURABLE, Measured, Overhead, PADDED, RateFound,
    RunnerUp, SizeFound, digits,
};
use super::weigh::{Fit, PROFILES, spread};
use qosc_compiler::terms::Layer;
use qosc_compiler::units::Rate;
use std::collections::BTreeMap;

/// Largest `mpu` in a file, as in tc-cake.
const MPU_MAX: u32 = 256;
/// Largest difference in log-likelihood that counts as noise: half the 95 % quantile of chi-squared for two parameters.
const WITHIN_NOISE: f64 = 5.99 / 2.0;
/// Difference of packet rates, as a logarithm, above which two lines count as different.
const ANOTHER: f64 = 0.02;
/// Difference in standard deviations of a mean at which two curves count as distinct. One in a thousand is by chance.
const SURE: f64 = 3.3;
/// Largest acceptable number of measurements of one size.
const ROWS_MAX: f64 = 200.0;
/// Logarithm of the largest odds that are shown: 10^12.
const ODDS_MAX: f64 = 27.631;

/// Returns the report on a fit.
#[must_use]
pub fn report(data: &Data, fit: &Fit, given: Option<Rate>) -> FitReport {
    let best = fit.best;
    let sizes = sizes(data, &best);
    let measured = Measured {
        rows: data.rows.len(),
        sizes: sizes.len(),
        smallest: sizes.first().map_or(0, |size| size.ip),
        largest: sizes.last().map_or(0, |size| size.ip),
        scatter_percent: digits(100.0 * fit.scatter, 2),
    };
    let probability = fit.of_layer().map(|curve| curve.probability).sum();
    let overhead = overhead(fit, probability);
    let (mean, deviation) = fit.rate();
    let bps = |ln: f64| (8.0 * ln.exp()).round() as u64;
    let floor = best.floor.map(|bytes| floor(bytes, fit, probability));
    let profiles = profiles(data, fit, floor.as_ref().map(|floor| floor.kind), &overhead);
    let ignored = given.filter(|_| !fit.knows_rate).map(|rate| {
        format!(
            "the given rate, {rate}, contradicts the measurements and was ignored: check that it is the rate of the line in this direction"
        )
    });
    let mut report = FitReport {
        smallest_charge: best.wire.bytes(measured.smallest),
        measured,
        layer: LayerFound { layers: fit.layers(&best), probability: digits(probability, 6) },
        overhead,
        mpu: best.floor.map_or(0, |floor| mpu(floor, best.wire.layer)),
        floor,
        rate: RateFound {
            bps: bps(best.rate),
            least: bps(best.rate.min(mean - 1.96 * deviation)),
            most: bps(best.rate.max(mean + 1.96 * deviation)),
            given: given.map(Rate::bps),
        },
        profiles,
        runner_up: runner_up(fit),
        further: Vec::new(),
        far: fit.far.clone(),
        notes: data.notes.iter().cloned().chain(ignored).collect(),
        yaml: String::new(),
        sizes,
        best,
    };
    report.further = further(&report);
    report.yaml = yaml(&report);
    report
}

/// Returns the range of the most likely overheads whose probabilities add up to 95 %, with all that are as likely.
fn overhead(fit: &Fit, probability: f64) -> Overhead {
    let mut by_overhead: BTreeMap<u32, f64> = BTreeMap::new();
    for curve in fit.of_layer() {
        *by_overhead.entry(curve.wire.overhead).or_default() += curve.probability;
    }
    let mut sorted: Vec<(u32, f64)> = by_overhead.into_iter().collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (mut least, mut most) = (fit.best.wire.overhead, fit.best.wire.overhead);
    let (mut sum, mut last) = (0.0, 0.0);
    for (bytes, share) in sorted {
        if sum >= 0.95 * probability && share < last * (1.0 - 1e-6) {
            break;
        }
        (sum, last) = (sum + share, share);
        (least, most) = (least.min(bytes), most.max(bytes));
    }
    Overhead { bytes: fit.best.wire.overhead, least, most }
}

/// Returns the least charge with its uncertainty and kind. `total` is the probability of the layer.
fn floor(bytes: f64, fit: &Fit, total: f64) -> Floor {
    let bound = || fit.of_layer().filter_map(|curve| Some((curve, curve.floor?)));
    let parts = bound().map(|(curve, floor)| {
        let (below, above) = curve.weights;
        (curve.probability, floor.ln(), fit.scatter.powi(2) * (1.0 / below + 1.0 / above))
    });
    let (mean, deviation) = spread(parts);
    // the largest packet that costs no more, to the nearest byte
    let plain = fit.best.wire;
    let knee = (20..=65535).take_while(|ip| plain.bytes(*ip) as f64 <= bytes + 0.5).last().unwrap_or(0);
    let overheads = fit.of_layer().map(|curve| (curve.probability, f64::from(curve.wire.overhead), 0.0));
    let blur = spread(overheads).1.hypot(bytes * deviation);
    let padded = knee as f64 - 1.96 * blur <= PADDED;
    let probability = bound().map(|(curve, _)| curve.probability).sum::<f64>() / total;
    Floor {
        kind: if padded { FloorKind::Padding } else { FloorKind::Ceiling },
        probability: digits(probability, 6),
        bytes: digits(bytes, 4),
        least: digits((mean - 1.96 * deviation).exp().min(bytes), 3),
        most: digits((mean + 1.96 * deviation).exp().max(bytes), 3),
        pps: digits(fit.best.rate.exp() / bytes, 5),
        knee,
    }
}

/// Returns the `mpu` of a file for a least charge, at most 256: whole bytes, or in cells the payload of all its cells.
fn mpu(floor: f64, layer: Layer) -> u32 {
    let bytes = match layer {
        // less than a tenth of a cell is noise, more is a further cell
        Layer::Atm => 48.0 * (floor / 53.0 - 0.1).ceil(),
        Layer::Ethernet | Layer::Ptm => floor.round(),
    };
    (bytes as u32).min(MPU_MAX)
}

/// Returns the profiles that explain the rows nearly as well. A ceiling on packets does not depend on the profile, so
/// it is kept.
fn profiles(data: &Data, fit: &Fit, kind: Option<FloorKind>, overhead: &Overhead) -> Vec<String> {
    let ceiling = fit.best.floor.filter(|_| kind == Some(FloorKind::Ceiling));
    let misses = |curve: &Curve| -> Vec<f64> { data.rows.iter().map(|row| curve.misses(row)).collect() };
    // log-likelihood that a curve loses; outliers count up to three deviations. Each profile gets the rate that suits
    // it best.
    let lost = |misses: &[f64], shift: f64| -> f64 {
        misses.iter().map(|miss| ((miss - shift) / fit.scatter).powi(2).min(9.0)).sum::<f64>() / 2.0
    };
    let best = lost(&misses(&fit.best), 0.0);
    let layers = fit.layers(&fit.best);
    let mut found: Vec<(f64, &str)> = PROFILES
        .iter()
        .filter(|known| layers.contains(&known.layer))
        .filter(|known| (overhead.least..=overhead.most).contains(&known.overhead))
        .filter_map(|known| {
            let misses = misses(&Curve { wire: known.wire(), floor: ceiling, ..fit.best });
            let mean = misses.iter().sum::<f64>() / misses.len() as f64;
            let worse = lost(&misses, mean) - best;
            (worse < WITHIN_NOISE).then_some((worse, known.name.as_str()))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// Returns the most likely line of another kind: another layer, or with instead of without a least charge. The packet
/// rates of the two must differ at some size.
fn runner_up(fit: &Fit) -> Option<RunnerUp> {
    let kind = |curve: &Curve| (curve.wire.layer, curve.floor.is_some());
    let other = |curve: &&Curve| kind(curve) != kind(&fit.best) && differ(curve, &fit.best, ANOTHER);
    let curve = *fit.curves.iter().find(other)?;
    Some(RunnerUp {
        layers: fit.layers(&curve),
        overhead: curve.wire.overhead,
        floor: curve.floor.map(|floor| digits(floor, 3)),
        odds: digits((fit.best.log - curve.log).min(ODDS_MAX).exp(), 3),
        decisive: decisive(&fit.best, &curve, fit.scatter),
    })
}

/// True if the packet rates of two lines differ by more than `by`, as a logarithm, at any size.
fn differ(one: &Curve, other: &Curve, by: f64) -> bool {
    MEASURABLE.rev().any(|ip| apart(one, other, ip) > by)
}

fn apart(one: &Curve, other: &Curve, ip: u64) -> f64 {
    (one.rate - other.rate + (other.charge(ip) / one.charge(ip)).ln()).abs()
}

/// Returns at most three sizes at which two lines differ most, the best first; none if no size distinguishes them.
fn decisive(one: &Curve, other: &Curve, scatter: f64) -> Vec<Decisive> {
    let size = |ip| {
        let by = apart(one, other, ip);
        let measurements = (SURE * scatter / by).powi(2).ceil().max(1.0);
        (measurements <= ROWS_MAX).then_some((ip, by, measurements))
    };
    let mut sizes: Vec<(u64, f64, f64)> = MEASURABLE.filter_map(size).collect();
    // among sizes with the same difference, the smallest packets are the best, because they show it soonest
    sizes.sort_by(|a, b| b.1.total_cmp(&a.1));
    let least = sizes.first().map_or(0.0, |size| size.1 / 2.0);
    let mut found: Vec<Decisive> = Vec::new();
    for (ip, by, measurements) in sizes {
        if by >= least && found.len() < 3 && found.iter().all(|known| known.ip.abs_diff(ip) >= 16) {
            let differ_percent = digits(100.0 * by.exp_m1(), 2);
            found.push(Decisive { ip, differ_percent, measurements: measurements as u64 });
        }
    }
    found
}

fn sizes(data: &Data, best: &Curve) -> Vec<SizeFound> {
    let mut by_size: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for row in &data.rows {
        by_size.entry(row.ip).or_default().push(digits(row.pps, 6));
    }
    let (fitted, charge) = (|ip| digits(best.pps(ip), 5), |ip| digits(best.charge(ip), 4));
    let found = by_size.into_iter();
    found.map(|(ip, pps)| SizeFound { ip, pps, fitted: fitted(ip), charge: charge(ip) }).collect()
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
