//! `qosc watch` on a router with traffic: the rates that it prints are those at which HTB and CAKE send.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::counters::class;
use crate::house::House;
use crate::report::Report;
use qosc_compiler::tc::Dev;

/// Bytes of a packet after the UDP header, and of its frame on an Ethernet device.
const PAYLOAD: u64 = 1_000;
const FRAME: u64 = PAYLOAD + 8 + 20 + 14;

fn house(engine: &str) -> House {
    let yaml = format!(
        "name: seen\nlink: {{ device: eth0, profile: docsis, up: 10mbit, down: 20mbit, engine: {engine} }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n\
         classes:\n\
         \x20 voice: {{ priority: 0, guarantee: 500kbit, match: [{{ dscp: ef }}] }}\n\
         \x20 work:\n\
         \x20   guarantee: 40%\n\
         \x20   classes:\n\
         \x20     web: {{ match: [{{ protocol: udp, remote_port: 443 }}] }}\n\
         \x20     mail: {{ match: [{{ protocol: udp, remote_port: 993 }}] }}\n\
         \x20 rest: {{ default: true }}\n\
         \x20 bulk: {{ priority: 1, ceiling: 50%, match: [{{ protocol: udp, remote_port: 6004 }}] }}\n"
    );
    // CAKE has no ceilings and no tree.
    let yaml = match engine {
        "cake" => yaml
            .replace("  work:\n    guarantee: 40%\n    classes:\n", "")
            .replace("      mail: { match: [{ protocol: udp, remote_port: 993 }] }\n", "")
            .replace("      web: { match", "  web: { priority: 1, match")
            .replace("guarantee: 500kbit, ", "")
            .replace("priority: 1, ceiling: 50%, ", "priority: 5, "),
        _ => yaml,
    };
    House::of("seen", yaml.into_bytes())
}

/// Returns the figures of a class in each block of a direction: rate, ceiling, used, drops, backlog and delay.
fn figures(printed: &str, loads: &str, class: &str) -> Vec<Vec<String>> {
    let mut of = false;
    let mut found = Vec::new();
    for line in printed.lines() {
        if !line.starts_with(' ') {
            of = line.starts_with(&format!("seen: {loads} on "));
        } else if of && line.trim_start().strip_prefix(class).is_some_and(|rest| rest.starts_with("  ")) {
            let rest = line.trim_start().trim_start_matches(class);
            found.push(
                rest.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect(),
            );
        }
    }
    found
}

fn bits(rate: &str) -> u64 {
    rate.parse::<qosc_compiler::units::Rate>().unwrap_or_else(|_| panic!("{rate} is no rate")).bps()
}

/// Checks that a class sends at this rate, within 3 % in every block. HTB adds 4 bytes to each frame here.
#[track_caller]
fn expect_rate(report: &Report, step: &str, (loads, class): (&str, &str), shaped: u64) {
    let want = shaped * FRAME / (FRAME + 4);
    let printed = report.out(step);
    let blocks = figures(&printed, loads, class);
    assert_eq!(blocks.len(), 3, "{}", report.about(step));
    for cells in blocks {
        let rate = bits(&cells[0]);
        eprintln!("{step}: {class} of {loads} sends {rate} bit/s, {want} expected: {cells:?}");
        assert!(rate.abs_diff(want) * 100 < want * 3, "{cells:?}, {want} expected\n{printed}");
    }
}

#[test]
fn the_printed_rates_are_those_of_the_shaper() {
    let (htb, cake) = (house("htb"), house("cake"));
    // `bulk` sends twice its ceiling and is served first. `rest` sends more than the remainder. Downloads are below their rates.
    let flows = "bulk lan/192.168.1.10 5004 net/198.51.100.1 6004 800 1000\n\
                 rest lan/192.168.1.10 5005 net/198.51.100.1 6005 700 1000\n\
                 down net/198.51.100.1 443 lan/192.168.1.10 5006 2000 1000\n";
    let guest = htb
        .guest("watch")
        .file("cake.sh", cake.script.as_str())
        .file("watch-loop.sh", include_str!("../../templates/watch.sh"))
        .file("flows", flows)
        .variable("QOSC", env!("CARGO_BIN_EXE_qosc"));
    let Some(report) = guest.run("watch.sh") else { return };

    report.expect_code("htb/before", 2);
    let said = report.text("out/htb/before.err");
    assert!(said.starts_with("error: this machine has no started link\n"), "{said}");
    report.expect_code("htb/start", 0);
    report.expect_code("htb/plain", 0);
    let bulk = class(&htb.program, Dev::Wan, "bulk").ceil.bps();
    let all = class(&htb.program, Dev::Wan, "rest").ceil.bps();
    expect_rate(&report, "htb/plain", ("uploads", "all uploads"), all);
    expect_rate(&report, "htb/plain", ("uploads", "bulk"), bulk);
    expect_rate(&report, "htb/plain", ("uploads", "rest"), all - bulk);
    // 500 frames in a second.
    expect_rate(&report, "htb/plain", ("downloads", "web"), 500 * (FRAME + 4) * 8);
    expect_rate(&report, "htb/plain", ("downloads", "work"), 500 * (FRAME + 4) * 8);
    for cells in figures(&report.out("htb/plain"), "uploads", "rest") {
        assert!(cells[3].parse::<u64>().expect("drops") > 0, "{cells:?}");
        assert!(cells[4] != "0 bytes" && cells[5] != "-", "{cells:?}");
    }
    for cells in figures(&report.out("htb/plain"), "uploads", "voice") {
        assert_eq!((cells[0].as_str(), cells[3].as_str()), ("0bit", "0"), "{cells:?}");
    }

    // A busybox shell reads the same.
    report.expect_code("busybox/samples", 0);
    let mut watch = qosc_measure::watch::Watch::default();
    let samples = report.out("busybox/samples");
    let views: Vec<_> =
        samples.split_inclusive("==> end\n").map(|text| watch.add(text).expect("a sample")).collect();
    assert_eq!(views.len(), 2, "{samples}");
    let rate = views[1].links[0].tables[0].rows[0].seen.rate.expect("a rate").bps();
    let want = all * FRAME / (FRAME + 4);
    assert!(rate.abs_diff(want) * 100 < want * 3, "{rate}, {want} expected");

    let page = report.text("out/htb/page.html");
    report.expect_code("htb/page", 0);
    assert!(page.contains("<h1>seen on this machine</h1>") && page.contains("</html>"), "{page}");

    // A link that stops while it is watched, and starts with another engine.
    report.expect_code("cake/changed", 0);
    let printed = report.out("cake/changed");
    assert!(printed.contains("\nThe script of qosc is stopped.\n"), "{printed}");
    assert!(
        printed.trim_end().rsplit("\n\n").next().is_some_and(|last| last.contains("tin 4, Voice")),
        "{printed}"
    );
    report.expect_code("cake/plain", 0);
    expect_rate(&report, "cake/plain", ("uploads", "all uploads"), all);
    for cells in figures(&report.out("cake/plain"), "uploads", "all uploads") {
        assert_eq!(bits(&cells[1]), all, "{cells:?}");
    }
    // The counter of a tin includes what CAKE drops later, so it shows the rate that comes in: 10.4 mbit.
    let arrives = FRAME * 8 * 1_000_000 / 800;
    for cells in figures(&report.out("cake/plain"), "uploads", "tin 1, Bulk") {
        assert!(bits(&cells[0]).abs_diff(arrives) * 100 < arrives * 3, "{cells:?}, {arrives} expected");
        assert!(cells[5].ends_with("ms"), "CAKE measures the delay: {cells:?}");
    }
}
