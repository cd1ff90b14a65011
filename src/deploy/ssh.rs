//! One call of the system's `ssh`, or of a shell of this machine.

use std::io::{Read, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Largest number of bytes that we read from each stream of a call.
const MOST: u64 = 1 << 20;

/// Shortest and longest time between two looks at a running call.
const PAUSES: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(160)];

/// Options of every `ssh`. Nobody can answer a question, and a dead connection must end.
const OPTIONS: [&str; 4] =
    ["BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=3"];

/// Further options of a call. It never shares a connection, because a shared one could survive a change that blocks new
/// ones. It prints errors, but no banner.
const ALONE: [&str; 3] = ["LogLevel=ERROR", "ControlMaster=no", "ControlPath=none"];

/// Result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Answer {
    /// Exit code. It is `None` if a signal ended the call, or if we did.
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Answer {
    /// Returns `true` if the remote command ran and succeeded.
    pub(super) fn succeeded(&self) -> bool {
        self.code == Some(0)
    }

    /// Returns `true` if a line of standard output begins with these words.
    pub(super) fn says(&self, begin: &str) -> bool {
        self.out.lines().any(|line| line.starts_with(begin))
    }

    /// Returns `true` if the connection failed, rather than the remote command: ssh(1) has an exit code for this.
    pub(super) fn lost(&self) -> bool {
        matches!(self.code, None | Some(255))
    }
}

/// The host that is this machine. A login through its sshd is `root@localhost`.
pub const LOCAL: &str = "localhost";

/// Returns `ssh` to a host with these further options. The words of the remote command follow.
fn ssh(host: &str, more: &[&str]) -> Command {
    let mut program = Command::new("ssh");
    program.arg("-T").args(OPTIONS.iter().chain(more).flat_map(|option| ["-o", option]));
    // After `--`, no host is an option.
    program.args(["--", host]);
    program
}

/// Returns a shell on a host, or on this machine.
#[must_use]
pub fn shell(host: Option<&str>) -> Command {
    let Some(host) = host else { return Command::new("sh") };
    let mut program = ssh(host, &[]);
    program.arg("sh");
    program
}

/// Runs a command on a host, with this text as standard input. Ends the call at the deadline, or if `stopped`. A call on this
/// machine is never ended, because that could kill the script during a change.
///
/// # Errors
/// Returns a message if the program cannot be started.
pub(super) fn call(
    host: &str,
    command: &str,
    input: &str,
    deadline: Option<Instant>,
    stopped: &(dyn Fn() -> bool + Sync),
) -> Result<Answer, String> {
    let is_local = host == LOCAL;
    let mut program = if is_local { shell(None) } else { ssh(host, &ALONE) };
    program.args(is_local.then_some("-c")).arg(command);
    program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = program.spawn().map_err(|e| match is_local {
        true => format!("cannot run `sh`: {e}"),
        false => format!("cannot run `ssh`: {e}; install OpenSSH"),
    })?;
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    Ok(std::thread::scope(|scope| {
        let out = scope.spawn(|| text(out));
        let err = scope.spawn(|| text(err));
        // A remote command that ends early closes the pipe, and its exit code tells why.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(input.as_bytes())));
        let code = match is_local {
            true => child.wait().ok().and_then(|status| status.code()),
            false => code(&mut child, deadline, stopped),
        };
        Answer { code, out: out.join().unwrap_or_default(), err: err.join().unwrap_or_default() }
    }))
}

/// Waits for the end of a call, or ends it.
fn code(child: &mut Child, deadline: Option<Instant>, stopped: &(dyn Fn() -> bool + Sync)) -> Option<i32> {
    let [mut pause, longest] = PAUSES;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return status.code(),
            Ok(None) if !stopped() && deadline.is_none_or(|deadline| Instant::now() < deadline) => {
                std::thread::sleep(pause);
                pause = longest.min(pause * 2);
            }
            Ok(None) | Err(_) => {
                let _ended = child.kill().and_then(|()| child.wait());
                return None;
            }
        }
    }
}

/// Reads a stream to its end, and keeps its beginning.
fn text(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        let _incomplete = stream.by_ref().take(MOST).read_to_end(&mut bytes);
        let _rest = std::io::copy(&mut stream, &mut std::io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::shell;

    #[test]
    fn a_host_is_never_an_option_of_ssh() {
        let said = |host| {
            let shell = shell(host);
            let words = std::iter::once(shell.get_program()).chain(shell.get_args());
            words.map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
        };
        let remote = said(Some("-oProxyCommand=reboot"));
        assert!(remote.starts_with("ssh -T -o BatchMode=yes "), "{remote}");
        assert!(remote.ends_with(" -- -oProxyCommand=reboot sh"), "{remote}");
        assert_eq!(said(None), "sh");
    }
}
