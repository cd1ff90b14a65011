//! Converts configurations of other tools into commented YAML, and reports what has no equivalent.

mod amounts;
mod cake;
mod config;
mod device;
mod fireqos;
mod fit;
mod foreign;
mod fq_codel;
mod packet;
mod proof;
mod report;
mod sqm;
mod tc;
mod text;
mod uci;
mod yaml;

pub use config::Compared;
pub use fireqos::fireqos;
pub use report::{Import, Imported, Wanted};
pub use sqm::sqm;
pub use tc::tc;
