use super::*;
use crate::lower::tests::fixture::{addresses, anything, leaf, lowered, model, police, ports, refused, val};
use crate::model::{Alternative, Direction};
use crate::tc::Hook;
use crate::units::{Dscp, Protocol};

fn carried() -> Model {
    let dns =
        Alternative { protocol: vec![Protocol::UDP], remote_port: Some(ports(&[(53, 53)])), ..anything() };
    let mut model = model(vec![leaf("dns", 0x11, Some(vec![dns])), leaf("rest", 0xee, None)]);
    model.link.frames = val(Frames::Pppoe);
    let from = Alternative { remote: addresses(&["198.51.100.7"]), ..anything() };
    model.police.push(police("some", vec![from]));
    model
}

/// Returns offset, value and mask of each word.
fn words(selector: &Selector) -> Vec<(u16, u32, u32)> {
    selector.words.iter().map(|(offset, word)| (*offset, word.value, word.mask)).collect()
}

#[test]
fn selectors_read_behind_the_pppoe_header() {
    let program = lowered(&carried());
    let at = |hook: Hook, pref: u16| {
        let filter = program.filters.iter().find(|own| (own.hook, own.pref) == (hook, pref)).unwrap();
        (filter.protocol, words(&filter.selector))
    };
    let pppoe = FilterProtocol::Pppoe;
    assert_eq!(
        at(Hook::Root, 10),
        (
            pppoe,
            vec![
                (4, 0x21, 0xffff),
                (8, 0x0500_0000, 0x0f00_0000),
                (12, 0, 0x3fff),
                (16, 0x0011_0000, 0x00ff_0000),
                (28, 53, 0xffff),
            ]
        )
    );
    assert_eq!(at(Hook::Root, 11), (pppoe, vec![(4, 0x57, 0xffff), (12, 0x1100, 0xff00), (48, 53, 0xffff)]));
    assert_eq!(at(Hook::Ingress, 3077), (pppoe, vec![(4, 0x21, 0xffff), (20, 0xc633_6407, 0xffff_ffff)]));
    assert_eq!(at(Hook::Root, 28_672), (FilterProtocol::All, vec![]));
    assert_eq!(at(Hook::Ingress, 7_172), (FilterProtocol::All, vec![]));
}

#[test]
fn dscp_changes_in_pppoe_frames_are_rejected() {
    let mut model = carried();
    model.link.wash.up = true;
    let Shape::Leaf(dns) = &mut model.classes[0].shape else { panic!() };
    dns.set_dscp = Some(val(Dscp::new(46).unwrap()));
    assert_eq!(
        refused(&model),
        [
            "Q0901 qosc cannot clear the DSCP of packets in PPPoE frames yet / ",
            "Q0901 qosc cannot set the DSCP of packets in PPPoE frames yet / ",
        ]
    );
    model.link.frames = val(Frames::Ip);
    lowered(&model);
    model.police[0].direction = Direction::Up;
    lowered(&model);
}
