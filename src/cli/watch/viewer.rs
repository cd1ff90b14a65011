//! A router that `watch` shows, sample by sample.

use crate::cli::args_watch::Watch as Arguments;
use crate::cli::outcome::Outcome;
use qosc_compiler::diag::{for_terminal, ticked};
use qosc_measure::watch::{Ended, Source, View, Watch};

/// A router that is watched.
pub(super) struct Viewer<'a> {
    args: &'a Arguments,
    watch: Watch,
    source: Source,
}

/// Next message of a router.
pub(super) enum Received {
    View(View),
    /// There will be no more.
    End(Ended),
}

impl<'a> Viewer<'a> {
    pub(super) fn new(args: &'a Arguments, source: Source) -> Viewer<'a> {
        Viewer { args, watch: Watch::default(), source }
    }

    /// Name of the router.
    pub(super) fn from(&self) -> String {
        self.args.host.as_deref().map_or_else(|| "this machine".to_owned(), for_terminal)
    }

    /// Waits for the next sample.
    ///
    /// # Errors
    /// Returns a message if the router has no link to show, or if it does not send samples.
    pub(super) fn next(&mut self) -> Result<Received, String> {
        let Some(samples) = self.source.samples() else { return Ok(Received::End(Ended::Complete)) };
        let Ok(text) = samples.recv() else { return Ok(Received::End(self.source.end())) };
        let first = self.watch.is_new();
        let view = self.watch.add(&text).map_err(|e| format!("{}: {e}", self.from()))?;
        if first && view.links.is_empty() {
            return Err(self.no_link());
        }
        Ok(Received::View(view))
    }

    fn no_link(&self) -> String {
        let link = self
            .args
            .link
            .as_ref()
            .map_or_else(|| "link".to_owned(), |link| format!("link {}", ticked(&link.to_string())));
        let from = self.from();
        format!(
            "{from} has no started {link}\n  help: run the `start` of its script first; `qosc compile` writes the script"
        )
    }
}

/// Returns the outcome of a run whose samples ended.
pub(super) fn outcome(ended: Ended) -> Result<Outcome, String> {
    match ended {
        Ended::Complete => Ok(Outcome::Fine),
        Ended::Early(words) => Err(words),
    }
}
