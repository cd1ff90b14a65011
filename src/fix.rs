//! Loop of `check --fix`: makes certain cures and keeps those that improve the text.
//!
//! A rule may be certain of a cure, but the cure stays only if three conditions hold after the text is compiled with
//! it. The finding is gone, there is no new error, and the reader gets at least as far.

use qosc_compiler::compile::{Compilation, Options, compile_with};
use qosc_compiler::diag::{Code, Diagnostic, Edit, Levels, Severity, Sources, Span, edited};
use std::collections::{BTreeMap, BTreeSet};

/// Largest length of a chain of cures in one round. A cure can reveal a finding that needs another cure.
const LINKS: usize = 3;

/// Result of fixing a text.
#[derive(Debug, Default)]
pub struct Fixed {
    /// Text with the cures that stay; `None` if no cure stays.
    pub text: Option<String>,
    /// Number of findings with a cure that stays.
    pub made: usize,
    /// Cures that would make the text worse, and the reasons, one per line.
    pub refused: Vec<String>,
}

/// A finding and its cure.
struct Cure<'a> {
    finding: &'a Diagnostic,
    title: &'a str,
    edit: Edit,
}

/// A finding without its place, because the text before it may have changed.
type Key = (Code, String);

/// Number of findings of each kind.
type Counts = BTreeMap<Key, usize>;

/// A text and its compilation.
type Compiled = (String, Compilation);

/// Returns the cure of a finding, if it is certain and fits into the text.
fn cure<'a>(finding: &'a Diagnostic, sources: &Sources) -> Option<Cure<'a>> {
    let fix = finding.fix.as_ref()?;
    Some(Cure { finding, title: &fix.title, edit: fix.edit(sources)? })
}

/// True if the cure of a finding is certain and fits into the text.
#[must_use]
pub fn can_be_made(finding: &Diagnostic, sources: &Sources) -> bool {
    cure(finding, sources).is_some()
}

/// Makes all possible cures in a text, within the budget of `compiled`. `levels` decide which new findings count as
/// errors; they must already have been applied to the findings of `compiled`.
#[must_use]
pub fn fix(compiled: &Compilation, levels: &Levels) -> Fixed {
    let most = compiled.options.budget.used().1.midpoint(100);
    let mut fixer = Fixer { levels, most, made: 0, untried: 0, refused: BTreeMap::new() };
    // People read only the first findings, but each one may have a cure.
    let all = too_many(compiled).then(|| {
        let options = Options { most: usize::MAX, ..compiled.options.clone() };
        with_levels(compiled.text(), &options, compiled, levels)
    });
    let first = all.as_ref().unwrap_or(compiled);
    if first.is_beyond_budget() {
        fixer.untried = fixer.cures(compiled).len();
    }
    let mut after: Option<Compiled> = None;
    while fixer.untried == 0 {
        let before = after.as_ref().map_or(first, |(_, after)| after);
        let cures = fixer.cures(before);
        if cures.is_empty() {
            break;
        }
        after = fixer.round(before, &cures).or(after);
    }
    let left = (fixer.untried > 0).then(|| untried(fixer.untried));
    let refused = fixer.refused.into_values().chain(left).collect();
    Fixed { text: after.map(|(text, _)| text), made: fixer.made, refused }
}

/// Returns the words about cures for which the budget was too small.
#[must_use]
pub fn untried(number: usize) -> String {
    let fixes = match number {
        1 => "1 more fix was".to_owned(),
        number => format!("{number} more fixes were"),
    };
    format!(
        "{fixes} not tried, because finding those that fit together takes too long: correct some findings yourself, and run `--fix` again"
    )
}

/// True if the number of findings was limited.
fn too_many(compiled: &Compilation) -> bool {
    compiled.findings.iter().any(|finding| finding.code == Code::TooLarge)
}

/// Compiles a text with the files that it included before. No cure needs its values.
#[must_use]
pub fn with_levels(text: &str, options: &Options, before: &Compilation, levels: &Levels) -> Compilation {
    let mut compiled = compile_with(text, options, &before.files());
    compiled.raw = None;
    levels.apply(&mut compiled.findings);
    compiled
}

fn key(finding: &Diagnostic) -> Key {
    (finding.code, finding.message.clone())
}

fn counts<'f>(found: impl IntoIterator<Item = &'f Diagnostic>) -> Counts {
    let mut counts = Counts::new();
    for finding in found {
        *counts.entry(key(finding)).or_default() += 1;
    }
    counts
}

/// True if a place overlaps none of the taken ones. Those do not overlap each other.
fn is_free(taken: &BTreeSet<(usize, usize)>, start: usize, end: usize) -> bool {
    let before = taken.range(..=(start, usize::MAX)).next_back();
    let after = taken.range((start, 0)..).next();
    before.is_none_or(|(begin, until)| *until <= start && *begin < start)
        && after.is_none_or(|(begin, _)| *begin >= end && *begin > start)
}

/// Progress of fixing one text.
struct Fixer<'a> {
    levels: &'a Levels,
    /// Largest part of the file's memory, in percent, that is used when cures are tried: half of what is left. The time is
    /// that of all files.
    most: usize,
    /// Number of cures that stay.
    made: usize,
    /// Number of cures for which the budget was too small.
    untried: usize,
    /// Reasons why cures do not stay, by finding and title.
    refused: BTreeMap<(Key, String), String>,
}

impl Fixer<'_> {
    /// Returns the cures of a text that do not overlap. If two overlap, the first wins, and the next round tries the
    /// other.
    fn cures<'c>(&self, compiled: &'c Compilation) -> Vec<Cure<'c>> {
        let mut taken: BTreeSet<(usize, usize)> = BTreeSet::new();
        let free = |cure: &Cure<'_>| {
            let Span { start, end, .. } = cure.edit.span;
            let refused = self.refused.contains_key(&(key(cure.finding), cure.title.to_owned()));
            !refused && is_free(&taken, start, end) && taken.insert((start, end))
        };
        let cures = compiled.findings.iter().filter_map(|finding| cure(finding, &compiled.sources));
        cures.filter(free).collect()
    }

    /// Makes all of these cures. If a group of them makes the text worse, tries each half separately.
    fn round(&mut self, before: &Compilation, cures: &[Cure<'_>]) -> Option<Compiled> {
        let old = counts(&before.findings);
        let mut kept: Vec<&Cure<'_>> = Vec::new();
        let mut best = None;
        let mut groups = vec![cures];
        while let Some(group) = groups.pop() {
            let may_try = before.options.budget.used().1 <= self.most;
            let together: Vec<&Cure<'_>> = kept.iter().copied().chain(group).collect();
            let tried = may_try.then(|| self.with(before, &together));
            let Some((text, after)) = tried.filter(|(_, after)| !after.is_beyond_budget()) else {
                self.untried += group.len();
                continue;
            };
            let Some(why) = worse(before, &old, &after, &together) else {
                (kept, best) = (together, Some((text, after)));
                continue;
            };
            let [only] = group else {
                let (first, second) = group.split_at_checked(group.len() / 2).unwrap_or((group, &[]));
                groups.extend([second, first]);
                continue;
            };
            if let Some((more, better)) = self.further(before, &old, after, &together) {
                // The places of the other cures may have moved, so the round ends.
                self.made += together.len() + more;
                return Some(better);
            }
            let line = only.finding.labels.first().map_or(0, |label| label.span.line);
            let words = format!("line {line}: {} is left to you: {why}", only.title);
            self.refused.insert((key(only.finding), only.title.to_owned()), words);
        }
        self.made += kept.len();
        best
    }

    /// Returns the text of a file with these cures, and its compilation.
    fn with(&self, compiled: &Compilation, cures: &[&Cure<'_>]) -> Compiled {
        let text = edited(compiled.text(), cures.iter().map(|cure| &cure.edit));
        let after = with_levels(&text, &compiled.options, compiled, self.levels);
        (text, after)
    }

    /// Adds cures for new errors, because a misspelt key hides its value. Returns their number and the text if all new
    /// errors have certain cures.
    fn further(
        &mut self,
        before: &Compilation,
        old: &Counts,
        mut compiled: Compilation,
        made: &[&Cure<'_>],
    ) -> Option<(usize, Compiled)> {
        let mut more = 0;
        for _ in 0..LINKS {
            let new = counts(&compiled.findings);
            let cures = self.cures(&compiled);
            let is_new = |cure: &&Cure<'_>| {
                let key = key(cure.finding);
                cure.finding.severity == Severity::Error && new.get(&key) > old.get(&key)
            };
            let next: Vec<&Cure<'_>> = cures.iter().filter(is_new).collect();
            if next.is_empty() {
                return None;
            }
            more += next.len();
            let (text, after) = self.with(&compiled, &next);
            if worse(before, old, &after, made).is_none() {
                return Some((more, (text, after)));
            }
            compiled = after;
        }
        None
    }
}

/// Reason why a file gets worse with these cures; `None` if it does not.
fn worse(before: &Compilation, old: &Counts, after: &Compilation, cures: &[&Cure<'_>]) -> Option<String> {
    let stop = |compiled: &Compilation| {
        let stop = compiled.findings.iter().find(|finding| finding.code == Code::Syntax)?;
        Some(stop.labels.first().map(|label| label.span.line))
    };
    // If the reader stopped early, the rest is unknown. The reader then has to get further than before.
    let read = before.findings.iter().any(|finding| finding.code.is_after_parsing());
    if let Some(stopped) = stop(before).filter(|_| !read) {
        return stop(after).filter(|line| *line <= stopped).map(|_| "it is no YAML then".to_owned());
    }
    let new = counts(&after.findings);
    let of = |counts: &Counts, key: &Key| counts.get(key).copied().unwrap_or(0);
    let cured = counts(cures.iter().map(|cure| cure.finding));
    if cured.iter().any(|(key, count)| of(&new, key) + count > of(old, key)) {
        return Some("it is still the same then".to_owned());
    }
    // If the number of findings was limited, new ones may only have been hidden before.
    if too_many(before) {
        return None;
    }
    let mut errors = after.findings.iter().filter(|finding| finding.severity == Severity::Error);
    let come = errors.find(|finding| of(&new, &key(finding)) > of(old, &key(finding)))?;
    Some(format!("it would be an error, {}: {}", come.code, come.message))
}

#[cfg(test)]
#[path = "fix_tests.rs"]
mod tests;
