use super::{Known, NOT_RESTORED, Place, UNTRUSTED_DSCP, View, encapsulation, is_hidden, largest_packet};
use crate::compile::{Options, compile};
use crate::model::{Direction, Model};
use crate::units::{Address, Family};

/// A house whose NAT and DSCP are as these words say.
fn house(nat: &str, link: &str) -> Model {
    let yaml = format!(
        "link: {{ device: ppp0, profile: vdsl2-pppoe, up: 10mbit, down: 50mbit{link} }}
lan: {{ device: br-lan, nat: {nat} }}
tunnels:
  short: {{ kind: ipip, device: t0, remote: 198.51.100.7, mtu: 1280 }}
  vps: {{ kind: gre, device: t1, remote: 198.51.100.8 }}
  phones: {{ kind: wireguard, device: wg0 }}
classes: {{ rest: {{ default: true }} }}
"
    );
    compile(&yaml, &Options::of("home.yaml")).into_finished().expect("no errors").0
}

fn address(text: &str) -> Address {
    text.parse().expect("an address")
}

#[test]
fn nat_hides_the_addresses_of_its_families_at_its_place() {
    let at = |model: &Model, place, family| View::at(place, model, family, Direction::Down).address;
    for (nat, v4, v6) in
        [("false", false, false), ("true", true, false), ("{ ipv4: false, ipv6: true }", false, true)]
    {
        let model = house(nat, "");
        for (family, hides) in [(Family::Ipv4, v4), (Family::Ipv6, v6)] {
            let line = at(&model, Place::Line, family);
            assert_eq!(line, if hides { Known::Marked } else { Known::Shown }, "{nat}");
            assert_eq!(at(&model, Place::Device, family), Known::Shown, "{nat}");
            assert_eq!(at(&model, Place::Inside { nat: false }, family), Known::Shown, "{nat}");
        }
        assert_eq!(is_hidden(&model, address("192.168.1.5")), v4, "{nat}");
        assert_eq!(is_hidden(&model, address("fd00::5")), v6, "{nat}");
        assert!(!is_hidden(&model, address("239.1.0.0/16")), "NAT translates no group");
    }
}

#[test]
fn each_place_says_why_it_does_not_know_a_fact() {
    let model = house("true", "");
    let at = |model: &Model, place, direction| View::at(place, model, Family::Ipv4, direction);
    assert_eq!(at(&model, Place::Line, Direction::Up).dscp, Known::Shown);
    assert_eq!(at(&model, Place::Line, Direction::Down).dscp, Known::Marked);
    assert_eq!(at(&model, Place::Device, Direction::Down).dscp, Known::Not(UNTRUSTED_DSCP));
    assert_eq!(at(&model, Place::Device, Direction::Down).mark, Known::Not(NOT_RESTORED));
    assert_eq!(at(&model, Place::Inside { nat: true }, Direction::Down).mac, Known::Marked);
    assert!(matches!(at(&model, Place::Inside { nat: false }, Direction::Up).mac, Known::Not(_)));
    let model = house("true", ", trust_dscp: true");
    assert_eq!(at(&model, Place::Device, Direction::Down).dscp, Known::Shown);
}

#[test]
fn a_packet_inside_a_tunnel_leaves_room_for_the_outer_headers() {
    let model = house("true", "");
    assert_eq!(largest_packet(&model, None), 1492);
    let inside: Vec<u32> = model.tunnels.iter().map(|own| largest_packet(&model, Some(own))).collect();
    // 24 bytes for GRE (RFC 2784) and 60 for WireGuard over IPv4
    assert_eq!(inside, [1280, 1468, 1432]);
    assert_eq!(encapsulation(&model.tunnels[2]).map(|(more, _)| more), Some(60));
}
