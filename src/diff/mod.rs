//! Program against what a kernel holds, and what a change costs.

mod compare;
mod cost;
mod fields;
pub mod steps;

pub use compare::{Change, Difference, compare};
pub use cost::{Cost, Price, summary};
