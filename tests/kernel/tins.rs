//! CAKE schedules a direction. Packets go into the tin of their class, and rates change under traffic. A start switches
//! between CAKE and HTB.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::observed::compare;
use crate::packet::Packet;
use crate::report::Report;
use crate::streams::Streams;
use qosc_compiler::model::Direction;
use std::collections::BTreeMap;

/// The name of each class and its tin; see `house`.
const TINS: [(&str, usize); 4] = [("voice", 4), ("video", 3), ("rest", 2), ("bulk", 1)];

fn house(engine: &str, up: &str, down: &str) -> House {
    on_a_line(engine, "docsis", up, down)
}

fn on_a_line(engine: &str, profile: &str, up: &str, down: &str) -> House {
    let yaml = format!(
        "name: tins\nlink: {{ device: eth0, profile: {profile}, up: {up}, down: {down}, engine: {engine}, trust_dscp: true }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n\
         classes:\n\
         \x20 voice: {{ priority: 0, match: [{{ dscp: ef }}, {{ local: 192.168.1.5 }}] }}\n\
         \x20 video: {{ priority: 1, match: [{{ protocol: udp, remote_port: 5004 }}] }}\n\
         \x20 rest: {{ default: true }}\n\
         \x20 bulk: {{ priority: 7, match: [{{ protocol: tcp, port: 6881-6889 }}, {{ remote: \"2001:db8:9::/48\" }}] }}\n"
    );
    House::of("tins", yaml.into_bytes()).with_calls()
}

/// A packet to send, and the class that it belongs to.
struct Shot {
    direction: Direction,
    class: &'static str,
    packet: Packet,
}

fn shots() -> Vec<Shot> {
    let mut shots = Vec::new();
    for direction in [Direction::Up, Direction::Down] {
        let between = |local: &str, remote: &str| match direction {
            Direction::Up => Packet::new(local, remote),
            Direction::Down => Packet::new(remote, local),
        };
        let ports = |local: u16, remote: u16| {
            if direction == Direction::Up { (local, remote) } else { (remote, local) }
        };
        let v4 = || between("192.0.2.9", "198.51.100.77");
        let v6 = || between("2001:db8:1::9", "2001:db8:77::7");
        let ((from, to), (a, b)) = (ports(40_000, 5004), ports(6883, 40_000));
        let mut shot = |class, packet| shots.push(Shot { direction, class, packet });
        shot("voice", v4().dscp(46));
        shot("voice", v6().dscp(46));
        shot("voice", between("192.168.1.5", "198.51.100.77"));
        // The first class that matches wins.
        shot("voice", v4().dscp(46).udp(from, to));
        shot("video", v4().udp(from, to));
        shot("video", v6().udp(from, to));
        shot("rest", v4());
        shot("rest", v6());
        // CAKE's own mapping of DSCPs to tins does not apply.
        shot("rest", v4().dscp(8));
        shot("rest", v4().dscp(48));
        shot("bulk", v4().tcp(a, b, 0x18, 0).length(100));
        shot("bulk", between("2001:db8:1::9", "2001:db8:9::7").dscp(40));
    }
    shots
}

/// Packets in each tin, up and then down.
fn packets(text: &str) -> [Vec<u64>; 2] {
    let (up, down) = text.split_once("== ifb").expect("two devices");
    [up, down].map(|part| {
        let line = part.lines().find(|line| line.trim_start().starts_with("pkts ")).expect("CAKE's counters");
        line.split_whitespace().skip(1).map(|count| count.parse().expect("a number")).collect()
    })
}

fn each_in_its_tin(report: &Report, shots: &[Shot]) {
    let counted: Vec<_> =
        (0..=shots.len()).map(|n| packets(&report.text(&format!("out/tins/tins-{n}")))).collect();
    let tins: BTreeMap<&str, usize> = TINS.into_iter().collect();
    let mut wrong = Vec::new();
    for (number, shot) in shots.iter().enumerate() {
        let (before, after) = (&counted[number], &counted[number + 1]);
        let direction = usize::from(shot.direction == Direction::Down);
        for (tin, (old, new)) in before[direction].iter().zip(&after[direction]).enumerate() {
            let want = if tins[shot.class] == tin + 1 { 3 } else { 0 };
            if new - old != want {
                wrong.push(format!(
                    "shot {number}, {:?}, for {}: {} more in tin {}",
                    shot.direction,
                    shot.class,
                    new - old,
                    tin + 1
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn cake_puts_packets_into_the_tin_of_their_class() {
    let (cake, htb) = (house("cake", "20mbit", "40mbit"), house("htb", "20mbit", "40mbit"));
    // This profile has no mpu, and a change in place must not keep the previous one.
    let adsl = on_a_line("cake", "adsl-pppoa-vcmux", "20mbit", "40mbit");
    let shots = shots();
    let flows = "up lan/192.168.1.10 5004 net/198.51.100.1 6004 2200 500\n\
                 down net/198.51.100.1 6004 lan/192.168.1.10 5004 2200 500\n";
    let mut guest = cake
        .guest("tins")
        .file("cake.sh", cake.script.as_str())
        .file("htb.sh", htb.script.as_str())
        .file("adsl.sh", adsl.script.as_str())
        .file("flows", flows)
        .variable("SHOTS", &(shots.len() + 1).to_string());
    for (number, shot) in shots.iter().enumerate() {
        let place = if shot.direction == Direction::Up { "eth0" } else { "net/eth0" };
        guest = guest.file(&format!("shots/{}", number + 1), shot.packet.line(place, 3));
    }
    let Some(report) = guest.run("tins.sh") else { return };

    report.expect_code("tins/start", 0);
    each_in_its_tin(&report, &shots);
    report.expect_code("tins/status", 0);
    let status = report.out("tins/status");
    for (name, tin) in TINS {
        let row = |line: &&str| line.split_whitespace().take(2).eq([name, &tin.to_string()]);
        assert_eq!(status.lines().filter(row).count(), 2, "{status}");
    }
    assert!(report.out("tins/second").contains("up to date"), "{}", report.about("tins/second"));
    report.expect_silence("tins/second");
    report.expect_code("tins/stop", 0);
    report.expect_same("out/tins/before.state", "out/tins/after.state");

    for step in [
        "start",
        "rate-1",
        "rate-2",
        "rate-3",
        "back",
        "followed",
        "back-check",
        "adsl",
        "adsl-check",
        "htb",
        "cake",
        "cake-check",
        "stop",
    ] {
        report.expect_code(&format!("streams/{step}"), 0);
    }
    expect_held(&house("cake", "7mbit", "11mbit"), &report, "streams/rate-dump");
    expect_held(&cake, &report, "streams/back-dump");
    expect_held(&adsl, &report, "streams/adsl-dump");
    expect_held(&htb, &report, "streams/htb-dump");
    report.expect_silence("streams/htb-second");
    expect_held(&cake, &report, "streams/cake-dump");
    // Another program has set the rates, and changed nothing else. `check` says so, and `start` takes the file's.
    for step in ["followed-check", "followed-status"] {
        report.expect_code(&format!("streams/{step}"), 1);
        assert!(report.out(&format!("streams/{step}")).contains("drifted"), "{step}");
    }
    let held =
        crate::observed::parse(&cake.program.wan, &cake.program.ifb, &report.out("streams/followed-dump"));
    let changed: Vec<String> =
        compare(&cake.program.on(cake.facts()), &held).iter().map(ToString::to_string).collect();
    assert!(changed.len() == 2 && changed.iter().all(|line| line.contains("bandwidth")), "{changed:?}");
    let streams = Streams::of(&report, "streams");
    for flow in ["up", "down"] {
        for step in 0..=7 {
            assert_eq!(streams.cost(flow, step), (0, 0), "{flow}, {step}: {:?}", streams.flows[flow]);
        }
    }
}
