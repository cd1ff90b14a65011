//! Terms that every stage uses: directions, choices of the file, amounts, and the size of a packet on the line.
//!
//! This room depends on `units` alone, so `model` and `tc` share its types without a dependency on `syntax`.

mod amount;
mod basis;
mod choices;
mod direction;
pub mod limits;
mod section;
mod wire;

pub use amount::Amount;
pub use basis::Basis;
pub use choices::{
    Diffserv, Ecn, Engine, Frames, Ingress, Inner, Layer, Load, Measure, Offloads, ScriptCall, Share,
    TcpKind, TunnelKind, Wash,
};
pub use direction::{Direction, PerDirection};
pub use limits::Limit;
pub use section::FileSection;
pub use wire::Wire;

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
