//! The text in a snapshot is the text that was tested.

#![cfg(test)]

#[path = "common/golden.rs"]
mod golden;

#[test]
fn wrapped_lines_fit_and_can_be_restored() {
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
fn a_text_with_the_marker_is_refused() {
    golden::wrap("one\n    ↪ two\n");
}
