//! Choice of a curve, its probability, and the alternatives.
//!
//! Every layer and overhead gets a weight: Student's likelihood of its residuals times a penalty for its parameters
//! (Schwarz 1978, "Estimating the dimension of a model"). The scatter is estimated from the data. All overheads have
//! the same prior, apart from a preference that decides only between equal likelihoods.
//!
//! The scatter is the larger one of two: that of rows around the mean of their size, and that of the means around the
//! curve. The seconds of one run are not independent, and must not make the result look more certain than it is.

use super::curve::{Curve, Sums, best, efficiency};
use super::data::{Data, PacketRate};
use super::result::{Far, digits};
use qosc_compiler::diag::count;
use qosc_compiler::profile::{self, LinkProfile};
use qosc_compiler::terms::{Layer, Wire};
use qosc_compiler::units::Rate;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

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

/// Profiles of known kinds of lines, read once.
pub(super) static PROFILES: LazyLock<Vec<LinkProfile>> = LazyLock::new(|| profile::all().collect());

/// Result of a fit.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Curve to use.
    pub best: Curve,
    /// All curves that were tried, the most likely first.
    pub curves: Vec<Curve>,
    /// Scatter of a row, as a share of its rate.
    pub scatter: f64,
    /// Rows far from the curve, which had little weight.
    pub far: Vec<Far>,
    /// True if the line's own rate is known and fits. Otherwise, PTM cannot be told from a slower Ethernet.
    pub knows_rate: bool,
}

/// Finds the most likely line behind the measurements. `rate` is the line's own, as the modem states it.
///
/// # Errors
/// Returns an error if the measurements do not suffice.
pub fn fit(data: &Data, rate: Option<Rate>) -> Result<Fit, String> {
    enough(&data.rows)?;
    let free = robust(&data.rows, None)?;
    let Some(rate) = rate else { return Ok(free) };
    // both rates must agree within their uncertainty; packets have all of the line's rate, or 64/65 of it
    let y = (rate.bps() as f64 / 8.0).ln();
    let off = |layer: &Layer| (free.best.rate - efficiency(*layer).ln() - y).abs();
    if free.layers(&free.best).iter().map(off).fold(f64::MAX, f64::min) > 3.0 * (RATE_TRUST + free.rate().1) {
        return Ok(free);
    }
    robust(&data.rows, Some(((free.scatter / RATE_TRUST).powi(2), y)))
}

impl Fit {
    /// Returns the layers that a curve may stand for.
    pub(super) fn layers(&self, curve: &Curve) -> Vec<Layer> {
        match curve.wire.layer {
            Layer::Ethernet if !self.knows_rate => vec![Layer::Ethernet, Layer::Ptm],
            layer => vec![layer],
        }
    }

    /// Returns all curves of the chosen layer.
    pub(super) fn of_layer(&self) -> impl Iterator<Item = &Curve> {
        self.curves.iter().filter(|curve| curve.wire.layer == self.best.wire.layer)
    }

    /// Returns the mean and deviation of the logarithm of the rate for packets, over all curves of the chosen layer.
    pub(super) fn rate(&self) -> (f64, f64) {
        let variance = |curve: &Curve| self.scatter.powi(2) / curve.weights.1;
        spread(self.of_layer().map(|curve| (curve.probability, curve.rate, variance(curve))))
    }
}

/// Returns the mean and deviation of a mixture of `(weight, mean, variance)`.
pub(super) fn spread(parts: impl Iterator<Item = (f64, f64, f64)>) -> (f64, f64) {
    let add = |(sums, within): (Sums, f64), (weight, mean, variance)| {
        (sums.with(weight, mean), within + weight * variance)
    };
    let (sums, within) = parts.fold((Sums::default(), 0.0), add);
    (sums.mean(), ((sums.squares() + within) / sums.w).sqrt())
}

fn enough(rows: &[PacketRate]) -> Result<(), String> {
    let sizes: BTreeSet<u64> = rows.iter().map(|row| row.ip).collect();
    let (least, most) = (sizes.first().copied().unwrap_or(0), sizes.last().copied().unwrap_or(0));
    if sizes.len() < SIZES_MIN {
        let sizes = count(sizes.len(), "packet size");
        return Err(format!(
            "{sizes} cannot show the overhead of the line\n  help: measure at least five sizes, better all sizes of `qosc fit --plan`"
        ));
    }
    if most < 3 * least {
        return Err(format!(
            "sizes from {least} to {most} bytes are too similar\n  help: measure small and large packets: the largest at least three times the \
             smallest"
        ));
    }
    Ok(())
}

/// Fits, lowers the weight of rows far from the curve, and repeats this until the weights stay the same.
fn robust(rows: &[PacketRate], known: Option<(f64, f64)>) -> Result<Fit, String> {
    let mut weights = vec![1.0; rows.len()];
    let mut fit = weigh(rows, &weights, known)?;
    for _ in 0..8 {
        let misses: Vec<f64> = rows.iter().map(|row| fit.best.misses(row).abs()).collect();
        // the median of the distances, as the deviation of a normal distribution
        let mut sorted = misses.clone();
        sorted.sort_by(f64::total_cmp);
        let typical = (1.4826 * sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)).max(LEAST_SCATTER);
        let next: Vec<f64> = misses.iter().map(|miss| (FAR * typical / miss).powi(2).min(1.0)).collect();
        let same = weights.iter().zip(&next).all(|(a, b)| (a - b).abs() < 0.02);
        weights = next;
        if same {
            break;
        }
        fit = weigh(rows, &weights, known)?;
    }
    let far = rows.iter().zip(&weights).filter(|(_, weight)| **weight < 0.6).map(|(row, _)| Far {
        line: row.line,
        ip: row.ip,
        pps: digits(row.pps, 5),
        off_percent: digits(100.0 * fit.best.misses(row).exp_m1(), 3),
    });
    fit.far = far.collect();
    Ok(fit)
}

/// Does one fit with given weights: tries each layer and overhead.
fn weigh(rows: &[PacketRate], weights: &[f64], known: Option<(f64, f64)>) -> Result<Fit, String> {
    let mut by_size: BTreeMap<u64, Sums> = BTreeMap::new();
    for (row, w) in rows.iter().zip(weights) {
        let sums = by_size.entry(row.ip).or_default();
        *sums = sums.with(*w, row.pps.ln());
    }
    let sizes: Vec<(u64, Sums)> = by_size.into_iter().collect();
    let layers: &[Layer] = match known {
        None => &[Layer::Ethernet, Layer::Atm],
        Some(_) => &[Layer::Ethernet, Layer::Ptm, Layer::Atm],
    };
    let wires = layers
        .iter()
        .flat_map(|layer| OVERHEADS.map(move |overhead| Wire { layer: *layer, overhead, mpu: 0 }));
    let mut curves: Vec<Curve> =
        wires.flat_map(|wire| best(&sizes, wire, known.unwrap_or_default())).collect();
    let least = curves.iter().map(|curve| curve.squares).fold(f64::MAX, f64::min);
    let (variance, freedom) = variance(&sizes, least);
    let total: f64 = weights.iter().sum();
    let log = |squares: f64, parameters: f64| {
        let more = (squares - least).max(0.0) / (freedom * variance);
        -(freedom + 1.0) / 2.0 * more.ln_1p() - parameters / 2.0 * total.ln()
    };
    for curve in &mut curves {
        curve.log = log(curve.squares, curve.parameters()) + preference(curve.wire);
    }
    curves.sort_by(|a, b| b.log.total_cmp(&a.log));
    let best = *curves.first().ok_or("no curve was tried")?;
    let sum: f64 = curves.iter().map(|curve| (curve.log - best.log).exp()).sum();
    for curve in &mut curves {
        curve.probability = (curve.log - best.log).exp() / sum;
    }
    // alternative without a line: one packet rate for all sizes, which is a single parameter
    let flat = sizes.iter().fold(Sums::default(), |all, (_, size)| all.with(size.w, size.mean()));
    if log(flat.squares(), 1.0) > best.log {
        return Err("the packet rate is the same for all sizes, so it does not show the charge of the line\n  help: also measure larger packets; \
             if these are large already, something else limits the rate, such as the sender"
            .to_owned());
    }
    Ok(Fit { best, curves, scatter: variance.sqrt(), far: Vec::new(), knows_rate: known.is_some() })
}

/// Returns the variance of a row, and its degrees of freedom. `squares` are the smallest of all curves.
fn variance(sizes: &[(u64, Sums)], squares: f64) -> (f64, f64) {
    let rows: f64 = sizes.iter().map(|(_, size)| size.w).sum();
    let within: f64 = sizes.iter().map(|(_, size)| size.squares()).sum();
    let by = |squares: f64, values: f64| (squares / (values - 3.0).max(1.0), (values - 3.0).max(1.0));
    let (by_rows, by_sizes) = (by(squares + within, rows), by(squares, sizes.len() as f64));
    let (variance, freedom) = if by_sizes.0 > by_rows.0 { by_sizes } else { by_rows };
    (variance.max(LEAST_SCATTER.powi(2)), freedom)
}

/// Returns the logarithm of a prior that decides only between equal likelihoods. Cells hide a few bytes, so several
/// overheads may give the same rates at all measured sizes. An overhead of a known profile wins, otherwise the largest.
/// A charge that is too high costs a little rate; one that is too low costs latency.
fn preference(wire: Wire) -> f64 {
    let in_cells = |layer| layer == Layer::Atm;
    let is_known = |known: &LinkProfile| {
        in_cells(known.layer) == in_cells(wire.layer) && known.overhead == wire.overhead
    };
    1e-9 * f64::from(u8::from(PROFILES.iter().any(is_known))) + 1e-12 * f64::from(wire.overhead)
}

#[cfg(test)]
#[path = "weigh_tests.rs"]
mod tests;
