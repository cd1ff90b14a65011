//! Workflow commands of GitHub: a line for each finding, which GitHub shows beside the line of the file.

use super::clean;
use super::printed::{CheckedFile, Printed};
use crate::diag::Severity;
use crate::harmless::inline;
use std::fmt::Write as _;

pub(super) fn render(files: &[CheckedFile]) -> String {
    let mut out = String::new();
    for file in files {
        if let Some(words) = &file.unread {
            let file = property(&file.file);
            let _infallible =
                writeln!(out, "::error file={file},title=qosc::{}", data(&clean::for_terminal(words)));
        }
        for one in &file.found {
            finding(one, &file.file, &mut out);
        }
    }
    out
}

fn finding(one: &Printed, file: &str, out: &mut String) {
    let command = match one.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "notice",
    };
    let place = one.own_place();
    let file = place.and_then(|place| place.file.as_deref()).unwrap_or(file);
    let _infallible = write!(out, "::{command} file={}", property(file));
    if let Some(label) = place {
        let _infallible = write!(out, ",line={}", label.line);
        // Columns have a meaning only within one line.
        if label.end.line == label.line {
            let _infallible = write!(out, ",col={},endColumn={}", label.column, label.end.column);
        } else {
            let _infallible = write!(out, ",endLine={}", label.end.line);
        }
    }
    let title = property(&format!("{}: {}", one.code, one.code.title()));
    let lines: Vec<String> = one.with_help().split('\n').map(clean::for_terminal).collect();
    let _infallible = writeln!(out, ",title={title}::{}", data(&lines.join("\n")));
}

/// Escapes a text for the part after the second `::`. It contains no other command.
fn data(text: &str) -> String {
    inline(&text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A"))
}

/// Escapes a text for the part after `=`.
fn property(text: &str) -> String {
    data(&clean::for_terminal(text)).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn special_characters_of_commands_are_escaped() {
        assert_eq!(data("100%: a,\r\nb"), "100%25: a,%0D%0Ab");
        assert_eq!(data("##[error]a"), "\u{fffd}#[error]a");
        assert_eq!(property("C:\\a,b%\n::error::x"), "C%3A\\a%2Cb%25␊%3A%3Aerror%3A%3Ax");
    }
}
