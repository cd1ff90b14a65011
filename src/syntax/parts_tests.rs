use super::Part;
use crate::diag::{Code, Diagnostic, FileId, Sink, Sources, Span};

/// The parts that are unsure where an error is at the first of each of these pieces of the text.
fn unsure(text: &str, wrong: &[&str]) -> Vec<Part> {
    let mut sources = Sources::default();
    let file = sources.add("home.yaml", text);
    let root = crate::syntax::tree(&sources, file, &mut Sink::default()).unwrap();
    let found: Vec<Diagnostic> = wrong.iter().map(|piece| error(text, piece)).collect();
    super::Parts::of(&root).unsure(&found)
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
fn an_error_makes_its_part_unsure() {
    assert_eq!(unsure(HOME, &[]), []);
    assert_eq!(unsure(HOME, &["6mbit"]), [Part::Link]);
    assert_eq!(unsure(HOME, &["link"]), [Part::Link]);
    assert_eq!(unsure(HOME, &["192", "true"]), [Part::Hosts, Part::Classes]);
    // what is missing may be missing at the end of a part
    assert_eq!(unsure(HOME, &["\nclasses"]), [Part::Hosts]);
}

#[test]
fn an_error_in_no_part_makes_all_unsure() {
    let misspelt = HOME.replace("hosts:", "hosst:");
    assert_eq!(unsure(&misspelt, &["hosst"]).len(), 9);
    let mut elsewhere = error(HOME, "hosts");
    elsewhere.labels.clear();
    assert_eq!(super::Parts::default().unsure([&elsewhere]).len(), 9);
}

#[test]
fn without_a_line_no_rate_is_sure() {
    assert_eq!(unsure("classes: {}\n", &[]), [Part::Link]);
}

#[test]
fn an_alias_makes_unsure_wherever_it_is_used() {
    let text = "\
x-slow: &slow { ceiling: 5mbi }
link: { device: ppp0, up: 6mbit, down: &down 25mbit }
hosts: { nas: { mac: &mac 00 } }
classes:
  one: *slow
  two: { match: { mac: *mac } }
  three: { <<: *slow, default: true }
";
    assert_eq!(unsure(text, &["5mbi"]), [Part::Classes]);
    assert_eq!(unsure(text, &["00 }"]), [Part::Hosts, Part::Classes]);
    assert_eq!(unsure(text, &["25mbit"]), [Part::Link]);
    // nothing is made of what no part uses
    assert_eq!(unsure(&text.replace("*slow", "{}"), &["5mbi"]).len(), 9);
}

#[test]
fn a_warning_leaves_all_sure() {
    let mut warning = error(HOME, "6mbit");
    warning.severity = crate::diag::Severity::Warning;
    assert_eq!(super::Parts::default().unsure([&warning]), [Part::Link]);
}
