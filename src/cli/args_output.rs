//! The option that names the file of a result.

use clap::Args;
use std::path::PathBuf;

/// Place of a result.
#[derive(Debug, Args)]
pub(super) struct Output {
    /// Write to this file instead of standard output; it is replaced as a whole or not at all. `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: Option<PathBuf>,
}
