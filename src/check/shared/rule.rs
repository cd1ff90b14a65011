//! A semantic rule.

use crate::diag::{Code, Diagnostic, Severity, Sink};
use crate::model::{FileSection, Model};

/// A rule: its name, its codes and its function.
pub struct Rule {
    /// Name in words with hyphens, as in the name of its file.
    pub name: &'static str,
    /// Codes that the rule reports. They may include a code of another rule, but each code belongs to exactly one rule.
    pub codes: &'static [Code],
    /// Sections of the file that its findings depend on.
    pub(in crate::check) sections: &'static [FileSection],
    /// Function that adds findings on one model. `None` if other code calls the rule: `qosc check` for two files, or
    /// the lab.
    pub(in crate::check) run: Option<fn(&Model, &mut Sink)>,
}

impl Rule {
    /// Returns the findings of this rule on a model.
    pub(in crate::check) fn findings(&self, model: &Model) -> Vec<Diagnostic> {
        let Some(run) = self.run else { return Vec::new() };
        let mut found = Sink::default();
        run(model, &mut found);
        let found = found.into_sorted();
        debug_assert!(
            found.iter().all(|one| self.codes.contains(&one.code)),
            "{} reports others: {found:?}",
            self.name
        );
        let certain = self.sections.iter().all(|section| !model.with_errors.contains(section));
        found.into_iter().filter(|one| certain || one.severity == Severity::Error).collect()
    }
}
