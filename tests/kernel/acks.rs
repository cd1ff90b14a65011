//! The filters of `tcp: ack` and the packets of Linux's own TCP. They take every pure acknowledgement, and hardly any
//! packet with payload.

use crate::counters::Counters;
use crate::house::House;
use qosc_compiler::tc::{Dev, Filter, FilterProtocol, Hook};
use qosc_compiler::units::Family;
use std::collections::BTreeMap;
use std::fmt::Write as _;

fn house() -> House {
    let text = "name: acks\n\
         link: { device: eth0, profile: ethernet, up: 900mbit, down: 900mbit }\n\
         lan: { device: br-lan, nat: false }\n\
         classes:\n  \
           acks: { match: { tcp: ack } }\n  \
           rest: { default: true }\n";
    House::of("acks", text.into())
}

/// The filters of the class, with their families.
fn filters(house: &House) -> Vec<(&Filter, Family)> {
    let of_class = |filter: &&Filter| {
        let mut named = house.program.classes.iter().filter(|class| class.why.name == "acks");
        filter.hook == Hook::Root
            && named.any(|class| class.dev == filter.dev && Some(class.id) == filter.flowid)
    };
    let family = |filter: &Filter| match filter.protocol {
        FilterProtocol::Ip => Family::Ipv4,
        FilterProtocol::Ipv6 => Family::Ipv6,
        _ => panic!("{filter:?}"),
    };
    house.program.filters.iter().filter(of_class).map(|filter| (filter, family(filter))).collect()
}

/// The filters as `acks.c` reads them.
fn written(filters: &[(&Filter, Family)]) -> String {
    let mut lines = String::new();
    for (filter, family) in filters {
        let direction = if filter.dev == Dev::Wan { "up" } else { "down" };
        let family = if *family == Family::Ipv4 { 4 } else { 6 };
        let _ = write!(lines, "{direction} {family}");
        for (offset, word) in &filter.selector.words {
            let _ = write!(lines, " {offset} {:#x} {:#x}", word.value, word.mask);
        }
        lines.push('\n');
    }
    lines
}

/// A line of `acks.c`: the scenario with its conditions, the direction and the counts.
struct Line<'a> {
    text: &'a str,
    scenario: &'a str,
    direction: &'a str,
    counts: BTreeMap<&'a str, u64>,
}

impl Line<'_> {
    fn read(text: &str) -> Line<'_> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [scenario, direction, counts @ ..] = words.as_slice() else { panic!("{text}") };
        let counts = counts.chunks(2).map(|pair| {
            let [name, count] = pair else { panic!("{text}") };
            (*name, count.parse().unwrap_or_else(|_| panic!("{text}")))
        });
        Line { text, scenario, direction, counts: counts.collect() }
    }

    fn has(&self, name: &str) -> u64 {
        *self.counts.get(name).unwrap_or_else(|| panic!("no {name}: {}", self.text))
    }

    /// True if TCP may cut packets anew that it has once cut: after a loss, or if the path MTU or the options change.
    fn may_cut_anew(&self) -> bool {
        ["/loss", "/ecn", "/reordered", "path/"].iter().any(|word| self.scenario.contains(word))
    }
}

/// Number of scenarios of `acks.sh` with their conditions, each in two families and two directions.
const LINES: usize = 4 * 34;

#[test]
fn filters_take_every_acknowledgement_of_a_real_tcp() {
    let house = house();
    let filters = filters(&house);
    assert_eq!(filters.len(), 4, "one for each family and direction");
    let Some(report) = house.guest("acks").file("filters", written(&filters)).run("acks.sh") else { return };
    report.expect_code("dash/start", 0);
    let text = report.text("out/counts");
    let lines: Vec<Line<'_>> = text.lines().map(Line::read).collect();
    assert_eq!(lines.len(), LINES, "{text}\n{}", report.console());
    let mut wrong = Vec::new();
    for line in &lines {
        // Linux sets PSH on no pure acknowledgement. All packets were read, and only these kinds taken.
        let none = ["missed", "pushed", "wrong", "lost"].iter().all(|name| line.has(name) == 0);
        let (data, taken) = (line.has("data"), line.has("taken"));
        let rare = if line.may_cut_anew() { taken <= 1 + data / 50 } else { taken == 0 };
        let tiny = line.has("most") <= if line.scenario.ends_with("ipv4") { 87 } else { 43 };
        let some = line.has("acks") > 0 && (data > 0) != line.scenario.starts_with("keepalive");
        if !(none && rare && tiny && some) {
            wrong.push(line.text);
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.join("\n"), report.console());

    // The kernel's filters took the same packets as those of `acks.c`.
    let [before, after] = ["before", "after"]
        .map(|name| Counters::of(&house.program, &report.text(&format!("out/{name}.counters"))));
    for direction in ["up", "down"] {
        let own = lines.iter().filter(|line| line.direction == direction);
        let counted: u64 = own.map(|line| line.has("acks") - line.has("missed") + line.has("taken")).sum();
        let landed = after.since(&before, direction == "up");
        assert_eq!(landed.get("acks"), Some(&counted), "{direction}: {landed:?}\n{text}");
    }
}
