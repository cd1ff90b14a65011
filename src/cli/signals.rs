//! Signals that ask the program to end: Ctrl-C, a closed terminal, `kill`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Flag that is set when a signal comes.
pub(super) struct Signals(Arc<AtomicBool>);

impl Signals {
    /// Catches these signals, so that they no longer end the program by themselves.
    pub(super) fn listen() -> Result<Signals, String> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            signal_hook::flag::register(signal, Arc::clone(&flag))
                .map_err(|e| format!("cannot listen for Ctrl-C: {e}"))?;
        }
        Ok(Signals(flag))
    }

    /// True if a signal came since the last call.
    pub(super) fn came(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }

    /// Returns the flag that a signal sets.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
