//! Plots: axes, SVG shapes, and pictures of measured round trips.
//!
//! - `axis`: positions of values.
//! - `canvas`: shapes as SVG.
//! - `report`: runs as a page to zoom into.
//! - `panels`, `reduce`, `picture`: measured round trips of one or several runs in one picture. The size of the file
//!   depends on the picture's pixels, not on the number of samples.
#![expect(clippy::float_arithmetic, reason = "places in a picture")]

mod axis;
mod canvas;
mod panels;
mod picture;
mod reduce;
mod report;

pub use panels::needs_log;
pub use picture::{Look, Style, picture};
pub use report::report;
