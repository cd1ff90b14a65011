//! Errors of probes.

use rustix::io::Errno;
use std::net::IpAddr;

/// Reason why a socket cannot be opened or cannot send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeError {
    /// The user may open neither ping sockets nor raw sockets.
    NotAllowed,
    /// This machine does not have this version of IP, or no route to the target.
    NoWay {
        /// Address of the target.
        target: IpAddr,
        /// Error of the kernel.
        errno: Errno,
    },
    /// The source address does not belong to this machine.
    Source {
        /// Source address.
        source: IpAddr,
        /// Error of the kernel.
        errno: Errno,
    },
    /// One of the two addresses is IPv4, the other IPv6.
    Versions {
        /// Source address.
        source: IpAddr,
        /// Address of the target.
        target: IpAddr,
    },
    /// Another error of the kernel.
    Kernel(Errno),
}

impl ProbeError {
    /// Returns the cause in one line.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            ProbeError::NotAllowed => "this user may not send echo requests".to_owned(),
            ProbeError::NoWay { target, errno } => {
                format!("`{target}` cannot be reached: {}", words(*errno))
            }
            ProbeError::Source { source, errno } => {
                format!("cannot send from `{source}`: {}", words(*errno))
            }
            ProbeError::Versions { source, target } => {
                format!("the source `{source}` and the target `{target}` are of different IP versions")
            }
            ProbeError::Kernel(errno) => format!("the kernel refuses echo requests: {}", words(*errno)),
        }
    }

    /// Returns advice on the cure.
    #[must_use]
    pub fn cure(&self) -> &'static str {
        match self {
            ProbeError::NotAllowed => {
                "allow it for all users with `sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"`, or for this program \
                 with `setcap cap_net_raw+ep` and its path, or run it as root"
            }
            ProbeError::NoWay { .. } => "`ip route get` with the address shows the route",
            ProbeError::Source { .. } => "`ip address` lists the addresses of this machine",
            ProbeError::Versions { .. } => "give a source address of the target's IP version, or none",
            ProbeError::Kernel(_) => {
                "a firewall on this machine may refuse them: `nft list ruleset` shows its rules"
            }
        }
    }
}

/// Returns the kernel's message without the error number that Rust appends.
fn words(errno: Errno) -> String {
    let text = std::io::Error::from(errno).to_string();
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

impl std::fmt::Display for ProbeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.cause())
    }
}

impl std::error::Error for ProbeError {}
