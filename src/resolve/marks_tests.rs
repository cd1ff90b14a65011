use crate::compile::{Options, compile};
use crate::model::{Marks, Model};

/// The model of a household. It is there even if a match is refused.
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
fn marks_are_in_use_where_something_needs_them() {
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
    assert_eq!(dscp & address.bits.value, 0);
    assert_eq!(dscp | address.bits.value, found.mask.value);
    assert_eq!(dscp.count_ones(), 6);
    // the household's own bit
    assert_eq!(found.mask.value & 0x0100_0000, 0);
    assert_eq!(found.lent, 0x0100_0000);
}

#[test]
fn code_point_0_is_not_the_same_as_nothing() {
    let found = marks(&class("{ dscp: cs0, direction: down }")).unwrap();
    let field = found.dscp.unwrap();
    assert!(field.known);
    assert_ne!(field.mark(crate::units::Dscp::new(0).unwrap()), 0);
}

#[test]
fn a_given_mask_is_kept_to() {
    let given = "tuning: { mark_mask: 0x00f0000f }\n";
    let found = marks(&format!("{HOSTS}{given}{}", class("{ host: ata }"))).unwrap();
    assert_eq!(found.mask.value & !0x00f0_000f, 0);
    assert!(found.mask.value != 0);
}

#[test]
fn what_a_packet_of_an_address_has() {
    let found = marks(&format!("{HOSTS}{}", class("{ host: ata }, { local: 192.168.1.0/24 }"))).unwrap();
    let field = found.address.unwrap();
    let of = |text: &str| field.of_address(text.parse().unwrap());
    assert_eq!(field.hosts(&[0]), [of("192.168.1.5")]);
    assert!(field.local(&["192.168.1.0/24".parse().unwrap()]).contains(&of("192.168.1.77")));
    assert_eq!(field.local(&["192.168.1.0/24".parse().unwrap()]).len(), 3);
    assert_eq!(of("10.0.0.1"), 0);
}
