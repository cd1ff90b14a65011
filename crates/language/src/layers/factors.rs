//! Numbers in a file that multiply the work on it, for the finding that the work is too much.

use super::tree::{entry, text};
use crate::diag::Span;
use crate::syntax::{Entry, Node, YamlValue};

/// Number of objects in a file, their noun in the singular, and their place.
pub type Factor = (usize, &'static str, Span);

/// Sections whose entries count, with their nouns.
const SECTIONS: [(&str, &str); 7] = [
    ("links", "link"),
    ("variants", "variant"),
    ("classes", "class"),
    ("templates", "template"),
    ("hosts", "host"),
    ("tunnels", "tunnel"),
    ("police", "policer"),
];

/// Returns the factors of the work on a file: the numbers of its objects, of the devices of its prefixes with `each`, and
/// of the values in its longest list.
#[must_use]
pub fn factors(root: &YamlValue) -> Vec<Factor> {
    let number = |(key, noun)| entry(root, key).map(|own| (entries(&own.value).len(), noun, own.key.span));
    let mut found: Vec<Factor> = SECTIONS.into_iter().filter_map(number).collect();
    let hosts = entry(root, "hosts").map_or(&[][..], |hosts| entries(&hosts.value));
    let prefixes = hosts.iter().filter_map(|host| Some((devices(&host.value)?, host.key.span)));
    let each = prefixes.reduce(|(sum, first), (own, _)| (sum + own, first));
    found.extend(each.map(|(sum, first)| (sum, "`each` device", first)));
    found.extend(longest(root).map(|(length, list)| (length, "listed value", list)));
    found.retain(|(number, ..)| *number > 1);
    found
}

fn entries(value: &YamlValue) -> &[Entry] {
    if let Node::Map(entries) = &value.node { entries } else { &[] }
}

/// Returns the number of addresses in the prefix of a host with `each`.
fn devices(host: &YamlValue) -> Option<usize> {
    entry(host, "each")?;
    let (_, length) = text(&entry(host, "address")?.value)?.split_once('/')?;
    1_usize.checked_shl(32_u32.checked_sub(length.parse().ok()?)?)
}

/// Returns the length and the place of the longest list.
fn longest(value: &YamlValue) -> Option<(usize, Span)> {
    match &value.node {
        Node::Map(entries) => {
            entries.iter().filter_map(|entry| longest(&entry.value)).max_by_key(|own| own.0)
        }
        Node::Seq(items) => {
            items.iter().filter_map(longest).chain([(items.len(), value.span)]).max_by_key(|own| own.0)
        }
        _ => None,
    }
}
