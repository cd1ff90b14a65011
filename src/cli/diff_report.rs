//! Results of `qosc diff`, as text for people and as JSON.

use super::output;
use qosc_compiler::diag::{Diagnostic, Printed, Sources, count, for_terminal, wrapped};
use qosc_preview::compare::{Comparison, changes};
use qosc_preview::diff::{Cost, Look, legend};
use serde::Serialize;

/// Result for one of several files.
pub(super) struct FileDiff {
    /// Path of the file within the folder.
    pub(super) name: String,
    /// Link of several.
    pub(super) link: Option<String>,
    pub(super) result: FileResult,
}

/// Difference between the two files of a name.
pub(super) enum FileResult {
    New,
    Deleted,
    /// Only the old file is unusable.
    Repaired,
    Compared {
        /// Name of the old file in findings.
        old: String,
        /// Name of the new file in findings.
        new: String,
        found: Comparison,
    },
    Unusable(Vec<Problem>),
}

/// Reason why a file is not compared.
pub(super) enum Problem {
    /// It cannot be read.
    Unread(String),
    /// It has errors.
    Findings(Vec<Diagnostic>, Sources),
}

impl Problem {
    /// Prints the reason to standard error.
    pub(super) fn print(&self) {
        match self {
            Problem::Unread(words) => output::complain(words),
            Problem::Findings(found, sources) => output::findings(found, sources),
        }
    }
}

impl FileDiff {
    /// Name of the file, and that of its link.
    pub(super) fn shown(&self) -> String {
        self.link.as_ref().map_or_else(|| self.name.clone(), |link| format!("{} ({link})", self.name))
    }

    /// Returns the differences of a file that was compared and changed.
    pub(super) fn changed(&self) -> Option<&Comparison> {
        match &self.result {
            FileResult::Compared { found, .. } if found.differs() => Some(found),
            _ => None,
        }
    }

    /// The result in one word, as in JSON.
    pub(super) fn word(&self) -> &'static str {
        match self.result {
            FileResult::New => "new",
            FileResult::Deleted => "deleted",
            FileResult::Repaired => "repaired",
            FileResult::Compared { .. } if self.changed().is_some() => "changed",
            FileResult::Compared { .. } => "unchanged",
            FileResult::Unusable(_) => "unusable",
        }
    }
}

/// Returns the largest cost of the changes.
pub(super) fn worst(found: &Comparison) -> Cost {
    found.changes.iter().map(|change| change.price.cost).max().unwrap_or(Cost::InPlace)
}

/// Returns the numbers of files, and the worst cost with the name of a file that has it.
pub(super) fn summary(files: &[FileDiff], shown: fn(&str) -> String) -> String {
    let number = |word: &str| files.iter().filter(|file| file.word() == word).count();
    let parts =
        ["new", "deleted", "repaired", "changed", "unchanged", "unusable"].map(|word| (number(word), word));
    let parts = parts.iter().filter(|(n, _)| *n > 0).map(|(n, word)| format!("{n} {word}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    let all = count(files.len(), "file");
    let mut text = if parts.is_empty() { format!("{all} compared") } else { format!("{all}: {parts}") };
    let costs = || files.iter().filter_map(|file| Some((worst(file.changed()?), file)));
    if let Some(most) = costs().map(|(cost, _)| cost).max() {
        let mut names = costs().filter(|(cost, _)| *cost == most).map(|(_, file)| shown(&file.shown()));
        let first = names.next().unwrap_or_default();
        let more = match names.count() {
            0 => String::new(),
            n => format!(" and {n} more"),
        };
        text.push_str(&format!("; worst cost on a live router: {} ({first}{more})", most.words()));
    }
    text
}

/// Returns the changes of each file, followed by the summary.
pub(super) fn text(files: &[FileDiff], look: Look) -> String {
    let mut out = String::new();
    for file in files.iter().filter(|file| file.word() != "unchanged") {
        let changed = file.changed();
        if changed.is_some() && !out.is_empty() && !out.ends_with("\n\n") {
            out.push('\n');
        }
        look.heading(&format!("{}: {}", for_terminal(&file.shown()), file.word()), &mut out);
        if let Some(found) = changed {
            out.push_str(&changes(found, look));
            out.push('\n');
        }
    }
    if !out.is_empty() && !out.ends_with("\n\n") {
        out.push('\n');
    }
    wrapped(&mut out, "", &summary(files, for_terminal), 2);
    let costs = files.iter().filter_map(FileDiff::changed).flat_map(|found| &found.changes);
    out.push_str(&legend(costs.map(|change| change.price.cost), look.verbose));
    out
}

/// Output of `--format json`.
#[derive(Serialize, schemars::JsonSchema)]
#[schemars(rename = "Report")]
pub(super) struct DiffReport<'a> {
    /// First configuration.
    old: &'a str,
    /// Second configuration.
    new: &'a str,
    /// True if anything differs in effect.
    differs: bool,
    #[serde(flatten)]
    found: &'a Comparison,
    /// Number of changes by cost.
    summary: Summary,
}

/// Number of changes by cost.
#[derive(Serialize, schemars::JsonSchema)]
struct Summary {
    /// Number of changes.
    changes: usize,
    /// Number of changes without effect on traffic.
    in_place: usize,
    /// Number of changes that drop the backlog of one class.
    own_backlog: usize,
    /// Number of changes that give a direction a new tree.
    swap: usize,
    /// Number of changes that rebuild the root of a direction.
    rebuild: usize,
    /// Summary as a sentence.
    text: String,
}

impl<'a> DiffReport<'a> {
    pub(super) fn new(old: &'a str, new: &'a str, found: &'a Comparison) -> Self {
        let summary = Summary {
            changes: found.changes.len(),
            in_place: found.count(Cost::InPlace),
            own_backlog: found.count(Cost::OwnBacklog),
            swap: found.count(Cost::Swap),
            rebuild: found.count(Cost::Rebuild),
            text: found.summary(),
        };
        DiffReport { old, new, differs: found.differs(), found, summary }
    }
}

/// Output of `--format json` for one file of a folder.
#[derive(Serialize, schemars::JsonSchema)]
pub(super) struct FileReport<'a> {
    /// Path of the file within the folder.
    file: &'a str,
    /// Link of a file with several, if the text of the file or of an included one changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    link: Option<&'a str>,
    /// `new`, `deleted`, `repaired`, `changed`, `unchanged` or `unusable`.
    result: &'static str,
    /// Reasons why a file cannot be read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<&'a str>,
    /// Findings of a file with errors.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    findings: Vec<Printed>,
    /// Comparison, if both folders have the file without errors.
    #[serde(skip_serializing_if = "Option::is_none")]
    report: Option<DiffReport<'a>>,
}

impl<'a> FileReport<'a> {
    pub(super) fn of(file: &'a FileDiff) -> Self {
        let (mut errors, mut findings, mut report) = (Vec::new(), Vec::new(), None);
        match &file.result {
            FileResult::New | FileResult::Deleted | FileResult::Repaired => {}
            FileResult::Compared { old, new, found } => report = Some(DiffReport::new(old, new, found)),
            FileResult::Unusable(problems) => {
                for problem in problems {
                    match problem {
                        Problem::Unread(words) => errors.push(words.as_str()),
                        Problem::Findings(found, sources) => findings.extend(Printed::all(found, sources)),
                    }
                }
            }
        }
        FileReport {
            file: &file.name,
            link: file.link.as_deref(),
            result: file.word(),
            errors,
            findings,
            report,
        }
    }
}
