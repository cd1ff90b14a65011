//! Values of one kind: texts, quantities, numbers, booleans, choices; lists of them, and one for each direction.
//!
//! Every reader pushes what is wrong and gives `None`, so that its caller goes on.

use super::fields::Fields;
use super::findings::Findings;
use super::node::{Node, Value};
use super::quote::{is_hidden, quote};
use super::raw::{Many, Opt, RawPerDirection};
use super::scalar::{Plain, plain};
use super::unit::Unit;
use crate::diag::{Code, Diagnostic, Fix, Span, Spanned, did_you_mean, or_ticked, surely};
use crate::units::Address;
use std::ops::RangeInclusive;

/// The longest text that a quantity is read from, in bytes. The longest that means something is an IPv6 prefix.
const LONGEST_QUANTITY: usize = 100;

/// A value and the key it stands for.
#[derive(Clone, Copy)]
pub(super) struct Field<'a> {
    pub key: &'a str,
    pub key_span: Span,
    pub value: &'a Value,
    /// Whether the key must be there.
    pub required: bool,
    /// Whether the value is one of a list.
    pub item: bool,
}

/// A reader of one value.
pub(super) type Read<T> = fn(Field<'_>, &mut Findings<'_>) -> Opt<T>;

impl<'a> Field<'a> {
    /// One of the list of values that the key has.
    pub(super) fn item(self, value: &'a Value) -> Field<'a> {
        Field { value, item: true, ..self }
    }

    /// A finding about the value.
    pub(super) fn finding(self, code: Code, message: impl Into<String>) -> Diagnostic {
        let anchored = self.value.anchored.as_deref().map(|anchored| (*anchored, "stands for this"));
        Diagnostic::new(code, self.value.span, message).also_at(anchored)
    }

    /// Says that the value is not what the key takes: ``a rate such as `6.5mbit` ``.
    pub(super) fn wrong(self, expected: &str, found: &mut Findings<'_>) {
        let key = match self.item {
            true => format!("an item of `{}`", quote(self.key)),
            false => format!("`{}`", quote(self.key)),
        };
        let cure = match (self.required, self.item) {
            (_, true) => format!("give it {expected}, or take it away"),
            (true, _) => format!("give it {expected}"),
            (false, _) => format!("give it {expected}, or take the key away"),
        };
        let finding = match &self.value.node {
            Node::Unread => return,
            Node::Null if self.value.anchored.is_none() => {
                let place = if self.item { self.value.span } else { self.key_span };
                Diagnostic::new(Code::WrongType, place, format!("{key} has no value")).help(cure)
            }
            Node::Scalar { text, quoted: false } if plain(text) == Plain::Null => self
                .finding(Code::AmbiguousScalar, format!("`{text}` without quotes means nothing to YAML"))
                .help(cure),
            node => {
                let message = format!("{key} cannot be {}", node.kind());
                let finding = self.finding(Code::WrongType, message).help(format!("give it {expected}"));
                match self.colon_at_the_end() {
                    Some((text, place)) => finding
                        .help(format!(
                            "put an address that ends with a colon in quotes: `\"{}\"`",
                            quote(&text)
                        ))
                        .fix(text.parse::<Address>().ok().and_then(|_| in_quotes(&text, place))),
                    None => finding,
                }
            }
        };
        found.push(finding);
    }

    /// `[2001:db8::]` is the key `2001:db8:` to YAML. The text that was meant, and where it stands.
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

    /// The text of a scalar and whether it is quoted; a finding when it is something else, or a word for nothing.
    pub(super) fn scalar(self, expected: &str, found: &mut Findings<'_>) -> Option<(&'a str, bool)> {
        match &self.value.node {
            Node::Scalar { text, quoted } if *quoted || plain(text) != Plain::Null => Some((text, *quoted)),
            _ => {
                self.wrong(expected, found);
                None
            }
        }
    }

    /// Says that the value is not within a range.
    pub(super) fn out_of_range(self, code: Code, expected: &str, found: &mut Findings<'_>) {
        let text = match &self.value.node {
            Node::Scalar { text, .. } => quote(text),
            _ => String::new(),
        };
        let message = format!("`{text}` is out of range for `{}`", quote(self.key));
        found.push(self.finding(code, message).help(format!("write {expected}")));
    }

    /// A cure that is certain, of the value as text: what it is to read as, or the list to be written for it.
    pub(super) fn certainly(self, meant: &str) -> Option<Fix> {
        let title = format!("write `{}`", quote(meant));
        match meant.starts_with('[') {
            // A list in a list is something else.
            true if self.item => None,
            true => Some(Fix::text(title, self.value.span, meant)),
            false => Some(Fix::scalar(title, self.value.span, meant)),
        }
    }

    /// The value with this field's place.
    pub(super) fn place<T>(self, value: T) -> Spanned<T> {
        Spanned::new(value, self.value.span)
    }
}

/// A finding about a plain scalar that others read differently; `None` when all readers take it as the same text.
pub(super) fn disputed_text(text: &str, span: Span) -> Option<Diagnostic> {
    let why = match plain(text) {
        Plain::Text | Plain::Int => return None,
        Plain::Null => "means nothing to YAML",
        Plain::Bool(_) => "is a boolean to YAML, not a text",
        Plain::BoolToSome(_) => "is a boolean to some YAML readers and a text to others",
        Plain::Hex | Plain::Float => "is a number to YAML, which need not come back as it is written",
        Plain::NumberToSome(_) => "is a number to some YAML readers and a text to others",
        Plain::Date => "is a date to some YAML readers and a text to others",
        Plain::TextToSome => "cannot be read by some YAML readers",
    };
    let finding = |text: &str| {
        let finding = Diagnostic::new(Code::AmbiguousScalar, span, format!("`{text}` without quotes {why}"));
        finding.help(format!("write `\"{text}\"`"))
    };
    // Whoever writes nothing in words may mean it.
    let fix = if plain(text) == Plain::Null { None } else { in_quotes(text, span) };
    Some(finding(&quote(text)).fix(fix))
}

/// The cure that puts a text in quotes. Without them it is this text to us, and a text is what is wanted.
pub(super) fn in_quotes(text: &str, span: Span) -> Option<Fix> {
    let simple = !text.contains(['"', '\\', '\n']) && !text.contains(is_hidden);
    simple.then(|| Fix::text("put it in quotes", span, format!("\"{text}\"")))
}

/// A text that all YAML readers take as such.
pub(super) fn text(field: Field<'_>, found: &mut Findings<'_>) -> Opt<String> {
    let (text, quoted) = field.scalar("a text", found)?;
    match disputed_text(text, field.value.span) {
        Some(finding) if !quoted => {
            found.push(finding);
            None
        }
        _ => Some(field.place(text.to_owned())),
    }
}

/// A quantity.
pub(super) fn unit<T: Unit>(field: Field<'_>, found: &mut Findings<'_>) -> Opt<T> {
    let (text, quoted) = field.scalar(T::WHAT, found)?;
    if T::IS_NAME
        && !quoted
        && let Some(finding) = disputed_text(text, field.value.span)
    {
        found.push(finding);
        return None;
    }
    if text.len() > LONGEST_QUANTITY || text.contains(is_hidden) {
        let message = format!("`{}` is not {}", quote(text), T::WHAT);
        let cure = if text.contains(is_hidden) {
            "remove the invisible characters, such as tabs".to_owned()
        } else {
            format!("write {}", T::WHAT)
        };
        found.push(field.finding(T::CODE, message).help(cure));
        return None;
    }
    match text.parse::<T>() {
        // The readers of quantities refuse what is disputed; this holds should one forget.
        Ok(_) if !quoted && plain(text).is_disputed() => {
            found.push(disputed_number(field, text));
            None
        }
        Ok(value) => Some(field.place(value)),
        Err(error) => {
            let fix = error.mended(text).and_then(|meant| field.certainly(&meant));
            let finding = field.finding(T::CODE, error.message).fix(fix);
            found.push(error.help.into_iter().fold(finding, Diagnostic::help));
            None
        }
    }
}

/// A whole number within a range; `what` it counts.
pub(super) fn number(
    field: Field<'_>,
    range: RangeInclusive<u32>,
    what: &str,
    found: &mut Findings<'_>,
) -> Opt<u32> {
    let expected = match what {
        "" => format!("a whole number from {} to {}", range.start(), range.end()),
        _ => format!("a whole number of {what} from {} to {}", range.start(), range.end()),
    };
    let (text, quoted) = field.scalar(&expected, found)?;
    let value = match plain(text) {
        Plain::Int => text.parse::<i64>().ok(),
        Plain::Hex => text.get(2..).and_then(|digits| i64::from_str_radix(digits, 16).ok()),
        // Too long for any reader's integers, and no range here is as large.
        Plain::NumberToSome(_) if !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) => None,
        Plain::NumberToSome(_) if !quoted => {
            found.push(disputed_number(field, text));
            return None;
        }
        _ => {
            let message = match text {
                "" => format!("`{}` is an empty text", quote(field.key)),
                _ => format!("`{}` is not a whole number", quote(text)),
            };
            found.push(field.finding(Code::BadNumber, message).help(format!("write {expected}")));
            return None;
        }
    };
    let value = value.and_then(|value| u32::try_from(value).ok()).filter(|value| range.contains(value));
    if value.is_none() {
        field.out_of_range(Code::BadNumber, &expected, found);
    }
    value.map(|value| field.place(value))
}

/// The finding about a number that YAML readers read differently.
fn disputed_number(field: Field<'_>, text: &str) -> Diagnostic {
    let message = format!("YAML readers read `{}` differently", quote(text));
    let finding = field.finding(Code::AmbiguousScalar, message);
    match plain(text) {
        Plain::NumberToSome(readings) if !readings.is_empty() => {
            let fix = match readings.as_slice() {
                [only] => field.certainly(only),
                _ => None,
            };
            finding.help(format!("write {}", or_ticked(readings.iter().map(String::as_str)))).fix(fix)
        }
        _ => finding.help("write a decimal number"),
    }
}

/// `true` or `false`.
pub(super) fn boolean(field: Field<'_>, found: &mut Findings<'_>) -> Opt<bool> {
    const EXPECTED: &str = "`true` or `false`";
    let (text, quoted) = field.scalar(EXPECTED, found)?;
    let key = quote(field.key);
    let certain =
        |meant: bool| Some(Fix::text(format!("write `{meant}`"), field.value.span, meant.to_string()));
    let finding = match (plain(text), quoted) {
        (Plain::Bool(value), false) => return Some(field.place(value)),
        (Plain::BoolToSome(meant), false) => {
            let message = format!("`{text}` is a boolean to some YAML readers and a text to others");
            field.finding(Code::AmbiguousScalar, message).help(format!("write `{meant}`")).fix(certain(meant))
        }
        (Plain::Bool(meant) | Plain::BoolToSome(meant), true) => field
            .finding(Code::WrongType, format!("`{key}` takes a boolean, and in quotes this is a text"))
            .help(format!("write `{meant}` without quotes"))
            .fix(certain(meant)),
        _ => field
            .finding(Code::WrongType, format!("`{key}` cannot be `{}`", quote(text)))
            .help(format!("write {EXPECTED}")),
    };
    found.push(finding);
    None
}

/// Something with a fixed set of names.
pub(super) trait Choice: Copy + 'static {
    /// What it is, such as ``a layer``.
    const WHAT: &'static str;
    /// The names there are.
    const NAMES: &'static [(&'static str, Self)];
    /// Words that people use, and the names they mean by them.
    const MEANT: &'static [Meant] = &[];
}

/// A word that people use for a name.
pub(super) struct Meant {
    pub word: &'static str,
    pub name: &'static str,
    /// Whether it is that to everybody; as advice, `vdsl` is nearly always `ptm`.
    pub certain: bool,
}

/// One of a set of names.
pub(super) fn choice<T: Choice>(field: Field<'_>, found: &mut Findings<'_>) -> Opt<T> {
    let names = || T::NAMES.iter().map(|(name, _)| *name);
    let (text, _) = field.scalar(&or_ticked(names()), found)?;
    if let Some((_, value)) = T::NAMES.iter().find(|(name, _)| *name == text) {
        return Some(field.place(*value));
    }
    let finding = field.finding(Code::BadChoice, format!("`{}` is not {}", quote(text), T::WHAT));
    let meant = T::MEANT.iter().find(|meant| meant.word.eq_ignore_ascii_case(text));
    let proposed = meant.map(|meant| meant.name).or_else(|| nearest(text, names()));
    let finding = match proposed {
        Some(name) => finding.label(format!("did you mean `{name}`?")),
        None => finding,
    };
    let sure = match meant {
        Some(Meant { name, certain: true, .. }) => Some(*name),
        _ => surely(text, names()).filter(|name| proposed == Some(*name)),
    };
    let fix = sure.and_then(|name| field.certainly(name));
    found.push(finding.help(format!("write {}", or_ticked(names()))).fix(fix));
    None
}

/// The name that was meant, where the text is short enough for that to be a question.
pub(super) fn nearest<'n>(text: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    if text.len() > LONGEST_QUANTITY { None } else { did_you_mean(text, names) }
}

/// A value, or a list of them. A list without items is a finding.
pub(super) fn many<T>(field: Field<'_>, one: Read<T>, found: &mut Findings<'_>) -> Many<T> {
    match &field.value.node {
        Node::Seq(items) if items.is_empty() => {
            let message = format!("`{}` is an empty list", quote(field.key));
            found.push(
                field.finding(Code::WrongType, message).help("put a value in it, or take the key away"),
            );
            Vec::new()
        }
        Node::Seq(items) => items.iter().filter_map(|item| one(field.item(item), found)).collect(),
        _ => one(field, found).into_iter().collect(),
    }
}

/// A value for both directions, or `{ up: .., down: .. }`.
pub(super) fn both<T: Clone>(field: Field<'_>, one: Read<T>, found: &mut Findings<'_>) -> RawPerDirection<T> {
    let Node::Map(_) = field.value.node else {
        let value = one(field, found);
        return RawPerDirection { up: value.clone(), down: value };
    };
    let Some(mut fields) = Fields::new(field, "`{ up: .., down: .. }`", "a value", found) else {
        return RawPerDirection { up: None, down: None };
    };
    let up = fields.get("up").and_then(|field| one(field, found));
    let down = fields.get("down").and_then(|field| one(field, found));
    fields.finish(found);
    RawPerDirection { up, down }
}

/// A key that takes a value for both directions, or one for each.
pub(super) fn each<T: Clone>(
    fields: &mut Fields<'_>,
    key: &'static str,
    one: Read<T>,
    found: &mut Findings<'_>,
) -> RawPerDirection<T> {
    fields.get(key).map_or(RawPerDirection { up: None, down: None }, |field| both(field, one, found))
}
