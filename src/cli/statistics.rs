//! Findings of a run, counted by code.

use qosc_compiler::diag::{Code, Diagnostic, Severity, for_terminal};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Numbers of findings of each code.
#[derive(Default)]
pub(super) struct Statistics(BTreeMap<Code, CodeCount>);

/// Numbers of findings of one code.
struct CodeCount {
    severity: Severity,
    findings: usize,
    files: usize,
    /// Message, or the title of the code if the messages differ.
    words: String,
}

impl Statistics {
    /// Counts the findings of a file.
    pub(super) fn add(&mut self, found: &[Diagnostic]) {
        let mut codes = BTreeSet::new();
        for finding in found {
            let count = self.0.entry(finding.code).or_insert_with(|| CodeCount {
                severity: finding.severity,
                findings: 0,
                files: 0,
                words: finding.message.clone(),
            });
            count.findings += 1;
            count.files += usize::from(codes.insert(finding.code));
            if count.words != finding.message {
                finding.code.title().clone_into(&mut count.words);
            }
        }
    }

    /// Returns a line for each code, the most frequent first.
    pub(super) fn table(&self) -> String {
        let mut counts: Vec<(&Code, &CodeCount)> = self.0.iter().collect();
        counts.sort_by_key(|(_, count)| Reverse(count.findings));
        let mut out = String::new();
        if !counts.is_empty() {
            out.push_str("findings  files\n");
        }
        for (code, CodeCount { severity, findings, files, words }) in counts {
            let words = format!("{}[{code}]: {}", severity.as_str(), for_terminal(words));
            let _infallible = writeln!(out, "{findings:8}  {files:5}  {words}");
        }
        out
    }
}
