//! A start runs a handful of processes, however many classes there are. Wrappers around the tools count them.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::report::uptime;
use std::collections::BTreeMap;

fn house(classes: u16) -> House {
    let mut yaml = "link: { device: eth0, profile: docsis, up: 40mbit, down: 400mbit }\nlan: { device: br-lan, nat: false }\n\
        classes:\n  rest: { default: true }\n"
        .to_owned();
    for number in 1..classes {
        yaml += &format!("  class-{number}: {{ match: [{{ protocol: tcp, remote_port: {number} }}] }}\n");
    }
    yaml += "police:\n  guests: { direction: down, match: [{ local: 10.9.0.0/16 }], rate: 1mbit }\n";
    House::of("counts", yaml.into_bytes())
}

#[test]
fn a_start_runs_few_processes_for_4_and_400_classes() {
    let (few, many) = (house(4), house(400));
    let guest =
        few.guest("process-count").file("few.sh", few.script.as_str()).file("many.sh", many.script.as_str());
    let Some(report) = guest.variable("SCRIPTS", "few many").run("process_count.sh") else { return };
    let calls = |step: &str| -> BTreeMap<String, Vec<String>> {
        report.expect_code(&format!("counted/{step}"), 0);
        let mut calls: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for line in report.out(&format!("counted/{step}-calls")).lines() {
            let (tool, words) = line.split_once(' ').unwrap_or((line, ""));
            calls.entry(tool.to_owned()).or_default().push(words.to_owned());
        }
        calls
    };
    let kernel = |calls: &BTreeMap<String, Vec<String>>| -> usize {
        ["tc", "ip", "nft"].iter().filter_map(|tool| calls.get(*tool)).map(Vec::len).sum()
    };
    let mut counts = Vec::new();
    for script in ["few", "many"] {
        let (start, second) = (calls(&format!("{script}-start")), calls(&format!("{script}-second")));
        let took = |what: &str| -> u64 {
            let text = report.text(&format!("out/counted/{script}-{what}.took"));
            let times: Vec<u64> = text.split_whitespace().map(uptime).collect();
            times[1] - times[0]
        };
        eprintln!(
            "{script}: a second start takes {} % of the time of the first",
            took("second") * 100 / took("start").max(1)
        );
        eprintln!("{script}: a start from nothing {start:#?}\na second start {second:#?}");
        assert!(kernel(&start) <= 12, "{start:#?}");
        assert!(kernel(&second) <= 6, "{second:#?}");
        let mut devices: BTreeMap<&str, usize> = BTreeMap::new();
        for words in start.get("ethtool").into_iter().flatten() {
            *devices.entry(words.split_whitespace().nth(1).unwrap_or("")).or_default() += 1;
        }
        assert!(devices.values().all(|times| *times <= 2), "{start:#?}");
        counts.push((kernel(&start), kernel(&second)));
    }
    assert_eq!(counts[0], counts[1], "for 4 classes and for 400");
}
