//! Flows inside a tunnel get separate queues in the class that they share. Traffic inside and beside a tunnel shares
//! the line: there is one tree, and each packet is counted once, with all its headers.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::packet::Packet;
use crate::report::{Report, uptime};

/// Serialization delay in microseconds: 1538 bytes at 2 mbit, the shaped rate of both directions.
const RATE: u64 = 2_000_000;
const PACKET_TIME: i64 = 6_152;
/// Overhead of the line above an IP packet, in bytes.
const OVERHEAD: u64 = 38;

/// The tunnels: the device, whether its inner packets are IPv6, and the bytes of all headers before the inner packet.
const TUNNELS: [(&str, bool, usize); 8] = [
    ("t-ipip", false, 20),
    ("t-sit", true, 20),
    ("t-gre", false, 24),
    ("t-vxlan", false, 50),
    ("t-6", false, 48),
    ("t-6gre", false, 52),
    ("t-6gre-key", false, 48),
    ("t-6vxlan", false, 70),
];

const HOUSE: &str = r#"
link: { device: eth0, profile: ethernet, up: 2mbit, down: 2mbit, margin: 0%, overhead: 38, mpu: 0 }
lan: { device: br-lan, networks: [192.168.0.0/16, "2001:db8:1::/64"], nat: false }
tunnels:
  ipip: { kind: ipip, remote: 198.51.100.11 }
  sit: { kind: sit, remote: 198.51.100.12 }
  gre: { kind: gre, remote: 198.51.100.12/30, inner: flows }
  vxlan: { kind: vxlan, remote: [198.51.100.15, "2001:db8:ffff::15"] }
  ip6tnl: { kind: ip6tnl, remote: "2001:db8:ffff::10/124" }
  ip6gre: { kind: ip6gre, remote: "2001:db8:ffff::10/124", inner: flows }
classes:
  calls: { match: { protocol: udp, remote_port: 5060 } }
  rest: { default: true }
"#;

/// Round-trip times of pings in microseconds, sorted.
#[track_caller]
fn times(report: &Report, step: &str) -> Vec<i64> {
    let text = report.out(&format!("apart/{step}"));
    let shown = text.split("time=").skip(1).map(|rest| rest.split_whitespace().next().expect("a time"));
    let micros = |time: &str| {
        let (ms, thousandths) = time.split_once('.').expect("milliseconds with three digits");
        ms.parse::<i64>().expect("a number") * 1000 + thousandths.parse::<i64>().expect("a number")
    };
    let mut times: Vec<i64> = shown.map(micros).collect();
    times.sort_unstable();
    assert!(times.len() >= 15, "{step}: {text}");
    times
}

fn middle(times: &[i64]) -> i64 {
    times[times.len() / 2]
}

/// Bytes and packets that the root class has sent, up and down, and the time of the reading in hundredths of a second.
fn counted(report: &Report, step: &str) -> [(u64, u64, u64); 2] {
    let text = report.text(&format!("out/apart/{step}.counters"));
    let (up, down) = text.split_once("== ifb").expect("two devices");
    let (first, last) = (text.lines().next().map(uptime), text.lines().last().map(uptime));
    [(up, first), (down, last)].map(|(part, at)| {
        let root = part.split("class htb c05:a000 ").nth(1).expect("the class of the whole tree");
        let mut words = root.split("Sent ").nth(1).expect("counters").split_whitespace();
        let bytes = words.next().and_then(|word| word.parse().ok()).expect("bytes");
        let packets = words.nth(1).and_then(|word| word.parse().ok()).expect("packets");
        (bytes, packets, at.expect("a time"))
    })
}

/// The kilobits per second that an iperf3 client saw at the receiver.
fn received(report: &Report, file: &str) -> u64 {
    let text = report.text(&format!("out/apart/{file}"));
    let line = text.lines().find(|line| line.contains("receiver")).unwrap_or_else(|| panic!("{text}"));
    let words: Vec<&str> = line.split_whitespace().collect();
    let unit = words.iter().position(|word| *word == "Kbits/sec").expect("kilobits");
    words[unit - 1].split('.').next().and_then(|word| word.parse().ok()).expect("a number")
}

#[test]
fn flows_inside_tunnels_get_separate_queues() {
    let house = House::of("apart", HOUSE.as_bytes().to_vec());
    let mut guest =
        house.guest("tunnel-flows").variable("TUNNELS", &TUNNELS.map(|(name, ..)| name).join(" "));
    for (name, v6, _) in TUNNELS {
        let (here, there) =
            if v6 { ("2001:db8:1::10", "2001:db8:9::1") } else { ("192.168.1.10", "10.9.0.1") };
        let both = |length: usize, count: usize| {
            let up = Packet::new(here, there).udp(7, 9).length(length).line(name, count);
            up + &Packet::new(there, here).udp(9, 7).length(length).line(&format!("net/{name}"), count)
        };
        guest = guest.file(&format!("orders/{name}"), both(1200, 1));
        guest = guest.file(&format!("exact/{name}"), both(1000, 10));
    }
    let Some(report) = guest.run("tunnel_flows.sh") else { return };
    report.expect_code("apart/start", 0);

    let mut wrong = Vec::new();
    for (name, _, headers) in TUNNELS {
        let before = counted(&report, &format!("{name}-before"));
        let after = counted(&report, &format!("{name}-after"));
        for (direction, (new, old)) in ["up", "down"].into_iter().zip(after.into_iter().zip(before)) {
            let (bytes, packets) = (new.0 - old.0, new.1 - old.1);
            let meant = 10 * (14 + headers as u64 + 1000);
            if (bytes, packets) != (meant, 10) {
                wrong.push(format!(
                    "{name} {direction}: {bytes} bytes of {packets} packets, not {meant} of 10"
                ));
            }
        }
        let (idle, busy) = (times(&report, &format!("{name}-idle")), times(&report, &format!("{name}-busy")));
        let (idle, busy) = (middle(&idle), middle(&busy));
        eprintln!("{name}: ping {idle} us idle, {busy} us beside a flood each way");
        // In each direction, a ping may also wait for the packet that is being sent.
        if busy > idle + 3 * PACKET_TIME {
            wrong.push(format!("{name}: {busy} us, idle {idle} us"));
        }
    }
    let services = ["service-1", "service-12", "service-13"].map(|step| middle(&times(&report, step)));
    eprintln!("three kinds of service: {services:?} us");
    let (least, most) = (services.iter().min().expect("three"), services.iter().max().expect("three"));
    if most - least > PACKET_TIME || *most > 4 * PACKET_TIME {
        wrong.push(format!("kinds of service: {services:?}"));
    }
    for (index, direction) in ["up", "down"].into_iter().enumerate() {
        let from = counted(&report, &format!("{direction}-from"))[index];
        let to = counted(&report, &format!("{direction}-to"))[index];
        // HTB counts 14 bytes above each IP packet, and the line has `OVERHEAD`.
        let bytes = to.0 - from.0 + (to.1 - from.1) * (OVERHEAD - 14);
        let rate = bytes * 8 * 100 / (to.2 - from.2);
        let [inside, beside] =
            ["inside", "beside"].map(|which| received(&report, &format!("{direction}-{which}")));
        eprintln!("{direction}: {rate} bit/s on the line; {inside} kbit/s inside, {beside} kbit/s beside");
        if rate.abs_diff(RATE) > RATE / 50 {
            wrong.push(format!("{direction}: {rate} bit/s"));
        }
        let share = inside * 100 / (inside + beside);
        if !(40..=60).contains(&share) {
            wrong.push(format!("{direction}: {share} % is inside the tunnel"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
