//! A mapping with a fixed set of keys: each is asked for once, and at the end what nobody asked for is a finding.

use super::findings::Findings;
use super::node::{Entry, Node};
use super::quote::quote;
use super::values::{Field, nearest};
use crate::diag::{Code, Diagnostic, Fix, Span, Spanned, and_ticked, surely};

/// Words from other tools that are the same as ours, longer or shorter, whatever the program: what is written for them is certain.
const SAME_WORD: &[(&str, &str)] = &[
    ("ceil", "ceiling"),
    ("dev", "device"),
    ("download", "down"),
    ("iface", "device"),
    ("ifname", "device"),
    ("interface", "device"),
    ("len", "length"),
    ("linklayer", "layer"),
    ("prio", "priority"),
    ("proto", "protocol"),
    ("upload", "up"),
];

/// Others, and what they are called here: advice, as a `dport` is the remote one of uploads only, and a `rate` may be a ceiling.
const ELSEWHERE: &[(&str, &str)] = &[
    ("bandwidth", "rate"),
    ("dest", "remote"),
    ("destination", "remote"),
    ("dport", "remote_port"),
    ("dst", "remote"),
    ("dst_port", "remote_port"),
    ("egress", "up"),
    ("ip", "address"),
    ("max", "ceiling"),
    ("min", "guarantee"),
    ("qdisc", "queue"),
    ("rate", "guarantee"),
    ("source", "local"),
    ("sport", "local_port"),
    ("src", "local"),
    ("src_port", "local_port"),
    ("tos", "dscp"),
    ("type", "kind"),
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
    /// The keys of a value, of which `example` is one; a finding and `None` when it is no mapping.
    pub(super) fn new(
        field: Field<'a>,
        what: &'static str,
        example: &str,
        found: &mut Findings<'_>,
    ) -> Option<Fields<'a>> {
        let Node::Map(entries) = &field.value.node else {
            field.wrong(example, found);
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
        Some(Field { key, key_span: entry.key.span, value: &entry.value, required: false, item: false })
    }

    /// The value of a key that must be there; `cure` is what to write.
    pub(super) fn need(&mut self, key: &'static str, cure: &'static str) -> Option<Field<'a>> {
        let field = self.get(key);
        if field.is_none() {
            self.missing.push((key, cure));
        }
        field.map(|field| Field { required: true, ..field })
    }

    /// The values of two keys of which one must be there; `cure` is what to write where both are missing.
    pub(super) fn need_either(
        &mut self,
        [key, other]: [&'static str; 2],
        cure: &'static str,
    ) -> [Option<Field<'a>>; 2] {
        let fields = [self.get(key), self.get(other)];
        match fields {
            [None, None] => {
                self.missing.push((key, cure));
                fields
            }
            [Some(_), Some(_)] => fields,
            [one, other] => [one, other].map(|field| field.map(|field| Field { required: true, ..field })),
        }
    }

    /// Says more exactly what the mapping is.
    pub(super) fn call(&mut self, what: &'static str) {
        self.what = what;
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

    /// Whether every key of it was asked for.
    pub(super) fn all_known(&self) -> bool {
        self.taken.iter().all(|taken| *taken)
    }

    /// Says which keys do not exist and which are missing. A key that is misspelt is not missing as well.
    pub(super) fn finish(self, found: &mut Findings<'_>) {
        let mut meant = Vec::new();
        let mut before: Option<&Entry> = None;
        for (entry, taken) in self.entries.iter().zip(&self.taken) {
            if !taken && found.is_full() {
                found.count(entry.key.span);
            } else if !taken {
                let near = self.meant(&entry.key.value);
                meant.extend(near);
                found.push(self.unknown(entry, near, before));
            }
            before = Some(entry);
        }
        let missing: Vec<_> = self.missing.iter().filter(|(key, _)| !meant.contains(key)).collect();
        if missing.is_empty() {
            return;
        }
        let verb = if missing.len() == 1 { "is" } else { "are" };
        let names = and_ticked(missing.iter().map(|(key, _)| *key));
        let finding = Diagnostic::new(
            Code::MissingKey,
            self.key_span,
            format!("{names} {verb} missing in {}", self.what),
        );
        found.push(missing.into_iter().fold(finding, |finding, (_, cure)| finding.help(*cure)));
    }

    /// The finding about a key that does not exist.
    fn unknown(&self, entry: &Entry, near: Option<&str>, before: Option<&Entry>) -> Diagnostic {
        let message = format!("`{}` is not a key of {}", quote(&entry.key.value), self.what);
        let finding = Diagnostic::new(Code::UnknownKey, entry.key.span, message);
        if let Some(number) = decimal_comma(entry, before) {
            return finding
                .label("a comma ends the value before it")
                .help(format!("decimals follow a point: `{number}`"))
                .fix(with_point(entry, before, &number));
        }
        let finding = finding.fix(self.sure(entry, near));
        let finding = match near {
            Some(near) => finding.label(format!("did you mean `{near}`?")),
            None => finding,
        };
        let noun = if self.known.len() == 1 { "the key here is" } else { "the keys here are" };
        finding.help(format!("{noun} {}", and_ticked(self.known.iter().copied())))
    }

    /// The key that was meant by another: a slip of the fingers, or the word of another tool.
    fn meant(&self, key: &str) -> Option<&'static str> {
        let elsewhere = SAME_WORD
            .iter()
            .chain(ELSEWHERE)
            .find(|(word, here)| word.eq_ignore_ascii_case(key) && self.known.contains(here))
            .map(|(_, here)| *here);
        let spelt = key.replace('-', "_");
        elsewhere.or_else(|| nearest(&spelt, self.known.iter().copied()))
    }

    /// The cure of a key that does not exist, where it is certain: a slip of the fingers, the same word, or a space that is missing.
    /// A key that is there already cannot be meant.
    fn sure(&self, entry: &Entry, proposed: Option<&str>) -> Option<Fix> {
        let Entry { key: Spanned { value: key, span }, quoted, value } = entry;
        let absent = |key: &&'static str| self.entries.iter().all(|entry| entry.key.value != *key);
        if let Some((before, after)) = key.split_once(':').filter(|_| !quoted && value.node == Node::Null) {
            self.known.iter().copied().filter(absent).find(|known| *known == before)?;
            let start = span.start + before.len() + 1;
            let column = span.column.saturating_add(u32::try_from(before.len() + 1).ok()?);
            let title = format!("write `{before}: {}`", quote(after));
            return Some(Fix::text(title, Span { start, end: start, column, ..*span }, " "));
        }
        let same = || {
            let (_, here) = SAME_WORD.iter().find(|(word, _)| word.eq_ignore_ascii_case(key))?;
            Some(*here).filter(|here| self.known.contains(here))
        };
        let meant = surely(key, self.known.iter().copied()).or_else(same)?;
        // The word of another tool may be near to one that means something else here: `dport` to `port`.
        (absent(&meant) && proposed == Some(meant))
            .then(|| Fix::text(format!("write `{meant}`"), *span, meant))
    }
}

/// The point for the comma of a number. Three digits behind it may be thousands; what stands further away may be anything.
fn with_point(entry: &Entry, before: Option<&Entry>, number: &str) -> Option<Fix> {
    let (comma, key) = (before?.value.span.end, entry.key.span);
    let digits = entry.key.value.bytes().take_while(u8::is_ascii_digit).count();
    let close = comma + 1 == key.start && digits != 3;
    let place = Span { start: comma, end: comma + 1, column: key.column.saturating_sub(1), ..key };
    close.then(|| Fix::text(format!("write `{number}`"), place, "."))
}

/// The number that was meant by `{ up: 2,5mbit }`, which is `up: 2` and a key `5mbit` to YAML.
fn decimal_comma(entry: &Entry, before: Option<&Entry>) -> Option<String> {
    let Node::Scalar { text, .. } = &before?.value.node else { return None };
    let digits = |text: &str| !text.is_empty() && text.len() < 10 && text.bytes().all(|b| b.is_ascii_digit());
    let rest = &entry.key.value;
    let meant =
        entry.value.node == Node::Null && digits(text) && rest.starts_with(|c: char| c.is_ascii_digit());
    meant.then(|| quote(&format!("{text}.{rest}")))
}
