//! An init script of OpenRC, and the hooks of ifupdown.

use super::names::Names;
use super::parts::{File, Parts};
use super::{debian, packages};
use crate::tc::Program;

/// Lines of the hook. OpenRC keeps a link for each service that it starts.
const ENABLED: &str =
    "# After `rc-update del`, nothing starts it.\nls /etc/runlevels/*/@TAG@ >/dev/null 2>&1 || exit 0\n";

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let tag = &names.tag;
    let text = names.fill(include_str!("../../templates/install/openrc.sh"));
    let mut parts = debian::hooks(names, ENABLED);
    parts.files.push(File::program(format!("/etc/init.d/{tag}"), text));
    Parts {
        enable: vec![
            format!("apk add {}", packages::debian(program)),
            format!("rc-update add {tag} default && rc-service {tag} start"),
        ],
        disable: vec![format!("rc-service {tag} stop"), format!("rc-update del {tag} default")],
        ..parts
    }
}
