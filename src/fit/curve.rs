//! For one layer and overhead, the best rate and least charge: least squares on the logarithm of the packet rate.
//!
//! With `y = ln(packets a second)` and `c = ln(charge)`, the line says `y = r - c`, where `r = ln(rate / 8)`; and where a
//! least charge of `f` bytes binds, `y = r - ln f`. For a given number of sizes that it binds, both are means; sums over the sizes
//! below and above give each in one step.

use crate::model::{Layer, Wire};

/// One byte in 65 goes to the encapsulation (IEEE 802.3, clause 61.3).
const PTM: f64 = 64.0 / 65.0;

/// What a measured size says, all its rows together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// The IP packet's bytes.
    pub(super) ip: u64,
    /// Weighted mean of the logarithm of packets a second.
    pub(super) y: f64,
    /// Sum of the weights.
    pub(super) w: f64,
}

/// How a line carries packets, as far as packet rates show it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Carried {
    /// As one piece, on Ethernet or PTM: without the line's own rate, its 64/65 is a part of the rate.
    Whole,
    /// As one piece, on Ethernet: the rate is the line's own.
    Ethernet,
    /// As one piece, on PTM: the rate is 64/65 of the line's own.
    Ptm,
    /// In cells of 48 bytes that cost 53.
    Atm,
}

impl Carried {
    /// The layer that charges a packet so; Ethernet, where PTM charges the same.
    #[must_use]
    pub const fn layer(self) -> Layer {
        match self {
            Carried::Whole | Carried::Ethernet => Layer::Ethernet,
            Carried::Ptm => Layer::Ptm,
            Carried::Atm => Layer::Atm,
        }
    }

    /// What of the line's own rate is for packets.
    #[must_use]
    pub const fn efficiency(self) -> f64 {
        match self {
            Carried::Ptm => PTM,
            _ => 1.0,
        }
    }

    /// Whether packets are cut into cells.
    #[must_use]
    pub const fn in_cells(self) -> bool {
        matches!(self, Carried::Atm)
    }
}

/// A line that may explain the measurements.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curve {
    /// How it carries packets.
    pub carried: Carried,
    /// Bytes on the line above each IP packet.
    pub overhead: u32,
    /// The least charge in bytes, where it shows: of at least two measured sizes.
    pub floor: Option<f64>,
    /// `ln(rate / 8)` of the rate that packets have, in bytes a second.
    pub(super) rate: f64,
    /// Weighted squares of what it leaves unexplained between sizes.
    pub(super) squares: f64,
    /// Weights of the sizes that the least charge binds, and of those above.
    pub(super) weights: (f64, f64),
}

impl Curve {
    /// Bytes on the line for an IP packet of `ip` bytes.
    #[must_use]
    pub fn charge(&self, ip: u64) -> f64 {
        let wire = Wire { layer: self.carried.layer(), overhead: self.overhead, mpu: 0 };
        (wire.bytes(ip) as f64).max(self.floor.unwrap_or(0.0))
    }

    /// Packets a second of `ip` bytes.
    #[must_use]
    pub fn pps(&self, ip: u64) -> f64 {
        self.rate.exp() / self.charge(ip)
    }

    /// The rate that packets have, in bit/s: what is left of the line's own after the encapsulation.
    #[must_use]
    pub fn bps(&self) -> f64 {
        8.0 * self.rate.exp()
    }

    /// Numbers that were fitted: overhead and rate; of a least charge, its height and the size up to which it binds, which was looked for
    /// among all.
    #[must_use]
    pub const fn parameters(&self) -> f64 {
        if self.floor.is_some() { 4.0 } else { 2.0 }
    }

    /// The line's own rate in bit/s, the encapsulation's part included.
    #[must_use]
    pub fn line_bps(&self) -> f64 {
        self.bps() / self.carried.efficiency()
    }

    /// How far, in logarithms, a row lies above the curve.
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

    /// Squares of `v - at`.
    fn around(self, at: f64) -> f64 {
        (self.vv - 2.0 * at * self.v + at * at * self.w).max(0.0)
    }

    /// The same of values that are all larger by `by`.
    fn shifted(self, by: f64) -> Sums {
        Sums { w: self.w, v: self.v + by * self.w, vv: self.vv + 2.0 * by * self.v + by * by * self.w }
    }

    fn and(self, other: Sums) -> Sums {
        Sums { w: self.w + other.w, v: self.v + other.v, vv: self.vv + other.vv }
    }
}

/// What is known of the line's own rate beforehand, as a measurement of it would be: `ln(rate / 8)`, and its weight.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Known {
    pub(super) y: f64,
    pub(super) w: f64,
}

/// Sizes that a line charges alike.
#[derive(Debug, Clone, Copy)]
struct Level {
    /// The charge in bytes.
    bytes: u64,
    /// Its logarithm.
    c: f64,
    /// How many sizes.
    count: usize,
    /// Of `y`.
    sums: Sums,
}

/// The best curves for a layer and an overhead: without a least charge, and with one, where there is any. `points` in
/// the order of their sizes.
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
    // of the sizes that the least charge binds, and of the others
    let (mut flat, mut rest, mut count) = (Sums::default(), all, 0);
    for (level, next) in levels.iter().zip(levels.iter().skip(1)) {
        flat = flat.and(level.sums);
        rest = rest.without(level.sums.shifted(level.c));
        count += level.count;
        // one size is an outlier and no level, and one size above shows no overhead
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
    // a least charge that lifts nothing is none
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
