//! `share: per-host` with real flows. The hosts are behind one IPv4 address, and have IPv6 addresses of their own. The
//! test also measures the pings of busy hosts, and of idle hosts that share the line with them.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::load::{got, jain, over_idle};
use crate::uml::Machine;

/// Serialization delay of a full packet upwards in microseconds: 1538 bytes at 97 % of 6.5 mbit.
const UP_PACKET: u64 = 1951;

/// Pings of each place, 10 ms apart. They must be many: of 200, the third slowest is the 99th percentile, and a single
/// disturbance of 30 ms delays three.
const PINGS: usize = 600;

const HOUSE: &str = "
link: { device: eth1, up: 6.5mbit, down: 30mbit, profile: ethernet, margin: 3% }
lan: { device: br-lan, networks: [192.168.1.0/24, \"2001:db8:1::/64\"], nat: true }
hosts: { phone: { address: [192.168.1.40, \"2001:db8:1::40\"] } }
tunnels:
  one: { kind: ipip, device: t-ipip, remote: 198.51.100.11 }
  six: { kind: sit, device: t-sit, remote: 198.51.100.12 }
classes:
  normal: { default: true, share: per-host }
";

/// The machine, the rates of its link, and the seconds before and while the bytes of flows are counted.
struct Setting {
    machine: Machine,
    up: &'static str,
    down: &'static str,
    seconds: &'static str,
}

const VIRTUAL: Setting = Setting { machine: Machine::Virtual, up: "6.5mbit", down: "30mbit", seconds: "2 7" };

/// A leg of the test: its flows and the hosts that ping. `least` is the smallest Jain's index that passes, in
/// ten-thousandths. `most` is the limit in microseconds for the 99th percentile of upload pings above idle.
struct Leg {
    least: u64,
    most: u64,
    name: String,
    flows: String,
    pings: String,
}

/// One host with one flow and one with eight. The second host pings, and so does a host without flows.
fn one_and_eight(name: &str, house: &str, far: &str, direction: &str) -> Leg {
    Leg {
        least: 9_900,
        most: 6_000,
        name: format!("{name}-{direction}"),
        flows: format!(
            "one lan/{house}10 net/{far} 5001 1 {direction}\neight lan/{house}11 net/{far} 5002 8 {direction}\n"
        ),
        pings: format!("lan/{house}11 net/{far}\nlan/{house}12 net/{far}\n"),
    }
}

/// The index of one host with one flow and of one with eight, if CAKE keeps both in one host entry and shares by flow.
/// One pair of hosts in 1024 hashes to the same entry.
const BY_FLOW: std::ops::Range<u64> = 6_100..6_400;

/// Runs the legs and checks each: all hosts get equal shares, and upload pings take little longer than idle ones. Two
/// hosts that share by flow are measured again: the next guest hashes with another key.
fn judge(setting: &Setting, name: &str, legs: &[Leg]) {
    if !measure(setting, name, legs, BY_FLOW) {
        eprintln!("{name}: two hosts have one entry; again on another guest");
        measure(setting, name, legs, 0..0);
    }
}

/// Returns false if a Jain's index is in `unlucky`.
fn measure(setting: &Setting, name: &str, legs: &[Leg], unlucky: std::ops::Range<u64>) -> bool {
    let Setting { machine, up, down, seconds } = *setting;
    let yaml = HOUSE.replace("6.5mbit", up).replace("30mbit", down);
    let house = House::of("fairness", yaml.into_bytes());
    let mut guest = house.guest(name).on(machine).variable("LINE", "10ms 30mbit");
    guest = guest.variable("PINGS", &PINGS.to_string()).variable("SPAN", seconds);
    let names: Vec<&str> = legs.iter().map(|leg| leg.name.as_str()).collect();
    for leg in legs {
        guest = guest.file(&format!("flows/{}", leg.name), leg.flows.as_str());
        guest = guest.file(&format!("pings/{}", leg.name), leg.pings.as_str());
    }
    let Some(report) = guest.variable("LEGS", &names.join(" ")).run("fairness.sh") else { return true };
    report.expect_code("start/start", 0);
    if legs.iter().any(|leg| unlucky.contains(&jain(&got(&report, &leg.name)))) {
        return false;
    }
    let mut wrong = Vec::new();
    for leg in legs {
        let name = &leg.name;
        let got = got(&report, name);
        let index = jain(&got);
        eprintln!("{name}: Jain {index} of 10000, {got:?}");
        if index < leg.least {
            wrong.push(format!("{name}: Jain's index is {index} of 10000: {got:?}"));
        }
        for (number, who) in leg.pings.lines().enumerate() {
            let [idle, busy] = ["idle", "busy"].map(|ping| format!("{ping}-{}", number + 1));
            let (median, p99) = over_idle(&report, name, [&idle, &busy], PINGS);
            eprintln!("{name}: {who}: {p99} us over idle at p99, {median} at the median");
            if name.ends_with("up") && p99 > leg.most {
                wrong.push(format!(
                    "{name}: {who}: p99 {p99} us over idle, of which a packet takes {UP_PACKET}"
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    report.expect_code("start/stop", 0);
    true
}

/// Checks the shares of IPv4 hosts on a machine in real time. Other work of the host disturbs pings, so there are none.
/// The rates are low, so that only the shaper holds back the flows, even if the host is busy.
pub fn share_equally_on(machine: Machine, name: &str) {
    let legs = ["up", "down"].map(|direction| Leg {
        least: 9_700,
        pings: String::new(),
        ..one_and_eight("v4", "192.168.1.", "198.51.100.1", direction)
    });
    judge(&Setting { machine, up: "6.5mbit", down: "12mbit", seconds: "1 3" }, name, &legs);
}

#[test]
fn busy_hosts_share_equally() {
    let mut legs = Vec::new();
    for direction in ["up", "down"] {
        legs.push(one_and_eight("v4", "192.168.1.", "198.51.100.1", direction));
        legs.push(one_and_eight("v6", "2001:db8:1::", "2001:db8:ffff::1", direction));
    }
    judge(&VIRTUAL, "fairness", &legs);
}

#[test]
fn many_busy_hosts_do_not_delay_an_idle_host() {
    let flows: String = (10..30)
        .map(|host| format!("{host} lan/192.168.1.{host} net/198.51.100.1 50{host} 3 up\n"))
        .collect();
    let pings = "lan/192.168.1.40 net/198.51.100.1\n".to_owned();
    // Hosts that start together and hash to the same of CAKE's 1024 host entries share one host's rate until one of
    // them pauses. This happens in about one run of six, to two of these twenty hosts. Four such pairs give an index of
    // 0.914.
    let mut legs = vec![Leg { least: 9_100, most: 6_000, name: "crowd-up".to_owned(), flows, pings }];
    for direction in ["up", "down"] {
        legs.push(one_and_eight("sit", "2001:db8:2::", "2001:db8:cafe::1", direction));
    }
    judge(&VIRTUAL, "crowd", &legs);
}

/// With NAT, CAKE looks up the connection of a packet, which for tunneled packets is the tunnel's. Tunneled packets
/// therefore have a separate class beside all others.
#[test]
fn busy_hosts_share_equally_inside_ipip() {
    let mut legs = Vec::new();
    for direction in ["up", "down"] {
        legs.push(one_and_eight("ipip", "192.168.1.", "203.0.113.1", direction));
        let flows = format!(
            "inside lan/192.168.1.10 net/203.0.113.1 5001 1 {direction}\nbeside lan/192.168.1.11 net/198.51.100.1 5002 8 {direction}\n"
        );
        let pings = "lan/192.168.1.12 net/203.0.113.1\nlan/192.168.1.12 net/198.51.100.1\n".to_owned();
        // Two leaf classes are busy, so a ping also waits for the packets that the other may send in a row.
        let most = 5_922 + 2 * UP_PACKET;
        legs.push(Leg { least: 9_900, most, name: format!("beside-{direction}"), flows, pings });
    }
    judge(&VIRTUAL, "ipip", &legs);
}
