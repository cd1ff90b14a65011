//! Live view of the classes on a router: who sends how much, what is dropped, and how long packets wait.
//!
//! - `source`: a shell on this machine or behind ssh, which runs `templates/watch.sh` and prints samples.
//! - `sample`: one sample as text, split into the records of the links and the counters.
//! - `record`: the script's record of its link: the devices, and the names of the classes.
//! - `history`: the samples so far as rows with rates.
//! - `cells`, `spark`: a row in words, and its rates as a small chart.
//! - `plain`, `html`: the view as lines and as a page.

mod cells;
mod history;
mod html;
mod plain;
mod record;
mod sample;
mod source;
mod spark;

pub use history::{ClassHistory, LinkView, Table, View, Watch};
pub use html::page;
pub use plain::plain;
pub use source::{Ended, Request, Source};
