//! A value and its key, and the findings about it.

use super::findings::Findings;
use super::node::{Entry, Node, YamlValue};
use super::quote::quote;
use super::scalar::{Plain, plain};
use crate::diag::{Code, Diagnostic, Fix, Span, Spanned, did_you_mean};
use crate::harmless::is_hidden;
use crate::units::Address;

/// Longest text in bytes that is read as a quantity. The longest valid one is an IPv6 prefix.
pub(super) const LONGEST_QUANTITY: usize = 100;

/// A value and the key that it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub key: &'a str,
    pub key_span: Span,
    pub value: &'a YamlValue,
    /// `true` if the key is required.
    pub required: bool,
    /// `true` if the value is an item of a list.
    pub item: bool,
}

impl<'a> Field<'a> {
    /// Returns an entry of a mapping as a field.
    pub(super) fn of(entry: &'a Entry) -> Field<'a> {
        Field {
            key: &entry.key.value,
            key_span: entry.key.span,
            value: &entry.value,
            required: false,
            item: false,
        }
    }

    /// Returns an item of the key's list as a field.
    pub(super) fn item(self, value: &'a YamlValue) -> Field<'a> {
        Field { value, item: true, ..self }
    }

    /// Returns a finding about the value.
    pub(super) fn finding(self, code: Code, message: impl Into<String>) -> Diagnostic {
        let anchored =
            self.value.anchored.as_deref().map(|anchored| (*anchored, "the alias stands for this value"));
        Diagnostic::new(code, self.value.span, message).also_at(anchored)
    }

    /// Reports that the key does not accept the value. `expected` describes an accepted value, such as "a list".
    pub(super) fn wrong(self, expected: &str, found: &mut Findings<'_>) {
        let key = match self.item {
            true => format!("an item of `{}`", quote(self.key)),
            false => format!("`{}`", quote(self.key)),
        };
        let cure = match (self.required, self.item) {
            (_, true) => format!("write {expected}, or remove the item"),
            (true, _) => format!("write {expected}"),
            (false, _) => format!("write {expected}, or remove the key"),
        };
        if let Some(finding) = self.keys_without_spaces() {
            return found.push(finding);
        }
        let finding = match &self.value.node {
            Node::Unread => return,
            Node::Null if self.value.anchored.is_none() => {
                let place = if self.item { self.value.span } else { self.key_span };
                Diagnostic::new(Code::WrongType, place, format!("{key} has no value")).help(cure)
            }
            Node::Scalar { text, quoted: false } if plain(text) == Plain::Null => self
                .finding(
                    Code::AmbiguousScalar,
                    format!("YAML reads `{text}` without quotes as an empty value"),
                )
                .help(cure),
            node => {
                let message = format!("{key} cannot be {}", node.kind());
                let finding = self.finding(Code::WrongType, message).help(format!("write {expected}"));
                match self.colon_at_the_end() {
                    Some((text, place)) => finding
                        .help(format!(
                            "put an address that ends with a colon in quotes: write `\"{}\"`",
                            quote(&text)
                        ))
                        .fix(text.parse::<Address>().ok().and_then(|_| in_quotes(&text, place))),
                    None => finding,
                }
            }
        };
        found.push(finding);
    }

    /// Returns the finding about `default:true` in the place of a mapping. Several such lines are one text to YAML.
    fn keys_without_spaces(self) -> Option<Diagnostic> {
        let Node::Scalar { text, quoted: false } = &self.value.node else { return None };
        if let [key, "=", value, ..] = text.split_whitespace().collect::<Vec<_>>().as_slice() {
            let help = format!("write `{}: {}`", quote(key), quote(value));
            return Some(
                self.finding(Code::Syntax, "YAML has no `=` between a key and its value").help(help),
            );
        }
        let colons = |text: &str| text.matches(':').count();
        let first = if colons(text) == 1 { text } else { text.split_whitespace().next()? };
        // An address or a time has digits before its first colon, or several colons.
        let is_one = colons(first) == 1 && first.starts_with(|c: char| c.is_ascii_alphabetic());
        missing_space(first, self.value.span).filter(|_| is_one)
    }

    /// Returns the text that was meant by `[2001:db8::]`, and its place. YAML reads this as the key `2001:db8:`.
    fn colon_at_the_end(self) -> Option<(String, Span)> {
        match &self.value.node {
            Node::Map(entries) => match entries.as_slice() {
                [only] if only.value.node == Node::Null && only.key.value.ends_with(':') => {
                    let Span { end, .. } = only.key.span;
                    Some((format!("{}:", only.key.value), Span { end: end + 1, ..only.key.span }))
                }
                _ => None,
            },
            _ => None,
        }
    }

    /// Returns the text of a scalar, and `true` if it is quoted. Reports any other node, and a word that means no
    /// value.
    pub(super) fn scalar(self, expected: &str, found: &mut Findings<'_>) -> Option<(&'a str, bool)> {
        match &self.value.node {
            Node::Scalar { text, quoted } if *quoted || plain(text) != Plain::Null => Some((text, *quoted)),
            _ => {
                self.wrong(expected, found);
                None
            }
        }
    }

    /// Reports that the value is out of range.
    pub(super) fn out_of_range(self, code: Code, expected: &str, found: &mut Findings<'_>) {
        let text = match &self.value.node {
            Node::Scalar { text, .. } => quote(text),
            _ => String::new(),
        };
        let message = format!("`{text}` is out of range for `{}`", quote(self.key));
        found.push(self.finding(code, message).help(format!("write {expected}")));
    }

    /// Returns a certain fix of the value as text: the right reading, or the list to write instead.
    pub(super) fn certainly(self, meant: &str) -> Option<Fix> {
        let title = format!("write `{}`", quote(meant));
        match meant.starts_with('[') {
            // A list inside a list would have another meaning.
            true if self.item => None,
            true => Some(Fix::text(title, self.value.span, meant)),
            false => Some(Fix::scalar(title, self.value.span, meant)),
        }
    }

    /// Returns the value with the place of this field.
    pub(super) fn place<T>(self, value: T) -> Spanned<T> {
        Spanned::new(value, self.value.span)
    }
}

/// Returns the name that was probably meant, if the text is short enough for a comparison.
pub(super) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if text.len() > LONGEST_QUANTITY { None } else { did_you_mean(text, names) }
}

/// Returns the fix that puts a text in quotes. Without quotes it is the same text here, and the key expects text.
pub(super) fn in_quotes(text: &str, span: Span) -> Option<Fix> {
    let simple = !text.contains(['"', '\\', '\n']) && !text.contains(is_hidden);
    simple.then(|| Fix::text("put it in quotes", span, format!("\"{text}\"")))
}

/// Returns the finding about `default:true`, a text that was meant as a key and its value.
pub(super) fn missing_space(text: &str, place: Span) -> Option<Diagnostic> {
    let (key, value) = text.split_once(':')?;
    let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    if !is_key || value.is_empty() || value.starts_with(char::is_whitespace) {
        return None;
    }
    let span = Span { end: place.start + text.len(), ..place };
    let message = format!("a space is missing after `{}:`", quote(key));
    let help = format!("write `{}: {}`", quote(key), quote(value));
    let start = place.start + key.len() + 1;
    let column = place.column.saturating_add(u32::try_from(key.len() + 1).unwrap_or(u32::MAX));
    // A value that contains another `:` may mean anything.
    let fix = (!value.contains(':'))
        .then(|| Fix::text("put a space after the `:`", Span { start, end: start, column, ..place }, " "));
    Some(Diagnostic::new(Code::Syntax, span, message).help(help).fix(fix))
}
