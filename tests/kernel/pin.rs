//! A processor of the host for each guest. user-mode-linux is a process that traces the processes of its guest. They
//! take turns thousands of times a second. A process of the guest starts in 8 ms if they share one processor, and in up
//! to 60 ms on two.

use crate::processors::allowed;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::Mutex;

/// The number of guests on each processor.
static GUESTS: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

/// A processor that a guest occupies until this value is dropped.
pub struct Pin {
    processor: usize,
}

impl Pin {
    /// Chooses the processor with the fewest guests.
    pub fn new() -> Pin {
        let mut guests = GUESTS.lock().expect("no test panics here");
        if guests.is_empty() {
            guests.extend(allowed().into_iter().map(|processor| (processor, 0)));
        }
        let (processor, count) = guests.iter_mut().min_by_key(|(_, count)| **count).expect("a processor");
        *count += 1;
        Pin { processor: *processor }
    }

    /// Returns the same command, restricted to this processor.
    pub fn command(&self, command: &Command) -> Command {
        let mut pinned = Command::new("taskset");
        pinned.arg("-c").arg(self.processor.to_string()).arg(command.get_program()).args(command.get_args());
        for (name, value) in command.get_envs() {
            if let Some(value) = value {
                pinned.env(name, value);
            }
        }
        pinned
    }
}

impl Drop for Pin {
    fn drop(&mut self) {
        if let Ok(mut guests) = GUESTS.lock()
            && let Some(count) = guests.get_mut(&self.processor)
        {
            *count -= 1;
        }
    }
}
