//! Round trip times: echo requests to hosts, the times of their answers, and statistics.
//!
//! Sockets are non-blocking, so one thread can use many of them: [`Echo::send`] sends one request, [`Echo::receive`]
//! returns answers, and `poll` waits for all sockets at once. Times are [`Instant`](std::time::Instant)s, which never
//! jump. [`Session`] does all of this for several targets and code points side by side.
//!
//! - `packet`: bytes of requests and answers.
//! - `echo`: socket for one target and one code point.
//! - `error`: causes of failures, and advice.
//! - `session`: schedule of the requests, and their results.
//! - `load`: command that fills the line during the measurement.
//! - `run`, `date`: measurement and its file.
//! - `stats`, `table`: statistics and their table.

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
pub use packet::{Asker, LARGEST, SMALLEST, Version, answered, request};
pub use run::{FORMAT, Loaded, Phase, Run, Series};
pub use session::{Asked, Sample, Session};
pub use stats::{Stats, Times, quantile, stats};
pub use table::{Text, ms, rows, table};
