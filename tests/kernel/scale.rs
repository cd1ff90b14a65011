//! Many hosts, each with a host class: the cost of a packet compared with a single host, and of a start compared with
//! its batch.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::counters::packets;
use crate::house::{House, compiled};
use crate::packet::Packet;
use crate::report::{Report, uptime};
use crate::times::{self, turns};
use crate::uml::{Guest, Machine};
use qosc_compiler::model::Model;
use qosc_compiler::tc::{Dev, Facts, Program};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

/// Packets that are sent in each turn, copies of each that the router gets, and the number of turns.
const COUNT: usize = 10_000;
const COPIES: usize = 4;
const TURNS: usize = 6;

const FACTS: Facts = Facts { header: 14, split_in_leaves: false };

/// A compiled house. Only its uploads are shaped, because downloads would use the same filters on another device.
struct Many {
    device: String,
    hosts: usize,
    model: Model,
    program: Program,
}

fn address(host: usize) -> String {
    format!("10.1.{}.{}", host / 250, host % 250 + 1)
}

/// The file of a house. Its hosts are matched by address, or by mark if they are behind NAT.
fn yaml(device: &str, hosts: usize, nat: bool) -> String {
    let mut text = format!(
        "name: many\n\
         link: {{ device: {device}, profile: ethernet, up: 10gbit, down: 10gbit, ingress: none }}\n\
         lan: {{ device: lan0, networks: [10.1.0.0/16], nat: {nat} }}\n\
         tuning: {{ offloads: keep }}\n\
         classes: {{ rest: {{ default: true, share: per-flow }} }}\n\
         hosts:\n"
    );
    for host in 0..hosts {
        let _ = writeln!(text, "  h{host}: {{ address: {}, ceiling: 50% }}", address(host));
    }
    text
}

impl Many {
    fn new(hosts: usize, nat: bool) -> Many {
        let device = format!("wan{hosts}");
        let text = yaml(&device, hosts, nat);
        let (model, program) = compiled("many", text.as_bytes());
        Many { device, hosts, model, program }
    }

    fn batch(&self) -> String {
        qosc_compiler::emit::batch(&self.program, FACTS, "many.yaml")
    }

    fn filters(&self) -> String {
        let batch = self.batch();
        batch.lines().filter(|line| line.starts_with("filter ")).map(|line| format!("{line}\n")).collect()
    }

    /// A packet of each host, in an order that no list of hosts would have.
    fn orders(&self, to: &str) -> String {
        let marks = self.model.marks.as_ref().and_then(|marks| marks.address.as_ref());
        let hosts = (0..self.hosts).map(|place| place * 7919 % self.hosts);
        let packet = |host: usize| {
            let mark = marks.and_then(|field| field.hosts(&[host]).first().copied()).unwrap_or_default();
            Packet::new(&address(host), to).udp(1000, 2000).length(64).mark(mark).line("many", 1)
        };
        hosts.map(packet).collect()
    }

    /// Checks that after this many turns, all packets of each host were counted in its class.
    #[track_caller]
    fn expect_sorted(&self, counters: &str, turns: usize) {
        let each = (COUNT / self.hosts * COPIES * turns) as u64;
        let counted = packets(&self.program, Dev::Wan, counters);
        let mut seen = 0;
        for (class, packets) in counted.iter().filter(|(class, _)| class.contains("/h")) {
            assert_eq!(*packets, each, "{}: {class}", self.device);
            seen += 1;
        }
        assert_eq!(seen, self.hosts, "{}", self.device);
    }
}

/// The shortest turn of each kind and device. Other work of the machine can only make a turn longer.
fn shortest(report: &Report) -> BTreeMap<(String, String), u64> {
    let mut times = BTreeMap::new();
    for line in report.text("out/scale/times").lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let [kind, device, time] = words.as_slice() else { panic!("a turn that failed: {line}") };
        let time: u64 = time.parse().expect("nanoseconds");
        times
            .entry(((*kind).to_owned(), (*device).to_owned()))
            .and_modify(|least: &mut u64| *least = time.min(*least))
            .or_insert(time);
    }
    times
}

#[test]
fn ten_thousand_hosts_add_little_cost_to_a_packet() {
    let plain = [1, 100, 10_000].map(|hosts| Many::new(hosts, false));
    let marked = [1, 100, 10_000].map(|hosts| Many::new(hosts, true));
    let mut guest = Guest::new("scale")
        .on(Machine::Uml)
        .memory(1024)
        .variable("WAN", "eth0")
        .variable("WAN_KIND", "ethernet");
    guest = guest.variable("LAN", "lan0").variable("COPIES", &COPIES.to_string());
    guest = guest.variable("TURNS", &turns(TURNS).to_string());
    let mut pairs = String::new();
    for (number, (plain, marked)) in plain.iter().zip(&marked).enumerate() {
        assert_eq!(plain.program.classes, marked.program.classes);
        let file = |what: &str| format!("{}.{what}", plain.device);
        let to = format!("203.0.113.{}", number + 1);
        guest = guest.file(&file("batch"), plain.batch()).file(&file("filters"), marked.filters());
        guest = guest.file(&file("address"), plain.orders(&to)).file(&file("mark"), marked.orders(&to));
        let _ = write!(pairs, "{}:{} ", plain.device, COUNT / plain.hosts);
    }
    // A device without a shaper shows the cost of everything else.
    let to = format!("203.0.113.{}", plain.len() + 1);
    for what in ["address", "mark"] {
        guest = guest.file(&format!("none.{what}"), plain[0].orders(&to));
    }
    guest = guest.file("none.batch", "").file("none.filters", "");
    let Some(report) = guest.variable("HOUSES", &format!("{pairs} none:{COUNT}")).run("scale.sh") else {
        return;
    };
    let times = shortest(&report);
    for (kind, houses, turns) in [("address", &plain, turns(TURNS)), ("mark", &marked, 2 * turns(TURNS))] {
        let time = |device: &str| times[&(kind.to_owned(), device.to_owned())];
        let one = time(&houses[0].device);
        let each = |time: u64| time / (COUNT * COPIES) as u64;
        eprintln!("by {kind}: {} ns a packet past no class", each(time("none")));
        for house in houses {
            report.expect_code(&format!("scale/{}-load", house.device), 0);
            report.expect_code(&format!("scale/{}-filters", house.device), 0);
            house.expect_sorted(&report.out(&format!("scale/{}-{kind}", house.device)), turns);
            let own = time(&house.device);
            let percent = one * 100 / own.max(1);
            eprintln!(
                "by {kind}: {} ns a packet with hosts: {}, {percent} % of the packets a second of one host",
                each(own),
                house.hosts,
            );
            assert!(percent >= 50 || !times::asserted(), "{own} ns, {one} ns with one host");
        }
    }
}

#[test]
fn starting_ten_thousand_hosts_takes_little_over_its_batch() {
    let house = House::of("many", yaml("eth0", 10_000, false).into_bytes());
    let batch = qosc_compiler::emit::batch(&house.program, FACTS, "many.yaml");
    let guest = house.guest("start-many").on(Machine::Uml).memory(1024);
    let guest =
        guest.file("batch", batch).variable("TURNS", &turns(4).to_string()).limit(Duration::from_secs(900));
    let Some(report) = guest.run("start_many.sh") else { return };
    for turn in 1..=turns(4) {
        for step in ["batch", "start", "check", "stop"] {
            report.expect_code(&format!("many/{step}-{turn}"), 0);
        }
    }
    let text = report.text("out/many/times");
    // Uses the shortest of four times. Other work of the machine can only make one longer.
    let took = |what: &str| -> u64 {
        let times = text.lines().filter_map(|line| line.strip_prefix(what)).map(|times| {
            let ends: Vec<u64> = times.split_whitespace().map(uptime).collect();
            ends[1] - ends[0]
        });
        times.min().expect("a time")
    };
    let (batch, start) = (took("batch "), took("start "));
    eprintln!("10,000 hosts: a start takes {} % of their batch, {batch} cs", start * 100 / batch.max(1));
    assert!(start * 2 <= batch * 3 || !times::asserted(), "{start} cs, the bare batch {batch} cs");
}
