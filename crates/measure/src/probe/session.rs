//! Session with several sockets: schedule and results of their requests.

use super::echo::Echo;
use super::error::ProbeError;
use rustix::event::{PollFd, PollFlags, Timespec};
use std::time::{Duration, Instant};

/// Shortest and longest time to wait for answers at the end. Within these limits it is twice the slowest round trip
/// time.
const GRACE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));

/// Result of one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sample {
    /// Time of sending since the start of the session.
    pub sent: Duration,
    /// Round trip time of the first answer; `None` as long as there is none.
    pub round_trip: Option<Duration>,
}

/// A socket and the results of its requests. The number of a request is its index in the samples.
#[derive(Debug)]
pub struct Asked {
    echo: Echo,
    next: Instant,
    /// Requests in the order of sending.
    pub samples: Vec<Sample>,
    /// Number of repeated answers.
    pub doubles: u64,
    /// Number of requests that the kernel refused, which count as lost, and the last error.
    pub refused: Option<(u64, ProbeError)>,
}

/// Requests at a steady interval on several sockets. They are spread over the interval, so that none is queued behind
/// another.
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
    /// Starts a session: each socket sends a request of `size` bytes of IP every `interval`. It sends `count` requests,
    /// or goes on until [`stop`](Self::stop).
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

    /// Sends due requests and reads answers. Returns at `end` or earlier, as soon as a request is due or an answer has
    /// come.
    ///
    /// # Errors
    /// Returns an error if the kernel cannot wait for the sockets.
    pub fn step(&mut self, end: Instant) -> Result<(), ProbeError> {
        self.receive();
        self.send();
        let due = self.due().map_or(end, |due| due.min(end));
        let wait = due.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(wait).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        let mut sockets: Vec<PollFd<'_>> =
            self.asked.iter().map(|asked| PollFd::new(&asked.echo, PollFlags::IN)).collect();
        match rustix::event::poll(&mut sockets, Some(&timeout)) {
            // a signal: the caller checks for it now
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(ProbeError::kernel(errno)),
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
                // this machine was suspended: missed requests are not sent in a burst
                asked.next = now + self.interval;
            }
            let number = asked.samples.len() as u64;
            let at = match asked.echo.send(number, self.size) {
                Ok(at) => at,
                Err(error) => {
                    let times = asked.refused.as_ref().map_or(0, |(times, _)| *times) + 1;
                    asked.refused = Some((times, error));
                    now
                }
            };
            let sent = at.saturating_duration_since(self.start);
            asked.samples.push(Sample { sent, round_trip: None });
        }
    }

    /// Returns the time of the next request.
    fn due(&self) -> Option<Instant> {
        let asks = |asked: &&Asked| !self.stopped && !asked.has(self.count);
        self.asked.iter().filter(asks).map(|asked| asked.next).min()
    }

    /// Returns the time to wait for an answer.
    fn grace(&self) -> Duration {
        (self.slowest * 2).clamp(GRACE.0, GRACE.1)
    }

    /// True if all requests were sent.
    #[must_use]
    pub fn has_sent(&self) -> bool {
        self.due().is_none()
    }

    /// True if all requests were sent, and each was answered or has timed out.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.has_sent() && {
            let limit = self.elapsed().saturating_sub(self.grace());
            self.asked.iter().all(|asked| asked.waits_since(limit).next().is_none())
        }
    }

    /// Stops sending.
    pub fn stop(&mut self) {
        self.stopped = true;
    }

    /// Removes the last requests that may still be answered. They are not lost, but still on their way.
    pub fn forget_open(&mut self) {
        let limit = self.elapsed().saturating_sub(self.grace());
        for asked in &mut self.asked {
            let open = |sample: &Sample| sample.round_trip.is_none() && sample.sent >= limit;
            asked.samples.retain(|sample| !open(sample));
        }
    }

    /// Returns the time since the start.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.start.elapsed()
    }

    /// Returns the sockets with the results of their requests.
    #[must_use]
    pub fn asked(&self) -> &[Asked] {
        &self.asked
    }
}

impl Asked {
    fn has(&self, count: Option<u64>) -> bool {
        count.is_some_and(|count| self.samples.len() as u64 >= count)
    }

    /// Returns the unanswered requests since this time, the last first.
    fn waits_since(&self, limit: Duration) -> impl Iterator<Item = &Sample> {
        let since = self.samples.iter().rev().take_while(move |sample| sample.sent >= limit);
        since.filter(|sample| sample.round_trip.is_none())
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
