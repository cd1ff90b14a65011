//! Offloads that make aggregated packets are off while these would reach the shaper, and on again after it stops.

use crate::house::House;
use crate::report::Report;
use crate::uml::Guest;
use std::collections::BTreeSet;

fn house(name: &str, device: &str, more: &str) -> House {
    let yaml = format!(
        "name: {name}\nlink: {{ device: {device}, profile: docsis, up: 10mbit, down: 10mbit }}\n{more}\n"
    );
    House::of(name, yaml.into_bytes())
}

const LAN: &str = "lan: { device: br-lan }";

/// The offloads that are on, as `DEVICE FEATURE`.
fn on(report: &Report, step: &str) -> BTreeSet<String> {
    let text = report.text(&format!("out/{step}.features"));
    assert!(!text.is_empty(), "{step} says nothing\n{}", report.console());
    text.lines().map(str::to_owned).collect()
}

/// The offloads that are on at one step and off at another.
fn went_off(report: &Report, before: &str, after: &str) -> Vec<String> {
    let after = on(report, after);
    on(report, before).into_iter().filter(|feature| !after.contains(feature)).collect()
}

#[test]
fn offloads_are_off_while_aggregates_would_reach_the_shaper() {
    let tunnel = "tunnels: { vps: { kind: gre, device: gre-vps, remote: 198.51.100.7, inner: opaque } }";
    let houses = [
        ("a", house("a", "eth0", &format!("{LAN}\n{tunnel}"))),
        ("b", house("b", "eth2.7", LAN)),
        ("c", house("c", "ppp0", LAN)),
        ("keep", house("keep", "eth0", &format!("{LAN}\ntuning: {{ offloads: keep }}"))),
        ("unnamed", house("unnamed", "eth0", "")),
    ];
    let mut guest = Guest::new("offloads");
    for (name, house) in &houses {
        guest = guest.file(&format!("{name}.sh"), house.script.as_str());
    }
    let guest = guest.variable("WAN", "eth0").variable("WAN_KIND", "ethernet").variable("LAN", "br-lan");
    let Some(report) = guest.run("offloads.sh") else { return };

    bridge(&report);
    for (leg, off) in [
        ("vlan", ["br-lan", "eth2", "eth2.7", "p-lan"].as_slice()),
        ("pppoe", &["br-lan", "eth3", "p-lan", "ppp0"]),
        // All devices, except the loopback and those whose offload is off already.
        ("unnamed", &["br-lan", "eth0", "eth2", "eth2.7", "eth3", "gre-vps", "other", "p-lan", "p3", "ppp0"]),
    ] {
        report.expect_code(&format!("{leg}/start"), 0);
        let gone: Vec<String> = went_off(&report, "one/before", &format!("{leg}/started"))
            .iter()
            .filter_map(|feature| feature.strip_suffix(" generic-receive-offload"))
            .map(str::to_owned)
            .collect();
        assert_eq!(gone, off, "{leg}");
        report.expect_code(&format!("{leg}/stop"), 0);
        assert_eq!(on(&report, &format!("{leg}/stopped")), on(&report, "one/before"), "{leg}");
    }
    unnamed_devices(&report);
    stuck_features(&report);
    report.expect_code("keep/start", 0);
    assert_eq!(on(&report, "keep/started"), on(&report, "one/before"));
    two_links(&report);
}

fn bridge(report: &Report) {
    report.expect_code("one/start", 0);
    let off = [
        "br-lan generic-receive-offload",
        "eth0 generic-receive-offload",
        "eth0 segments",
        "gre-vps generic-receive-offload",
        "gre-vps segments",
        "p-lan generic-receive-offload",
        "p-lan rx-gro-list",
    ];
    assert_eq!(went_off(report, "one/before", "one/started"), off);
    report.expect_code("one/check", 0);

    // A port that joins the bridge later.
    report.expect_code("one/check-joined", 1);
    assert!(
        report.out("one/check-joined").contains("offload gro of p3 is on; `start`"),
        "{}",
        report.about("one/check-joined")
    );
    assert_eq!(report.out("one/print-joined").trim(), "ethtool -K p3 gro off");
    report.expect_code("one/joined", 0);
    assert!(report.out("one/joined").contains("up to date"), "{}", report.about("one/joined"));
    assert_eq!(went_off(report, "one/started", "one/joined"), ["p3 generic-receive-offload"]);
    assert_eq!(report.text("out/one/joined.tc"), "", "nothing changes in tc");
    assert_eq!(report.out("one/second").trim(), "a: up to date");
    report.expect_code("one/check-again", 0);

    report.expect_code("one/stop", 0);
    assert_eq!(on(report, "one/stopped"), on(report, "one/before"));
}

/// Without `lan.device`, a device that comes later is no drift. A known device that makes aggregated packets again is.
fn unnamed_devices(report: &Report) {
    report.expect_code("unnamed/check-new", 0);
    let said = report.out("unnamed/check-new");
    assert!(said.contains("new since the last start, which would turn this off: late gro"), "{said}");
    report.expect_code("unnamed/renewed", 0);
    report.expect_code("unnamed/check-known", 0);
    assert_eq!(report.out("unnamed/check-known").trim(), "unnamed: in place");
    report.expect_code("unnamed/check-again", 1);
    assert_eq!(
        report.out("unnamed/check-again"),
        "unnamed: drifted: offload gro of late is on; `start` mends that\n  offload gro of late: new: on\n"
    );
}

/// A feature that ethtool cannot turn off is named once, and is neither turned off again nor reported as drift.
fn stuck_features(report: &Report) {
    report.expect_code("stuck/start", 0);
    let said = report.text("out/stuck/start.err");
    for feature in ["gro", "rx-gro-list"] {
        assert!(said.contains(&format!("ethtool cannot turn off {feature} of p-lan")), "{said}");
    }
    report.expect_code("stuck/second", 0);
    assert_eq!(report.out("stuck/second").trim(), "a: up to date");
    assert_eq!(report.text("out/stuck/second.err"), "");
    report.expect_code("stuck/check", 0);
    report.expect_code("stuck/stop", 0);
    assert_eq!(on(report, "stuck/stopped"), on(report, "one/before"));
}

fn two_links(report: &Report) {
    let lan = ["br-lan", "gre-vps", "p-lan"];
    for (leg, left) in [("two-a", ["eth2", "eth2.7"].as_slice()), ("two-b", &["eth0"])] {
        for (step, code) in
            [("start-a", 0), ("start-b", 0), ("stop-first", 0), ("check", 0), ("stop-last", 0)]
        {
            report.expect_code(&format!("{leg}/{step}"), code);
        }
        let mut off: BTreeSet<String> =
            went_off(report, "one/before", &format!("{leg}/one")).into_iter().collect();
        off.retain(|feature| feature.ends_with(" generic-receive-offload"));
        let want = lan.iter().filter(|device| **device != "gre-vps" || leg == "two-b").chain(left);
        let want: BTreeSet<String> = want.map(|device| format!("{device} generic-receive-offload")).collect();
        assert_eq!(off, want, "{leg}");
        assert_eq!(on(report, &format!("{leg}/none")), on(report, "one/before"), "{leg}");
    }
}

#[test]
fn no_aggregate_reaches_the_shaper() {
    // The class has fq_codel, which reports the largest packet. CAKE would split aggregated packets.
    let more = format!("{LAN}\nclasses: {{ all: {{ default: true, share: per-flow }} }}");
    let auto = house("auto", "eth0", &more);
    let keep = house("auto", "eth0", &format!("{more}\ntuning: {{ offloads: keep }}"));
    let guest = auto.guest("aggregates").file("auto.sh", auto.script.as_str());
    let Some(report) = guest.file("keep.sh", keep.script.as_str()).run("aggregates.sh") else { return };
    for direction in ["up", "down", "own"] {
        let largest = |leg: &str| {
            let text = report.text(&format!("out/{leg}/{direction}.largest"));
            text.trim().parse::<u32>().unwrap_or_else(|_| {
                panic!("{}{}", report.about(&format!("{leg}/{direction}")), report.console())
            })
        };
        assert!(
            largest("keep") > 3000,
            "{direction}: the lab makes no aggregates, at most {}",
            largest("keep")
        );
        assert_eq!(largest("auto"), 1514, "{direction}");
    }
}
