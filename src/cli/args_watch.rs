//! The arguments of `watch`.

use clap::Args;
use qosc_compiler::units::{LinkName, Micros};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Watch {
    /// Router as ssh names it, such as `root@192.168.1.1`; by default this machine. ssh must not ask for a password
    pub(super) host: Option<String>,
    /// Time between two samples: 500ms to 3600s
    #[arg(long, default_value = "1s", value_name = "TIME")]
    pub(super) interval: Micros,
    /// Stop after this many samples
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) count: Option<u64>,
    /// Show only this link; by default all links of the router
    #[arg(long, value_name = "NAME")]
    pub(super) link: Option<LinkName>,
    /// Print a block of lines for each sample; this is the default
    #[arg(long)]
    pub(super) plain: bool,
    /// Write each sample to this HTML file instead, which a browser loads again by itself
    #[arg(long, value_name = "FILE", conflicts_with = "plain")]
    pub(super) html: Option<PathBuf>,
}
