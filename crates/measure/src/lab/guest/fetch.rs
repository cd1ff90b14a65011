//! Fetches like those of a browser, one after the other: connect, request, read the whole answer.

use super::actor::{Actor, begin, end, nanoseconds};
use super::hub::Hub;
use super::sockets::{accepted, connecting, is_later, listener};
use crate::lab::protocol::{Flow, Record, Sample};
use rustix::event::epoll::EventFlags;
use std::collections::BTreeMap;
use std::io::{self, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};

const LISTENER: u32 = 0;
/// Number of the house's endpoint; those of the internet follow.
const HOUSE: u32 = 1;
/// Bytes of a request.
const REQUEST: usize = 300;

/// A connection on which the internet's endpoint answers.
struct Answer {
    stream: TcpStream,
    asked: usize,
    left: u64,
}

pub(super) struct Fetch {
    flow: Flow,
    bytes: u64,
    gap: u64,
    listener: TcpListener,
    house: Option<TcpStream>,
    asked: bool,
    got: u64,
    next: u64,
    answers: BTreeMap<u32, Answer>,
    number: u32,
    samples: Vec<Sample>,
    room: Vec<u8>,
}

impl Fetch {
    pub(super) fn new(flow: &Flow, bytes: u64, gap: u64, hub: &Hub) -> io::Result<Self> {
        let listener = listener(&flow.net, flow.dscp.1)?;
        hub.watch(&listener, LISTENER, EventFlags::IN)?;
        Ok(Fetch {
            next: nanoseconds(flow.from),
            flow: flow.clone(),
            bytes,
            gap: gap.saturating_mul(1000),
            listener,
            house: None,
            asked: false,
            got: 0,
            answers: BTreeMap::new(),
            number: HOUSE,
            samples: Vec::new(),
            room: vec![0; 1 << 16],
        })
    }

    /// Serves the house's endpoint, which sends the request and then reads.
    fn house(&mut self, now: u64) -> io::Result<()> {
        let Some(stream) = &mut self.house else { return Ok(()) };
        if !self.asked {
            match stream.write(self.room.get(..REQUEST).unwrap_or_default()) {
                Ok(_) => self.asked = true,
                Err(e) if is_later(&e) || e.kind() == io::ErrorKind::NotConnected => {}
                Err(_) => {
                    self.house = None;
                    self.next = now + self.gap;
                }
            }
            return Ok(());
        }
        match stream.read(&mut self.room) {
            Ok(length) if length > 0 => self.got += u64::try_from(length).unwrap_or_default(),
            Err(e) if is_later(&e) => return Ok(()),
            _ => self.house = None,
        }
        let last = (self.samples.len() as u64).saturating_sub(1);
        if self.got >= self.bytes && end(&mut self.samples, last, now) {
            self.house = None;
        }
        if self.house.is_none() {
            self.next = now + self.gap;
        }
        Ok(())
    }

    /// Serves an endpoint in the internet: it reads the request and then writes as much of the answer as it can now.
    fn answer(&mut self, number: u32) {
        let Some(answer) = self.answers.get_mut(&number) else { return };
        loop {
            let most = usize::try_from(answer.left).unwrap_or(usize::MAX).min(self.room.len());
            let asks = answer.asked < REQUEST;
            if !asks && most == 0 {
                // the kernel has taken over the whole answer; the house closes when it has read all of it
                return;
            }
            let done = if asks {
                answer.stream.read(&mut self.room)
            } else {
                answer.stream.write(self.room.get(..most).unwrap_or_default())
            };
            match done {
                Ok(length) if length > 0 && asks => answer.asked += length,
                Ok(length) if length > 0 => {
                    answer.left = answer.left.saturating_sub(u64::try_from(length).unwrap_or_default());
                }
                Err(e) if is_later(&e) => return,
                _ => {
                    self.answers.remove(&number);
                    return;
                }
            }
        }
    }
}

impl Actor for Fetch {
    fn due(&mut self, now: u64, hub: &Hub) -> io::Result<Option<u64>> {
        if now >= nanoseconds(self.flow.to) {
            if let Some(sample) = self.samples.last_mut().filter(|sample| sample.took.is_none()) {
                sample.open.get_or_insert((now / 1000).saturating_sub(sample.at));
            }
            self.house = None;
            self.answers.clear();
            return Ok(None);
        }
        let to = nanoseconds(self.flow.to);
        if self.house.is_some() {
            return Ok(Some(to));
        }
        if now < self.next {
            return Ok(Some(self.next.min(to)));
        }
        // the other endpoint has closed, so the earlier answers are done
        self.answers.clear();
        let stream = connecting(&self.flow.house, &self.flow.net, self.flow.dscp.0)?;
        hub.watch(&stream, HOUSE, EventFlags::IN | EventFlags::OUT | EventFlags::ET)?;
        self.house = Some(stream);
        (self.asked, self.got) = (false, 0);
        begin(&mut self.samples, now);
        Ok(Some(to))
    }

    fn ready(&mut self, number: u32, now: u64, hub: &Hub) -> io::Result<()> {
        match number {
            LISTENER => {
                if let Some(stream) = accepted(&self.listener)? {
                    self.number += 1;
                    hub.watch(&stream, self.number, EventFlags::IN | EventFlags::OUT | EventFlags::ET)?;
                    self.answers.insert(self.number, Answer { stream, asked: 0, left: self.bytes });
                }
            }
            HOUSE => {
                // each change is reported only once, so go on until nothing changes
                let mut before = None;
                while self.house.is_some() && before != Some((self.asked, self.got)) {
                    before = Some((self.asked, self.got));
                    self.house(now)?;
                }
            }
            _ => self.answer(number),
        }
        Ok(())
    }

    fn record(&self) -> Record {
        Record { samples: self.samples.clone(), ..Record::default() }
    }
}
