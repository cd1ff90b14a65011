//! `qosc check --fix`: the cures that are certain, made and looked at again.
//!
//! Whatever a room is certain of, a cure stays only when the file is read again with it, the finding is gone, and no error has come.

use super::args::Check;
use super::diff::unified;
use super::front::{Front, instead};
use super::levels::Levels;
use super::output;
use crate::diag::{Code, Diagnostic, Edit, FileId, Severity, Sources, count, edited, for_terminal};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// A cure can make another possible: so often is looked for more, at most.
const ROUNDS: usize = 50;

/// What a cure brings to light may need another, and that one more, at most so often.
const LINKS: usize = 3;

/// A file with its cures.
pub(super) struct Mended {
    /// The text with them.
    pub(super) text: String,
    /// What comes of that.
    pub(super) front: Front,
    /// How many there are.
    pub(super) made: usize,
    /// Those that would have made it worse, and how, in words.
    pub(super) refused: Vec<String>,
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
    /// Writes a file with its cures, or shows what they change. Whether the file is as they make it now.
    ///
    /// # Errors
    /// When it cannot be written: the words for standard error.
    pub(super) fn take(
        &mut self,
        path: &Path,
        front: &Front,
        mended: &Mended,
        yes: bool,
    ) -> Result<bool, String> {
        let shown = for_terminal(front.sources.get(FileId::OWN).map_or("", |source| &source.name));
        for words in &mended.refused {
            output::say(&format!("{shown}: {}", for_terminal(words)));
        }
        let stdin = path.as_os_str() == "-";
        if !yes {
            output::result(&unified(&shown, &shown, text(front), &mended.text));
        } else if stdin {
            output::result(&mended.text);
        } else if mended.made > 0 {
            output::again(path, &mended.text).map_err(|e| format!("cannot write `{shown}`: {e}"))?;
        }
        self.made += mended.made;
        self.files += usize::from(mended.made > 0);
        Ok(yes)
    }

    /// Takes note of what could be done.
    pub(super) fn could(&mut self, finding: &Diagnostic, sources: &Sources) {
        let fix = finding.fix.as_ref().filter(|_| finding.code.can_be_fixed());
        self.possible += usize::from(fix.is_some_and(|fix| fix.edits(sources).is_some()));
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
    edits: Vec<Edit>,
}

/// A finding whatever its place is: the text before it may have changed.
type Key = (Code, String);

/// Makes every cure that can be made in a file. `None` where there is none.
pub(super) fn mend(path: &Path, front: &Front, levels: &Levels) -> Option<Mended> {
    let mut mended: Option<Mended> = None;
    let mut refused = BTreeMap::new();
    for _ in 0..ROUNDS {
        let now = mended.as_ref().map_or(front, |mended| &mended.front);
        let cures = cures(now, &refused);
        if cures.is_empty() {
            break;
        }
        let mut round =
            Round { path, levels, before: now, made: Vec::new(), more: 0, best: None, refused: &mut refused };
        round.take(&cures);
        let count = round.made.len() + round.more;
        let Some((text, front)) = round.best else { continue };
        let made = mended.as_ref().map_or(0, |mended| mended.made) + count;
        mended = Some(Mended { text, front, made, refused: Vec::new() });
    }
    let refused: Vec<String> = refused.into_values().collect();
    match mended {
        Some(mended) => Some(Mended { refused, ..mended }),
        None if refused.is_empty() => None,
        None => {
            let text = text(front).to_owned();
            let mut front = instead(path, front, &text);
            levels.count(&mut front.found);
            Some(Mended { text, front, made: 0, refused })
        }
    }
}

/// The text of a file.
fn text(front: &Front) -> &str {
    front.sources.get(FileId::OWN).map_or("", |source| &source.text)
}

/// The cures of a file that do not meet: of two that do, the first; the other has its turn in the next round.
fn cures(front: &Front, refused: &BTreeMap<(Key, String), String>) -> Vec<Cure> {
    let mut cures: Vec<Cure> = Vec::new();
    let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
    for finding in front.found.iter().filter(|finding| finding.code.can_be_fixed()) {
        let Some(fix) = &finding.fix else { continue };
        let Some(edits) = fix.edits(&front.sources).filter(|edits| !edits.is_empty()) else { continue };
        let free = edits.iter().all(|edit| is_free(&taken, edit.span.start, edit.span.end));
        if !free || refused.contains_key(&(key(finding), fix.title.clone())) {
            continue;
        }
        taken.extend(edits.iter().map(|edit| (edit.span.start, edit.span.end)));
        cures.push(Cure { finding: finding.clone(), title: fix.title.clone(), edits });
    }
    cures
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

/// Cures that are tried on one text.
struct Round<'a> {
    path: &'a Path,
    levels: &'a Levels,
    before: &'a Front,
    /// Those that stay.
    made: Vec<&'a Cure>,
    /// Cures of what those brought to light. With them the round ends, for the text has moved on.
    more: usize,
    /// What comes of those.
    best: Option<(String, Front)>,
    refused: &'a mut BTreeMap<(Key, String), String>,
}

impl<'a> Round<'a> {
    /// Takes all of these, or where that is worse, of each half what it can.
    fn take(&mut self, cures: &'a [Cure]) {
        if self.more > 0 {
            return;
        }
        let together: Vec<&Cure> = self.made.iter().copied().chain(cures).collect();
        let edits: Vec<Edit> = together.iter().flat_map(|cure| cure.edits.iter().cloned()).collect();
        let text = edited(text(self.before), &edits);
        let mut front = instead(self.path, self.before, &text);
        self.levels.count(&mut front.found);
        match worse(self.before, &front, &together) {
            None => {
                self.made = together;
                self.best = Some((text, front));
            }
            Some(why) => match cures {
                [only] => {
                    if let Some((more, text, front)) = self.further(front, &together) {
                        (self.made, self.more, self.best) = (together, more, Some((text, front)));
                        return;
                    }
                    let place = only.finding.labels.first().map_or(0, |label| label.span.line);
                    let words = format!("line {place}: {} is left to you: {why}", only.title);
                    self.refused.insert((key(&only.finding), only.title.clone()), words);
                }
                several => {
                    let (first, second) =
                        several.split_at_checked(several.len() / 2).unwrap_or((several, &[]));
                    self.take(first);
                    self.take(second);
                }
            },
        }
    }
}

impl Round<'_> {
    /// A misspelt key hid its value from us: where all that comes to light has a cure that is certain, it is made with the first.
    fn further(&self, mut front: Front, cures: &[&Cure]) -> Option<(usize, String, Front)> {
        let old = counts(&self.before.found);
        let mut more = 0;
        for _ in 0..LINKS {
            let new = counts(&front.found);
            let is_new = |finding: &Diagnostic| {
                let key = key(finding);
                finding.severity == Severity::Error && new.get(&key) > old.get(&key)
            };
            let next: Vec<Cure> = self::cures(&front, self.refused);
            let next: Vec<Cure> = next.into_iter().filter(|cure| is_new(&cure.finding)).collect();
            if next.is_empty() {
                return None;
            }
            more += next.len();
            let edits: Vec<Edit> = next.iter().flat_map(|cure| cure.edits.iter().cloned()).collect();
            let text = edited(text(&front), &edits);
            front = instead(self.path, &front, &text);
            self.levels.count(&mut front.found);
            if worse(self.before, &front, cures).is_none() {
                return Some((more, text, front));
            }
        }
        None
    }
}

/// Why a file is worse with these cures than before, if it is.
fn worse(before: &Front, after: &Front, cures: &[&Cure]) -> Option<String> {
    let (old, new) = (counts(&before.found), counts(&after.found));
    let of = |counts: &BTreeMap<Key, usize>, key: &Key| counts.get(key).copied().unwrap_or(0);
    // What could not be read to its end has no end to compare: there, reading has to come further.
    if let Some(stop) = before.found.iter().find(|finding| finding.code == Code::Syntax) {
        let line = |finding: &Diagnostic| finding.labels.first().map(|label| label.span.line);
        let stopped = after.found.iter().find(|finding| finding.code == Code::Syntax);
        return stopped
            .filter(|stopped| line(stopped) <= line(stop))
            .map(|_| "it is no YAML then".to_owned());
    }
    let mut cured: BTreeMap<Key, usize> = BTreeMap::new();
    for cure in cures {
        *cured.entry(key(&cure.finding)).or_default() += 1;
    }
    if cured.iter().any(|(key, count)| of(&new, key) + count > of(&old, key)) {
        return Some("it is still the same then".to_owned());
    }
    // Where more was found than is shown, what was not shown comes after it.
    if before.found.iter().any(|finding| finding.code == Code::TooLarge) {
        return None;
    }
    let mut errors = after.found.iter().filter(|finding| finding.severity == Severity::Error);
    let come = errors.find(|finding| of(&new, &key(finding)) > of(&old, &key(finding)))?;
    Some(format!("it would be an error, {}: {}", come.code, come.message))
}

fn counts(found: &[Diagnostic]) -> BTreeMap<Key, usize> {
    let mut counts = BTreeMap::new();
    for finding in found {
        *counts.entry(key(finding)).or_default() += 1;
    }
    counts
}
