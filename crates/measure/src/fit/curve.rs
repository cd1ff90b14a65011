//! Best rate and least charge for one layer and overhead: least squares on the logarithm of the packet rate.
//!
//! With `y = ln(packets a second)` and `c = ln(charge)`, the line gives `y = r - c`, where `r = ln(rate / 8)`. For
//! sizes that a least charge of `f` bytes binds, it gives `y = r - ln f`. For a given number of such sizes, `r` and `ln
//! f` are means. Sums over the sizes below and above give each of them in one step.

use super::data::PacketRate;
use qosc_compiler::terms::{Layer, Wire};

/// Returns the share of the line's own rate that is for packets. On PTM, one byte in 65 goes to the encapsulation
/// (IEEE 802.3, clause 61.3).
pub(super) fn efficiency(layer: Layer) -> f64 {
    if layer == Layer::Ptm { 64.0 / 65.0 } else { 1.0 }
}

/// A line that may explain the measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// Layer and overhead, without a least charge.
    pub wire: Wire,
    /// Least charge in bytes, if it shows: it must bind at least two measured sizes.
    pub floor: Option<f64>,
    /// `ln(rate / 8)` of the rate for packets, in bytes per second.
    pub(super) rate: f64,
    /// Weighted sum of the squared residuals between sizes.
    pub(super) squares: f64,
    /// Weights of the sizes that the least charge binds, and of the larger ones.
    pub(super) weights: (f64, f64),
    /// Logarithm of the likelihood, with the penalty for the parameters.
    pub(super) log: f64,
    /// Probability from 0 to 1. Those of all curves add up to 1.
    pub probability: f64,
}

impl Curve {
    /// Returns the bytes on the line for an IP packet of `ip` bytes.
    #[must_use]
    pub fn charge(&self, ip: u64) -> f64 {
        (self.wire.bytes(ip) as f64).max(self.floor.unwrap_or(0.0))
    }

    /// Returns the packets per second of `ip` bytes.
    #[must_use]
    pub fn pps(&self, ip: u64) -> f64 {
        self.rate.exp() / self.charge(ip)
    }

    /// Returns the rate for packets in bit/s: the line's own rate without the encapsulation.
    #[must_use]
    pub fn bps(&self) -> f64 {
        8.0 * self.rate.exp()
    }

    /// Returns the number of fitted parameters: overhead and rate. A least charge adds two: its height, and the largest
    /// size that it binds, which is chosen among all sizes.
    pub(super) const fn parameters(&self) -> f64 {
        if self.floor.is_some() { 4.0 } else { 2.0 }
    }

    /// Returns the distance of a row above the curve, as a difference of logarithms.
    pub(super) fn misses(&self, row: &PacketRate) -> f64 {
        (row.pps / self.pps(row.ip)).ln()
    }
}

/// Sums of `w`, `w v` and `w v v`, for the mean of values `v` with weights `w`.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub(super) w: f64,
    v: f64,
    vv: f64,
}

impl Sums {
    /// Returns the sums with another value.
    pub(super) fn with(self, w: f64, v: f64) -> Sums {
        Sums { w: self.w + w, v: self.v + w * v, vv: self.vv + w * v * v }
    }

    pub(super) fn mean(self) -> f64 {
        self.v / self.w
    }

    /// Returns the weighted sum of the squared distances from the mean.
    pub(super) fn squares(self) -> f64 {
        (self.vv - self.v * self.v / self.w).max(0.0)
    }
}

/// Returns the best curves for a layer and an overhead: one without a least charge, and one with it, if any fits.
///
/// `sizes` has the bytes of the IP packet and the sums of `y` for each size, in ascending order. `known` is the line's
/// own rate as known beforehand, in the form of a measurement: its weight, and `ln(rate / 8)`.
pub(super) fn best(
    sizes: &[(u64, Sums)],
    wire: Wire,
    known: (f64, f64),
) -> impl Iterator<Item = Curve> + use<> {
    // logarithms of the charges
    let charges: Vec<f64> = sizes.iter().map(|(ip, _)| (wire.bytes(*ip) as f64).ln()).collect();
    let known = Sums::default().with(known.0, known.1 + efficiency(wire.layer).ln());
    // sums over each size and all larger ones
    let add = |sums: &mut Sums, ((_, size), c): (&(u64, Sums), &f64)| {
        *sums = sums.with(size.w, size.mean() + c);
        Some(*sums)
    };
    let mut rests: Vec<Sums> = sizes.iter().zip(&charges).rev().scan(known, add).collect();
    rests.reverse();
    let all = rests.first().copied().unwrap_or(known);
    let curve = |floor, rate, squares, weights| Curve {
        wire,
        floor,
        rate,
        squares,
        weights,
        log: 0.0,
        probability: 0.0,
    };
    let mut bound: Option<Curve> = None;
    // sums over the sizes that the least charge binds
    let mut flat = Sums::default();
    let above = charges.iter().zip(&rests).skip(1);
    for (count, (((_, size), c), (next, rest))) in (1..).zip(sizes.iter().zip(&charges).zip(above)) {
        flat = flat.with(size.w, size.mean());
        // One bound size is an outlier rather than a level, and one size above it does not show the overhead. A least
        // charge binds all sizes with the same charge.
        if count < 2 || count + 2 > sizes.len() || next <= c {
            continue;
        }
        let wanted = rest.mean() - flat.mean();
        let least = wanted.clamp(*c, *next);
        // distance between the rates of the bound sizes and of the others, if the least charge is at an end
        let gap = least - wanted;
        let squares = flat.squares() + rest.squares() + gap * gap * flat.w * rest.w / all.w;
        if bound.as_ref().is_none_or(|best| squares < best.squares) {
            let rate = rest.mean() + gap * flat.w / all.w;
            bound = Some(curve(Some(least.exp()), rate, squares, (flat.w, rest.w)));
        }
    }
    // a least charge below every other charge has no effect
    let lowest = charges.first().map_or(0.0, |c| c.exp());
    let bound = bound.filter(|bound| bound.floor.is_some_and(|floor| floor > lowest * (1.0 + 1e-9)));
    std::iter::once(curve(None, all.mean(), all.squares(), (0.0, all.w))).chain(bound)
}

#[cfg(test)]
#[path = "curve_tests.rs"]
mod tests;
