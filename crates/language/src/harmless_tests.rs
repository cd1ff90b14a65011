use super::{is_hidden, json, lines, shown};
use proptest::prelude::*;

#[test]
fn hidden_characters_are_shown_by_others() {
    for c in "\0\t\n\u{1b}\u{7f}\u{80}\u{9b}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180b}\u{180e}\u{200b}\u{200e}\u{2028}\u{202e}\u{2060}\u{2066}\u{206a}\u{206f}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{fff0}\u{fffb}\u{1bca0}\u{1d173}\u{e0000}\u{e0041}\u{e0100}".chars() {
        assert!(is_hidden(c) && !is_hidden(shown(c)), "{c:?}");
    }
    for c in " aä'`\u{200c}\u{200d}\u{2014}\u{1f600}\u{e1000}\u{fffd}".chars() {
        assert!(!is_hidden(c) && shown(c) == c, "{c:?}");
    }
}

#[test]
fn colours_stay_only_in_a_text_that_has_its_own() {
    let text = "\x1b[1m\x1b[31;4ma\x1b[0m\n";
    assert_eq!(lines(text, true), text);
    assert_eq!(lines(text, false), "␛[1m␛[31;4ma␛[0m\n");
    // These hide text, move the cursor, or are no styles.
    for text in [
        "\x1b[8ma",
        "\x1b[30ma",
        "\x1b[37ma",
        "\x1b[2ma",
        "\x1b[38;5;0ma",
        "\x1b[2Ja",
        "\x1b[m",
        "\x1b]0;title\x07",
        "\x1b[1",
        "\x1b",
    ] {
        assert!(!lines(text, true).contains('\x1b'), "{text:?}");
    }
}

#[test]
fn no_line_is_a_command_of_a_ci_system() {
    for (text, expected) in [
        ("::error::a", "�:error::a"),
        ("::error", "�:error"),
        ("::add-mask::1", "�:add-mask::1"),
        ("::bad::a", "�:bad::a"),
        (" \t::warning file=b::b\n::debug::", " \t�:warning file=b::b\n�:debug::"),
        ("\u{a0}::Set-Env name=a::b", "\u{a0}�:Set-Env name=a::b"),
        ("x ##[error]y ##[group]\n", "x �#[error]y �#[group]\n"),
        ("##vso[task]", "�#vso[task]"),
        ("###[a", "#�#[a"),
        ("##teamcity[a ##b [c", "�#teamcity[a ##b [c"),
        ("::add-mask:\u{200d}:x", "�:add-mask:\u{200d}:x"),
        ("::add-mask::x", "�:add-mask::x"),
    ] {
        assert_eq!(lines(text, false), expected);
    }
    // These are no commands, but addresses.
    for text in [
        "a ::c::",
        "::: profiles/classes/home.yaml:10:16",
        "::1 ef 10 0",
        "::",
        "::ffff:192.0.2.1 cs1",
        "::beef ef",
        "2001:db8::1 a::b",
    ] {
        assert_eq!(lines(text, false), text);
    }
    assert_eq!(lines("a\r\nb\r\r\n\r", false), "a\r\nb␍\r\n␍");
    // A hidden character before it is not a blank any more.
    assert_eq!(lines("\r::error::a\n\u{b}::b", false), "␍::error::a\n␋::b");
}

#[test]
fn json_keeps_its_meaning() {
    let value = serde_json::json!({ "##[a": ["\u{202e}\u{e0041}\u{9b}\n", "##vso[", "###[", "ä"] });
    let text = json(value.to_string());
    assert!(!text.contains(is_hidden) && !text.contains("##[") && !text.contains("##vso["), "{text}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
}

proptest! {
    #[test]
    fn any_text_is_harmless(text in "(\\PC|[\\x00-\\x1f:#\\[ ]|::|##|e|\\x1b\\[[0-9;]{0,3}m)*", coloured: bool) {
        let out = lines(&text, coloured);
        prop_assert_eq!(out.matches('\n').count(), text.matches('\n').count());
        for line in out.lines() {
            let command = line.trim_start().strip_prefix("::").is_some_and(|rest| {
                rest.starts_with(|c: char| c.is_ascii_alphabetic()) && rest.contains("::")
            });
            prop_assert!(!command && !line.contains("##["), "{:?}", line);
            prop_assert!(coloured || !line.contains(|c| c != '\t' && is_hidden(c)), "{:?}", line);
        }
    }
}
