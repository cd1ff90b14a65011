//! The arguments of `deploy`.

use super::layers::Layers;
use super::levels::LevelArgs;
use crate::install::System;
use clap::Args;
use qosc_compiler::units::IfName;
use std::path::PathBuf;

/// Apply a configuration to routers over ssh, on trial, and confirm it if the router still answers.
///
/// Each host runs the script with `try`. If a new connection then works, `confirm` keeps the change, and the script is copied to
/// /etc/qosc/NAME.sh. Otherwise the router goes back to the state before by itself. With one host on a terminal, you keep the
/// change with Enter, and any other key goes back. Each host has one line on standard output, in the order of the arguments. The
/// exit code is 2 if a host failed or did not keep the change, and 1 if the file has errors.
///
/// A folder is rolled out file by file, each to its own hosts, with a table at the end. If a file has errors or no host, nothing
/// is deployed.
#[derive(Debug, Args)]
pub(super) struct Deploy {
    /// YAML file, `-`, or a folder of YAML files, whose hosts `--inventory` or `--host` names
    pub(super) file: PathBuf,
    /// Router, as ssh(1) understands it: `root@router`, or a name of ssh_config; `localhost` is this machine, without ssh
    #[arg(value_name = "HOST")]
    pub(super) hosts: Vec<String>,
    /// For a folder: file with a line `FILE HOST...` for each file below the folder, and comments after `#`; by default the file
    /// `hosts` in the folder
    #[arg(long, value_name = "INVENTORY", conflicts_with = "pairs")]
    pub(super) inventory: Option<PathBuf>,
    /// For a folder: a file and its host, instead of an inventory; may be given several times
    #[arg(long = "host", value_name = "FILE=HOST")]
    pub(super) pairs: Vec<String>,
    /// Length of the trial in seconds: 5 to 3600
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u32).range(5..=3600))]
    pub(super) trial: u32,
    /// Also write the files that start the script at boot, and enable them; several kinds are separated by commas
    #[arg(long, value_enum, value_delimiter = ',')]
    pub(super) system: Vec<System>,
    /// WAN device, if its name differs from the file
    #[arg(long, value_name = "DEV", conflicts_with = "system")]
    pub(super) device: Option<IfName>,
    /// Also remove a root qdisc or filters that others made; they do not come back, so there is no trial
    #[arg(long, conflicts_with = "trial")]
    pub(super) take_over: bool,
    /// Go back to the configuration before the last kept one, on trial, too; another `--undo` returns
    #[arg(long, conflicts_with_all = ["system", "take_over"])]
    pub(super) undo: bool,
    /// Ask nothing: keep the change if a new connection works
    #[arg(long, short)]
    pub(super) yes: bool,
    /// Largest number of hosts at once
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: u16,
    /// Change nothing; say on which hosts the script would change something
    #[arg(long)]
    pub(super) dry_run: bool,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) levels: LevelArgs,
}
