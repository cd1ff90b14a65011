#![doc = include_str!("../ARCHITECTURE.md")]

pub mod cli;
pub mod deploy;
pub mod fix;
pub mod install;
pub mod pool;
pub mod starter;

#[cfg(test)]
#[path = "../tests/common/golden.rs"]
mod golden;
#[cfg(test)]
#[path = "../tests/common/made_files.rs"]
mod made_files;
#[cfg(test)]
#[path = "../tests/common/tools.rs"]
mod tools;
