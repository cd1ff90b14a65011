//! Best rate and least charge for one layer and overhead: least squares on the logarithm of the packet rate.
//!
//! With `y = ln(packets a second)` and `c = ln(charge)`, the line gives `y = r - c`, where `r = ln(rate / 8)`. For
//! sizes that a least charge of `f` bytes binds, it gives `y = r - ln f`. For a given number of such sizes, `r` and `ln
//! f` are means. Sums over the sizes below and above give each of them in one step.

use crate::terms::{Layer, Wire};

/// Share of the line's rate for packets: one byte in 65 goes to the encapsulation (IEEE 802.3, clause 61.3).
const PTM: f64 = 64.0 / 65.0;

/// Measurements of one packet size.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// Length of the IP packet in bytes.
    pub(super) ip: u64,
    /// Weighted mean of the logarithm of packets per second.
    pub(super) y: f64,
    /// Sum of the weights.
    pub(super) w: f64,
}

/// Link layer of a line, as far as packet rates show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Carried {
    /// Whole packets, on Ethernet or PTM. Without the line's own rate, PTM's factor 64/65 cannot be told from a lower
    /// rate.
    Whole,
    /// Whole packets on Ethernet: packets have all of the line's own rate.
    Ethernet,
    /// Whole packets on PTM: packets have 64/65 of the line's own rate.
    Ptm,
    /// ATM cells of 53 bytes that carry 48.
    Atm,
}

impl Carried {
    /// Returns the layer with this charge. `Whole` is Ethernet, because PTM charges the same.
    #[must_use]
    pub const fn layer(self) -> Layer {
        match self {
            Carried::Whole | Carried::Ethernet => Layer::Ethernet,
            Carried::Ptm => Layer::Ptm,
            Carried::Atm => Layer::Atm,
        }
    }

    /// Returns the share of the line's own rate that is for packets.
    #[must_use]
    pub const fn efficiency(self) -> f64 {
        match self {
            Carried::Ptm => PTM,
            _ => 1.0,
        }
    }

    /// True if packets are cut into cells.
    #[must_use]
    pub const fn in_cells(self) -> bool {
        matches!(self, Carried::Atm)
    }
}

/// A line that may explain the measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// Link layer of the line.
    pub carried: Carried,
    /// Bytes on the line in addition to each IP packet.
    pub overhead: u32,
    /// Least charge in bytes, if it shows: it must bind at least two measured sizes.
    pub floor: Option<f64>,
    /// `ln(rate / 8)` of the rate for packets, in bytes per second.
    pub(super) rate: f64,
    /// Weighted sum of the squared residuals between sizes.
    pub(super) squares: f64,
    /// Weights of the sizes that the least charge binds, and of the larger ones.
    pub(super) weights: (f64, f64),
}

impl Curve {
    /// Returns the bytes on the line for an IP packet of `ip` bytes.
    #[must_use]
    pub fn charge(&self, ip: u64) -> f64 {
        let wire = Wire { layer: self.carried.layer(), overhead: self.overhead, mpu: 0 };
        (wire.bytes(ip) as f64).max(self.floor.unwrap_or(0.0))
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
    #[must_use]
    pub const fn parameters(&self) -> f64 {
        if self.floor.is_some() { 4.0 } else { 2.0 }
    }

    /// Returns the line's own rate in bit/s, including the encapsulation.
    #[must_use]
    pub fn line_bps(&self) -> f64 {
        self.bps() / self.carried.efficiency()
    }

    /// Returns the distance of a row above the curve, as a difference of logarithms.
    pub(super) fn misses(&self, ip: u64, y: f64) -> f64 {
        y - (self.rate - self.charge(ip).ln())
    }
}

/// Sums over sizes: weights, `w v`, `w v v`.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    w: f64,
    v: f64,
    vv: f64,
}

impl Sums {
    fn with(self, w: f64, v: f64) -> Sums {
        Sums { w: self.w + w, v: self.v + w * v, vv: self.vv + w * v * v }
    }

    fn without(self, other: Sums) -> Sums {
        Sums { w: self.w - other.w, v: self.v - other.v, vv: self.vv - other.vv }
    }

    fn mean(self) -> f64 {
        self.v / self.w
    }

    /// Returns the sum of the weighted squares of `v - at`.
    fn around(self, at: f64) -> f64 {
        (self.vv - 2.0 * at * self.v + at * at * self.w).max(0.0)
    }

    /// Returns the sums for values that are all larger by `by`.
    fn shifted(self, by: f64) -> Sums {
        Sums { w: self.w, v: self.v + by * self.w, vv: self.vv + 2.0 * by * self.v + by * by * self.w }
    }

    fn and(self, other: Sums) -> Sums {
        Sums { w: self.w + other.w, v: self.v + other.v, vv: self.vv + other.vv }
    }
}

/// The line's own rate as known beforehand, in the form of a measurement: `ln(rate / 8)`, and its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Known {
    pub(super) y: f64,
    pub(super) w: f64,
}

/// Sizes with the same charge.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// Charge in bytes.
    bytes: u64,
    /// Logarithm of the charge.
    c: f64,
    /// Number of sizes.
    count: usize,
    /// Sums of `y`.
    sums: Sums,
}

/// Returns the best curves for a layer and an overhead: one without a least charge, and one with it, if any fits.
/// `points` must be in ascending order of size.
pub(super) fn best(
    points: &[Point],
    carried: Carried,
    overhead: u32,
    known: Known,
) -> (Curve, Option<Curve>) {
    let levels = levels(points, Wire { layer: carried.layer(), overhead, mpu: 0 });
    let known = Sums::default().with(known.w, known.y + carried.efficiency().ln());
    let all = levels.iter().fold(known, |all, level| all.and(level.sums.shifted(level.c)));
    let rate = all.mean();
    let curve =
        Curve { carried, overhead, floor: None, rate, squares: all.around(rate), weights: (0.0, all.w) };
    let mut bound: Option<Curve> = None;
    // sums over the sizes that the least charge binds, and over the others
    let (mut flat, mut rest, mut count) = (Sums::default(), all, 0);
    for (level, next) in levels.iter().zip(levels.iter().skip(1)) {
        flat = flat.and(level.sums);
        rest = rest.without(level.sums.shifted(level.c));
        count += level.count;
        // one bound size is an outlier rather than a level, and one size above it does not show the overhead
        if count < 2 || count + 2 > points.len() {
            continue;
        }
        let least = (rest.mean() - flat.mean()).clamp(level.c, next.c);
        let both = flat.shifted(least).and(rest);
        let squares = both.around(both.mean());
        if bound.is_none_or(|best| squares < best.squares) {
            let weights = (flat.w, rest.w);
            bound = Some(Curve { floor: Some(least.exp()), rate: both.mean(), squares, weights, ..curve });
        }
    }
    // a least charge below every other charge has no effect
    let lowest = levels.first().map_or(0.0, |level| level.c.exp());
    (curve, bound.filter(|bound| bound.floor.is_some_and(|floor| floor > lowest * (1.0 + 1e-9))))
}

fn levels(points: &[Point], wire: Wire) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::with_capacity(points.len());
    for point in points {
        let bytes = wire.bytes(point.ip);
        match levels.last_mut() {
            Some(level) if level.bytes == bytes => {
                level.count += 1;
                level.sums = level.sums.with(point.w, point.y);
            }
            _ => {
                let sums = Sums::default().with(point.w, point.y);
                levels.push(Level { bytes, c: (bytes as f64).ln(), count: 1, sums });
            }
        }
    }
    levels
}

#[cfg(test)]
#[path = "curve_tests.rs"]
mod tests;
