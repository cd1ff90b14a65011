//! Stream of numbered UDP packets in one direction.

use super::actor::{Actor, begin, count, end, nanoseconds, steps};
use super::hub::Hub;
use super::ping::uneven;
use super::sockets::{at, is_later, udp};
use crate::lab::protocol::{Flow, Record, Sample};
use rustix::event::epoll::EventFlags;
use std::io;
use std::net::{SocketAddr, UdpSocket};

/// Intervals in nanoseconds at which the house announces its address: until the internet's endpoint has heard it, and
/// then until the stream begins. A router with NAT would forget the address after half a minute.
const GREET: (u64, u64) = (50_000_000, 5_000_000_000);
/// Largest number of packets that a late sender sends at once.
const AT_ONCE: u32 = 16;

const HOUSE: u32 = 0;
const NET: u32 = 1;

#[derive(Clone, Copy)]
pub(super) struct Shape {
    pub(super) up: bool,
    pub(super) gap: u64,
    pub(super) size: usize,
    pub(super) each: bool,
}

pub(super) struct Stream {
    house: UdpSocket,
    net: UdpSocket,
    target: SocketAddr,
    /// House's address as the internet sees it, once a packet has arrived.
    seen: Option<SocketAddr>,
    shape: Shape,
    from: u64,
    to: u64,
    next: u64,
    packet: Vec<u8>,
    sent: u64,
    samples: Vec<Sample>,
    bytes: Vec<u64>,
}

impl Stream {
    pub(super) fn new(flow: &Flow, shape: Shape, length: u64, hub: &Hub) -> io::Result<Self> {
        let house = udp(&flow.house, flow.dscp.0)?;
        let net = udp(&flow.net, flow.dscp.1)?;
        hub.watch(&house, HOUSE, EventFlags::IN)?;
        hub.watch(&net, NET, EventFlags::IN)?;
        let from = nanoseconds(flow.from);
        Ok(Stream {
            house,
            net,
            target: at(&flow.net),
            seen: None,
            shape,
            from,
            to: nanoseconds(flow.to),
            next: from,
            packet: vec![0; shape.size.saturating_sub(flow.net.headers().into()).max(8)],
            sent: 0,
            samples: Vec::new(),
            bytes: steps(length),
        })
    }

    /// Sends one packet. Returns `false` if the socket's buffer is full or the target is unknown.
    fn send(&mut self, now: u64) -> io::Result<bool> {
        if let Some(head) = self.packet.get_mut(..8) {
            head.copy_from_slice(&self.sent.to_be_bytes());
        }
        let sent = match (self.shape.up, self.seen) {
            (true, _) => self.house.send_to(&self.packet, self.target),
            (false, Some(seen)) => self.net.send_to(&self.packet, seen),
            (false, None) => return Ok(false),
        };
        match sent {
            Ok(_) => {}
            Err(e) if is_later(&e) => return Ok(false),
            Err(e) => return Err(e),
        }
        self.sent += 1;
        if self.shape.each {
            begin(&mut self.samples, now);
        }
        Ok(true)
    }

    fn arrived(&mut self, packet: &[u8], now: u64) {
        count(&mut self.bytes, now, packet.len());
        if let Some(head) = packet.first_chunk::<8>() {
            end(&mut self.samples, u64::from_be_bytes(*head), now);
        }
    }
}

impl Actor for Stream {
    fn due(&mut self, now: u64, _: &Hub) -> io::Result<Option<u64>> {
        if !self.shape.up && (self.seen.is_none() || now < self.from) {
            // a lost announcement is repeated
            match self.house.send_to(&[0], self.target) {
                Err(e) if !is_later(&e) => return Err(e),
                _ if self.seen.is_none() => return Ok(Some(now + GREET.0)),
                _ => return Ok(Some((now + GREET.1).min(self.from))),
            }
        }
        if now >= self.to {
            return Ok(None);
        }
        let mut left = AT_ONCE;
        while self.next <= now && left > 0 {
            self.send(now)?;
            let gap = self.shape.gap;
            self.next += if self.shape.each { uneven(gap, self.sent) } else { gap };
            left -= 1;
            // a probe never catches up, because that would be a load of its own
            if self.shape.each && self.next <= now {
                self.next = now + self.shape.gap;
            }
        }
        if self.next <= now {
            self.next = now + self.shape.gap;
        }
        Ok(Some(self.next.max(self.from)))
    }

    fn ready(&mut self, number: u32, now: u64, _: &Hub) -> io::Result<()> {
        let mut room = [0; 2048];
        loop {
            let socket = if number == HOUSE { &self.house } else { &self.net };
            let (length, who) = match socket.recv_from(&mut room) {
                Ok(got) => got,
                Err(e) if is_later(&e) => return Ok(()),
                // an ICMP error for an earlier packet
                Err(e) if e.kind() == io::ErrorKind::ConnectionRefused => continue,
                Err(e) => return Err(e),
            };
            let packet = room.get(..length).unwrap_or_default();
            if (number == NET) == self.shape.up {
                self.arrived(packet, now);
            } else if number == NET && length == 1 {
                self.seen = Some(who);
            }
        }
    }

    fn record(&self) -> Record {
        let (samples, bytes) = (self.samples.clone(), self.bytes.clone());
        Record { samples, bytes, sent: self.sent, ..Record::default() }
    }
}
