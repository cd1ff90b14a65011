//! Differences between a program and a kernel, and the cost of each change.

mod compare;
mod cost;
mod fields;
mod rows;
pub mod steps;

pub use compare::{Change, Difference, compare};
pub use cost::{Cost, Price, legend, summary};
pub(crate) use rows::Rows;
pub use rows::{Look, Sign};
