//! The call `rate` sets other line rates than those of the file. The kernel's state then matches a file with these
//! rates.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::random::Random;
use crate::report::Report;
use crate::streams::{Streams, events, expect_exactly, unshaped};
use qosc_compiler::tc::{Action, Filter, Program};
use std::collections::BTreeMap;

const RATES: [(&str, &str); 4] =
    [("2mbit", "11mbit"), ("45.5mbit", "450mbit"), ("700kbit", "1gbit"), ("19mbit", "99mbit")];

/// A configuration with everything whose numbers depend on the rates.
fn house(ingress: &str, up: &str, down: &str) -> House {
    let yaml = format!(
        "link: {{ device: eth0, profile: docsis, up: {up}, down: {down}, ingress: {ingress} }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n\
         classes:\n\
         \x20 voice: {{ priority: 0, guarantee: 300kbit, ceiling: 50%, match: [{{ dscp: ef }}] }}\n\
         \x20 work:\n\
         \x20   guarantee: 40%\n\
         \x20   classes:\n\
         \x20     web: {{ guarantee: 60%, match: [{{ protocol: tcp, remote_port: 443 }}] }}\n\
         \x20     mail: {{ queue: {{ fq_codel: {{ target: 8ms, limit: 1500 }} }}, match: [{{ protocol: tcp, remote_port: 993 }}] }}\n\
         \x20 bulk: {{ priority: 7, guarantee: 2%, ceiling: 90%, queue: cake, match: [{{ dscp: cs1 }}] }}\n\
         \x20 tv: {{ queue: fifo, match: [{{ protocol: udp, remote_port: 5004 }}] }}\n\
         \x20 rest: {{ default: true }}\n\
         police:\n\
         \x20 guests: {{ direction: down, match: [{{ local: 10.9.0.0/16 }}], rate: 5% }}\n\
         \x20 past: {{ direction: up, match: [{{ local: 10.9.0.0/16 }}], rate: 3%, bypass: true }}\n\
         \x20 fixed: {{ direction: up, match: [{{ local: 10.8.0.0/16 }}], rate: 1mbit }}\n"
    );
    House::of("scaled", yaml.into_bytes()).with_calls()
}

fn run(ingress: &str, legs: &[&str], more: &str) -> Option<(House, Report)> {
    let house = house(ingress, "20mbit", "100mbit");
    let rates: Vec<String> = RATES.iter().map(|(up, down)| format!("{up}:{down}")).collect();
    let wrong: String = WRONG.iter().map(|(words, _)| format!("{words}\n")).collect();
    let guest =
        house.guest(&format!("rate-{ingress}")).variable("RATES", &rates.join(" ")).file("wrong", wrong);
    let report = guest.variable("LEGS", &legs.join(" ")).variable("MORE", more).run("rate.sh")?;
    Some((house, report))
}

/// The indexes of the police in filters, in order.
fn numbers(filters: &mut [Filter]) -> Vec<&mut u32> {
    let actions = filters.iter_mut().flat_map(|filter| &mut filter.actions);
    actions
        .filter_map(|a| if let Action::Police(police) = a { Some(&mut police.index) } else { None })
        .collect()
}

/// Checks that the kernel's state matches the program, except for the indexes of police. An index depends on the rate
/// of its police, so it changes with the rate. Each index must still stand for one police.
#[track_caller]
fn expect_scaled(house: &House, report: &Report, step: &str) {
    report.expect_code(step, 0);
    let held = crate::observed::parse(&house.program.wan, &house.program.ifb, &report.out(step));
    let mut program: Program = house.program.on(house.facts());
    let place = |filter: &Filter| (filter.dev, filter.hook, filter.pref);
    program.filters.sort_by_key(place);
    let mut there = held.filters.clone();
    there.sort_by_key(place);
    let (mut own, there) = (numbers(&mut program.filters), numbers(&mut there));
    assert_eq!(own.len(), there.len(), "{}", report.about(step));
    let mut meaning: BTreeMap<u32, u32> = BTreeMap::new();
    for (own, there) in own.iter_mut().zip(there) {
        assert_eq!(*meaning.entry(*there).or_insert(**own), **own, "{}", report.about(step));
        **own = *there;
    }
    let lines: Vec<String> =
        crate::observed::compare(&program, &held).iter().map(ToString::to_string).collect();
    assert!(lines.is_empty(), "{}\n{}", lines.join("\n"), report.about(step));
}

/// Arguments that are not a pair of rates, and the one that the message names. `None` stands for the usage.
const WRONG: [(&str, Option<&str>); 8] = [
    ("5mbit", None),
    ("5 -", Some("5")),
    ("5mbit 5", Some("5")),
    ("5mbps 5mbit", Some("5mbps")),
    ("0kbit 5mbit", Some("0kbit")),
    ("5mbit 2000gbit", Some("2000gbit")),
    ("5mbit 5mbit more", None),
    ("fast 5mbit", Some("fast")),
];

fn judge(own: &House, report: &Report, ingress: &str, legs: &[&str]) {
    for leg in legs {
        let step = |name: &str| format!("{leg}/{name}");
        report.expect_code(&step("early"), 1);
        assert!(report.text(&format!("out/{leg}/early.err")).contains("start first"));
        report.expect_code(&step("start"), 0);
        for ((up, down), number) in RATES.iter().zip(1..) {
            report.expect_code(&step(&format!("at-{number}")), 0);
            expect_scaled(&house(ingress, up, down), report, &step(&format!("at-{number}-dump")));
            report.expect_code(&step(&format!("check-{number}")), 0);
            let said = report.out(&step(&format!("check-{number}")));
            let meant = format!("in place at rate {up} up and {down} down\n");
            assert!(said.ends_with(&meant), "{said}");
        }
        report.expect_code(&step("one-up"), 0);
        expect_scaled(&house(ingress, "3mbit", "99mbit"), report, &step("one-up-dump"));
        let said = report.out(&step("one-up-check"));
        assert!(said.ends_with("in place at rate 3mbit up and 99mbit down\n"), "{said}");
        report.expect_code(&step("status"), 0);
        assert!(report.out(&step("status")).contains("in place at rate 19mbit up and 99mbit down"));
        assert!(report.out(&step("print")).contains("class change"), "{}", report.about(&step("print")));
        report.expect_code(&step("again"), 0);
        report.expect_silence(&step("again"));
        report.expect_code(&step("back"), 0);
        crate::life_cycle::expect_held(own, report, &step("back-dump"));
        assert!(
            report.out(&step("back-check")).ends_with("in place\n"),
            "{}",
            report.about(&step("back-check"))
        );
        let said = report.out(&step("from-file-check"));
        assert!(said.ends_with("in place at rate 20mbit up and 50mbit down\n"), "{said}");
        assert!(report.out(&step("second")).contains("up to date"), "{}", report.about(&step("second")));
        report.expect_silence(&step("second"));
        report.expect_code(&step("stop"), 0);
        report.expect_code(&step("late"), 1);
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
}

fn judge_faults(own: &House, report: &Report, ingress: &str) {
    report.expect_code("faults/try", 0);
    assert!(report.out("faults/tried").contains("in place, on trial"), "{}", report.about("faults/tried"));
    let said = report.out("faults/gone-back");
    assert!(said.ends_with("in place at rate 5mbit up and 50mbit down\n"), "{said}");
    report.expect_code("faults/refused", 1);
    let said = report.text("out/faults/refused.err");
    assert!(said.contains("everything was put back"), "{said}");
    expect_scaled(&house(ingress, "5mbit", "50mbit"), report, "faults/refused-dump");
    assert!(report.out("faults/refused-check").contains("in place at rate 5mbit up"));
    report.expect_code("faults/killed", 137);
    report.expect_code("faults/unsure", 1);
    report.expect_code("faults/mended", 0);
    crate::life_cycle::expect_held(own, report, "faults/mended-dump");
    report.expect_code("faults/mended-check", 0);

    for ((words, wrong), number) in WRONG.iter().zip(1..) {
        report.expect_code(&format!("wrong/{number}"), 2);
        let said = report.text(&format!("out/wrong/{number}.err"));
        let meant = match wrong {
            None if *words == "5mbit" => "rate takes both directions: rate UP DOWN".to_owned(),
            None => "usage: ".to_owned(),
            Some(wrong) => format!(
                "error: '{wrong}' is not a rate from 1bit to 1000gbit: \
                 write a number and bit, kbit, mbit or gbit, such as 6.5mbit\n"
            ),
        };
        assert!(said.contains(&meant), "`rate {words}` says {said}");
    }
}

#[test]
fn the_rate_call_scales_the_whole_tree() {
    let legs = ["dash", "busybox"];
    let Some((own, report)) = run("shape", &legs, "yes") else { return };
    judge(&own, &report, "shape", &legs);
    judge_faults(&own, &report, "shape");
}

#[test]
fn the_rate_call_scales_a_police_of_all_downloads() {
    let Some((own, report)) = run("police", &["dash"], "no") else { return };
    judge(&own, &report, "police", &["dash"]);
}

/// Sends a stream of about 2 mbit in each direction, while the line rates change again and again, between 4 and 400
/// mbit.
fn loses_nothing(ingress: &str) {
    const TIMES: usize = 40;
    let yaml = format!(
        "name: scaled\nlink: {{ device: eth0, profile: docsis, up: 20mbit, down: 30mbit, ingress: {ingress} }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n\
         classes:\n  normal: {{ guarantee: 60%, ceiling: 90%, match: [{{ protocol: udp, local_port: 5004 }}] }}\n  \
           other: {{ match: [{{ protocol: udp, local_port: 6 }}], queue: fifo }}\n  rest: {{ default: true }}\n\
         police:\n  up: {{ direction: up, match: [{{ protocol: udp }}], rate: 80% }}\n  \
           down: {{ direction: down, match: [{{ protocol: udp }}], rate: 80% }}\n"
    );
    let house = House::of("scaled", yaml.into_bytes()).with_calls();
    let mut random = Random::new(8);
    let mut rates = String::new();
    for _ in 0..TIMES {
        let mut one = || {
            let most = random.pick(&[4_100, 40_000, 400_000]);
            random.within(4_000, most)
        };
        rates += &format!("{}kbit:{}kbit ", one(), one());
    }
    let flows = "up lan/192.168.1.10 5004 net/198.51.100.1 6004 2200 500\n\
                 down net/198.51.100.1 6004 lan/192.168.1.10 5004 2200 500\n";
    let guest =
        house.guest(&format!("rate-streams-{ingress}")).file("flows", flows).variable("RATES", &rates);
    let Some(report) = guest.run("rate_streams.sh") else { return };
    report.expect_code("streams/start", 0);
    for turn in 1..=TIMES {
        report.expect_code(&format!("streams/{turn}"), 0);
    }
    report.expect_code("streams/back", 0);
    expect_exactly(&house, &report, "streams/back");
    // `unshaped` looks for the redirect to the ifb, which only shaped downloads have.
    if ingress == "shape" {
        let gone = unshaped(&house, &events(&report, "streams"));
        assert!(gone.up.is_empty() && gone.down.is_empty(), "{gone:?}");
    }
    let streams = Streams::of(&report, "streams");
    for flow in ["up", "down"] {
        let parts = &streams.flows[flow];
        let sent: u64 = parts.values().map(|part| part.sent).sum();
        let (lost, reordered) =
            (0..=TIMES + 2).map(|step| streams.cost(flow, step)).fold((0, 0), |a, b| (a.0 + b.0, a.1 + b.1));
        let late = parts.values().map(|part| part.late).max().unwrap_or_default();
        eprintln!(
            "{ingress}, {flow}: {TIMES} rates, {sent} packets, {lost} lost, {reordered} reordered, {late} us at most"
        );
        assert_eq!((lost, reordered), (0, 0), "{flow}: {parts:?}");
        assert!(sent > 1_000, "only {sent}");
    }
}

#[test]
fn the_rate_call_loses_no_packet() {
    loses_nothing("shape");
}

#[test]
fn the_rate_call_loses_no_packet_with_policed_downloads() {
    loses_nothing("police");
}
