use super::*;
use crate::budget::Budget;
use crate::lower::alternative::tests::{any_alternative, any_packet, looked_into, towards};
use crate::lower::tests::fixture::{addresses, anything, inner, leaf, lowered, model, ports, refused, span};
use crate::lower::tests::packet::Packet;
use crate::model::{ClassId, Shape};
use crate::tc::{Dev, Handle, Program, Word};
use crate::units::Protocol;
use proptest::prelude::*;

fn udp(first: u16, last: u16) -> Alternative {
    Alternative {
        text: format!("udp remote_port {first}-{last}"),
        protocol: vec![Protocol::UDP],
        remote_port: Some(ports(&[(first, last)])),
        ..anything()
    }
}

fn to(remote: &[&str]) -> Alternative {
    Alternative { text: format!("remote {}", remote.join(", ")), remote: addresses(remote), ..anything() }
}

fn rest() -> Class {
    leaf("rest", 0xee, None)
}

/// Returns the device, preference, class and text of each filter.
fn shown(program: &Program) -> Vec<String> {
    let filters = program.filters.iter().filter(|filter| filter.hook == Hook::Root);
    filters
        .map(|filter| {
            let class = filter.flowid.map(|id| id.to_string()).unwrap_or_default();
            format!("{:?} {} {class} {}: {}", filter.dev, filter.pref, filter.why.name, filter.why.what)
        })
        .collect()
}

#[test]
fn filters_follow_the_file_and_end_with_the_default() {
    let classes = vec![
        leaf("voice", 0x11, Some(vec![udp(5060, 5061), to(&["198.51.100.7", "2001:db8:9::7"])])),
        rest(),
        leaf("bulk", 0x12, Some(vec![udp(6881, 6882)])),
    ];
    let program = lowered(&model(classes));
    let shown = shown(&program);
    let up: Vec<&str> = shown.iter().filter_map(|line| line.strip_prefix("Wan ")).collect();
    assert_eq!(
        up,
        [
            "10 c05:a011 voice: udp remote_port 5060-5061",
            "10 c05:a011 voice: remote 198.51.100.7, 2001:db8:9::7",
            "10 c05:a012 bulk: udp remote_port 6881-6882",
            "10 c05:a012 bulk: udp remote_port 6881-6882",
            "11 c05:a011 voice: udp remote_port 5060-5061",
            "11 c05:a011 voice: remote 198.51.100.7, 2001:db8:9::7",
            "11 c05:a012 bulk: udp remote_port 6881-6882",
            "11 c05:a012 bulk: udp remote_port 6881-6882",
            "28672 c05:a0ee rest: everything else",
        ]
    );
    let down: Vec<&str> = shown.iter().filter_map(|line| line.strip_prefix("Ifb ")).collect();
    assert_eq!(down, up);
    assert_eq!(program.filters[0].why.line, Some(7));
}

#[test]
fn nested_matches_are_intersected_before_the_default() {
    let classes = vec![
        inner(
            "server",
            0x20,
            Some(vec![to(&["198.51.100.0/24"])]),
            vec![leaf("other", 0x21, None), leaf("calls", 0x22, Some(vec![udp(5060, 5060)]))],
        ),
        inner("plain", 0x30, None, vec![leaf("web", 0x31, Some(vec![udp(443, 443)])), rest()]),
    ];
    let program = lowered(&model(classes));
    let shown: Vec<String> = shown(&program).into_iter().filter(|line| line.starts_with("Wan 10 ")).collect();
    assert_eq!(
        shown,
        [
            "Wan 10 c05:a022 calls: remote 198.51.100.0/24 and udp remote_port 5060-5060",
            "Wan 10 c05:a021 other: remote 198.51.100.0/24",
            "Wan 10 c05:a031 web: udp remote_port 443-443",
        ]
    );
}

#[test]
fn filters_of_a_preset_class_have_no_line() {
    let mut alternative = udp(53, 53);
    alternative.span.file = crate::diag::Sources::default().add_built_in("profiles/classes/home.yaml", "");
    let program = lowered(&model(vec![leaf("dns", 0x11, Some(vec![alternative])), rest()]));
    assert_eq!(program.filters[0].why.line, None);
}

#[test]
fn a_class_makes_only_its_own_filters_idle() {
    let twice = vec![udp(5060, 5061), udp(5061, 5061), to(&["198.51.100.7"])];
    let classes =
        vec![leaf("voice", 0x11, Some(twice)), leaf("late", 0x12, Some(vec![udp(5061, 5061)])), rest()];
    let shown = shown(&lowered(&model(classes)));
    let up =
        |name: &str| shown.iter().filter(|line| line.starts_with("Wan 10 ") && line.contains(name)).count();
    assert_eq!((up("voice"), up("late")), (2, 1));
}

#[test]
fn many_filters_are_in_one_preference_with_hash_tables() {
    let single = |n: u16| udp(2 * n + 1, 2 * n + 1);
    let voice = (0..1999).map(single).collect();
    let bulk = (2000..4300).map(single).collect();
    let program = lowered(&model(vec![leaf("a", 0x11, Some(voice)), leaf("b", 0x12, Some(bulk)), rest()]));
    let count = |dev: Dev, pref: u16| {
        program.filters.iter().filter(|filter| (filter.dev, filter.pref) == (dev, pref)).count()
    };
    for dev in [Dev::Wan, Dev::Ifb] {
        assert_eq!([10, 11, 12, 13, 14, 15, 16].map(|pref| count(dev, pref)), [4299, 4299, 0, 0, 0, 0, 0]);
        let root = program.filters.iter().filter(|filter| filter.hook == Hook::Root);
        let of_dev: Vec<_> = root.filter(|filter| filter.dev == dev).collect();
        assert!(of_dev.is_sorted_by_key(|filter| filter.pref));
    }
}

#[test]
fn the_dscp_is_washed_or_set_by_filter_actions() {
    let mut model = model(vec![leaf("voice", 0x11, Some(vec![udp(53, 53)])), rest()]);
    model.link.wash.up = true;
    let Shape::Leaf(voice) = &mut model.classes[0].shape else { panic!() };
    voice.set_dscp = Some(crate::lower::tests::fixture::val(Dscp::new(46).unwrap()));
    let program = lowered(&model);
    let actions = |dev: Dev| {
        let filters = program.filters.iter().filter(|filter| filter.hook == Hook::Root && filter.dev == dev);
        filters.map(|filter| (filter.pref, filter.protocol, filter.actions.clone())).collect::<Vec<_>>()
    };
    let set = |family: Family, bits: u8| vec![Action::SetDscp { family, dscp: Dscp::new(bits).unwrap() }];
    let (four, six) = (Family::Ipv4, Family::Ipv6);
    assert_eq!(
        actions(Dev::Wan),
        [
            (10, FilterProtocol::Ip, set(four, 46)),
            (11, FilterProtocol::Ipv6, set(six, 46)),
            (28_670, FilterProtocol::Ip, set(four, 0)),
            (28_671, FilterProtocol::Ipv6, set(six, 0)),
            (28_672, FilterProtocol::All, vec![]),
        ]
    );
    assert_eq!(
        actions(Dev::Ifb),
        [
            (10, FilterProtocol::Ip, set(four, 46)),
            (11, FilterProtocol::Ipv6, set(six, 46)),
            (28_672, FilterProtocol::All, vec![]),
        ]
    );
}

#[test]
fn matches_that_no_packet_meets_are_rejected() {
    let nested = inner(
        "server",
        0x20,
        Some(vec![to(&["198.51.100.0/24"])]),
        vec![leaf("calls", 0x22, Some(vec![to(&["203.0.113.1"]), to(&["198.51.100.1"])]))],
    );
    let icmp = Alternative { protocol: vec![Protocol::ICMP], family: Some(Family::Ipv6), ..anything() };
    let classes = vec![nested, leaf("echo", 0x23, Some(vec![icmp])), rest()];
    assert_eq!(
        refused(&model(classes)),
        [
            "Q0501 no packet can meet this match and that of the parent class / class `calls` gets only packets that its parent classes match",
            "Q0501 no packet can meet this match / IPv6 has none of its protocols",
        ]
    );
}

/// A finding about a class is not repeated for the classes in it.
#[test]
fn an_error_of_a_parent_is_not_repeated_for_children() {
    let icmp = Alternative { protocol: vec![Protocol::ICMP], family: Some(Family::Ipv6), ..anything() };
    let children = vec![leaf("a", 0x21, Some(vec![udp(1, 1)])), leaf("b", 0x22, None)];
    assert_eq!(refused(&model(vec![inner("server", 0x20, Some(vec![icmp]), children), rest()])).len(), 1);
}

#[test]
fn classes_with_too_many_filters_are_rejected() {
    let odd = |count: u16| Some(ports(&(0..count).map(|n| (2 * n + 1, 2 * n + 1)).collect::<Vec<_>>()));
    let much = |remote: u16| Alternative {
        protocol: vec![Protocol::UDP],
        local_port: odd(50),
        remote_port: odd(remote),
        ..anything()
    };
    let alone = refused(&model(vec![leaf("a", 0x11, Some(vec![much(100)])), rest()]));
    assert_eq!(
        alone,
        [
            "Q0503 this match needs more than 4000 filters / each combination of its values needs a filter of its own"
        ]
    );
    // 2000 filters within a parent of three, and of forty
    let nested = |count: usize| {
        let parent = (0..count).map(|n| to(&[&format!("198.51.100.{n}")])).collect();
        let leaf = leaf("a", 0x11, Some(vec![much(40)]));
        model(vec![inner("p", 0x10, Some(parent), vec![leaf]), rest()])
    };
    lowered(&nested(3));
    assert_eq!(refused(&nested(40)).len(), 1);
    // many alternatives on every level
    let many = || Some((0..100).map(|n| to(&[&format!("198.51.100.{n}")])).collect());
    let deep = inner("p", 0x10, many(), vec![inner("q", 0x11, many(), vec![leaf("a", 0x12, many())])]);
    lowered(&model(vec![deep, rest()]));
}

#[test]
fn a_dscp_without_direction_matches_only_uploads() {
    let ef = Alternative { dscp: vec![Dscp::new(46).unwrap()], ..anything() };
    let program = lowered(&model(vec![leaf("voice", 0x11, Some(vec![ef])), rest()]));
    assert_eq!(
        shown(&program),
        [
            "Wan 10 c05:a011 voice: anything",
            "Wan 11 c05:a011 voice: anything",
            "Wan 28672 c05:a0ee rest: everything else",
            "Ifb 28672 c05:a0ee rest: everything else",
        ]
    );
    let taken = program.filters[0].selector.words.get(&0);
    assert_eq!(taken, Some(&Word { value: 0x00b8_0000, mask: 0x00fc_0000 }));
}

/// Returns the class that the kernel would choose: that of the first matching filter.
fn found(filters: &[Filter], packet: &Packet) -> Option<Handle> {
    let asked = |filter: &&Filter| {
        filter.protocol == FilterProtocol::All || filter.protocol == plain(packet.family())
    };
    filters.iter().filter(asked).find(|filter| packet.meets(&filter.selector))?.flowid
}

/// Returns the class that the tree intends: the first class with a match, in the order of the file, then the class for
/// the rest.
fn meant(classes: &[Class], packet: &Packet, model: &Model, within: bool) -> Option<ClassId> {
    asking(classes, packet, model).or_else(|| if within { resting(classes) } else { None })
}

fn asking(classes: &[Class], packet: &Packet, model: &Model) -> Option<ClassId> {
    classes.iter().find_map(|class| match (&class.matches, &class.shape) {
        (Some(any), _) if !any.iter().any(|asked| packet.is(asked, model)) => None,
        (Some(_), Shape::Leaf(_)) => Some(class.id.value),
        (Some(_), Shape::Inner(children)) => meant(children, packet, model, true),
        (None, Shape::Inner(children)) => asking(children, packet, model),
        (None, Shape::Leaf(_)) => None,
    })
}

fn resting(classes: &[Class]) -> Option<ClassId> {
    classes.iter().filter(|class| class.matches.is_none()).find_map(|class| match &class.shape {
        Shape::Leaf(_) => Some(class.id.value),
        Shape::Inner(children) => resting(children),
    })
}

fn any_tree() -> impl Strategy<Value = Vec<Class>> {
    let matches = || prop::option::weighted(0.8, prop::collection::vec(any_alternative(3), 1..3));
    let leaves = matches().prop_map(|matches| leaf("leaf", 0, matches));
    let class = leaves.prop_recursive(3, 12, 3, move |child| {
        (matches(), prop::collection::vec(child, 1..4))
            .prop_map(|(matches, children)| inner("inner", 0, matches, children))
    });
    prop::collection::vec(class, 1..5)
}

/// Assigns ids and lets at most one child get the rest, as the resolver does.
fn number(classes: &mut [Class], next: &mut u16) {
    let mut rest = false;
    for class in classes {
        *next += 1;
        class.id.value = ClassId(*next);
        if class.matches.is_none() && std::mem::replace(&mut rest, true) {
            class.matches = Some(vec![udp(9, 9)]);
        }
        if let Shape::Inner(children) = &mut class.shape {
            number(children, next);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    /// Every packet reaches the class that the tree intends.
    #[test]
    fn packets_reach_the_class_that_the_tree_intends(
        mut tree in any_tree(), packets in prop::collection::vec((any_packet(), any::<u16>()), 20),
        tunnels in any::<u16>(),
    ) {
        number(&mut tree, &mut 0x100);
        tree.push(rest());
        let model = looked_into(model(tree), tunnels);
        let mut sink = Sink::default();
        // an alternative that no packet can satisfy is rejected, and no packet satisfies it here either
        let rules = rules(&Prepared::new(&model, &Budget::default()), &mut sink);
        if sink.into_sorted().iter().any(|finding| finding.code == Code::MatchTooLarge) {
            return Ok(());
        }
        let (up, down) = (filters(&model, &rules, Direction::Up), filters(&model, &rules, Direction::Down));
        let asked: Vec<&Alternative> = model.leaves().into_iter().flat_map(|leaf| leaf.matches.iter().flatten()).collect();
        for (packet, chance) in packets {
            let packet = match asked.get(usize::from(chance) % asked.len().max(1)) {
                Some(asked) => towards(packet, asked, chance / 7),
                None => packet,
            };
            let meant = meant(&model.classes, &packet, &model, false).unwrap_or(ClassId(0xee));
            let filters = if packet.direction == Direction::Up { &up } else { &down };
            prop_assert_eq!(found(filters, &packet), Some(crate::lower::terms::flowid(meant)), "{:?}", packet);
        }
    }
}

/// The property above would also hold for trees that no packet reaches, so this test checks that enough do.
#[test]
fn random_packets_reach_classes_often_enough() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let reached = (0..300u16).filter(|chance| {
        let mut tree = any_tree().new_tree(&mut runner).unwrap().current();
        number(&mut tree, &mut 0x100);
        let model = model(tree);
        let asked: Vec<&Alternative> =
            model.leaves().into_iter().flat_map(|leaf| leaf.matches.iter().flatten()).collect();
        let packet = any_packet().new_tree(&mut runner).unwrap().current();
        let packet = match asked.get(usize::from(*chance) % asked.len().max(1)) {
            Some(asked) => towards(packet, asked, *chance),
            None => packet,
        };
        meant(&model.classes, &packet, &model, false).is_some()
    });
    let reached = reached.count();
    assert!((30..270).contains(&reached), "{reached} of 300");
}

#[test]
fn findings_point_at_the_alternative() {
    let icmp = Alternative {
        span: span(42),
        protocol: vec![Protocol::ICMP],
        family: Some(Family::Ipv6),
        ..anything()
    };
    let mut sink = Sink::default();
    assert!(
        crate::lower::lower(&model(vec![leaf("a", 0x11, Some(vec![icmp])), rest()]), &mut sink).is_none()
    );
    let found = sink.into_sorted();
    assert_eq!(found[0].labels[0].span.line, 42);
}
