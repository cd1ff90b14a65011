//! Picture of a configuration's class tree: the drawing, and printers for three formats.

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
pub use drawing::{Cell, DirectionDrawing, Drawing, How, Limit, RowKind, TreeRow, Tunnel};
pub use mermaid::mermaid;
pub use svg::svg;
