//! Numbered streams through the router, at 60 % of the line in each direction, while it moves from one random
//! configuration to the next. Unless a tree is rebuilt, no packet of the streams is lost or reordered.
//!
//! `QOSC_SEED` and `QOSC_STEPS` choose another walk.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::house::House;
use crate::random::{Config, KEPT, PORTS, Random, WATCHED};
use crate::report::Report;
use crate::share::{SHARES, share};
use crate::streams::{Streams, Unshaped, events, expect_exactly, unshaped};
use qosc_compiler::compile::Options;
use qosc_compiler::tc::{Dev, Handle, HtbClass, Parent, Program, QdiscKind};
use qosc_preview::compare::{Comparison, compare};
use qosc_preview::diff::Cost;
use std::collections::BTreeMap;
use std::time::Duration;

/// The number of changes in both guests together.
const CHANGES: usize = 200;
/// Packets per second in each direction.
const PACE: u64 = 460;
/// Bytes of the UDP payload, and of the whole IP packet.
const SIZE: u64 = 500;
const LENGTH: u64 = SIZE + 28;
/// The packets that a rebuild may lose of each stream: those that are in flight. A stream below the rate does not queue
/// for long.
const IN_FLIGHT: u64 = 12;

/// The seed of the random numbers here and in other tests.
pub fn seed() -> u64 {
    std::env::var("QOSC_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(3)
}

fn changes() -> usize {
    std::env::var("QOSC_STEPS").ok().and_then(|steps| steps.parse().ok()).unwrap_or(CHANGES / 2)
}

/// Returns true if the text compiles. It may leave a class too little, or have the same match twice.
fn compiles(yaml: &str) -> bool {
    qosc_compiler::compile(yaml, &Options::of("walk.yaml")).finished().is_some()
}

fn class<'a>(program: &'a Program, dev: Dev, name: &str) -> &'a HtbClass {
    crate::counters::class(program, dev, name)
}

/// The class of the streams: that of their host, if it has one.
fn watched(program: &Program, dev: Dev) -> &HtbClass {
    let name = format!("{KEPT}/{WATCHED}");
    let own = program.classes.iter().any(|class| class.dev == dev && class.why.name == name);
    class(program, dev, if own { &name } else { KEPT })
}

/// The share of the rate that the stream takes, in millionths.
fn load(program: &Program, dev: Dev) -> u64 {
    let tree = program.classes.iter().find(|class| class.dev == dev).expect("the tree");
    let charge = program.charge.with_header(0);
    let qosc_compiler::tc::Overhead::Fixed(overhead) = charge.overhead else { unreachable!("fixed") };
    let mut bytes = LENGTH + u64::from(overhead);
    if program.charge.linklayer == qosc_compiler::tc::LinkLayer::Atm {
        bytes = bytes.div_ceil(48) * 53;
    }
    PACE * bytes * 8 * 1_000_000 / tree.rate.bps()
}

/// Returns true if the streams keep their place and get enough of the line in both directions.
fn keeps(before: Option<&House>, house: &House) -> bool {
    [Dev::Wan, Dev::Ifb].iter().all(|dev| {
        let program = &house.program;
        let own = watched(program, *dev);
        let tree = program.classes.iter().find(|class| class.dev == *dev).expect("the tree");
        let mut enough = true;
        let mut above = Some(own);
        while let Some(class) = above {
            enough &= class.ceil.bps() * 100 >= tree.rate.bps() * 70;
            above = program
                .classes
                .iter()
                .find(|other| other.dev == *dev && Parent::At(other.id) == class.parent);
        }
        // The kind of queue belongs to the place, because another kind is another queue.
        let place = |house: &House| {
            let own = watched(&house.program, *dev);
            let at = Parent::At(own.id);
            let queue = house.program.qdiscs.iter().find(|qdisc| qdisc.dev == *dev && qdisc.parent == at);
            (own.id, own.parent, queue.map(|queue| std::mem::discriminant(&queue.kind)))
        };
        enough && load(program, *dev) <= 630_000 && before.is_none_or(|before| place(before) == place(house))
    })
}

/// Returns true if the root qdisc of a direction must be rebuilt. Only then may a stream that keeps its class lose
/// packets.
fn rebuilds(before: &House, house: &House, dev: Dev) -> bool {
    let root = |house: &House| {
        let program = house.program.on(house.facts());
        program.qdiscs.iter().find(|q| q.dev == dev && q.parent == Parent::Root).map(|q| q.kind.clone())
    };
    root(before) != root(house)
}

/// The place of each class in the tree, whether it has classes, and all of its queue that cannot change in place.
fn structure(house: &House, dev: Dev) -> BTreeMap<Handle, (Parent, String)> {
    let program = house.program.on(house.facts());
    let queue = |id: Handle| {
        let queue = program.qdiscs.iter().find(|q| q.dev == dev && q.parent == Parent::At(id));
        queue.map_or_else(String::new, |queue| match &queue.kind {
            QdiscKind::FqCodel { flows, .. } => format!("fq_codel {flows}"),
            QdiscKind::Cake { isolation, .. } => format!("cake {isolation:?}"),
            kind => format!("{:?}", std::mem::discriminant(kind)),
        })
    };
    let classes = program.classes.iter().filter(|class| class.dev == dev);
    classes.map(|class| (class.id, (class.parent, queue(class.id)))).collect()
}

/// Returns true if a class of both trees has another structure, so that a direction gets a new tree.
fn swaps(before: &House, house: &House, dev: Dev) -> bool {
    let (was, is) = (structure(before, dev), structure(house, dev));
    !rebuilds(before, house, dev) && is.iter().any(|(id, is)| was.get(id).is_some_and(|was| was != is))
}

/// The comparison that `qosc diff` prints for a step.
fn compared(before: &House, house: &House) -> Comparison {
    compare((&before.model, &before.program), (&house.model, &house.program))
}

/// The most expensive change of a step, as `qosc diff` marks it. No change of the streams' own class may have an effect
/// on traffic.
fn dearest(before: &House, house: &House) -> Cost {
    let changes = compared(before, house).changes;
    let own = changes
        .iter()
        .find(|change| [KEPT, WATCHED].contains(&change.name.as_str()) && change.price.cost != Cost::InPlace);
    assert_eq!(own, None, "the stream's class stays as it is");
    let cost = changes.iter().map(|change| change.price.cost).max().unwrap_or(Cost::InPlace);
    let anew = [Dev::Wan, Dev::Ifb].iter().any(|dev| rebuilds(before, house, *dev));
    assert_eq!(cost == Cost::Rebuild, anew, "{changes:#?}");
    let swapped = [Dev::Wan, Dev::Ifb].iter().any(|dev| swaps(before, house, *dev));
    assert_eq!(cost == Cost::Swap, !anew && swapped, "{changes:#?}");
    cost
}

/// The part of a walk that this run takes. Each part begins where the one before ends.
fn of_share(mut houses: Vec<House>) -> Vec<House> {
    let Some(share) = share() else { return houses };
    let steps = (houses.len() - 1).div_ceil(SHARES);
    let from = (steps * share).min(houses.len() - 2);
    houses.truncate(from + steps + 1);
    houses.split_off(from)
}

/// The houses of a walk. Each is a neighbour of the one before.
fn houses(nested: bool) -> Vec<House> {
    let mut random = Random::new(seed() * 2 + u64::from(nested));
    let mut config = Config::new(&mut random, nested);
    let mut houses: Vec<House> = Vec::new();
    let mut tried = 0;
    while houses.len() <= changes() {
        tried += 1;
        let next = config.next(&mut random);
        let yaml = next.yaml("walk", "eth0");
        if !compiles(&yaml) {
            continue;
        }
        let house = House::of("walk", yaml.into_bytes());
        let same = houses.last().is_some_and(|last| last.script == house.script);
        if !same && keeps(houses.last(), &house) {
            houses.push(house);
            config = next;
        }
    }
    eprintln!("seed {}: {} configurations of {tried} tried", seed(), houses.len());
    of_share(houses)
}

fn flows() -> String {
    let (local, remote) = PORTS;
    let gap = 1_000_000 / PACE;
    format!(
        "up lan/192.168.1.10 {local} net/198.51.100.1 {remote} {gap} {SIZE}\n\
         down net/198.51.100.1 {remote} lan/192.168.1.10 {local} {gap} {SIZE}\n"
    )
}

fn walk(name: &str, nested: bool) {
    let houses = houses(nested);
    let guest = houses[0].guest(name).variable("STEPS", &houses.len().to_string()).file("flows", flows());
    let guest = houses.iter().enumerate().fold(guest, |guest, (number, house)| {
        guest.file(&format!("steps/{number}.sh"), house.script.as_str())
    });
    let Some(report) = guest.limit(Duration::from_secs(1800)).run("random_walk.sh") else { return };

    report.expect_code("control/start", 0);
    let control = Streams::of(&report, "control");
    for flow in ["up", "down"] {
        assert_eq!(control.cost(flow, 1), (0, 0), "without any change {control:?}");
    }
    judge(&report, &houses);
    report.expect_code("walk/stop", 0);
}

fn judge(report: &Report, houses: &[House]) {
    let streams = Streams::of(report, "walk");
    let events = events(report, "walk");
    let gone = unshaped(&houses[0], &events);
    let (mut costs, mut failures) = (Vec::new(), Vec::new());
    for (number, pair) in houses.windows(2).enumerate() {
        let [before, house] = pair else { unreachable!("two") };
        let step = number + 1;
        report.expect_code(&format!("walk/{step}"), 0);
        if step % 10 == 5 {
            report.expect_code(&format!("walk/check-{step}"), 0);
        }
        expect_exactly(house, report, &format!("walk/{step}"));
        let cost = dearest(before, house);
        costs.push(cost);
        for (flow, dev) in [("up", Dev::Wan), ("down", Dev::Ifb)] {
            let (lost, reordered) = streams.cost(flow, step);
            let anew = rebuilds(before, house, dev);
            let most = if anew || swaps(before, house, dev) { IN_FLIGHT } else { 0 };
            if lost > most || reordered > most {
                failures
                    .push(format!("step {step}, {flow}: {lost} lost, {reordered} reordered, {most} allowed"));
            }
            let from = streams.began[&step];
            let to = streams.began[&(step + 1)];
            let without = if dev == Dev::Wan { &gone.up } else { &gone.down };
            let here = without.iter().filter(|(at, _)| (from..to).contains(at)).count();
            if here > 0 && !anew {
                failures.push(format!("step {step}, {flow}: {here} times without a shaper"));
            }
        }
    }
    figures(report, houses, &streams, &gone, &costs);
    assert!(failures.is_empty(), "{}: {}\n{}", report.name(), failures.len(), failures.join("\n"));
}

fn figures(report: &Report, houses: &[House], streams: &Streams, gone: &Unshaped, costs: &[Cost]) {
    let of = |cost: Cost| costs.iter().filter(|own| **own == cost).count();
    let loads: Vec<u64> =
        houses.iter().flat_map(|h| [Dev::Wan, Dev::Ifb].map(|dev| load(&h.program, dev) / 10_000)).collect();
    eprintln!(
        "{}: {} changes, {} of them all in place, {} with a backlog lost, {} with a new tree, {} with a new root; load {} to {} % of the rate",
        report.name(),
        costs.len(),
        of(Cost::InPlace),
        of(Cost::OwnBacklog),
        of(Cost::Swap),
        of(Cost::Rebuild),
        loads.iter().min().expect("some"),
        loads.iter().max().expect("some"),
    );
    for (flow, parts) in &streams.flows {
        let sum = |of: fn(&crate::streams::FlowStep) -> u64| parts.values().map(of).sum::<u64>();
        eprintln!(
            "  {flow}: {} sent, {} lost, {} reordered; longest gap {} us, longest way {} us",
            sum(|part| part.sent),
            sum(|part| part.lost),
            sum(|part| part.reordered),
            parts.values().map(|part| part.gap).max().unwrap_or_default(),
            parts.values().map(|part| part.late).max().unwrap_or_default(),
        );
    }
    for (direction, times) in [("uploads", &gone.up), ("downloads", &gone.down)] {
        let mut times: Vec<i64> = times.iter().map(|(_, long)| *long).collect();
        times.sort_unstable();
        eprintln!("  {direction} without a shaper: {} times, {times:?} us", times.len());
    }
}

#[test]
fn changes_at_the_top_lose_no_packet() {
    walk("walk-top", false);
}

#[test]
fn changes_within_a_parent_class_lose_no_packet() {
    walk("walk-group", true);
}
