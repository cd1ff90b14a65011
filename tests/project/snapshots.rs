//! The rules for golden outputs: no line is too wide, and unwrapping a snapshot restores the tested text.

#![cfg(test)]

use crate::files::below;
use crate::golden;
use crate::objects;
use serde_json::json;
use std::path::Path;

#[test]
fn no_snapshot_has_an_overlong_line() {
    let mut files = below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
    files.extend(below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("crates")));
    files.extend(below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")));
    // Snapshots, and files that belong to one.
    files.retain(|file| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        name.ends_with(".snap") || name.contains(".snap.")
    });
    let (mut lines, mut wide) = (0, Vec::new());
    for file in &files {
        for (number, line) in std::fs::read_to_string(file).unwrap().lines().enumerate() {
            lines += 1;
            let width = line.chars().count();
            if width > golden::WIDTH {
                wide.push(format!("{}:{}: {width} columns", file.display(), number + 1));
            }
        }
    }
    assert!(files.len() > 300 && lines > 10_000, "{lines} lines in {} files", files.len());
    assert!(wide.is_empty(), "use golden::assert_golden! for these snapshots:\n{}", wide.join("\n"));
}

#[test]
fn wrapped_lines_fit_and_unwrap_to_the_original() {
    let long = "word ".repeat(100);
    let texts = [
        String::new(),
        "\n\n a\n".to_owned(),
        long.clone(),
        format!("  {long}\n        {long}x\n"),
        "é".repeat(1000),
        " ".repeat(500),
        format!("{}{}end", "x".repeat(119), " ".repeat(300)),
        format!("{}\n{}", "x".repeat(120), "y".repeat(121)),
    ];
    for text in texts {
        let wrapped = golden::wrap(&text);
        assert!(wrapped.lines().all(|line| line.chars().count() <= golden::WIDTH), "{wrapped}");
        assert_eq!(golden::unwrap(&wrapped), text);
    }
    assert_eq!(golden::wrap(&"x".repeat(121)), format!("{}\n    ↪x", "x".repeat(120)));
    let at_space = format!("{} {}", "x".repeat(100), "y".repeat(30));
    assert_eq!(golden::wrap(&at_space), format!("{}\n    ↪ {}", "x".repeat(100), "y".repeat(30)));
}

#[test]
#[should_panic(expected = "the text contains a line that begins with")]
fn a_text_that_contains_the_wrap_marker_is_rejected() {
    golden::wrap("one\n    ↪ two\n");
}

#[test]
fn shortened_objects_are_read_back() {
    let why = json!({ "name": "all", "what": "everything else", "line": null });
    let words = json!({ "words": { "8": { "value": 393_216, "mask": 16_711_680 } }, "mark": null });
    let value = json!({
        "link": "home", "charge": { "overhead": { "above_ip": 18 }, "mpu": 0 }, "empty": {}, "on": false,
        "filters": [
            { "dev": "wan", "hook": "root", "pref": 10, "selector": words, "actions": [{ "redirect": "ifb" }], "why": why },
            { "dev": "wan", "hook": "root", "pref": 10, "selector": { "words": {}, "mark": null }, "why": why },
            { "dev": "ifb", "handle": "c05:", "kind": { "cake": { "rtt": null } } },
        ],
        "scale": { "up": { "basis": { "full": 1518 }, "aside": [], "classes": [{ "id": "c05:1" }] } },
        "odd": ["1", 1, "true", true, null, "-", "", "a b", "\"{[(=", "é", "x{y", -1],
    });
    let expected = r#"link=home charge={overhead={above_ip=18} mpu=0} on=false
filters
  [dev=wan hook=root pref=10 why=(all "everything else" -)]
    selector={words=(60000/ff0000@8)} actions=[{redirect=ifb}]
    selector={}
  [dev=ifb]
    handle=c05: kind=cake{}
scale.up.basis={full=1518}
scale.up.classes
  id=c05:1
odd=["1" 1 "true" true - "-" "" "a b" "\"{[(=" "é" "x{y" -1]
"#;
    assert_eq!(objects::print(&value), expected);
    assert_eq!(objects::read(expected), objects::pruned(&value));
}
