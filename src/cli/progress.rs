//! Progress line on a terminal.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Interval between two updates.
const PACE: Duration = Duration::from_millis(250);

/// A line on standard error that is written again and again. It does nothing if standard error is not a terminal.
#[derive(Debug)]
pub(super) struct Progress {
    is_terminal: bool,
    next: Instant,
    shown: bool,
}

impl Progress {
    pub(super) fn new() -> Progress {
        Progress { is_terminal: std::io::stderr().is_terminal(), next: Instant::now(), shown: false }
    }

    /// Shows `line` if an update is due, cut at the terminal's edge.
    pub(super) fn show(&mut self, line: impl FnOnce() -> String) {
        let now = Instant::now();
        if !self.is_terminal || now < self.next {
            return;
        }
        self.next = now + PACE;
        self.shown = true;
        let mut err = std::io::stderr().lock();
        let columns = rustix::termios::tcgetwinsize(&err).map_or(0, |size| size.ws_col);
        let columns = if columns == 0 { 80 } else { usize::from(columns) };
        // the last column stays free, because some terminals would begin a new line
        let line: String = line().chars().take(columns.saturating_sub(1)).collect();
        let _ = write!(err, "\r{line}\x1b[K");
        let _ = err.flush();
    }

    /// Removes the line before other text is written.
    pub(super) fn clear(&mut self) {
        if self.shown {
            self.shown = false;
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
