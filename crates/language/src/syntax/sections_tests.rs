use super::FileSection;
use crate::diag::{Code, Diagnostic, FileId, Sink, Sources, Span};

/// Returns the sections with errors if there is an error at the first occurrence of each of these pieces of the text.
fn with_errors(text: &str, wrong: &[&str]) -> Vec<FileSection> {
    let mut sources = Sources::default();
    let file = sources.add("home.yaml", text);
    let root = crate::syntax::tree(&sources, file, &mut Sink::default()).unwrap();
    let found: Vec<Diagnostic> = wrong.iter().map(|piece| error(text, piece)).collect();
    super::FileSections::of(&root).with_errors(&found)
}

fn error(text: &str, piece: &str) -> Diagnostic {
    let start = text.find(piece).unwrap();
    Diagnostic::new(Code::BadRate, Span { file: FileId::OWN, start, end: start, line: 1, column: 1 }, "wrong")
}

const HOME: &str = "\
link: { device: ppp0, up: 6mbit }
hosts:
  nas: 192.168.1.2
classes:
  rest: { default: true }
";

#[test]
fn an_error_marks_its_section_as_having_errors() {
    assert_eq!(with_errors(HOME, &[]), []);
    assert_eq!(with_errors(HOME, &["6mbit"]), [FileSection::Link]);
    assert_eq!(with_errors(HOME, &["link"]), [FileSection::Link]);
    assert_eq!(with_errors(HOME, &["192", "true"]), [FileSection::Hosts, FileSection::Classes]);
    // something may be missing at the end of a section
    assert_eq!(with_errors(HOME, &["\nclasses"]), [FileSection::Hosts]);
}

#[test]
fn an_error_outside_all_sections_marks_all_of_them() {
    let misspelt = HOME.replace("hosts:", "hosst:");
    assert_eq!(with_errors(&misspelt, &["hosst"]).len(), 11);
    let mut elsewhere = error(HOME, "hosts");
    elsewhere.labels.clear();
    assert_eq!(super::FileSections::default().with_errors([&elsewhere]).len(), 11);
}

#[test]
fn a_missing_link_section_counts_as_having_errors() {
    assert_eq!(with_errors("classes: {}\n", &[]), [FileSection::Link]);
}

#[test]
fn an_error_in_an_anchor_marks_all_sections_that_use_it() {
    let text = "\
x-slow: &slow { ceiling: 5mbi }
link: { device: ppp0, up: 6mbit, down: &down 25mbit }
hosts: { nas: { mac: &mac 00 } }
classes:
  one: *slow
  two: { match: { mac: *mac } }
  three: { <<: *slow, default: true }
";
    assert_eq!(with_errors(text, &["5mbi"]), [FileSection::Classes]);
    assert_eq!(with_errors(text, &["00 }"]), [FileSection::Hosts, FileSection::Classes]);
    assert_eq!(with_errors(text, &["25mbit"]), [FileSection::Link]);
    // an anchored value that no section uses belongs to no section
    assert_eq!(with_errors(&text.replace("*slow", "{}"), &["5mbi"]).len(), 11);
}

#[test]
fn a_warning_does_not_count_as_an_error() {
    let mut warning = error(HOME, "6mbit");
    warning.severity = crate::diag::Severity::Warning;
    assert_eq!(super::FileSections::default().with_errors([&warning]), [FileSection::Link]);
}
