//! From measured packet rates by packet size to what a line adds to each packet: `qosc fit`.
//!
//! A line that is kept full carries `rate / (8 x charge)` packets a second, where `charge` is what [`Wire`](crate::model::Wire) says a packet of
//! that size takes. So the rates of many sizes show the charge, up to one factor, the line's rate. Small packets may do
//! worse than that: either none is charged less than a *least charge* (`mpu`), or something on the way passes no more than
//! so many *packets a second*, whatever they weigh. On a line without cells the two are the same curve, with
//! `least charge = rate / (8 x ceiling)`: only another rate, or knowledge, tells them apart.
//!
//! What is measured has noise, so this is the one room with floats. They end here: what leaves for a file is an integer.
//!
//! - `data`: text to rows.
//! - `curve`: for each layer and overhead, the best rate and least charge by least squares, in closed form.
//! - `weigh`: which of them holds, how sure that is, what else could be.
//! - `report`, `decide`, `human`, `plot`: what is said of it; `drawn`: what is said of a file that cannot be read.
//! - `plan`: the commands that take the measurement.
#![expect(clippy::float_arithmetic, reason = "measurements have noise, and a fit is arithmetic on them")]

mod curve;
mod data;
mod decide;
mod drawn;
mod human;
mod known;
mod plan;
mod plot;
mod report;
mod weigh;

pub use curve::{Carried, Curve};
pub use data::{Data, Note, Row, Size, Slip, read};
pub use decide::Decisive;
pub use drawn::drawn;
pub use human::human;
pub use plan::{SECONDS, payloads, plan};
pub use plot::plot;
pub use report::{Floor, FloorKind, Overhead, Report, RunnerUp, report};
pub use weigh::{Fit, TooLittle, Weighed, fit};
