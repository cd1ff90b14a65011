use super::Page;
use crate::blocks::{Block, blocks};
use crate::diag::Code;

const TEXT: &str = "# Q0000: a title

## One
Words.

```yaml
## no heading
a: 1
```
## Two

```text
x
```

more
";

#[test]
fn a_page_is_split_into_its_sections() {
    let page = Page::read(TEXT);
    assert_eq!(page.title, "Q0000: a title");
    let headings: Vec<&str> = page.sections.iter().map(|section| section.heading).collect();
    assert_eq!(headings, ["One", "Two"]);
    let one = page.section("One").unwrap();
    assert_eq!(one.text, "Words.\n\n```yaml\n## no heading\na: 1\n```");
    assert_eq!(blocks(one.text), [Block { language: "yaml", text: "## no heading\na: 1\n" }]);
    assert_eq!(blocks(page.section("Two").unwrap().text), [Block { language: "text", text: "x\n" }]);
    assert_eq!(page.section("Three"), None);
}

#[test]
fn an_empty_page_is_parsed_without_error() {
    for text in ["", "#", "# a\n```", "# a\n## b", "# a\n## b\n```yaml"] {
        let page = Page::read(text);
        assert!(page.sections.iter().all(|section| blocks(section.text).is_empty()), "{text}");
    }
}

#[test]
fn codes_are_found_in_any_letter_case() {
    assert_eq!(Code::find("q0101"), Some(Code::Syntax));
    assert_eq!(Code::find("Q0101"), Some(Code::Syntax));
    assert_eq!(Code::find("Q9999"), None);
    assert_eq!(Code::find(""), None);
}
