//! What asks to end: Ctrl-C, a terminal that goes away, `kill`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Says whether somebody asked.
pub(super) struct Signals(Arc<AtomicBool>);

impl Signals {
    /// From here on they do not end this program by themselves.
    pub(super) fn listen() -> Result<Signals, String> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM, signal_hook::consts::SIGHUP]
        {
            signal_hook::flag::register(signal, Arc::clone(&flag))
                .map_err(|e| format!("cannot listen for Ctrl-C: {e}"))?;
        }
        Ok(Signals(flag))
    }

    /// Whether one came since this was asked last.
    pub(super) fn came(&self) -> bool {
        self.0.swap(false, Ordering::SeqCst)
    }

    /// What is set when one comes.
    pub(super) fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}
