//! A question on a terminal that ends after a time.

use super::output;
use super::progress::Progress;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};
use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

/// Longest time until a key or a signal takes effect.
const PACE: Duration = Duration::from_millis(50);

/// Returns `true` if somebody can see a question and press a key. The system stops a background process that sets its terminal.
pub(super) fn is_possible() -> bool {
    // Behind the name: the state, then the process group and, three words later, that in the foreground of the terminal.
    let process = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let words: Vec<&str> = process.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
    let is_in_foreground = words.get(2).is_some_and(|own| words.get(5) == Some(own));
    is_in_foreground && std::io::stdin().is_terminal() && output::columns().is_some()
}

/// Shows these words and the seconds that are left. Returns `true` if the first key is Enter, and `false` for any other key,
/// even Ctrl-C, at the end, or if `stopped`.
pub(super) fn enter(words: &str, end: Instant, stopped: &dyn Fn() -> bool) -> bool {
    let terminal = std::io::stdin();
    let Ok(usual) = tcgetattr(&terminal) else { return false };
    let mut keys = usual.clone();
    keys.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    for code in [SpecialCodeIndex::VMIN, SpecialCodeIndex::VTIME] {
        keys.special_codes[code] = 0;
    }
    // Keys that were pressed before do not count.
    if tcsetattr(&terminal, OptionalActions::Flush, &keys).is_err() {
        return false;
    }
    let mut progress = Progress::new();
    let is_enter = loop {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() || stopped() {
            break false;
        }
        progress.show(|| format!("{words} {} s", left.as_secs() + 1));
        let mut key = [0];
        match rustix::io::read(&terminal, &mut key) {
            Ok(0) | Err(rustix::io::Errno::INTR) => std::thread::sleep(PACE),
            Ok(_) => break matches!(key, [b'\n' | b'\r']),
            Err(_) => break false,
        }
    };
    progress.clear();
    // The rest of a key with several bytes does not count, either.
    let _as_far = tcsetattr(&terminal, OptionalActions::Flush, &usual);
    is_enter
}
