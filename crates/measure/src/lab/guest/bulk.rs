//! Bulk TCP flow, which uses all the bandwidth that it gets.

use super::actor::{Actor, count, nanoseconds, steps};
use super::hub::Hub;
use super::sockets::{accepted, at, connecting, is_later, listener, open};
use crate::lab::protocol::{Flow, Record};
use rustix::event::epoll::EventFlags;
use rustix::net::{RecvFlags, SocketType, connect, recv};
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::fd::OwnedFd;

const LISTENER: u32 = 0;
const HOUSE: u32 = 1;
const NET: u32 = 2;
const ARRIVALS: u32 = 3;

pub(super) struct Bulk {
    flow: Flow,
    up: bool,
    listener: TcpListener,
    house: Option<TcpStream>,
    net: Option<TcpStream>,
    /// Copies of the packets to the receiver, which are counted. The receiver's own socket holds back all data behind a
    /// lost packet and releases it later at once. Counted there, the rate can exceed the line's.
    arrivals: OwnedFd,
    began: bool,
    bytes: Vec<u64>,
    room: Vec<u8>,
}

impl Bulk {
    pub(super) fn new(flow: &Flow, up: bool, length: u64, hub: &Hub) -> io::Result<Self> {
        let listener = listener(&flow.net, flow.dscp.1)?;
        hub.watch(&listener, LISTENER, EventFlags::IN)?;
        let arrivals = open(if up { &flow.net } else { &flow.house }, SocketType::RAW, 0)?;
        // NAT changes the source of an upload, but each has a target of its own
        if !up {
            connect(&arrivals, &at(&flow.net))?;
        }
        hub.watch(&arrivals, ARRIVALS, EventFlags::IN)?;
        let (house, net, room) = (None, None, vec![0; 1 << 16]);
        let (flow, bytes) = (flow.clone(), steps(length));
        Ok(Bulk { flow, up, listener, house, net, arrivals, began: false, bytes, room })
    }

    /// Returns the bytes of data in the next packet to the receiver, or `None` if it does not belong to the running flow.
    fn arrived(&self) -> Option<usize> {
        let mut packet = [0; 128];
        let (_, length) = recv(&self.arrivals, packet.as_mut_slice(), RecvFlags::TRUNC).ok()?;
        // only packets of IPv4 come with their IP header
        let ip = if self.flow.net.address.is_ipv4() { usize::from(packet[0] & 15) * 4 } else { 0 };
        let port = packet.get(ip + usize::from(self.up) * 2..)?;
        let own = self.house.is_some() && port.starts_with(&self.flow.net.port.to_be_bytes());
        let headers = ip + usize::from(*packet.get(ip + 12)? >> 4) * 4;
        own.then(|| length.saturating_sub(headers))
    }

    /// Returns the event that this endpoint waits for: one endpoint sends, the other receives.
    fn interest(&self, house: bool) -> EventFlags {
        if house == self.up { EventFlags::OUT } else { EventFlags::IN }
    }
}

impl Actor for Bulk {
    fn due(&mut self, now: u64, hub: &Hub) -> io::Result<Option<u64>> {
        let (from, to) = (nanoseconds(self.flow.from), nanoseconds(self.flow.to));
        if now >= to {
            (self.house, self.net) = (None, None);
            return Ok(None);
        }
        if now < from {
            return Ok(Some(from));
        }
        if !self.began {
            self.began = true;
            let house = connecting(&self.flow.house, &self.flow.net, self.flow.dscp.0)?;
            hub.watch(&house, HOUSE, self.interest(true))?;
            self.house = Some(house);
        }
        Ok(Some(to))
    }

    fn ready(&mut self, number: u32, now: u64, hub: &Hub) -> io::Result<()> {
        if number == LISTENER {
            if let Some(net) = accepted(&self.listener)? {
                hub.watch(&net, NET, self.interest(false))?;
                self.net = Some(net);
            }
            return Ok(());
        }
        if number == ARRIVALS {
            let length = self.arrived().unwrap_or_default();
            count(&mut self.bytes, now, length);
            return Ok(());
        }
        let house = number == HOUSE;
        let end = if house { &mut self.house } else { &mut self.net };
        let Some(stream) = end else { return Ok(()) };
        let sends = house == self.up;
        let done = if sends { stream.write(&self.room) } else { stream.read(&mut self.room) };
        match done {
            Ok(length) if length > 0 => {}
            Err(e) if is_later(&e) || e.kind() == io::ErrorKind::NotConnected => {}
            // the other endpoint is gone: the flow is over
            Ok(_) | Err(_) => *end = None,
        }
        Ok(())
    }

    fn record(&self) -> Record {
        Record { bytes: self.bytes.clone(), ..Record::default() }
    }
}
