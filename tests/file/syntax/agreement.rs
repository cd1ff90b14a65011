//! Compares our tree of a text with that of serde_yaml.

use super::read::flat;
use qosc_compiler::syntax::{Node, YamlValue};
use serde_yaml::Value as Other;

/// Returns true if our scalar is the one that the other reader found.
fn same_scalar(text: &str, quoted: bool, other: &Other) -> bool {
    match other {
        Other::String(string) => string == text,
        Other::Bool(value) => !quoted && value.to_string() == text,
        Other::Number(number) => {
            let ours = match text.strip_prefix("0x") {
                Some(digits) => u64::from_str_radix(digits, 16).ok().map(|n| n.to_string()),
                None => text
                    .parse::<f64>()
                    .ok()
                    .filter(|n| Some(*n) == number.as_f64())
                    .map(|_| number.to_string()),
            };
            !quoted && ours == Some(number.to_string())
        }
        _ => false,
    }
}

/// Returns true if both trees are the same.
fn same(ours: &YamlValue, other: &Other) -> bool {
    match (&ours.node, other) {
        (Node::Null, Other::Null) => true,
        (node, Other::Null) if node.is_null() => true,
        (Node::Scalar { text, quoted }, other) => same_scalar(text, *quoted, other),
        (Node::Seq(ours), Other::Sequence(others)) => {
            ours.len() == others.len() && ours.iter().zip(others).all(|(ours, other)| same(ours, other))
        }
        (Node::Map(ours), Other::Mapping(others)) => {
            ours.len() == others.len()
                && ours.iter().zip(others).all(|(entry, (key, other))| {
                    same_scalar(&entry.key.value, entry.quoted, key) && same(&entry.value, other)
                })
        }
        _ => false,
    }
}

/// Both trees and the text, one below the other.
fn difference(ours: &YamlValue, other: &Other, text: &str) -> String {
    fn flat_other(value: &Other) -> String {
        match value {
            Other::Null => "-".to_owned(),
            Other::Sequence(items) => {
                format!("[{}]", items.iter().map(flat_other).collect::<Vec<_>>().join(", "))
            }
            Other::Mapping(entries) => {
                let entry = |(k, v): (&Other, &Other)| format!("{}: {}", flat_other(k), flat_other(v));
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            Other::String(text) => text.clone(),
            other => format!("{other:?}"),
        }
    }
    format!("read differently:\n{}\n{}\n{text:?}", flat(ours), flat_other(other))
}

/// Asserts that serde_yaml reads a text that we accept as the same tree. YAML 1.2 allows anchor names that libyaml, a
/// reader of YAML 1.1, refuses. No tree contains such a name, so another one replaces it.
pub fn agree(ours: &YamlValue, text: &str) {
    let read = serde_yaml::from_str::<Other>(text);
    let read = match read {
        Err(error) if is_about_an_anchors_name(&error) => serde_yaml::from_str(&with_plain_anchors(text)),
        read => read,
    };
    match read {
        Ok(other) => assert!(same(ours, &other), "{}", difference(ours, &other, text)),
        Err(error) => panic!("we accept what the other refuses: {error}\n{text}"),
    }
}

fn is_about_an_anchors_name(error: &serde_yaml::Error) -> bool {
    let message = error.to_string();
    message.starts_with("did not find expected alphabetic or numeric character")
        && (message.contains("while scanning an anchor") || message.contains("while scanning an alias"))
}

/// Replaces all characters but letters and digits in the names of anchors and aliases. Different names stay different.
fn with_plain_anchors(text: &str) -> String {
    let mut plain = String::new();
    let (mut begins, mut is_name) = (true, false);
    for c in text.chars() {
        if is_name && (c.is_whitespace() || "[]{},".contains(c)) {
            is_name = false;
        }
        match c {
            c if is_name && !c.is_ascii_alphanumeric() => plain += &format!("x{:x}x", u32::from(c)),
            c => plain.push(c),
        }
        is_name |= begins && "&*".contains(c);
        begins = c.is_whitespace() || "[{,".contains(c);
    }
    plain
}

#[test]
fn anchors_with_any_name_are_made_plain() {
    let text = "a: &.\u{e9}-1 [x, '& y']\nb: [*.\u{e9}-1, &: z]\n";
    assert_eq!(with_plain_anchors(text), "a: &x2exxe9xx2dx1 [x, '& y']\nb: [*x2exxe9xx2dx1, &x3ax z]\n");
}
