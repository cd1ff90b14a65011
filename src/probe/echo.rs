//! A socket for echo requests to one target with one code point.

use super::error::ProbeError;
use super::packet::{Asker, Version, answered, request};
use crate::units::Dscp;
use rustix::io::Errno;
use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, ipproto, sockopt};
use std::hash::{BuildHasher as _, RandomState};
use std::net::{IpAddr, SocketAddr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Instant;

/// After so many errors of a socket in a row it is left alone until there is something again.
const MOST_TOLD: usize = 8;

/// A socket that sends echo requests to one target, all with the same DSCP, and never waits.
///
/// Where the kernel allows it to the user (`net.ipv4.ping_group_range`) it is a ping socket, which needs no privilege, and else a raw one.
#[derive(Debug)]
pub struct Echo {
    socket: OwnedFd,
    version: Version,
    /// Whether the kernel hands over every ICMP packet from the target, and of IPv4 its header, too.
    is_raw: bool,
    asker: Asker,
}

/// An answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The number of the request. The same may come twice, in any order, and as late as it likes.
    pub number: u64,
    /// When it was taken from the socket.
    pub at: Instant,
}

impl Echo {
    /// A socket for `target`, whose port is ignored and whose scope is not: `fe80::1%eth0` is one. `source` is the address to send from,
    /// where it is not the one that the route gives.
    ///
    /// # Errors
    /// When this user may not, or there is no route, or `source` is none of this machine's.
    pub fn open(target: SocketAddr, source: Option<IpAddr>, dscp: Dscp) -> Result<Echo, ProbeError> {
        let to = target.ip();
        if let Some(source) = source.filter(|source| source.is_ipv4() != to.is_ipv4()) {
            return Err(ProbeError::Versions { source, target: to });
        }
        let version = if to.is_ipv4() { Version::V4 } else { Version::V6 };
        let (socket, is_raw) = socket(version).map_err(|errno| match errno {
            Errno::ACCESS | Errno::PERM => ProbeError::NotAllowed,
            Errno::AFNOSUPPORT => ProbeError::NoWay { target: to, errno },
            errno => ProbeError::Kernel(errno),
        })?;
        // the two lower bits of the byte are for ECN
        let byte = dscp.bits() << 2;
        match version {
            Version::V4 => sockopt::set_ip_tos(&socket, byte),
            Version::V6 => sockopt::set_ipv6_tclass(&socket, byte.into()),
        }
        .map_err(ProbeError::Kernel)?;
        if let Some(source) = source {
            let address = SocketAddr::new(source, 0);
            rustix::net::bind(&socket, &address).map_err(|errno| ProbeError::Source { source, errno })?;
        }
        let mut address = target;
        address.set_port(0);
        rustix::net::connect(&socket, &address).map_err(|errno| ProbeError::NoWay { target: to, errno })?;
        // std seeds these anew for each, and nothing here has to be secret
        let key = RandomState::new().hash_one(target);
        let asker = Asker { ident: (RandomState::new().hash_one(key) & 0xffff) as u16, key };
        Ok(Echo { socket, version, is_raw, asker })
    }

    /// Sends the request of this number as an IP packet of `size` bytes, headers included, which is brought within
    /// [`SMALLEST`](super::SMALLEST) and [`LARGEST`](super::LARGEST); gives the moment before it was handed to the kernel.
    ///
    /// # Errors
    /// When the kernel does not take it: no route any more, a full queue, a firewall. The socket can go on.
    pub fn send(&self, number: u64, size: usize) -> Result<Instant, ProbeError> {
        let bytes = request(self.version, self.asker, number, size);
        let mut at = Instant::now();
        let mut sent = rustix::net::send(&self.socket, &bytes, SendFlags::empty());
        // what is told here may be about an earlier packet, and is then forgotten; that this one went is known only by asking again
        if sent.is_err() {
            at = Instant::now();
            sent = rustix::net::send(&self.socket, &bytes, SendFlags::empty());
        }
        sent.map(|_| at).map_err(ProbeError::Kernel)
    }

    /// The next answer that came, `None` when there is none for now.
    #[must_use]
    pub fn receive(&self) -> Option<Answer> {
        // the longest packet that is asked for, and IPv4's longest header
        let mut bytes = [0; super::LARGEST + 60];
        let mut told = 0;
        while told < MOST_TOLD {
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
                // somebody on the way says that a request could not be delivered, which is told once: it has no answer
                Err(_) => told += 1,
            }
        }
        None
    }

    /// Whether this is a raw socket, which takes privilege, and not a ping socket.
    #[must_use]
    pub fn is_raw(&self) -> bool {
        self.is_raw
    }
}

/// To wait for answers with `poll`, several sockets at once.
impl AsFd for Echo {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// A ping socket, or a raw one, which the second of the two says.
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
        // kernels without ping sockets know no such protocol
        Err(_) => Ok((open(SocketType::RAW)?, true)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Echo, sockopt};
    use crate::units::Dscp;
    use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

    /// The DSCP is the upper six bits of the byte in the header; the lower two are ECN's, and say that it is not used.
    #[test]
    fn the_dscp_is_in_the_header() {
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
