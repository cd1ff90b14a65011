//! The command line of the lab.

use crate::units::Micros;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Lab {
    /// The YAML file, or `-`
    #[arg(required_unless_present = "prepare")]
    pub(super) file: Option<PathBuf>,
    /// Only the situations and what the file expects, and for a shorter time: about a minute
    #[arg(long)]
    pub(super) quick: bool,
    /// Only these parts, with commas between
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    pub(super) only: Vec<LabPart>,
    /// The round trip of an idle line
    #[arg(long, value_name = "TIME", default_value = "20ms")]
    pub(super) rtt: Micros,
    /// The kernel: a program of user-mode-linux, or a folder that `--prepare` made
    #[arg(long, value_name = "PATH")]
    pub(super) kernel: Option<PathBuf>,
    /// Build a kernel for virtual time, whose figures do not depend on how busy this machine is, and keep it
    #[arg(long, conflicts_with_all = ["file", "quick", "kernel"])]
    pub(super) prepare: bool,
    /// How it is said
    #[arg(long, value_enum, default_value_t = LabFormat::Human)]
    pub(super) format: LabFormat,
    /// Write the report as one HTML file, too, with charts to zoom into: made aside and renamed, so that it is whole or untouched
    #[arg(long, value_name = "OUT", conflicts_with = "prepare")]
    pub(super) html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LabPart {
    /// Idle, uploads, downloads and floods, without the script and with it
    Situations,
    /// Packets of 64 bytes at full load
    Small,
    /// One flow of a host against eight of another
    Flows,
    /// Every class under load of each other
    Classes,
    /// What the file expects
    Expect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LabFormat {
    /// Tables
    Human,
    /// All figures as a JSON object
    Json,
}

#[derive(Debug, Args)]
pub(super) struct LabGuest {
    /// The scenes
    pub(super) scenes: PathBuf,
    /// Where the records go
    pub(super) folder: PathBuf,
}
