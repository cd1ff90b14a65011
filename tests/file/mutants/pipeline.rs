//! Sends a text through the whole compiler, as every command does.

use qosc_compiler::compile::{Compilation, Options};
use qosc_compiler::diag::{Format, render};

/// Compiles a text as far as possible.
pub fn through(bytes: &[u8]) -> Compilation {
    qosc_compiler::compile(bytes, &Options::of("home.yaml"))
}

/// All findings in their printed form.
pub fn said(compiled: &Compilation) -> String {
    render(&compiled.findings, &compiled.sources, Format::Human { colour: false })
}
