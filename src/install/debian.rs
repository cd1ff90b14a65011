//! Hooks of ifupdown.

use super::names::Names;
use super::packages;
use super::parts::{File, Parts};
use crate::tc::Program;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    Parts { enable: vec![install(program), started(names)], ..hooks(names, "") }
}

/// Returns the hooks, which ifupdown of Debian, ifupdown-ng and busybox run. `enabled` are lines that end the hook if
/// nothing should start the script.
pub(super) fn hooks(names: &Names<'_>, enabled: &str) -> Parts {
    let up = names.fill(&include_str!("../../templates/install/ifup.sh").replace("@ENABLED@\n", enabled));
    let down = names.fill(include_str!("../../templates/install/ifdown.sh"));
    Parts::of([
        File::program(format!("/etc/network/if-up.d/{}", names.tag), up),
        File::program(format!("/etc/network/if-post-down.d/{}", names.tag), down),
    ])
}

/// Returns the command that installs all that the script needs.
pub(super) fn install(program: &Program) -> String {
    format!("apt-get install {}", packages::debian(program))
}

/// Returns the command that starts the script at once.
pub(super) fn started(names: &Names<'_>) -> String {
    format!("{} start --if-present", names.script)
}
