//! A mapping with a fixed set of keys: each is asked for once, and at the end what nobody asked for is a finding.

use super::findings::Findings;
use super::node::{Entry, Node};
use super::quote::quote;
use super::values::{Field, nearest};
use crate::diag::{Code, Diagnostic, Span, and_ticked};

/// Words from other tools, and what they are called here.
const ELSEWHERE: &[(&str, &str)] = &[
    ("bandwidth", "rate"),
    ("ceil", "ceiling"),
    ("dest", "remote"),
    ("destination", "remote"),
    ("dev", "device"),
    ("download", "down"),
    ("dport", "remote_port"),
    ("dst", "remote"),
    ("dst_port", "remote_port"),
    ("egress", "up"),
    ("iface", "device"),
    ("ifname", "device"),
    ("interface", "device"),
    ("ip", "address"),
    ("len", "length"),
    ("linklayer", "layer"),
    ("max", "ceiling"),
    ("min", "guarantee"),
    ("prio", "priority"),
    ("proto", "protocol"),
    ("qdisc", "queue"),
    ("rate", "guarantee"),
    ("source", "local"),
    ("sport", "local_port"),
    ("src", "local"),
    ("src_port", "local_port"),
    ("tos", "dscp"),
    ("type", "kind"),
    ("upload", "up"),
];

/// A mapping that is being read.
pub(super) struct Fields<'a> {
    entries: &'a [Entry],
    /// What it is, with its article: `a host`.
    what: &'static str,
    /// The place of the key that the mapping stands for, or of its beginning.
    key_span: Span,
    taken: Vec<bool>,
    known: Vec<&'static str>,
    /// Keys that must be there and are not.
    missing: Vec<(&'static str, &'static str)>,
}

impl<'a> Fields<'a> {
    /// The keys of a value; a finding and `None` when it is no mapping.
    pub(super) fn new(field: Field<'a>, what: &'static str, found: &mut Findings<'_>) -> Option<Fields<'a>> {
        let Node::Map(entries) = &field.value.node else {
            field.wrong("a mapping", found);
            return None;
        };
        Some(Fields {
            entries,
            what,
            key_span: field.key_span,
            taken: vec![false; entries.len()],
            known: Vec::new(),
            missing: Vec::new(),
        })
    }

    /// The value of a key, if it is there.
    pub(super) fn get(&mut self, key: &'static str) -> Option<Field<'a>> {
        self.known.push(key);
        let (entry, taken) =
            self.entries.iter().zip(&mut self.taken).find(|(entry, _)| entry.key.value == key)?;
        *taken = true;
        Some(Field { key, key_span: entry.key.span, value: &entry.value })
    }

    /// The value of a key that must be there; `cure` is what to write.
    pub(super) fn need(&mut self, key: &'static str, cure: &'static str) -> Option<Field<'a>> {
        let field = self.get(key);
        if field.is_none() {
            self.missing.push((key, cure));
        }
        field
    }

    /// Takes every key with this beginning without looking at its value.
    pub(super) fn skip(&mut self, prefix: &str) {
        for (entry, taken) in self.entries.iter().zip(&mut self.taken) {
            *taken |= entry.key.value.starts_with(prefix);
        }
    }

    /// Whether the mapping has no keys at all.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Says which keys do not exist and which are missing. A key that is misspelt is not missing as well.
    pub(super) fn finish(self, found: &mut Findings<'_>) {
        let mut meant = Vec::new();
        for (entry, _) in self.entries.iter().zip(&self.taken).filter(|(_, taken)| !**taken) {
            let key = &entry.key.value;
            let finding = Diagnostic::new(
                Code::UnknownKey,
                entry.key.span,
                format!("`{}` is not a key of {}", quote(key), self.what),
            );
            let near = self.meant(key);
            meant.extend(near);
            let finding = match near {
                Some(near) => finding.label(format!("did you mean `{near}`?")),
                None => finding,
            };
            found.push(finding.help(format!("the keys here are {}", and_ticked(self.known.iter().copied()))));
        }
        for (key, cure) in self.missing {
            if !meant.contains(&key) {
                let message = format!("`{key}` is missing in {}", self.what);
                found.push(Diagnostic::new(Code::MissingKey, self.key_span, message).help(cure));
            }
        }
    }

    /// The key that was meant by another: a slip of the fingers, or the word of another tool.
    fn meant(&self, key: &str) -> Option<&'static str> {
        let elsewhere = ELSEWHERE
            .iter()
            .find(|(word, here)| word.eq_ignore_ascii_case(key) && self.known.contains(here))
            .map(|(_, here)| *here);
        let spelt = key.replace('-', "_");
        elsewhere.or_else(|| nearest(&spelt, self.known.iter().copied()))
    }
}
