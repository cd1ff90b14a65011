//! A semantic rule.

use super::own_leaves;
use crate::diag::{Code, Diagnostic, Severity, Sink};
use crate::model::{Class, FileSection, Leaf, Model, Police, Tunnel};

/// A rule of `qosc check` on one file.
pub(in crate::check) struct Rule {
    /// Codes that the rule reports.
    pub(in crate::check) codes: &'static [Code],
    /// Sections of the file that its findings depend on.
    sections: &'static [FileSection],
    subject: Subject,
}

/// Part of the model that a rule looks at, and the function that returns the finding on it.
pub(in crate::check) enum Subject {
    /// The whole model, with at most one finding.
    Once(fn(&Model) -> Option<Diagnostic>),
    /// The whole model.
    Whole(fn(&Model, &mut Sink)),
    /// Each tunnel.
    EachTunnel(fn(&Model, &Tunnel) -> Option<Diagnostic>),
    /// Each leaf class of the user's file.
    EachLeaf(fn(&Model, &Class, &Leaf) -> Option<Diagnostic>),
    /// Each policer.
    EachPolicer(fn(&Model, &Police) -> Option<Diagnostic>),
}

/// Returns a rule.
pub(in crate::check) const fn rule(
    codes: &'static [Code],
    sections: &'static [FileSection],
    subject: Subject,
) -> Rule {
    Rule { codes, sections, subject }
}

impl Rule {
    /// Returns the findings of this rule on a model. If a section that it depends on has errors, only its errors are
    /// kept: its warnings would be about placeholders.
    pub(in crate::check) fn findings(&self, model: &Model) -> Vec<Diagnostic> {
        let mut found = Sink::default();
        match self.subject {
            Subject::Once(find) => found.extend(find(model)),
            Subject::Whole(find) => find(model, &mut found),
            Subject::EachTunnel(find) => {
                found.extend(model.tunnels.iter().filter_map(|tunnel| find(model, tunnel)))
            }
            Subject::EachLeaf(find) => {
                found.extend(own_leaves(model).filter_map(|(class, leaf)| find(model, class, leaf)))
            }
            Subject::EachPolicer(find) => {
                found.extend(model.police.iter().filter_map(|police| find(model, police)))
            }
        }
        let mut found = found.into_sorted();
        debug_assert!(found.iter().all(|one| self.codes.contains(&one.code)), "{:?}: {found:?}", self.codes);
        if self.sections.iter().any(|section| model.with_errors.contains(section)) {
            found.retain(|one| one.severity == Severity::Error);
        }
        found
    }
}
