//! Loop of `check --fix`: makes certain cures and keeps those that improve the text.
//!
//! A rule may be certain of a cure, but the cure stays only if three conditions hold after the text is compiled with
//! it. The finding is gone, there is no new error, and the reader gets at least as far.

use crate::compile::{Compilation, Options, compile};
use crate::diag::{Code, Diagnostic, Edit, Levels, Severity, Sources, Span, edited};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of text that are compiled to fix one file, so that a hostile file takes no longer than a large one. If all
/// cures of a text fit together, it is compiled twice.
const WORK: usize = 2 << 20;
/// Bytes that each compilation counts in addition.
const COST: usize = 16 << 10;
/// Number of compilations that every text gets, even the largest.
const LEAST: usize = 8;
/// Largest text in bytes that is fixed. With a larger one, the compilations take more than 2 s.
const LARGEST: usize = 512 << 10;
/// Largest number of findings on a text that is fixed. More take more than 300 MB.
const FINDINGS: usize = 5000;

/// Largest length of a chain of cures in one round. A cure can reveal a finding that needs another cure.
const LINKS: usize = 3;

/// Result of fixing a text.
#[derive(Debug)]
pub struct Fixed {
    /// Text with the cures that stay, and its compilation without the values of the text; `None` if no cure stays.
    pub after: Option<(String, Compilation)>,
    /// Number of findings with a cure that stays.
    pub made: usize,
    /// Cures that would make the text worse, and the reasons, one per line.
    pub refused: Vec<String>,
}

/// A cure and its finding.
struct Cure {
    finding: Diagnostic,
    title: String,
    edit: Edit,
}

/// Returns the cure of a finding, if it is certain and fits into the text.
fn cure(finding: &Diagnostic, sources: &Sources) -> Option<Cure> {
    let fix = finding.fix.as_ref()?;
    Some(Cure { finding: finding.clone(), title: fix.title.clone(), edit: fix.edit(sources)? })
}

/// A finding without its place, because the text before it may have changed.
type Key = (Code, String);

/// Reasons why cures do not stay, by finding and title.
type Refused = BTreeMap<(Key, String), String>;

/// True if the cure of a finding is certain and fits into the text.
#[must_use]
pub fn can_be_made(finding: &Diagnostic, sources: &Sources) -> bool {
    cure(finding, sources).is_some()
}

/// Makes all possible cures in a text. `levels` decide which new findings count as errors; they must already have been
/// applied to the findings of `compiled`.
#[must_use]
pub fn fix(compiled: &Compilation, levels: &Levels) -> Fixed {
    if compiled.text().len() > LARGEST {
        return beyond(&format!("{} KiB", LARGEST >> 10));
    }
    let mut work = WORK.max((compiled.text().len() + COST).saturating_mul(LEAST));
    // People read only the first findings, but each one may have a cure.
    let all = too_many(compiled).then(|| {
        let options = Options { most: FINDINGS, ..compiled.options.clone() };
        with_levels(compiled.text(), &options, levels)
    });
    if all.as_ref().unwrap_or(compiled).findings.len() > FINDINGS {
        return beyond(&format!("{FINDINGS} findings"));
    }
    let first = all.as_ref().unwrap_or(compiled);
    let mut after: Option<(String, Compilation)> = None;
    let (mut made, mut untried) = (0, 0);
    let mut refused = Refused::new();
    loop {
        let before = after.as_ref().map_or(first, |(_, after)| after);
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
            work: &mut work,
            untried: 0,
        };
        round.take(&cures);
        untried = round.untried;
        made += round.made.len() + round.more;
        if let Some(best) = round.best {
            after = Some(best);
        }
        if untried > 0 {
            break;
        }
    }
    if all.is_some() {
        after = after.map(|(text, _)| {
            let shown = with_levels(&text, &compiled.options, levels);
            (text, shown)
        });
    }
    let mut refused: Vec<String> = refused.into_values().collect();
    if untried > 0 {
        let fixes = if untried == 1 { "1 more fix was" } else { &format!("{untried} more fixes were") };
        refused.push(format!(
            "{fixes} not tried, because finding those that fit together takes too long: correct some findings yourself, and run `--fix` again"
        ));
    }
    Fixed { after, made, refused }
}

/// Result for a text beyond a limit.
fn beyond(limit: &str) -> Fixed {
    let words = format!("`--fix` takes files of at most {limit}: correct this file yourself, or divide it");
    Fixed { after: None, made: 0, refused: vec![words] }
}

/// True if the number of findings was limited.
fn too_many(compiled: &Compilation) -> bool {
    compiled.findings.iter().any(|finding| finding.code == Code::TooLarge)
}

/// Compiles a text. No cure needs its values.
fn with_levels(text: &str, options: &Options, levels: &Levels) -> Compilation {
    let mut compiled = compile(text, options);
    compiled.raw = None;
    levels.apply(&mut compiled.findings);
    compiled
}

/// Returns the cures of a text that do not overlap. If two overlap, the first wins, and the next round tries the other.
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

/// True if a place overlaps none of the taken ones. Those do not overlap each other.
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
    /// Findings on that text.
    old: BTreeMap<Key, usize>,
    /// Cures that stay.
    made: Vec<&'a Cure>,
    /// Number of cures for findings that the other cures revealed. If there are any, the round ends, because the places
    /// of further cures may have moved.
    more: usize,
    /// Text with all of these cures, compiled.
    best: Option<(String, Compilation)>,
    refused: &'a mut Refused,
    /// Bytes of text that may still be compiled.
    work: &'a mut usize,
    /// Number of cures for which there was no work left.
    untried: usize,
}

impl<'a> Round<'a> {
    /// Makes all of these cures. If the text gets worse, tries each half separately.
    fn take(&mut self, cures: &'a [Cure]) {
        if self.more > 0 {
            return;
        }
        if *self.work == 0 {
            self.untried += cures.len();
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

    /// Returns the text of a file with these cures, and its compilation.
    fn with<'c>(
        &mut self,
        compiled: &Compilation,
        cures: impl IntoIterator<Item = &'c Cure>,
    ) -> (String, Compilation) {
        let text = edited(compiled.text(), cures.into_iter().map(|cure| &cure.edit));
        *self.work = self.work.saturating_sub(text.len() + COST);
        let after = with_levels(&text, &self.before.options, self.levels);
        (text, after)
    }

    /// Adds cures for new errors, because a misspelt key hides its value. Returns them if all new errors have certain
    /// cures.
    fn further(
        &mut self,
        mut compiled: Compilation,
        made: &[&Cure],
    ) -> Option<(usize, (String, Compilation))> {
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

    /// Reason why a file gets worse with these cures; `None` if it does not.
    fn worse(&self, after: &Compilation, cures: &[&Cure]) -> Option<String> {
        let before = self.before;
        let new = counts(&after.findings);
        let of = |counts: &BTreeMap<Key, usize>, key: &Key| counts.get(key).copied().unwrap_or(0);
        // If the reader stopped early, the rest is unknown. The reader then has to get further than before.
        let read = before.findings.iter().any(|finding| finding.code.is_after_parsing());
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
        // If the number of findings was limited, new ones may only have been hidden before.
        if too_many(before) {
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

#[cfg(test)]
#[path = "fix_tests.rs"]
mod tests;
