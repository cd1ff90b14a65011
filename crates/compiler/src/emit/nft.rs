//! Prints the table of marks as text for nft.

use super::lines::origin;
use super::shell;
use crate::tc::{Element, LookedUp, Lookup, Marks, Program};
use crate::units::IfName;
use std::collections::BTreeSet;

/// Hook priority before source NAT (100), and after everything else that a rule may do to an address.
const POSTROUTING: i32 = 99;

/// Protocols whose headers begin with the ports, by name or number in every nft.
const PORTED: &str = "tcp, udp, dccp, sctp, udplite";

/// Hook priority before everything that could read a mark: conntrack's own hook is at -200, raw tables at -300.
const PREROUTING: i32 = -500;

/// Returns the name of a link's table.
pub(super) fn name(program: &Program) -> String {
    format!("qosc_{}", program.link.as_str())
}

/// Returns the table of a program as lines for `nft -f`; empty if there is no table. `device` is the WAN device in the
/// form for the reader. `escape` makes a comment safe for its place.
pub(super) fn table(
    program: &Program,
    device: &str,
    source: &str,
    escape: fn(&str) -> String,
) -> Vec<String> {
    let uploads = redirect(program, device);
    let Some(marks) = &program.marks else { return uploads };
    let printer = Printer { marks, device, source, files: &program.files, escape };
    let mut lines = vec![
        format!("table inet {} {{", name(program)),
        printer.comment(
            4,
            &format!(
                "{}, in the bits {:#010x} of marks",
                origin(&marks.why, source, &program.files),
                marks.mask
            ),
        ),
    ];
    for lookup in &marks.lookups {
        lines.extend(printer.maps(lookup));
        lines.extend(printer.chains(lookup));
    }
    lines.extend(printer.value_chains());
    lines.push("}".to_owned());
    lines.extend(uploads);
    lines
}

/// Returns the table that sends all uploads to their ifb, except packets that a tunnel has encrypted: these were queued
/// before. Unlike `mirred` of tc, `fwd` keeps the packet's connection, so CAKE finds its host behind NAT.
fn redirect(program: &Program, device: &str) -> Vec<String> {
    let Some(ifb) = program.uploads_ifb() else { return Vec::new() };
    let is_script = device == "@wan";
    let ifb = if is_script { "@up" } else { ifb.as_str() };
    let mut rules = vec![format!("type filter hook egress device \"{device}\" priority 0; policy accept;")];
    let tunnels = program.decrypted.iter().filter(|tunnel| tunnel.uploads);
    rules.extend(tunnels.map(|tunnel| match tunnel.port {
        Some(port) => format!("udp sport {port} accept"),
        None => format!("@with {} udp sport @port accept", tunnel.device),
    }));
    rules.push(format!("fwd to \"{ifb}\""));
    let mut lines = vec![format!("table netdev {} {{", name(program))];
    lines.extend(chain("uploads", rules));
    lines.push("}".to_owned());
    lines
}

struct Printer<'a> {
    marks: &'a Marks,
    device: &'a str,
    source: &'a str,
    files: &'a [String],
    escape: fn(&str) -> String,
}

/// Returns a chain with its indented lines.
fn chain(name: &str, rules: impl IntoIterator<Item = String>) -> Vec<String> {
    let rules = rules.into_iter().map(|rule| format!("        {rule}"));
    [format!("    chain {name} {{")].into_iter().chain(rules).chain(["    }".to_owned()]).collect()
}

impl Printer<'_> {
    fn comment(&self, indent: usize, text: &str) -> String {
        format!("{:indent$}# {}", "", (self.escape)(text))
    }

    /// Returns the maps of a lookup. Code points have no named maps, because nft up to at least 1.0.6 mishandles those
    /// of IPv6 in named maps.
    fn maps(&self, lookup: &Lookup) -> Vec<String> {
        let mut lines = Vec::new();
        for (suffix, kind, fits) in [
            (
                "",
                "ipv4_addr",
                (|key| matches!(key, LookedUp::Source(own) if own.is_ipv4())) as fn(&LookedUp) -> bool,
            ),
            ("_net", "ipv4_addr", |key| matches!(key, LookedUp::Sources(own, _) if own.is_ipv4())),
            ("6", "ipv6_addr", |key| matches!(key, LookedUp::Source(own) if own.is_ipv6())),
            ("6_net", "ipv6_addr", |key| matches!(key, LookedUp::Sources(own, _) if own.is_ipv6())),
            ("", "ether_addr", |key| matches!(key, LookedUp::Mac(_))),
            ("_net", "inet_service", |key| matches!(key, LookedUp::Ports(_))),
        ] {
            let elements: Vec<&Element> = lookup.elements.iter().filter(|own| fits(&own.key)).collect();
            if elements.is_empty() {
                continue;
            }
            lines.push(format!("    map {}{suffix} {{", lookup.name));
            lines.push(format!("        type {kind} : verdict"));
            // With a known size, the cost of a lookup does not depend on the number of elements.
            lines.push(match suffix.ends_with("_net") {
                true => "        flags interval".to_owned(),
                false => format!("        size {}", elements.len()),
            });
            lines.push("        elements = {".to_owned());
            for (place, element) in elements.iter().enumerate() {
                let comma = if place + 1 < elements.len() { "," } else { "" };
                lines.push(format!(
                    "            {} : goto {}{comma} # {}",
                    key(&element.key),
                    chain_name(lookup, element.mark),
                    (self.escape)(&origin(&element.why, self.source, self.files)),
                ));
            }
            lines.extend(["        }".to_owned(), "    }".to_owned()]);
        }
        lines
    }

    /// Returns one chain for each value of the lookup's bits, and the chain that looks them up.
    fn chains(&self, lookup: &Lookup) -> Vec<String> {
        let mut values: BTreeSet<u32> = lookup.elements.iter().map(|own| own.mark).collect();
        values.insert(0);
        let mut lines = Vec::new();
        for mark in values {
            let (bits, rest) = (lookup.bits, !lookup.bits);
            let or = if mark == 0 { String::new() } else { format!(" | {mark:#010x}") };
            // A mark that is already right is not written, so that simultaneous changes of other bits by other programs
            // survive.
            lines.push(format!(
                "    chain {} {{ ct mark & {bits:#010x} != {mark:#010x} ct mark set ct mark & {rest:#010x}{or}; meta mark set meta mark & {rest:#010x}{or}; }}",
                chain_name(lookup, mark)
            ));
        }
        let has = |fits: fn(&LookedUp) -> bool| lookup.elements.iter().any(|own| fits(&own.key));
        let name = &lookup.name;
        // Before NAT, only what the router itself sends has one of its addresses.
        let own = lookup.elements.iter().filter(|own| own.key == LookedUp::Router);
        let own = own.map(|own| format!("fib saddr type local goto {}", chain_name(lookup, own.mark)));
        let mut rules: Vec<String> = own.collect();
        if has(|key| matches!(key, LookedUp::Source(own) if own.is_ipv4())) {
            rules.push(format!("ip saddr vmap @{name}"));
        }
        if has(|key| matches!(key, LookedUp::Sources(own, _) if own.is_ipv4())) {
            rules.push(format!("ip saddr vmap @{name}_net"));
        }
        if has(|key| matches!(key, LookedUp::Source(own) if own.is_ipv6())) {
            rules.push(format!("ip6 saddr vmap @{name}6"));
        }
        if has(|key| matches!(key, LookedUp::Sources(own, _) if own.is_ipv6())) {
            rules.push(format!("ip6 saddr vmap @{name}6_net"));
        }
        if has(|key| matches!(key, LookedUp::Mac(_))) {
            rules.push(format!("ether saddr vmap @{name}"));
        }
        if has(|key| matches!(key, LookedUp::Ports(_))) {
            rules.push(format!("meta l4proto {{ {PORTED} }} th sport vmap @{name}_net"));
        }
        let points = lookup.elements.iter().filter_map(|own| match own.key {
            LookedUp::Dscp(point) => {
                Some(format!("{} : goto {}", point.bits(), chain_name(lookup, own.mark)))
            }
            _ => None,
        });
        let points: Vec<String> = points.collect();
        if !points.is_empty() {
            rules.extend(["ip", "ip6"].map(|ip| format!("{ip} dscp vmap {{ {} }}", points.join(", "))));
        }
        rules.push(format!("goto {}", chain_name(lookup, 0)));
        lines.extend(chain(name, rules));
        lines
    }

    /// Returns the chains at the hooks that packets pass.
    fn value_chains(&self) -> Vec<String> {
        let Marks { mask, restored, flag, lookups, tunnels, .. } = self.marks;
        let inner = || tunnels.iter().map(IfName::as_str);
        let device = devices([self.device].into_iter().chain(inner()));
        let mut lines = Vec::new();
        if !lookups.is_empty() {
            let jump = |lookup: &Lookup| format!("jump {}", lookup.name);
            lines.extend(chain("who", lookups.iter().map(jump)));
            let hook = |name: &str| format!("type filter hook {name} priority {POSTROUTING}; policy accept;");
            let mut rules = vec![hook("postrouting")];
            if tunnels.is_empty() {
                rules.push(format!("oifname {device} jump who"));
            } else {
                // The outer packets of a tunnel keep the mark that the inner ones got at its device.
                let (wan, inner) = (self.device, devices(inner()));
                rules.push(format!("oifname \"{wan}\" iifname {inner} accept"));
                rules.push(format!("oifname \"{wan}\" goto who"));
                // At `postrouting`, nft reads the Ethernet header only of packets that leave by an Ethernet device.
                let is_mac = |lookup: &&Lookup| {
                    matches!(lookup.elements.as_slice(), [Element { key: LookedUp::Mac(_), .. }, ..])
                };
                let (macs, others): (Vec<&Lookup>, Vec<&Lookup>) = lookups.iter().partition(is_mac);
                let jumps = |some: Vec<&Lookup>| {
                    some.into_iter().map(|own| format!("oifname {inner} {}", jump(own))).collect::<Vec<_>>()
                };
                lines.extend(chain("forward", [hook("forward")].into_iter().chain(jumps(macs))));
                rules.extend(jumps(others));
            }
            lines.extend(chain("postrouting", rules));
        }
        // The bits that were restored for the classification of downloads are cleared before any other program sees the
        // packet. A packet that arrived with a mark has no flag and only loses the script's own bits.
        let mut rules = vec![format!("type filter hook prerouting priority {PREROUTING}; policy accept;")];
        if *flag != 0 {
            let rest = !(restored | flag);
            rules.push(format!(
                "iifname {device} meta mark & {flag:#010x} != 0 meta mark set meta mark & {rest:#010x}"
            ));
        }
        if mask & !flag != 0 {
            let mask = mask & !flag;
            let rest = !mask;
            rules.push(format!(
                "iifname {device} meta mark & {mask:#010x} != 0 meta mark set meta mark & {rest:#010x}"
            ));
        }
        lines.extend(chain("prerouting", rules));
        lines
    }
}

/// Returns one or several devices as nft writes them.
fn devices<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(|name| format!("\"{name}\"")).collect();
    if names.len() == 1 { names.concat() } else { format!("{{ {} }}", names.join(", ")) }
}

/// Returns the name of the chain for a value: the value's bits are packed and printed in hex.
fn chain_name(lookup: &Lookup, mark: u32) -> String {
    let (mut left, mut place, mut number) = (lookup.bits, 0, 0u32);
    while left != 0 {
        let bit = left & left.wrapping_neg();
        if mark & bit != 0 {
            number |= 1 << place;
        }
        left &= !bit;
        place += 1;
    }
    format!("{}_{number:x}", lookup.name)
}

fn key(key: &LookedUp) -> String {
    match key {
        LookedUp::Source(address) => address.to_string(),
        LookedUp::Sources(first, last) => format!("{first}-{last}"),
        LookedUp::Mac(mac) => mac.to_string(),
        LookedUp::Dscp(point) => point.bits().to_string(),
        LookedUp::Ports(ports) => ports.to_string(),
        LookedUp::Router => "local".to_owned(),
    }
}

/// Returns a line without its comment; `None` if nothing else is in it.
pub(super) fn bare(line: &str) -> Option<&str> {
    let line = line.split_once('#').map_or(line, |(words, _)| words).trim_end();
    (!line.is_empty()).then_some(line)
}

/// Returns the table of a program on its WAN device without comments, as the record of a start keeps it. Empty if there
/// is no table.
#[must_use]
pub fn marks(program: &Program) -> String {
    let lines = table(program, program.wan.as_str(), "", shell::comment);
    lines.iter().filter_map(|line| bare(line)).map(|line| format!("{line}\n")).collect()
}

/// Returns the command that loads the table of a program, as a script's `print` shows it.
#[must_use]
pub fn marks_command(program: &Program, source: &str) -> String {
    let name = name(program);
    let mut lines = vec![
        "nft -f - <<'END'".to_owned(),
        format!("add table inet {name}"),
        format!("delete table inet {name}"),
    ];
    if program.is_up_by_ifb {
        lines.extend(["add", "delete"].map(|verb| format!("{verb} table netdev {name}")));
    }
    lines.extend(table(program, program.wan.as_str(), source, shell::comment));
    lines.push("END".to_owned());
    lines.join("\n")
}

#[cfg(test)]
#[path = "nft_tests.rs"]
mod tests;
