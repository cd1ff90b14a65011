//! Comments that suppress findings: `# qosc: allow(Q0601)`. Several codes have commas between them, and a reason may
//! follow the bracket.
//!
//! A comment suppresses findings whose place begins on its line. If the line has nothing else, it also suppresses those
//! on the next line that is not a comment by itself. Errors cannot be suppressed, and a comment without effect is
//! reported.

use super::{Code, Diagnostic, FileId, Fix, Severity, Sink, Span, Spanned, did_you_mean, surely, ticked};
use crate::budget;
use std::collections::{BTreeMap, BTreeSet};

/// Prefix of such a comment.
pub const MARK: &str = "qosc:";

/// Help text on the form of a comment.
const FORM: &str = "write `# qosc: allow(CODE)`, and separate several codes with commas";

/// Codes that only some runs can report. A comment that suppresses them may have no effect in other runs.
const OF_SOME_RUNS: [Code; 3] = [Code::SameLinkName, Code::WanIsLan, Code::SameRouterMarks];

/// Findings that the comments of a file suppress.
#[derive(Debug)]
pub struct Allows {
    file: FileId,
    allows: Vec<Allow>,
    /// Findings on the comments themselves.
    found: Vec<Diagnostic>,
    /// For each line that is a comment by itself: the first line below it that is not.
    ends: BTreeMap<u32, u32>,
    /// For each code and the last line on which it is suppressed: the first such line.
    first: BTreeMap<(Code, u32), u32>,
}

/// One code in a comment.
#[derive(Debug)]
struct Allow {
    code: Code,
    /// Place of the code.
    span: Span,
    /// Text to remove together with the code.
    out: Span,
    /// First and last line on which the code is suppressed.
    from: u32,
    to: u32,
}

impl Allows {
    /// Reads the comments of a file of the user. Each has the text after its `#`. Each code is charged as a finding,
    /// which it can be.
    #[must_use]
    pub fn read(file: FileId, comments: &[Spanned<String>], text: &str, sink: &Sink) -> Self {
        let mut allows = Allows {
            file,
            allows: Vec::new(),
            found: Vec::new(),
            ends: BTreeMap::new(),
            first: BTreeMap::new(),
        };
        for comment in comments.iter().rev().filter(|comment| is_alone(comment.span, text)) {
            let below = comment.span.line.saturating_add(1);
            let end = allows.ends.get(&below).copied().unwrap_or(below);
            allows.ends.insert(comment.span.line, end);
        }
        for comment in comments {
            allows.comment(comment, text, sink);
        }
        for Allow { code, from, to, .. } in &allows.allows {
            let first = allows.first.entry((*code, *to)).or_insert(*from);
            *first = (*first).min(*from);
        }
        allows
    }

    /// True if a comment suppresses this finding.
    #[must_use]
    pub fn permit(&self, finding: &Diagnostic) -> bool {
        let Some((code, line)) = self.lowerable(finding) else { return false };
        let end = self.ends.get(&line).copied().unwrap_or(line);
        self.first.get(&(code, end)).is_some_and(|first| *first <= line)
    }

    /// Removes the suppressed findings and adds findings on the comments themselves. Comments without effect are
    /// reported only if there are no errors, because errors prevent some rules from running. In an included file they are
    /// never reported, because they may be for another file that includes it.
    #[must_use]
    pub fn settle(self, sink: &mut Sink) -> Self {
        let whole = !sink.has_errors() && self.file == FileId::OWN;
        let places = |found: &[Diagnostic]| {
            found.iter().filter_map(|finding| self.lowerable(finding)).collect::<BTreeSet<_>>()
        };
        let idle = |allow: &&Allow, places: &BTreeSet<(Code, u32)>| {
            whole && places.range((allow.code, allow.from)..=(allow.code, allow.to)).next().is_none()
        };
        let of_comments =
            |allow: &&Allow| matches!(allow.code, Code::IdleAllow | Code::UnknownAllow | Code::AllowedError);
        let of_some_runs = |allow: &&Allow| OF_SOME_RUNS.contains(&allow.code);

        let there = places(&sink.found);
        let others = self.allows.iter().filter(|allow| !of_comments(allow) && !of_some_runs(allow));
        let mut said = self.found.clone();
        said.extend(others.filter(|allow| idle(allow, &there)).map(Allow::idle));
        // Comments can suppress findings on other comments, but no findings on such comments.
        let there = places(&said);
        let last =
            self.allows.iter().filter(of_comments).filter(|allow| idle(allow, &there)).map(Allow::idle);
        let last: Vec<Diagnostic> = last.collect();
        sink.found.append(&mut said);
        sink.found.retain(|finding| !self.permit(finding));
        sink.found.extend(last);
        self
    }

    /// Code and line of a finding that comments of this file can suppress.
    fn lowerable(&self, finding: &Diagnostic) -> Option<(Code, u32)> {
        let place = finding.labels.first().map(|label| label.span).filter(|span| span.file == self.file)?;
        (finding.severity != Severity::Error).then_some((finding.code, place.line))
    }

    /// Reads a comment; one that is not for us has no effect.
    fn comment(&mut self, comment: &Spanned<String>, file: &str, sink: &Sink) {
        let text = comment.value.as_str();
        let offset = |rest: &str| text.len() - rest.len();
        let Some(rest) = text.trim_start().strip_prefix(MARK).map(str::trim_start) else { return };
        let length = rest.find(|c: char| !c.is_alphanumeric() && c != '-').unwrap_or(rest.len());
        let (word, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        let place = within(comment, offset(rest), word.len());
        let list = after.trim_start().strip_prefix('(');
        let unknown =
            |message: &str, fix| Diagnostic::new(Code::UnknownAllow, place, message).help(FORM).fix(fix);
        if word != "allow" {
            // Other words may be meant for people.
            if list.is_some() || did_you_mean(word, ["allow"]).is_some() {
                let message = format!("{} is not possible in a `# qosc:` comment", ticked(word));
                let meant = surely(word, ["allow"]).filter(|_| list.is_some());
                let fix = meant.map(|meant| Fix::text("write `allow`", place, meant));
                self.found.push(unknown(&message, fix));
            }
            return;
        }
        let Some((codes, _)) = list.and_then(|list| list.split_once(')')) else {
            let fix = Code::find(after.trim()).map(|code| {
                let place = within(comment, offset(after), after.trim_end().len());
                Fix::text(format!("write `allow({code})`"), place, format!("({code})"))
            });
            self.found.push(unknown("`allow` needs codes in parentheses", fix));
            return;
        };
        if codes.trim().is_empty() {
            self.found.push(unknown("`allow` has no code in its parentheses", None));
        }
        let pieces = pieces(codes, offset(list.unwrap_or_default()));
        if sink.charge(pieces.len(), budget::FINDING) {
            self.pieces(comment, file, &pieces);
        }
    }

    /// Reads the codes of a comment.
    fn pieces(&mut self, comment: &Spanned<String>, file: &str, pieces: &[(usize, &str)]) {
        let from = comment.span.line;
        let to = self.ends.get(&from).copied().unwrap_or(from);
        let mut places = Places::of(comment);
        let mut end_before = None;
        for (number, (at, code)) in pieces.iter().copied().enumerate() {
            let end = at + code.len();
            let span = places.within(at, code.len());
            let out = match (pieces.get(number + 1), end_before.replace(end)) {
                (Some((next, _)), _) => places.within(at, next - at),
                (None, Some(before)) => within(comment, before, end - before),
                (None, None) => whole(comment, file),
            };
            match Code::find(code) {
                Some(code) if code.severity() == Severity::Error => {
                    let message = format!("`{code}` is an error, and errors cannot be suppressed");
                    self.found.push(
                        Diagnostic::new(Code::AllowedError, span, message)
                            .label(code.title())
                            .help("correct the error, and remove its code here")
                            .fix(Some(take_out(code, out))),
                    );
                }
                Some(code) => self.allows.push(Allow { code, span, out, from, to }),
                None => {
                    let message = format!("there is no code {}", ticked(code));
                    let finding = Diagnostic::new(Code::UnknownAllow, span, message);
                    self.found.push(match Code::near(code) {
                        Some(near) => finding.label(format!("did you mean `{near}`?")),
                        None => finding
                            .help("write the code in brackets after `warning` or `note`, such as `Q0601`"),
                    });
                }
            }
        }
    }
}

/// Returns the codes of a list, each with its position in the comment. The list begins at `at`.
fn pieces(codes: &str, mut at: usize) -> Vec<(usize, &str)> {
    let mut pieces = Vec::new();
    for piece in codes.split(',') {
        let blanks = piece.len() - piece.trim_start().len();
        pieces.extend(Some((at + blanks, piece.trim())).filter(|(_, code)| !code.is_empty()));
        at += piece.len() + 1;
    }
    pieces
}

impl Allow {
    /// Finding that the code suppresses nothing here.
    fn idle(&self) -> Diagnostic {
        let message = format!("there is no {} here that `allow` could suppress", ticked(self.code.as_str()));
        let help = "write the comment on the line of the finding or on the line above, or remove it";
        let finding = Diagnostic::new(Code::IdleAllow, self.span, message).label(self.code.title());
        finding.help(help).fix(Some(take_out(self.code, self.out)))
    }
}

/// Cure for a code without effect.
fn take_out(code: Code, out: Span) -> Fix {
    Fix::text(format!("remove `{code}`"), out, "")
}

/// Text to remove together with the only code of a comment: the part for us. If no text for people follows, it is the
/// whole comment, and its line if nothing else is on it.
fn whole(comment: &Spanned<String>, file: &str) -> Span {
    let text = comment.value.as_str();
    let words = text.split_once(')').map_or("", |(_, words)| words.trim_start());
    if !words.is_empty() {
        let from = text.len() - text.trim_start().len();
        return within(comment, from, text.len() - words.len() - from);
    }
    let before = file.get(..comment.span.start).unwrap_or_default();
    let blanks = before.len() - before.trim_end_matches([' ', '\t']).len();
    let column = comment.span.column.saturating_sub(u32::try_from(blanks).unwrap_or_default());
    let end = comment.span.start + 1 + text.len();
    let rest = file.get(end..).filter(|_| is_alone(comment.span, file)).unwrap_or_default();
    let broken = ["\r\n", "\n", "\r"].into_iter().find(|end| rest.starts_with(*end)).map_or(0, str::len);
    Span { start: comment.span.start - blanks, end: end + broken, column, ..comment.span }
}

/// True if only blanks precede a comment on its line.
fn is_alone(comment: Span, text: &str) -> bool {
    let before = text.get(..comment.start).unwrap_or_default();
    let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
    line.trim_start_matches('\u{feff}').trim().is_empty()
}

/// Places in a comment. It counts no character twice if each place begins at the one before or after it.
struct Places<'c> {
    comment: &'c Spanned<String>,
    /// Byte up to which characters were counted, and their number.
    counted: (usize, usize),
}

impl<'c> Places<'c> {
    const fn of(comment: &'c Spanned<String>) -> Self {
        Places { comment, counted: (0, 0) }
    }

    /// Returns the place of some bytes of the text.
    fn within(&mut self, from: usize, length: usize) -> Span {
        let (at, before) = self.counted;
        let (at, before) = if from < at { (0, 0) } else { (at, before) };
        let before = before + self.comment.value.get(at..from).unwrap_or_default().chars().count();
        self.counted = (from, before);
        // The text does not include the `#`.
        let start = self.comment.span.start + 1 + from;
        let column = u32::try_from(before + 1).unwrap_or_default();
        let column = self.comment.span.column.saturating_add(column);
        Span { start, end: start + length, column, ..self.comment.span }
    }
}

/// Place of some bytes of a comment's text.
fn within(comment: &Spanned<String>, from: usize, length: usize) -> Span {
    Places::of(comment).within(from, length)
}

#[cfg(test)]
#[path = "allow_tests.rs"]
mod tests;
