//! XML of JUnit, as shown by GitLab and Jenkins: a suite for each file, a case for each finding.
//!
//! Errors are failures. Cases with warnings and notes pass and have them in their output. So the failed cases are those
//! that make the run fail.

use super::clean;
use super::printed::{CheckedFile, Location, Printed};
use crate::diag::Severity;
use std::fmt::Write as _;
use std::slice::from_ref;

pub(super) fn render(files: &[CheckedFile]) -> String {
    let numbers = numbers(files);
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"qosc\" {numbers} time=\"0\">\n"
    );
    for file in files {
        suite(file, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

/// Attributes with the numbers of cases, failures and errors. A file without findings has one case, which passes.
fn numbers(files: &[CheckedFile]) -> String {
    let tests: usize = files.iter().map(|file| file.found.len().max(1)).sum();
    let found = files.iter().flat_map(|file| &file.found);
    let failures = found.filter(|one| one.severity == Severity::Error).count();
    let errors = files.iter().filter(|file| file.unread.is_some()).count();
    format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\"")
}

fn suite(file: &CheckedFile, out: &mut String) {
    let name = escaped(&file.file);
    let numbers = numbers(from_ref(file));
    let _infallible = writeln!(out, "  <testsuite name=\"{name}\" {numbers} skipped=\"0\" time=\"0\">");
    // Programs take the part before the last point for the name of a package.
    let class = format!("qosc.{}", name.replace('.', "_"));
    let mut case = |title: &str, outcome: &str| {
        let title = escaped(title);
        let end = if outcome.is_empty() { "/>" } else { &format!(">\n      {outcome}\n    </testcase>") };
        let _infallible = writeln!(
            out,
            "    <testcase classname=\"{class}\" name=\"{name}{title}\" file=\"{name}\" time=\"0\"{end}"
        );
    };
    match &file.unread {
        Some(words) => {
            let words = escaped(words);
            case(": can be read", &format!("<error message=\"{words}\" type=\"unread\">{words}</error>"));
        }
        None if file.found.is_empty() => case(": nothing is wrong", ""),
        None => {}
    }
    for one in &file.found {
        let at = one.own_place().map(|place| at(place, &file.file)).unwrap_or_default();
        case(&format!("{at}: {}: {}", one.code, one.message), &outcome(one, &file.file, &at));
    }
    out.push_str("  </testsuite>\n");
}

/// Line and column of a place, after the name of its file if that is another one.
fn at(place: &Location, file: &str) -> String {
    let other = place.file.as_deref().filter(|other| *other != file);
    let other = other.map(|other| format!(" in {other}")).unwrap_or_default();
    format!("{other}:{}:{}", place.line, place.column)
}

/// Result of a case.
fn outcome(one: &Printed, file: &str, at: &str) -> String {
    let (code, severity, file) = (one.code, one.severity.as_str(), escaped(file));
    let lines: Vec<String> = one.with_help().split('\n').map(escaped).collect();
    let text = format!("{file}{at}: {severity}[{code}]: {}", lines.join("\n"));
    match one.severity {
        Severity::Error => {
            format!("<failure message=\"{}\" type=\"{code}\">{text}</failure>", escaped(&one.message))
        }
        Severity::Warning | Severity::Note => format!("<system-out>{text}</system-out>"),
    }
}

/// Escapes a text for content and attributes of XML. Characters that XML cannot contain are replaced by visible ones.
fn escaped(text: &str) -> String {
    crate::xml::escaped(&clean::for_terminal(text))
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn special_characters_of_xml_are_escaped() {
        assert_eq!(
            escaped("<a b=\"'&]]>\t\u{0}\u{1b}\u{ffff}é\n"),
            "&lt;a b=&quot;&#39;&amp;]]&gt; ␀␛\u{fffd}é␊"
        );
    }
}
