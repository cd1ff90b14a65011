mod human;
mod programs;

use super::{Format, render};
use crate::diag::{Code, Diagnostic, FileId, Sources, Span};
use insta::assert_snapshot;
use proptest::prelude::{any, prop_assert, proptest};
use std::slice::from_ref;

const HUMAN: Format = Format::Human { colour: false };

/// Sources with one file.
fn file(text: &str) -> Sources {
    let mut sources = Sources::default();
    sources.add("home.yaml", text);
    sources
}

/// Span of these bytes in the first file, with its line and column.
fn bytes(sources: &Sources, start: usize, end: usize) -> Span {
    let text = &sources.get(FileId(0)).unwrap().text;
    let before = text.get(..start).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = u32::try_from(before.matches('\n').count() + 1).unwrap();
    let column = u32::try_from(before.get(line_start..).unwrap().chars().count() + 1).unwrap();
    Span { file: FileId(0), start, end, line, column }
}

/// Span of the first occurrence of a text in the first file.
fn at(sources: &Sources, needle: &str) -> Span {
    let start = sources.get(FileId(0)).unwrap().text.find(needle).unwrap();
    bytes(sources, start, start + needle.len())
}

fn unknown_key(span: Span) -> Diagnostic {
    Diagnostic::new(Code::UnknownKey, span, "there is no key `devcie` in `link`")
}

fn human(sources: &Sources, diagnostic: Diagnostic) -> String {
    render(&[diagnostic], sources, HUMAN)
}

#[test]
fn escape_sequences_are_made_visible() {
    let hostile = "a\u{1b}[31m\u{9b}2J\u{202e}b\u{7}\u{7f}\u{e000}";
    let mut sources = Sources::default();
    sources.add(format!("{hostile}.yaml"), format!("x: {hostile} # {hostile}\n"));
    let span = Span { file: FileId(0), start: 3, end: 20, line: 1, column: 4 };
    let diagnostic = Diagnostic::new(Code::BadName, span, format!("the name `{hostile}\n` is bad"))
        .label(hostile)
        .help(format!("leave out {hostile}\r\n\t!"));
    assert_snapshot!(human(&sources, diagnostic.clone()), @"
    error[Q0210]: the name `a␛[31m�2J�b␇␡�␊` is bad
     --> a␛[31m�2J�b␇␡�.yaml:1:4
      |
    1 | x: a␛[31m�2J�b␇␡� # a␛[31m�2J�b␇␡�
      |    ^^^^^^^^^^^^^ a␛[31m�2J�b␇␡�
      |
      = help: leave out a␛[31m�2J�b␇␡�␍␊ !

    1 error
    ");
    assert_snapshot!(render(from_ref(&diagnostic), &sources, Format::Short), @"a␛[31m�2J�b␇␡�.yaml:1:4: error[Q0210]: the name `a␛[31m�2J�b␇␡�␊` is bad (a␛[31m�2J�b␇␡�); help: leave out a␛[31m�2J�b␇␡�␍␊ !");
    assert_snapshot!(render(&[diagnostic], &sources, Format::Json), @r#"
    [
      {
        "code": "Q0210",
        "severity": "error",
        "message": "the name `a\u001b[31m\u009b2J\u202eb\u0007\u007f\ue000\n` is bad",
        "file": "a\u001b[31m\u009b2J\u202eb\u0007\u007f\ue000.yaml",
        "line": 1,
        "column": 4,
        "end": {
          "line": 1,
          "column": 17
        },
        "labels": [
          {
            "file": "a\u001b[31m\u009b2J\u202eb\u0007\u007f\ue000.yaml",
            "line": 1,
            "column": 4,
            "end": {
              "line": 1,
              "column": 17
            },
            "text": "a\u001b[31m\u009b2J\u202eb\u0007\u007f\ue000",
            "primary": true
          }
        ],
        "help": [
          "leave out a\u001b[31m\u009b2J\u202eb\u0007\u007f\ue000\r\n\t!"
        ],
        "fix": null
      }
    ]
    "#);
}

#[test]
fn findings_without_a_place_are_rendered() {
    let mut diagnostic =
        unknown_key(Span { file: FileId(9), start: 0, end: 1, line: 1, column: 1 }).help("do this");
    let sources = Sources::default();
    assert_snapshot!(human(&sources, diagnostic.clone()), @"
    error[Q0102]: there is no key `devcie` in `link`
     |
     = help: do this

    1 error
    ");
    diagnostic.labels.clear();
    assert_snapshot!(human(&sources, diagnostic.clone()), @"
    error[Q0102]: there is no key `devcie` in `link`
     |
     = help: do this

    1 error
    ");
    assert_snapshot!(render(&[diagnostic], &sources, Format::Short), @"error[Q0102]: there is no key `devcie` in `link`; help: do this");
    assert_eq!(render(&[], &sources, HUMAN), "");
    assert_eq!(render(&[], &sources, Format::Short), "");
    assert_eq!(render(&[], &sources, Format::Json), "[]\n");
}

#[test]
fn only_the_first_1000_findings_are_shown() {
    let sources = file(&"devcie: 1\n".repeat(5000));
    let found: Vec<Diagnostic> =
        (0..5000).map(|i| unknown_key(bytes(&sources, i * 10, i * 10 + 6))).collect();
    let text = render(&found, &sources, HUMAN);
    assert!(text.ends_with("5000 errors; the first 1000 are shown\n"));
    assert_eq!(text.matches("error[Q0102]").count(), 1000);
    let mut one = found[0].clone();
    for other in &found {
        one = one.also(other.labels[0].span, "");
    }
    assert!(human(&sources, one).contains("= note: 4981 more places not shown\n"));
}

proptest! {
    #[test]
    fn renderers_never_panic(
        text in "([ -~\\n\\t]|\\r\\n|\\PC|\\p{Cc}|\\p{Cf}){0,300}",
        places in proptest::collection::vec((0usize..400, 0usize..400, any::<bool>(), "\\PC{0,9}|\\p{C}{0,3}"), 1..6),
        message in "\\PC{0,20}|\\p{C}{0,3}",
    ) {
        let sources = file(&text);
        let mut diagnostic = Diagnostic::new(Code::BadName, Span { file: FileId(0), start: 0, end: 0, line: 1, column: 1 }, message);
        diagnostic.labels.clear();
        for (start, end, primary, text) in places {
            let span = Span { file: FileId(0), start, end, line: 1, column: 1 };
            diagnostic.labels.push(crate::diag::Label { span, text, primary });
        }
        let found = [diagnostic];
        for format in [HUMAN, Format::Short, Format::Json] {
            let out = render(&found, &sources, format);
            prop_assert!(out.chars().all(|c| c == '\n' || !c.is_control()), "{:?}", out);
            prop_assert!(out.ends_with('\n'));
        }
        let json: serde_json::Value = serde_json::from_str(&render(&found, &sources, Format::Json)).unwrap();
        prop_assert!(json[0]["message"] == found[0].message.as_str());
    }
}
