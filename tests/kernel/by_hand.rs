//! Runs any shell script in one of the kernels; the top of `main.rs` says how.
#![expect(clippy::print_stderr, reason = "what the script said is all that it is run for")]

use crate::uml::{Guest, Machine};
use std::time::Duration;

#[test]
#[ignore = "runs a script of yours, QOSC_SCRIPT"]
fn by_hand() {
    let script = std::env::var("QOSC_SCRIPT").expect("QOSC_SCRIPT, the path of a shell script");
    let machine = match std::env::var("QOSC_MACHINE").as_deref() {
        Ok("debian") => Machine::Debian,
        Ok("uml") => Machine::Uml,
        Ok("older") => Machine::Older,
        Ok("newer") => Machine::Newer,
        Ok("newest") => Machine::Newest,
        Ok("virtual") | Err(_) => Machine::Virtual,
        Ok(other) => panic!("QOSC_MACHINE is virtual, uml, older, newer, newest or debian, not {other}"),
    };
    let processors = std::env::var("QOSC_PROCESSORS").map_or(1, |n| n.parse().expect("a number"));
    let memory = std::env::var("QOSC_MEMORY").map_or(256, |n| n.parse().expect("megabytes"));
    let guest = Guest::new("by hand").on(machine).processors(processors).memory(memory);
    let guest = guest.limit(Duration::from_secs(3600));
    // The names that the lab needs. A script may set others before it calls `lab`.
    let guest = guest.variable("WAN", "eth1").variable("WAN_KIND", "ethernet").variable("LAN", "br-lan");
    if let Some(report) = guest.run(&script) {
        eprintln!("{}", report.text("console"));
    }
}
