//! A dispatcher script of NetworkManager.

use super::debian::{install, started};
use super::names::Names;
use super::parts::{File, Parts};
use crate::tc::Program;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let text = names.fill(include_str!("../../templates/install/networkmanager.sh"));
    let file = File::program(format!("/etc/NetworkManager/dispatcher.d/90-{}", names.tag), text);
    Parts { enable: vec![install(program), started(names)], ..Parts::of([file]) }
}
