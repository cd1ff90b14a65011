//! The cost of each change, and rows of changes.

mod cost;
mod rows;

pub use cost::{Cost, Price, legend, summary};
pub use rows::{Look, Sign};
