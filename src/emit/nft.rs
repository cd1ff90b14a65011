//! The table of marks as text for nft.

use super::lines::origin;
use super::shell;
use crate::tc::{Element, LookedUp, Lookup, Marks, Program};
use std::collections::BTreeSet;

/// Runs before the source is translated (100), and after everything else that a rule may do to an address.
const POSTROUTING: i32 = 99;

/// Runs before everything that could look at a mark: conntrack's own hook is at -200, raw tables at -300.
const PREROUTING: i32 = -500;

/// The name of a link's table.
pub(super) fn name(program: &Program) -> String {
    format!("qosc_{}", program.link.as_str())
}

/// The table of a program as lines for `nft -f`, and none where it has none. `device` is the WAN device as the reader
/// takes it; `escape` makes a comment fit where it stands.
pub(super) fn table(
    program: &Program,
    device: &str,
    source: &str,
    escape: fn(&str) -> String,
) -> Vec<String> {
    let Some(marks) = &program.marks else { return Vec::new() };
    let printer = Printer { marks, device, source, escape };
    let mut lines = vec![
        format!("table inet {} {{", name(program)),
        printer.comment(
            4,
            &format!("{}, in the bits {:#010x} of marks", origin(&marks.why, source), marks.mask),
        ),
    ];
    for lookup in &marks.lookups {
        lines.extend(printer.maps(lookup));
        lines.extend(printer.chains(lookup));
    }
    lines.extend(printer.value_chains());
    lines.push("}".to_owned());
    lines
}

struct Printer<'a> {
    marks: &'a Marks,
    device: &'a str,
    source: &'a str,
    escape: fn(&str) -> String,
}

/// A chain, with its indented lines.
fn chain(name: &str, rules: impl IntoIterator<Item = String>) -> Vec<String> {
    let rules = rules.into_iter().map(|rule| format!("        {rule}"));
    [format!("    chain {name} {{")].into_iter().chain(rules).chain(["    }".to_owned()]).collect()
}

impl Printer<'_> {
    fn comment(&self, indent: usize, text: &str) -> String {
        format!("{:indent$}# {}", "", (self.escape)(text))
    }

    /// The maps of a lookup. Code points are looked up in maps without a name: nft up to 1.0.6 at least gets those of
    /// IPv6 wrong in maps that have one.
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
        ] {
            let elements: Vec<&Element> = lookup.elements.iter().filter(|own| fits(&own.key)).collect();
            if elements.is_empty() {
                continue;
            }
            lines.push(format!("    map {}{suffix} {{", lookup.name));
            lines.push(format!("        type {kind} : verdict"));
            // With its size known, a lookup costs the same however many there are.
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
                    (self.escape)(&origin(&element.why, self.source)),
                ));
            }
            lines.extend(["        }".to_owned(), "    }".to_owned()]);
        }
        lines
    }

    /// A chain for each value of the lookup's bits, and the one that looks them up.
    fn chains(&self, lookup: &Lookup) -> Vec<String> {
        let mut values: BTreeSet<u32> = lookup.elements.iter().map(|own| own.mark).collect();
        values.insert(0);
        let mut lines = Vec::new();
        for mark in values {
            let (bits, rest) = (lookup.bits, !lookup.bits);
            let or = if mark == 0 { String::new() } else { format!(" | {mark:#010x}") };
            // What is right already is not written, so that nobody who changes other bits at the same time is undone.
            lines.push(format!(
                "    chain {} {{ ct mark & {bits:#010x} != {mark:#010x} ct mark set ct mark & {rest:#010x}{or}; meta mark set meta mark & {rest:#010x}{or}; }}",
                chain_name(lookup, mark)
            ));
        }
        let has = |fits: fn(&LookedUp) -> bool| lookup.elements.iter().any(|own| fits(&own.key));
        let name = &lookup.name;
        let mut rules = Vec::new();
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

    /// Where packets come by.
    fn value_chains(&self) -> Vec<String> {
        let Marks { mask, restored, flag, lookups, .. } = self.marks;
        let device = self.device;
        let mut lines = Vec::new();
        if !lookups.is_empty() {
            lines.extend(chain("who", lookups.iter().map(|lookup| format!("jump {}", lookup.name))));
            lines.extend(chain(
                "postrouting",
                [
                    format!("type filter hook postrouting priority {POSTROUTING}; policy accept;"),
                    format!("oifname \"{device}\" jump who"),
                ],
            ));
        }
        // What downloads were given back for their class is gone again before anyone else sees the packet. A mark
        // that a packet came with has no flag, and only bits that are ours go.
        let mut rules = vec![format!("type filter hook prerouting priority {PREROUTING}; policy accept;")];
        if *flag != 0 {
            let rest = !(restored | flag);
            rules.push(format!(
                "iifname \"{device}\" meta mark & {flag:#010x} != 0 meta mark set meta mark & {rest:#010x}"
            ));
        }
        if mask & !flag != 0 {
            let mask = mask & !flag;
            let rest = !mask;
            rules.push(format!(
                "iifname \"{device}\" meta mark & {mask:#010x} != 0 meta mark set meta mark & {rest:#010x}"
            ));
        }
        lines.extend(chain("prerouting", rules));
        lines
    }
}

/// A value's place among those that the lookup's bits can hold, in hex.
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
    }
}

/// A line without its comment, or nothing where that was all: what counts of it.
pub(super) fn bare(line: &str) -> Option<&str> {
    let line = line.split_once('#').map_or(line, |(words, _)| words).trim_end();
    (!line.is_empty()).then_some(line)
}

/// The table of a program on its WAN device, without comments: what the record of a start keeps of it. Empty where
/// there is none.
#[must_use]
pub fn marks(program: &Program) -> String {
    let lines = table(program, program.wan.as_str(), "", shell::comment);
    lines.iter().filter_map(|line| bare(line)).map(|line| format!("{line}\n")).collect()
}

/// The command that loads the table of a program, as a script's `print` shows it.
#[must_use]
pub fn marks_command(program: &Program, source: &str) -> String {
    let name = name(program);
    let mut lines = vec![
        "nft -f - <<'END'".to_owned(),
        format!("add table inet {name}"),
        format!("delete table inet {name}"),
    ];
    lines.extend(table(program, program.wan.as_str(), source, shell::comment));
    lines.push("END".to_owned());
    lines.join("\n")
}

#[cfg(test)]
#[path = "nft_tests.rs"]
mod tests;
