//! ICMP echo requests.

use super::actor::{Actor, begin, end, nanoseconds};
use super::hub::Hub;
use super::sockets::within;
use crate::lab::protocol::{Flow, Record, Sample};
use crate::probe::Echo;
use qosc_compiler::units::Dscp;
use rustix::event::epoll::EventFlags;
use std::io;
use std::net::SocketAddr;

/// Bytes of each packet.
const SIZE: usize = 64;

pub(super) struct Ping {
    echo: Echo,
    gap: u64,
    next: u64,
    to: u64,
    samples: Vec<Sample>,
}

/// Returns a gap between 0.5 and 1.5 times the given one. Probes in step with the packets of a load would always see
/// the same moment of it. The same number always gives the same gap. After Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators" (2014).
pub(super) fn uneven(gap: u64, number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    gap / 2 + (bits ^ (bits >> 31)) % gap.max(1)
}

impl Ping {
    pub(super) fn new(flow: &Flow, gap: u64, hub: &Hub) -> io::Result<Self> {
        let dscp = Dscp::new(flow.dscp.0).unwrap_or_default();
        let target = SocketAddr::new(flow.net.address, 0);
        let echo = within(&flow.house.space, || {
            Echo::open(target, Some(flow.house.address), dscp).map_err(io::Error::other)
        })?;
        hub.watch(&echo, 0, EventFlags::IN)?;
        Ok(Ping {
            echo,
            gap: gap.saturating_mul(1000),
            next: nanoseconds(flow.from),
            to: nanoseconds(flow.to),
            samples: Vec::new(),
        })
    }
}

impl Actor for Ping {
    fn due(&mut self, now: u64, _: &Hub) -> io::Result<Option<u64>> {
        if now >= self.to {
            return Ok(None);
        }
        if now >= self.next {
            let number = u64::try_from(self.samples.len()).unwrap_or(u64::MAX);
            begin(&mut self.samples, now);
            // a packet that the kernel refuses counts as lost, like one that the line drops
            let _lost = self.echo.send(number, SIZE);
            self.next = (self.next + uneven(self.gap, number)).max(now);
        }
        Ok(Some(self.next))
    }

    fn ready(&mut self, _: u32, now: u64, _: &Hub) -> io::Result<()> {
        while let Some(answer) = self.echo.receive() {
            end(&mut self.samples, answer.number, now);
        }
        Ok(())
    }

    fn record(&self) -> Record {
        Record { samples: self.samples.clone(), ..Record::default() }
    }
}
