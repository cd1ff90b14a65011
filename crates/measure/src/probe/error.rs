//! Errors of probes.

use rustix::io::Errno;
use std::net::IpAddr;

/// Reason why a socket cannot be opened or cannot send.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeError {
    /// Cause in one line.
    pub cause: String,
    /// Advice on the cure.
    pub cure: &'static str,
}

impl ProbeError {
    /// The user may open neither ping sockets nor raw sockets.
    pub(super) fn not_allowed() -> ProbeError {
        let cure = "allow it for all users with `sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"`, or for this program \
             with `setcap cap_net_raw+ep` and its path, or run it as root";
        ProbeError { cause: "this user may not send echo requests".to_owned(), cure }
    }

    /// This machine does not have this version of IP, or no route to the target.
    pub(super) fn no_way(target: IpAddr, errno: Errno) -> ProbeError {
        let cause = format!("`{target}` cannot be reached: {}", words(errno));
        ProbeError { cause, cure: "`ip route get` with the address shows the route" }
    }

    /// The source address does not belong to this machine.
    pub(super) fn source(source: IpAddr, errno: Errno) -> ProbeError {
        let cause = format!("cannot send from `{source}`: {}", words(errno));
        ProbeError { cause, cure: "`ip address` lists the addresses of this machine" }
    }

    /// One of the two addresses is IPv4, the other IPv6.
    pub(super) fn versions(source: IpAddr, target: IpAddr) -> ProbeError {
        let cause = format!("the source `{source}` and the target `{target}` are of different IP versions");
        ProbeError { cause, cure: "give a source address of the target's IP version, or none" }
    }

    /// Another error of the kernel.
    pub(super) fn kernel(errno: Errno) -> ProbeError {
        let cure = "a firewall on this machine may refuse them: `nft list ruleset` shows its rules";
        ProbeError { cause: format!("the kernel refuses echo requests: {}", words(errno)), cure }
    }
}

/// Returns the kernel's message without the error number that Rust appends.
fn words(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

impl std::fmt::Display for ProbeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.cause)
    }
}

impl std::error::Error for ProbeError {}
