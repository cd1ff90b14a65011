//! An init script of OpenRC, and the hooks of ifupdown.

use super::names::Names;
use super::parts::{File, Parts};
use super::{debian, packages};
use crate::tc::Program;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let tag = &names.tag;
    let text = names.fill(include_str!("../../templates/install/openrc.sh"));
    let mut parts = debian::hooks(names);
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
