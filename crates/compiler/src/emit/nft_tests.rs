use super::*;
use crate::tc::Why;
use crate::units::Dscp;

fn lookup() -> Lookup {
    let element = |text: &str, mark, name: &str| Element {
        key: LookedUp::Source(text.parse().unwrap()),
        mark,
        why: Why { name: name.to_owned(), what: String::new(), line: Some(3), file: 0 },
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
    let printer = Printer { marks, device: "ppp0", source: "home.yaml", files: &[], escape: shell::comment };
    let lookups = marks.lookups.iter().flat_map(|own| [printer.maps(own), printer.chains(own)].concat());
    lookups.chain(printer.value_chains()).map(|line| line + "\n").collect()
}

#[test]
fn each_lookup_value_gets_a_chain() {
    let marks = Marks {
        mask: 0x8000_0011,
        restored: 0x8000_0011,
        flag: 0,
        lookups: vec![lookup()],
        tunnels: BTreeSet::new(),
        why: Why::default(),
    };
    crate::golden::assert_golden!(printed(&marks));
}

#[test]
fn inner_packets_of_translating_tunnels_get_their_bits_at_the_device() {
    let mac = Element {
        key: LookedUp::Mac("02:00:00:00:00:01".parse().unwrap()),
        mark: 0x100,
        why: Why::default(),
    };
    let mac = Lookup { name: "mac".to_owned(), bits: 0x100, elements: vec![mac] };
    let text = printed(&Marks {
        mask: 0x8000_0111,
        restored: 0x8000_0111,
        flag: 0,
        lookups: vec![lookup(), mac],
        tunnels: ["t-gre", "map-wan"].map(|name| name.parse().unwrap()).into(),
        why: Why::default(),
    });
    let tunnels = r#"{ "map-wan", "t-gre" }"#;
    for rule in [
        format!("oifname \"ppp0\" iifname {tunnels} accept"),
        "oifname \"ppp0\" goto who".to_owned(),
        format!("oifname {tunnels} jump address"),
        format!("oifname {tunnels} jump mac"),
        r#"iifname { "ppp0", "map-wan", "t-gre" } meta mark & 0x80000111 != 0"#.to_owned(),
    ] {
        assert!(text.contains(&format!("        {rule}")), "{rule}\n{text}");
    }
}

#[test]
fn only_restored_bits_are_cleared() {
    let cleared = |mask, restored| {
        let flag = 0x0100_0000;
        let text = printed(&Marks {
            mask,
            restored,
            flag,
            lookups: vec![],
            tunnels: BTreeSet::new(),
            why: Why::default(),
        });
        assert!(!text.contains("postrouting"), "{text}");
        let rules = text.lines().filter(|line| line.contains("iifname")).map(|line| line.trim().to_owned());
        rules.collect::<Vec<_>>()
    };
    assert_eq!(
        cleared(0x0100_0000, 0xff),
        [r#"iifname "ppp0" meta mark & 0x01000000 != 0 meta mark set meta mark & 0xfeffff00"#]
    );
    assert_eq!(
        cleared(0x0100_0000, 0xfeff_ffff),
        [r#"iifname "ppp0" meta mark & 0x01000000 != 0 meta mark set meta mark & 0x00000000"#]
    );
    // a packet that arrived with a mark, including the script's bits, keeps the other bits
    assert_eq!(
        cleared(0x0700_0000, 0x0600_00ff),
        [
            r#"iifname "ppp0" meta mark & 0x01000000 != 0 meta mark set meta mark & 0xf8ffff00"#,
            r#"iifname "ppp0" meta mark & 0x06000000 != 0 meta mark set meta mark & 0xf9ffffff"#
        ]
    );
}

#[test]
fn a_dscp_element_covers_both_families() {
    let element =
        Element { key: LookedUp::Dscp(Dscp::new(46).unwrap()), mark: 0x2e00_0000, why: Why::default() };
    let lookup = Lookup { name: "dscp".to_owned(), bits: 0x3f00_0000, elements: vec![element] };
    let marks = Marks {
        mask: 0x3f00_0000,
        restored: 0x3f00_0000,
        flag: 0,
        lookups: vec![lookup],
        tunnels: BTreeSet::new(),
        why: Why::default(),
    };
    let text = printed(&marks);
    assert!(text.contains("ip dscp vmap { 46 : goto dscp_2e }\n"), "{text}");
    assert!(text.contains("ip6 dscp vmap { 46 : goto dscp_2e }\n"), "{text}");
}

#[test]
fn bare_removes_the_comment_of_a_line() {
    assert_eq!(bare("    1.2.3.4 : goto a # b # c"), Some("    1.2.3.4 : goto a"));
    assert_eq!(bare("    # all of it"), None);
}
