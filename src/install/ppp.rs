//! Hooks of pppd. A session without IPv4 runs only those of IPv6.

use super::debian::{install, started};
use super::names::Names;
use super::parts::{File, Parts};
use crate::tc::Program;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let up = names.fill(include_str!("../../templates/install/ppp-up.sh"));
    let down = names.fill(include_str!("../../templates/install/ppp-down.sh"));
    let hooks = [("ip-up.d", &up), ("ip-down.d", &down), ("ipv6-up.d", &up), ("ipv6-down.d", &down)];
    let files =
        hooks.map(|(folder, text)| File::program(format!("/etc/ppp/{folder}/{}", names.tag), text.clone()));
    Parts { enable: vec![install(program), started(names)], ..Parts::of(files) }
}
