//! The tree of a configuration as a picture: what there is to draw, and three printers of it.

mod bars;
mod build;
mod dot;
mod drawing;
mod lines;
mod mermaid;
mod paint;
mod svg;
mod words;

pub use build::draw;
pub use dot::dot;
pub use drawing::{Cell, DirectionDrawing, Drawing, How, Limit, Row, RowKind, Tunnel};
pub use mermaid::mermaid;
pub use svg::svg;
