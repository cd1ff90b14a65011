//! The language: the text of a file becomes a tree with places, and the types say what a file means.
//!
//! `ARCHITECTURE.md` describes the rooms of this crate. `qosc-compiler` passes all of them on.

#[macro_use]
mod named;

pub mod budget;
pub mod derive;
pub mod diag;
pub mod harmless;
pub mod layers;
pub mod model;
pub mod profile;
pub mod syntax;
pub mod terms;
pub mod units;
pub mod xml;

#[cfg(test)]
#[path = "../../../tests/common/golden.rs"]
mod golden;
