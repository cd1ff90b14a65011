//! The `qosc` binary.
fn main() {}
