//! The tree: spans, anchors, merge keys, and keys that are given twice.

use super::read::{flat, lines, piece, tree};
use proptest::prelude::*;
use qosc_compiler::syntax::{Node, YamlValue};

/// The tree of a text without findings.
fn good(text: &str) -> YamlValue {
    let (tree, found) = tree(text);
    assert_eq!(found, [], "{text}");
    tree.unwrap()
}

#[test]
fn scalars_keep_their_text() {
    let text = "a: [0x10, 010, 1_000, yes, ~, 1e3, .inf, 12:30:45, 'it''s', \"a\\tb\", !!str 5, ]\n\
                b:\n\
                c: |\n  two\n  lines\nd: >-\n  folded\n  text\ne: plain\n  folded\n";
    assert_eq!(
        flat(&good(text)),
        "{a: [0x10, 010, 1_000, yes, ~, 1e3, .inf, 12:30:45, \"it's\", \"a\\tb\", \"5\"], b: -, \
         c: \"two\\nlines\\n\", d: \"folded text\", e: plain folded}"
    );
}

#[test]
fn every_node_has_its_span() {
    let text = "# é\r\nkey: value # note\r\nblock:\r\n  - one\r\n  - { a: \"ü\",  b: [x, y] }\r\nlast: |\r\n  text\r\n\r\n# end\r\n";
    let mut pieces = Vec::new();
    fn walk<'t>(text: &'t str, value: &YamlValue, pieces: &mut Vec<(&'t str, u32, u32)>) {
        pieces.push((piece(text, value.span), value.span.line, value.span.column));
        match &value.node {
            Node::Seq(items) => items.iter().for_each(|item| walk(text, item, pieces)),
            Node::Map(entries) => entries.iter().for_each(|entry| {
                pieces.push((piece(text, entry.key.span), entry.key.span.line, entry.key.span.column));
                walk(text, &entry.value, pieces);
            }),
            _ => {}
        }
    }
    walk(text, &good(text), &mut pieces);
    // The first piece is the whole text. The others follow in its order.
    assert_eq!(pieces[0].0, text.trim_start_matches("# é\r\n").trim_end_matches("\r\n\r\n# end\r\n"));
    assert_eq!(
        pieces[1..],
        [
            ("key", 2, 1),
            ("value", 2, 6),
            ("block", 3, 1),
            ("- one\r\n  - { a: \"ü\",  b: [x, y] }", 4, 3),
            ("one", 4, 5),
            ("{ a: \"ü\",  b: [x, y] }", 5, 5),
            ("a", 5, 7),
            ("\"ü\"", 5, 10),
            ("b", 5, 16),
            ("[x, y]", 5, 19),
            ("x", 5, 20),
            ("y", 5, 23),
            ("last", 6, 1),
            ("text", 7, 3),
        ]
    );
}

#[test]
fn a_byte_order_mark_shifts_no_position() {
    let text = "\u{feff}a: b\n";
    let tree = good(text);
    let Node::Map(entries) = &tree.node else { panic!("{tree:?}") };
    assert_eq!(piece(text, entries[0].key.span), "a");
    assert_eq!(entries[0].key.span.column, 1);
}

#[test]
fn aliases_have_their_own_span_and_that_of_the_anchor() {
    let text = "a: &x { b: 1 }\nc: *x\nd: &y 5\ne: [*y, *y]\n&k key: *y\n*k : 6\n";
    let (tree, found) = tree(text);
    assert_eq!(lines(&found), ["Q0104 6:1 the key `key` is given twice"]);
    let tree = tree.unwrap();
    assert_eq!(flat(&tree), "{a: {b: 1}, c: {b: 1}, d: 5, e: [5, 5], key: 5}");
    let Node::Map(entries) = &tree.node else { panic!("{tree:?}") };
    let alias = &entries[1].value;
    assert_eq!(piece(text, alias.span), "*x");
    assert_eq!(piece(text, *alias.anchored.clone().unwrap()), "{ b: 1 }");
}

#[test]
fn merge_keys_add_only_missing_keys() {
    let text = "a: &a { x: 1, y: 1 }\nb: &b { y: 2, z: 2 }\n\
                own: { <<: *a, y: 9 }\nboth: { <<: [*a, *b] }\nafter: { y: 9, <<: *b }\ntext: { \"<<\": *a }\n";
    assert_eq!(
        flat(&good(text)),
        "{a: {x: 1, y: 1}, b: {y: 2, z: 2}, own: {y: 9, x: 1}, both: {x: 1, y: 1, z: 2}, after: {y: 9, z: 2}, \
         text: {<<: {x: 1, y: 1}}}"
    );
}

#[test]
fn the_first_of_two_equal_keys_is_kept() {
    let (tree, found) = tree("a: 1\n'a': 2\n1: x\n0x1: y\nb: { c: 1, c: 2, c: 3 }\n");
    assert_eq!(flat(&tree.unwrap()), "{a: 1, 1: x, 0x1: y, b: {c: 1}}");
    let found = lines(&found);
    assert_eq!(
        found,
        [
            "Q0104 2:1 the key `a` is given twice",
            "Q0104 5:12 the key `c` is given twice",
            "Q0104 5:18 the key `c` is given twice",
        ]
    );
}

#[test]
fn reading_ends_with_the_first_document() {
    let (tree, found) = tree("---\na: 1\n...\n");
    assert_eq!((flat(&tree.unwrap()), found), ("{a: 1}".to_owned(), Vec::new()));
    let (tree, found) = super::read::tree("a: 1\n--- \nb: [\n");
    assert_eq!(flat(&tree.unwrap()), "{a: 1}");
    assert_eq!(lines(&found), ["Q0101 2:1 a second document begins here"]);
}

#[test]
fn nesting_is_limited_to_32_levels() {
    let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    assert_eq!(tree(&nested(32)).1, []);
    assert_eq!(lines(&tree(&nested(33)).1), ["Q0106 1:33 lists and mappings are nested more than 32 deep"]);
    // The depth of an anchored value counts where its alias is used.
    let text = format!("a: &a {}\nb: {}*a{}\n", nested(20), "[".repeat(12), "]".repeat(12));
    assert_eq!(lines(&tree(&text).1), ["Q0106 2:16 lists and mappings are nested more than 32 deep"]);
}

/// Pieces that make YAML, and pieces that break it.
fn fragments() -> impl Strategy<Value = String> {
    let pieces = [
        "a",
        "b: ",
        "- ",
        "? ",
        ": ",
        "\n",
        "\n  ",
        "\n    ",
        " ",
        "\t",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\"",
        "'",
        "#",
        " #",
        "&a ",
        "*a",
        "*b ",
        "!!str ",
        "!x ",
        "|\n",
        ">-\n",
        "<<: ",
        "---\n",
        "...\n",
        "%YAML 1.2\n",
        "\\",
        "\\x41",
        "é",
        "\u{feff}",
        "\0",
        "\r",
        "\r\n",
        "\u{85}",
        "\u{2028}",
        "~",
        "0x1",
        "1e3",
        "@",
        "`",
        "{a: b}",
        "[a, b]",
        "link",
        "hosts",
        "classes",
        "match",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in prop_oneof![fragments(), any::<String>()]) {
        let (raw, found) = super::read::raw(&text);
        prop_assert!(raw.is_some() || !found.is_empty());
        for label in found.iter().flat_map(|d| &d.labels) {
            prop_assert!(text.get(label.span.start..label.span.end).is_some(), "{:?}", label);
            prop_assert!(label.span.line > 0 && label.span.column > 0);
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut sources = qosc_compiler::diag::Sources::default();
        let mut sink = qosc_compiler::diag::Sink::default();
        let file = qosc_compiler::syntax::load(&mut sources, "bytes", &bytes, &mut sink);
        prop_assert_eq!(file.is_none(), sink.has_errors());
        if let Some(file) = file {
            let _ = qosc_compiler::syntax::read(&sources, file, &mut sink);
        }
    }

    /// Lines and columns are those that an editor shows.
    #[test]
    fn positions_are_those_of_an_editor(text in fragments()) {
        if text.contains(['\r', '\u{85}', '\u{2028}', '\u{feff}']) {
            return Ok(());
        }
        for span in super::read::raw(&text).1.iter().flat_map(|d| d.labels.iter().map(|l| l.span)) {
            let before = text.get(..span.start).unwrap();
            let line = before.matches('\n').count() + 1;
            let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
            prop_assert_eq!((span.line as usize, span.column as usize), (line, column), "{:?}", text);
        }
    }
}
