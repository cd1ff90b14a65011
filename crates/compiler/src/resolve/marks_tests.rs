use crate::compile::{Options, compile};
use crate::model::{Marks, Model};
use std::collections::BTreeSet;

/// Compiles a configuration and returns its model, which exists even if a match is rejected.
fn household(rest: &str) -> Model {
    let text = format!("link: {{ device: wan, profile: ethernet, up: 20mbit, down: 50mbit }}\n{rest}");
    let compiled = compile(text, &Options::of("home.yaml"));
    compiled.model.unwrap_or_else(|| panic!("{:?}", compiled.findings))
}

fn marks(rest: &str) -> Option<Marks> {
    household(rest).marks
}

const HOSTS: &str =
    "hosts:\n  ata: { address: 192.168.1.5 }\n  desk: { address: [192.168.1.10, \"2001:db8:1::10\"] }\n";

fn class(alternative: &str) -> String {
    format!("classes:\n  some: {{ match: [{alternative}] }}\n  rest: {{ default: true }}\n")
}

#[test]
fn marks_are_used_only_if_a_match_needs_them() {
    let used = |rest: String| marks(&rest).is_some();
    assert!(used(format!("{HOSTS}{}", class("{ host: ata }"))));
    assert!(!used(format!("lan: {{ nat: false }}\n{HOSTS}{}", class("{ host: ata }"))));
    assert!(!used(format!("{HOSTS}{}", class("{ host: desk, family: ipv6 }"))));
    assert!(!used(format!("{HOSTS}{}", class("{ dscp: ef }"))));
    assert!(used(class("{ dscp: ef, direction: down }")));
    assert!(used(class("{ local: 10.0.0.0/8 }")));
    assert!(!used(class("{ local: 10.0.0.0/8, protocol: icmpv6 }")));
    assert!(used(class("{ mark: 0x10/0xff }")));
    assert!(!used(class("{ mark: 0x10/0xff, direction: up }")));
    // a group is in the packet itself
    assert!(!used(class("{ local: [224.0.0.0/4, 255.255.255.255] }")));
    assert!(used(class("{ local: 224.0.0.0/3 }")));
    let member = "hosts: { tv: { address: 239.1.2.3, ceiling: 5mbit } }\n";
    assert!(!used(format!("{member}{}", class("{ host: tv }"))));
    let needs = marks(&class("{ local: [224.0.0.0/4, 10.0.0.0/8] }")).unwrap().needs;
    assert!(needs[0].what.ends_with("does not show the address `10.0.0.0/8`"), "{needs:?}");
    let alone = "hosts: { phone: { mac: \"02:00:5e:10:00:01\" } }\n";
    assert!(used(format!("{alone}{}", class("{ host: phone }"))));
    assert!(used(format!("{alone}{}", class("{ host: phone, family: ipv6 }"))));
    assert!(!used(format!("{alone}{}", class("{ family: ipv6 }"))));
    let promised = "hosts: { phone: { mac: \"02:00:5e:10:00:01\", ceiling: 1mbit } }\n";
    assert!(used(format!("{promised}{}", class("{ family: ipv6 }"))));
    let mac = "hosts: { phone: { address: \"2001:db8:1::7\", mac: \"02:00:5e:10:00:01\" } }\n";
    assert!(used(format!("{mac}{}", class("{ host: phone }"))));
}

#[test]
fn every_host_has_a_number_and_no_bit_is_used_twice() {
    let found =
        marks(&format!("{HOSTS}{}", class("{ host: ata }, { dscp: ef }, { mark: 0x1000000/0x1000000 }")))
            .unwrap();
    let address = found.address.as_ref().unwrap();
    assert_eq!(address.identities.len(), 2);
    assert!(address.of_host.keys().eq(&[0, 1]));
    let dscp = found.dscp.as_ref().unwrap().bits.value;
    let flag = found.flag.as_ref().unwrap().bit.value;
    assert_eq!((dscp & address.bits.value, (dscp | address.bits.value) & flag), (0, 0));
    assert_eq!(dscp | address.bits.value | flag, found.mask.value);
    // all code points do not fit into seven bits beside the hosts and the flag
    assert_eq!(dscp.count_ones(), 1);
    // the bit that the configuration itself matches
    assert_eq!(found.mask.value & 0x0100_0000, 0);
    assert_eq!(found.lent, 0x0100_0000);
}

#[test]
fn dscp_0_differs_from_an_unknown_dscp() {
    let found = marks(&class("{ dscp: cs0, direction: down }")).unwrap();
    let field = found.dscp.unwrap();
    assert_ne!(field.mark(crate::units::Dscp::new(0).unwrap()), 0);
}

#[test]
fn marks_stay_within_a_given_mask() {
    let given = "tuning: { mark_mask: 0x00f0000f }\n";
    let found = marks(&format!("{HOSTS}{given}{}", class("{ host: ata }"))).unwrap();
    assert_eq!(found.mask.value & !0x00f0_000f, 0);
    assert!(found.mask.value != 0);
}

#[test]
fn the_mark_of_an_address_is_that_of_its_host() {
    let found = marks(&format!("{HOSTS}{}", class("{ host: ata }, { local: 192.168.1.0/24 }"))).unwrap();
    let field = found.address.unwrap();
    let of = |text: &str| field.of_address(text.parse().unwrap());
    assert_eq!(field.hosts(&[0]), [of("192.168.1.5")]);
    assert!(field.local(&["192.168.1.0/24".parse().unwrap()]).contains(&of("192.168.1.77")));
    assert_eq!(field.local(&["192.168.1.0/24".parse().unwrap()]).len(), 3);
    assert_eq!(of("10.0.0.1"), 0);
}

#[test]
fn a_flag_is_needed_if_more_than_our_bits_is_restored() {
    let flag = |alternative: &str| marks(&class(alternative)).unwrap().flag;
    assert_eq!(flag("{ local: 10.0.0.0/8 }"), None);
    let found = flag("{ mark: 0x100/0xff00 }").unwrap();
    assert_eq!((found.bit.value, found.shared), (0x0100_0000, None));
    let found = flag("{ mark: 0x1000000/0xff000000 }").unwrap();
    assert_eq!(found.bit.value & 0xff00_0000, 0);
    // a match that looks at a mark of uploads needs no restored mark
    assert!(marks(&class("{ mark: 100, direction: up }, { local: 10.0.0.0/8 }")).is_none());
}

#[test]
fn matches_that_test_the_flag_stay_exact() {
    let found = marks(&class("{ mark: [100, 0x1000000] }, { mark: 0x10/0xff }")).unwrap();
    let flag = found.flag.clone().unwrap();
    let shared = flag.shared.unwrap();
    // bit 24 is matched with value 1, so 25 is the first bit that all matches want to be 0
    assert_eq!((flag.bit.value, shared.spoiler, shared.rest), (0x0200_0000, 0x0400_0000, 0xff));
    assert_eq!((found.mask.value, found.restored()), (0x0200_0000, 0xfdff_ffff));
    let mark = |text: &str| text.parse::<crate::units::Mark>().unwrap();
    assert_eq!(found.downwards(mark("100")), [mark("0x02000064"), mark("100")]);
    assert_eq!(found.downwards(mark("0x10/0xff")), [mark("0x10/0xff")]);
    assert_eq!(found.downwards(mark("0")), [mark("0x02000000")]);
}

#[test]
fn a_missing_bit_for_the_flag_is_an_error() {
    let all = format!("{}{}", HOSTS, class("{ mark: [100, 0xffffffff] }"));
    let text = format!("link: {{ device: wan, profile: ethernet, up: 20mbit, down: 50mbit }}\n{all}");
    let found = compile(text, &Options::of("home.yaml")).findings;
    assert!(found.iter().any(|own| own.code == crate::diag::Code::TooFewMarkBits), "{found:?}");
}

#[test]
fn spare_mark_bits_avoid_those_of_other_programs() {
    let taken = |more: &str| marks(&format!("{HOSTS}{}", class(&format!("{{ host: ata }}{more}")))).unwrap();
    let fits = taken(", { dscp: ef, direction: down }").mask.value;
    assert_eq!((fits & 0x00ff_ffff, fits.count_ones()), (0, 8));
    // seven bits for every DSCP and two for the hosts do not fit, but two for the matched DSCPs do
    let more = taken(", { dscp: [ef, cs0], direction: down }");
    assert_eq!(more.mask.value & 0x00ff_ffff, 0);
    assert_eq!(more.dscp.unwrap().bits.value.count_ones(), 2);
}

/// The marks for this many hosts and matched DSCPs.
fn crowded(hosts: usize, points: usize) -> Marks {
    let host = |host: usize| format!("  h{host}: {{ address: 192.168.1.{} }}\n", host + 1);
    let hosts: String = (0..hosts).map(host).collect();
    let points: Vec<String> = (0..points).map(|point| point.to_string()).collect();
    let dscp = format!("{{ host: h0 }}, {{ dscp: [{}], direction: down }}", points.join(", "));
    marks(&format!("hosts:\n{hosts}{}", class(&dscp))).unwrap()
}

#[test]
fn bits_of_other_programs_are_taken_only_if_the_fewest_bits_need_them() {
    let fewest = |numbers: usize| usize::BITS - numbers.leading_zeros();
    let sizes = (1..=64).flat_map(|size| [(size, 1), (size, 14), (size, 64), (4, size), (64, size)]);
    for (hosts, points) in sizes {
        let found = crowded(hosts, points);
        let needed = fewest(hosts) + fewest(points);
        let bits = found.mask.value.count_ones();
        let is_others = !crate::model::mark_users(found.mask.value).is_empty();
        assert_eq!(is_others, needed > 8, "{hosts} hosts, {points} DSCPs: {:#x}", found.mask.value);
        assert_eq!(bits, if is_others { needed } else { bits.clamp(needed, 8) });
        let (address, dscp) = (found.address.unwrap(), found.dscp.unwrap());
        assert_eq!(address.bits.value & dscp.bits.value, 0);
        let of_hosts: BTreeSet<u32> = (0..hosts).flat_map(|host| address.hosts(&[host])).collect();
        let points = (0..points).filter_map(|bits| crate::units::Dscp::new(u8::try_from(bits).ok()?));
        let points: Vec<u32> = points.map(|point| dscp.mark(point)).collect();
        assert_eq!(of_hosts.len(), hosts);
        assert_eq!(points.iter().collect::<BTreeSet<_>>().len(), points.len());
        for mark in of_hosts.iter().chain(&points) {
            assert_ne!(*mark, 0);
        }
    }
}

#[test]
fn four_hosts_beside_the_default_classes_need_no_bits_of_other_programs() {
    let hosts = "hosts:
  one: { address: 192.168.1.1, ceiling: 10mbit }
  two: { address: 192.168.1.2, ceiling: 10mbit }
  three: { address: 192.168.1.3, mac: \"02:00:5e:10:00:03\", ceiling: 10mbit }
  four: { address: 192.168.1.4, ceiling: 10mbit }
";
    let found = marks(hosts).unwrap();
    assert_eq!(crate::model::mark_users(found.mask.value), Vec::<&str>::new(), "{:#x}", found.mask.value);
}
