//! Reads the format of OpenWrt's UCI: sections with options.

use super::report::ImportReport;
use super::text::{Word, lines};
use indexmap::IndexMap;
use qosc_compiler::diag::{Span, ticked};

/// A section, such as `config queue 'eth1'`.
#[derive(Debug)]
pub(super) struct UciSection {
    /// Type of the section.
    pub(super) kind: Word,
    /// Name of the section; empty if it has none.
    pub(super) name: String,
    /// Options in the order of the text; of an option given twice, only the last.
    pub(super) options: IndexMap<String, UciOption>,
}

/// An option of a section.
#[derive(Debug)]
pub(super) struct UciOption {
    /// Value.
    pub(super) value: Word,
    /// Place of key and value.
    pub(super) span: Span,
}

impl UciSection {
    pub(super) fn word(&self, key: &str) -> Option<&Word> {
        self.options.get(key).map(|option| &option.value).filter(|word| !word.text.is_empty())
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.word(key).map(|word| word.text.as_str())
    }

    /// Returns the words of an option, each with its place.
    pub(super) fn words(&self, key: &str) -> Vec<Word> {
        self.word(key).into_iter().flat_map(Word::parts).collect()
    }

    /// Place of an option, or of the section without it.
    pub(super) fn span(&self, key: &str) -> Span {
        self.options.get(key).map_or(self.kind.span, |option| option.span)
    }

    pub(super) fn is_enabled(&self) -> bool {
        self.text("enabled").is_some_and(|text| text.trim_start_matches('0') == "1")
    }
}

/// Variables of `/etc/sqm/DEVICE.iface.conf`, and the options of UCI. All others have the same name in small letters.
const VARIABLES: [(&str, &str); 11] = [
    ("IFACE", "interface"),
    ("UPLINK", "upload"),
    ("DOWNLINK", "download"),
    ("LLAM", "linklayer_adaptation_mechanism"),
    ("STAB_MTU", "tcMTU"),
    ("STAB_TSIZE", "tcTSIZE"),
    ("STAB_MPU", "tcMPU"),
    ("IECN", "ingress_ecn"),
    ("EECN", "egress_ecn"),
    ("ZERO_DSCP_INGRESS", "squash_dscp"),
    ("IGNORE_DSCP_INGRESS", "squash_ingress"),
];

/// Reads an assignment of `/etc/sqm/DEVICE.iface.conf` as an option.
fn variable(word: &Word) -> Option<(Word, Word)> {
    let (name, value) = word.text.split_once('=')?;
    let known = VARIABLES.iter().find(|(own, _)| *own == name).map(|(_, option)| (*option).to_owned());
    let is_name = name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    let word = |text: String| Word { text, span: word.span };
    is_name.then(|| (word(known.unwrap_or_else(|| name.to_ascii_lowercase())), word(value.to_owned())))
}

/// Reads all sections.
pub(super) fn read(text: &str, report: &mut ImportReport) -> Vec<UciSection> {
    let mut sections: Vec<UciSection> = Vec::new();
    for line in lines(text) {
        let Some(words) = line.shell() else {
            let help = "close the quote, as in `option script 'simple.qos'`";
            report.bad(line.span(), "a quote is open at the end of the line", help);
            continue;
        };
        let mut words = words;
        if let Some((key, value)) = words.first().and_then(variable).filter(|_| words.len() == 1) {
            if sections.is_empty() {
                let kind = Word { text: "queue".to_owned(), ..key.clone() };
                sections.push(UciSection { kind, name: String::new(), options: IndexMap::new() });
            }
            words = vec![Word { text: "option".to_owned(), ..key.clone() }, key, value];
        }
        let [first, rest @ ..] = words.as_slice() else { continue };
        match (first.text.as_str(), rest) {
            ("package", [_]) => {}
            ("config", [kind, name @ ..]) if name.len() < 2 => {
                let name = name.first().map(|name| name.text.clone()).unwrap_or_default();
                sections.push(UciSection { kind: kind.clone(), name, options: IndexMap::new() });
            }
            ("option", [key, value]) => {
                let span = Span { end: value.span.end, ..key.span };
                let Some(section) = sections.last_mut() else {
                    report.bad(span, "an option outside a section", "begin with `config queue 'eth1'`");
                    continue;
                };
                let option = UciOption { value: value.clone(), span };
                if section.options.insert(key.text.clone(), option).is_some() {
                    let said = format!("{} is given twice, and the last value counts", ticked(&key.text));
                    report.other(span, said, "");
                }
            }
            _ => {
                let help = "write `config TYPE 'NAME'` or `option KEY 'VALUE'`, with quotes around blanks";
                report.bad(line.span(), format!("this line is no UCI: {}", ticked(line.text.trim())), help);
            }
        }
    }
    sections
}
