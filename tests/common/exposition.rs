//! A strict reader of the text format of Prometheus, as `status --metrics` writes it.

use std::collections::{BTreeMap, BTreeSet};

/// Samples by metric and labels.
pub type Samples = BTreeMap<(String, BTreeMap<String, String>), String>;

/// Reads the text. Panics if a line is not of the format, or if the lines of a metric are not together.
#[track_caller]
pub fn samples(text: &str) -> Samples {
    let mut samples = Samples::new();
    let mut seen = BTreeSet::new();
    let mut family = String::new();
    let mut kind = "";
    assert!(text.ends_with('\n'), "no line break at the end: {text:?}");
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').expect("a name and a help");
            assert!(seen.insert(name.to_owned()), "{name} has two groups\n{text}");
            assert!(!help.is_empty() && !help.contains('\\'), "{line}");
            assert!(kind != "expected", "no sample above {line}");
            name.clone_into(&mut family);
            kind = "";
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            let (name, type_of) = rest.split_once(' ').expect("a name and a type");
            assert!(name == family && kind.is_empty(), "{line}");
            let counts = family.ends_with("_total");
            assert_eq!(type_of, if counts { "counter" } else { "gauge" }, "{line}");
            kind = "expected";
        } else {
            assert!(!kind.is_empty(), "no type above {line}");
            kind = "found";
            let (name, labels, value) = sample(line);
            assert_eq!(name, family, "{line}");
            assert!(value.bytes().all(|c| c.is_ascii_digit() || c == b'.'), "{line}");
            assert!(value.parse::<f64>().is_ok(), "{line}");
            assert!(samples.insert((name, labels), value).is_none(), "twice: {line}");
        }
    }
    assert_ne!(kind, "expected", "no sample below {family}");
    samples
}

/// Takes a sample apart: `name{label="value",...} number`.
fn sample(line: &str) -> (String, BTreeMap<String, String>, String) {
    let (name, rest) = line.split_once('{').expect("labels");
    assert!(is_name(name), "{line}");
    let mut labels = BTreeMap::new();
    let mut rest = rest;
    loop {
        let (label, quoted) = rest.split_once("=\"").expect("a label");
        assert!(is_name(label), "{line}");
        let mut value = String::new();
        let mut characters = quoted.char_indices();
        let end = loop {
            match characters.next().expect("the end of a label") {
                (at, '"') => break at,
                (_, '\\') => match characters.next().expect("an escaped character").1 {
                    'n' => value.push('\n'),
                    escaped @ ('\\' | '"') => value.push(escaped),
                    other => panic!("\\{other} in {line}"),
                },
                (_, other) => value.push(other),
            }
        };
        assert!(!value.is_empty() && labels.insert(label.to_owned(), value).is_none(), "{line}");
        rest = quoted.get(end + 1..).expect("text after the quote");
        if let Some(number) = rest.strip_prefix("} ") {
            return (name.to_owned(), labels, number.to_owned());
        }
        rest = rest.strip_prefix(',').expect("another label");
    }
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_lowercase() || c == b'_')
}
