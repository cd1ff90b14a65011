//! OpenWrt: an init script of procd, a hotplug script, and a list of files that sysupgrade keeps.

use super::names::Names;
use super::packages;
use super::parts::{File, Parts};
use crate::tc::Program;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let tag = &names.tag;
    let init = format!("/etc/init.d/{tag}");
    let packages = packages::openwrt(program);
    let text = include_str!("../../templates/install/openwrt-init.sh").replace("@PACKAGES@", &packages);
    let hotplug = include_str!("../../templates/install/openwrt-hotplug.sh");
    Parts {
        files: vec![
            File::program(&init, names.fill(&text)),
            File::plain(format!("/etc/hotplug.d/iface/95-{tag}"), names.fill(hotplug)),
        ],
        enable: vec![
            format!("opkg update && opkg install {packages}   # since OpenWrt 25.12: apk add"),
            format!("{init} enable && {init} start"),
        ],
        disable: vec![format!("{init} stop"), format!("{init} disable")],
        afterwards: vec![format!("rm -rf /var/run/{tag}")],
    }
}

/// Returns the list for sysupgrade. `paths` has all other files, and gets the list itself. The link that
/// `enable` makes is in the list, too.
pub(super) fn keep(names: &Names<'_>, paths: &mut Vec<String>) -> Parts {
    let tag = &names.tag;
    let path = format!("/lib/upgrade/keep.d/{tag}");
    paths.push(path.clone());
    let mut lines = paths.clone();
    lines.push(format!("/etc/rc.d/S95{tag}"));
    lines.sort();
    Parts::of([File::plain(path, lines.join("\n") + "\n")])
}
