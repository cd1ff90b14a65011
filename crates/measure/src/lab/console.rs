//! A console of the guest for a user.

use rustix::termios::{OptionalActions, Termios, tcsetattr};
use std::fs::File;
use std::io::{Read as _, Write as _, copy, stdin};
use std::process::Child;
use std::sync::Arc;
use std::thread::{JoinHandle, spawn};

/// A console of the guest. When it is dropped, the terminal gets its settings back.
pub(super) struct Console {
    /// Target of the output.
    pub(super) output: Arc<File>,
    /// Settings of standard input, if it is the user's terminal.
    pub(super) terminal: Option<Termios>,
}

impl Console {
    /// Copies between the user and the pipes of the kernel until that ends.
    pub(super) fn connect(&self, kernel: &mut Child) -> JoinHandle<()> {
        let pipes = (kernel.stdin.take(), kernel.stderr.take());
        let (output, terminal) = (Arc::clone(&self.output), self.terminal.clone());
        spawn(move || {
            let (Some(mut keys), Some(mut shown)) = pipes else { return };
            let mut first = [0];
            let Ok(()) = shown.read_exact(&mut first) else { return };
            // Until the shell shows its prompt, Ctrl-C ends the lab. Then all keys are for the guest.
            if let Some(mut mode) = terminal {
                mode.make_raw();
                let _cooked = tcsetattr(stdin(), OptionalActions::Now, &mode);
                spawn(move || copy(&mut stdin(), &mut keys));
            }
            let _closed =
                output.as_ref().write_all(&first).and_then(|()| copy(&mut shown, &mut output.as_ref()));
        })
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        if let Some(mode) = &self.terminal {
            let _raw = tcsetattr(stdin(), OptionalActions::Now, mode);
        }
    }
}
