//! Sockets in the network namespaces of the guest.

use crate::lab::protocol::Endpoint;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, connect, listen, socket_with, sockopt};
use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};
use std::fs::File;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::os::fd::{AsFd, OwnedFd};
use std::time::Duration;

/// Buffer of UDP and raw sockets in bytes. It is large, so that packets are lost only on the line.
const ROOM: usize = 8 << 20;

/// Runs a function within a namespace. Sockets that it opens stay in that namespace.
pub(super) fn within<T>(space: &str, kind: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let home = File::open("/proc/self/ns/net")?;
    let there = File::open(format!("/run/netns/{space}"))
        .map_err(|e| io::Error::new(e.kind(), format!("the namespace {space}: {e}")))?;
    let network = Some(LinkNameSpaceType::Network);
    move_into_link_name_space(there.as_fd(), network)?;
    let done = kind();
    move_into_link_name_space(home.as_fd(), network)?;
    done
}

/// Opens a socket at an endpoint. A raw socket gets a copy of each TCP packet to the address.
pub(super) fn open(place: &Endpoint, kind: SocketType, dscp: u8) -> io::Result<OwnedFd> {
    within(&place.space, || {
        let family = if place.address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let protocol = (kind == SocketType::RAW).then_some(rustix::net::ipproto::TCP);
        let socket = socket_with(family, kind, SocketFlags::NONBLOCK | SocketFlags::CLOEXEC, protocol)?;
        sockopt::set_socket_reuseaddr(&socket, true)?;
        if kind != SocketType::STREAM {
            sockopt::set_socket_recv_buffer_size_force(&socket, ROOM)?;
        }
        match place.address {
            IpAddr::V4(_) => sockopt::set_ip_tos(&socket, dscp << 2)?,
            IpAddr::V6(_) => sockopt::set_ipv6_tclass(&socket, u32::from(dscp) << 2)?,
        }
        bind(&socket, &at(place)).map_err(|e| {
            let error = io::Error::from(e);
            io::Error::new(error.kind(), format!("{} in {}: {error}", place.address, place.space))
        })?;
        Ok(socket)
    })
}

/// Returns the address and port of an endpoint.
pub(super) fn at(place: &Endpoint) -> SocketAddr {
    SocketAddr::new(place.address, place.port)
}

/// Opens a UDP socket at an endpoint.
pub(super) fn udp(place: &Endpoint, dscp: u8) -> io::Result<UdpSocket> {
    let socket = open(place, SocketType::DGRAM, dscp)?;
    sockopt::set_socket_send_buffer_size_force(&socket, ROOM)?;
    Ok(UdpSocket::from(socket))
}

/// Opens a listening TCP socket at an endpoint.
pub(super) fn listener(place: &Endpoint, dscp: u8) -> io::Result<TcpListener> {
    let socket = open(place, SocketType::STREAM, dscp)?;
    listen(&socket, 64)?;
    Ok(TcpListener::from(socket))
}

/// Accepts a connection, if there is one.
pub(super) fn accepted(listener: &TcpListener) -> io::Result<Option<TcpStream>> {
    match listener.accept() {
        Ok((stream, _)) => {
            stream.set_nonblocking(true)?;
            abrupt(&stream)?;
            Ok(Some(stream))
        }
        Err(e) if is_later(&e) => Ok(None),
        Err(e) => Err(e),
    }
}

/// Begins a TCP connection.
pub(super) fn connecting(from: &Endpoint, to: &Endpoint, dscp: u8) -> io::Result<TcpStream> {
    let socket = open(from, SocketType::STREAM, dscp)?;
    abrupt(&socket)?;
    match connect(&socket, &at(to)) {
        Ok(()) | Err(rustix::io::Errno::INPROGRESS) => Ok(TcpStream::from(socket)),
        Err(e) => Err(e.into()),
    }
}

/// Makes the kernel discard unsent data at close, so that the next scenario finds an empty line.
fn abrupt(socket: impl AsFd) -> io::Result<()> {
    Ok(sockopt::set_socket_linger(socket, Some(Duration::ZERO))?)
}

/// True if the operation can succeed later.
pub(super) fn is_later(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
        || error.raw_os_error() == Some(rustix::io::Errno::NOBUFS.raw_os_error())
}
