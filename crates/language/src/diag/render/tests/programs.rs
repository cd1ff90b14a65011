use super::{at, file, unknown_key};
use crate::diag::render::{Format, render};
use crate::diag::{Code, Diagnostic};
use insta::assert_snapshot;

#[test]
fn the_short_format_has_one_line_for_each_finding() {
    let sources = file("link:\n  devcie: ppp0\n");
    let found = [
        unknown_key(at(&sources, "devcie")).label("here").help("did you mean `device`?"),
        Diagnostic::new(Code::GuessedOverhead, at(&sources, "link"), "there is no profile"),
    ];
    assert_snapshot!(render(&found, &sources, Format::Short), @"
    home.yaml:2:3: error[Q0102]: there is no key `devcie` in `link` (here); help: did you mean `device`?
    home.yaml:1:1: warning[Q0601]: there is no profile
    ");
}

#[test]
fn the_json_format_has_all_fields() {
    let sources = file("link:\n  devcie: |\n    é\n  up: 1\n");
    let diagnostic = unknown_key(at(&sources, "devcie"))
        .also(at(&sources, "|\n    é"), "its value")
        .help("did you mean `device`?");
    assert_snapshot!(render(&[diagnostic], &sources, Format::Json), @r#"
    [
      {
        "code": "Q0102",
        "severity": "error",
        "message": "there is no key `devcie` in `link`",
        "file": "home.yaml",
        "line": 2,
        "column": 3,
        "end": {
          "line": 2,
          "column": 9
        },
        "labels": [
          {
            "file": "home.yaml",
            "line": 2,
            "column": 3,
            "end": {
              "line": 2,
              "column": 9
            },
            "text": "",
            "primary": true
          },
          {
            "file": "home.yaml",
            "line": 2,
            "column": 11,
            "end": {
              "line": 3,
              "column": 6
            },
            "text": "its value",
            "primary": false
          }
        ],
        "help": [
          "did you mean `device`?"
        ],
        "fix": null
      }
    ]
    "#);
}
