//! How quantities are written, for editors: the JSON Schema of each.
//!
//! A pattern takes every text that the parser beside it takes. What it takes beyond that is arithmetic: a number that is too
//! large, a range that begins above its end. YAML hands over `53` as a number and `5060-5061` as a text, so that what may be
//! written without a unit is either.

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

/// How a quantity is written.
pub(super) struct Written {
    /// What it is, in a line.
    pub(super) about: &'static str,
    /// The least and the largest number, where one without a unit may stand.
    pub(super) numbers: Option<(u64, u64)>,
    /// The texts, without the white space around them.
    pub(super) pattern: String,
    /// Whether white space around the text is no part of it.
    pub(super) trimmed: bool,
    /// Some of them.
    pub(super) examples: Vec<&'static str>,
}

impl Written {
    /// As a schema.
    pub(super) fn schema(self) -> Schema {
        let kind = if self.numbers.is_some() { json!(["string", "integer"]) } else { json!("string") };
        let space = if self.trimmed { "\\s*" } else { "" };
        let mut schema = json_schema!({ "description": self.about, "type": kind });
        schema.insert("pattern".to_owned(), json!(format!("^{space}({}){space}$", self.pattern)));
        if let Some((least, largest)) = self.numbers {
            schema.insert("minimum".to_owned(), json!(least));
            schema.insert("maximum".to_owned(), json!(largest));
        }
        let numbers = self.numbers.is_some();
        let example = |text: &str| match text.parse::<u64>() {
            Ok(number) if numbers => json!(number),
            _ => json!(text),
        };
        let examples: Vec<Value> = self.examples.iter().map(|text| example(text)).collect();
        schema.insert("examples".to_owned(), json!(examples));
        schema
    }
}

/// Gives a quantity its schema, by what `$written` says of it.
macro_rules! written {
    ($t:ty, $name:literal, $written:expr) => {
        impl schemars::JsonSchema for $t {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
                super::written::Written::schema($written)
            }
        }
    };
}
pub(super) use written;

/// Digits without zeros before them.
pub(super) const DIGITS: &str = "(0|[1-9][0-9]*)";
/// Nothing behind the point, or zeros.
pub(super) const WHOLE: &str = "(\\.0+)?";
/// 0 to 65535.
pub(super) const U16: &str =
    "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)";
/// 1 to 65535.
pub(super) const U16_BUT_0: &str =
    "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})";
/// 0 to 255.
pub(super) const U8: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

/// A word in any case.
pub(super) fn any_case(word: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphabetic() {
        true => format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase()),
        false => c.to_string(),
    };
    word.chars().map(letter).collect()
}

/// One of some words, in any case.
pub(super) fn any_of<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(any_case).collect::<Vec<_>>().join("|")
}

/// A number and one of the decimal units, with no more decimals than the unit has digits.
pub(super) fn decimal(units: &[(u64, &str)]) -> String {
    let unit = |(size, name): &(u64, &str)| match size.checked_ilog10() {
        Some(places @ 1..) => format!("(\\.[0-9]{{1,{places}}}0*)?\\s*{}", any_case(name)),
        _ => format!("{WHOLE}\\s*{}", any_case(name)),
    };
    format!("{DIGITS}({})", units.iter().map(unit).collect::<Vec<_>>().join("|"))
}

/// An IPv6 address: eight groups, or fewer with `::` once; the last two may be an IPv4 address.
pub(super) fn ipv6() -> String {
    let group = "[0-9a-fA-F]{1,4}";
    let v4 = ipv4();
    let mut forms = vec![format!("({group}:){{7}}{group}"), format!("({group}:){{6}}{v4}")];
    for before in 0..=7 {
        let front = match before {
            0 => ":".to_owned(),
            1 => format!("{group}:"),
            _ => format!("({group}:){{{before}}}"),
        };
        let room = 7 - before;
        let groups = if room > 0 { format!("(:{group}){{1,{room}}}|") } else { String::new() };
        let tail = if room >= 2 { format!("(:{group}){{0,{}}}:{v4}|", room - 2) } else { String::new() };
        forms.push(format!("{front}({tail}{groups}:)"));
    }
    format!("({})", forms.join("|"))
}

/// An IPv4 address.
pub(super) fn ipv4() -> String {
    format!("{U8}(\\.{U8}){{3}}")
}

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;
