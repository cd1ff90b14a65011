//! Why a probe cannot be sent.

use rustix::io::Errno;
use std::net::IpAddr;

/// Why there is no socket, or why it did not send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeError {
    /// Neither ping sockets nor raw ones are allowed to who runs this.
    NotAllowed,
    /// This machine has no IP of that version, or no route to the target.
    NoWay {
        /// The target.
        target: IpAddr,
        /// What the kernel said.
        errno: Errno,
    },
    /// The address to send from is not one of this machine's.
    Source {
        /// The address.
        source: IpAddr,
        /// What the kernel said.
        errno: Errno,
    },
    /// One of the two addresses is of IPv4, the other of IPv6.
    Versions {
        /// The address to send from.
        source: IpAddr,
        /// The target.
        target: IpAddr,
    },
    /// Something else that the kernel said.
    Kernel(Errno),
}

impl ProbeError {
    /// What is wrong, in one line.
    #[must_use]
    pub fn cause(&self) -> String {
        match self {
            ProbeError::NotAllowed => "this user may not send echo requests".to_owned(),
            ProbeError::NoWay { target, errno } => {
                format!("there is no way to `{target}`: {}", words(*errno))
            }
            ProbeError::Source { source, errno } => {
                format!("nothing can be sent from `{source}`: {}", words(*errno))
            }
            ProbeError::Versions { source, target } => {
                format!("`{source}` and the target `{target}` are not of the same version of IP")
            }
            ProbeError::Kernel(errno) => format!("the kernel refuses echo requests: {}", words(*errno)),
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn cure(&self) -> &'static str {
        match self {
            ProbeError::NotAllowed => {
                "allow it to everybody with `sysctl -w net.ipv4.ping_group_range=\"0 2147483647\"`, or to this program \
                 with `setcap cap_net_raw+ep` and its path, or run it as root"
            }
            ProbeError::NoWay { .. } => "`ip route get` and the address say where it would go",
            ProbeError::Source { .. } => "`ip address` lists the addresses of this machine",
            ProbeError::Versions { .. } => "name a source of the target's version, or none",
            ProbeError::Kernel(_) => {
                "a firewall on this machine may refuse them: `nft list ruleset` shows its rules"
            }
        }
    }
}

/// The kernel's words, without Rust's number behind them.
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
