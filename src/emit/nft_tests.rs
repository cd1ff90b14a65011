use super::*;
use crate::tc::Why;
use crate::units::Dscp;

fn lookup() -> Lookup {
    let element = |text: &str, mark, name: &str| Element {
        key: LookedUp::Source(text.parse().unwrap()),
        mark,
        why: Why { name: name.to_owned(), what: String::new(), line: Some(3) },
    };
    Lookup {
        name: "address".to_owned(),
        bits: 0x8000_0011,
        elements: vec![
            element("192.168.1.5", 0x8000_0000, "ata"),
            Element {
                key: LookedUp::Sources("10.0.0.0".parse().unwrap(), "10.0.0.255".parse().unwrap()),
                mark: 0x11,
                why: Why::default(),
            },
        ],
    }
}

fn printed(marks: &Marks) -> String {
    let printer = Printer { marks, device: "ppp0", source: "home.yaml", escape: shell::here };
    let lookups = marks.lookups.iter().flat_map(|own| [printer.maps(own), printer.chains(own)].concat());
    lookups.chain(printer.ways()).map(|line| line + "\n").collect()
}

#[test]
fn a_chain_for_each_value() {
    let marks =
        Marks { mask: 0x8000_0011, restored: 0x8000_0011, lookups: vec![lookup()], why: Why::default() };
    crate::golden::assert_golden!(printed(&marks));
}

#[test]
fn marks_of_others_are_cleared_where_nobody_set_one() {
    let marks = Marks { mask: 0, restored: 0xff, lookups: vec![], why: Why::default() };
    let text = printed(&marks);
    assert!(text.contains("iifname \"ppp0\" meta mark & 0xffffff00 == 0 meta mark set 0\n"), "{text}");
    assert!(!text.contains("postrouting"), "{text}");
}

#[test]
fn a_code_point_of_each_family() {
    let element =
        Element { key: LookedUp::Dscp(Dscp::new(46).unwrap()), mark: 0x2e00_0000, why: Why::default() };
    let lookup = Lookup { name: "dscp".to_owned(), bits: 0x3f00_0000, elements: vec![element] };
    let marks =
        Marks { mask: 0x3f00_0000, restored: 0x3f00_0000, lookups: vec![lookup], why: Why::default() };
    let text = printed(&marks);
    assert!(text.contains("ip dscp vmap { 46 : goto dscp_2e }\n"), "{text}");
    assert!(text.contains("ip6 dscp vmap { 46 : goto dscp_2e }\n"), "{text}");
}

#[test]
fn a_comment_is_no_part_of_a_line() {
    assert_eq!(bare("    1.2.3.4 : goto a # b # c"), Some("    1.2.3.4 : goto a"));
    assert_eq!(bare("    # all of it"), None);
}
