//! Fit of a line's overhead to packet rates measured by packet size: `qosc fit`.
//!
//! A full line carries `rate / (8 x charge)` packets per second, where [`Wire`](qosc_compiler::terms::Wire) tells the charge of
//! each packet size. So the packet rates of many sizes show the charge, up to one factor: the line's rate.
//!
//! Small packets may be slower than that, for one of two reasons:
//!
//! - Each packet has a *least charge* (`mpu`).
//! - Some device passes only a limited number of *packets per second*, whatever their size (a ceiling).
//!
//! On a line without cells, both give the same curve, with `least charge = rate / (8 x ceiling)`. Only another rate, or
//! other knowledge, distinguishes them.
//!
//! Measurements have noise, so this module uses floats. All values for a configuration file are integers again.
//!
//! - `data`: from text to rows.
//! - `curve`: for each layer and overhead, the best rate and least charge by least squares, in closed form.
//! - `weigh`: a grid of all layers and overheads, the probability of each curve, and the choice.
//! - `report`, `human`: presentation of the result.
//! - `drawn`: presentation of errors in a file.
//! - `plan`: commands that take the measurement.
#![expect(clippy::float_arithmetic, reason = "measurements have noise, and a fit is arithmetic on them")]

mod curve;
mod data;
mod drawn;
mod human;
mod plan;
mod report;
mod result;
mod weigh;

pub use curve::Curve;
pub use data::{Data, PacketRate, Size, Slip, read};
pub use drawn::drawn;
pub use human::human;
pub use plan::{SECONDS, payloads, plan};
pub use report::report;
pub use result::{Decisive, FitReport, Floor, FloorKind, Overhead, RunnerUp};
pub use weigh::{Fit, fit};
