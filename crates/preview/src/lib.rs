//! Explanations and drawings of a configuration; differences and plans, which preview a change of it on a router.
//!
//! `ARCHITECTURE.md` describes the rooms of this crate.

pub mod compare;
pub mod diff;
pub mod explain;
pub mod graph;
pub mod live;
pub mod plan;

#[cfg(test)]
#[path = "../../../tests/common/golden.rs"]
mod golden;
