//! Finds the bracket or quote that is open at a place in a text, without a parser.

use crate::diag::Span;

/// An open bracket or quote.
pub(super) enum Opened {
    /// A quote, at the place of its opening.
    Quote(Span),
    /// A bracket, at the place of its opening, and the character that would close it.
    Bracket(Span, char),
}

/// Returns the bracket or quote that was opened on an earlier line and is still open at a place. A quote that was
/// closed on the line of the place counts as open if it contains a line break.
pub(super) fn opened(text: &str, at: Span) -> Option<Opened> {
    let mut reader = Reader { brackets: Vec::new(), quote: None, closed: None, start: true };
    let mut before = '\n';
    let mut chars = text.char_indices().peekable();
    let (mut line, mut column) = (1_u32, 1_u32);
    let mut comment = false;
    while let Some((place, c)) = chars.next() {
        if place >= at.end.max(at.start + 1) {
            break;
        }
        let span = Span { start: place, end: place + c.len_utf8(), line, column, ..at };
        column = column.saturating_add(1);
        if c == '\n' {
            (line, column, comment) = (line.saturating_add(1), 1, false);
            reader.start |= reader.quote.is_none();
        } else if comment {
            // Skips the comment.
        } else if let Some((opened, mark)) = reader.quote {
            let next = chars.peek().map(|(_, next)| *next);
            if (mark == '"' && c == '\\') || (mark == '\'' && c == '\'' && next == Some('\'')) {
                // The next character is text, but a line break counts.
                if next != Some('\n') {
                    chars.next();
                    column = column.saturating_add(1);
                }
            } else if c == mark {
                reader.quote = None;
                reader.closed = Some((opened, line));
            }
        } else if c == '#' && before.is_whitespace() {
            comment = true;
        } else {
            reader.next_char(c, span, chars.peek().is_none_or(|(_, next)| next.is_whitespace()));
        }
        before = c;
    }
    let long = reader.closed.filter(|(opened, end)| opened.line < *end && *end == at.line);
    let quote = reader.quote.map(|(opened, _)| opened).or(long.map(|(opened, _)| opened));
    let bracket = reader.brackets.last().filter(|(opened, _)| opened.line < at.line);
    let bracket = bracket.map(|(opened, close)| Opened::Bracket(*opened, *close));
    quote.filter(|quote| quote.line < at.line).map(Opened::Quote).or(bracket)
}

/// Reads characters outside quotes and comments.
struct Reader {
    brackets: Vec<(Span, char)>,
    quote: Option<(Span, char)>,
    /// Last closed quote, and the line on which it was closed.
    closed: Option<(Span, u32)>,
    /// `true` if a value can begin here.
    start: bool,
}

impl Reader {
    /// Reads the next character. `ends` is `true` if a blank follows it.
    fn next_char(&mut self, c: char, span: Span, ends: bool) {
        let inside = !self.brackets.is_empty();
        match c {
            '"' | '\'' if self.start => self.quote = Some((span, c)),
            '[' | '{' if self.start || inside => {
                self.brackets.push((span, if c == '[' { ']' } else { '}' }));
                self.start = true;
                return;
            }
            ']' | '}' if inside => {
                self.brackets.pop();
                self.start = true;
                return;
            }
            ',' if inside => {
                self.start = true;
                return;
            }
            ':' | '-' | '?' if ends => {
                self.start = true;
                return;
            }
            _ if c.is_whitespace() => return,
            _ => {}
        }
        self.start = false;
    }
}
