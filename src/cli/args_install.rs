//! The arguments of `install-files`.

use super::layers::Layers;
use super::levels::LevelArgs;
use crate::install::System;
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use strum::VariantArray as _;

/// Write the files that start the script at boot and after a reconnect, and an uninstaller.
///
/// DIR then holds a tree like that of the router, with the compiled script in `etc/qosc/NAME.sh`. The command prints how to
/// copy it, and what to type on the router.
#[derive(Debug, Args)]
pub(super) struct InstallFiles {
    /// YAML file, or `-`
    pub(super) file: PathBuf,
    /// Kind of router, or several kinds separated by commas
    #[arg(long, value_enum, required = true, value_delimiter = ',')]
    pub(super) system: Vec<System>,
    /// Folder for the files; made if it is missing
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,
    /// Overwrite files with other content; without it, the command names them and writes nothing
    #[arg(long)]
    pub(super) force: bool,
    #[command(flatten)]
    pub(super) layers: Layers,
    #[command(flatten)]
    pub(super) levels: LevelArgs,
}

impl ValueEnum for System {
    fn value_variants<'a>() -> &'a [Self] {
        System::VARIANTS
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.as_str()).help(self.about()))
    }
}
