//! Checks all links of a file together.

use super::front;
use super::layers::Layers;
use crate::fix::{Fixed, fix, untried, with_levels};
use qosc_compiler::check::same_router::{Claims, conflicts};
use qosc_compiler::compile::{Compilation, Options, gathered};
use qosc_compiler::diag::{Diagnostic, FileId, Levels, Severity};
use std::path::Path;

/// Compilations of all links of a file; the first one has the findings of all of them.
pub(super) struct Links(Vec<Compilation>);

impl Links {
    /// Reads a file and compiles all of its links, or the chosen one.
    ///
    /// # Errors
    /// Returns a message for standard error if the file cannot be read or lacks the chosen link.
    pub(super) fn read(path: &Path, layers: &Layers, levels: &Levels) -> Result<Self, String> {
        let (first, _) = front::front_and_state(path, layers)?;
        layers.exists(&first)?;
        Ok(Links::of(first, levels))
    }

    /// Compiles the other links of a file, unless one was chosen.
    pub(super) fn of(first: Compilation, levels: &Levels) -> Self {
        let mut all = vec![first];
        let others = |first: &Compilation| first.links.get(1..).map(<[String]>::to_vec).unwrap_or_default();
        let links =
            all.iter().filter(|first| first.options.link.is_none()).flat_map(others).collect::<Vec<_>>();
        for link in links {
            let next = all.first().map(|first| front::of_link(first, &link));
            // The finding on the budget stands alone.
            all.retain(|_| next.as_ref().is_none_or(|next| !next.is_beyond_budget()));
            all.extend(next);
            if all.first().is_some_and(Compilation::is_beyond_budget) {
                break;
            }
        }
        all.iter_mut().for_each(|link| levels.apply(&mut link.findings));
        Links(all).compared(levels)
    }

    /// Adds the findings on links that conflict with each other, because all of them are on one router.
    fn compared(mut self, levels: &Levels) -> Self {
        if self.0.len() < 2 {
            return self;
        }
        let claims: Vec<Claims> = self.0.iter().filter_map(claims).collect();
        let mut found: Vec<Diagnostic> = Vec::new();
        for (number, second) in claims.iter().enumerate() {
            for first in claims.iter().take(number) {
                // The file is there already, so no source is added.
                let sources = self.0.first_mut().map(|link| &mut link.sources);
                found.extend(sources.into_iter().flat_map(|sources| conflicts(first, second, sources)));
            }
        }
        levels.apply(&mut found);
        for link in &mut self.0 {
            let own: Vec<Diagnostic> =
                found.iter().filter(|finding| !link.permits(finding)).cloned().collect();
            link.findings.extend(own);
        }
        self
    }

    /// Returns each link, to take its results.
    pub(super) fn each(&mut self) -> impl Iterator<Item = &mut Compilation> {
        self.0.iter_mut()
    }

    /// Makes the certain cures of all links, one link after the other. Also returns the links of the text with the cures.
    pub(super) fn fix(&self, levels: &Levels) -> (Fixed, Option<Links>) {
        let again = |link: &Compilation, text: &str| {
            let (name, budget) = (link.link.clone(), link.options.budget.anew());
            let options = Options { link: name, budget, ..link.options.clone() };
            with_levels(text, &options, link, levels)
        };
        let mut whole = Fixed::default();
        for link in &self.0 {
            let now = whole.text.as_deref().map(|text| again(link, text));
            let Fixed { text, made, refused } = fix(now.as_ref().unwrap_or(link), levels);
            whole.text = text.or(whole.text);
            whole.made += made;
            whole.refused.extend(refused);
        }
        whole.refused.dedup();
        let after =
            whole.text.as_deref().map(|text| self.0.iter().map(|link| again(link, text)).collect::<Vec<_>>());
        match after {
            Some(after) if after.iter().any(Compilation::is_beyond_budget) => {
                (Fixed { refused: vec![untried(whole.made)], ..Fixed::default() }, None)
            }
            after => (whole, after.map(|after| Links(after).compared(levels))),
        }
    }

    /// Returns the first compilation with the findings of all links. A finding on some of the links names them.
    pub(super) fn together(mut self) -> Compilation {
        let all = self.0.iter_mut();
        let all =
            all.map(|link| (Some(link.link.clone().unwrap_or_default()), std::mem::take(&mut link.findings)));
        let found = gathered(all.collect(), "link");
        let mut first = self.0.swap_remove(0);
        first.findings = found;
        first
    }
}

/// True if a finding is an error even without `--deny`.
pub(super) fn is_error(finding: &Diagnostic) -> bool {
    finding.code.severity() == Severity::Error
}

/// Returns the claims of the file on its router, or `None` if it has an error: placeholders would conflict with
/// everything.
pub(super) fn claims(compiled: &Compilation) -> Option<Claims> {
    let (model, program) = compiled.model.as_ref().zip(compiled.program.as_ref())?;
    let source = compiled.sources.get(FileId::OWN)?.clone();
    (!compiled.findings.iter().any(is_error)).then(|| Claims::of(model, program, source))
}
