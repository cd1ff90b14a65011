//! What a configuration does, and what a change of it does to a router: explanations, drawings, differences and plans.
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
