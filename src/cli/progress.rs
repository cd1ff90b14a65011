//! Progress line on a terminal.

use super::output;
use std::time::{Duration, Instant};

/// Interval between two updates.
const PACE: Duration = Duration::from_millis(250);

/// A line on standard error that is written again and again. It does nothing if standard error is not a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    next: Instant,
    shown: bool,
}

impl Progress {
    pub(super) fn new() -> Progress {
        Progress { next: Instant::now(), shown: false }
    }

    /// Shows `line` if an update is due, cut at the terminal's edge.
    pub(super) fn show(&mut self, line: impl FnOnce() -> String) {
        let now = Instant::now();
        let Some(columns) = output::columns().filter(|_| now >= self.next) else { return };
        self.next = now + PACE;
        self.shown = true;
        // the last column stays free, because some terminals would begin a new line
        let line: String = line().chars().take(columns.saturating_sub(1)).collect();
        output::replace_line(&line);
    }

    /// Removes the line before other text is written.
    pub(super) fn clear(&mut self) {
        if self.shown {
            self.shown = false;
            output::replace_line("");
        }
    }
}
