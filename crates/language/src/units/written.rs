//! JSON Schema of every quantity, for editors.
//!
//! A pattern accepts every text that the corresponding parser accepts. It also accepts texts that only arithmetic can
//! reject: numbers that are too large, and ranges that begin above their end. YAML reads `53` as a number and
//! `5060-5061` as a text, so a quantity that needs no unit may be either.

use schemars::{Schema, json_schema};
use serde_json::{Value, json};

/// Written form of a quantity.
pub(super) struct Written {
    /// One-line description.
    pub(super) about: &'static str,
    /// Smallest and largest number, if a number without a unit is accepted.
    pub(super) numbers: Option<(u64, u64)>,
    /// Pattern for the text without surrounding white space.
    pub(super) pattern: String,
    /// `true` if white space around the text is ignored.
    pub(super) trimmed: bool,
    /// Example texts.
    pub(super) examples: Vec<&'static str>,
}

impl Written {
    /// Returns the JSON Schema.
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

/// Implements the schema of a quantity from the description `$written`.
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

/// Digits without leading zeros.
pub(super) const DIGITS: &str = "(0|[1-9][0-9]*)";
/// An optional point with only zeros after it.
pub(super) const WHOLE: &str = "(\\.0+)?";
/// Numbers from 0 to 65535.
pub(super) const U16: &str =
    "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3}|0)";
/// Numbers from 1 to 65535.
pub(super) const U16_BUT_0: &str =
    "(6553[0-5]|655[0-2][0-9]|65[0-4][0-9]{2}|6[0-4][0-9]{3}|[1-5][0-9]{4}|[1-9][0-9]{0,3})";
/// Numbers from 0 to 255.
pub(super) const U8: &str = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

/// Returns a pattern for a word in any case.
pub(super) fn any_case(word: &str) -> String {
    let letter = |c: char| match c.is_ascii_alphabetic() {
        true => format!("[{}{}]", c.to_ascii_lowercase(), c.to_ascii_uppercase()),
        false => c.to_string(),
    };
    word.chars().map(letter).collect()
}

/// Returns a pattern for one of several words in any case.
pub(super) fn any_of<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    words.into_iter().map(any_case).collect::<Vec<_>>().join("|")
}

/// Returns a pattern for a number with one of the decimal units. It allows at most as many decimals as the unit has
/// digits.
pub(super) fn decimal(units: &[(u64, &str)]) -> String {
    let unit = |(size, name): &(u64, &str)| match size.checked_ilog10() {
        Some(places @ 1..) => format!("(\\.[0-9]{{1,{places}}}0*)?\\s*{}", any_case(name)),
        _ => format!("{WHOLE}\\s*{}", any_case(name)),
    };
    format!("{DIGITS}({})", units.iter().map(unit).collect::<Vec<_>>().join("|"))
}

/// Returns a pattern for an IPv6 address: eight groups, or fewer with one `::`; the last two may be an IPv4 address.
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

/// Returns a pattern for an IPv4 address.
pub(super) fn ipv4() -> String {
    format!("{U8}(\\.{U8}){{3}}")
}

#[cfg(test)]
#[path = "written_tests.rs"]
mod tests;
