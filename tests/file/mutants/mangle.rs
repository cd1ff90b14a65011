//! Arbitrary input, made from meaningful files.

use super::chance::Chance;

/// Words of the format, of YAML, and numbers near limits.
const WORDS: &[&str] = &[
    "link",
    "device",
    "profile",
    "up",
    "down",
    "overhead",
    "mpu",
    "layer",
    "margin",
    "mtu",
    "ingress",
    "engine",
    "frames",
    "trust_dscp",
    "devices",
    "wash",
    "lan",
    "networks",
    "nat",
    "shaped",
    "hosts",
    "address",
    "mac",
    "class",
    "guarantee",
    "ceiling",
    "each",
    "tunnels",
    "kind",
    "remote",
    "port",
    "inner",
    "classes",
    "preset",
    "priority",
    "share",
    "queue",
    "default",
    "match",
    "set_dscp",
    "id",
    "host",
    "local",
    "protocol",
    "local_port",
    "remote_port",
    "dscp",
    "mark",
    "tunnel",
    "family",
    "direction",
    "length",
    "tcp",
    "police",
    "rate",
    "burst",
    "exceed",
    "bypass",
    "tuning",
    "offloads",
    "txqueuelen",
    "bql",
    "ecn",
    "mark_mask",
    "script",
    "calls",
    "expect",
    "target",
    "interval",
    "limit",
    "quantum",
    "flows",
    "memory",
    "rtt",
    "diffserv",
    "ack_filter",
    "atm",
    "ptm",
    "shape",
    "none",
    "htb",
    "cake",
    "fifo",
    "fq_codel",
    "pppoe",
    "adsl-pppoa-vcmux",
    "docsis",
    "wireless",
    "home",
    "drop",
    "reclassify",
    "wireguard",
    "ipip",
    "l2tp",
    "vxlan",
    "per-host",
    "per-flow",
    "both",
    "auto",
    "ipv4",
    "ipv6",
    "udp",
    "icmpv6",
    "ack",
    "cs1",
    "ef",
    "le",
    "1mbit",
    "8kbit",
    "0.001bit",
    "9223372036854775807bit",
    "99999999gbit",
    "100%",
    "0%",
    "0.0001%",
    "-1",
    "0",
    "7",
    "8",
    "65535",
    "65536",
    "4294967295",
    "18446744073709551616",
    "0x1f",
    "0xffffffff/0xffffffff",
    "10.0.0.0/8",
    "192.168.1.5",
    "0.0.0.0/0",
    "::/0",
    "::10/-64",
    "2001:db8::1",
    "fe80::1",
    "02:00:5e:10:00:01",
    "1-65535",
    "<128",
    ">1500",
    "5ms",
    "10s",
    "1us",
    "16MiB",
    "4096MiB",
    "~",
    "null",
    "true",
    "off",
    "012",
    "1_000",
    "1e3",
    ".5",
    ".inf",
    "1:30",
    "2026-01-31",
    "[",
    "]",
    "{",
    "}",
    ": ",
    "- ",
    ", ",
    "? ",
    "&a ",
    "*a",
    "<<: *a",
    "!!str ",
    "!x ",
    "|\n",
    ">-\n",
    "\"",
    "'",
    "\\",
    "\\u0000",
    "#",
    " # qosc: allow(Q0601)",
    "---\n",
    "...\n",
    "%YAML 1.1\n",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{85}",
    "\u{2028}",
    "\u{202e}",
    "é",
    "🏠",
    "\0",
    "\u{1b}[31m",
    "$(reboot)",
    "`reboot`",
    "%s",
    "{{ x }}",
];

/// The size limit of a mutated text.
pub const LONGEST: usize = 32 << 10;

/// Makes a text from another one and from pieces of the others.
pub fn mangled(chance: &mut Chance, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut bytes = chance.one(corpus).clone();
    for _ in 0..=chance.below(5) {
        match chance.below(10) {
            0..=2 => byte(&mut bytes, chance),
            3..=5 => word(&mut bytes, chance),
            6..=8 => line(&mut bytes, chance),
            _ => splice(&mut bytes, chance, corpus),
        }
        bytes.truncate(LONGEST);
    }
    bytes
}

/// A position in the text, which may be its end.
fn place(bytes: &[u8], chance: &mut Chance) -> usize {
    chance.below(bytes.len() + 1)
}

fn byte(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let at = place(bytes, chance);
    let end = (at + 1 + chance.below(8)).min(bytes.len());
    match chance.below(5) {
        0 if at < bytes.len() => bytes[at] ^= 1 << chance.below(8),
        1 if at < bytes.len() => bytes[at] = *chance.one(b"\0\t\n\r !\"#%&'*,-.0:<>?@[]`{|}~\x7f\xc3\xff"),
        2 => bytes.insert(at, *chance.one(b" \n:-,[]{}'\"#0a")),
        3 => drop(bytes.drain(at..end)),
        _ => {
            let piece = bytes[at..end].to_vec();
            drop(bytes.splice(at..at, piece));
        }
    }
}

/// Inserts a word, or replaces one.
fn word(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let part = |b: &u8| b.is_ascii_alphanumeric() || b"_-./%".contains(b);
    let at = place(bytes, chance);
    let (mut start, mut end) = (at, at);
    if chance.below(3) > 0 {
        start -= bytes[..at].iter().rev().take_while(|b| part(b)).count();
        end += bytes[at..].iter().take_while(|b| part(b)).count();
    }
    drop(bytes.splice(start..end, chance.one(WORDS).bytes()));
}

/// Deletes, doubles, moves or indents a line.
fn line(bytes: &mut Vec<u8>, chance: &mut Chance) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|b| *b == b'\n').map(<[u8]>::to_vec).collect();
    if lines.is_empty() {
        return;
    }
    let (one, other) = (chance.below(lines.len()), chance.below(lines.len()));
    match chance.below(5) {
        0 => drop(lines.remove(one)),
        1 => lines.insert(one, lines[one].clone()),
        2 => lines.swap(one, other),
        3 => lines[one].insert(0, *chance.one(b"  \t")),
        _ => {
            let blanks = lines[one].iter().take_while(|b| **b == b' ').count();
            drop(lines[one].drain(..chance.below(blanks + 1)));
        }
    }
    *bytes = lines.concat();
}

/// Joins the beginning of one text and the end of another.
fn splice(bytes: &mut Vec<u8>, chance: &mut Chance, corpus: &[Vec<u8>]) {
    let other = chance.one(corpus);
    let begins = |bytes: &[u8], at: usize| bytes[..at].iter().rposition(|b| *b == b'\n').map_or(0, |n| n + 1);
    let (head, tail) = (place(bytes, chance), place(other, chance));
    let (head, tail) = (begins(bytes, head), begins(other, tail));
    bytes.truncate(head);
    bytes.extend_from_slice(&other[tail..]);
}
