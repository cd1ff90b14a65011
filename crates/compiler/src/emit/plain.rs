//! Prints the plain script: what an expert would write by hand, with the template `templates/plain.sh.tera`.

use super::lines::batch;
use super::summary::Summary;
use super::template::{self, EmitError, PLAIN};
use super::{nft, shell};
use crate::tc::{Dev, Facts, Program, QdiscKind, devices_with};
use serde::Serialize;

/// Values of the frame.
#[derive(Serialize)]
struct Frame<'a> {
    link: &'a str,
    version: &'static str,
    source: String,
    plain: Plain<'a>,
}

/// Parts of the plain script.
#[derive(Serialize)]
struct Plain<'a> {
    summary: Vec<String>,
    header: u32,
    like: &'static str,
    /// Tunnel devices whose downloads the full script queues after decryption; empty if there is none.
    decrypted: String,
    wan: &'a str,
    /// Name of the ifb; `None` if downloads are not shaped.
    ifb: Option<&'a str>,
    hook: bool,
    /// Devices of tunnels and of the line at whose ingress downloads are redirected.
    behind: Vec<&'a str>,
    links: Vec<String>,
    /// Paths of the devices whose GRO is turned off, as words for the shell; empty if none is.
    offloads: String,
    /// Bytes that each transmit queue of the WAN device may hold.
    bql: Option<u64>,
    sysctls: &'a [crate::tc::Sysctl],
    marks: Vec<String>,
    objects: Vec<String>,
}

/// Returns the plain script of a program for a router with these facts. It makes the same objects as
/// [`batch`](super::batch()) and keeps no state.
///
/// # Errors
/// Fails if the built-in template does not render, which a test rules out.
pub fn plain(program: &Program, facts: Facts, summary: &Summary) -> Result<String, EmitError> {
    // The port of a tunnel is only known on the router.
    let unknown = program.decrypted.iter().filter(|tunnel| tunnel.port.is_none());
    let tunnels: Vec<&str> = unknown.map(|tunnel| tunnel.device.as_str()).collect();
    let program = &program.with_tunnels(|tunnel| tunnel.port).at_wan();
    let has_ifb = program.qdiscs.iter().any(|q| q.dev == Dev::Ifb);
    let plain = Plain {
        summary: rates(summary),
        header: facts.header,
        like: devices_with(facts.header),
        decrypted: tunnels.join(" and "),
        wan: program.wan.as_str(),
        ifb: has_ifb.then_some(program.ifb.as_str()),
        behind: program.decrypted.iter().map(|own| own.device.as_str()).collect(),
        hook: program.qdiscs.iter().any(|q| q.kind == QdiscKind::Clsact),
        links: links(program, has_ifb),
        offloads: offloads(program),
        bql: program.settings.bql.map(crate::units::Bytes::get),
        sysctls: &program.settings.sysctls,
        marks: nft::table(program, program.wan.as_str(), &summary.source, shell::comment),
        objects: batch(program, facts, &summary.source).lines().map(str::to_owned).collect(),
    };
    let frame = Frame {
        link: program.link.as_str(),
        version: env!("CARGO_PKG_VERSION"),
        source: shell::comment(&summary.source),
        plain,
    };
    template::render(PLAIN, &frame)
}

/// Returns the profile and the rates as comments. The classes are in the comments of their objects.
fn rates(summary: &Summary) -> Vec<String> {
    let rates = summary.lines.iter().take_while(|line| !line.is_empty());
    rates.map(|line| format!("# {}", shell::comment(line))).collect()
}

/// Returns the lines for `ip -batch`.
fn links(program: &Program, has_ifb: bool) -> Vec<String> {
    let (link, wan, ifb) = (&program.link, &program.wan, &program.ifb);
    let mut lines = Vec::new();
    if has_ifb {
        lines.push(format!("link add name {ifb} type ifb"));
        lines.push(format!("link set dev {ifb} txqueuelen 1000 alias qosc-{link} up"));
    }
    if let Some(length) = program.settings.txqueuelen {
        lines.push(format!("link set dev {wan} txqueuelen {length}"));
    }
    if program.settings.split.up {
        lines.push(format!("link set dev {wan} gso_max_segs 1"));
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
