//! Result of a fit: every number with its certainty.

use super::curve::Curve;
use qosc_compiler::terms::{Layer, Wire};
use qosc_compiler::units::Rate;
use serde::Serialize;

/// Bytes up to which Ethernet frames pad IP packets (IEEE 802.3, clause 3). A least charge that binds larger packets is
/// not padding.
pub(super) const PADDED: f64 = 46.0;

/// Sizes in bytes that can be measured on every line: from an empty UDP packet to the largest packet for PPPoE (RFC
/// 2516).
pub(super) const MEASURABLE: std::ops::RangeInclusive<u64> = 28..=1492;

/// The whole report.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
#[schemars(rename = "Report")]
pub struct FitReport {
    /// Number of rows and sizes, and the range of sizes in bytes of the IP packet.
    pub measured: Measured,
    /// Link layer of the line.
    pub layer: LayerFound,
    /// Bytes on the line in addition to each IP packet.
    pub overhead: Overhead,
    /// Least charge in bytes, as a file has it; 0 for none.
    pub mpu: u32,
    /// Least charge or ceiling that small packets show.
    pub floor: Option<Floor>,
    /// Smallest observable least charge in bytes: the charge of the smallest size.
    pub smallest_charge: u64,
    /// Rate for packets, without the line's encapsulation.
    pub rate: RateFound,
    /// Profiles that explain the measurements within the noise, the most likely first.
    pub profiles: Vec<String>,
    /// Most likely line of another kind.
    pub runner_up: Option<RunnerUp>,
    /// Advice on further measurements.
    pub further: Vec<String>,
    /// Rows far from the curve, which had little weight.
    pub far: Vec<Far>,
    /// Remarks on odd measurements.
    pub notes: Vec<String>,
    /// Keys of `link` to paste.
    pub yaml: String,
    /// Measured and fitted rates of each size.
    pub sizes: Vec<SizeFound>,
    #[serde(skip)]
    pub(super) best: Curve,
}

impl FitReport {
    /// Returns the charge of a packet on this line.
    #[must_use]
    pub fn wire(&self) -> Wire {
        let layer = self.layer.layers.first().copied().unwrap_or(Layer::Ethernet);
        Wire { layer, overhead: self.overhead.bytes, mpu: self.mpu }
    }
}

/// Extent of the measurements.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Measured {
    /// Number of rows.
    pub rows: usize,
    /// Number of different sizes.
    pub sizes: usize,
    /// Smallest size in bytes of the IP packet.
    pub smallest: u64,
    /// Largest size in bytes of the IP packet.
    pub largest: u64,
    /// Standard deviation of a row in percent of its rate.
    pub scatter_percent: f64,
}

/// Link layer of the line, with its probability.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct LayerFound {
    /// Possible layers: one, or Ethernet and PTM if the measurements cannot distinguish them.
    pub layers: Vec<Layer>,
    /// Probability from 0 to 1.
    pub probability: f64,
}

/// Overhead with its uncertainty.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Overhead {
    /// Overhead to use, in bytes.
    pub bytes: u32,
    /// Lower end of the 95 % interval.
    pub least: u32,
    /// Upper end of the 95 % interval.
    pub most: u32,
}

/// Kind of a least charge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FloorKind {
    /// Padding of frames: a number of bytes at every rate.
    Padding,
    /// Limit on packets per second, whatever their size.
    Ceiling,
}

/// A least charge with its uncertainty.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Floor {
    /// Most likely kind.
    pub kind: FloorKind,
    /// Probability that there is a least charge at all, from 0 to 1.
    pub probability: f64,
    /// Least charge in bytes.
    pub bytes: f64,
    /// Lower end of the 95 % interval.
    pub least: f64,
    /// Upper end of the 95 % interval.
    pub most: f64,
    /// Packets per second of the sizes that it binds.
    pub pps: f64,
    /// Largest IP packet that it binds, in bytes.
    pub knee: u64,
}

/// A rate in bit/s with its uncertainty.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RateFound {
    /// Most likely rate in bit/s.
    pub bps: u64,
    /// Lower end of the 95 % interval, in bit/s.
    pub least: u64,
    /// Upper end of the 95 % interval, in bit/s.
    pub most: u64,
    /// Given rate of the line itself, in bit/s.
    pub given: Option<u64>,
}

/// Most likely line of another kind.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct RunnerUp {
    /// Possible layers.
    pub layers: Vec<Layer>,
    /// Overhead in bytes.
    pub overhead: u32,
    /// Least charge in bytes.
    pub floor: Option<f64>,
    /// Odds of the best line against this one, at most 10^12.
    pub odds: f64,
    /// Sizes that distinguish the two lines best, in bytes of the IP packet.
    pub decisive: Vec<Decisive>,
}

/// A size that distinguishes two lines.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Decisive {
    /// Length of the IP packet in bytes.
    pub ip: u64,
    /// Difference of the two packet rates at this size, in percent.
    pub differ_percent: f64,
    /// Number of measurements that distinguish the lines.
    pub measurements: u64,
}

/// A row far from the curve.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Far {
    /// Line in the text, counted from 1.
    pub line: usize,
    /// Length of the IP packet in bytes.
    pub ip: u64,
    /// Measured packets per second.
    pub pps: f64,
    /// Distance above the curve in percent; negative below it.
    pub off_percent: f64,
}

/// Results for one size.
#[derive(Debug, Clone, PartialEq, Serialize, schemars::JsonSchema)]
pub struct SizeFound {
    /// Length of the IP packet in bytes.
    pub ip: u64,
    /// Measured packets per second of each row.
    pub pps: Vec<f64>,
    /// Packets per second of the curve.
    pub fitted: f64,
    /// Bytes of the packet on the line.
    pub charge: f64,
}

/// Rounds to this many significant digits. Further digits are noise, and the last bit of a logarithm differs between
/// machines.
pub(super) fn digits(value: f64, digits: usize) -> f64 {
    format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value)
}

/// Rounds a rate in bit/s to four digits.
pub(super) fn rounded(bps: f64) -> Rate {
    Rate::from_bps(digits(bps, 4).round() as u64)
}
