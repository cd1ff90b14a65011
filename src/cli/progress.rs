//! A line on a terminal that says how far something has come.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// How often it is written anew.
const PACE: Duration = Duration::from_millis(250);

/// One line on standard error, written over again and again; nothing where that is no terminal.
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

    /// Shows what `line` says, if it is time for that; cut at the terminal's edge.
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
        // the last column stays free, or terminals begin a new line
        let line: String = line().chars().take(columns.saturating_sub(1)).collect();
        let _ = write!(err, "\r{line}\x1b[K");
        let _ = err.flush();
    }

    /// Takes it away, before something else is written.
    pub(super) fn clear(&mut self) {
        if self.shown {
            self.shown = false;
            let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
        }
    }
}
