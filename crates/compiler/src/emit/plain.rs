//! Prints the plain script: what an expert would write by hand, with the frame `templates/plain.sh.in`.

use super::lines::batch;
use super::summary::Summary;
use super::{nft, shell};
use crate::tc::{Dev, Facts, Program, QdiscKind, devices_with};

/// Returns the plain script of a program for a router with these facts. It makes the same objects as
/// [`batch`](super::batch()) and keeps no state.
#[must_use]
pub fn plain(program: &Program, facts: Facts, summary: &Summary) -> String {
    // The port of a tunnel is only known on the router.
    let unknown = program.decrypted.iter().filter(|tunnel| tunnel.port.is_none());
    let tunnels: Vec<&str> = unknown.map(|tunnel| tunnel.device.as_str()).collect();
    let mut decrypted = String::new();
    if !tunnels.is_empty() {
        decrypted = format!(
            "# - Downloads through {} are queued before they are decrypted: the flows of a tunnel are one flow.\n",
            tunnels.join(" and ")
        );
    }
    let program = &program.with_tunnels(|tunnel| tunnel.port).at_wan();
    let (link, wan) = (&program.link, &program.wan);
    let has_ifb = program.qdiscs.iter().any(|q| q.dev == Dev::Ifb);
    let offloads = offloads(program);
    let marks = nft::table(program, wan.as_str(), &summary.source, shell::comment);

    let mut settings = String::new();
    let mut removed = String::new();
    let mut aggregates = String::new();
    let hooked = program.qdiscs.iter().any(|q| q.kind == QdiscKind::Clsact).then_some(wan);
    for device in hooked.into_iter().chain(program.decrypted.iter().map(|own| &own.device)) {
        removed += &format!("    tc qdisc del dev {device} clsact 2>/dev/null || :\n");
    }
    if has_ifb {
        removed += &format!("    ip link del dev {} 2>/dev/null || :\n", program.ifb);
    }
    if !offloads.is_empty() {
        settings += "    aggregates off\n";
    }
    if let Some(bytes) = program.settings.bql {
        settings += &format!(
            "    for limit in /sys/class/net/{wan}/queues/tx-*/byte_queue_limits/limit_max; do\n        \
             [ ! -e \"$limit\" ] || echo '{}' >\"$limit\"\n    done\n",
            bytes.get()
        );
    }
    for setting in &program.settings.sysctls {
        settings += &format!("    echo '{}' >/proc/sys/{}\n", setting.value, setting.path);
    }
    if !marks.is_empty() {
        settings += &format!("    nft -f - <<'END'\n{}\nEND\n", marks.join("\n"));
        removed += &format!("    nft delete table inet qosc_{link} 2>/dev/null || :\n");
    }
    if !offloads.is_empty() {
        removed +=
            &format!("    ip link set dev {wan} gso_max_segs 65535 2>/dev/null || :\n    aggregates on\n");
        aggregates = format!(include_str!("../../../../templates/aggregates.sh.in"), devices = offloads);
    }
    format!(
        include_str!("../../../../templates/plain.sh.in"),
        link = link,
        version = env!("CARGO_PKG_VERSION"),
        source = shell::comment(&summary.source),
        summary = rates(summary),
        header = facts.header,
        like = devices_with(facts.header),
        decrypted = decrypted,
        links = links(program, has_ifb),
        settings = settings,
        wan = wan,
        removed = removed,
        aggregates = aggregates,
        objects = batch(program, facts, &summary.source),
    )
}

/// Returns the profile and the rates as comments. The classes are in the comments of their objects.
fn rates(summary: &Summary) -> String {
    let rates = summary.lines.iter().take_while(|line| !line.is_empty());
    rates.map(|line| format!("# {}\n", shell::comment(line))).collect()
}

/// Returns the lines for `ip -batch`.
fn links(program: &Program, has_ifb: bool) -> String {
    let (link, wan, ifb) = (&program.link, &program.wan, &program.ifb);
    let mut lines = String::new();
    if has_ifb {
        lines += &format!("link add name {ifb} type ifb\n");
        lines += &format!("link set dev {ifb} txqueuelen 1000 alias qosc-{link} up\n");
    }
    if let Some(length) = program.settings.txqueuelen {
        lines += &format!("link set dev {wan} txqueuelen {length}\n");
    }
    if program.settings.split.up {
        lines += &format!("link set dev {wan} gso_max_segs 1\n");
    }
    lines
}

/// Returns the devices that must not put packets together, and the devices below them. Without a LAN device, uploads
/// may arrive on any device.
fn offloads(program: &Program) -> String {
    let split = program.settings.split;
    let receivers = &program.settings.receivers;
    if split.up && receivers.is_empty() {
        return "/sys/class/net/*".to_owned();
    }
    let receivers = receivers.iter().filter(|_| split.up);
    let devices = receivers.chain(Some(&program.wan).filter(|_| split.down));
    let paths = devices.map(|device| format!("/sys/class/net/{device} /sys/class/net/{device}/lower_*"));
    paths.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "plain_tests.rs"]
mod tests;
