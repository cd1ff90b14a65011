use super::{item, scalar};

/// Returns the text without the item between `«` and `»`.
fn without(marked: &str) -> Option<String> {
    let (before, rest) = marked.split_once('«').unwrap();
    let (inside, after) = rest.split_once('»').unwrap();
    let text = format!("{before}{inside}{after}");
    let (start, end) = item(&text, before.len(), before.len() + inside.len())?;
    Some(format!("{}{}", text.get(..start).unwrap(), text.get(end..).unwrap()))
}

#[test]
fn removing_a_flow_item_removes_its_comma() {
    for (marked, wanted) in [
        ("a: [«1», 2, 3]\n", "a: [2, 3]\n"),
        ("a: [1, «2», 3]\n", "a: [1, 3]\n"),
        ("a: [1, 2, «3»]\n", "a: [1, 2]\n"),
        ("a: [1, 2, «3» ]\n", "a: [1, 2 ]\n"),
        ("a: [1, «3»,]\n", "a: [1, ]\n"),
        ("{ a: 1, «b: { c: 1 }» }", "{ a: 1 }"),
        ("[\n  1,\n  «2»,\n  3,\n]\n", "[\n  1,\n  3,\n]\n"),
        ("[\n  1,\n  «2»\n]\n", "[\n  1\n]\n"),
        ("[\r\n  1,\r\n  «2»,\r\n  3\r\n]\r\n", "[\r\n  1,\r\n  3\r\n]\r\n"),
    ] {
        assert_eq!(without(marked).as_deref(), Some(wanted), "{marked}");
    }
}

#[test]
fn removing_a_block_item_removes_its_lines() {
    for (marked, wanted) in [
        ("- a: 1\n- «b: 2\n  c: 3»\n- d: 4\n", "- a: 1\n- d: 4\n"),
        ("- a: 1\n- «b: 2»", "- a: 1\n"),
        ("a: 1\n«b: 2»  \n# kept\nc: 3\n", "a: 1\n# kept\nc: 3\n"),
        ("  a: 1\r\n  «a: 1»\r\n", "  a: 1\r\n"),
    ] {
        assert_eq!(without(marked).as_deref(), Some(wanted), "{marked}");
    }
}

#[test]
fn an_item_is_not_removed_if_other_text_would_be_lost() {
    for marked in [
        "a: [«1»]\n",
        "- a: 1\n- «b: 2» # why\n",
        "- a: 1\n- «b: 2 # why\n  c: 3»\n",
        "- - «1»\n  - 2\n",
        "a: 1\nb: «c»\n",
        "x: «a»\n",
    ] {
        assert_eq!(without(marked), None, "{marked}");
    }
}

#[test]
fn replaced_scalars_keep_or_get_the_quotes_they_need() {
    assert_eq!(scalar("1_000", "1000").as_deref(), Some("1000"));
    assert_eq!(scalar("'1_000'", "1000").as_deref(), Some("'1000'"));
    assert_eq!(scalar("\"a\"", "b").as_deref(), Some("\"b\""));
    assert_eq!(scalar("=<5", "<=5").as_deref(), Some("<=5"));
    assert_eq!(scalar("=>5", ">=5").as_deref(), Some("\">=5\""));
    assert_eq!(scalar("[::1]", "::1").as_deref(), Some("\"::1\""));
    assert_eq!(scalar("|\n  a", "b"), None);
    assert_eq!(scalar("a\n  b", "b"), None);
    assert_eq!(scalar("a", "\"\\"), None);
}
