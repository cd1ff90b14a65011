//! Measurements of real lines, the live view of a router, and the lab.
//!
//! `ARCHITECTURE.md` describes the rooms of this crate.

pub mod fit;
pub mod lab;
pub mod page;
pub mod plot;
pub mod probe;
pub mod watch;

#[cfg(test)]
#[path = "../../../tests/common/golden.rs"]
mod golden;
#[cfg(test)]
#[path = "../../../tests/common/tools.rs"]
mod tools;
