//! Tests of our scripts on a real Linux kernel. In virtual time, the kernel is one process; see
//! `scripts/virtual-kernel`. In real time, it is Debian's `user-mode-linux`, see `uml.rs`, or Debian's own kernel in
//! qemu, see `debian.rs`. An older, a newer and the newest kernel come with their own tc and ip; see `generations.rs`.
//!
//! `QOSC_KERNEL` decides what happens if those kernels are missing. With `require`, the tests fail. With `skip`, no
//! kernel is started at all. By default, the tests pass and print a note to standard error. They do so even with
//! `require` if only the newest kernel is missing, and `scripts/other-kernels` has kept the reason.
//!
//! `QOSC_KEEP=1` keeps the files that each case wrote. `QOSC_PPPD` names a copy of pppd for users who may not read the
//! system's. `QOSC_SEED` and `QOSC_STEPS` choose another random walk; see `random_walk.rs`. `QOSC_SHARE` takes a tenth of
//! the long walks; see `share.rs`.
//!
//! Any shell script can run in these kernels as root. It can read the host's files and source the lab:
//!
//! ```sh
//! QOSC_SCRIPT=/home/me/try.sh QOSC_MACHINE=virtual cargo test --locked --test kernel by_hand -- --ignored --nocapture
//! ```
//!
//! The machine is `virtual`, `uml`, `older`, `newer`, `newest` or `debian`. `QOSC_PROCESSORS=2` gives Debian's kernel
//! two processors. `QOSC_MEMORY=1024` gives any kernel that many megabytes. `QOSC_KEEP=1` keeps the files that the
//! script writes below `$WORK`.

#[cfg(test)]
mod acks;
#[cfg(test)]
mod ansible;
#[cfg(test)]
mod by_hand;
#[cfg(test)]
mod bytes;
#[cfg(test)]
mod bytes_police;
#[cfg(test)]
mod classify;
#[cfg(test)]
mod competing_scripts;
#[cfg(test)]
mod converge;
#[cfg(test)]
mod counters;
#[cfg(test)]
mod debian;
#[cfg(test)]
mod deploy;
#[cfg(test)]
mod device_headers;
#[cfg(test)]
mod download_burst;
#[cfg(test)]
mod drift;
#[cfg(test)]
mod dscp;
#[cfg(test)]
mod explain_packet;
#[cfg(test)]
#[path = "../common/exposition.rs"]
mod exposition;
#[cfg(test)]
mod fairness;
#[cfg(test)]
mod faults;
#[cfg(test)]
mod fit;
#[cfg(test)]
mod flowtable;
#[cfg(test)]
mod foreign_marks;
#[cfg(test)]
mod foreign_qdiscs;
#[cfg(test)]
mod full_disk;
#[cfg(test)]
mod generations;
#[cfg(test)]
mod guide;
#[cfg(test)]
mod half_bank;
#[cfg(test)]
mod hash_tables;
#[cfg(test)]
mod host_classes;
#[cfg(test)]
mod house;
#[cfg(test)]
mod identity;
#[cfg(test)]
mod ignored_mpu;
#[cfg(test)]
mod inside_tunnels;
#[cfg(test)]
mod install;
#[cfg(test)]
mod kills;
#[cfg(test)]
mod lab;
#[cfg(test)]
mod life_cycle;
#[cfg(test)]
mod limits;
#[cfg(test)]
mod load;
#[cfg(test)]
mod mark_bits;
#[cfg(test)]
mod metrics;
#[cfg(test)]
mod no_ethtool;
#[cfg(test)]
mod offloads;
#[cfg(test)]
mod openwrt;
#[cfg(test)]
mod packet;
#[cfg(test)]
mod packet_rates;
#[cfg(test)]
mod pin;
#[cfg(test)]
mod plain;
#[cfg(test)]
mod police;
#[cfg(test)]
mod police_cost;
#[cfg(test)]
mod process_count;
mod processes;
#[cfg(test)]
#[path = "../common/processors.rs"]
mod processors;
#[cfg(test)]
mod queue_limits;
#[cfg(test)]
mod random;
#[cfg(test)]
mod random_walk;
#[cfg(test)]
mod rate;
#[cfg(test)]
mod reconnect;
#[cfg(test)]
mod removed_class;
#[cfg(test)]
mod report;
#[cfg(test)]
#[expect(dead_code, reason = "tests/file/limits.rs uses the rest")]
#[path = "../common/samples.rs"]
mod samples;
#[cfg(test)]
mod scale;
#[cfg(test)]
mod share;
#[cfg(test)]
mod signals;
#[cfg(test)]
mod streams;
#[cfg(test)]
mod tcp_flags;
#[cfg(test)]
mod tins;
#[cfg(test)]
mod traps;
#[cfg(test)]
mod trial;
#[cfg(test)]
mod tunnel_flows;
#[cfg(test)]
mod two_links;
#[cfg(test)]
mod uml;
#[cfg(test)]
mod unexpected_states;
#[cfg(test)]
mod watch;
#[cfg(test)]
mod wireguard;
