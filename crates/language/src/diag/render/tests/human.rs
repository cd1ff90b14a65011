use super::{HUMAN, at, bytes, file, human, unknown_key};
use crate::diag::render::{Format, render};
use crate::diag::{Code, Diagnostic, FileId, Span};
use insta::assert_snapshot;

#[test]
fn a_finding_is_shown_with_all_its_parts() {
    let sources = file("name: home\nlink:\n  devcie: ppp0\n  up: 6.5mbit\n");
    let diagnostic = unknown_key(at(&sources, "devcie"))
        .label("not a key of `link`")
        .also(at(&sources, "link"), "in this mapping")
        .help("did you mean `device`?")
        .help("the keys are `device`, `up` and `down`");
    assert_snapshot!(human(&sources, diagnostic), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:3:3
      |
    2 | link:
      | ---- in this mapping
    3 |   devcie: ppp0
      |   ^^^^^^ not a key of `link`
      |
      = help: did you mean `device`?
      = help: the keys are `device`, `up` and `down`

    1 error
    ");
}

#[test]
fn several_findings_end_with_a_summary() {
    let sources = file("link:\n  up: 25\n  down: 25mbps\n");
    let found = [
        Diagnostic::new(Code::BadRate, at(&sources, "25"), "the rate `25` has no unit"),
        Diagnostic::new(Code::BadRate, at(&sources, "25mbps"), "the rate `25mbps` can mean two things"),
        Diagnostic::new(Code::GuessedOverhead, at(&sources, "link"), "there is no profile"),
        Diagnostic::new(Code::DscpUploadOnly, at(&sources, "up"), "matched only upwards"),
    ];
    assert_snapshot!(render(&found, &sources, HUMAN), @"
    error[Q0201]: the rate `25` has no unit
     --> home.yaml:2:7
      |
    2 |   up: 25
      |       ^^

    error[Q0201]: the rate `25mbps` can mean two things
     --> home.yaml:3:9
      |
    3 |   down: 25mbps
      |         ^^^^^^

    warning[Q0601]: there is no profile
     --> home.yaml:1:1
      |
    1 | link:
      | ^^^^

    note[Q0504]: matched only upwards
     --> home.yaml:2:3
      |
    2 |   up: 25
      |   ^^

    2 errors, 1 warning, 1 note
    ");
}

#[test]
fn labels_in_distant_lines_and_other_files_are_shown() {
    let middle = "# nothing\n".repeat(500);
    let mut sources = file(&format!("classes:\n  voice:\n{middle}  voice:\n"));
    let preset = sources.add("preset `home`", "classes:\n  voice: {}\n");
    let text = &sources.get(FileId(0)).unwrap().text;
    let second = bytes(&sources, text.len() - 7, text.len() - 2);
    let in_preset = Span { file: preset, start: 11, end: 16, line: 2, column: 3 };
    let diagnostic = Diagnostic::new(Code::DuplicateName, second, "the class `voice` is given twice")
        .label("here again")
        .also(at(&sources, "voice"), "first here")
        .also(in_preset, "and in the preset");
    assert_snapshot!(human(&sources, diagnostic), @"
    error[Q0302]: the class `voice` is given twice
       --> home.yaml:503:3
        |
    503 |   voice:
        |   ^^^^^ here again
        |
       ::: home.yaml:2:3
        |
      2 |   voice:
        |   ----- first here
        |
       ::: preset `home`:2:3
        |
      2 |   voice: {}
        |   ----- and in the preset

    1 error
    ");
}

#[test]
fn labels_on_nearby_lines_share_an_excerpt() {
    let sources = file("a: 1\n# 2\n# 3\n# 4\n# 5\n# 6\n# 7\n# 8\n# 9\na: 2\n");
    let diagnostic =
        Diagnostic::new(Code::DuplicateKey, bytes(&sources, 37, 38), "the key `a` is given twice")
            .also(bytes(&sources, 0, 1), "first here");
    assert_snapshot!(human(&sources, diagnostic), @"
    error[Q0104]: the key `a` is given twice
      --> home.yaml:10:1
       |
     1 | a: 1
       | - first here
    ...
    10 | a: 2
       | ^

    1 error
    ");
}

#[test]
fn a_label_may_span_several_lines() {
    let sources = file("name: |\n  one\n  two\n  three\n\nlink: 1\n");
    let diagnostic =
        Diagnostic::new(Code::BadName, bytes(&sources, 6, 29), "a name of several lines").label("here");
    assert_snapshot!(human(&sources, diagnostic), @"
    error[Q0210]: a name of several lines
     --> home.yaml:1:7
      |
    1 |   name: |
      |  _______^
    2 | |   one
    3 | |   two
    4 | |   three
      | |_______^ here

    1 error
    ");
    let sources = file(&format!("name: |\n{}link: 1\n", "  more\n".repeat(100)));
    let diagnostic =
        Diagnostic::new(Code::BadName, bytes(&sources, 6, 700), "a name of many lines").label("here");
    assert_snapshot!(human(&sources, diagnostic), @"
    error[Q0210]: a name of many lines
     --> home.yaml:1:7
      |
    1 | name: |
      |       ^ here

    1 error
    ");
}

#[test]
fn labels_at_the_end_of_a_file_are_shown() {
    let sources = file("link:");
    assert_snapshot!(human(&sources, unknown_key(bytes(&sources, 5, 5)).label("a value belongs here")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:6
      |
    1 | link:
      |      ^ a value belongs here

    1 error
    ");
    let sources = file("link:\n");
    assert_snapshot!(human(&sources, unknown_key(bytes(&sources, 6, 6)).label("after the last line")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:2:1
      |
    2 |
      | ^ after the last line

    1 error
    ");
    let sources = file("");
    assert_snapshot!(human(&sources, unknown_key(bytes(&sources, 0, 0)).label("nothing")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:1
      |
    1 |
      | ^ nothing

    1 error
    ");
    let beyond = Span { file: FileId(0), start: 90, end: 99, line: 7, column: 3 };
    assert_snapshot!(human(&sources, unknown_key(beyond).label("beyond the end")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:7:3
      |
    1 |
      | ^ beyond the end

    1 error
    ");
}

#[test]
fn tabs_and_crlf_do_not_shift_labels() {
    let sources = file("link:\r\n\tdevcie:\tppp0\r\n  up: 1\r\n");
    assert_snapshot!(human(&sources, unknown_key(at(&sources, "ppp0")).label("here")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:2:10
      |
    2 |     devcie:    ppp0
      |                ^^^^ here

    1 error
    ");
    assert_snapshot!(human(&sources, unknown_key(bytes(&sources, 5, 7)).label("the line break")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:6
      |
    1 | link:
      |      ^ the line break

    1 error
    ");
    let sources = file("\u{feff}devcie: ppp0\n");
    assert_snapshot!(human(&sources, unknown_key(at(&sources, "devcie")).label("after a mark")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:2
      |
    1 | devcie: ppp0
      | ^^^^^^ after a mark

    1 error
    ");
}

#[test]
fn wide_and_combined_characters_do_not_shift_labels() {
    let sources = file("hosts:\n  Gäste-Drucker: { 房間: 1, é: \"👨‍👩‍👧\" }\n");
    let diagnostic = unknown_key(at(&sources, "房間")).label("房間").also(at(&sources, "Gäste"), "Gäste");
    assert_snapshot!(human(&sources, diagnostic), @r#"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:2:20
      |
    2 |   Gäste-Drucker: { 房間: 1, é: "👨👩👧" }
      |   ----- Gäste      ^^^^ 房間

    1 error
    "#);
    let amid = Span { file: FileId(0), start: 11, end: 12, line: 2, column: 4 };
    assert_snapshot!(human(&sources, unknown_key(amid).label("amid a character")), @r#"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:2:4
      |
    2 |   Gäste-Drucker: { 房間: 1, é: "👨👩👧" }
      |    ^ amid a character

    1 error
    "#);
}

#[test]
fn long_lines_are_cut_around_the_label() {
    let long = format!("{} devcie {}", "a".repeat(3000), "b".repeat(3000));
    let sources = file(&long);
    assert_snapshot!(human(&sources, unknown_key(at(&sources, "devcie")).label("here")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:3002
      |
    1 | …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa devcie bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
      |                                          ^^^^^^ here

    1 error
    ");
    assert_snapshot!(human(&sources, unknown_key(bytes(&sources, 0, 4)).label("here")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:1
      |
    1 | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
      | ^^^^ here

    1 error
    ");
    let diagnostic =
        unknown_key(bytes(&sources, 6005, 6008)).label("here").also(bytes(&sources, 0, 6008), "whole");
    assert_snapshot!(human(&sources, diagnostic), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:6006
      |
    1 | aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…
      | -------------------------------------------------------------------------------------------------------------------------^ here
      | |
      | whole

    1 error
    ");
    assert_snapshot!(human(&sources, unknown_key(bytes(&sources, 2990, 6008)).label("here")), @"
    error[Q0102]: there is no key `devcie` in `link`
     --> home.yaml:1:2991
      |
    1 | …aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa devcie bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
      |                                          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ here

    1 error
    ");
}

#[test]
fn colour_is_used_only_on_request() {
    let sources = file("link:\n  devcie: ppp0\n");
    let diagnostic = [unknown_key(at(&sources, "devcie")).label("here").help("did you mean `device`?")];
    let coloured = render(&diagnostic, &sources, Format::Human { colour: true });
    assert_snapshot!(coloured.replace('\u{1b}', "ESC"), @"
    ESC[1mESC[91merror[Q0102]ESC[0mESC[1m: there is no key `devcie` in `link`ESC[0m
     ESC[1mESC[94m--> ESC[0mhome.yaml:2:3
      ESC[1mESC[94m|ESC[0m
    ESC[1mESC[94m2ESC[0m ESC[1mESC[94m|ESC[0m   devcie: ppp0
      ESC[1mESC[94m|ESC[0m   ESC[1mESC[91m^^^^^^ESC[0m ESC[1mESC[91mhereESC[0m
      ESC[1mESC[94m|ESC[0m
      ESC[1mESC[94m= ESC[0mESC[1mhelpESC[0m: did you mean `device`?

    1 error
    ");
    let plain = anstream::adapter::strip_str(&coloured).to_string();
    assert_eq!(plain, render(&diagnostic, &sources, HUMAN));
}
