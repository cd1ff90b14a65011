//! Checks keys of mappings, reports duplicate keys and merges merge keys.

use crate::diag::{Code, Diagnostic, Fix, Span, Spanned};
use crate::syntax::findings::Findings;
use crate::syntax::node::{Entry, Node, YamlValue};
use crate::syntax::quote::quote;
use std::collections::{HashMap, HashSet};

/// A key whose value is not read yet.
pub(super) enum Key {
    /// A text.
    Usable { key: Spanned<String>, quoted: bool },
    /// Anything else. It is already reported, and its value is dropped.
    Unusable,
}

impl Key {
    /// Checks the node in the place of a key.
    pub(super) fn new(value: YamlValue, found: &mut Findings<'_>) -> Key {
        let (message, help) = match value.node {
            Node::Scalar { text, quoted } => {
                return Key::Usable { key: Spanned::new(text, value.span), quoted };
            }
            Node::Unread | Node::Removed => return Key::Unusable,
            Node::Null => ("the key before this `:` is missing", "write `key: value`"),
            Node::Seq(_) => ("a list cannot be a key", "put a key that begins with `[` in quotes"),
            Node::Map(_) => ("a mapping cannot be a key", "put a key that begins with `{` in quotes"),
        };
        found.push(Diagnostic::new(Code::WrongType, value.span, message).help(help));
        Key::Unusable
    }
}

/// Largest number of keys for which a linear search is fast enough; larger mappings get an index.
const FEW: usize = 16;

/// Returns the place of the first equal key for each entry, if that is another entry.
fn firsts(entries: &[Entry]) -> Vec<Option<Span>> {
    if entries.len() <= FEW {
        let before = |n: usize| entries.iter().take(n);
        return entries
            .iter()
            .enumerate()
            .map(|(n, entry)| before(n).find(|e| e.key.value == entry.key.value).map(|e| e.key.span))
            .collect();
    }
    let mut seen: HashMap<&str, Span> = HashMap::with_capacity(entries.len());
    let mut firsts = Vec::with_capacity(entries.len());
    for entry in entries {
        firsts.push(seen.get(entry.key.value.as_str()).copied());
        seen.entry(&entry.key.value).or_insert(entry.key.span);
    }
    firsts
}

/// Returns the fix that removes a second key with exactly the same value.
fn twice(entry: &Entry, first: Option<&Entry>) -> Option<Fix> {
    let value = &entry.value;
    let same = same(&value.node, &first?.value.node) && value.anchored.is_none();
    let span = Span { end: value.span.end, ..entry.key.span };
    (same && value.span.start > entry.key.span.end).then(|| Fix::take_out("remove one of them", span))
}

/// Returns `true` if two nodes are equal, independent of their places. A node without a value or with an unreadable one
/// equals no node.
fn same(one: &Node, other: &Node) -> bool {
    match (one, other) {
        (Node::Scalar { .. }, Node::Scalar { .. }) => one == other,
        (Node::Seq(one), Node::Seq(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(&one.node, &other.node))
        }
        (Node::Map(one), Node::Map(other)) => {
            let key = |one: &Entry, other: &Entry| one.key.value == other.key.value;
            let entry =
                |one: &Entry, other: &Entry| key(one, other) && same(&one.value.node, &other.value.node);
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| entry(one, other))
        }
        _ => false,
    }
}

/// Returns several alternatives of a match that were written as one, as a list.
fn alternatives(entries: &[Entry], firsts: &[Option<Span>]) -> Option<String> {
    /// Keys that only a match has, and of which each alternative usually has one.
    const KEYS: [&str; 5] = ["app", "protocol", "port", "local_port", "remote_port"];
    let is_twice =
        |(entry, first): (&Entry, &Option<Span>)| first.is_some() && KEYS.contains(&entry.key.value.as_str());
    if !entries.iter().zip(firsts).any(is_twice) {
        return None;
    }
    let mut list: Vec<Vec<(&str, String)>> = vec![Vec::new()];
    for entry in entries {
        let Node::Scalar { text, .. } = &entry.value.node else { return None };
        let key = entry.key.value.as_str();
        if list.last()?.iter().any(|(own, _)| *own == key) {
            list.push(Vec::new());
        }
        list.last_mut()?.push((key, quote(text)));
    }
    let shown = |keys: &Vec<(&str, String)>| {
        let keys: Vec<String> = keys.iter().map(|(key, text)| format!("{key}: {text}")).collect();
        format!("{{ {} }}", keys.join(", "))
    };
    Some(format!("[{}]", list.iter().map(shown).collect::<Vec<_>>().join(", ")))
}

/// Returns the finding about `{ up: 2,5mbit }`, which YAML reads as `up: 2` and a key `5mbit`.
fn decimal_comma(entry: &Entry, before: Option<&Entry>) -> Option<Diagnostic> {
    let value = &before?.value;
    let Node::Scalar { text, .. } = &value.node else { return None };
    let digits = |text: &str| !text.is_empty() && text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
    let (rest, key) = (&entry.key.value, entry.key.span);
    let unit = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    // Without a unit, these are several values, such as ports.
    let meant =
        digits(text) && unit.len() < rest.len() && unit.starts_with(|c: char| c.is_alphabetic() || c == '%');
    if !meant || entry.value.node != Node::Null || key.line != value.span.line {
        return None;
    }
    let number = quote(&format!("{text}.{rest}"));
    // Three digits after the comma may be thousands, and text at a distance may be anything.
    let close = value.span.end + 1 == key.start && rest.bytes().take_while(u8::is_ascii_digit).count() != 3;
    let comma = Span { start: value.span.end, end: key.start, column: key.column.saturating_sub(1), ..key };
    let message = format!("in braces, the comma of `{text},{}` begins a new key", quote(rest));
    let finding = Diagnostic::new(Code::UnknownKey, Span { end: key.end, ..value.span }, message);
    let fix = close.then(|| Fix::text(format!("write `{number}`"), comma, "."));
    Some(finding.help(format!("write the decimals after a point: `{number}`")).fix(fix))
}

/// Returns the entries of a mapping with each key once. The first of two equal keys remains, and entries from `<<` are
/// added unless the mapping has the key itself.
pub(super) fn settle(entries: Vec<Entry>, found: &mut Findings<'_>) -> Vec<Entry> {
    let firsts = firsts(&entries);
    let (alternatives, mut told) = (alternatives(&entries, &firsts), false);
    let mut own: Vec<Entry> = Vec::with_capacity(entries.len());
    let mut merge = None;
    for (entry, first) in entries.into_iter().zip(firsts) {
        if let Some(first) = first {
            if found.is_full() {
                found.count(entry.key.span);
                continue;
            }
            let message = format!("the key `{}` is given twice", quote(&entry.key.value));
            let help = match (&alternatives, &entry.value.node) {
                // The other keys of the second alternative are given twice for the same reason.
                (Some(_), _) if std::mem::replace(&mut told, true) => continue,
                (Some(list), _) => {
                    format!("for packets of one kind or another, write alternatives: `{list}`")
                }
                (None, Node::Map(_)) => {
                    "give one of them another name, or write the keys of both in one".to_owned()
                }
                (None, _) => "remove one of them".to_owned(),
            };
            found.push(
                Diagnostic::new(Code::DuplicateKey, entry.key.span, message)
                    .label("given again")
                    .also(first, "first given here")
                    .help(help)
                    .fix(twice(&entry, own.iter().find(|own| own.key.value == entry.key.value))),
            );
        } else if entry.key.value == "<<" && !entry.quoted {
            merge = Some(entry.value);
        } else if let Some(finding) = decimal_comma(&entry, own.last()) {
            found.push(finding);
            own.iter_mut().rev().take(1).for_each(|before| before.value.node = Node::Unread);
        } else {
            own.push(entry);
        }
    }
    let Some(merge) = merge else { return own };
    let mut seen: HashSet<String> = own.iter().map(|entry| entry.key.value.clone()).collect();
    let sources = match merge.node {
        Node::Seq(items) => items,
        _ => vec![merge],
    };
    for source in sources {
        let entries = match source.node {
            Node::Map(entries) => entries,
            Node::Unread => continue,
            node => {
                let message = format!("`<<` merges the keys of a mapping, but this is {}", node.kind());
                found.push(
                    Diagnostic::new(Code::WrongType, source.span, message)
                        .help("write `<<: *name`, where `&name` stands before a mapping, or write a list of such aliases"),
                );
                continue;
            }
        };
        own.extend(entries.into_iter().filter(|entry| seen.insert(entry.key.value.clone())));
    }
    own
}
