//! Signals that ask the program to end: Ctrl-C, a closed terminal, `kill`.

use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag::{register, register_conditional_default, register_usize};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Signals with which people and systems end a program.
const ENDING: [i32; 4] = [SIGHUP, SIGINT, SIGQUIT, SIGTERM];

/// While this exists, none of these signals ends the program, so that it can remove its temporary file. A signal that came ends the
/// program when this is dropped.
pub(super) struct Postponed(&'static Handlers);

struct Handlers {
    /// True while signals have their usual effect.
    idle: Arc<AtomicBool>,
    /// The last signal while `idle` was false, or 0.
    came: Arc<AtomicUsize>,
}

impl Postponed {
    pub(super) fn begin() -> Postponed {
        static HANDLERS: OnceLock<Handlers> = OnceLock::new();
        let handlers = HANDLERS.get_or_init(Handlers::new);
        handlers.idle.store(false, Ordering::SeqCst);
        Postponed(handlers)
    }

    /// True if a signal came.
    pub(super) fn came(&self) -> bool {
        self.0.came.load(Ordering::SeqCst) != 0
    }
}

impl Drop for Postponed {
    fn drop(&mut self) {
        self.0.idle.store(true, Ordering::SeqCst);
        if let Ok(signal @ 1..) = i32::try_from(self.0.came.swap(0, Ordering::SeqCst)) {
            let _ends = signal_hook::low_level::emulate_default_handler(signal);
        }
    }
}

impl Handlers {
    /// Handles all signals that this program was not started to ignore, such as SIGHUP after nohup(1). If a handler
    /// cannot be set, the signal ends the program at once.
    fn new() -> Handlers {
        let handlers = Handlers { idle: Arc::new(AtomicBool::new(true)), came: Arc::default() };
        for signal in heeded() {
            let number = usize::try_from(signal).unwrap_or_default();
            let _at_once = register_conditional_default(signal, Arc::clone(&handlers.idle))
                .and_then(|_| register_usize(signal, Arc::clone(&handlers.came), number));
        }
        handlers
    }
}

/// Returns the signals that end this program: those that it was not started to ignore.
pub(super) fn heeded() -> Vec<i32> {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // One bit for each ignored signal.
    let ignored = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default();
    ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0).collect()
}

/// Flag that is set when a signal comes.
pub(super) struct Signals(Arc<AtomicBool>);

impl Signals {
    /// Catches these signals, so that they no longer end the program by themselves.
    pub(super) fn listen() -> Result<Signals, String> {
        let flag = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM, SIGHUP] {
            register(signal, Arc::clone(&flag)).map_err(|e| format!("cannot listen for Ctrl-C: {e}"))?;
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
