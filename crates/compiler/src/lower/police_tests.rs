use super::*;
use crate::lower::tests::fixture::{addresses, anything, leaf, lowered, model, police, refused, val};
use crate::model::{Alternative, ClassId};
use crate::tc::{IngressMode, Program, QdiscKind};
use crate::units::Protocol;

fn guests() -> Alternative {
    Alternative {
        text: "local 192.168.1.128/25".to_owned(),
        local: addresses(&["192.168.1.128/25"]),
        ..anything()
    }
}

fn policed(change: impl FnOnce(&mut Model)) -> Model {
    let mut model = model(vec![leaf("voice", 0x11, None), leaf("rest", 0xee, None)]);
    model.police.push(police("guests", vec![guests()]));
    change(&mut model);
    model
}

/// Returns hook, preference and actions of each filter at the hooks.
fn hooks(program: &Program) -> Vec<String> {
    let filters = program.filters.iter().filter(|filter| filter.hook != Hook::Root);
    filters
        .map(|filter| {
            let actions: Vec<String> = filter.actions.iter().map(short).collect();
            format!("{:?} {} {:?}: {}", filter.hook, filter.pref, filter.protocol, actions.join(", "))
        })
        .collect()
}

fn short(action: &Action) -> String {
    match action {
        Action::Police(own) => format!("{} {:?}/{:?}", own.rate.bps() / 1_000_000, own.exceed, own.conform),
        Action::Redirect(dev) => format!("to {dev:?}"),
        Action::Priority(class) => format!("class {class}"),
        Action::SetDscp { .. } => "dscp".to_owned(),
        Action::Pass => "pass".to_owned(),
        Action::ClearLabel => "label".to_owned(),
        Action::Restore { mask, flag: _ } => format!("marks {mask:x}"),
    }
}

#[test]
fn policed_downloads_go_on_to_the_ifb() {
    let program = lowered(&policed(|_| ()));
    assert_eq!(hooks(&program), ["Ingress 3077 Ip: 4 Drop/Pipe, to Ifb", "Ingress 7172 All: to Ifb"]);
    assert_eq!(program.ingress, IngressMode::Ifb);
    let last = program.filters.last().unwrap();
    assert_eq!((last.dev, last.flowid, &last.selector), (Dev::Wan, None, &Selector::default()));
    assert_eq!(program.filters.iter().filter(|filter| filter.hook == Hook::Ingress).count(), 2);
}

#[test]
fn neighbour_discovery_is_not_policed() {
    let icmp = |change: fn(&mut Model)| {
        policed(|model| {
            model.police[0].matches =
                vec![Alternative { protocol: vec![Protocol::ICMP, Protocol::ICMPV6], ..anything() }];
            model.police.push(police("more", vec![anything()]));
            change(model);
        })
    };
    let of_ipv6 = |model: &Model| {
        let shown = hooks(&lowered(model));
        let all = shown.iter().filter_map(|line| line.split_once(" Ipv6: "));
        all.map(|(_, actions)| actions.to_owned()).collect::<Vec<_>>()
    };
    let down = of_ipv6(&icmp(|_| ()));
    assert_eq!(down[..3], ["to Ifb"; 3], "{down:?}");
    assert_eq!(down[3..], ["4 Drop/Pipe, to Ifb"; 2], "{down:?}");
    let up = of_ipv6(&icmp(|model| model.police.iter_mut().for_each(|own| own.direction = Direction::Up)));
    assert_eq!(up[..3], ["pass"; 3], "{up:?}");
    // no other policer takes it
    let tcp = |model: &mut Model| {
        model.police[0].matches = vec![Alternative { protocol: vec![Protocol::TCP], ..anything() }];
    };
    assert_eq!(of_ipv6(&policed(tcp)).len(), 1);
}

#[test]
fn each_kind_of_police_has_its_actions() {
    let up = |model: &mut Model| model.police[0].direction = Direction::Up;
    let bypass = |model: &mut Model| model.police[0].bypass = true;
    let class = |model: &mut Model| model.police[0].exceed = Exceed::Reclassify(ClassId(0x11));
    let own = |model: Model| {
        let shown = hooks(&lowered(&model));
        shown.into_iter().filter(|line| !line.contains("7172")).collect::<Vec<_>>()
    };
    assert_eq!(own(policed(bypass)), ["Ingress 3077 Ip: 4 Drop/Ok"]);
    assert_eq!(
        own(policed(class)),
        ["Ingress 3077 Ip: 4 Continue/Pipe, to Ifb", "Ingress 3077 Ip: class c05:a011, to Ifb"]
    );
    assert_eq!(own(policed(up)), ["Egress 7173 Ip: 4 Drop/Ok"]);
    let model = policed(|model| {
        up(model);
        bypass(model);
    });
    assert_eq!(own(model), ["Egress 7173 Ip: 4 Drop/Pipe, class c05:"]);
    let model = policed(|model| {
        up(model);
        class(model);
    });
    assert_eq!(own(model), ["Egress 7173 Ip: 4 Continue/Ok", "Egress 7173 Ip: class c05:a011"]);
}

#[test]
fn ingress_police_uses_no_ifb() {
    let police = |model: &mut Model| model.link.ingress.value = Ingress::Police;
    let program = lowered(&policed(police));
    assert_eq!(program.ingress, IngressMode::Direct);
    // the traffic of the guests counts towards the total
    assert_eq!(hooks(&program), ["Ingress 3077 Ip: 4 Drop/Pipe, 20 Drop/Ok", "Ingress 7172 All: 20 Drop/Ok"]);
    let indexes: Vec<u32> = program
        .filters
        .iter()
        .flat_map(|filter| &filter.actions)
        .filter_map(|action| match action {
            Action::Police(own) => Some(own.index),
            _ => None,
        })
        .collect();
    assert_eq!((indexes.len(), indexes[1]), (3, indexes[2]));
    assert_ne!(indexes[0], indexes[1]);
    assert!(program.qdiscs.iter().all(|qdisc| qdisc.dev == Dev::Wan));
    assert!(program.classes.iter().all(|class| class.dev == Dev::Wan));
    let aside = lowered(&policed(|model| {
        police(model);
        model.police[0].bypass = true;
    }));
    assert_eq!(hooks(&aside), ["Ingress 3077 Ip: 4 Drop/Ok", "Ingress 7172 All: 20 Drop/Ok"]);
}

#[test]
fn ingress_none_leaves_other_downloads_alone() {
    let none = |model: &mut Model| model.link.ingress.value = Ingress::None;
    assert_eq!(hooks(&lowered(&policed(none))), ["Ingress 3077 Ip: 4 Drop/Ok"]);
    let without = lowered(&policed(|model| {
        none(model);
        model.police.clear();
    }));
    assert_eq!(hooks(&without), Vec::<String>::new());
    assert!(without.qdiscs.iter().all(|qdisc| qdisc.kind != QdiscKind::Clsact));
    let said = refused(&policed(|model| {
        none(model);
        model.police[0].exceed = Exceed::Reclassify(ClassId(0x11));
    }));
    assert_eq!(said, ["Q0212 `reclassify` is not possible, because downloads have no classes / "]);
}

/// All filters of a policer share one bucket. Different links, names and rates have separate buckets.
#[test]
fn all_filters_of_a_police_share_one_bucket() {
    let index = |model: &Model| match &lowered(model).filters.iter().find(|own| own.hook == Hook::Ingress) {
        Some(filter) => match &filter.actions[0] {
            Action::Police(own) => own.index,
            _ => 0,
        },
        None => 0,
    };
    let own = index(&policed(|_| ()));
    assert_eq!(own, index(&policed(|_| ())));
    assert_ne!(own, index(&policed(|model| model.police[0].rate.value = "3mbit".parse().unwrap())));
    assert_ne!(own, index(&policed(|model| model.link.overhead.value += 1)));
    assert_ne!(own, index(&policed(|model| model.name = val("cabin".parse().unwrap()))));
    assert_ne!(own, index(&policed(|model| model.police[0].name = "others".to_owned())));
    let more = lowered(&policed(|model| {
        model.police[0].matches[0].local.extend(addresses(&["10.0.0.1", "10.0.0.9"]))
    }));
    let of_guests = more.filters.iter().filter(|filter| filter.why.name == "guests");
    let indexes: Vec<_> = of_guests
        .flat_map(|filter| &filter.actions)
        .filter_map(|action| match action {
            Action::Police(police) => Some(police.index),
            _ => None,
        })
        .collect();
    assert_eq!(indexes, [own; 3]);
}

#[test]
fn police_matches_of_the_other_direction_are_rejected() {
    let up = Alternative { direction: Some(Direction::Up), ..guests() };
    let said = refused(&policed(|model| model.police[0].matches = vec![up]));
    assert_eq!(said, ["Q0501 no packet can meet this match / it is for the other direction"]);
}
