//! Which curve holds, how sure that is, and what else could be.
//!
//! Every layer and overhead gets a weight: Student's likelihood of what it leaves unexplained, with the scatter estimated from the data, times
//! the price of its parameters (Schwarz 1978, "Estimating the dimension of a model"). All overheads are alike beforehand.
//! The scatter is that of rows around their size's mean, or of the means around the curve, whichever is more: the
//! seconds of one run are not independent, and must not make the result look surer than it is.

use super::curve::{Carried, Curve, Known, Point, best};
use super::data::Data;
use super::known;
use crate::units::Rate;
use std::collections::BTreeMap;

/// Bytes above an IP packet that are tried: what tc-cake takes, and what `overhead` does.
const OVERHEADS: std::ops::RangeInclusive<u32> = 0..=256;
/// No measurement is trusted more than this: packets are whole, seconds are cut, clocks differ.
const LEAST_SCATTER: f64 = 0.002;
/// How far a stated rate may be off: modems round, and count a little differently.
const RATE_TRUST: f64 = 0.003;
/// From how many times the scatter a row has less weight.
const FAR: f64 = 3.5;
/// Sizes that are needed: fewer than one more than there are parameters show nothing of the scatter.
const SIZES_MIN: usize = 5;
/// Curves whose logarithm of likelihood is so far below the best are out of the question.
const CLOSE: f64 = 50.0;

/// Why nothing can be said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TooLittle {
    /// So many sizes.
    Sizes(usize),
    /// From this to that size, in bytes of IP.
    Range(u64, u64),
    /// The packet rate does not fall with the size.
    Flat,
}

impl TooLittle {
    /// The cause, and the cure.
    #[must_use]
    pub fn words(&self) -> (String, &'static str) {
        match self {
            TooLittle::Sizes(n) => (
                format!("{} cannot tell what the line adds to each", crate::diag::count(*n, "packet size")),
                "measure five sizes at least, and better the sixty that `qosc fit --plan` lists",
            ),
            TooLittle::Range(least, most) => (
                format!("sizes from {least} to {most} bytes are too much alike"),
                "measure small packets and large ones: the largest at least three times the smallest",
            ),
            TooLittle::Flat => (
                "the packet rate is the same for all sizes, so that nothing of the line's charge shows"
                    .to_owned(),
                "measure larger packets too; and if these are large, something else than the line bounds the rate, such as the sender",
            ),
        }
    }
}

/// A curve and the probability that it is the one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weighed {
    /// The curve.
    pub curve: Curve,
    /// From 0 to 1; all of them add up to 1.
    pub probability: f64,
    /// The logarithm of its weight.
    pub(super) log: f64,
}

/// What the measurements say.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// The curve to use.
    pub best: Curve,
    /// Overheads that give the same packet rates at all sizes that were measured.
    pub same: (u32, u32),
    /// All curves that were tried, the likeliest first.
    pub weighed: Vec<Weighed>,
    /// Scatter of a row, as a part of its rate.
    pub scatter: f64,
    /// Rows that lie far off: their index, and by what part of the rate.
    pub far: Vec<(usize, f64)>,
    /// The rate that was given, where it does not fit.
    pub unfit: Option<Rate>,
}

/// The likeliest line behind the measurements. `rate` is the line's own, as the modem states it.
///
/// # Errors
/// When there is too little to say anything.
pub fn fit(data: &Data, rate: Option<Rate>) -> Result<Fit, TooLittle> {
    let rows: Vec<(u64, f64)> = data.rows.iter().map(|row| (row.ip, row.pps.ln())).collect();
    enough(&rows)?;
    let free = robust(&rows, None)?;
    let Some(rate) = rate else { return Ok(free) };
    // within what both are trusted to, for a line that has all of its rate for packets, or 64/65
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
    /// Mean and deviation of the logarithm of the rate that packets have, over all curves of the chosen layer.
    pub(super) fn rate(&self) -> (f64, f64) {
        let kind = self.weighed.iter().filter(|one| one.curve.carried == self.best.carried);
        spread(kind.map(|one| (one.probability, one.curve.rate, self.scatter.powi(2) / one.curve.weights.1)))
    }
}

/// Mean and deviation of a mixture of `(weight, mean, variance)`.
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

/// Fits, takes weight from rows that lie far off, and fits again until the weights stay.
fn robust(rows: &[(u64, f64)], known: Option<Known>) -> Result<Fit, TooLittle> {
    let mut weights = vec![1.0; rows.len()];
    let mut fit = weigh(rows, &weights, known)?;
    for _ in 0..8 {
        let misses: Vec<f64> = rows.iter().map(|(ip, y)| fit.best.misses(*ip, *y)).collect();
        // the median of what rows miss by, as the deviation of a normal distribution
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

/// One step with given weights.
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
    // one packet rate for all sizes: one parameter, no line
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
    // equal ones stay in the order of their overheads
    weighed.sort_by(|a, b| b.log.total_cmp(&a.log));
    let (best, same) = chosen(&weighed, scale.variance).ok_or(TooLittle::Sizes(points.len()))?;
    Ok(Fit { best, same, weighed, scatter: scale.variance.sqrt(), far: Vec::new(), unfit: None })
}

/// What a square is worth.
#[derive(Debug, Clone, Copy)]
struct Scale {
    /// The least squares that any curve leaves.
    squares: f64,
    /// Variance of a row.
    variance: f64,
    /// From how many numbers it is known.
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

    /// Logarithm of the weight of a curve that leaves these squares.
    fn log(self, squares: f64, parameters: f64) -> f64 {
        let more = (squares - self.squares).max(0.0) / (self.freedom * self.variance);
        -(self.freedom + 1.0) / 2.0 * more.ln_1p() - parameters / 2.0 * self.ln_total
    }

    /// Squares at which a curve's logarithm lies so far below the best.
    fn worth(self, below: f64) -> f64 {
        self.squares + self.freedom * self.variance * (2.0 * below / (self.freedom + 1.0)).exp_m1()
    }
}

/// The curves of a layer. Without cells, what is left unexplained changes smoothly with the overhead: then every eighth is
/// tried first, and between two of them only where one comes close.
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

    /// The overhead that leaves least.
    fn lowest(&self, squares: impl Fn(&(Curve, Option<Curve>)) -> f64) -> Option<u32> {
        self.tried.iter().min_by(|a, b| squares(a.1).total_cmp(&squares(b.1))).map(|(overhead, _)| *overhead)
    }

    fn take(&mut self, points: &[Point], overhead: u32, known: Known) {
        let carried = self.carried;
        let (plain, bound) =
            *self.tried.entry(overhead).or_insert_with(|| best(points, carried, overhead, known));
        self.least = self.least.min(plain.squares).min(bound.map_or(f64::MAX, |bound| bound.squares));
    }

    /// All overheads up to the next ones that were tried first.
    fn around(&mut self, points: &[Point], overhead: u32, known: Known) {
        let most = (overhead + self.step).min(*OVERHEADS.end());
        for overhead in overhead.saturating_sub(self.step)..=most {
            self.take(points, overhead, known);
        }
    }

    /// All overheads beside one that leaves less than this.
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

/// Rows of a size together, in the order of the sizes.
fn points(rows: &[(u64, f64)], weights: &[f64]) -> Vec<Point> {
    let mut sums: BTreeMap<u64, (f64, f64)> = BTreeMap::new();
    for ((ip, y), w) in rows.iter().zip(weights) {
        let sum = sums.entry(*ip).or_default();
        *sum = (sum.0 + w, sum.1 + w * y);
    }
    sums.into_iter().map(|(ip, (w, wy))| Point { ip, y: wy / w, w }).collect()
}

/// The likeliest curve. Cells hide a few bytes, so that several overheads may be the same at all sizes that were measured; of those, one that a kind
/// of line is known to have, else the largest: to charge too much costs a little rate, to charge too little the latency.
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
            .filter(|wire| (wire.layer == crate::model::Layer::Atm) == first.carried.in_cells())
            .map(|wire| wire.overhead)
            .collect(),
    };
    let best = same.iter().rev().find(|curve| known.contains(&curve.overhead)).or(same.last())?;
    Some((*best, (least, most)))
}

#[cfg(test)]
#[path = "weigh_tests.rs"]
mod tests;
