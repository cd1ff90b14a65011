//! The command line of the lab.

use super::layers::Layers;
use clap::{Args, ValueEnum};
use qosc_compiler::units::Micros;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct Lab {
    /// YAML file, or `-`
    #[arg(required_unless_present = "prepare")]
    pub(super) file: Option<PathBuf>,
    #[command(flatten)]
    pub(super) layers: Layers,
    /// Run only the load situations and the expectations of the file, for a shorter time
    #[arg(long)]
    pub(super) quick: bool,
    /// Run only these parts, separated by commas
    #[arg(long, value_enum, value_delimiter = ',', value_name = "PART")]
    pub(super) only: Vec<LabPart>,
    /// Round trip time of the idle line
    #[arg(long, value_name = "TIME", default_value = "20ms")]
    pub(super) rtt: Micros,
    /// Kernel: a user-mode-linux program, or a folder that `--prepare` created
    #[arg(long, value_name = "PATH")]
    pub(super) kernel: Option<PathBuf>,
    /// Build and keep a kernel for virtual time: its results do not depend on the load of this machine
    #[arg(long, conflicts_with_all = ["file", "quick", "kernel"])]
    pub(super) prepare: bool,
    /// Measure another script than the compiled one: the lab's router runs `sh PATH`, with the variables WAN, LAN,
    /// `UP_KBIT` and `DOWN_KBIT`
    #[arg(long, value_name = "PATH", conflicts_with = "prepare")]
    pub(super) script: Option<PathBuf>,
    /// Argument of that script; can be repeated
    #[arg(long, value_name = "ARG", requires = "script", allow_hyphen_values = true)]
    pub(super) args: Vec<String>,
    /// Compare methods of shaping on a line with the changing rates of this text file: lines `SECONDS UP DOWN`, such as
    /// `0.2 6.5mbit 25mbit`, and at last `SECONDS end`
    #[arg(long, value_name = "PATH", conflicts_with_all = ["prepare", "quick", "only", "script"])]
    pub(super) trace: Option<PathBuf>,
    /// Open a shell on the router of the lab beside the script, in place of measurements. It runs the commands of standard
    /// input, if that is not a terminal, and its exit code is that of `qosc`
    #[arg(long, conflicts_with_all = ["prepare", "quick", "only", "script", "trace", "format", "html"])]
    pub(super) shell: bool,
    /// Output format
    #[arg(long, value_enum, default_value_t = LabFormat::Human)]
    pub(super) format: LabFormat,
    /// Also write the report as one HTML file with charts to zoom; the file is replaced as a whole or not at all
    #[arg(long, value_name = "OUT", conflicts_with = "prepare")]
    pub(super) html: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LabPart {
    /// Idle line, uploads, downloads and floods, without and with the script
    Situations,
    /// Packets of 64 bytes that fill the line
    Small,
    /// One flow of a host against eight flows of another
    Flows,
    /// Each class while another class is full
    Classes,
    /// Expectations of the file
    Expect,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum LabFormat {
    /// Tables
    Human,
    /// JSON object with all results
    Json,
}

#[derive(Debug, Args)]
pub(super) struct LabKernel {
    /// Process of the lab
    pub(super) parent: u32,
    /// The kernel and its arguments
    #[arg(last = true, required = true)]
    pub(super) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(super) struct LabGuest {
    /// The scenes
    pub(super) scenes: PathBuf,
    /// Where the records go
    pub(super) folder: PathBuf,
}
