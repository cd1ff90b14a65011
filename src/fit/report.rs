//! Report on a fit: every number with its certainty, for programs and for people.

use super::curve::{Carried, Curve};
use super::data::Data;
use super::human::{further, yaml};
use super::known;
use super::result::{
    Decisive, Far, Floor, FloorKind, LayerFound, MEASURABLE, Measured, Overhead, PADDED, RateFound, Report,
    RunnerUp, SizeFound, digits,
};
use super::weigh::{Fit, Weighed, spread};
use crate::terms::{Layer, Wire};
use crate::units::Rate;

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
pub fn report(data: &Data, fit: &Fit, given: Option<Rate>) -> Report {
    let best = fit.best;
    let mine = |one: &&Weighed| one.curve.carried == best.carried;
    let kind: Vec<&Weighed> = fit.weighed.iter().filter(mine).collect();
    let share = |floor: bool| -> f64 {
        kind.iter().filter(|one| one.curve.floor.is_some() == floor).map(|one| one.probability).sum()
    };
    let probability = share(false) + share(true);
    let overhead = overhead(&kind, probability, fit);
    let sizes = sizes(data, &best);
    let rate = fit.rate();
    let bps = |ln: f64| (8.0 * ln.exp()).round() as u64;
    let floor = best.floor.map(|_| floor(&kind, &best, fit, share(true) / probability));
    let profiles = profiles(data, fit, floor.as_ref().map(|floor| floor.kind), &overhead);
    let measured = Measured {
        rows: data.rows.len(),
        sizes: sizes.len(),
        smallest: sizes.first().map_or(0, |size| size.ip),
        largest: sizes.last().map_or(0, |size| size.ip),
        scatter_percent: digits(100.0 * fit.scatter, 2),
    };
    let plain = Wire { layer: best.carried.layer(), overhead: overhead.bytes, mpu: 0 };
    let mut report = Report {
        smallest_charge: plain.bytes(measured.smallest),
        measured,
        layer: LayerFound { layers: layers(best.carried), probability: digits(probability, 6) },
        overhead,
        mpu: best.floor.map_or(0, |floor| mpu(floor, best.carried)),
        floor,
        rate: RateFound {
            bps: bps(best.rate),
            least: bps(best.rate.min(rate.0 - 1.96 * rate.1)),
            most: bps(best.rate.max(rate.0 + 1.96 * rate.1)),
            given: given.map(Rate::bps),
        },
        profiles,
        runner_up: runner_up(fit),
        further: Vec::new(),
        far: far(data, fit),
        notes: data.notes.clone(),
        yaml: String::new(),
        sizes,
        best,
    };
    if let Some(rate) = fit.unfit {
        report.notes.push(format!(
            "the given rate, {rate}, contradicts the measurements and was ignored: check that it is the rate of the line in this direction"
        ));
    }
    report.further = further(&report);
    report.yaml = yaml(&report);
    report
}

/// Returns the layers with this charge.
fn layers(carried: Carried) -> Vec<Layer> {
    match carried {
        Carried::Whole => vec![Layer::Ethernet, Layer::Ptm],
        one => vec![one.layer()],
    }
}

/// Returns the range of the most likely overheads whose probabilities add up to 95 %.
fn overhead(kind: &[&Weighed], probability: f64, fit: &Fit) -> Overhead {
    let mut by_overhead: std::collections::BTreeMap<u32, f64> = std::collections::BTreeMap::new();
    for one in kind {
        *by_overhead.entry(one.curve.overhead).or_default() += one.probability / probability;
    }
    let mut sorted: Vec<(u32, f64)> = by_overhead.into_iter().collect();
    sorted.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (mut least, mut most, mut sum) = (fit.same.0, fit.same.1, 0.0);
    for (bytes, probability) in sorted {
        if sum >= 0.95 {
            break;
        }
        sum += probability;
        (least, most) = (least.min(bytes), most.max(bytes));
    }
    Overhead { bytes: fit.best.overhead, least, most }
}

/// Returns the least charge with its uncertainty and kind.
fn floor(kind: &[&Weighed], best: &Curve, fit: &Fit, probability: f64) -> Floor {
    let bytes = best.floor.unwrap_or(0.0);
    let parts = kind.iter().filter_map(|one| {
        let (bound, above) = one.curve.weights;
        let variance = fit.scatter.powi(2) * (1.0 / bound + 1.0 / above);
        one.curve.floor.map(|floor| (one.probability, floor.ln(), variance))
    });
    let (mean, deviation) = spread(parts);
    let (least, most) =
        ((mean - 1.96 * deviation).exp().min(bytes), (mean + 1.96 * deviation).exp().max(bytes));
    let plain = Wire { layer: best.carried.layer(), overhead: best.overhead, mpu: 0 };
    // the largest packet that costs no more, to the nearest byte
    let knee =
        |floor: f64| (20..=65535).take_while(|ip| plain.bytes(*ip) as f64 <= floor + 0.5).last().unwrap_or(0);
    let overheads = kind.iter().map(|one| (one.probability, f64::from(one.curve.overhead), 0.0));
    let blur = (spread(overheads).1.powi(2) + (bytes * deviation).powi(2)).sqrt();
    let padded = knee(bytes) as f64 - 1.96 * blur <= PADDED;
    Floor {
        kind: if padded { FloorKind::Padding } else { FloorKind::Ceiling },
        probability: digits(probability, 6),
        bytes: digits(bytes, 4),
        least: digits(least, 3),
        most: digits(most, 3),
        pps: digits(best.rate.exp() / bytes, 5),
        knee: knee(bytes),
    }
}

/// Returns the `mpu` of a file for a least charge, at most 256: whole bytes, or in cells the payload of all its cells.
fn mpu(floor: f64, carried: Carried) -> u32 {
    let bytes = if carried.in_cells() {
        // less than a tenth of a cell is noise, more is a further cell
        48.0 * (floor / 53.0 - 0.1).ceil()
    } else {
        floor.round()
    };
    (bytes as u32).min(MPU_MAX)
}

/// Returns the profiles that explain the rows nearly as well. A ceiling on packets does not depend on the profile, so
/// it is kept.
fn profiles(data: &Data, fit: &Fit, kind: Option<FloorKind>, overhead: &Overhead) -> Vec<String> {
    let ceiling = fit.best.floor.filter(|_| kind == Some(FloorKind::Ceiling));
    let misses = |curve: &Curve| -> f64 {
        data.rows.iter().map(|row| (curve.misses(row.ip, row.pps.ln()) / fit.scatter).powi(2).min(9.0)).sum()
    };
    let best = misses(&fit.best);
    let mut found: Vec<(f64, &str)> = known::profiles()
        .iter()
        .filter(|known| match fit.best.carried {
            Carried::Whole => known.layer != Layer::Atm,
            one => known.layer == one.layer(),
        })
        .filter(|known| (overhead.least..=overhead.most).contains(&known.overhead))
        .filter_map(|known| {
            let least = Wire { layer: known.layer, overhead: 0, mpu: known.mpu }.bytes(0) as f64;
            let floor = Some(least.max(ceiling.unwrap_or(0.0))).filter(|floor| *floor > 0.0);
            let curve = Curve { overhead: known.overhead, floor, ..fit.best };
            // each profile gets the rate that suits it best
            let shift = data.rows.iter().map(|row| curve.misses(row.ip, row.pps.ln())).sum::<f64>();
            let fitted = Curve { rate: curve.rate + shift / data.rows.len().max(1) as f64, ..curve };
            let worse = (misses(&fitted) - best) / 2.0;
            (worse < WITHIN_NOISE).then_some((worse, known.name.as_str()))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// Returns the most likely line of another kind: another layer, or with instead of without a least charge. The packet
/// rates of the two must differ at some size.
fn runner_up(fit: &Fit) -> Option<RunnerUp> {
    let best = fit.weighed.first()?;
    let kind = |curve: &Curve| (curve.carried, curve.floor.is_some());
    let other = |curve: &Curve| kind(curve) != kind(&fit.best) && differ(curve, &fit.best, ANOTHER);
    let second = fit.weighed.iter().find(|one| other(&one.curve))?;
    let curve = second.curve;
    Some(RunnerUp {
        layers: layers(curve.carried),
        overhead: curve.overhead,
        floor: curve.floor.map(|floor| digits(floor, 3)),
        odds: digits((best.log - second.log).min(ODDS_MAX).exp(), 3),
        decisive: decisive(&fit.best, &curve, fit.scatter),
        curve,
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

fn far(data: &Data, fit: &Fit) -> Vec<Far> {
    let found = fit.far.iter().filter_map(|(index, off)| {
        let row = data.rows.get(*index)?;
        Some(Far { line: row.line, ip: row.ip, pps: digits(row.pps, 5), off_percent: digits(100.0 * off, 3) })
    });
    found.collect()
}

fn sizes(data: &Data, best: &Curve) -> Vec<SizeFound> {
    let mut by_size: std::collections::BTreeMap<u64, Vec<f64>> = std::collections::BTreeMap::new();
    for row in &data.rows {
        by_size.entry(row.ip).or_default().push(digits(row.pps, 6));
    }
    let found = by_size.into_iter().map(|(ip, pps)| SizeFound {
        ip,
        pps,
        fitted: digits(best.pps(ip), 5),
        charge: digits(best.charge(ip), 4),
    });
    found.collect()
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
