//! The compiler: a YAML file becomes a model, the model becomes kernel objects, and these become a script.
//!
//! [`compile()`] runs all stages. `ARCHITECTURE.md` describes the rooms of this crate.

#[macro_use]
mod named;

mod carried;
pub mod check;
pub mod compile;
pub mod derive;
pub mod diag;
pub mod emit;
pub mod harmless;
pub mod layers;
pub mod lower;
pub mod model;
pub mod profile;
pub mod resolve;
pub mod rules;
pub mod schema;
pub mod syntax;
pub mod tc;
pub mod terms;
pub mod units;
pub mod xml;

pub use compile::{compile, compile_with};

#[cfg(test)]
#[path = "../../../tests/common/blocks.rs"]
mod blocks;
#[cfg(test)]
#[path = "../../../tests/common/golden.rs"]
mod golden;
#[cfg(test)]
#[path = "../../../tests/common/made_files.rs"]
mod made_files;
