//! The compiler: a YAML file becomes a model, the model becomes kernel objects, and these become a script.
//!
//! [`compile()`] runs all stages. `ARCHITECTURE.md` describes the rooms of this crate.

mod carried;
pub mod check;
pub mod compile;
pub mod emit;
pub mod journey;
pub mod lower;
pub mod resolve;
pub mod rules;
pub mod schema;
pub mod tc;

pub use compile::{compile, compile_with};
pub use qosc_language::{
    budget, choices, derive, diag, harmless, layers, model, named, profile, syntax, terms, units, xml,
};

#[cfg(test)]
#[path = "../../../tests/common/blocks.rs"]
mod blocks;
#[cfg(test)]
#[path = "../../../tests/common/golden.rs"]
mod golden;
#[cfg(test)]
#[path = "../../../tests/common/made_files.rs"]
mod made_files;
