#![doc = include_str!("../ARCHITECTURE.md")]

#[macro_use]
mod named;

mod carried;
pub mod check;
pub mod cli;
pub mod compare;
pub mod compile;
pub mod deploy;
pub mod derive;
pub mod diag;
pub mod diff;
pub mod emit;
pub mod explain;
#[cfg(unix)]
pub mod fit;
pub mod fix;
pub mod graph;
pub mod harmless;
#[cfg(unix)]
pub mod import;
pub mod install;
#[cfg(unix)]
pub mod lab;
pub mod layers;
pub mod live;
pub mod lower;
pub mod model;
#[cfg(unix)]
pub mod page;
pub mod plan;
#[cfg(unix)]
pub mod plot;
pub mod pool;
#[cfg(unix)]
pub mod probe;
pub mod profile;
pub mod resolve;
pub mod rules;
pub mod schema;
pub mod starter;
pub mod syntax;
pub mod tc;
pub mod terms;
pub mod units;
pub mod watch;
pub mod xml;

pub use compile::{compile, compile_with};

#[cfg(test)]
#[path = "../tests/common/golden.rs"]
mod golden;
#[cfg(test)]
#[path = "../tests/common/made_files.rs"]
mod made_files;
#[cfg(test)]
#[path = "../tests/common/tools.rs"]
mod tools;
