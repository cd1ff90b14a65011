//! Reads the format of OpenWrt's UCI: sections with options.

use super::report::Report;
use super::text::{Word, lines};
use crate::diag::{Span, ticked};
use std::collections::HashMap;

/// A section, such as `config queue 'eth1'`.
#[derive(Debug)]
pub(super) struct Section {
    /// Type of the section.
    pub(super) kind: Word,
    /// Name of the section; empty if it has none.
    pub(super) name: String,
    /// Options in the order of the text; of an option given twice, only the last.
    pub(super) options: Vec<UciOption>,
}

/// An option of a section.
#[derive(Debug)]
pub(super) struct UciOption {
    /// Key.
    pub(super) key: String,
    /// Value.
    pub(super) value: Word,
    /// Place of key and value.
    pub(super) span: Span,
}

/// Reads all sections.
pub(super) fn read(text: &str, report: &mut Report) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    // Place of each key among the options of the last section.
    let mut known: HashMap<String, usize> = HashMap::new();
    for line in lines(text) {
        let Some(words) = line.shell() else {
            report.bad(
                line.span(),
                "a quote is open at the end of the line",
                "close the quote, as in `option script 'simple.qos'`",
            );
            continue;
        };
        let [first, rest @ ..] = words.as_slice() else { continue };
        match (first.text.as_str(), rest) {
            ("package", [_]) => {}
            ("config", [kind, name @ ..]) if name.len() < 2 => {
                let name = name.first().map(|name| name.text.clone()).unwrap_or_default();
                sections.push(Section { kind: kind.clone(), name, options: Vec::new() });
                known.clear();
            }
            ("option", [key, value]) => {
                let span = Span { end: value.span.end, ..key.span };
                let Some(section) = sections.last_mut() else {
                    report.bad(span, "an option outside a section", "begin the section with `config queue 'eth1'`");
                    continue;
                };
                let option = UciOption { key: key.text.clone(), value: value.clone(), span };
                match known.get(&key.text).and_then(|at| section.options.get_mut(*at)) {
                    Some(old) => {
                        report.other(
                            span,
                            format!("{} is given twice, and the last value counts", ticked(&key.text)),
                            "",
                        );
                        *old = option;
                    }
                    None => {
                        known.insert(key.text.clone(), section.options.len());
                        section.options.push(option);
                    }
                }
            }
            _ => report.bad(
                line.span(),
                format!("this line is no UCI: {}", ticked(line.text.trim())),
                "write `config TYPE 'NAME'` or `option KEY 'VALUE'`; UCI needs quotes around a value with blanks",
            ),
        }
    }
    sections
}
