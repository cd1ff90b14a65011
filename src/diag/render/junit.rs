//! XML of JUnit, as shown by GitLab and Jenkins: a suite for each file, a case for each finding.
//!
//! Errors are failures. Cases with warnings and notes pass and have them in their output. So the failed cases are those
//! that make the run fail.

use super::clean;
use super::told::{Report, Told};
use crate::diag::Severity;
use std::fmt::Write as _;

pub(super) fn render(files: &[Report]) -> String {
    let (tests, failures, errors) = (
        files.iter().map(cases).sum::<usize>(),
        files.iter().map(failures).sum::<usize>(),
        files.iter().map(unread).sum::<usize>(),
    );
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _infallible = writeln!(
        out,
        "<testsuites name=\"qosc\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" time=\"0\">"
    );
    for file in files {
        suite(file, &mut out);
    }
    out.push_str("</testsuites>\n");
    out
}

/// Number of cases of a file. A file without findings has one case, which passes.
fn cases(file: &Report) -> usize {
    file.found.len().max(1)
}

fn failures(file: &Report) -> usize {
    file.found.iter().filter(|told| told.severity == Severity::Error).count()
}

fn unread(file: &Report) -> usize {
    usize::from(file.unread.is_some())
}

fn suite(file: &Report, out: &mut String) {
    let name = escaped(&file.file);
    let (tests, failures, errors) = (cases(file), failures(file), unread(file));
    let _infallible = writeln!(
        out,
        "  <testsuite name=\"{name}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"0\">"
    );
    // Programs take the part before the last point for the name of a package.
    let class = format!("qosc.{}", name.replace('.', "_"));
    let case = |title: &str| {
        format!(
            "    <testcase classname=\"{class}\" name=\"{name}{}\" file=\"{name}\" time=\"0\"",
            escaped(title)
        )
    };
    match &file.unread {
        Some(words) => {
            let (case, words) = (case(": can be read"), escaped(words));
            let _infallible = writeln!(
                out,
                "{case}>\n      <error message=\"{words}\" type=\"unread\">{words}</error>\n    </testcase>"
            );
        }
        None if file.found.is_empty() => {
            let _infallible = writeln!(out, "{}/>", case(": nothing is wrong"));
        }
        None => {}
    }
    for told in &file.found {
        let at = told.labels.first().filter(|label| label.own);
        let at = at.map(|label| format!(":{}:{}", label.line, label.column)).unwrap_or_default();
        let case = case(&format!("{at}: {}: {}", told.code, told.message));
        let _infallible = writeln!(out, "{case}>\n{}\n    </testcase>", outcome(told, &file.file, &at));
    }
    out.push_str("  </testsuite>\n");
}

/// Result of a case.
fn outcome(told: &Told, file: &str, at: &str) -> String {
    let severity = told.severity.as_str();
    let text = told.with_help();
    let lines: Vec<String> = text.split('\n').map(escaped).collect();
    let text = format!("{}{at}: {severity}[{}]: {}", escaped(file), told.code, lines.join("\n"));
    match told.severity {
        Severity::Error => format!(
            "      <failure message=\"{}\" type=\"{}\">{text}</failure>",
            escaped(&told.message),
            told.code
        ),
        Severity::Warning | Severity::Note => format!("      <system-out>{text}</system-out>"),
    }
}

/// Escapes a text for content and attributes of XML 1.0. Characters that XML cannot contain are replaced by visible
/// ones.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in clean::line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            // Some CI systems obey lines with `##[`.
            '#' if out.ends_with('#') => out.push_str("&#35;"),
            '\u{fffe}' | '\u{ffff}' => out.push(char::REPLACEMENT_CHARACTER),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn special_characters_of_xml_are_escaped() {
        assert_eq!(
            escaped("<a b=\"'&]]>\t\u{0}\u{1b}\u{ffff}é\n"),
            "&lt;a b=&quot;&apos;&amp;]]&gt; ␀␛\u{fffd}é␊"
        );
    }
}
