//! Event loop that waits for files and for exact times.

use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::fd::{AsFd, OwnedFd};
use rustix::time::{
    Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create, timerfd_settime,
};
use std::io;
use std::time::Instant;

/// Nanoseconds in a second.
pub(super) const SECOND: u64 = 1_000_000_000;

/// Event number of the clock.
const CLOCK: u64 = u64::MAX;

pub(super) struct Hub {
    poll: OwnedFd,
    clock: OwnedFd,
    /// Time for which the clock is set.
    alarm: u64,
    began: Instant,
    /// Actor that the following watches belong to.
    pub(super) actor: u32,
}

impl Hub {
    pub(super) fn new() -> io::Result<Self> {
        let poll = epoll::create(CreateFlags::CLOEXEC)?;
        // epoll itself counts in milliseconds
        let clock =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        epoll::add(&poll, &clock, EventData::new_u64(CLOCK), EventFlags::IN)?;
        Ok(Hub { poll, clock, alarm: 0, began: Instant::now(), actor: 0 })
    }

    /// Returns the time since the start of the scenario in nanoseconds.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }

    /// Reports events of this file to the current actor under this number.
    pub(super) fn watch(&self, file: impl AsFd, number: u32, flags: EventFlags) -> io::Result<()> {
        let both = u64::from(self.actor) << 32 | u64::from(number);
        Ok(epoll::add(&self.poll, file, EventData::new_u64(both), flags)?)
    }

    /// Waits until a file is ready or the time has come. Returns the actors with the numbers of their ready files.
    pub(super) fn wait(&mut self, until: u64) -> io::Result<Vec<(u32, u32)>> {
        // system calls are slow in the guest, and most packets do not change the time
        if until != self.alarm {
            self.alarm = until;
            let left = until.saturating_sub(self.now()).max(1);
            let time = Timespec {
                tv_sec: i64::try_from(left / SECOND).unwrap_or(i64::MAX),
                tv_nsec: i64::try_from(left % SECOND).unwrap_or_default(),
            };
            let never = Timespec { tv_sec: 0, tv_nsec: 0 };
            // setting the timer also clears its last expiry
            timerfd_settime(
                &self.clock,
                TimerfdTimerFlags::empty(),
                &Itimerspec { it_interval: never, it_value: time },
            )?;
        }
        let mut events: Vec<Event> = Vec::with_capacity(64);
        match epoll::wait(&self.poll, rustix::buffer::spare_capacity(&mut events), None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(e) => return Err(e.into()),
        }
        let numbers = events.iter().map(|event| event.data.u64()).filter(|number| *number != CLOCK);
        let half = |number: u64| u32::try_from(number & u64::from(u32::MAX)).unwrap_or_default();
        Ok(numbers.map(|number| (half(number >> 32), half(number))).collect())
    }
}
