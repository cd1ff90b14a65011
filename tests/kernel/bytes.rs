//! HTB classes and CAKE charge the bytes that a packet takes on the line. The test covers every profile on every kind
//! of device, with sizes on both sides of each step. `bytes_police.rs` tests police.
//!
//! HTB shows the tokens that a packet has used of a class's full bucket. They give its cost, exact to the byte. CAKE
//! shows the largest packet that it has seen, including overhead.

use crate::counters;
use crate::house::House;
use crate::packet::Packet;
use crate::report::Report;
use crate::uml::Machine;
use qosc::tc::Dev;

/// Sizes of IP packets in bytes.
const SIZES: [usize; 6] = [28, 40, 64, 576, 1492, 1500];

/// Bytes on the line for packets of these sizes, by profile, added up from the headers of each encapsulation. PTM's
/// overhead of one byte in 65 is subtracted from the rate instead.
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

/// The steps in which a profile charges packets.
#[derive(Clone, Copy)]
enum Step {
    /// Cells of 53 bytes, each for 48 bytes of the packet.
    Cells,
    /// Single bytes, with this minimum for a packet.
    Least(usize),
}

/// Overhead of a profile above IP, and its steps.
fn step(profile: &str) -> (usize, Step) {
    match profile {
        "raw" => (0, Step::Least(0)),
        "ethernet" => (38, Step::Least(84)),
        "ethernet-vlan" => (42, Step::Least(84)),
        "docsis" | "wireless" | "fibre" => (18, Step::Least(64)),
        "fibre-pppoe" => (26, Step::Least(64)),
        "vdsl2-bridged" => (22, Step::Least(0)),
        "vdsl2-bridged-vlan" => (26, Step::Least(0)),
        "vdsl2-pppoe" => (30, Step::Least(0)),
        "vdsl2-pppoe-vlan" => (34, Step::Least(0)),
        "adsl-ipoa-vcmux" => (8, Step::Cells),
        "adsl-ipoa-llc" => (16, Step::Cells),
        "adsl-pppoa-vcmux" => (10, Step::Cells),
        "adsl-pppoa-llc" => (14, Step::Cells),
        "adsl-bridged-vcmux" => (24, Step::Cells),
        "adsl-bridged-llc" | "adsl-pppoe-vcmux" => (32, Step::Cells),
        "adsl-pppoe-llc" => (40, Step::Cells),
        "conservative" => (48, Step::Cells),
        _ => unreachable!("{profile} has no row"),
    }
}

/// Overhead of a profile above IP.
pub fn above_ip(profile: &str) -> usize {
    step(profile).0
}

/// Bytes on the line for a packet that has `length` bytes including the profile's overhead.
pub fn in_steps(profile: &str, length: usize) -> u64 {
    let charged = match step(profile).1 {
        Step::Cells => length.div_ceil(48) * 53,
        Step::Least(least) => length.max(least),
    };
    u64::try_from(charged).expect("a small number")
}

/// Sizes of IP packets and their bytes on the line: the sizes of [`WIRE`], and both sides of each step up to `longest`.
/// The order is ascending, because CAKE shows only the largest packet.
pub fn wire(profile: &str, longest: usize) -> Vec<(usize, u64)> {
    let (_, listed) = WIRE.into_iter().find(|(name, _)| *name == profile).expect("a profile");
    let (above, step) = step(profile);
    let steps: Vec<usize> = match step {
        Step::Cells => [1, 2, 3, 4, 12, 31].map(|cells| 48 * cells).to_vec(),
        Step::Least(least) => vec![least],
    };
    let sides = steps.into_iter().flat_map(|full| [full, full + 1]);
    let sides = sides.filter_map(|length| Some((length.checked_sub(above)?, in_steps(profile, length))));
    let mut all: Vec<(usize, u64)> = SIZES.into_iter().zip(listed).chain(sides).collect();
    // An IPv4 header has 20 bytes.
    all.retain(|(size, _)| (20..=longest).contains(size));
    all.sort_unstable();
    all.dedup();
    all
}

/// The names of all profiles.
pub fn profiles() -> impl Iterator<Item = &'static str> {
    WIRE.into_iter().map(|(profile, _)| profile)
}

/// A configuration, and the cost that the kernel must charge for each packet.
struct Case {
    profile: &'static str,
    house: House,
    wire: Vec<(usize, u64)>,
}

/// The path of a test's packets: the WAN device, `frames` of `link`, and the longest IP packet.
#[derive(Clone, Copy)]
pub struct Travel {
    pub device: &'static str,
    pub frames: &'static str,
    pub longest: usize,
}

pub const ETHERNET: Travel = Travel { device: "eth0", frames: "auto", longest: 1500 };
pub const VLAN: Travel = Travel { device: "eth0.7", ..ETHERNET };
pub const RAW_IP: Travel = Travel { device: "tun0", ..ETHERNET };
const PPP: Travel = Travel { device: "ppp0", longest: 1492, ..ETHERNET };
/// An Ethernet device that carries PPPoE frames of other machines: below a session, or in a bridge between modem and
/// client.
pub const FRAMES: Travel = Travel { device: "eth0", frames: "pppoe", longest: 1492 };

impl Travel {
    fn case(self, profile: &'static str, engine: &str, classes: &str) -> Case {
        let Travel { device, frames, longest } = self;
        let yaml = format!(
            "link: {{ device: {device}, profile: {profile}, up: 20mbit, down: 20mbit, frames: {frames}, \
             engine: {engine} }}\n{classes}"
        );
        Case { profile, house: House::of("bytes", yaml.into_bytes()), wire: wire(profile, longest) }
    }

    /// Lines for a packet of each protocol in each direction.
    fn lines(self, size: usize, protocols: &[u8]) -> String {
        let mut lines = String::new();
        for protocol in protocols {
            let packet = Packet::new("192.0.2.1", "192.0.2.2").protocol(*protocol).length(size);
            let packet = if self.frames == "pppoe" { packet.in_pppoe() } else { packet };
            lines += &packet.line(self.device, 1);
            lines += &packet.line(&format!("net/{}", self.device), 1);
        }
        lines
    }

    /// Sends packets of each size under the script of each case, one case after another.
    fn sent(self, name: &str, machine: Machine, cases: &[Case], protocols: &[u8]) -> Option<Report> {
        let mut guest = cases[0].house.guest(name).on(machine);
        for Case { profile, house, wire } in cases {
            guest = guest.file(&format!("scripts/{profile}.sh"), house.script.as_str());
            let sizes: Vec<String> = wire.iter().map(|(size, _)| size.to_string()).collect();
            guest = guest.file(&format!("sizes/{profile}"), sizes.join("\n") + "\n");
            for (size, _) in wire {
                guest = guest.file(&format!("sent/{size}"), self.lines(*size, protocols));
            }
        }
        let profiles: Vec<&str> = cases.iter().map(|case| case.profile).collect();
        let report = guest.variable("SCRIPTS", &profiles.join(" ")).run("bytes.sh")?;
        for profile in profiles {
            report.expect_code(&format!("{profile}/start"), 0);
        }
        Some(report)
    }
}

/// The output of `tc -s` for a device, at rest or after a packet of some size.
fn said(report: &Report, profile: &str, step: &str, dev: Dev) -> String {
    let dev = if dev == Dev::Wan { "wan" } else { "ifb" };
    report.text(&format!("out/{profile}/{step}.{dev}"))
}

/// Tokens left in a class's bucket, in ticks of 64 ns.
fn tokens(text: &str, id: &str) -> i128 {
    let (_, of_class) = text.split_once(&format!("class htb {id} ")).expect("the class");
    let (_, tokens) = of_class.split_once("tokens: ").expect("its tokens");
    tokens.split_whitespace().next().expect("a number").parse().expect("a number")
}

/// The largest packet that the CAKE of this handle has seen, including overhead.
fn adjusted(text: &str, handle: &str) -> u64 {
    let (_, of_cake) = text.split_once(&format!("qdisc cake {handle} ")).expect("the CAKE");
    let (_, sizes) = of_cake.split_once("min/max overhead-adjusted size:").expect("CAKE's sizes");
    let (_, largest) = sizes.lines().next().expect("a line").split_once('/').expect("two sizes");
    largest.trim().parse().expect("bytes")
}

/// Finds wrong charges by two HTB classes in both directions, one with fq_codel and one with CAKE. For downloads, this
/// CAKE has a rate, so its own charges are checked too.
fn by_classes(name: &str, travel: Travel, profiles: impl Iterator<Item = &'static str>) {
    by_classes_on(Machine::Virtual, name, travel, profiles);
}

/// Does the same on this machine. If its kernel ignores the mpu, HTB must charge small packets their own bytes, and
/// CAKE, which has an mpu of its own, the bytes on the line.
pub fn by_classes_on(
    machine: Machine,
    name: &str,
    travel: Travel,
    profiles: impl Iterator<Item = &'static str>,
) {
    let classes = "classes:\n  plain: { guarantee: 40%, match: { protocol: 252 } }\n  \
         cake: { guarantee: 40%, queue: cake, match: { protocol: 253 } }\n  rest: { default: true }\n";
    let cases: Vec<Case> = profiles.map(|profile| travel.case(profile, "htb", classes)).collect();
    let Some(report) = travel.sent(name, machine, &cases, &[252, 253]) else { return };

    let mut wrong = Vec::new();
    for Case { profile, house, wire } in &cases {
        for (dev, class) in [Dev::Wan, Dev::Ifb].into_iter().flat_map(|dev| [(dev, "plain"), (dev, "cake")]) {
            let htb = counters::class(&house.program, dev, class);
            let id = htb.id.to_string();
            let left = |at: &str| tokens(&said(&report, profile, at, dev), &id);
            let full = left("rest");
            for (size, bytes) in wire {
                let place = format!("{profile}, {dev:?}, {class}, {size} bytes");
                let cost = (full - left(&size.to_string())) * 64 * i128::from(htb.rate.bps());
                // At this rate, a tick is less than a tenth of a byte.
                let charged = (cost + 4_000_000_000) / 8_000_000_000;
                let by_htb = match step(profile).1 {
                    Step::Least(least) if machine.ignores_mpu() && *bytes == least as u64 => {
                        (*size + above_ip(profile)) as u64
                    }
                    _ => *bytes,
                };
                if charged != i128::from(by_htb) {
                    wrong.push(format!("{place}: HTB charged {charged}, not {by_htb}"));
                }
                if class == "cake" && dev == Dev::Ifb {
                    let handle = format!("{:x}:", htb.id.minor);
                    let charged = adjusted(&said(&report, profile, &size.to_string(), dev), &handle);
                    if charged != *bytes {
                        wrong.push(format!("{place}: the CAKE charged {charged}, not {bytes}"));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Finds wrong charges by a CAKE that schedules a whole direction.
fn by_cake(name: &str, travel: Travel, profiles: impl Iterator<Item = &'static str>) {
    let cases: Vec<Case> =
        profiles.map(|profile| travel.case(profile, "cake", "classes: { preset: simple }\n")).collect();
    let Some(report) = travel.sent(name, Machine::Virtual, &cases, &[253]) else { return };
    let mut wrong = Vec::new();
    for Case { profile, wire, .. } in &cases {
        for (dev, (size, bytes)) in
            [Dev::Wan, Dev::Ifb].into_iter().flat_map(|dev| wire.iter().map(move |pair| (dev, pair)))
        {
            let charged = adjusted(&said(&report, profile, &size.to_string(), dev), "c05:");
            if charged != *bytes {
                wrong.push(format!("{profile}, {dev:?}, {size} bytes: charged {charged}, not {bytes}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn are_charged_by_cake() {
    by_cake("bytes-cake", ETHERNET, profiles());
}

#[test]
fn are_charged_by_cake_on_raw_ip() {
    by_cake("bytes-cake-raw", RAW_IP, profiles());
}

#[test]
fn are_charged_by_cake_in_pppoe_frames() {
    by_cake("bytes-cake-frames", FRAMES, profiles());
}

#[test]
fn are_charged_on_ethernet() {
    by_classes("bytes-ethernet", ETHERNET, profiles());
}

#[test]
fn are_charged_on_a_vlan() {
    by_classes("bytes-vlan", VLAN, profiles());
}

#[test]
fn are_charged_on_raw_ip() {
    by_classes("bytes-raw", RAW_IP, profiles());
}

/// A PPP device counts no header, like every raw-IP device, so a few profiles are enough.
#[test]
fn are_charged_on_ppp() {
    by_classes("bytes-ppp", PPP, ["raw", "vdsl2-pppoe-vlan", "adsl-pppoa-vcmux"].into_iter());
}

#[test]
fn are_charged_in_pppoe_frames() {
    by_classes("bytes-frames", FRAMES, profiles());
}
