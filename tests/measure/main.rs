//! Are measurements of lines, their reports and the lab right?

#![cfg(test)]

mod fit;
#[path = "../common/golden.rs"]
mod golden;
mod lab;
mod lab_ends;
mod page;
mod ping;
mod plot;
#[path = "../common/processors.rs"]
mod processors;
#[path = "../common/split_mix.rs"]
mod split_mix;
#[path = "../common/tools.rs"]
mod tools;
mod watch;
