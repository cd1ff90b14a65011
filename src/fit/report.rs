//! What is said of a fit: every number with how sure it is, as programs get it and people read it.

use super::curve::{Carried, Curve};
use super::data::Data;
use super::decide::{Decisive, decisive, differ};
use super::known;
use super::weigh::{Fit, Weighed, spread};
use crate::model::{Layer, Wire};
use crate::units::Rate;
use serde::Serialize;

/// IP packets in Ethernet frames are padded up to this many bytes (IEEE 802.3, clause 3): a least charge that binds larger ones
/// is not padding.
pub(super) const PADDED: f64 = 46.0;
/// The largest `mpu` that a file takes, as tc-cake.
const MPU_MAX: u32 = 256;
/// Profiles with a likelihood of which noise makes one in twenty: a quantile of chi-squared for two numbers, halved.
const WITHIN_NOISE: f64 = 5.99 / 2.0;
/// A line whose packet rates differ nowhere by more than this is no other line.
const ANOTHER: f64 = 0.02;
/// The logarithm of the largest odds that are told: a million million.
const ODDS_MAX: f64 = 27.631;

/// All of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// How many rows there are, of how many sizes, from which to which: bytes of the IP packet.
    pub measured: Measured,
    /// How the line carries packets.
    pub layer: LayerFound,
    /// Bytes on the line above each IP packet.
    pub overhead: Overhead,
    /// The least charge in bytes, as a file has it; 0 for none.
    pub mpu: u32,
    /// What small packets show of a least charge or a ceiling.
    pub floor: Option<Floor>,
    /// The least charge that could be seen, in bytes: that of the smallest size.
    pub smallest_charge: u64,
    /// The rate that packets have, after the line's encapsulation.
    pub rate: RateFound,
    /// Profiles that explain the measurements within the noise, the likeliest first.
    pub profiles: Vec<String>,
    /// The likeliest line of another kind.
    pub runner_up: Option<RunnerUp>,
    /// What further measurements would tell.
    pub further: Vec<String>,
    /// Rows that lie far off and had little weight.
    pub far: Vec<Far>,
    /// What is odd about the measurements.
    pub notes: Vec<String>,
    /// The keys of `link`.
    pub yaml: String,
    /// Each size: measured and fitted.
    pub sizes: Vec<SizeFound>,
    #[serde(skip)]
    pub(super) best: Option<Curve>,
}

/// What there is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Measured {
    /// Rows.
    pub rows: usize,
    /// Different sizes.
    pub sizes: usize,
    /// The smallest, in bytes of the IP packet.
    pub smallest: u64,
    /// The largest.
    pub largest: u64,
    /// Scatter of a row: a standard deviation in percent of its rate.
    pub scatter_percent: f64,
}

/// The layer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LayerFound {
    /// What it can be: one, or Ethernet and PTM where the measurements cannot tell them apart.
    pub layers: Vec<Layer>,
    /// How probable.
    pub probability: f64,
}

/// The overhead.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overhead {
    /// The one to use.
    pub bytes: u32,
    /// With 95 % probability at least this.
    pub least: u32,
    /// And at most this.
    pub most: u32,
}

/// What a least charge looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FloorKind {
    /// Frames that are padded: it is a number of bytes at every rate.
    Padding,
    /// A bound on packets a second, whatever they weigh.
    Ceiling,
}

/// A least charge.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Floor {
    /// What it most likely is.
    pub kind: FloorKind,
    /// How probable it is that there is one at all.
    pub probability: f64,
    /// Bytes.
    pub bytes: f64,
    /// With 95 % probability at least this.
    pub least: f64,
    /// And at most this.
    pub most: f64,
    /// Packets a second where it binds.
    pub pps: f64,
    /// The largest IP packet that it binds, in bytes.
    pub knee: u64,
}

/// A rate in bit/s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RateFound {
    /// The likeliest.
    pub bps: u64,
    /// With 95 % probability at least this.
    pub least: u64,
    /// And at most this.
    pub most: u64,
    /// The line's own rate as it was given.
    pub given: Option<u64>,
}

/// The likeliest line of another kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RunnerUp {
    /// What it can be.
    pub layers: Vec<Layer>,
    /// Its overhead.
    pub overhead: u32,
    /// Its least charge in bytes.
    pub floor: Option<f64>,
    /// How many times less likely it is than the first; a million million at most.
    pub odds: f64,
    /// Sizes that tell the two apart best, in bytes of the IP packet.
    pub decisive: Vec<Decisive>,
    #[serde(skip)]
    pub(super) curve: Option<Curve>,
}

/// A row that lies far off.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Far {
    /// Its line in the text.
    pub line: usize,
    /// Its IP packet's bytes.
    pub ip: u64,
    /// Packets a second.
    pub pps: f64,
    /// Percent above the curve; below where negative.
    pub off_percent: f64,
}

/// A size.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SizeFound {
    /// The IP packet's bytes.
    pub ip: u64,
    /// Packets a second that were measured, each row.
    pub pps: Vec<f64>,
    /// Packets a second of the curve.
    pub fitted: f64,
    /// Bytes that it takes on the line.
    pub charge: f64,
}

impl Report {
    /// How the line charges packets.
    #[must_use]
    pub fn wire(&self) -> Wire {
        let layer = self.layer.layers.first().copied().unwrap_or(Layer::Ethernet);
        Wire { layer, overhead: self.overhead.bytes, mpu: self.mpu }
    }
}

/// What can be said of a fit.
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
        best: Some(best),
    };
    if let Some(rate) = fit.unfit {
        report.notes.push(format!(
            "the rate that was given, {rate}, is not the one that was measured, and was left aside: is it the line's own, of this direction?"
        ));
    }
    report.further = super::decide::further(&report, fit);
    report.yaml = super::human::yaml(&report);
    report
}

/// The layers that charge so.
fn layers(carried: Carried) -> Vec<Layer> {
    match carried {
        Carried::Whole => vec![Layer::Ethernet, Layer::Ptm],
        one => vec![one.layer()],
    }
}

/// The likeliest overheads that together have 95 %.
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

/// What of a least charge shows.
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

/// What a file says for a least charge: whole bytes; where there are cells, the payload of as many as it comes to. A file takes no more
/// than 256.
fn mpu(floor: f64, carried: Carried) -> u32 {
    let bytes = if carried.in_cells() {
        // a tenth of a cell is noise, more is a cell
        48.0 * (floor / 53.0 - 0.1).ceil()
    } else {
        floor.round()
    };
    (bytes as u32).min(MPU_MAX)
}

/// Profiles that explain the rows nearly as well. A ceiling on packets is none of the profile's business: it stays.
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
            // with the rate that suits it
            let shift = data.rows.iter().map(|row| curve.misses(row.ip, row.pps.ln())).sum::<f64>();
            let fitted = Curve { rate: curve.rate + shift / data.rows.len().max(1) as f64, ..curve };
            let worse = (misses(&fitted) - best) / 2.0;
            (worse < WITHIN_NOISE).then_some((worse, known.name.as_str()))
        })
        .collect();
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    found.into_iter().map(|(_, name)| name.to_owned()).collect()
}

/// The likeliest of another kind, with another layer or with a least charge instead of without, that some packets tell apart.
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
        curve: Some(curve),
    })
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

/// Rounded to so many digits that count: what is behind them is noise, and the last bit of a logarithm is not the same on all
/// machines.
pub(super) fn digits(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

#[cfg(test)]
#[path = "report_tests.rs"]
mod tests;
