//! A WireGuard tunnel on Debian's kernel: uploads stay apart in what is compiled; and a way in which downloads could be queued
//! after they were decrypted, by hand, with what it charges and how it shares.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::report::Report;

/// Microseconds that a full packet takes at 2 mbit.
const PACKET: u64 = 6_056;

fn house(share: &str) -> House {
    let text = format!(
        "link: {{ device: eth1, up: 2mbit, down: 20mbit, profile: ethernet, margin: 0% }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24] }}\n\
         tunnels: {{ office: {{ kind: wireguard, device: wg0, remote: 198.51.100.1 }} }}\n\
         classes: {{ normal: {{ default: true, share: {share} }} }}\n"
    );
    House::of("wireguard", text.into_bytes())
}

/// How much longer than idle pings took beside the load, microseconds: at the median and at the 99th of a hundred, each in the quieter half.
fn over_idle(report: &Report, leg: &str) -> (u64, u64) {
    let at = |ping: &str, hundredth: usize| {
        let text = report.text(&format!("out/{leg}/{ping}.times"));
        let mut times: Vec<u64> = text.lines().map(|line| line.parse().unwrap_or(u64::MAX)).collect();
        assert_eq!(times.len(), 150, "{leg} {ping}: {}", report.text(&format!("out/{leg}/{ping}.err")));
        times.sort_unstable();
        times[times.len() * hundredth / 100]
    };
    let over =
        |hundredth| at("busy", hundredth).min(at("again", hundredth)).saturating_sub(at("idle", hundredth));
    (over(50), over(99))
}

/// Bytes on the wire and bytes that HTB was charged, between the two readings.
fn bytes(report: &Report, leg: &str) -> (u64, u64) {
    let wire = |name: &str| {
        let text = report.text(&format!("out/{leg}/{name}.wire"));
        text.trim().parse::<u64>().expect("bytes")
    };
    let charged = |name: &str| {
        let text = report.text(&format!("out/{leg}/{name}.charged"));
        let (_, rest) = text.split_once("Sent ").expect("counters");
        rest.split(' ').next().and_then(|bytes| bytes.parse::<u64>().ok()).expect("bytes")
    };
    (wire("last") - wire("first"), charged("last") - charged("first"))
}

#[test]
fn wireguard_keeps_flows_apart_and_can_be_queued_inside() {
    let (fq, cake) = (house("per-flow"), house("per-host"));
    let guest = fq.guest("wireguard");
    let guest = guest.file("fq.sh", fq.script.as_str()).file("cake.sh", cake.script.as_str());
    let Some(report) = guest.run("wireguard.sh") else { return };
    for leg in ["fq", "cake"] {
        report.expect_code(&format!("{leg}/start"), 0);
        report.expect_code(&format!("{leg}/stop"), 0);
    }
    report.expect_code("down/longer", 0);

    let mut wrong = Vec::new();
    for leg in ["fq", "cake", "down-fq_codel", "down-cake"] {
        report.expect_code_of(&format!("out/{leg}/flows"), 0);
        let (median, p99) = over_idle(&report, leg);
        let got = report.text(&format!("out/{leg}/flows"));
        eprintln!(
            "{leg}: pings inside take {median} us over idle at the median, {p99} at p99; {}",
            got.trim()
        );
        if median > 3 * PACKET {
            wrong.push(format!("{leg}: pings take {median} us more than idle"));
        }
    }
    // WireGuard pads to 16 bytes, but a full packet not at all: twelve are charged, whatever it is.
    for size in ["56", "72", "456", "1000", "1392"] {
        let leg = format!("down-{size}");
        report.expect_code(&format!("{leg}/ping"), 0);
        let (wire, charged) = bytes(&report, &leg);
        eprintln!("{leg}: {wire} bytes on the wire, {charged} charged");
        if wire.abs_diff(charged) * 50 > wire {
            wrong.push(format!("{leg}: {wire} bytes on the wire, {charged} charged"));
        }
    }
    for leg in ["down-fq_codel", "down-cake"] {
        let text = report.text(&format!("out/{leg}/flows"));
        let got: Vec<u64> = text
            .lines()
            .map(|line| line.split(' ').nth(1).and_then(|bytes| bytes.parse().ok()).expect("bytes"))
            .collect();
        let share = got[0] * 100 / (got[0] + got[1]);
        if !(40..=60).contains(&share) {
            wrong.push(format!("{leg}: {share} of a hundred inside the tunnel"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
