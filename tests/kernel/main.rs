//! What a real Linux kernel does with our scripts. It runs as one process, Debian's `user-mode-linux`; see `uml.rs`.
//!
//! `QOSC_KERNEL` says what happens where that kernel is not installed: `require` fails, and `skip` does not even look.
//! By default the tests then pass with a word on standard error. `QOSC_KEEP=1` keeps what every case wrote. `QOSC_PPPD` names
//! a copy of pppd for those who may not read the system's. `QOSC_SEED` and `QOSC_STEPS` walk another way; see `walk.rs`.

#[cfg(test)]
mod bytes;
#[cfg(test)]
mod classify;
#[cfg(test)]
mod converge;
#[cfg(test)]
mod counters;
#[cfg(test)]
mod counts;
#[cfg(test)]
mod cycle;
#[cfg(test)]
mod devices;
#[cfg(test)]
mod drift;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod gateway;
#[cfg(test)]
mod house;
#[cfg(test)]
mod kernels;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod lab;
#[cfg(test)]
mod marks;
#[cfg(test)]
mod no_ethtool;
#[cfg(test)]
mod offloads;
#[cfg(test)]
mod others;
#[cfg(test)]
mod packet;
#[cfg(test)]
mod pairs;
#[cfg(test)]
mod police;
#[cfg(test)]
mod random;
#[cfg(test)]
mod rate;
#[cfg(test)]
mod rates;
#[cfg(test)]
mod reconnect;
#[cfg(test)]
mod removed;
#[cfg(test)]
mod report;
#[cfg(test)]
mod states;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod together;
#[cfg(test)]
mod traps;
#[cfg(test)]
mod trial;
#[cfg(test)]
mod uml;
#[cfg(test)]
mod walk;
