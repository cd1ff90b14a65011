//! Reads a mapping with a fixed set of keys. Every key is requested once, and at the end each remaining key is a
//! finding.

use super::field::{Field, missing_space, nearest};
use super::findings::Findings;
use super::node::{Entry, Node};
use super::quote::quote;
use crate::budget;
use crate::diag::{Code, Diagnostic, Fix, Span, Spanned, and_ticked, or_ticked, surely};
use crate::units::Dscp;

/// Words from other tools that mean the same as a key here in every tool. Their replacement is certain.
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

/// Other words and the keys for them. They only give advice: a `dport` is the remote port of uploads only, and a `rate`
/// may be a ceiling.
const ELSEWHERE: &[(&str, &str)] = &[
    ("50", "p50"),
    ("99", "p99"),
    ("bandwidth", "guarantee"),
    ("bandwidth", "rate"),
    ("class", "classes"),
    ("dest", "remote"),
    ("destination", "remote"),
    ("dport", "remote_port"),
    ("dst", "remote"),
    ("dst_port", "remote_port"),
    ("egress", "up"),
    ("endpoint", "remote"),
    ("ip", "address"),
    ("limit", "ceiling"),
    ("mac_address", "mac"),
    ("max", "ceiling"),
    ("min", "guarantee"),
    ("police", "ceiling"),
    ("qdisc", "queue"),
    ("rate", "guarantee"),
    ("source", "local"),
    ("sport", "local_port"),
    ("src", "local"),
    ("src_port", "local_port"),
    ("tos", "dscp"),
    ("type", "kind"),
    ("vlan", "device"),
];

/// Advice for a match that shall take all but some packets.
pub(super) const ALL_BUT: &str =
    "for all but some packets, match those in a class before this one: the first match that holds wins";

/// Advice for words without a key of the same meaning: the words, a key of the mapping, and the advice.
const ADVICE: &[(&[&str], &str, &str)] = &[
    (
        &[
            "except",
            "exclude",
            "not",
            "not_dscp",
            "not_host",
            "not_local",
            "not_local_port",
            "not_port",
            "not_protocol",
            "not_remote",
            "not_remote_port",
        ],
        "remote_port",
        ALL_BUT,
    ),
    (
        &["bytes", "packets", "rate"],
        "remote_port",
        "a match sees one packet alone: let rules of nft measure connections and set a mark, and match it, as in `mark: 0x10/0xff`",
    ),
    (
        &["application", "domain", "hostname", "service", "url"],
        "remote_port",
        "write `app: NAME` for a service with ports of its own, which `qosc profiles` lists; a match sees no names of servers",
    ),
    (
        &["time", "hours", "schedule"],
        "remote_port",
        "a match does not depend on the time, but the classes can: write `variants: { night: { when: \"23:00-06:00\", set: { .. } } }`",
    ),
    (
        &["bandwidth", "rate", "speed"],
        "overhead",
        "write the rate of each direction: `up: 6.5mbit` and `down: 25mbit`",
    ),
    (&["vlan", "vid"], "overhead", "write the device of the VLAN, such as `device: eth0.7`"),
    (
        &["vlan", "vid"],
        "overhead",
        "if frames on the line have a tag, write a profile that counts it, such as `profile: vdsl2-pppoe-vlan`",
    ),
    (&["parent"], "guarantee", "write this class inside its parent: `PARENT: { classes: { .. } }`"),
    (
        &["burst", "cburst", "quantum", "r2q"],
        "guarantee",
        "leave it out: it follows from the rate, and `qosc explain` shows it",
    ),
    (
        &["interface", "device", "bridge", "network", "vlan"],
        "mac",
        "a host is known by its addresses: write the prefix of its network, such as `address: 192.168.3.0/24`",
    ),
    (
        &["ecn"],
        "ack_filter",
        "CAKE always marks packets of connections with ECN: write `queue: { fq_codel: { ecn: false } }` to drop them instead",
    ),
];

/// A mapping that is being read.
pub(super) struct Fields<'a> {
    entries: &'a [Entry],
    /// Description of the mapping with its article: `a host`.
    what: &'static str,
    /// Place of the key that the mapping belongs to, or of the beginning of the mapping.
    key_span: Span,
    taken: Vec<bool>,
    known: Vec<&'static str>,
    /// Required keys that are not there, each with its help; of several, one is enough.
    missing: Vec<(Vec<&'static str>, &'static str)>,
}

impl<'a> Fields<'a> {
    /// Returns the keys of a value; `example` is one of them. If the value is not a mapping, reports that and returns
    /// `None`.
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
        found.charge(1, budget::MAPPING).then_some(Fields {
            entries,
            what,
            key_span: field.key_span,
            taken: vec![false; entries.len()],
            known: Vec::new(),
            missing: Vec::new(),
        })
    }

    /// Reads a mapping from its first to its last key. If the value is not a mapping, reports that and returns `None`.
    pub(super) fn whole<T>(
        field: Field<'a>,
        what: &'static str,
        example: &str,
        found: &mut Findings<'_>,
        read: impl FnOnce(&mut Fields<'a>, &mut Findings<'_>) -> T,
    ) -> Option<T> {
        let fields = Fields::new(field, what, example, found)?;
        Some(fields.read(found, read))
    }

    /// Does the same, but reads a value that is not a mapping as one without keys.
    pub(super) fn whole_or_empty<T>(
        field: Field<'a>,
        what: &'static str,
        example: &str,
        found: &mut Findings<'_>,
        read: impl FnOnce(&mut Fields<'a>, &mut Findings<'_>) -> T,
    ) -> T {
        if let Node::Scalar { text, .. } = &field.value.node {
            let mut fields = Fields::empty(field, what);
            let value = read(&mut fields, found);
            if !fields.known.contains(&field.key) {
                field.wrong(example, found);
                return value;
            }
            let (key, text) = (quote(field.key), quote(text));
            let message = format!("`{key}` is a key of {what}, and here it is a name");
            let help = format!("write it below a name, such as `NAME: {{ {key}: {text} }}`");
            found.push(Diagnostic::new(Code::WrongType, field.key_span, message).help(help));
            return value;
        }
        match Fields::new(field, what, example, found) {
            Some(fields) => fields.read(found, read),
            None => read(&mut Fields::empty(field, what), found),
        }
    }

    /// Reads all keys, and reports those that are unknown or missing.
    pub(super) fn read<T>(
        mut self,
        found: &mut Findings<'_>,
        read: impl FnOnce(&mut Fields<'a>, &mut Findings<'_>) -> T,
    ) -> T {
        let value = read(&mut self, found);
        self.finish(found);
        value
    }

    /// Returns a mapping without keys.
    pub(super) const fn empty(field: Field<'a>, what: &'static str) -> Fields<'a> {
        Fields {
            entries: &[],
            what,
            key_span: field.key_span,
            taken: Vec::new(),
            known: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Returns the value of a key, if the key is there.
    pub(super) fn get(&mut self, key: &'static str) -> Option<Field<'a>> {
        self.known.push(key);
        let (entry, taken) =
            self.entries.iter().zip(&mut self.taken).find(|(entry, _)| entry.key.value == key)?;
        *taken = true;
        Some(Field::of(entry))
    }

    /// Returns `true` if the mapping has one of these keys, whatever its value.
    pub(super) fn has(&self, keys: &[&str]) -> bool {
        self.place(keys).is_some()
    }

    /// Returns `true` if the mapping has a value of this key for a direction.
    pub(super) fn has_for(&self, key: &str, direction: &str) -> bool {
        let entry = self.entries.iter().find(|entry| entry.key.value == key);
        entry.is_some_and(|entry| match &entry.value.node {
            Node::Map(each) => each.iter().any(|one| one.key.value == direction),
            _ => true,
        })
    }

    /// Returns the place of the first of these keys.
    pub(super) fn place(&self, keys: &[&str]) -> Option<Span> {
        self.entries.iter().find(|entry| keys.contains(&entry.key.value.as_str())).map(|entry| entry.key.span)
    }

    /// Returns the value of a required key. `cure` is the text to write if it is missing.
    pub(super) fn need(&mut self, key: &'static str, cure: &'static str) -> Option<Field<'a>> {
        let field = self.get(key);
        if field.is_none() {
            self.missing.push((vec![key], cure));
        }
        field.map(|field| Field { required: true, ..field })
    }

    /// Returns the value of a key that is required without `other`.
    pub(super) fn get_unless(&mut self, other: &str, key: &'static str) -> Option<Field<'a>> {
        let required = !self.has(&[other]);
        self.get(key).map(|field| Field { required, ..field })
    }

    /// Demands one of two keys. `cure` is the text to write if both are missing.
    pub(super) fn need_either(&mut self, keys: [&'static str; 2], cure: &'static str) {
        if !self.has(&keys) {
            self.missing.push((keys.to_vec(), cure));
        }
    }

    /// Describes the mapping more exactly.
    pub(super) fn call(&mut self, what: &'static str) {
        self.what = what;
    }

    /// Accepts every key with this prefix without a look at its value.
    pub(super) fn skip(&mut self, prefix: &str) {
        for (entry, taken) in self.entries.iter().zip(&mut self.taken) {
            *taken |= entry.key.value.starts_with(prefix);
        }
    }

    /// Returns `true` if the mapping has no keys.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Returns `true` if every key of the mapping was requested.
    pub(super) fn all_known(&self) -> bool {
        self.taken.iter().all(|taken| *taken)
    }

    /// Reports unknown and missing keys. A misspelt key is not also reported as missing.
    pub(super) fn finish(self, found: &mut Findings<'_>) {
        let mut meant = Vec::new();
        for (entry, taken) in self.entries.iter().zip(&self.taken) {
            if !taken && found.is_full() {
                found.count(entry.key.span);
            } else if !taken {
                let near = self.meant(&entry.key.value).filter(|_| !entry.key.value.starts_with("not_"));
                meant.extend(near);
                found.push(self.unknown(entry, near));
            }
        }
        let misspelt = |keys: &[&'static str]| keys.iter().any(|key| meant.contains(key));
        let missing: Vec<_> = self.missing.iter().filter(|(keys, _)| !misspelt(keys)).collect();
        if missing.is_empty() {
            return;
        }
        let verb = if missing.len() == 1 { "is" } else { "are" };
        let names = match missing.as_slice() {
            [(keys, _)] => or_ticked(keys.iter().copied()),
            several => and_ticked(several.iter().flat_map(|(keys, _)| keys.first().copied())),
        };
        let finding = Diagnostic::new(
            Code::MissingKey,
            self.key_span,
            format!("{names} {verb} missing in {}", self.what),
        );
        found.push(missing.into_iter().fold(finding, |finding, (_, cure)| finding.help(*cure)));
    }

    /// Returns the finding about an unknown key.
    fn unknown(&self, entry: &Entry, near: Option<&str>) -> Diagnostic {
        if let Some(finding) = self.spaceless(entry) {
            return finding;
        }
        let message = format!("`{}` is not a key of {}", quote(&entry.key.value), self.what);
        let finding = Diagnostic::new(Code::UnknownKey, entry.key.span, message);
        let finding = finding.fix(self.sure(entry, near));
        let finding = match near {
            Some(near) => finding.label(format!("did you mean `{near}`?")),
            None => finding,
        };
        let finding = match near {
            Some("dscp") if entry.key.value.eq_ignore_ascii_case("tos") => finding.help(dscp_of_tos(entry)),
            None => self.beside_value(entry).into_iter().fold(finding, Diagnostic::help),
            _ => finding,
        };
        let key = entry.key.value.as_str();
        let finding = match key.contains('\u{a0}') {
            true => finding
                .help("this key has a no-break space, from a web page or an office program: write a space"),
            false => finding,
        };
        let advice = ADVICE.iter().filter(|(words, of, _)| words.contains(&key) && self.known.contains(of));
        let finding = advice.fold(finding, |finding, (_, _, advice)| finding.help(*advice));
        let noun = if self.known.len() == 1 { "the key here is" } else { "the keys here are" };
        finding.help(format!("{noun} {}", and_ticked(self.known.iter().copied())))
    }

    /// Returns the finding about `{ up:6mbit }`, which is a key without a value to YAML.
    fn spaceless(&self, entry: &Entry) -> Option<Diagnostic> {
        let key = &entry.key;
        let is_known = self.known.contains(&key.value.split(':').next()?);
        missing_space(&key.value, key.span)
            .filter(|_| is_known && !entry.quoted && entry.value.node == Node::Null)
    }

    /// Returns the advice for a value of a list without brackets, which YAML takes for a key.
    fn beside_value(&self, entry: &Entry) -> Option<String> {
        let before = self.entries.iter().rfind(|before| before.key.span.start < entry.key.span.start)?;
        let Node::Scalar { text, .. } = &before.value.node else { return None };
        if (&entry.value.node, before.value.span.line) != (&Node::Null, entry.key.span.line) {
            return None;
        }
        let (key, list, first) = (quote(&entry.key.value), quote(&before.key.value), quote(text));
        Some(format!("for several values of `{list}`, write a list: `{list}: [{first}, {key}]`"))
    }

    /// Returns the key that an unknown key probably means: a typing error, or the word of another tool.
    fn meant(&self, key: &str) -> Option<&'static str> {
        let elsewhere = SAME_WORD
            .iter()
            .chain(ELSEWHERE)
            .find(|(word, here)| word.eq_ignore_ascii_case(key) && self.known.contains(here))
            .map(|(_, here)| *here);
        let spelt = key.split(':').next().unwrap_or(key).replace('-', "_");
        elsewhere.or_else(|| nearest(&spelt, self.known.iter().copied()))
    }

    /// Returns the fix of an unknown key if it is certain: a typing error, a word with the same meaning, or a missing
    /// space. A key that is already in the mapping cannot be meant.
    fn sure(&self, entry: &Entry, proposed: Option<&str>) -> Option<Fix> {
        let Spanned { value: key, span } = &entry.key;
        let absent = |key: &&'static str| self.entries.iter().all(|entry| entry.key.value != *key);
        let same = || {
            let (_, here) = SAME_WORD.iter().find(|(word, _)| word.eq_ignore_ascii_case(key))?;
            Some(*here).filter(|here| self.known.contains(here))
        };
        let meant = surely(key, self.known.iter().copied()).or_else(same)?;
        // A word of another tool may resemble a key with another meaning, as `dport` resembles `port`.
        (absent(&meant) && proposed == Some(meant))
            .then(|| Fix::text(format!("write `{meant}`"), *span, meant))
    }
}

/// The help for a TOS byte, whose upper six bits are the DSCP and whose lower two bits are ECN.
fn dscp_of_tos(entry: &Entry) -> String {
    let tos = match &entry.value.node {
        Node::Scalar { text, .. } => match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u8::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        },
        _ => None,
    };
    match (tos, tos.and_then(|tos| Dscp::new(tos >> 2)), &entry.value.node) {
        (Some(_), Some(dscp), Node::Scalar { text, .. }) => {
            format!("the DSCP is the upper six bits of the TOS byte: for `{text}`, write `dscp: {dscp}`")
        }
        _ => "the DSCP is the upper six bits of the TOS byte: write the TOS byte divided by 4".to_owned(),
    }
}
