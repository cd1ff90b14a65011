//! What the YAML parser could not read, in words for the people who wrote it.

use super::build::Stuck;
use crate::diag::{Code, Diagnostic, FileId, Span};
use crate::syntax::findings::Findings;
use crate::syntax::quote::quote;
use serde_saphyr::granit_parser::{ErrorKind, ScanError};

/// Says that collections are inside each other beyond the limit.
pub(super) fn too_deep(span: Span, found: &mut Findings<'_>) {
    let message = format!("more than {} lists and mappings inside each other", super::MAX_DEPTH);
    found.push(
        Diagnostic::new(Code::TooLarge, span, message).help("no configuration needs more than half of that"),
    );
}

/// Pushes the finding for an error of the parser.
pub(super) fn report(error: &ScanError, text: &str, file: FileId, stuck: &Stuck, found: &mut Findings<'_>) {
    let mut span = super::mark(file, error.marker());
    span.end =
        span.start + text.get(span.start..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    if matches!(error.kind(), ErrorKind::RecursionLimitExceeded) {
        return too_deep(span, found);
    }
    if let Some(finding) = no_space_after_colon(error.kind(), text, span, stuck) {
        return found.push(finding);
    }
    let (message, help) = words(error.kind(), text, span);
    let mut finding = Diagnostic::new(Code::Syntax, span, message).help(help);
    if let Some(bracket) = stuck.bracket.filter(|b| b.start != span.start && about_brackets(error.kind())) {
        finding = finding.also(bracket, "opened here");
    }
    found.push(finding);
}

/// `up:6mbit` is a text, not a key; the parser notices only at the next line's colon, or at the end.
fn no_space_after_colon(kind: &ErrorKind, text: &str, span: Span, stuck: &Stuck) -> Option<Diagnostic> {
    use ErrorKind as E;
    if !matches!(
        kind,
        E::MappingValueNotAllowed | E::SimpleKeyExpected | E::InvalidSimpleKey | E::ExpectedBlockMappingKey
    ) {
        return None;
    }
    let scalar = stuck.scalar?;
    let first = text.get(scalar.start..scalar.end)?.lines().next()?.trim_end();
    let multiline = text.get(scalar.start..span.start).is_some_and(|between| between.contains('\n'));
    let colon = first.find(':')?;
    if !multiline || first.starts_with(['"', '\'']) || first.ends_with(':') {
        return None;
    }
    let key = first.get(..colon)?;
    let value = first.get(colon + 1..)?;
    let place = Span { end: scalar.start + first.len(), ..scalar };
    let message = format!("no space after the `:` of `{}`", quote(first));
    let help = format!("write `{}: {}`", quote(key), quote(value));
    Some(Diagnostic::new(Code::Syntax, place, message).help(help))
}

/// Whether the bracket that is open explains the error.
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

const INDENT: &str = "the keys of one mapping begin in the same column, and so do the dashes of one list";
const QUOTE: &str = "put the value in quotes";

/// Cause and cure.
fn words(kind: &ErrorKind, text: &str, span: Span) -> (String, &'static str) {
    use ErrorKind as E;
    let here = text.get(span.start..span.end).unwrap_or("");
    let (message, help) = match kind {
        E::TabNotAllowed
        | E::TabInBlockIndentation
        | E::TabInIndentation
        | E::TabAtBlockScalarStart
        | E::TabInPlainScalar => ("a tab where YAML takes only spaces", "indent with spaces"),
        E::UnexpectedEofFlowSequence
        | E::UnexpectedEofFlowMapping
        | E::UnexpectedEofImplicitFlowMapping
        | E::UnclosedFlowCollection { .. } => ("a bracket that is never closed", "close it with `]` or `}`"),
        E::InvalidColonPlacement
        | E::ExpectedFlowMappingSeparator
        | E::ExpectedFlowSequenceSeparator
        | E::InvalidFlowScalarIndent
        | E::BlockEntryInFlowCollection => (
            "this does not fit into the brackets around it",
            "is a `,` or the closing bracket missing before it?",
        ),
        E::MismatchedFlowCollectionEnd { open, close } => {
            return (
                format!("a `{open}` that is closed by `{close}`"),
                "brackets close in the order they were opened",
            );
        }
        E::MisplacedFlowCollectionEnd => {
            ("a closing bracket that nothing opened", "take it away, or open it")
        }
        E::UnclosedQuotedScalar | E::UnexpectedEof => {
            ("a quote that is never closed", "close it with the same quote it was opened with")
        }
        E::InvalidTrailingSingleQuotedScalar => (
            "something follows the closing quote",
            "put the whole value in quotes; inside single quotes write a quote twice, as in `'it''s'`",
        ),
        E::InvalidTrailingDoubleQuotedScalar => (
            "something follows the closing quote",
            "put the whole value in quotes; inside double quotes write a quote as `\\\"`",
        ),
        E::UnknownQuotedScalarEscape
        | E::InvalidQuotedScalarHexEscape
        | E::InvalidLowSurrogateHexEscape
        | E::InvalidLowSurrogate
        | E::MissingLowSurrogate
        | E::UnpairedLowSurrogate
        | E::InvalidUnicodeEscape => (
            "a backslash in double quotes that begins nothing YAML knows",
            "write `\\\\` for a backslash, or use single quotes",
        ),
        E::DocumentIndicatorInQuotedScalar | E::InvalidQuotedScalarIndent => {
            ("a quoted text that goes on where it cannot", "close the quote on the line it was opened")
        }
        E::UnexpectedCharacter { .. } | E::PlainScalarStartsWithDashFlowIndicator => {
            return (format!("a value cannot begin with `{}`", quote(here)), QUOTE);
        }
        E::InvalidBlockScalarHeader | E::ZeroBlockScalarIndent | E::InvalidBlockScalarIndent => (
            "a value that begins with `>` or `|` begins a block of text in YAML",
            "put the value in quotes, as in `\">1000\"`",
        ),
        E::MappingValueNotAllowed | E::MappingKeyNotAllowed | E::InvalidMappingValueWhitespace => (
            "a `:` where no key can be",
            "put a value that holds `: ` in quotes, or begin a new line for the key",
        ),
        E::SimpleKeyExpected | E::InvalidSimpleKey => ("a key without its `:`", "write `key: value`"),
        E::ExpectedBlockMappingKey | E::InvalidIndentation => {
            ("this fits none of the columns above it", INDENT)
        }
        E::ExpectedBlockSequenceEntry => ("this stands where a list goes on, and is no item of it", INDENT),
        E::BlockSequenceEntryNotAllowed | E::InvalidBlockEntryWhitespace => (
            "a list cannot begin here",
            "begin it on the next line, or write it as `[a, b]`; quote a value that begins with `- `",
        ),
        E::CommentNotSeparated | E::CommentInterceptedScalar => {
            ("a comment that something stands too close to", "put a space before `#`, or the value in quotes")
        }
        E::MissingAnchorOrAliasName => {
            return (
                format!("a `{}` without a name", quote(here)),
                "if it belongs to the value, put the value in quotes",
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
        | E::InvalidGlobalTagCharacter => {
            ("a tag that YAML cannot read", "if the `!` belongs to the value, put the value in quotes")
        }
        E::InvalidDocumentEnd | E::ExpectedDocumentStart | E::MissingDocumentEndBeforeDirective => {
            ("something that belongs to no document", "one file holds one document, without `...` inside")
        }
        E::BomInsideDocument => ("a byte order mark in the middle of the text", "take it away"),
        _ => ("this is not YAML", "quote values with special characters, and check the indentation"),
    };
    (message.to_owned(), help)
}
