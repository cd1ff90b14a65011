//! Conditions of matches.

use crate::config::Match;
use crate::packet::Conditions;
use crate::report::ImportReport;
use crate::text::Word;
use qosc_compiler::diag::{Span, ticked};
use qosc_compiler::terms::{Direction, PerDirection};
use qosc_compiler::units::{Address, Dscp, Family, PortRange, Protocol};
use std::str::FromStr;

/// IP versions of a statement as its first word has them: ``, `4`, `6` or `46`.
pub(super) type Versions = &'static str;

/// Alternatives of a match in each direction.
type Alternatives = PerDirection<Vec<Match>>;

/// A match in each direction of the interface: its place among all matches, and the place that it gives its class.
pub(super) type Placed = (u32, u32, Alternatives);

/// What a match with `prio` adds to its place, so that it alone does not move its class.
pub(super) const MOVED: u32 = 1 << 31;

/// Returns a match and its place, `order` without `prio`. `None` if a condition has no equivalent, so that the match
/// would hold for more packets.
pub(super) fn alternatives(
    words: &[Word],
    versions: Versions,
    directions: &[Direction],
    mut order: u32,
    span: Span,
    report: &mut ImportReport,
) -> Option<Placed> {
    let mut place = order;
    let mut all = Conditions::default();
    // Addresses at any end, and the direction from which `src` and `dst` are meant.
    let (mut either, mut viewpoint): (Vec<Address>, Option<Direction>) = Default::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let key = word.text.to_ascii_lowercase();
        let key = key.as_str();
        let mut given = "";
        let mut value = || {
            given = words.next().map(|word| word.text.as_str()).unwrap_or_default();
            given
        };
        let known = match key {
            "tcp" | "udp" | "icmp" | "gre" | "ipv6" | "all" | "sctp" => protocols(key, &mut all.base),
            "proto" | "protocol" | "protocols" => protocols(value(), &mut all.base),
            "port" | "ports" => ports(value(), &mut all.base.port),
            "sport" | "sports" => ports(value(), &mut all.sport),
            "dport" | "dports" => ports(value(), &mut all.dport),
            "src" => several(value(), &mut all.src),
            "dst" => several(value(), &mut all.dst),
            "ip" | "ips" | "net" | "nets" | "host" | "hosts" => several(value(), &mut either),
            "dscp" => several(value(), &mut all.base.dscp),
            "tos" | "priority" => tos(value(), &mut all.base.dscp),
            "rawmark" | "rawmarks" => several(value(), &mut all.base.mark),
            "syn" | "syns" => tcp("syn", &mut all.base),
            "ack" | "acks" => tcp("ack", &mut all.base),
            "input" => set(&mut viewpoint, Direction::Down),
            "output" => set(&mut viewpoint, Direction::Up),
            "prio" => {
                let known = value().parse().map(|number| order = number).is_ok();
                place = order.saturating_add(MOVED);
                known
            }
            "class" => !value().is_empty(),
            _ => false,
        };
        if !known {
            let said =
                format!("the condition {} has no equivalent", ticked(format!("{key} {given}").trim_end()));
            let help = "write a match with the keys of the file";
            report.lost(word.span, format!("{said}, so the match is left out"), help);
            return None;
        }
    }
    // FireQOS asks for flags only in packets of TCP. The flag implies the protocol.
    match all.base.protocol.is_empty() || all.base.protocol.contains(&Protocol::TCP) {
        true if !all.base.tcp.is_empty() => all.base.protocol.clear(),
        true => {}
        false => all.base.tcp.clear(),
    }
    match all.add_protocols() {
        Ok(false) => {}
        Ok(true) => report.other(span, "a port without a protocol becomes `protocol: [tcp, udp]`", ""),
        Err(_) => {
            let said = "one of these protocols has no ports, so the match is left out";
            report.lost(span, said, "write a match for each protocol");
            return None;
        }
    }
    all.base.family = match versions {
        "4" => Some(Family::Ipv4),
        "6" => Some(Family::Ipv6),
        _ => None,
    };
    let alternatives = PerDirection::from_fn(|direction| {
        if !directions.contains(&direction) {
            return Vec::new();
        }
        let one = all.of_direction(direction, viewpoint.unwrap_or(direction));
        if either.is_empty() {
            return vec![one];
        }
        let at = |own: &[Address]| [own, &either].concat();
        vec![Match { local: at(&one.local), ..one.clone() }, Match { remote: at(&one.remote), ..one }]
    });
    Some((order, place, alternatives))
}

fn set<T>(slot: &mut Option<T>, value: T) -> bool {
    *slot = Some(value);
    true
}

/// Reads values with commas between them. `false` if one cannot be read.
fn each<T>(text: &str, all: &mut Vec<T>, read: impl Fn(&str) -> Option<T>) -> bool {
    let values: Option<Vec<T>> = text.split(',').filter(|part| !part.is_empty()).map(read).collect();
    values.filter(|values| !values.is_empty()).map(|values| all.extend(values)).is_some()
}

fn protocols(text: &str, one: &mut Match) -> bool {
    if matches!(text, "all" | "any") {
        return true;
    }
    let known = each(text, &mut one.protocol, |name| name.to_ascii_lowercase().parse().ok());
    // The ICMP of both versions is meant.
    if one.protocol.contains(&Protocol::ICMP) && !one.protocol.contains(&Protocol::ICMPV6) {
        one.protocol.push(Protocol::ICMPV6);
    }
    known
}

fn several<T: FromStr>(text: &str, all: &mut Vec<T>) -> bool {
    matches!(text, "all" | "any") || each(text, all, |part| part.parse().ok())
}

fn ports(text: &str, all: &mut Vec<PortRange>) -> bool {
    matches!(text, "all" | "any")
        || each(text, all, |part| {
            let part = part.replace(':', "-");
            // no packet has the port 0
            part.strip_prefix("0-").map_or_else(|| part.parse(), |end| format!("1-{end}").parse()).ok()
        })
}

/// Reads values of the former TOS field that are code points.
fn tos(text: &str, all: &mut Vec<Dscp>) -> bool {
    each(text, all, |part| {
        let number = match part {
            "min-delay" | "minimize-delay" | "minimum-delay" | "low-delay" | "interactive" => 0x10,
            "maximize-throughput" | "maximum-throughput" | "max-throughput" | "high-throughput" | "bulk" => {
                0x08
            }
            "maximize-reliability" | "maximum-reliability" | "max-reliability" | "reliable" => 0x04,
            "normal-service" | "normal" => 0,
            _ => {
                let (value, mask) = part.split_once('/').unwrap_or((part, "0xfc"));
                let is_code_point = matches!(mask, "0xfc" | "0xff" | "252" | "255");
                let hex = value.strip_prefix("0x").map(|hex| u8::from_str_radix(hex, 16));
                hex.unwrap_or_else(|| value.parse()).ok().filter(|_| is_code_point)?
            }
        };
        (number & 3 == 0).then(|| Dscp::new(number >> 2))?
    })
}

fn tcp(kind: &'static str, one: &mut Match) -> bool {
    one.tcp.push(kind);
    true
}
