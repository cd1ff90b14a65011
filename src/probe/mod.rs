//! Round trips: echo requests to hosts, when their answers came, and what that comes to.
//!
//! Sockets do not wait, so that one thread can hold many: [`Echo::send`] one request, [`Echo::receive`] what came, and wait for
//! all of them at once with `poll`. Times are [`Instant`](std::time::Instant)s, which never jump. [`Session`] does all of that for several targets
//! and code points side by side.
//!
//! - `packet`: the bytes of requests and answers.
//! - `echo`: a socket for one target and one code point.
//! - `error`: why there is none, and the cure.
//! - `session`: who is asked when, and what became of each request.
//! - `load`: a command that fills the line meanwhile.
//! - `run`, `date`: what was measured, and its file.
//! - `stats`, `table`: what it comes to.

mod date;
mod echo;
mod error;
mod load;
mod packet;
mod run;
mod session;
mod stats;
mod table;

pub use date::utc;
pub use echo::{Answer, Echo};
pub use error::ProbeError;
pub use load::{Ended, Load};
pub use packet::{LARGEST, SMALLEST};
pub use run::{FORMAT, Loaded, Phase, Run, Series};
pub use session::{Asked, Sample, Session};
pub use stats::{Stats, Times, quantile, stats};
pub use table::{Text, ms, rows, table};
