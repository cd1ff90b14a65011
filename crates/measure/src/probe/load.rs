//! Command that fills the line during a measurement.

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{Read as _, Seek as _, SeekFrom};
use std::os::unix::process::CommandExt as _;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Time that the processes of a load have to end after the request.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of its last output that are kept.
const KEPT: u64 = 2000;

/// A running command in its own process group, so that its child processes end with it.
#[derive(Debug)]
pub struct Load {
    child: Child,
    group: Option<Pid>,
    printed: std::fs::File,
    asked: Option<Instant>,
}

/// Result of a load that ended by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// Failure in words, such as `exit code 127`; `None` if it succeeded.
    pub failed: Option<String>,
    /// Last line of its output, or empty.
    pub words: String,
}

impl Load {
    /// Starts `sh -c COMMAND` with empty input. Its output goes to a temporary file.
    ///
    /// # Errors
    /// Returns an error if there is no shell or no room for the output.
    pub fn start(command: &str) -> std::io::Result<Load> {
        let printed = tempfile::tempfile()?;
        let child = Command::new("sh")
            .args(["-c", command])
            .stdin(Stdio::null())
            .stdout(printed.try_clone()?)
            .stderr(printed.try_clone()?)
            .process_group(0)
            .spawn()?;
        let group = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
        Ok(Load { child, group, printed, asked: None })
    }

    /// True if the command itself still runs. Its process id stays reserved until [`end`](Self::end).
    #[must_use]
    pub fn runs(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        let Some(group) = self.group else { return false };
        matches!(waitid(WaitId::Pid(group), options), Ok(None))
    }

    /// Asks the process group to end, without waiting for it.
    pub fn ask(&mut self) {
        if self.asked.is_none() {
            self.asked = Some(Instant::now());
            self.signal(Signal::TERM);
        }
    }

    /// True if [`end`](Self::end) has nothing to wait for: the command has ended, or its time to end is over.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.asked.is_some_and(|asked| asked.elapsed() >= PATIENCE) || !self.runs()
    }

    /// Ends the process group: asks it first, then kills it. Returns the result if the command had ended by itself.
    pub fn end(mut self) -> Option<Ended> {
        let by_itself = self.asked.is_none() && !self.runs();
        self.ask();
        while !self.is_done() {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.signal(Signal::KILL);
        let status = self.child.wait().ok()?;
        by_itself.then(|| Ended {
            failed: (!status.success()).then(|| match status.code() {
                Some(code) => format!("exit code {code}"),
                None => "a signal".to_owned(),
            }),
            words: self.last_words().unwrap_or_default(),
        })
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // an error means that no process of the group is left
            let _ = kill_process_group(group, signal);
        }
    }

    fn last_words(&mut self) -> std::io::Result<String> {
        let length = self.printed.seek(SeekFrom::End(0))?;
        self.printed.seek(SeekFrom::Start(length.saturating_sub(KEPT)))?;
        let mut bytes = Vec::new();
        self.printed.by_ref().take(KEPT).read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        Ok(text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default().trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::Load;
    use std::time::{Duration, Instant};

    fn ended(load: Load) -> super::Ended {
        let limit = Instant::now() + Duration::from_secs(10);
        while load.runs() {
            assert!(Instant::now() < limit, "it does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
        load.end().expect("it ended by itself")
    }

    #[test]
    fn processes_of_the_load_end_with_it() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("pid");
        let load =
            Load::start(&format!("sleep 1000 & echo $! >{0}.new; mv {0}.new {0}; wait", file.display()))
                .unwrap();
        let limit = Instant::now() + Duration::from_secs(10);
        while !file.exists() {
            assert!(Instant::now() < limit, "it does not begin");
            std::thread::sleep(Duration::from_millis(5));
        }
        let process = format!("/proc/{}", std::fs::read_to_string(&file).unwrap().trim());
        assert!(load.runs() && std::path::Path::new(&process).exists());
        assert_eq!(load.end(), None);
        // the process that inherits it may take some time to reap it
        while std::fs::read_to_string(format!("{process}/stat")).is_ok_and(|stat| !stat.contains(") Z ")) {
            assert!(Instant::now() < limit, "it lives");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[test]
    fn a_load_that_ignores_sigterm_is_killed() {
        let load = Load::start("trap '' TERM; while :; do sleep 0.1; done").unwrap();
        std::thread::sleep(Duration::from_millis(100));
        let began = Instant::now();
        assert_eq!(load.end(), None);
        assert!(began.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn the_end_of_the_load_is_reported() {
        let fine = ended(Load::start("echo 10 Mbit/s").unwrap());
        assert_eq!((fine.failed, fine.words.as_str()), (None, "10 Mbit/s"));
        let failed = ended(Load::start("echo; echo 'no route to far' >&2; exit 3").unwrap());
        assert_eq!(
            (failed.failed.as_deref(), failed.words.as_str()),
            (Some("exit code 3"), "no route to far")
        );
        let missing = ended(Load::start("no-such-program-as-this").unwrap());
        assert_eq!(missing.failed.as_deref(), Some("exit code 127"));
        assert!(missing.words.contains("not found"), "{missing:?}");
    }
}
