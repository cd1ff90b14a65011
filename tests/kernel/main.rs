//! What a real Linux kernel does with our scripts. It runs as one process, in virtual time, see `scripts/virtual-kernel`; in real
//! time it is Debian's `user-mode-linux`, see `uml.rs`, or Debian's own kernel in qemu, see `debian.rs`.
//!
//! `QOSC_KERNEL` says what happens where those kernels are not there: `require` fails, and `skip` does not even look.
//! By default the tests then pass with a word on standard error. `QOSC_KEEP=1` keeps what every case wrote. `QOSC_PPPD` names
//! a copy of pppd for those who may not read the system's. `QOSC_SEED` and `QOSC_STEPS` walk another way; see `walk.rs`.
//! `QOSC_SHARE` takes a tenth of the long walks; see `share.rs`.
//!
//! Any shell script can be run in these kernels, as root, with the host's files to read and the lab to source:
//!
//! ```sh
//! QOSC_SCRIPT=/home/me/try.sh QOSC_MACHINE=virtual cargo test --locked --test kernel by_hand -- --ignored --nocapture
//! ```
//!
//! The machine is `virtual`, `uml` or `debian`. `QOSC_PROCESSORS=2` gives Debian's kernel two, `QOSC_MEMORY=1024` either one so many megabytes; `QOSC_KEEP=1` keeps what the script writes below `$WORK`.

#[cfg(test)]
mod apart;
#[cfg(test)]
mod bits;
#[cfg(test)]
mod burst;
#[cfg(test)]
mod by_hand;
#[cfg(test)]
mod bytes;
#[cfg(test)]
mod bytes_police;
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
mod debian;
#[cfg(test)]
mod devices;
#[cfg(test)]
mod drift;
#[cfg(test)]
mod explained;
#[cfg(test)]
mod fairness;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fit;
#[cfg(test)]
mod flags;
#[cfg(test)]
mod flowtable;
#[cfg(test)]
mod foreign;
#[cfg(test)]
mod gateway;
#[cfg(test)]
mod hashed;
#[cfg(test)]
mod homes;
#[cfg(test)]
mod house;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod inside;
#[cfg(test)]
mod kernels;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod lab;
#[cfg(test)]
mod load;
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
mod pin;
#[cfg(test)]
mod police;
#[cfg(test)]
#[path = "../common/processors.rs"]
mod processors;
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
mod scale;
#[cfg(test)]
mod share;
#[cfg(test)]
mod states;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod tins;
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
#[cfg(test)]
mod wireguard;
