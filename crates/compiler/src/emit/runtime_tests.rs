//! The text of the runtime.

use super::*;

/// All parts, and the call of the first function.
fn runtime() -> String {
    let parts = PARTS.iter().map(|(name, _, files, _)| headed(name, files, "every script that has it"));
    headed("base", BASE, "every script") + &parts.collect::<String>() + "main\n"
}

/// Nothing in the runtime is dead code.
#[test]
fn every_function_is_called() {
    let text = runtime();
    let code: Vec<&str> = text.lines().filter(|line| !line.trim_start().starts_with('#')).collect();
    let code = code.join("\n");
    let words: Vec<&str> = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect();
    let names = code.lines().filter_map(|line| match line.strip_prefix("function ") {
        Some(rest) => rest.split('(').next(),
        None => line.split_once("() {").map(|(name, _)| name),
    });
    let mut number = 0;
    for name in names {
        assert!(words.iter().filter(|word| **word == name).count() > 1, "{name} is never called");
        number += 1;
    }
    assert!(number > 100, "{number}");
}

#[test]
fn no_line_has_more_than_120_columns() {
    for line in runtime().lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
}
