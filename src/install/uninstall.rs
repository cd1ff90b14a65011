//! The uninstaller.

use super::names::Names;
use super::parts::{File, Parts};

/// Returns the uninstaller. `paths` has all files that it removes, itself included.
pub(super) fn file(names: &Names<'_>, path: &str, all: &Parts, paths: &[String]) -> File {
    let mut paths = paths.to_vec();
    paths.sort();
    let text = include_str!("../../templates/install/uninstall.sh")
        .replace("@DISABLE@", &all.disable.join("\n"))
        .replace("@FILES@", &paths.join(" \\\n    "))
        .replace(
            "@AFTERWARDS@\n",
            &all.afterwards.iter().map(|line| format!("{line}\n")).collect::<String>(),
        );
    File::program(path, names.fill(&text).replace("\n\n", "\n"))
}
