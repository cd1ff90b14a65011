#![doc = include_str!("../ARCHITECTURE.md")]

pub mod check;
pub mod cli;
pub mod compare;
pub mod diag;
pub mod diff;
pub mod emit;
pub mod explain;
pub mod live;
pub mod lower;
pub mod model;
pub mod plan;
pub mod resolve;
pub mod rules;
pub mod syntax;
pub mod tc;
pub mod units;
