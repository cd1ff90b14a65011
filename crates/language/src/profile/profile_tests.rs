use super::{find, names};
use crate::model::Layer;
use crate::units::Percent;

/// All profiles that the program promises to have.
const ALL: [&str; 20] = [
    "adsl-bridged-llc",
    "adsl-bridged-vcmux",
    "adsl-ipoa-llc",
    "adsl-ipoa-vcmux",
    "adsl-pppoa-llc",
    "adsl-pppoa-vcmux",
    "adsl-pppoe-llc",
    "adsl-pppoe-vcmux",
    "conservative",
    "docsis",
    "ethernet",
    "ethernet-vlan",
    "fibre",
    "fibre-pppoe",
    "raw",
    "vdsl2-bridged",
    "vdsl2-bridged-vlan",
    "vdsl2-pppoe",
    "vdsl2-pppoe-vlan",
    "wireless",
];

/// Bytes on the line for IP packets of 28, 40, 64, 576, 1492 and 1500 bytes.
const WIRE: [(&str, [u64; 6]); 20] = [
    ("raw", [28, 40, 64, 576, 1492, 1500]),
    ("ethernet", [84, 84, 102, 614, 1530, 1538]),
    ("ethernet-vlan", [84, 84, 106, 618, 1534, 1542]),
    ("docsis", [64, 64, 82, 594, 1510, 1518]),
    ("fibre", [64, 64, 82, 594, 1510, 1518]),
    ("fibre-pppoe", [64, 66, 90, 602, 1518, 1526]),
    ("vdsl2-bridged", [50, 62, 86, 598, 1514, 1522]),
    ("vdsl2-bridged-vlan", [54, 66, 90, 602, 1518, 1526]),
    ("vdsl2-pppoe", [58, 70, 94, 606, 1522, 1530]),
    ("vdsl2-pppoe-vlan", [62, 74, 98, 610, 1526, 1534]),
    ("adsl-ipoa-vcmux", [53, 53, 106, 689, 1696, 1696]),
    ("adsl-ipoa-llc", [53, 106, 106, 689, 1696, 1696]),
    ("adsl-pppoa-vcmux", [53, 106, 106, 689, 1696, 1696]),
    ("adsl-pppoa-llc", [53, 106, 106, 689, 1696, 1696]),
    ("adsl-bridged-vcmux", [106, 106, 106, 689, 1696, 1696]),
    ("adsl-bridged-llc", [106, 106, 106, 689, 1696, 1696]),
    ("adsl-pppoe-vcmux", [106, 106, 106, 689, 1696, 1696]),
    ("adsl-pppoe-llc", [106, 106, 159, 689, 1696, 1749]),
    ("conservative", [106, 106, 159, 689, 1749, 1749]),
    ("wireless", [64, 64, 82, 594, 1510, 1518]),
];

#[test]
fn every_link_profile_is_found() {
    assert_eq!(names(), ALL);
    for name in ALL {
        let profile = find(name).unwrap_or_else(|| panic!("{name} cannot be read"));
        assert_eq!(profile.name, name);
        assert!(!profile.about.is_empty() && !profile.source.is_empty(), "{name}");
    }
    assert_eq!(find("../classes/home"), None);
    assert_eq!(find(""), None);
}

#[test]
fn the_bytes_of_a_profile_add_up_to_its_overhead() {
    for profile in ALL.iter().filter_map(|name| find(name)) {
        let sum: u32 = profile.bytes.iter().map(|(bytes, _)| bytes).sum();
        assert_eq!(sum, profile.overhead, "{}", profile.name);
    }
}

#[test]
fn sums_have_a_short_name_for_every_byte() {
    let sum = |name: &str| find(name).unwrap().sum();
    assert_eq!(sum("vdsl2-pppoe"), "14 header + 4 FCS + 1 S + 1 Ck + 2 TC-CRC + 6 PPPoE + 2 PPP = 30 bytes");
    assert_eq!(sum("ethernet-vlan"), "8 preamble + 14 header + 4 tag + 4 FCS + 12 gap = 42 bytes");
    assert_eq!(sum("adsl-pppoa-llc"), "4 LLC + 8 AAL5 + 2 PPP = 14 bytes");
    for profile in ALL.iter().filter_map(|name| find(name)) {
        let short = |what: &String| super::links::SHORT.iter().any(|(long, _)| long == what);
        assert!(profile.bytes.iter().all(|(_, what)| short(what)), "{}", profile.name);
    }
}

/// Optional bytes are not counted, and a PPP session adds its bytes only once.
#[test]
fn the_least_overhead_leaves_out_optional_bytes() {
    let least = |name: &str, layer: Layer| find(name).unwrap().least(layer);
    let ppp = |name: &str| find(name).unwrap().with_ppp();
    assert_eq!(least("vdsl2-pppoe-vlan", Layer::Ptm), 30);
    assert_eq!(least("vdsl2-pppoe-vlan", Layer::Ethernet), 22);
    assert_eq!(least("vdsl2-bridged", Layer::Ptm), 22);
    assert_eq!(least("ethernet-vlan", Layer::Ethernet), 14);
    assert_eq!(least("fibre-pppoe", Layer::Ethernet), 22);
    assert_eq!(least("adsl-pppoe-llc", Layer::Atm), 32);
    assert_eq!(least("adsl-ipoa-llc", Layer::Atm), 8);
    assert_eq!(ppp("adsl-ipoa-vcmux").overhead, 10);
    assert_eq!(ppp("vdsl2-bridged").overhead, 30);
    assert_eq!(ppp("vdsl2-pppoe").overhead, 30);
}

#[test]
fn profiles_charge_the_size_on_the_wire() {
    for (name, sizes) in WIRE {
        let wire = find(name).unwrap().wire();
        assert_eq!([28, 40, 64, 576, 1492, 1500].map(|ip| wire.bytes(ip)), sizes, "{name}");
    }
}

#[test]
fn margins_depend_on_the_source_of_the_rate() {
    for profile in ALL.iter().filter_map(|name| find(name)) {
        let name = profile.name.as_str();
        let modem = ["vdsl2", "adsl", "ethernet"].iter().any(|kind| name.starts_with(kind));
        let (up, down) = match name {
            "conservative" | "wireless" => (10, 15),
            _ if modem => (2, 5),
            _ => (5, 10),
        };
        let margin = (profile.margin.up, profile.margin.down);
        assert_eq!(margin, (Percent::from_ppm(up * 10_000), Percent::from_ppm(down * 10_000)), "{name}");
        let layer = if name.starts_with("vdsl2") {
            Layer::Ptm
        } else if name.starts_with("adsl") || name == "conservative" {
            Layer::Atm
        } else {
            Layer::Ethernet
        };
        assert_eq!(profile.layer, layer, "{name}");
        assert_eq!(profile.mtu, if name.contains("pppoe") { 1492 } else { 1500 }, "{name}");
    }
}

/// Numbers of tc-cake(8) for its keywords. `ether-vlan` adds 4, and `ethernet` sets no layer.
#[test]
fn profiles_agree_with_the_keywords_of_tc_cake() {
    const KEYWORDS: [(&str, u32, u32); 13] = [
        ("conservative", 48, 0),
        ("ipoa-vcmux", 8, 0),
        ("ipoa-llcsnap", 16, 0),
        ("bridged-vcmux", 24, 0),
        ("bridged-llcsnap", 32, 0),
        ("pppoa-vcmux", 10, 0),
        ("pppoa-llc", 14, 0),
        ("pppoe-vcmux", 32, 0),
        ("pppoe-llcsnap", 40, 0),
        ("pppoe-ptm", 30, 0),
        ("bridged-ptm", 22, 0),
        ("docsis", 18, 64),
        ("ethernet", 38, 84),
    ];
    let mut compared = 0;
    for profile in ALL.iter().filter_map(|name| find(name)) {
        let Some(cake) = &profile.cake else { continue };
        let vlan = if cake.ends_with(" ether-vlan") { 4 } else { 0 };
        let keyword = cake.split(' ').next().unwrap();
        let (_, overhead, mpu) = KEYWORDS.iter().find(|(known, ..)| *known == keyword).unwrap();
        assert_eq!((profile.overhead, profile.mpu), (overhead + vlan, *mpu), "{cake}");
        compared += 1;
    }
    assert_eq!(compared, 16);
}
