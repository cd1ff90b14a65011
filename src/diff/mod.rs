//! Program against what a kernel holds.

mod compare;
mod fields;

pub use compare::{Change, Difference, compare};
