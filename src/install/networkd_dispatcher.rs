//! Hooks of networkd-dispatcher.

use super::debian::{install, started};
use super::names::Names;
use super::parts::{File, Parts};
use crate::tc::Program;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let routable = names.fill(include_str!("../../templates/install/routable.sh"));
    let off = names.fill(include_str!("../../templates/install/off.sh"));
    let files = Parts::of([
        File::program(format!("/etc/networkd-dispatcher/routable.d/90-{}", names.tag), routable),
        File::program(format!("/etc/networkd-dispatcher/off.d/90-{}", names.tag), off),
    ]);
    Parts { enable: vec![install(program), started(names)], ..files }
}
