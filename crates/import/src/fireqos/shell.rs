//! Variables of a shell script, as far as configurations use them.

use super::arithmetic::{self, number};
use super::params::queue_of;
use crate::config::Queue;
use crate::report::ImportReport;
use crate::text::Word;
use qosc_compiler::diag::ticked;
use std::collections::HashMap;

/// Most bytes of all values that replace variables.
const MOST: usize = 4 << 20;

/// Values of variables.
#[derive(Default)]
pub(super) struct Variables {
    values: HashMap<String, String>,
    /// Bytes of all values that replaced variables.
    expanded: usize,
    /// Queue of `FIREQOS_DEFAULT_QDISC`.
    pub(super) queue: Option<Queue>,
}

impl Variables {
    /// Returns the ports of a service that the file defines: `server_NAME_ports`.
    pub(super) fn service(&self, name: &str) -> Option<&str> {
        self.values.get(&format!("server_{name}_ports")).map(String::as_str)
    }

    /// Replaces `$NAME`, `${NAME}` and `$((...))` in words, and splits the result at blanks.
    pub(super) fn expanded(&mut self, words: Vec<Word>, report: &mut ImportReport) -> Vec<Word> {
        let mut out = Vec::with_capacity(words.len());
        for word in words {
            if !word.text.contains('$') {
                out.push(word);
                continue;
            }
            let word = Word { text: self.value(&word, report), span: word.span };
            // an assignment keeps its value as one word
            match word.text.split_once('=') {
                Some((name, _)) if is_name(name) => out.push(word),
                _ => out.extend(word.parts()),
            }
        }
        out
    }

    fn value(&mut self, word: &Word, report: &mut ImportReport) -> String {
        let mut out = String::new();
        let mut rest = word.text.as_str();
        while let Some((before, after)) = rest.split_once('$') {
            out.push_str(before);
            if let Some(inside) = after.strip_prefix('(') {
                let (value, more) = self.computed(inside, word, report);
                out.push_str(&value);
                rest = more;
                continue;
            }
            let braced = after.strip_prefix('{').and_then(|after| after.split_once('}'));
            let (name, more) = braced.unwrap_or_else(|| {
                let end = after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(after.len());
                after.split_at_checked(end).unwrap_or((after, ""))
            });
            match self.values.get(name) {
                _ if name.is_empty() => no_value(word, &word.text, report),
                Some(value) if self.expanded + value.len() <= MOST => {
                    self.expanded += value.len();
                    out.push_str(value);
                }
                Some(_) => {
                    let said = "the values of variables take too much room";
                    report.bad(word.span, said, "write the values instead of the variables");
                }
                None => {
                    let said = format!("the variable {} has no value that import can read", ticked(name));
                    report.bad(word.span, said, "write its value before this line, as in `SPEED=10mbit`");
                }
            }
            rest = more;
        }
        out.push_str(rest);
        out
    }

    /// Returns the value of `(1 + 2))`, the rest of an expression, and the text after it.
    fn computed<'w>(&self, text: &'w str, word: &Word, report: &mut ImportReport) -> (String, &'w str) {
        let mut depth = 1u32;
        let end = text.find(|c| {
            depth = if c == '(' { depth + 1 } else { depth.saturating_sub(u32::from(c == ')')) };
            depth == 0
        });
        let (inside, rest) = text.split_at_checked(end.unwrap_or(text.len())).unwrap_or((text, ""));
        let variable = |name: &str| number(self.values.get(name)?);
        let sum = inside.strip_prefix('(').and_then(|inside| inside.strip_suffix(')'));
        let value = sum.and_then(|sum| arithmetic::value(sum, &variable));
        if value.is_none() {
            no_value(word, &format!("$({inside})"), report);
        }
        let value = value.map(|value| value.to_string()).unwrap_or_default();
        (value, rest.strip_prefix(')').unwrap_or(rest))
    }

    /// Reads assignments. Returns `false` if the line is something else.
    pub(super) fn assign<'w>(&mut self, words: &'w [Word], report: &mut ImportReport) -> bool {
        let assignment = |word: &'w Word| {
            let (name, value) = word.text.split_once('=')?;
            is_name(name).then_some((name, value, word.span))
        };
        let Some(assignments) = words.iter().map(assignment).collect::<Option<Vec<_>>>() else {
            return false;
        };
        for (name, value, span) in assignments {
            if name == "FIREQOS_DEFAULT_QDISC" {
                self.queue = Some(queue_of(value, span, report));
            } else if name.starts_with("FIREQOS_") && name != "FIREQOS_IFBS" {
                report.lost(span, format!("{} has no equivalent", ticked(name)), "");
            }
            self.values.insert(name.to_owned(), value.to_owned());
        }
        true
    }
}

/// Reports a word that only a shell can compute.
fn no_value(word: &Word, text: &str, report: &mut ImportReport) {
    let said = format!("import cannot compute {}", ticked(text));
    let help = "write the result; import knows `$NAME`, and `$((...))` with whole numbers and `+ - * / %`";
    report.bad(word.span, said, help);
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}
