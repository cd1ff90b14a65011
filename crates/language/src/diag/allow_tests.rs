use crate::budget::Budget;
use crate::diag::{Allows, Code, Diagnostic, FileId, Format, Sink, Sources, Span, render};
use crate::syntax;
use insta::assert_snapshot;

/// Findings left for a text with a warning at each `^`, including those on comments. The text is read without the `^`.
fn printed(code: Code, marked: &str) -> String {
    let mut text = String::new();
    let mut sink = Sink::default();
    for c in marked.chars() {
        if c != '^' {
            text.push(c);
            continue;
        }
        let line = u32::try_from(text.matches('\n').count() + 1).unwrap();
        let column = u32::try_from(text.rsplit('\n').next().unwrap_or_default().chars().count() + 1).unwrap();
        let span = Span { file: FileId::OWN, start: text.len(), end: text.len() + 1, line, column };
        sink.push(Diagnostic::new(code, span, "a finding"));
    }
    let mut sources = Sources::default();
    let file = sources.add("home.yaml", text.clone());
    let _ = Allows::read(file, &syntax::comments(&sources, file), &text, &sink).settle(&mut sink);
    render(&sink.into_sorted(), &sources, Format::Short)
}

const CODE: Code = Code::GuessedOverhead;

#[test]
fn allow_comments_apply_to_their_line_and_the_next() {
    assert_eq!(printed(CODE, "^link: 1 # qosc: allow(Q0601)\n"), "");
    assert_eq!(printed(CODE, "link:\n  # qosc: allow(Q0601) the modem is old\n  up: ^1\n"), "");
    assert_eq!(
        printed(CODE, "# qosc:allow( Q0504 , q0601,)\n# more words\n^a: 1 # qosc: allow(Q0504)\n")
            .matches("Q0601")
            .count(),
        0
    );
    // A comment has no effect on the line below if it trails other text, across an empty line, or on the line above.
    let not = "home.yaml:2:1: warning[Q0601]: a finding\n";
    assert!(printed(CODE, "a: 1 # qosc: allow(Q0601)\n^b: 2\n").contains(not));
    assert!(printed(CODE, "# qosc: allow(Q0601)\n\n^b: 2\n").contains("3:1: warning[Q0601]"));
    assert!(printed(CODE, "a: 1\n^b: 2\n# qosc: allow(Q0601)\n").contains(not));
    // Each finding is on its own line, and one comment suppresses all findings of a line.
    let two = "# qosc: allow(Q0601)\na: { b: ^1, c: ^2 }\n^d: 1\n";
    assert_eq!(printed(CODE, two), "home.yaml:3:1: warning[Q0601]: a finding\n");
}

#[test]
fn only_real_yaml_comments_count() {
    for text in [
        "a: \"^ # qosc: allow(Q0601)\"\n",
        "a: '^ # qosc: allow(Q0601)'\n",
        "a: '^\n\n  # qosc: allow(Q0601)\n  b'\n",
        "a: |\n  # qosc: allow(Q0601)\n  ^text\n",
        "a: >-\n  # qosc: allow(Q0601)\n  ^text\n",
        "a: ^b#qosc: allow(Q0601)\n",
    ] {
        let said = printed(CODE, text);
        assert_eq!(said.lines().count(), 1, "{text}\n{said}");
        assert!(said.contains("[Q0601]"), "{text}\n{said}");
    }
    // After such texts, a `#` begins a comment again.
    for text in ["a: 'it''s # one' # qosc: allow(Q0601)\nb: 1\n", "a: \"\\\" # \" # qosc: allow(Q0601)\n"] {
        assert_eq!(printed(CODE, &format!("^{text}")), "", "{text}");
    }
    assert_eq!(printed(CODE, "a: |\n  # text\n# qosc: allow(Q0601)\n^b: 1\n"), "");
    assert_eq!(printed(CODE, "a: [\n  # qosc: allow(Q0601)\n  ^1, 2 ]\n"), "");
    assert_eq!(printed(CODE, "a: 1\r\n# qosc: allow(Q0601)\r\n^b: 1\r\n"), "");
    assert_eq!(printed(CODE, "\u{feff}# qosc: allow(Q0601)\n^b: 1\n"), "");
    let many = "# words\n".repeat(1000);
    assert_eq!(printed(CODE, &format!("# qosc: allow(Q0601)\n{many}^b: 1\n")), "");
}

#[test]
fn idle_comments_are_reported() {
    let text = "# qosc: allow(Q0504, Q0601)\n^a: 1\nb: 2 # qosc: allow(Q0601)\n# é qosc: allow(Q0601)\n# qosc is fine\n# qosc: our line\n";
    assert_snapshot!(printed(CODE, text), @"
    home.yaml:1:15: warning[Q0108]: there is no `Q0504` here that `allow` could suppress (a DSCP that matches only uploads); help: write the comment on the line of the finding or on the line above, or remove it
    home.yaml:3:20: warning[Q0108]: there is no `Q0601` here that `allow` could suppress (a link without a profile); help: write the comment on the line of the finding or on the line above, or remove it
    ");
    // Errors prevent some rules from running.
    assert_eq!(
        printed(Code::BadRate, "a: ^1\nb: 2 # qosc: allow(Q0601)\n"),
        "home.yaml:1:4: error[Q0201]: a finding\n"
    );
    // Only several files together can have this finding.
    assert_eq!(printed(CODE, "name: a # qosc: allow(Q0615)\n"), "");
}

#[test]
fn invalid_comments_are_reported() {
    let text = "^a: 1 # qosc: allow(Q601, Q9999, Q0201, Q0601)\n# qosc: alow(Q0601)\n# qosc: allow Q0601\n# qosc: allow(Q0601\n# qosc: allow( )\n# qosc: deny(warnings)\n";
    assert_snapshot!(printed(CODE, text), @"
    home.yaml:1:20: warning[Q0109]: there is no code `Q601` (did you mean `Q0601`?)
    home.yaml:1:26: warning[Q0109]: there is no code `Q9999`; help: write the code in brackets after `warning` or `note`, such as `Q0601`
    home.yaml:1:33: warning[Q0110]: `Q0201` is an error, and errors cannot be suppressed (not a rate); help: correct the error, and remove its code here
    home.yaml:2:9: warning[Q0109]: `alow` is not possible in a `# qosc:` comment; help: write `# qosc: allow(CODE)`, and separate several codes with commas
    home.yaml:3:9: warning[Q0109]: `allow` needs codes in parentheses; help: write `# qosc: allow(CODE)`, and separate several codes with commas
    home.yaml:4:9: warning[Q0109]: `allow` needs codes in parentheses; help: write `# qosc: allow(CODE)`, and separate several codes with commas
    home.yaml:5:9: warning[Q0109]: `allow` has no code in its parentheses; help: write `# qosc: allow(CODE)`, and separate several codes with commas
    home.yaml:6:9: warning[Q0109]: `deny` is not possible in a `# qosc:` comment; help: write `# qosc: allow(CODE)`, and separate several codes with commas
    ");
}

#[test]
fn findings_about_comments_can_be_allowed() {
    assert_eq!(printed(CODE, "a: 1 # qosc: allow(Q0601, Q0108)\n"), "");
    assert_eq!(printed(CODE, "# qosc: allow(Q0109)\n# qosc: allow(Q9999)\na: 1\n"), "");
    assert_eq!(
        printed(CODE, "a: 1 # qosc: allow(Q0108)\n"),
        "home.yaml:1:20: warning[Q0108]: there is no `Q0108` here that `allow` could suppress (an allow that suppresses nothing); \
         help: write the comment on the line of the finding or on the line above, or remove it\n"
    );
}

#[test]
fn errors_cannot_be_allowed() {
    let said = printed(Code::BadRate, "^a: 1 # qosc: allow(Q0201)\n");
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.contains("error[Q0201]") && said.contains("warning[Q0110]"), "{said}");
}

#[test]
fn many_comments_cost_little_time() {
    let text = "# qosc: allow(Q0601)\n".repeat(20_000) + &"^a: 1\n".repeat(100);
    assert!(printed(CODE, &text).lines().count() >= 99);
}

#[test]
fn each_code_is_charged() {
    let text = format!("a: 1 # qosc: allow({})\n", vec!["Q0601"; 1000].join(","));
    let mut sources = Sources::default();
    let file = sources.add("home.yaml", text.clone());
    for (parts, is_beyond) in [(1, false), (200, true)] {
        let mut sink = Sink::within(&Budget::parts(parts));
        let _ = Allows::read(file, &syntax::comments(&sources, file), &text, &sink).settle(&mut sink);
        assert_eq!((sink.budget().is_used_up(), sink.into_sorted().is_empty()), (is_beyond, is_beyond));
    }
}
