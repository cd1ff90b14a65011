//! Lines and words of an input, each with its place.

use qosc_compiler::diag::{FileId, Span};

/// Place of the first byte.
pub(super) const START: Span = Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 };

/// A line of the input without its line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct InputLine<'a> {
    /// Text of the line.
    pub(super) text: &'a str,
    /// Place of its first byte.
    pub(super) at: Span,
}

/// A word of a line, without its quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    /// Text without quotes.
    pub(super) text: String,
    /// Place of the word, with its quotes.
    pub(super) span: Span,
}

impl Word {
    /// Splits the word at blanks. Quotes and backslashes shift the places inside it, so each part has the place of the
    /// whole word.
    pub(super) fn parts(&self) -> impl Iterator<Item = Word> {
        self.text.split_whitespace().map(|part| Word { text: part.to_owned(), span: self.span })
    }
}

/// Returns the lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = InputLine<'_>> {
    let mut start = 0;
    text.split('\n').zip(1u32..).map(move |(line, number)| {
        let at = Span { file: FileId::OWN, start, end: start, line: number, column: 1 };
        start += line.len() + 1;
        InputLine { text: line.strip_suffix('\r').unwrap_or(line), at }
    })
}

impl<'a> InputLine<'a> {
    /// Returns the place of the whole line without surrounding blanks.
    pub(super) fn span(&self) -> Span {
        let before = self.text.len() - self.text.trim_start().len();
        let column = self.text.chars().take_while(|c| c.is_whitespace()).count() + 1;
        let start = self.at.start + before;
        let end = start + self.text.trim().len();
        Span { start, end, column: u32::try_from(column).unwrap_or(u32::MAX), ..self.at }
    }

    /// Splits a line at blanks. No quotes and no comments are known, as in the output of `tc`.
    pub(super) fn plain(&self) -> Vec<Word> {
        self.split(false).unwrap_or_default()
    }

    /// Splits a line as a shell does: with quotes, backslashes and a comment at the end. `$(...)` is part of one word.
    /// `None` if a quote is open at the end of the line.
    pub(super) fn shell(&self) -> Option<Vec<Word>> {
        self.split(true)
    }

    fn split(&self, quotes: bool) -> Option<Vec<Word>> {
        let mut words = Vec::new();
        let mut open: Option<(String, Span)> = None;
        let mut quote = None;
        // open parentheses since `$(`
        let mut depth = 0usize;
        let mut chars = self.text.char_indices().zip(1u32..);
        while let Some(((at, c), column)) = chars.next() {
            let here = Span { start: self.at.start + at, end: self.at.start + at, column, ..self.at };
            let (text, _) = match (&mut open, quote) {
                (None, _) if c.is_whitespace() => continue,
                (None, _) if quotes && c == '#' => return Some(words),
                (Some(_), None) if c.is_whitespace() && depth == 0 => {
                    let end = here.start;
                    words.extend(open.take().map(|(text, span)| Word { text, span: Span { end, ..span } }));
                    continue;
                }
                (open, _) => open.get_or_insert_with(|| (String::new(), here)),
            };
            match c {
                '(' if quotes && quote != Some('\'') && (depth > 0 || text.ends_with('$')) => depth += 1,
                ')' if quote != Some('\'') => depth = depth.saturating_sub(1),
                _ => {}
            }
            match (quote, c) {
                (None, '\'' | '"') if quotes => quote = Some(c),
                (Some(own), _) if own == c => quote = None,
                (None | Some('"'), '\\') if quotes => text.extend(chars.next().map(|((_, c), _)| c)),
                _ => text.push(c),
            }
        }
        let end = self.at.start + self.text.len();
        words.extend(open.map(|(text, span)| Word { text, span: Span { end, ..span } }));
        quote.is_none().then_some(words)
    }
}

#[cfg(test)]
mod tests {
    use super::{InputLine, Word, lines};

    fn of(words: Option<Vec<Word>>) -> Vec<(String, u32, usize, usize)> {
        let words = words.expect("closed quotes");
        words.into_iter().map(|w| (w.text, w.span.column, w.span.start, w.span.end)).collect()
    }

    #[test]
    fn words_have_their_places() {
        let text = "a\n  ü 'b c'\"d\"\\ e # f\n";
        let all: Vec<InputLine<'_>> = lines(text).collect();
        let word = |text: &str, column, start, end| (text.to_owned(), column, start, end);
        assert_eq!(of(all[1].shell()), [word("ü", 3, 4, 6), word("b cd e", 5, 7, 18)]);
        assert_eq!(all[1].plain().len(), 6);
        assert_eq!(all.len(), 3);
        assert_eq!((all[1].span().column, all[1].span().line), (3, 2));
        assert!(InputLine { text: "a 'b", ..all[0] }.shell().is_none());
        let text = "A=$(( (1 + 2) * 3 ))k (b c)";
        let words = of(InputLine { text, ..all[0] }.shell());
        assert_eq!(words[0], word("A=$(( (1 + 2) * 3 ))k", 1, 0, 21));
        assert_eq!(words.len(), 3);
    }
}
