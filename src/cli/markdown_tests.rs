use super::{code, fence, markdown};
use crate::cli::diff_report::{FileDiff, FileResult, Problem};

#[test]
fn a_fence_is_longer_than_any_run_of_backticks() {
    for (text, expected) in [("", "```"), ("a `b` ``c``", "```"), ("```\n````", "`````")] {
        assert_eq!(fence(text), expected, "{text}");
    }
}

#[test]
fn a_name_cannot_end_its_code_span_or_its_cell() {
    assert_eq!(code("site/north.yaml"), "`site/north.yaml`");
    assert_eq!(code("a`|\\\n@b"), "`a\u{fffd}\u{fffd}\u{fffd}␊@b`");
}

/// A comment of GitHub has a limited length.
#[test]
fn the_length_is_limited() {
    let file =
        |number: usize, result: FileResult| FileDiff { name: format!("{number}.yaml"), link: None, result };
    let files: Vec<FileDiff> = (0..3000).map(|number| file(number, FileResult::New)).collect();
    let text = markdown(&files, false);
    assert!(
        text.len() < 21_000 && text.contains("\nRows and details that are left out because of the length: ")
    );
    let broken = || FileResult::Unusable(vec![Problem::Unread("x".repeat(1000))]);
    let files: Vec<FileDiff> = (0..100).map(|number| file(number, broken())).collect();
    let text = markdown(&files, false);
    assert!(text.len() < 60_200 && text.contains("| `99.yaml` |"), "{}", text.len());
    let details = text.matches("<details>").count();
    let last = text.lines().last().unwrap();
    assert_eq!(last, format!("Rows and details that are left out because of the length: {}", 100 - details));
    assert!((40..60).contains(&details), "{details}");
}
