//! A text through the whole compiler, as every command takes it.

use qosc::compile::{Compilation, Options};
use qosc::diag::{Format, render};

/// Compiles a text as far as it goes.
pub fn through(bytes: &[u8]) -> Compilation {
    qosc::compile(bytes, &Options::of("home.yaml"))
}

/// All that is said, as it is printed.
pub fn said(compiled: &Compilation) -> String {
    render(&compiled.findings, &compiled.sources, Format::Human { colour: false })
}
