//! Causes for which ssh(1) could not connect, with what to type.

use super::ssh::{Answer, LOCAL};

/// Texts of OpenSSH, in the order in which we look for them, with the cause and the cure. `HOST` stands for the host, and
/// `NAME` for the host without a user.
const CAUSES: [(&str, &str); 9] = [
    (
        "REMOTE HOST IDENTIFICATION HAS CHANGED",
        "its host key has changed; if you expected that, type `ssh-keygen -R NAME`, then `ssh HOST`, and compare the key",
    ),
    ("Host key verification failed", "its host key is unknown; type `ssh HOST` once, and compare the key"),
    (
        "Permission denied",
        "it accepts no key that works without a question; type `ssh-copy-id HOST`, or `ssh-add` if your key has a passphrase",
    ),
    ("Too many authentication failures", "it refused the login; name the key in ssh_config (IdentityFile)"),
    ("Could not resolve hostname", "its name is unknown; check the spelling, or add it to ssh_config"),
    ("Connection refused", "unreachable: nothing answers at the port of ssh; check that sshd runs there"),
    ("timed out", "unreachable: no answer; check the address and the cable with `ping`"),
    ("No route to host", "unreachable: no route to it; check the address and the cable with `ping`"),
    ("Network is unreachable", "unreachable: no route to it; check the network of this machine"),
];

/// Returns why a call did not reach the host.
pub(super) fn cause(host: &str, answer: &Answer) -> String {
    if let Some((_, words)) = CAUSES.iter().find(|(text, _)| answer.err.contains(text)) {
        return words.replace("HOST", host).replace("NAME", without_user(host));
    }
    match last_line(&answer.err) {
        _ if host == LOCAL => "a signal ended the shell".to_owned(),
        Some(line) => format!("ssh failed: {line}"),
        None => format!("ssh failed without a message; type `ssh -v {host}`"),
    }
}

/// Returns a host without the user before it.
pub(super) fn without_user(host: &str) -> &str {
    host.rsplit_once('@').map_or(host, |(_, name)| name)
}

/// Returns the last line of a text that has words.
pub(super) fn last_line(text: &str) -> Option<&str> {
    text.lines().map(str::trim).rfind(|line| !line.is_empty())
}
