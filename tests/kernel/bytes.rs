//! Packets are charged what they take on the line: every profile, every size, on Ethernet and on a raw-IP device.
//!
//! After a packet in rest, HTB shows what the class's full bucket has left: the difference is the packet's cost, exact to
//! the byte.

use crate::counters;
use crate::house::House;
use crate::packet::Packet;
use crate::report::Report;
use qosc::tc::Dev;

const SIZES: [usize; 6] = [28, 40, 64, 576, 1492, 1500];

/// Bytes on the line of IP packets of these sizes, by profile: added up from each encapsulation's own parts. PTM takes its
/// byte in 65 off the rate.
const WIRE: [(&str, [u64; 6]); 20] = [
    ("raw", [28, 40, 64, 576, 1492, 1500]),
    ("ethernet", [84, 84, 102, 614, 1530, 1538]),
    ("ethernet-vlan", [84, 84, 106, 618, 1534, 1542]),
    ("docsis", [64, 64, 82, 594, 1510, 1518]),
    ("wireless", [64, 64, 82, 594, 1510, 1518]),
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
];

fn house(device: &str, profile: &str, frames: &str) -> House {
    let yaml = format!(
        "link: {{ device: {device}, profile: {profile}, up: 20mbit, down: 20mbit, frames: {frames} }}\n\
         classes:\n  probe: {{ guarantee: 50%, match: {{ protocol: 253 }} }}\n  rest: {{ default: true }}\n"
    );
    House::of("bytes", yaml.into_bytes())
}

/// What a class of this rate has left, in ticks of 64 ns.
fn tokens(text: &str, dev: Dev, id: &str) -> i128 {
    let (up, down) = text.split_once("== ifb").expect("two devices");
    let part = if dev == Dev::Wan { up } else { down };
    let (_, of_class) = part.split_once(&format!("class htb {id} ")).expect("the class");
    let (_, tokens) = of_class.split_once("tokens: ").expect("its tokens");
    tokens.split_whitespace().next().expect("a number").parse().expect("a number")
}

fn judge(name: &str, device: &str) {
    let packet = |size| Packet::new("192.0.2.1", "192.0.2.2").length(size);
    charged(name, device, "auto", &WIRE, &SIZES, packet);
}

fn charged(
    name: &str,
    device: &str,
    frames: &str,
    wires: &[(&str, [u64; 6])],
    sizes: &[usize],
    packet: impl Fn(usize) -> Packet,
) {
    let houses: Vec<(&str, House)> =
        wires.iter().map(|(profile, _)| (*profile, house(device, profile, frames))).collect();
    let Some(report) = sent(name, device, &houses, sizes, packet) else { return };

    let mut wrong = Vec::new();
    for ((profile, house), (_, wire)) in houses.iter().zip(wires) {
        for dev in [Dev::Wan, Dev::Ifb] {
            let class = counters::class(&house.program, dev, "probe");
            let left = |step: &str| {
                tokens(&report.text(&format!("out/{profile}/{step}.tokens")), dev, &class.id.to_string())
            };
            let full = left("rest");
            for (size, bytes) in sizes.iter().zip(wire) {
                let cost = (full - left(&size.to_string())) * 64 * i128::from(class.rate.bps());
                // A tick is less than a tenth of a byte at this rate.
                let charged = (cost + 4_000_000_000) / 8_000_000_000;
                if charged != i128::from(*bytes) {
                    wrong.push(format!("{profile}, {dev:?}, {size} bytes: charged {charged}, not {bytes}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One packet of each size in each direction, under the script of each house.
fn sent(
    name: &str,
    device: &str,
    houses: &[(&str, House)],
    sizes: &[usize],
    packet: impl Fn(usize) -> Packet,
) -> Option<Report> {
    let mut guest = houses[0].1.guest(name);
    for (profile, house) in houses {
        guest = guest.file(&format!("scripts/{profile}.sh"), house.script.as_str());
    }
    for size in sizes {
        let packet = packet(*size);
        let lines = packet.line(device, 1) + &packet.line(&format!("net/{device}"), 1);
        guest = guest.file(&format!("sizes/{size}"), lines);
    }
    let profiles: Vec<&str> = houses.iter().map(|(profile, _)| *profile).collect();
    let words: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    let guest = guest.variable("SCRIPTS", &profiles.join(" ")).variable("SIZES", &words.join(" "));
    let report = guest.run("bytes.sh")?;
    for (profile, _) in houses {
        report.expect_code(&format!("{profile}/start"), 0);
    }
    Some(report)
}

/// The largest packet that a CAKE has seen, as it charges it: sizes grow, so that it is always the last one.
fn adjusted(text: &str, dev: Dev) -> u64 {
    let (up, down) = text.split_once("== ifb").expect("two devices");
    let part = if dev == Dev::Wan { up } else { down };
    let (_, sizes) = part.split_once("min/max overhead-adjusted size:").expect("CAKE's sizes");
    let (_, largest) = sizes.lines().next().expect("a line").split_once('/').expect("two sizes");
    largest.trim().parse().expect("bytes")
}

/// The same table, for CAKE.
fn by_cake(name: &str, device: &str, frames: &str, sizes: &[usize], packet: impl Fn(usize) -> Packet) {
    let some = ["raw", "ethernet", "fibre-pppoe", "vdsl2-pppoe", "adsl-pppoa-vcmux", "adsl-pppoe-llc"];
    let wires: Vec<_> = WIRE.into_iter().filter(|(profile, _)| some.contains(profile)).collect();
    let house = |profile: &str| {
        let yaml = format!(
            "link: {{ device: {device}, profile: {profile}, up: 20mbit, down: 20mbit, frames: {frames}, engine: cake }}\n\
             classes: {{ preset: simple }}\n"
        );
        House::of("bytes", yaml.into_bytes())
    };
    let houses: Vec<(&str, House)> = wires.iter().map(|(profile, _)| (*profile, house(profile))).collect();
    let Some(report) = sent(name, device, &houses, sizes, packet) else { return };
    let mut wrong = Vec::new();
    for (profile, wire) in wires {
        for (dev, (size, bytes)) in [Dev::Wan, Dev::Ifb]
            .into_iter()
            .flat_map(|dev| sizes.iter().zip(wire).map(move |pair| (dev, pair)))
        {
            let charged = adjusted(&report.text(&format!("out/{profile}/{size}.root")), dev);
            if charged != bytes {
                wrong.push(format!("{profile}, {dev:?}, {size} bytes: charged {charged}, not {bytes}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn are_charged_by_cake() {
    let packet = |size| Packet::new("192.0.2.1", "192.0.2.2").length(size);
    by_cake("bytes-cake", "eth0", "auto", &SIZES, packet);
    by_cake("bytes-cake-raw", "tun0", "auto", &SIZES, packet);
    by_cake("bytes-cake-frames", "eth0", "pppoe", &SIZES[..5], |size| packet(size).in_pppoe());
}

#[test]
fn are_charged_on_ethernet() {
    judge("bytes-ethernet", "eth0");
}

#[test]
fn are_charged_on_a_vlan() {
    judge("bytes-vlan", "eth0.7");
}

#[test]
fn are_charged_on_raw_ip() {
    judge("bytes-raw", "tun0");
}

/// What carries PPPoE frames that it does not end: the Ethernet below a session, a bridge between modem and client.
#[test]
fn are_charged_in_pppoe_frames() {
    let some = ["raw", "ethernet", "fibre-pppoe", "vdsl2-pppoe", "vdsl2-pppoe-vlan", "adsl-pppoe-llc"];
    let wires: Vec<_> = WIRE.into_iter().filter(|(profile, _)| some.contains(profile)).collect();
    // A frame holds no more than 1492 bytes.
    charged("bytes-frames", "eth0", "pppoe", &wires, &SIZES[..5], |size| {
        Packet::new("192.0.2.1", "192.0.2.2").length(size).in_pppoe()
    });
}
