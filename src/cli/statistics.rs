//! Findings of a run, counted by code.

use qosc_compiler::diag::{Code, Diagnostic, Severity, for_terminal};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Numbers of findings of each code.
#[derive(Default)]
pub(super) struct Statistics(BTreeMap<Code, Row>);

/// Findings of one code.
struct Row {
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
            let row = self.0.entry(finding.code).or_insert_with(|| Row {
                severity: finding.severity,
                findings: 0,
                files: 0,
                words: finding.message.clone(),
            });
            row.findings += 1;
            row.files += usize::from(codes.insert(finding.code));
            if row.words != finding.message {
                finding.code.title().clone_into(&mut row.words);
            }
        }
    }

    /// Returns a line for each code, the most frequent first.
    pub(super) fn table(&self) -> String {
        let mut rows: Vec<(&Code, &Row)> = self.0.iter().collect();
        rows.sort_by_key(|(_, row)| Reverse(row.findings));
        let mut out = String::new();
        if !rows.is_empty() {
            out.push_str("findings  files\n");
        }
        for (code, Row { severity, findings, files, words }) in rows {
            let words = format!("{}[{code}]: {}", severity.as_str(), for_terminal(words));
            let _infallible = writeln!(out, "{findings:8}  {files:5}  {words}");
        }
        out
    }
}
