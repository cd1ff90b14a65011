//! Reads values of one kind: texts, quantities, numbers, booleans and choices. It also reads lists of them, and values
//! per direction.
//!
//! Every reader reports problems and then returns `None`, so that its caller continues.

use super::field::{Field, LONGEST_QUANTITY, in_quotes, nearest};
use super::fields::{ALL_BUT, Fields};
use super::findings::Findings;
use super::given::{Each, Many, Opt};
use super::node::Node;
use super::quote::quote;
use super::scalar::{Plain, plain};
use super::unit::Unit;
use crate::diag::{Code, Diagnostic, Fix, Span, or_ticked, surely};
use crate::harmless::is_hidden;
use crate::terms::limits::RATE;
use crate::terms::{Amount, Limit, PerDirection};
use crate::units::{Bytes, Micros, Percent, Rate};
use std::ops::RangeInclusive;
use strum::VariantArray;

/// Reader of one value.
pub(super) type Read<T> = fn(Field<'_>, &mut Findings<'_>) -> Opt<T>;

/// Returns a finding about a plain scalar that readers interpret differently; `None` if all readers take it as the same
/// text.
pub(super) fn disputed_text(text: &str, span: Span) -> Option<Diagnostic> {
    let shown = quote(text);
    let some = |kind: &str| {
        format!("some YAML readers take `{shown}` without quotes as a {kind}, and others take it as text")
    };
    let message = match plain(text) {
        Plain::Text | Plain::Int => return None,
        Plain::Null => format!("YAML reads `{shown}` without quotes as an empty value"),
        Plain::Bool(_) => format!("YAML reads `{shown}` without quotes as a boolean, not as text"),
        Plain::BoolToSome(_) => some("boolean"),
        Plain::Hex | Plain::Float => {
            format!("YAML reads `{shown}` without quotes as a number, which can lose its spelling")
        }
        Plain::NumberToSome(_) => some("number"),
        Plain::Date => some("date"),
        Plain::TextToSome => format!("some YAML readers cannot read `{shown}` without quotes"),
    };
    let finding = Diagnostic::new(Code::AmbiguousScalar, span, message).help(format!("write `\"{shown}\"`"));
    // Somebody who writes a word for no value may mean it.
    let fix = if plain(text) == Plain::Null { None } else { in_quotes(text, span) };
    Some(finding.fix(fix))
}

/// Reads a text that all YAML readers take as text.
pub(super) fn text(field: Field<'_>, found: &mut Findings<'_>) -> Opt<String> {
    let (text, quoted) = field.scalar("a single text value", found)?;
    match disputed_text(text, field.value.span) {
        Some(finding) if !quoted => {
            found.push(finding);
            None
        }
        _ => Some(field.place(text.to_owned())),
    }
}

/// Reads a quantity.
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
        // The parsers of quantities reject disputed texts; this is a safeguard for one that does not.
        Ok(_) if !quoted && plain(text).is_disputed() => {
            found.push(disputed_number(field, text));
            None
        }
        Ok(value) => Some(field.place(value)),
        Err(error) => {
            let fix = error.mended(text).and_then(|meant| field.certainly(&meant));
            let finding = field.finding(T::CODE, error.message).fix(fix);
            if let Some((value, comment)) = text.split_once("//").or_else(|| text.split_once('#'))
                && value.parse::<T>().is_ok()
            {
                let (value, comment) = (quote(value.trim()), quote(comment.trim()));
                found.push(
                    finding
                        .help(format!("write `{value} # {comment}`: a comment begins with a space and `#`")),
                );
                return None;
            }
            if text.strip_prefix('!').is_some_and(|rest| rest.trim().parse::<T>().is_ok()) {
                found.push(finding.help(ALL_BUT));
                return None;
            }
            found.push(error.help.into_iter().map(|help| help.words).fold(finding, Diagnostic::help));
            None
        }
    }
}

/// Reads a whole number within a range, which may be in quotes. `what` is the counted noun.
pub(super) fn number(
    field: Field<'_>,
    range: RangeInclusive<u32>,
    what: &str,
    found: &mut Findings<'_>,
) -> Opt<u32> {
    let expected = match what {
        "" => format!("a whole number from {} to {}", range.start(), range.end()),
        "priority" => {
            format!("a whole number from {}, which is served first, to {}", range.start(), range.end())
        }
        _ => format!("a whole number of {what} from {} to {}", range.start(), range.end()),
    };
    let (text, quoted) = field.scalar(&expected, found)?;
    let value = match plain(text) {
        Plain::Int => text.parse::<i64>().ok(),
        // In quotes, a number is decimal: the pattern of a schema cannot compare other digits with a range.
        Plain::Hex if !quoted => text.get(2..).and_then(|digits| i64::from_str_radix(digits, 16).ok()),
        // The number is too long for the integers of any reader, and no range here is that large.
        Plain::NumberToSome(_) if !text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()) => None,
        Plain::NumberToSome(_) if !quoted => {
            found.push(disputed_number(field, text));
            return None;
        }
        _ => {
            let message = match text {
                "" => format!("`{}` is empty", quote(field.key)),
                _ => format!("`{}` is not a whole number", quote(text)),
            };
            let help = match text
                .split_once(char::is_whitespace)
                .filter(|(number, _)| plain(number) == Plain::Int)
            {
                Some((number, _)) => format!("write `{number}`, without the unit"),
                None => format!("write {expected}"),
            };
            found.push(field.finding(Code::BadNumber, message).help(help));
            return None;
        }
    };
    let value = value.and_then(|value| u32::try_from(value).ok()).filter(|value| range.contains(value));
    if value.is_none() {
        field.out_of_range(Code::BadNumber, &expected, found);
    }
    value.map(|value| field.place(value))
}

/// Returns the finding about a number that YAML readers interpret differently.
fn disputed_number(field: Field<'_>, text: &str) -> Diagnostic {
    let message = format!("YAML readers disagree about the value of `{}`", quote(text));
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

/// Reads `true` or `false`.
pub(super) fn boolean(field: Field<'_>, found: &mut Findings<'_>) -> Opt<bool> {
    const EXPECTED: &str = "`true` or `false`";
    let (text, quoted) = field.scalar(EXPECTED, found)?;
    let key = quote(field.key);
    let certain =
        |meant: bool| Some(Fix::text(format!("write `{meant}`"), field.value.span, meant.to_string()));
    let finding = match (plain(text), quoted) {
        (Plain::Bool(value), false) => return Some(field.place(value)),
        (Plain::BoolToSome(meant), false) => {
            let message = format!("some YAML readers take `{text}` as a boolean, and others take it as text");
            field.finding(Code::AmbiguousScalar, message).help(format!("write `{meant}`")).fix(certain(meant))
        }
        (Plain::Bool(meant) | Plain::BoolToSome(meant), true) => field
            .finding(Code::WrongType, format!("`{key}` takes a boolean, but a value in quotes is text"))
            .help(format!("write `{meant}` without quotes"))
            .fix(certain(meant)),
        _ => field
            .finding(Code::WrongType, format!("`{key}` cannot be `{}`", quote(text)))
            .help(format!("write {EXPECTED}")),
    };
    found.push(finding);
    None
}

/// A type with a fixed set of names, one for each of its variants.
pub(super) trait Choice: VariantArray + Into<&'static str> + Copy {
    /// Description of the type, such as ``a layer``.
    const WHAT: &'static str;
    /// Words that users write, and the names that they mean.
    const MEANT: &'static [Meant] = &[];

    /// Returns all names in the order of the variants.
    fn names() -> impl Iterator<Item = &'static str> {
        Self::VARIANTS.iter().map(|value| (*value).into())
    }

    /// Returns the value of a name.
    fn named(name: &str) -> Option<Self> {
        Self::VARIANTS.iter().copied().find(|value| name == Into::<&str>::into(*value))
    }
}

/// A word that users write for a name.
pub(super) struct Meant {
    pub word: &'static str,
    pub name: &'static str,
    /// `true` if the word has no other meaning. A word such as `vdsl`, which is nearly always `ptm`, only gives advice.
    pub certain: bool,
}

/// Reads one of a set of names.
pub(super) fn choice<T: Choice>(field: Field<'_>, found: &mut Findings<'_>) -> Opt<T> {
    let (text, _) = field.scalar(&or_ticked(T::names()), found)?;
    if let Some(value) = T::named(text) {
        return Some(field.place(value));
    }
    let finding = field.finding(Code::BadChoice, format!("`{}` is not {}", quote(text), T::WHAT));
    let meant = T::MEANT.iter().find(|meant| meant.word.eq_ignore_ascii_case(text));
    let proposed = meant.map(|meant| meant.name).or_else(|| nearest(text, T::names()));
    let finding = match proposed {
        Some(name) => finding.label(format!("did you mean `{name}`?")),
        None => finding,
    };
    let sure = match meant {
        Some(Meant { name, certain: true, .. }) => Some(*name),
        _ => surely(text, T::names()).filter(|name| proposed == Some(*name)),
    };
    let fix = sure.and_then(|name| field.certainly(name));
    let finding = match (field.key, text) {
        ("wash", "ecn") => finding.help(
            "`wash` clears only the DSCP, and no key clears the ECN field: write \
             `queue: { fq_codel: { ecn: false } }` in a class to drop packets instead of marking them",
        ),
        _ => finding,
    };
    found.push(finding.help(format!("write {}", or_ticked(T::names()))).fix(fix));
    None
}

/// Reads a value, or a list of values. An empty list is reported.
pub(super) fn many<T>(field: Field<'_>, one: Read<T>, found: &mut Findings<'_>) -> Many<T> {
    match &field.value.node {
        Node::Seq(items) if items.is_empty() => {
            let message = format!("`{}` is an empty list", quote(field.key));
            found.push(
                field
                    .finding(Code::WrongType, message)
                    .help("write a value into the list, or remove the key"),
            );
            Vec::new()
        }
        Node::Seq(items) => items.iter().filter_map(|item| one(field.item(item), found)).collect(),
        _ => one(field, found).into_iter().collect(),
    }
}

/// Reads a value for both directions, or `{ up: .., down: .. }`.
pub(super) fn both<T: Clone>(field: Field<'_>, one: Read<T>, found: &mut Findings<'_>) -> Each<T> {
    if let Node::Seq(items) = &field.value.node
        && let [Node::Scalar { text: up, .. }, Node::Scalar { text: down, .. }] =
            items.iter().map(|item| &item.node).collect::<Vec<_>>().as_slice()
    {
        let (message, up, down) = (format!("`{}` cannot be a list", field.key), quote(up), quote(down));
        found.push(
            field.finding(Code::WrongType, message).help(format!("write `{{ up: {up}, down: {down} }}`")),
        );
        return PerDirection::default();
    }
    let Node::Map(_) = field.value.node else {
        return PerDirection::both(one(field, found));
    };
    let values = Fields::whole(field, "`{ up: .., down: .. }`", "a value", found, |fields, found| {
        let mut value = |key| fields.get(key).and_then(|field| one(field, found));
        PerDirection { up: value("up"), down: value("down") }
    });
    values.unwrap_or_default()
}

/// Reads a rate or a percentage; the latter ends with `%`.
pub(super) fn amount(field: Field<'_>, found: &mut Findings<'_>) -> Opt<Amount> {
    const EXPECTED: &str = "a rate such as `6.5mbit` or a share such as `20%`";
    let (text, _) = field.scalar(EXPECTED, found)?;
    if text.trim_end().ends_with('%') {
        unit::<Percent>(field, found).map(|share| field.place(Amount::Share(share.value)))
    } else if field.key == "guarantee" && text.trim() == "0" {
        let message = "the guarantee `0` has no unit";
        found.push(field.finding(Code::BadRate, message).help("write `0%` if it should only borrow"));
        None
    } else if field.key == "ceiling" && ["unlimited", "none", "no", "off", "max"].contains(&text) {
        let message = format!("`{text}` is not a rate");
        let help = "leave `ceiling` out: without it, only the rate of the line is the limit";
        found.push(field.finding(Code::BadRate, message).help(help));
        None
    } else if !text.starts_with('0') && format!("{text}%").parse::<Percent>().is_ok() {
        let message = format!("the {} `{text}` has no unit", quote(field.key));
        let cure = format!("write `{text}mbit` for a rate in megabits per second, or `{text}%` for a share");
        found.push(field.finding(Code::BadRate, message).help(cure));
        None
    } else {
        rate(field, found).map(|rate| field.place(Amount::Rate(rate.value)))
    }
}

/// Reads a rate that the kernel can hold.
pub(super) fn rate(field: Field<'_>, found: &mut Findings<'_>) -> Opt<Rate> {
    let rate = unit::<Rate>(field, found)?;
    // Another finding says that a rate is too low for a packet.
    if rate.value.bps() <= RATE.most {
        return Some(rate);
    }
    let most = Rate::from_bps(RATE.most);
    field.out_of_range(Code::BadRate, &format!("a rate of at most `{most}`; check the unit"), found);
    None
}

/// Returns a reader of whole numbers within a limit. `what` is the counted noun.
pub(super) fn number_in<T: TryFrom<u32>>(
    limit: &'static Limit,
    what: &'static str,
) -> impl Fn(Field<'_>, &mut Findings<'_>) -> Opt<T> {
    move |field, found| {
        let number = number(field, limit.range(), what, found)?;
        T::try_from(number.value).ok().map(|value| field.place(value))
    }
}

/// Returns a reader of sizes within a limit.
pub(super) fn size_in(limit: &'static Limit) -> impl Fn(Field<'_>, &mut Findings<'_>) -> Opt<Bytes> {
    move |field, found| {
        let size = unit::<Bytes>(field, found)?;
        if limit.holds(size.value.get()) {
            return Some(size);
        }
        let least = match limit.least {
            1 => "one byte".to_owned(),
            bytes => format!("`{}`", Bytes::new(bytes)),
        };
        let most = Bytes::new(limit.most);
        field.out_of_range(Code::BadSize, &format!("a size from {least} to `{most}`"), found);
        None
    }
}

/// Returns a reader of times within a limit.
pub(super) fn time_in(limit: &'static Limit) -> impl Fn(Field<'_>, &mut Findings<'_>) -> Opt<Micros> {
    move |field, found| {
        let time = unit::<Micros>(field, found)?;
        if limit.holds(time.value.us()) {
            return Some(time);
        }
        let (least, most) = (Micros::from_us(limit.least), Micros::from_us(limit.most));
        field.out_of_range(Code::BadTime, &format!("a time from `{least}` to `{most}`"), found);
        None
    }
}
