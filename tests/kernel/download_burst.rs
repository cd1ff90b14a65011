//! A burst of downloads and its effect on a ping, for each kind of download queue.
//!
//! The senders' first windows fill the provider's queue before the router can act. The queue drains only as fast as the
//! downloads slow down. A shaper that always forwards at its rate, whatever it drops, drains it slowly. A CAKE with
//! `ingress` charges dropped packets against its rate, so it forwards less meanwhile.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::uml::Guest;

/// The ways to queue downloads: flows in HTB, hosts in HTB, and hosts in CAKE.
const WAYS: [(&str, &str, &str); 3] =
    [("flows", "htb", "per-flow"), ("hosts", "htb", "per-host"), ("cake", "cake", "per-host")];

fn house((_, engine, share): (&str, &str, &str)) -> House {
    let yaml = format!(
        "link: {{ device: eth0, overhead: 30, layer: ethernet, margin: 5%, up: 10mbit, down: 25mbit, engine: {{ down: {engine} }} }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n\
         classes:\n  all: {{ default: true, share: {share} }}\n"
    );
    House::of("burst", yaml.into_bytes())
}

/// The number after a word in a line of the burst's output.
fn number(said: &str, line: &str, word: &str) -> u64 {
    let line =
        said.lines().find(|own| own.starts_with(line)).unwrap_or_else(|| panic!("no {line} in {said}"));
    let mut words = line.split_whitespace().skip_while(|own| *own != word);
    words.nth(1).and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("no {word} in {line}"))
}

#[test]
fn cake_ingress_drains_the_providers_queue_faster() {
    let houses = WAYS.map(house);
    let mut guest: Guest = houses[0].guest("download-burst");
    for ((name, ..), house) in WAYS.iter().zip(&houses) {
        guest = guest.file(&format!("scripts/{name}.sh"), house.script.as_str());
    }
    let Some(report) = guest.variable("SCRIPTS", "none flows hosts cake").run("download_burst.sh") else {
        return;
    };
    let measured = |name: &str| {
        report.expect_code(&format!("burst/{name}"), 0);
        let said = report.out(&format!("burst/{name}"));
        let (idle, median) = (number(&said, "idle", "p50"), number(&said, "burst", "p50"));
        let (most, rate) = (number(&said, "burst", "p99"), number(&said, "burst", "kbit"));
        let mean = number(&said, "burst", "mean");
        eprintln!(
            "{name}: idle {idle} us, burst p50 {median} us, p99 {most} us, mean {mean} us, {rate} kbit"
        );
        (median, most)
    };
    let (none, _) = measured("none");
    let [(flows, _), (hosts, of_hosts), (cake, of_cake)] = WAYS.map(|(name, ..)| measured(name));
    let shown = format!("p50 of a ping: none {none}, flows {flows}, hosts {hosts}, cake {cake}");
    assert!(hosts * 2 < flows && cake * 2 < flows && flows < none, "{shown}");
    // the first windows alone fill the provider's queue for 115 ms
    assert!(of_hosts < 150_000 && of_cake < 150_000, "p99 of a ping: hosts {of_hosts}, cake {of_cake}");
}
