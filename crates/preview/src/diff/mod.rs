//! The cost of each change, and the steps of a `start`.

mod cost;
mod rows;
pub mod steps;

pub use cost::{Cost, Price, legend, summary};
pub use rows::{Look, Sign};
