//! Tests of our scripts on a real Linux kernel. In virtual time, the kernel is one process; see
//! `scripts/virtual-kernel`. In real time, it is Debian's prebuilt `user-mode-linux`, see `uml.rs`, or Debian's own
//! kernel in qemu, see `debian.rs`. An older, a newer and the newest kernel come with their own tc and ip; see
//! `generations.rs`.
//!
//! If a kernel or a program for its guest is missing, its tests say so and pass. If `QOSC_REQUIRE` lists it, they fail;
//! see `tests/common/tools.rs`. They pass even then if only the newest kernel is missing, and `scripts/other-kernels`
//! has kept the reason.
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

#![cfg(test)]

mod acks;
mod ansible;
mod behaviour;
mod by_hand;
mod bytes;
mod cake_mq;
mod changes;
mod check_words;
mod classify;
mod competing_scripts;
mod converge;
mod counters;
mod debian;
mod deploy;
mod device_headers;
mod download_burst;
mod drift;
mod dscp;
mod each;
mod environment;
mod explain_packet;
#[path = "../common/exposition.rs"]
mod exposition;
mod fairness;
mod faults;
mod filter_cost;
mod fit;
mod flowtable;
mod follow;
mod foreign_marks;
mod foreign_qdiscs;
mod full_disk;
mod generations;
mod guide;
mod half_bank;
mod hash_tables;
mod host_classes;
mod house;
mod identity;
mod ignored_mpu;
mod imported_trees;
mod inside_tunnels;
mod install;
mod journey;
mod kills;
mod lab;
mod life_cycle;
mod limits;
mod line_devices;
mod links;
mod load;
mod margins;
mod mark_bits;
mod metrics;
mod no_ethtool;
#[path = "../common/observed/mod.rs"]
mod observed;
mod offloads;
mod older_records;
mod openwrt;
mod packet;
mod packet_rates;
mod parts;
mod pin;
mod plain;
mod police;
mod police_cost;
mod prebuilt;
mod processes;
#[path = "../common/processors.rs"]
mod processors;
mod queue_limits;
mod random;
#[path = "../common/random_trees.rs"]
mod random_trees;
mod random_walk;
mod rate;
mod reconnect;
mod removed_class;
mod report;
#[expect(dead_code, reason = "tests/file/limits.rs uses the rest")]
#[path = "../common/samples.rs"]
mod samples;
mod scale;
mod share;
mod signals;
#[path = "../common/split_mix.rs"]
mod split_mix;
mod streams;
mod survives;
mod survives_records;
mod survives_stop;
mod tcp_flags;
#[path = "../common/times.rs"]
mod times;
mod tins;
#[path = "../common/tools.rs"]
mod tools;
mod traps;
mod trial;
mod tunnel_flows;
mod two_links;
mod uml;
mod unexpected_states;
mod variants;
mod watch;
mod wireguard;
