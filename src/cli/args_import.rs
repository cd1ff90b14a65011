//! The arguments of `import`.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Import {
    /// Tool that the file belongs to
    #[arg(value_enum)]
    pub(super) tool: Tool,
    /// File of that tool, or `-`
    pub(super) file: PathBuf,
    /// Write to this file instead of standard output; an existing file with other content is kept. In an existing folder, write
    /// NAME.yaml for each enabled queue of sqm
    #[arg(short, long, value_name = "OUT")]
    pub(super) output: Option<PathBuf>,
    /// Overwrite files with other content
    #[arg(long, requires = "output")]
    pub(super) force: bool,
    /// Queue of sqm or WAN device to convert; without it, the first
    #[arg(long, value_name = "NAME")]
    pub(super) section: Option<String>,
    /// LAN device whose egress carries the downloads, for sqm and tc
    #[arg(long, value_name = "DEVICE")]
    pub(super) lan: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Tool {
    /// OpenWrt's `/etc/config/sqm`
    Sqm,
    /// FireQOS's `fireqos.conf`
    Fireqos,
    /// Output of `tc -d qdisc`, `class` and `filter show`, such as the output of a script's `dump`
    Tc,
}
