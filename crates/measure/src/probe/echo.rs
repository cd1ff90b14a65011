//! Socket for echo requests to one target with one code point.

use super::error::ProbeError;
use super::packet::{Asker, Version, answered, request};
use qosc_compiler::units::Dscp;
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, ipproto, sockopt};
use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

/// Number of consecutive errors after which a socket is left alone until it is ready again.
const MOST_ERRORS: usize = 8;

/// A non-blocking socket that sends echo requests to one target, all with the same DSCP.
///
/// It is a ping socket, which needs no privilege, if the kernel allows this to the user (`net.ipv4.ping_group_range`).
/// Otherwise it is a raw socket.
#[derive(Debug)]
pub struct Echo {
    socket: OwnedFd,
    version: Version,
    /// True if the kernel delivers every ICMP packet from the target; for IPv4 with its IP header.
    is_raw: bool,
    asker: Asker,
}

/// An answer to a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// Number of the request. Answers may be repeated, out of order and arbitrarily late.
    pub number: u64,
    /// Time at which it was read from the socket.
    pub at: Instant,
}

impl Echo {
    /// Opens a socket for `target`. The port of the target is ignored; its scope is used, as in `fe80::1%eth0`.
    /// `source` is the address to send from, if the route's choice does not fit.
    ///
    /// # Errors
    /// Returns an error if the user lacks the permission, if there is no route, or if this machine does not have
    /// `source`.
    pub fn open(target: SocketAddr, source: Option<IpAddr>, dscp: Dscp) -> Result<Echo, ProbeError> {
        let to = target.ip();
        if let Some(source) = source.filter(|source| source.is_ipv4() != to.is_ipv4()) {
            return Err(ProbeError::versions(source, to));
        }
        let version = if to.is_ipv4() { Version::V4 } else { Version::V6 };
        let (socket, is_raw) = socket(version).map_err(|errno| match errno {
            Errno::ACCESS | Errno::PERM => ProbeError::not_allowed(),
            Errno::AFNOSUPPORT => ProbeError::no_way(to, errno),
            errno => ProbeError::kernel(errno),
        })?;
        // the two lower bits of the byte are for ECN
        let byte = dscp.bits() << 2;
        match version {
            Version::V4 => sockopt::set_ip_tos(&socket, byte),
            Version::V6 => sockopt::set_ipv6_tclass(&socket, byte.into()),
        }
        .map_err(ProbeError::kernel)?;
        if let Some(source) = source {
            let address = SocketAddr::new(source, 0);
            rustix::net::bind(&socket, &address).map_err(|errno| ProbeError::source(source, errno))?;
        }
        let mut address = target;
        address.set_port(0);
        rustix::net::connect(&socket, &address).map_err(|errno| ProbeError::no_way(to, errno))?;
        // std seeds each of these differently, and nothing here has to be secret
        let key = RandomState::new().hash_one(target);
        let asker = Asker { ident: (RandomState::new().hash_one(key) & 0xffff) as u16, key };
        Ok(Echo { socket, version, is_raw, asker })
    }

    /// Sends the request with this number as an IP packet of `size` bytes including headers. The size is limited to the
    /// range from [`SMALLEST`](super::SMALLEST) to [`LARGEST`](super::LARGEST). Returns the time just before the kernel
    /// got it.
    ///
    /// # Errors
    /// Returns an error if the kernel refuses it: a lost route, a full queue, a firewall. The socket can still be used.
    pub fn send(&self, number: u64, size: usize) -> Result<Instant, ProbeError> {
        let bytes = request(self.version, self.asker, number, size);
        let mut at = Instant::now();
        let mut sent = rustix::net::send(&self.socket, &bytes, SendFlags::empty());
        // the error may concern an earlier packet, and the kernel then forgets it; only a second try shows if this
        // packet goes
        if sent.is_err() {
            at = Instant::now();
            sent = rustix::net::send(&self.socket, &bytes, SendFlags::empty());
        }
        sent.map(|_| at).map_err(ProbeError::kernel)
    }

    /// Returns the next answer, or `None` if there is none for now.
    #[must_use]
    pub fn receive(&self) -> Option<Answer> {
        // room for the longest packet and IPv4's longest header
        let mut bytes = [0; super::LARGEST + 60];
        let mut errors = 0;
        while errors < MOST_ERRORS {
            match rustix::net::recv(&self.socket, bytes.as_mut_slice(), RecvFlags::DONTWAIT) {
                Ok((length, _)) => {
                    let at = Instant::now();
                    let with_header = self.is_raw && self.version == Version::V4;
                    let bytes = bytes.get(..length).unwrap_or_default();
                    if let Some(number) = answered(self.version, self.asker, bytes, with_header) {
                        return Some(Answer { number, at });
                    }
                }
                Err(Errno::AGAIN) => return None,
                // an ICMP error for an undelivered request is reported once: that request has no answer
                Err(_) => errors += 1,
            }
        }
        None
    }
}

/// Lets `poll` wait for answers on several sockets at once.
impl AsFd for Echo {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Opens a ping socket, or a raw socket if there are none. The flag is true for a raw socket.
fn socket(version: Version) -> Result<(OwnedFd, bool), Errno> {
    let (family, protocol) = match version {
        Version::V4 => (AddressFamily::INET, ipproto::ICMP),
        Version::V6 => (AddressFamily::INET6, ipproto::ICMPV6),
    };
    let open = |kind| {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        rustix::net::socket_with(family, kind, flags, Some(protocol))
    };
    match open(SocketType::DGRAM) {
        Ok(socket) => Ok((socket, false)),
        // kernels without ping sockets do not know this combination of type and protocol
        Err(_) => Ok((open(SocketType::RAW)?, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Echo, sockopt};
    use qosc_compiler::units::Dscp;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

    /// The DSCP is in the upper six bits of the header's byte. The lower two are 0: no ECN.
    #[test]
    fn the_dscp_is_set_in_the_ip_header() {
        if !crate::tools::found(&["echo-requests"]) {
            return;
        }
        let open = |target: IpAddr| {
            Echo::open(SocketAddr::new(target, 7), None, Dscp::new(46).unwrap())
                .expect("root may, and others where ping sockets are allowed")
        };
        let v4 = open(Ipv4Addr::LOCALHOST.into());
        assert_eq!(sockopt::ip_tos(&v4).unwrap(), 0xb8);
        let v6 = open(Ipv6Addr::LOCALHOST.into());
        assert_eq!(sockopt::ipv6_tclass(&v6).unwrap(), 0xb8);
    }
}
