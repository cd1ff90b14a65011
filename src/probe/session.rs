//! Several sockets side by side: who is asked when, and what became of it.

use super::echo::Echo;
use super::error::ProbeError;
use rustix::event::{PollFd, PollFlags, Timespec};
use std::time::{Duration, Instant};

/// Answers are waited for at the end: twice as long as the slowest took, but not less and not more than this.
const GRACE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));

/// One request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// When it was sent, since the session began.
    pub sent: Duration,
    /// How long the first answer to it took; `None` while there is none.
    pub round_trip: Option<Duration>,
}

/// A socket and what became of its requests; the number of a request is its place among the samples.
#[derive(Debug)]
pub struct Asked {
    echo: Echo,
    next: Instant,
    /// The requests, in the order in which they were sent.
    pub samples: Vec<Sample>,
    /// How many answers came a second time.
    pub doubles: u64,
    /// How many requests the kernel did not take, which count as lost, and why the last of them.
    pub refused: Option<(u64, ProbeError)>,
}

/// Requests at a steady pace by several sockets, each in its own part of the interval, so that none waits behind another.
#[derive(Debug)]
pub struct Session {
    start: Instant,
    interval: Duration,
    size: usize,
    count: Option<u64>,
    asked: Vec<Asked>,
    stopped: bool,
    slowest: Duration,
}

impl Session {
    /// Begins now: by each socket, every `interval`, a request of `size` bytes of IP; `count` of them, or until [`stop`](Self::stop).
    #[must_use]
    pub fn new(echoes: Vec<Echo>, interval: Duration, size: usize, count: Option<u64>) -> Session {
        let start = Instant::now();
        let part = interval / u32::try_from(echoes.len().max(1)).unwrap_or(u32::MAX);
        let asked = (0..).zip(echoes).map(|(at, echo)| Asked {
            echo,
            next: start + part * at,
            samples: Vec::new(),
            doubles: 0,
            refused: None,
        });
        Session {
            start,
            interval,
            size,
            count,
            asked: asked.collect(),
            stopped: false,
            slowest: Duration::ZERO,
        }
    }

    /// Sends what is due, and takes what comes, until `end` at the latest or until something was due or came.
    ///
    /// # Errors
    /// When the kernel cannot wait for sockets.
    pub fn step(&mut self, end: Instant) -> Result<(), ProbeError> {
        self.receive();
        self.send();
        let due = self.due().map_or(end, |due| due.min(end));
        let wait = due.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        let mut sockets: Vec<PollFd<'_>> =
            self.asked.iter().map(|asked| PollFd::new(&asked.echo, PollFlags::IN)).collect();
        match rustix::event::poll(&mut sockets, Some(&timeout)) {
            // a signal: who waits for one looks now
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(ProbeError::Kernel(errno)),
        }
        self.receive();
        Ok(())
    }

    fn receive(&mut self) {
        for asked in &mut self.asked {
            while let Some(answer) = asked.echo.receive() {
                let number = usize::try_from(answer.number).unwrap_or(usize::MAX);
                let Some(sample) = asked.samples.get_mut(number) else { continue };
                if sample.round_trip.is_some() {
                    asked.doubles += 1;
                    continue;
                }
                let took = answer.at.saturating_duration_since(self.start + sample.sent);
                sample.round_trip = Some(took);
                self.slowest = self.slowest.max(took);
            }
        }
    }

    fn send(&mut self) {
        for asked in &mut self.asked {
            let now = Instant::now();
            if self.stopped || asked.next > now || asked.has(self.count) {
                continue;
            }
            asked.next += self.interval;
            if asked.next < now {
                // this machine slept: what was missed is not made up for by a burst
                asked.next = now + self.interval;
            }
            let number = asked.samples.len() as u64;
            let at = match asked.echo.send(number, self.size) {
                Ok(at) => at,
                Err(error) => {
                    let times = asked.refused.map_or(0, |(times, _)| times) + 1;
                    asked.refused = Some((times, error));
                    now
                }
            };
            let sent = at.saturating_duration_since(self.start);
            asked.samples.push(Sample { sent, round_trip: None });
        }
    }

    /// When the next request is due.
    fn due(&self) -> Option<Instant> {
        let asks = |asked: &&Asked| !self.stopped && !asked.has(self.count);
        self.asked.iter().filter(asks).map(|asked| asked.next).min()
    }

    /// How long an answer is waited for.
    fn grace(&self) -> Duration {
        (self.slowest * 2).clamp(GRACE.0, GRACE.1)
    }

    /// Whether all was sent that is to be sent.
    #[must_use]
    pub fn has_sent(&self) -> bool {
        self.due().is_none()
    }

    /// Whether all was sent, and each was answered or has had its time.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.has_sent() && {
            let limit = self.elapsed().saturating_sub(self.grace());
            self.asked.iter().all(|asked| asked.waits_since(limit).next().is_none())
        }
    }

    /// Sends no more.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Forgets those at the end that may still be answered: they are not lost, they are on the way.
    pub fn forget_open(&mut self) {
        let limit = self.elapsed().saturating_sub(self.grace());
        for asked in &mut self.asked {
            let open = |sample: &Sample| sample.round_trip.is_none() && sample.sent >= limit;
            asked.samples.retain(|sample| !open(sample));
        }
    }

    /// How long it lasts so far.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// What became of the requests, in the order of the sockets.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }
}

impl Asked {
    fn has(&self, count: Option<u64>) -> bool {
        count.is_some_and(|count| self.samples.len() as u64 >= count)
    }

    /// Requests since then that have no answer, the last first.
    fn waits_since(&self, limit: Duration) -> impl Iterator<Item = &Sample> {
        let since = self.samples.iter().rev().take_while(move |sample| sample.sent >= limit);
        since.filter(|sample| sample.round_trip.is_none())
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
