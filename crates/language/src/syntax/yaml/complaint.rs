//! Explains errors of the YAML parser to the authors of the file.

use super::culprit::culprit;
use super::stop::{INDENT, Stuck, too_deep};
use crate::diag::{Code, Diagnostic, Span};
use crate::syntax::field::missing_space;
use crate::syntax::findings::Findings;
use crate::syntax::quote::quote;
use crate::syntax::text::TAB;
use serde_saphyr::granit_parser::{ErrorKind, ScanError};

/// Reports an error of the parser, which it noticed `at` an empty place.
pub(super) fn report(error: &ScanError, text: &str, at: Span, stuck: &Stuck, found: &mut Findings<'_>) {
    use ErrorKind as E;
    let span =
        sized(at, text, text.get(at.start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8));
    let kind = error.kind();
    if matches!(kind, E::RecursionLimitExceeded) {
        return too_deep(span, found);
    }
    if let Some(finding) =
        culprit(kind, text, span, stuck).or_else(|| unfinished_line(kind, text, span, stuck))
    {
        return found.push(finding);
    }
    let place = match kind {
        E::UnknownQuotedScalarEscape => bad_escape(span, text).unwrap_or(span),
        E::InvalidQuotedScalarIndent | E::DocumentIndicatorInQuotedScalar => {
            opening_quote(span, text, stuck).unwrap_or(span)
        }
        _ => span,
    };
    let (message, help) = words(kind, text, place);
    let mut finding = Diagnostic::new(Code::Syntax, place, message).help(help);
    if let Some(bracket) = stuck.bracket.filter(|b| b.start != span.start && about_brackets(kind)) {
        finding = finding.also(bracket, "the bracket opens here");
    }
    found.push(finding);
}

/// Returns a place with this many bytes.
fn sized(span: Span, text: &str, bytes: usize) -> Span {
    Span { end: (span.start + bytes).min(text.len()), ..span }
}

/// Returns the backslash in the double-quoted scalar at this place that begins no valid YAML escape.
fn bad_escape(span: Span, text: &str) -> Option<Span> {
    let mut chars = text.get(span.start..)?.char_indices();
    let (mut line, mut column) = (span.line, span.column);
    while let Some((at, c)) = chars.next() {
        if c == '\\' {
            let (_, next) = chars.next()?;
            if !"0abt\tnvfre \"/\\N_LPxuU\r\n".contains(next) {
                let start = span.start + at;
                return Some(Span { start, end: start + 1 + next.len_utf8(), line, column, ..span });
            }
            column += 1;
        }
        column += 1;
        if c == '\n' {
            (line, column) = (line + 1, 1);
        }
    }
    None
}

/// Returns the quote that was opened after the last readable scalar and is still open here.
fn opening_quote(span: Span, text: &str, stuck: &Stuck) -> Option<Span> {
    let last = stuck.scalar?;
    let between = text.get(last.end..span.start)?;
    let at = between.find(['"', '\''])?;
    let before = between.get(..at)?;
    let lines = before.matches('\n').count();
    if lines > 0 || last.line >= span.line {
        return None;
    }
    let column =
        last.column as usize + text.get(last.start..last.end)?.chars().count() + before.chars().count();
    let start = last.end + at;
    Some(Span { start, end: start + 1, line: last.line, column: u32::try_from(column).ok()?, ..span })
}

/// Explains that `up:6mbit` and `up 6mbit` are texts and not keys. The parser only notices them at the colon of the
/// next line, or at the end.
fn unfinished_line(kind: &ErrorKind, text: &str, span: Span, stuck: &Stuck) -> Option<Diagnostic> {
    use ErrorKind as E;
    let place = match kind {
        E::SimpleKeyExpected | E::InvalidSimpleKey => span,
        E::MappingValueNotAllowed => stuck.scalar.filter(|scalar| {
            let scalar = text.get(scalar.start..scalar.end).unwrap_or("");
            scalar.contains('\n') && !scalar.starts_with(['"', '\''])
        })?,
        _ => return None,
    };
    let line = text.get(place.start..)?.lines().next()?;
    let line = line.split(" #").next()?.trim_end();
    let finding = |message: String| Diagnostic::new(Code::Syntax, sized(place, text, line.len()), message);
    if !line.contains(':') {
        let indent = |line: &str| line.len() - line.trim_start().len();
        let mut below = text.get(place.start..)?.lines().skip(1).filter(|line| !line.trim().is_empty());
        let has_keys = below.next().is_some_and(|below| indent(below) >= place.column as usize);
        // Other formats write `key = value` or `key; value`.
        let sign = |c: char| c.is_whitespace() || matches!(c, '=' | ';');
        let help = match line.split_once(sign) {
            None if has_keys => format!("write `{}:`", quote(line)),
            Some((key, value)) => {
                format!("write `{}: {}`", quote(key), quote(value.trim_start_matches(sign)))
            }
            None => format!("write `{}: VALUE`", quote(line)),
        };
        return Some(finding("this line has no `:`".to_owned()).help(help));
    }
    missing_space(line, place)
}

/// Returns `true` for an error about a tab. For a tab after a plain scalar, its place is that of the scalar.
pub(super) fn is_tab(kind: &ErrorKind) -> bool {
    use ErrorKind as E;
    matches!(
        kind,
        E::TabNotAllowed
            | E::TabInBlockIndentation
            | E::TabInIndentation
            | E::TabAtBlockScalarStart
            | E::TabInPlainScalar
    )
}

/// Returns `true` if the open bracket explains the error.
fn about_brackets(kind: &ErrorKind) -> bool {
    use ErrorKind as E;
    matches!(
        kind,
        E::UnexpectedEofFlowSequence
            | E::UnexpectedEofFlowMapping
            | E::UnexpectedEofImplicitFlowMapping
            | E::ExpectedFlowMappingSeparator
            | E::ExpectedFlowSequenceSeparator
            | E::InvalidColonPlacement
            | E::UnclosedFlowCollection { .. }
            | E::MismatchedFlowCollectionEnd { .. }
            | E::BlockEntryInFlowCollection
            | E::InvalidFlowScalarIndent
    )
}

const QUOTE: &str = "put the value in quotes";

/// Returns the cause and the cure of an error.
fn words(kind: &ErrorKind, text: &str, span: Span) -> (String, &'static str) {
    use ErrorKind as E;
    let here = text.get(span.start..span.end).unwrap_or("");
    let (message, help) = match kind {
        kind if is_tab(kind) => TAB,
        E::UnclosedFlowCollection { open: '[' } | E::UnexpectedEofFlowSequence => {
            ("this bracket is never closed", "close it with `]`")
        }
        E::UnclosedFlowCollection { .. }
        | E::UnexpectedEofFlowMapping
        | E::UnexpectedEofImplicitFlowMapping => ("this bracket is never closed", "close it with `}`"),
        E::InvalidColonPlacement
        | E::ExpectedFlowMappingSeparator
        | E::ExpectedFlowSequenceSeparator
        | E::InvalidFlowScalarIndent
        | E::BlockEntryInFlowCollection => (
            "this cannot stand here inside the brackets",
            "check whether a `,` or the closing bracket is missing before it",
        ),
        E::MismatchedFlowCollectionEnd { open, close } => {
            let help = match open {
                '{' => "write `}` where the `{` ends, and remove a closing bracket that is too many",
                _ => "write `]` where the `[` ends, and remove a closing bracket that is too many",
            };
            return (format!("`{open}` is closed by `{close}`"), help);
        }
        E::MisplacedFlowCollectionEnd => {
            ("this closing bracket has no opening bracket", "remove it, or write the opening bracket")
        }
        E::UnclosedQuotedScalar
        | E::UnexpectedEof
        | E::DocumentIndicatorInQuotedScalar
        | E::InvalidQuotedScalarIndent => {
            ("this quote is not closed", "write the same quote at the end of the value, on the same line")
        }
        E::InvalidTrailingSingleQuotedScalar => (
            "there is text after the closing quote",
            "put the whole text in quotes; inside single quotes, write each `'` twice, such as `'it''s'`",
        ),
        E::InvalidTrailingDoubleQuotedScalar => (
            "there is text after the closing quote",
            "put the whole text in quotes; inside double quotes, write each `\"` as `\\\"`",
        ),
        E::UnknownQuotedScalarEscape
        | E::InvalidQuotedScalarHexEscape
        | E::InvalidLowSurrogateHexEscape
        | E::InvalidLowSurrogate
        | E::MissingLowSurrogate
        | E::UnpairedLowSurrogate
        | E::InvalidUnicodeEscape => {
            let message = match here.strip_prefix('\\') {
                Some(_) => format!("YAML has no escape `{here}`"),
                None => "a `\\` in these double quotes begins no escape of YAML".to_owned(),
            };
            return (message, "write `\\\\` for a backslash, or use single quotes");
        }
        E::UnexpectedCharacter { .. } | E::PlainScalarStartsWithDashFlowIndicator => {
            return (format!("a value without quotes cannot begin with `{}`", quote(here)), QUOTE);
        }
        E::InvalidBlockScalarHeader | E::ZeroBlockScalarIndent | E::InvalidBlockScalarIndent => (
            "without quotes, `>` or `|` begins a block of text in YAML",
            "put the value in quotes, such as `\">1000\"`",
        ),
        E::MappingValueNotAllowed | E::MappingKeyNotAllowed | E::InvalidMappingValueWhitespace => (
            "this line has a second `:`",
            "put a value that contains `: ` in quotes; begin a new line for a second key, or write both in braces, as in `{ a: 1, b: 2 }`",
        ),
        E::SimpleKeyExpected | E::InvalidSimpleKey => ("this is not a key", "write `key: value`"),
        E::ExpectedBlockMappingKey | E::InvalidIndentation => {
            ("the indentation of this line matches no line above it", INDENT)
        }
        E::ExpectedBlockSequenceEntry => ("a list item is expected here, and this line has no `-`", INDENT),
        E::BlockSequenceEntryNotAllowed | E::InvalidBlockEntryWhitespace => (
            "a list cannot begin here",
            "begin it on the next line, or write it as `[a, b]`; put a value that begins with `- ` in quotes",
        ),
        E::CommentNotSeparated | E::CommentInterceptedScalar => {
            ("a comment cannot begin here", "write a space before the `#`, or put the value in quotes")
        }
        E::MissingAnchorOrAliasName => {
            return (
                format!("`{}` needs a name after it", quote(here)),
                "if it is part of the value, put the value in quotes",
            );
        }
        E::UndeclaredTagHandle
        | E::ExpectedTagBang
        | E::InvalidTagTerminator
        | E::MissingTagUri
        | E::UnclosedVerbatimTag
        | E::InvalidTagEscape
        | E::InvalidTagUtf8LeadingByte
        | E::InvalidTagUtf8TrailingByte
        | E::InvalidTagUtf8
        | E::InvalidGlobalTagCharacter => (
            "the tag after this `!` is not valid YAML",
            "if the `!` is part of the value, put the value in quotes",
        ),
        E::InvalidDocumentEnd | E::ExpectedDocumentStart | E::MissingDocumentEndBeforeDirective => {
            ("this text is outside of the YAML document", "write one document per file, without `...` inside")
        }
        E::BomInsideDocument => ("there is a byte order mark in the middle of the text", "remove it"),
        _ => (
            "this is not valid YAML",
            "put values with special characters in quotes, and check the indentation",
        ),
    };
    (message.to_owned(), help)
}
