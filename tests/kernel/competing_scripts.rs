//! Scripts that describe the same link differently start at the same moment. They run one after the other, and the
//! result is the state that one of them describes. Also scripts of two files that `check --same-router` rejects.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::kills::pair;
use crate::report::Report;
use crate::streams::held;
use std::time::Duration;

/// Returns true if the kernel's state is exactly that of this house.
fn is_held(house: &House, report: &Report, leg: &str) -> bool {
    let held = held(house, &report.text(&format!("out/{leg}/left.held")));
    crate::observed::compare(&house.program.on(house.facts()), &held).is_empty()
}

/// The script whose state is in place. Checks that `check` of both scripts agrees.
#[track_caller]
fn winner(report: &Report, leg: &str, houses: [(&str, &House); 2]) -> Option<String> {
    let there: Vec<&str> =
        houses.iter().filter(|(_, house)| is_held(house, report, leg)).map(|(name, _)| *name).collect();
    assert!(there.len() < 2);
    for (name, _) in houses {
        let code = match there.first() {
            Some(winner) if *winner == name => 0,
            Some(_) => 1,
            None => 3,
        };
        report.expect_code(&format!("{leg}/check-{name}"), code);
    }
    if there.is_empty() {
        report.expect_same("out/whole/before.glance", &format!("out/{leg}/left.glance"));
    }
    there.first().map(|name| (*name).to_owned())
}

/// Returns true if a start succeeded. Otherwise, it must report that it gave up waiting for another call.
#[track_caller]
fn expect_done_or_tired(report: &Report, step: &str) -> bool {
    if report.text(&format!("out/{step}.code")).trim() == "0" {
        return true;
    }
    report.expect_code(step, 1);
    assert!(report.text(&format!("out/{step}.err")).contains("has been at work"), "{}", report.about(step));
    false
}

#[test]
fn only_one_of_several_concurrent_starts_takes_effect() {
    let (a, b) = pair();
    let houses = [("a", &a), ("b", &b)];
    let rival = link("rival", "eth0", "");
    let guest = a.guest("competing-scripts").file("a.sh", a.script.as_str()).file("b.sh", b.script.as_str());
    let guest = guest.file("rival.sh", rival.script.as_str());
    let Some(report) = guest.limit(Duration::from_secs(900)).run("competing_scripts.sh") else { return };
    for round in 1..=4 {
        let leg = format!("two-{round}");
        for step in ["a", "b"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        assert!(winner(&report, &leg, houses).is_some(), "{leg}: neither is there");
    }
    let done = (1..=10).filter(|number| expect_done_or_tired(&report, &format!("ten/{number}"))).count();
    let won = winner(&report, "ten", houses).expect("one of ten is there");
    eprintln!("{}: of ten at once {done} had their turn, {won} was last", report.name());
    assert!(done > 2);
    let mut stopped = 0;
    for number in 1..=7 {
        let leg = format!("stop-{number}");
        for step in ["b", "stop"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        let left = winner(&report, &leg, houses);
        assert!(left.as_deref().is_none_or(|name| name == "b"), "{leg}: {left:?}");
        stopped += usize::from(left.is_none());
    }
    eprintln!("{}: of 7 starts that were stopped meanwhile {stopped} left nothing", report.name());
    report.expect_code("whole/stop", 0);
    report.expect_same("out/whole/before.glance", "out/whole/after.glance");
    for round in 1..=4 {
        one_of_two_links(&report, &format!("rivals-{round}"));
    }
}

/// Two links started on one device at the same moment: one succeeds, and the other changes nothing and says why.
#[track_caller]
fn one_of_two_links(report: &Report, leg: &str) {
    let started = |name: &str| report.text(&format!("out/{leg}/{name}.code")).trim() == "0";
    let (winner, loser) = if started("a") { ("a", "rival") } else { ("rival", "a") };
    report.expect_code(&format!("{leg}/{winner}"), 0);
    report.expect_code(&format!("{leg}/{loser}"), 1);
    let said = report.text(&format!("out/{leg}/{loser}.err"));
    assert!(said.contains("is at work on eth0: stop it with its own script"), "{said}");
    report.expect_code(&format!("{leg}/check-{winner}"), 0);
    for name in ["a", "rival"] {
        report.expect_code(&format!("{leg}/stop-{name}"), 0);
    }
    report.expect_same("out/whole/before.glance", &format!("out/{leg}/left.glance"));
}

/// A house with a link on this device, with or without a tunnel.
fn link(name: &str, device: &str, tunnels: &str) -> House {
    let text = format!(
        "name: {name}\nlink: {{ device: {device}, up: 2mbit, down: 16mbit, profile: ethernet, margin: 0% }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24] }}\n\
         {tunnels}classes: {{ rest: {{ default: true }} }}\n"
    );
    House::of(name, text.into_bytes())
}

/// Q1102 on a kernel. The script of the tunnel's own file removes the filters with which the WAN's script queues the
/// tunnel's downloads, and the WAN's script reports it. With the fix, `inner: flows`, both stay in place.
#[test]
fn two_files_that_shape_one_tunnel_cause_drift() {
    let tunnel = |more: &str| format!("tunnels: {{ office: {{ kind: wireguard, device: wg0{more} }} }}\n");
    let (wan, flows) = (link("wan", "eth1", &tunnel("")), link("wan", "eth1", &tunnel(", inner: flows")));
    let inner = link("inner", "wg0", "");
    let guest = wan.guest("wireguard").variable("SIZES", "").variable("PART", "shared");
    let guest = guest.file("wan.sh", wan.script.as_str()).file("flows.sh", flows.script.as_str());
    let Some(report) = guest.file("inner.sh", inner.script.as_str()).run("wireguard.sh") else { return };
    for step in ["start", "alone", "second", "stop", "end"] {
        report.expect_code(&format!("both/{step}"), 0);
    }
    report.expect_code("both/drifted", 1);
    let said = report.out("both/drifted");
    assert!(
        said.contains("downloads, decrypted (wan.yaml:4) on wg0: gone")
            && said.contains("Redirect to device ifb-wan"),
        "{said}"
    );
    for step in ["start", "second", "ping"] {
        report.expect_code(&format!("cured/{step}"), 0);
    }
    for script in ["flows", "inner"] {
        for step in ["check", "again", "stop"] {
            report.expect_code(&format!("cured/{step}-{script}"), 0);
        }
        assert!(report.out(&format!("cured/again-{script}")).contains("up to date"));
    }
    report.expect_same("out/cured/before.state", "out/cured/after.state");
}
