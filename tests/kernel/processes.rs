//! A call executes few programs and forks seldom. On a small router, each program costs milliseconds.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use std::collections::BTreeMap;

/// Calls with the most programs and forks that they may take, besides `ethtool -K`.
const MOST: [(&str, usize, usize); 9] = [
    ("start", 15, 29),
    ("second", 5, 9),
    ("check", 4, 10),
    ("status", 6, 14),
    ("metrics", 7, 16),
    ("change", 12, 21),
    ("rate-first", 5, 11),
    ("rate", 5, 11),
    ("stop", 7, 15),
];

fn house(up: u16) -> House {
    let yaml = format!(
        "name: counted\n\
         link: {{ device: eth0, profile: docsis, up: {up}mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true }}\n\
         police:\n  guests: {{ direction: down, match: [{{ local: 10.9.0.0/16 }}], rate: 1mbit }}\n"
    );
    House::of("counted", yaml.into_bytes())
}

#[test]
fn calls_execute_few_programs() {
    let house = house(20);
    let guest = house.guest("processes").file("other.sh", self::house(18).script.as_str());
    let Some(report) = guest.run("processes.sh") else { return };
    for shell in ["dash", "busybox"] {
        for (call, programs, forks) in MOST {
            let step = format!("{shell}/{call}");
            report.expect_code(&step, 0);
            assert_eq!(report.text(&format!("out/{step}.err")), "", "{step} says an error");
            let mut names: BTreeMap<&str, usize> = BTreeMap::new();
            let calls = report.text(&format!("out/{step}.calls"));
            for line in calls.lines().filter(|line| !line.starts_with("ethtool -K")) {
                *names.entry(line.split(' ').next().unwrap_or(line)).or_default() += 1;
            }
            let executed: usize = names.values().sum();
            let forked: usize = report.text(&format!("out/{step}.forks")).trim().parse().expect("a number");
            eprintln!("{step}: {executed} programs, {forked} forks {names:?}");
            if std::env::var("QOSC_LIST").is_ok() {
                eprintln!("{calls}");
            }
            assert!(executed <= programs && forked <= forks, "{step}: {names:?}, {forked} forks\n{calls}");
            if call == "rate" {
                assert_eq!((names.get("tc"), names.get("ip")), (Some(&2), None), "{step}\n{calls}");
            }
        }
    }
}
