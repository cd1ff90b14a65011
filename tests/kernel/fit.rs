//! `qosc fit` recovers the overhead of the lab's lines from the packet rates that they carry, for every profile. A run
//! takes the profiles that `share.rs` chooses.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

#[path = "../measure/fit/right.rs"]
mod right;

use crate::house::compiled;
use crate::packet::Packet;
use crate::report::Report;
use crate::share::shared;
use crate::uml::Guest;
use qosc_compiler::model::Wire;
use qosc_compiler::profile;
use qosc_compiler::units::{Micros, Rate};
use qosc_measure::fit::{Data, SECONDS, Size, fit, payloads, read, report};
use qosc_measure::lab::topology::Topology;
use right::{lines, right};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// The lines' rate as a modem states it, in bit/s.
const RATE: u64 = 6_500_000;
/// Least number of packets of each size that pass. One packet more or less is then at most 0.2 %.
const PACKETS: u64 = 500;
/// Packets that are sent whenever the sender wakes, and its largest delay in microseconds.
const AT_ONCE: u64 = 4;
const LATE: u64 = 50;
/// Profile of the line that the measuring script runs on, its rate, and the seconds for each size.
const PROFILE: &str = "vdsl2-pppoe";
const SLOW: u64 = 1_000_000;
const FEWER: u64 = 3;

/// The lab's topology for a house with this profile and mpu.
fn topology(profile: &str, mpu: u32, rate: u64) -> Topology {
    let link = format!("device: eth0, profile: {profile}, mpu: {mpu}, up: {rate}bit, down: {rate}bit");
    let yaml = format!("link: {{ {link} }}\n");
    let (model, _) = compiled("fit", format!("{yaml}classes: {{ rest: {{ default: true }} }}\n").as_bytes());
    Topology::of(&model, Micros::from_us(0), 1).expect("a topology")
}

/// Returns a setting of the lab's line in the form that its shell code reads.
fn setting(topology: &Topology, name: &str) -> String {
    let files = topology.files(&BTreeSet::new());
    let (_, settings) = files.iter().find(|(file, _)| *file == "topology.env").expect("the settings");
    let line = settings.lines().find_map(|line| line.strip_prefix(&format!("{name}='")));
    line.and_then(|value| value.strip_suffix('\'')).expect("the setting").to_owned()
}

/// Packets that the far end of each line has received.
fn received(report: &Report, file: &str) -> Vec<(String, u64)> {
    let text = report.text(&format!("out/{file}"));
    let devices = text.lines().filter_map(|line| line.trim().split_once(':'));
    let of_lines = devices.filter(|(name, _)| name.starts_with("line"));
    let mut counts: Vec<(String, u64)> = of_lines
        .map(|(name, rest)| {
            let packets = rest.split_whitespace().nth(1).and_then(|word| word.parse().ok());
            (name.to_owned(), packets.expect("a number of packets"))
        })
        .collect();
    counts.sort_unstable();
    counts
}

/// Milliseconds in which the slowest line carries enough packets, and microseconds between the sender's turns. The
/// sender sends half as much again as the fastest line carries.
fn round(wires: &[Wire], ip: u64) -> (u64, u64) {
    let charges = || wires.iter().map(|wire| wire.bytes(ip));
    let (least, most) = (charges().min().expect("a line"), charges().max().expect("a line"));
    let milliseconds = (PACKETS * most * 8 * 1000).div_ceil(RATE);
    (milliseconds, (AT_ONCE * least * 8 * 1_000_000 * 2 / (3 * RATE)).saturating_sub(LATE).max(1))
}

#[test]
fn the_overhead_of_every_profile_is_recovered() {
    let mut lines: Vec<(String, Wire)> = shared(lines().into_iter().collect());
    // The line of the worked example in docs/fit.md: every packet is charged at least 148 bytes.
    let asked = Wire { mpu: 148, ..profile::find(PROFILE).expect("a profile").wire() };
    lines.push((format!("{PROFILE} with an mpu of 148"), asked));
    let wires: Vec<Wire> = lines.iter().map(|(_, wire)| *wire).collect();
    let mut settings = String::new();
    for (names, wire) in &lines {
        let topology = topology(names.split(' ').next().expect("a profile"), wire.mpu, RATE);
        let _ = writeln!(settings, "{} {}", setting(&topology, "UP"), setting(&topology, "CHARGE"));
    }
    let mut guest = Guest::new("fit").file("lines", settings);
    let mut rounds = String::new();
    for ip in payloads().into_iter().map(|payload| payload + 28) {
        let (milliseconds, gap) = round(&wires, ip);
        let _ = writeln!(rounds, "{ip} {gap} {milliseconds}");
        let packet = Packet::new("192.0.2.1", "192.0.2.2").udp(7, 9).length(ip.try_into().expect("small"));
        let once: String = (1..=lines.len()).map(|number| packet.line(&format!("line{number}"), 1)).collect();
        guest = guest.file(&format!("orders/{ip}"), once.repeat(AT_ONCE as usize));
    }
    let Some(report) = guest.file("rounds", rounds).run("fit.sh") else { return };

    let mut tables: Vec<String> = vec!["size,pps\n".to_owned(); lines.len()];
    for ip in payloads().into_iter().map(|payload| payload + 28) {
        let (milliseconds, _) = round(&wires, ip);
        let (before, after) =
            (received(&report, &format!("{ip}.before")), received(&report, &format!("{ip}.after")));
        for ((name, before), (_, after)) in before.iter().zip(&after) {
            let index: usize =
                name.strip_prefix("line").and_then(|word| word.parse().ok()).expect("a number");
            let pps = (after - before) as f64 * 1000.0 / milliseconds as f64;
            let _ = writeln!(tables[index - 1], "{ip},{pps:.3}");
        }
    }
    let mut wrong = Vec::new();
    for ((names, wire), table) in lines.iter().zip(&tables) {
        let data = read(table, Size::Ip).unwrap_or_else(|slips| panic!("{names}: {slips:?}\n{table}"));
        judge(names, *wire, RATE, &data, &mut wrong);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Checks that the report about a line is correct, with the line's rate and without it.
fn judge(names: &str, wire: Wire, rate: u64, data: &Data, wrong: &mut Vec<String>) {
    for rate in [Some(Rate::from_bps(rate)), None] {
        let found = report(data, &fit(data, rate).expect("enough"), rate);
        let said = format!(
            "{names}, rate {}: {:?} {} ({} to {}) mpu {}, {} bit/s, scatter {:.2} %, profiles {}",
            rate.is_some(),
            found.layer.layers,
            found.overhead.bytes,
            found.overhead.least,
            found.overhead.most,
            found.mpu,
            found.rate.bps,
            found.measured.scatter_percent,
            found.profiles.join(" ")
        );
        eprintln!("{said}");
        // In virtual time, the only noise comes from counting whole packets.
        let exact = (found.overhead.bytes, found.mpu) == (wire.overhead, wire.mpu);
        if !exact || !right(&found, wire, rate.is_some()) {
            wrong.push(said);
        }
    }
}

/// Runs the measuring script in the lab's house. The table that it writes reveals the overhead of the line.
#[test]
fn the_plan_recovers_the_overhead_of_the_line() {
    // The address that the lab's internet itself sends from.
    let far = "100.64.78.2";
    let plan = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(["fit", "--plan", far, "--rate", &format!("{SLOW}bit")])
        .output();
    let plan = String::from_utf8(plan.expect("qosc runs").stdout).expect("a script is UTF-8");
    // The script sends all sizes, each for fewer seconds. That suffices because it counts whole seconds. For every size
    // it uses python3, as it does for the smallest. With iperf3, a run would take minutes of real time, because iperf3
    // polls the clock until it may send.
    let (before, after) = (format!("\nseconds={SECONDS}\n"), format!("\nseconds={FEWER}\n"));
    assert!(plan.contains(&before) && plan.contains("-ge 16 ]"));
    let wire = profile::find(PROFILE).expect("a profile").wire();
    let topology = topology(PROFILE, wire.mpu, SLOW);
    let mut guest = Guest::new("fit by the plan")
        .limit(Duration::from_secs(150))
        .file("measure.sh", plan.replace(&before, &after).replace("-ge 16 ]", "-ge 9999 ]"));
    let templates = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/lab");
    guest = guest.file("topology.sh", std::fs::read(templates.join("topology.sh")).expect("the house"));
    for (name, text) in topology.files(&BTreeSet::new()) {
        guest = guest.file(name, text);
    }
    guest = guest.variable("SPACE", &topology.machines.first().expect("a host").space);
    let Some(report) = guest.run("fit_plan.sh") else { return };

    let said = ["send.err", "receive.err", "left"].map(|file| report.text(&format!("out/{file}"))).concat();
    assert_eq!(
        (report.text("out/send.code").trim(), report.text("out/receive.code").trim()),
        ("0", "0"),
        "{said}"
    );
    for left in ["iperf3", "tcpdump", "awk"] {
        assert!(!report.text("out/left").contains(left), "{left} is left behind: {said}");
    }
    assert!(said.contains("\n0 packets dropped by kernel\n"), "{said}");
    let table = report.text("out/fit.csv");
    let data = read(&table, Size::Udp).unwrap_or_else(|slips| panic!("{slips:?}\n{table}"));
    let measured: BTreeSet<u64> = data.rows.iter().map(|row| row.ip - 28).collect();
    assert_eq!(measured, payloads().into_iter().collect(), "{table}{said}");
    let mut wrong = Vec::new();
    judge(PROFILE, wire, SLOW, &data, &mut wrong);
    assert!(wrong.is_empty(), "{}\n{table}", wrong.join("\n"));
}
