//! Choice of a curve, its probability, and the alternatives.
//!
//! Every layer and overhead gets a weight: Student's likelihood of its residuals times a penalty for its parameters
//! (Schwarz 1978, "Estimating the dimension of a model"). The scatter is estimated from the data. All overheads have
//! the same prior.
//!
//! The scatter is the larger one of two: that of rows around the mean of their size, and that of the means around the
//! curve. The seconds of one run are not independent, and must not make the result look more certain than it is.

use super::curve::{Carried, Curve, Known, Point, best};
use super::data::Data;
use super::known;
use crate::units::Rate;
use std::collections::BTreeMap;

/// Overheads in bytes that are tried, as accepted by tc-cake and by the key `overhead`.
const OVERHEADS: std::ops::RangeInclusive<u32> = 0..=256;
/// Smallest scatter of a measurement: packets are whole, seconds are cut off, clocks differ.
const LEAST_SCATTER: f64 = 0.002;
/// Standard deviation of a stated rate: modems round, and count a little differently.
const RATE_TRUST: f64 = 0.003;
/// Distance, in multiples of the scatter, above which a row gets less weight.
const FAR: f64 = 3.5;
/// Smallest number of sizes: with fewer than one more than the parameters, the scatter is unknown.
const SIZES_MIN: usize = 5;
/// Curves with a log-likelihood this far below the best are not considered.
const CLOSE: f64 = 50.0;

/// Reason why the measurements do not suffice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TooLittle {
    /// Too few sizes: their number.
    Sizes(usize),
    /// Too narrow range: smallest and largest size in bytes of IP.
    Range(u64, u64),
    /// The packet rate does not fall with the size.
    Flat,
}

impl TooLittle {
    /// Returns the cause and the cure.
    #[must_use]
    pub fn words(&self) -> (String, &'static str) {
        match self {
            TooLittle::Sizes(n) => (
                format!("{} cannot show the overhead of the line", crate::diag::count(*n, "packet size")),
                "measure at least five sizes, better all sizes of `qosc fit --plan`",
            ),
            TooLittle::Range(least, most) => (
                format!("sizes from {least} to {most} bytes are too similar"),
                "measure small and large packets: the largest at least three times the smallest",
            ),
            TooLittle::Flat => (
                "the packet rate is the same for all sizes, so it does not show the charge of the line"
                    .to_owned(),
                "also measure larger packets; if these are large already, something else limits the rate, such as the sender",
            ),
        }
    }
}

/// A curve with its probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighed {
    /// The curve.
    pub curve: Curve,
    /// Probability from 0 to 1. Those of all curves add up to 1.
    pub probability: f64,
    /// Logarithm of the curve's weight.
    pub(super) log: f64,
}

/// Result of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Curve to use.
    pub best: Curve,
    /// Smallest and largest overhead with the same packet rates at all measured sizes.
    pub same: (u32, u32),
    /// All curves that were tried, the most likely first.
    pub weighed: Vec<Weighed>,
    /// Scatter of a row, as a share of its rate.
    pub scatter: f64,
    /// Rows far from the curve: index, and distance as a share of the rate.
    pub far: Vec<(usize, f64)>,
    /// Given rate, if it does not fit.
    pub unfit: Option<Rate>,
}

/// Finds the most likely line behind the measurements. `rate` is the line's own, as the modem states it.
///
/// # Errors
/// Returns an error if the measurements do not suffice.
pub fn fit(data: &Data, rate: Option<Rate>) -> Result<Fit, TooLittle> {
    let rows: Vec<(u64, f64)> = data.rows.iter().map(|row| (row.ip, row.pps.ln())).collect();
    enough(&rows)?;
    let free = robust(&rows, None)?;
    let Some(rate) = rate else { return Ok(free) };
    // both rates must agree within their uncertainty; packets have all of the line's rate, or 64/65 of it
    let off = |carried: Carried| (free.best.bps() / carried.efficiency() / rate.bps() as f64).ln().abs();
    let off = if free.best.carried.in_cells() {
        off(Carried::Atm)
    } else {
        off(Carried::Ethernet).min(off(Carried::Ptm))
    };
    if off > 3.0 * (RATE_TRUST + free.rate().1) {
        return Ok(Fit { unfit: Some(rate), ..free });
    }
    let y = (rate.bps() as f64 / 8.0).ln();
    robust(&rows, Some(Known { y, w: (free.scatter / RATE_TRUST).powi(2) }))
}

impl Fit {
    /// Returns the mean and deviation of the logarithm of the rate for packets, over all curves of the chosen layer.
    pub(super) fn rate(&self) -> (f64, f64) {
        let kind = self.weighed.iter().filter(|one| one.curve.carried == self.best.carried);
        spread(kind.map(|one| (one.probability, one.curve.rate, self.scatter.powi(2) / one.curve.weights.1)))
    }
}

/// Returns the mean and deviation of a mixture of `(weight, mean, variance)`.
pub(super) fn spread(parts: impl Iterator<Item = (f64, f64, f64)>) -> (f64, f64) {
    let (mut w, mut m, mut mm) = (0.0, 0.0, 0.0);
    for (weight, mean, variance) in parts {
        w += weight;
        m += weight * mean;
        mm += weight * (mean * mean + variance);
    }
    let mean = m / w;
    (mean, (mm / w - mean * mean).max(0.0).sqrt())
}

fn enough(rows: &[(u64, f64)]) -> Result<(), TooLittle> {
    let mut sizes: Vec<u64> = rows.iter().map(|(ip, _)| *ip).collect();
    sizes.sort_unstable();
    sizes.dedup();
    let (least, most) = (sizes.first().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
    if sizes.len() < SIZES_MIN {
        Err(TooLittle::Sizes(sizes.len()))
    } else if most < 3 * least {
        Err(TooLittle::Range(least, most))
    } else {
        Ok(())
    }
}

/// Fits, lowers the weight of rows far from the curve, and repeats this until the weights stay the same.
fn robust(rows: &[(u64, f64)], known: Option<Known>) -> Result<Fit, TooLittle> {
    let mut weights = vec![1.0; rows.len()];
    let mut fit = weigh(rows, &weights, known)?;
    for _ in 0..8 {
        let misses: Vec<f64> = rows.iter().map(|(ip, y)| fit.best.misses(*ip, *y)).collect();
        // the median of the distances, as the deviation of a normal distribution
        let mut sorted: Vec<f64> = misses.iter().map(|miss| miss.abs()).collect();
        sorted.sort_by(f64::total_cmp);
        let typical = (1.4826 * sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)).max(LEAST_SCATTER);
        let weight =
            |miss: &f64| if miss.abs() <= FAR * typical { 1.0 } else { (FAR * typical / miss).powi(2) };
        let next: Vec<f64> = misses.iter().map(weight).collect();
        let change = weights.iter().zip(&next).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        weights = next;
        if change < 0.02 {
            break;
        }
        fit = weigh(rows, &weights, known)?;
    }
    fit.far = rows
        .iter()
        .zip(&weights)
        .enumerate()
        .filter(|(_, (_, weight))| **weight < 0.6)
        .map(|(index, ((ip, y), _))| (index, fit.best.misses(*ip, *y).exp_m1()))
        .collect();
    Ok(fit)
}

/// Does one fit with given weights.
fn weigh(rows: &[(u64, f64)], weights: &[f64], known: Option<Known>) -> Result<Fit, TooLittle> {
    let points = points(rows, weights);
    let kinds: &[Carried] = match known {
        None => &[Carried::Whole, Carried::Atm],
        Some(_) => &[Carried::Ethernet, Carried::Ptm, Carried::Atm],
    };
    let known = known.unwrap_or_default();
    let mut searches: Vec<Search> =
        kinds.iter().map(|carried| Search::new(&points, *carried, known)).collect();
    let squares = searches.iter().map(|search| search.least).fold(f64::MAX, f64::min);
    let scale = Scale::new(rows, weights, &points, squares);
    for search in &mut searches {
        search.refine(&points, known, scale.worth(CLOSE));
    }
    let curves: Vec<Curve> = searches.into_iter().flat_map(Search::curves).collect();
    let logs: Vec<f64> = curves.iter().map(|curve| scale.log(curve.squares, curve.parameters())).collect();
    let top = logs.iter().copied().fold(f64::MIN, f64::max);
    // alternative without a line: one packet rate for all sizes, which is a single parameter
    let mean = points.iter().map(|point| point.w * point.y).sum::<f64>() / scale.total;
    let flat = points.iter().map(|point| point.w * (point.y - mean).powi(2)).sum::<f64>();
    if scale.log(flat, 1.0) > top {
        return Err(TooLittle::Flat);
    }
    let mut weighed: Vec<Weighed> = curves
        .into_iter()
        .zip(&logs)
        .map(|(curve, log)| Weighed { curve, probability: (log - top).exp(), log: *log })
        .collect();
    let sum: f64 = weighed.iter().map(|one| one.probability).sum();
    weighed.iter_mut().for_each(|one| one.probability /= sum);
    // the sort is stable, so equal curves stay in the order of their overheads
    weighed.sort_by(|a, b| b.log.total_cmp(&a.log));
    let (best, same) = chosen(&weighed, scale.variance).ok_or(TooLittle::Sizes(points.len()))?;
    Ok(Fit { best, same, weighed, scatter: scale.variance.sqrt(), far: Vec::new(), unfit: None })
}

/// Conversion of squares into likelihoods.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// Smallest sum of squares of all curves.
    squares: f64,
    /// Variance of a row.
    variance: f64,
    /// Degrees of freedom of the variance.
    freedom: f64,
    /// Sum of the weights, and its logarithm.
    total: f64,
    ln_total: f64,
}

impl Scale {
    fn new(rows: &[(u64, f64)], weights: &[f64], points: &[Point], squares: f64) -> Scale {
        let means: BTreeMap<u64, f64> = points.iter().map(|point| (point.ip, point.y)).collect();
        let total: f64 = weights.iter().sum();
        let off = |ip: &u64, y: &f64| (y - means.get(ip).unwrap_or(y)).powi(2);
        let within: f64 = rows.iter().zip(weights).map(|((ip, y), w)| w * off(ip, y)).sum();
        let left = |n: f64| (n - 3.0).max(1.0);
        let by_rows = ((squares + within) / left(total), left(total));
        let sizes = points.len() as f64;
        let by_sizes = (squares / left(sizes), left(sizes));
        let (variance, freedom) = if by_sizes.0 > by_rows.0 { by_sizes } else { by_rows };
        Scale { squares, variance: variance.max(LEAST_SCATTER.powi(2)), freedom, total, ln_total: total.ln() }
    }

    /// Returns the logarithm of the weight of a curve with these squares.
    fn log(self, squares: f64, parameters: f64) -> f64 {
        let more = (squares - self.squares).max(0.0) / (self.freedom * self.variance);
        -(self.freedom + 1.0) / 2.0 * more.ln_1p() - parameters / 2.0 * self.ln_total
    }

    /// Returns the squares at which a curve's logarithm is this far below the best.
    fn worth(self, below: f64) -> f64 {
        self.squares + self.freedom * self.variance * (2.0 * below / (self.freedom + 1.0)).exp_m1()
    }
}

/// Search over the overheads of a layer. Without cells, the squares change smoothly with the overhead. Every eighth
/// overhead is then tried first, and those between only next to a promising one.
struct Search {
    carried: Carried,
    step: u32,
    tried: BTreeMap<u32, (Curve, Option<Curve>)>,
    least: f64,
}

impl Search {
    fn new(points: &[Point], carried: Carried, known: Known) -> Search {
        let step = if carried.in_cells() { 1 } else { 8 };
        let mut search = Search { carried, step, tried: BTreeMap::new(), least: f64::MAX };
        for overhead in OVERHEADS.step_by(usize::try_from(step).unwrap_or(1)) {
            search.take(points, overhead, known);
        }
        let bound = |one: &(Curve, Option<Curve>)| one.1.map_or(f64::MAX, |curve| curve.squares);
        for least in [search.lowest(|one| one.0.squares), search.lowest(bound)].into_iter().flatten() {
            search.around(points, least, known);
        }
        search
    }

    /// Returns the overhead with the smallest squares.
    fn lowest(&self, squares: impl Fn(&(Curve, Option<Curve>)) -> f64) -> Option<u32> {
        self.tried.iter().min_by(|a, b| squares(a.1).total_cmp(&squares(b.1))).map(|(overhead, _)| *overhead)
    }

    fn take(&mut self, points: &[Point], overhead: u32, known: Known) {
        let carried = self.carried;
        let (plain, bound) =
            *self.tried.entry(overhead).or_insert_with(|| best(points, carried, overhead, known));
        self.least = self.least.min(plain.squares).min(bound.map_or(f64::MAX, |bound| bound.squares));
    }

    /// Tries all overheads up to the neighbours that were tried first.
    fn around(&mut self, points: &[Point], overhead: u32, known: Known) {
        let most = (overhead + self.step).min(*OVERHEADS.end());
        for overhead in overhead.saturating_sub(self.step)..=most {
            self.take(points, overhead, known);
        }
    }

    /// Tries all overheads next to those with smaller squares than these.
    fn refine(&mut self, points: &[Point], known: Known, squares: f64) {
        let close =
            |one: &(Curve, Option<Curve>)| one.0.squares.min(one.1.map_or(f64::MAX, |c| c.squares)) < squares;
        let near: Vec<u32> =
            self.tried.iter().filter(|(_, one)| close(one)).map(|(overhead, _)| *overhead).collect();
        for overhead in near {
            self.around(points, overhead, known);
        }
    }

    fn curves(self) -> impl Iterator<Item = Curve> {
        self.tried.into_values().flat_map(|(plain, bound)| std::iter::once(plain).chain(bound))
    }
}

/// Combines the rows of each size, in the order of the sizes.
fn points(rows: &[(u64, f64)], weights: &[f64]) -> Vec<Point> {
    let mut sums: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for ((ip, y), w) in rows.iter().zip(weights) {
        let sum = sums.entry(*ip).or_default();
        *sum = (sum.0 + w, sum.1 + w * y);
    }
    sums.into_iter().map(|(ip, (w, wy))| Point { ip, y: wy / w, w }).collect()
}

/// Returns the curve to use and the range of equivalent overheads. Cells hide a few bytes, so several overheads may
/// give the same rates at all measured sizes. An overhead of a known profile wins, otherwise the largest. A charge that
/// is too high costs a little rate; one that is too low costs latency.
fn chosen(weighed: &[Weighed], variance: f64) -> Option<(Curve, (u32, u32))> {
    let first = weighed.first()?.curve;
    let mut same: Vec<Curve> = weighed
        .iter()
        .map(|one| one.curve)
        .filter(|curve| {
            curve.carried == first.carried
                && curve.floor.is_some() == first.floor.is_some()
                && (curve.squares - first.squares).abs() <= 1e-9 * variance
        })
        .collect();
    same.sort_by_key(|curve| curve.overhead);
    let (least, most) = (same.first()?.overhead, same.last()?.overhead);
    let known: Vec<u32> = match same.len() {
        1 => Vec::new(),
        _ => known::profiles()
            .iter()
            .map(|profile| profile.wire())
            .filter(|wire| (wire.layer == crate::terms::Layer::Atm) == first.carried.in_cells())
            .map(|wire| wire.overhead)
            .collect(),
    };
    let best = same.iter().rev().find(|curve| known.contains(&curve.overhead)).or(same.last())?;
    Some((*best, (least, most)))
}

#[cfg(test)]
#[path = "weigh_tests.rs"]
mod tests;
