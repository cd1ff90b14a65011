//! Drawing of an error in the measurements.

use super::data::Slip;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use qosc_compiler::diag::for_terminal;

/// Draws an error with its line underlined, like findings in configurations. `name` is the name of the file, `text` all
/// of it.
#[must_use]
pub fn drawn(slip: &Slip, text: &str, name: &str, colour: bool) -> String {
    let line = text.lines().nth(slip.line.saturating_sub(1)).unwrap_or_default();
    // the reader ignored a byte order mark
    let line = line.trim_start_matches('\u{feff}');
    let piece = |range: std::ops::Range<usize>| for_terminal(line.get(range).unwrap_or_default());
    let end = slip.place.end.min(line.len());
    let start = slip.place.start.min(end);
    let (before, wrong) = (piece(0..start), piece(start..end));
    let shown = format!("{before}{wrong}{}", piece(end..line.len()));
    let annotation = AnnotationKind::Primary.span(before.len()..before.len() + wrong.len());
    let snippet = Snippet::source(shown.as_str()).line_start(slip.line).path(name).annotation(annotation);
    let message = for_terminal(&slip.message);
    let group = Level::ERROR
        .primary_title(message.as_str())
        .element(snippet)
        .element(Level::HELP.message(&*slip.help));
    let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group]) + "\n\n"
}

#[cfg(test)]
mod tests {
    use super::drawn;
    use crate::fit::{Size, read};

    #[test]
    fn the_invalid_field_is_underlined() {
        let text = "1500,100\n700,abc\n";
        let slips = read(text, Size::Ip).expect_err("a slip");
        let drawn = drawn(&slips[0], text, "line.csv", false);
        assert!(drawn.contains("--> line.csv:2:5") && drawn.contains("^^^"), "{drawn}");
        assert!(drawn.ends_with("\n\n"), "{drawn:?}");
    }
}
