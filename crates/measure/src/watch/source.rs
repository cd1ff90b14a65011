//! The shell that prints samples, on this machine or behind ssh.

use qosc_compiler::diag::{for_terminal, ticked};
use qosc_compiler::units::{LinkName, Micros};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

const SCRIPT: &str = include_str!("../../../../templates/watch.sh");
/// Line at the end of a sample.
const END: &str = "==> end";
/// Largest sample and largest error message in bytes. A router with 60,000 classes prints less.
const MOST: usize = 64 << 20;
const MOST_SAID: u64 = 1 << 16;

/// Samples to request.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Router as ssh names it; `None` is this machine.
    pub host: Option<&'a str>,
    /// Time between two samples.
    pub interval: Micros,
    /// Number of samples; 0 for no end.
    pub count: u64,
    /// Only this link.
    pub link: Option<&'a LinkName>,
}

/// A running shell.
#[derive(Debug)]
pub struct Source {
    child: Child,
    samples: Option<Receiver<String>>,
    said: Option<JoinHandle<String>>,
    host: Option<String>,
}

/// How a shell ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ended {
    /// After all samples.
    Complete,
    /// Before, for this reason.
    Early(String),
}

impl Source {
    /// Starts a shell: `sh` on this machine, or `ssh ... sh`.
    ///
    /// # Errors
    /// Fails if it cannot be started; the error is a message for people.
    pub fn start(request: &Request<'_>, mut shell: Command) -> Result<Source, String> {
        shell.args(["-s", "--"]).args(words(request));
        let name = shell.get_program().to_string_lossy().into_owned();
        let piped = shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().map_err(|e| format!("cannot start `{name}`: {e}"))?;
        // The shell reads its whole script before it prints, so nobody waits for the other.
        if let Some(mut input) = child.stdin.take() {
            // A shell that ended early gives its reason on standard error.
            let _read_all = input.write_all(SCRIPT.as_bytes());
        }
        let (sender, samples) = sync_channel(1);
        let output = child.stdout.take();
        std::thread::spawn(move || {
            let Some(output) = output else { return };
            let mut lines = BufReader::new(output);
            let mut sample = Vec::new();
            loop {
                let from = sample.len();
                let room = u64::try_from(MOST.saturating_sub(from)).unwrap_or_default();
                match lines.by_ref().take(room).read_until(b'\n', &mut sample) {
                    Ok(read) if read > 0 => {}
                    _ => break,
                }
                if sample.get(from..).is_some_and(|line| line.trim_ascii_end() == END.as_bytes()) {
                    let text = String::from_utf8_lossy(&std::mem::take(&mut sample)).into_owned();
                    if sender.send(text).is_err() {
                        return;
                    }
                }
            }
            // A rest without its end explains why there is no sample.
            if !sample.is_empty() {
                let _nobody_listens = sender.send(String::from_utf8_lossy(&sample).into_owned());
            }
        });
        let errors = child.stderr.take();
        let said = std::thread::spawn(move || {
            let mut said = Vec::new();
            if let Some(errors) = errors {
                let _as_far = errors.take(MOST_SAID).read_to_end(&mut said);
            }
            String::from_utf8_lossy(&said).into_owned()
        });
        let host = request.host.map(str::to_owned);
        Ok(Source { child, samples: Some(samples), said: Some(said), host })
    }

    /// Returns the channel of the samples, or `None` after [`Source::end`]. After the last sample, it is closed.
    #[must_use]
    pub const fn samples(&self) -> Option<&Receiver<String>> {
        self.samples.as_ref()
    }

    /// Waits for a shell that printed its last sample.
    pub fn end(&mut self) -> Ended {
        self.samples = None;
        let status = self.child.wait();
        let said = self.said.take().and_then(|said| said.join().ok()).unwrap_or_default();
        let said: Vec<String> =
            said.lines().map(str::trim).filter(|line| !line.is_empty()).map(for_terminal).collect();
        match status {
            Ok(status) if status.success() => Ended::Complete,
            Ok(status) => Ended::Early(self.early(status.code(), &said.join("\n  "))),
            Err(e) => Ended::Early(format!("cannot wait for the shell: {e}")),
        }
    }

    /// Message about a shell that failed. ssh itself ends with 255.
    fn early(&self, code: Option<i32>, said: &str) -> String {
        let why = if said.is_empty() { String::new() } else { format!(": {said}") };
        match (&self.host, code) {
            (Some(host), Some(255)) => format!("cannot reach {}{why}", ticked(&for_terminal(host))),
            (Some(host), _) => format!("the shell on {} ended{why}", ticked(&for_terminal(host))),
            (None, _) => format!("the shell ended{why}"),
        }
    }
}

impl Drop for Source {
    /// Ends the shell. The one on a router ends when it cannot print any more.
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// Returns the arguments of the script that prints samples.
fn words(request: &Request<'_>) -> impl Iterator<Item = String> {
    let own = [seconds(request.interval), request.count.to_string()];
    own.into_iter().chain(request.link.map(ToString::to_string))
}

/// Returns a time as `sleep` reads it.
fn seconds(time: Micros) -> String {
    let (whole, rest) = (time.us() / 1_000_000, time.us() % 1_000_000);
    if rest == 0 { whole.to_string() } else { format!("{whole}.{rest:06}") }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
