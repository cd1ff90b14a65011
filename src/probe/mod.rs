//! Round trips: echo requests to hosts, and when their answers came.
//!
//! Sockets do not wait, so that one thread can hold many: [`Echo::send`] one request, [`Echo::receive`] what came, and wait for
//! all of them at once with `poll`. Times are [`Instant`](std::time::Instant)s, which never jump. [`Session`] does all of that for several targets
//! and code points side by side.
//!
//! - `packet`: the bytes of requests and answers.
//! - `echo`: a socket for one target and one code point.
//! - `error`: why there is none, and the cure.
//! - `session`: who is asked when, and what became of each request.

mod echo;
mod error;
mod packet;
mod session;

pub use echo::{Answer, Echo};
pub use error::ProbeError;
pub use packet::{LARGEST, SMALLEST};
pub use session::{Asked, Sample, Session};
