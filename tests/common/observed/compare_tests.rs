use super::super::parse;
use super::*;
use qosc_compiler::model::{Frames, PerDirection};
use qosc_compiler::tc::{
    Action, Charge, IngressMode, LinkLayer, Overhead, PoliceStep, QdiscKind, Scale, Selector, Settings, Stab,
    Word,
};
use qosc_compiler::units::{Bytes, Micros, Rate};

const SAMPLE: &str = include_str!("samples/iproute2-6.1.txt");

fn sample() -> Held {
    parse(&"wan".parse().unwrap(), &"ifb-home".parse().unwrap(), SAMPLE)
}

/// A program with exactly the objects of the sample.
fn program(held: &Held) -> Program {
    Program {
        decrypted: Vec::new(),
        is_up_by_ifb: false,
        marks: None,
        files: Vec::new(),
        link: "home".parse().unwrap(),
        wan: "wan".parse().unwrap(),
        ifb: "ifb-home".parse().unwrap(),
        ingress: IngressMode::Ifb,
        charge: Charge { overhead: Overhead::Fixed(0), mpu: 0, linklayer: LinkLayer::Ethernet },
        frames: Frames::Auto,
        qdiscs: held.qdiscs.clone(),
        classes: held.classes.clone(),
        filters: held.filters.clone(),
        settings: Settings {
            txqueuelen: None,
            bql: None,
            sysctls: vec![],
            split: PerDirection { up: false, down: false },
            receivers: vec![],
        },
        scale: PerDirection { up: Scale::default(), down: Scale::default() },
    }
}

/// Differences after `change` was made to the program of the sample.
fn said(change: impl FnOnce(&mut Program)) -> Vec<String> {
    let held = sample();
    let mut program = program(&held);
    change(&mut program);
    compare(&program, &held).iter().map(ToString::to_string).collect()
}

fn class(program: &mut Program, minor: u16) -> &mut qosc_compiler::tc::HtbClass {
    program.classes.iter_mut().find(|class| class.dev == Dev::Wan && class.id.minor == minor).unwrap()
}

#[test]
fn equal_states_have_no_differences() {
    assert_eq!(said(|_| ()), Vec::<String>::new());
}

/// These are the values that tc was given when the sample was made.
#[test]
fn values_that_tc_rounds_are_equal() {
    let differences = said(|program| {
        let leaf = class(program, 0x20);
        (leaf.rate, leaf.ceil) = (Rate::from_bps(40_123_456_789), Rate::from_bps(40_123_456_789));
        (leaf.burst, leaf.cburst) = (Bytes::new(5_015_432), Bytes::new(5_015_432));
        let inner = class(program, 0x4d2f);
        (inner.prio, inner.quantum, inner.burst) = (2, 1514, Bytes::new(1544));
        for qdisc in &mut program.qdiscs {
            if let QdiscKind::FqCodel { target, interval, memory, .. } = &mut qdisc.kind {
                (*target, *interval) = (Micros::from_us(12_345), Micros::from_us(1_234_567));
                *memory = Bytes::new(2_304_000);
            }
        }
        for filter in &mut program.filters {
            for action in &mut filter.actions {
                if let Action::Police(police) = action {
                    police.charge.mpu = 84;
                    police.burst = Bytes::new(police.burst.get().next_multiple_of(100_000));
                }
            }
        }
    });
    assert_eq!(differences, Vec::<String>::new());
}

#[test]
fn each_field_of_a_class_is_compared() {
    let one = |change: fn(&mut qosc_compiler::tc::HtbClass)| said(|program| change(class(program, 0x20)));
    assert_eq!(
        one(|class| class.rate = Rate::from_bps(40_124_000_000)),
        ["wan class c05:20 has rate 40123000000, not 40124000000"]
    );
    assert_eq!(one(|class| class.prio = 6), ["wan class c05:20 has prio 7, not 6"]);
    assert_eq!(one(|class| class.quantum = 1514), ["wan class c05:20 has quantum 65536, not 1514"]);
    assert_eq!(one(|class| class.burst = Bytes::new(6_000_000)).len(), 1);
    assert_eq!(one(|class| class.cburst = Bytes::new(6_000_000)).len(), 1);
    assert_eq!(one(|class| class.charge.mpu = 0), ["wan class c05:20 has mpu 2000, not 0"]);
    assert_eq!(one(|class| class.charge.overhead = Overhead::Fixed(1)).len(), 1);
    assert_eq!(one(|class| class.charge.linklayer = LinkLayer::Atm).len(), 1);
    assert_eq!(one(|class| class.ceil = Rate::from_bps(1)).len(), 1);
    let elsewhere = Parent::At(Handle { major: 0xc05, minor: 0x4d2f });
    let moved = said(|program| class(program, 0x20).parent = elsewhere);
    assert_eq!(moved.len(), 1);
}

#[test]
fn each_field_of_a_qdisc_is_compared() {
    let kind = |change: fn(&mut QdiscKind)| {
        said(|program| program.qdiscs.iter_mut().for_each(|q| change(&mut q.kind)))
    };
    let stab = kind(|kind| {
        if let QdiscKind::Htb { stab, .. } = kind {
            *stab = Stab::None;
        }
    });
    assert_eq!(stab, ["wan qdisc c05: has stab Fixed(-14), not None"]);
    let limit = kind(|kind| {
        if let QdiscKind::Pfifo { limit } = kind {
            *limit += 1;
        }
    });
    assert_eq!(limit.len(), 1);
    let ecn = kind(|kind| {
        if let QdiscKind::FqCodel { ecn, .. } = kind {
            *ecn = true;
        }
    });
    assert_eq!(ecn, ["wan qdisc 20: has ecn false, not true"]);
    let wash = kind(|kind| {
        if let QdiscKind::Cake { wash, .. } = kind {
            *wash = !*wash;
        }
    });
    assert_eq!(wash.len(), 2);
    let other_kind = kind(|kind| {
        if let QdiscKind::Pfifo { limit } = kind {
            let memory = Bytes::new(u64::from(*limit));
            *kind = QdiscKind::Cake {
                shaper: None,
                rtt: Micros::from_ms(100),
                tins: qosc_compiler::tc::CakeTins::Besteffort,
                ack_filter: false,
                wash: false,
                isolation: qosc_compiler::tc::CakeIsolation::Flows,
                nat: false,
                memory,
            };
        }
    });
    assert_eq!(other_kind.len(), 1);
}

#[test]
fn each_field_of_a_filter_is_compared() {
    let first = |change: fn(&mut Filter)| said(|program| change(&mut program.filters[0]));
    let other =
        first(|filter| filter.selector = Selector::word(8, Word { value: 0x0011_0000, mask: 0x00ff_0000 }));
    assert_eq!(other.len(), 1);
    assert!(other[0].starts_with("wan filter root pref 10 number 1 has match 05000028/0f00ffff at 0"));
    assert_eq!(first(|filter| filter.flowid = None).len(), 1);
    assert_eq!(first(|filter| filter.actions = vec![Action::Redirect(Dev::Ifb)]).len(), 1);
    assert_eq!(said(|program| program.filters.swap(0, 1)).len(), 4);
    let police = said(|program| {
        for filter in &mut program.filters {
            for action in &mut filter.actions {
                if let Action::Police(police) = action {
                    (police.index, police.conform) = (5, PoliceStep::Continue);
                }
            }
        }
    });
    assert_eq!(police.len(), 2 * 6);
}

#[test]
fn missing_and_extra_objects_are_differences() {
    let more = said(|program| {
        program.classes.retain(|class| class.id.minor != 0x20);
        program.qdiscs.retain(|qdisc| qdisc.handle.major != 0x20);
        program.filters.retain(|filter| filter.pref != 11);
    });
    assert_eq!(
        more,
        [
            "wan qdisc 20: is not ours",
            "ifb qdisc 20: is not ours",
            "wan class c05:20 is not ours",
            "ifb class c05:20 is not ours",
            "wan filter root pref 11 number 1 is not ours",
        ]
    );
    let held = sample();
    let mut empty = compare(&program(&held), &Held::default());
    assert!(empty.iter().all(|difference| difference.change == Change::Missing));
    assert_eq!(empty.len(), held.qdiscs.len() + held.classes.len() + held.filters.len());
    empty.clear();
    let foreign = Held { foreign: vec!["qdisc sfq 20: parent c05:20".to_owned()], ..held.clone() };
    let said: Vec<String> = compare(&program(&held), &foreign).iter().map(ToString::to_string).collect();
    assert_eq!(said, ["qdisc sfq 20: parent c05:20 is not ours"]);
}

/// Other tools may add their own filters to the hooks, and a clsact may stay when we no longer need it.
#[test]
fn foreign_filters_on_the_hooks_are_ignored() {
    let mut held = sample();
    let program = program(&held);
    let ours = held.filters.iter().find(|filter| filter.hook == Hook::Ingress).cloned().unwrap();
    held.filters.push(Filter { pref: 1, ..ours.clone() });
    held.filters.push(Filter { pref: 60_000, hook: Hook::Egress, ..ours });
    assert_eq!(compare(&program, &held), []);
    let without = Program { qdiscs: vec![], classes: vec![], filters: vec![], ..program };
    let clsact = held.qdiscs.iter().filter(|qdisc| qdisc.kind == QdiscKind::Clsact).cloned().collect();
    assert_eq!(compare(&without, &Held { qdiscs: clsact, ..Held::default() }), []);
}
