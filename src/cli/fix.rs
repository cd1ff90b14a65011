//! `qosc check --fix`: the cures that are certain, made and looked at again.
//!
//! Whatever a room is certain of, a cure stays only when the file is read again with it, the finding is gone, and no error has come.

use super::args::Check;
use super::diff::unified;
use super::{Outcome, is_dash, output};
use crate::compile::{Compilation, compile};
use crate::diag::{Code, Diagnostic, Edit, Levels, Severity, Sources, Span, count, edited, for_terminal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A cure can make another possible: so often is looked for more, at most.
const ROUNDS: usize = 50;

/// What a cure brings to light may need another, and that one more, at most so often.
const LINKS: usize = 3;

/// What could be made of a file.
pub(super) struct Mended {
    /// The text with the cures that stay, and what comes of it.
    after: Option<(String, Compilation)>,
    /// How many those are.
    made: usize,
    /// Those that would have made it worse, and how, in words.
    refused: Vec<String>,
}

impl Mended {
    /// The text with its cures, compiled, if there are some.
    pub(super) fn compiled(&mut self) -> Option<&mut Compilation> {
        self.after.as_mut().map(|(_, compiled)| compiled)
    }
}

/// What is done, of all files.
#[derive(Default)]
pub(super) struct Fixes {
    made: usize,
    files: usize,
    /// Findings of which the cure is certain.
    possible: usize,
}

impl Fixes {
    /// Writes a file with its cures, or shows what they change. What comes of the file as it is now, and whether it could be
    /// written.
    pub(super) fn take(
        &mut self,
        path: &Path,
        before: Compilation,
        mended: Mended,
        yes: bool,
    ) -> (Compilation, Outcome) {
        let shown = for_terminal(&before.options.shown);
        for words in &mended.refused {
            output::say(&format!("{shown}: {}", for_terminal(words)));
        }
        let text = mended.after.as_ref().map(|(text, _)| text);
        let written = match (text, yes) {
            // The text that comes through is whole, whether or not there was something to do.
            (text, true) if is_dash(path) => output::result(text.map_or(before.text(), String::as_str)),
            (Some(text), true) => output::filed(path, output::again(path, text)),
            (Some(text), false) => output::result(&unified(&shown, &shown, before.text(), text)),
            (None, _) => Outcome::Fine,
        };
        if written != Outcome::Fine {
            return (before, written);
        }
        self.made += mended.made;
        self.files += usize::from(mended.made > 0);
        let after = mended.after.filter(|_| yes).map(|(_, after)| after);
        (after.unwrap_or(before), written)
    }

    /// Takes note of what could be done.
    pub(super) fn could(&mut self, finding: &Diagnostic, sources: &Sources) {
        self.possible += usize::from(cure(finding, sources).is_some());
    }

    /// What was done, or could be.
    pub(super) fn words(&self, args: &Check) -> Option<String> {
        let made = || format!("{} in {}", count(self.made, "finding"), count(self.files, "file"));
        match (args.fix, args.yes, self.made) {
            (false, ..) if self.possible == 0 => None,
            (false, ..) => Some(format!("for {} the cure is certain: qosc check --fix", self.possible)),
            (true, _, 0) => Some("there is nothing that `--fix` can put right".to_owned()),
            (true, false, _) => Some(format!("nothing was written: `--yes` would put right {}", made())),
            (true, true, _) => Some(format!("put right: {}", made())),
        }
    }
}

/// A cure, and the finding that it is for.
struct Cure {
    finding: Diagnostic,
    title: String,
    edit: Edit,
}

/// The cure of a finding, where it is certain and fits into the text.
fn cure(finding: &Diagnostic, sources: &Sources) -> Option<Cure> {
    let fix = finding.fix.as_ref().filter(|_| finding.code.can_be_fixed())?;
    Some(Cure { finding: finding.clone(), title: fix.title.clone(), edit: fix.edit(sources)? })
}

/// A finding whatever its place is: the text before it may have changed.
type Key = (Code, String);

/// By finding and title: why a cure does not stay, in words.
type Refused = BTreeMap<(Key, String), String>;

/// Makes every cure that can be made in a file.
pub(super) fn mend(compiled: &Compilation, levels: &Levels) -> Mended {
    let mut after: Option<(String, Compilation)> = None;
    let mut made = 0;
    let mut refused = Refused::new();
    for _ in 0..ROUNDS {
        let before = after.as_ref().map_or(compiled, |(_, after)| after);
        let cures = cures(before, &refused);
        if cures.is_empty() {
            break;
        }
        let mut round = Round {
            levels,
            before,
            old: counts(&before.findings),
            made: Vec::new(),
            more: 0,
            best: None,
            refused: &mut refused,
        };
        round.take(&cures);
        made += round.made.len() + round.more;
        if let Some(best) = round.best {
            after = Some(best);
        }
    }
    Mended { after, made, refused: refused.into_values().collect() }
}

/// The cures of a file that do not meet: of two that do, the first; the other has its turn in the next round.
fn cures(compiled: &Compilation, refused: &Refused) -> Vec<Cure> {
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    let free = |cure: &Cure| {
        let Span { start, end, .. } = cure.edit.span;
        let free = is_free(&taken, start, end) && !refused.contains_key(&cure.key());
        if free {
            taken.insert((start, end));
        }
        free
    };
    let cures = compiled.findings.iter().filter_map(|finding| cure(finding, &compiled.sources));
    cures.filter(free).collect()
}

/// Whether a place meets none of those, which do not meet each other.
fn is_free(taken: &BTreeSet<(usize, usize)>, start: usize, end: usize) -> bool {
    let before = taken.range(..=(start, usize::MAX)).next_back();
    let after = taken.range((start, 0)..).next();
    before.is_none_or(|(begin, until)| *until <= start && *begin < start)
        && after.is_none_or(|(begin, _)| *begin >= end && *begin > start)
}

fn key(finding: &Diagnostic) -> Key {
    (finding.code, finding.message.clone())
}

impl Cure {
    fn key(&self) -> (Key, String) {
        (key(&self.finding), self.title.clone())
    }
}

/// Cures that are tried on one text.
struct Round<'a> {
    levels: &'a Levels,
    before: &'a Compilation,
    /// What was found then.
    old: BTreeMap<Key, usize>,
    /// Those that stay.
    made: Vec<&'a Cure>,
    /// Cures of what those brought to light. With them the round ends, for the text has moved on.
    more: usize,
    /// What comes of those.
    best: Option<(String, Compilation)>,
    refused: &'a mut Refused,
}

impl<'a> Round<'a> {
    /// Takes all of these, or where that is worse, of each half what it can.
    fn take(&mut self, cures: &'a [Cure]) {
        if self.more > 0 {
            return;
        }
        let together: Vec<&Cure> = self.made.iter().copied().chain(cures).collect();
        let (text, after) = self.with(self.before, together.iter().copied());
        let Some(why) = self.worse(&after, &together) else {
            (self.made, self.best) = (together, Some((text, after)));
            return;
        };
        match cures {
            [only] => {
                if let Some((more, best)) = self.further(after, &together) {
                    (self.made, self.more, self.best) = (together, more, Some(best));
                    return;
                }
                let place = only.finding.labels.first().map_or(0, |label| label.span.line);
                let words = format!("line {place}: {} is left to you: {why}", only.title);
                self.refused.insert(only.key(), words);
            }
            several => {
                let (first, second) = several.split_at_checked(several.len() / 2).unwrap_or((several, &[]));
                self.take(first);
                self.take(second);
            }
        }
    }

    /// The text of a file with these cures, and what comes of it.
    fn with<'c>(
        &self,
        compiled: &Compilation,
        cures: impl IntoIterator<Item = &'c Cure>,
    ) -> (String, Compilation) {
        let text = edited(compiled.text(), cures.into_iter().map(|cure| &cure.edit));
        let mut after = compile(&text, &self.before.options);
        after.raw = None;
        self.levels.apply(&mut after.findings);
        (text, after)
    }

    /// A misspelt key hid its value from us: where all that comes to light has a cure that is certain, it is made with the first.
    fn further(&self, mut compiled: Compilation, made: &[&Cure]) -> Option<(usize, (String, Compilation))> {
        let mut more = 0;
        for _ in 0..LINKS {
            let new = counts(&compiled.findings);
            let mut next = cures(&compiled, self.refused);
            next.retain(|cure| {
                let key = key(&cure.finding);
                cure.finding.severity == Severity::Error && new.get(&key) > self.old.get(&key)
            });
            if next.is_empty() {
                return None;
            }
            more += next.len();
            let (text, after) = self.with(&compiled, &next);
            if self.worse(&after, made).is_none() {
                return Some((more, (text, after)));
            }
            compiled = after;
        }
        None
    }

    /// Why a file is worse with these cures than before, if it is.
    fn worse(&self, after: &Compilation, cures: &[&Cure]) -> Option<String> {
        let before = self.before;
        let new = counts(&after.findings);
        let of = |counts: &BTreeMap<Key, usize>, key: &Key| counts.get(key).copied().unwrap_or(0);
        // What could not be read to its end has no end to compare: there, reading has to come further.
        let shape = |code: Code| matches!(code, Code::UnknownKey | Code::MissingKey) || code >= Code::BadRate;
        let read = before.findings.iter().any(|finding| shape(finding.code));
        if let Some(stop) = before.findings.iter().find(|finding| finding.code == Code::Syntax && !read) {
            let line = |finding: &Diagnostic| finding.labels.first().map(|label| label.span.line);
            let stopped = after.findings.iter().find(|finding| finding.code == Code::Syntax);
            return stopped
                .filter(|stopped| line(stopped) <= line(stop))
                .map(|_| "it is no YAML then".to_owned());
        }
        let mut cured: BTreeMap<Key, usize> = BTreeMap::new();
        for cure in cures {
            *cured.entry(key(&cure.finding)).or_default() += 1;
        }
        if cured.iter().any(|(key, count)| of(&new, key) + count > of(&self.old, key)) {
            return Some("it is still the same then".to_owned());
        }
        // Where more was found than is shown, what was not shown comes after it.
        if before.findings.iter().any(|finding| finding.code == Code::TooLarge) {
            return None;
        }
        let mut errors = after.findings.iter().filter(|finding| finding.severity == Severity::Error);
        let come = errors.find(|finding| of(&new, &key(finding)) > of(&self.old, &key(finding)))?;
        Some(format!("it would be an error, {}: {}", come.code, come.message))
    }
}

fn counts(found: &[Diagnostic]) -> BTreeMap<Key, usize> {
    let mut counts = BTreeMap::new();
    for finding in found {
        *counts.entry(key(finding)).or_default() += 1;
    }
    counts
}
