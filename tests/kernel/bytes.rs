//! HTB classes, CAKE and police charge the bytes that a packet takes on the line. The test covers every profile on every
//! kind of device, with sizes on both sides of each step.
//!
//! HTB shows the tokens that a packet has used of a class's full buckets. They give its cost, exact to the byte. CAKE
//! shows the largest packet that it has seen, including overhead. A police shows no costs, so each size has two police.
//! One has a bucket of three packets and passes three. The other bucket is a byte smaller and passes two.

use crate::counters;
use crate::house::House;
use crate::packet::Packet;
use crate::report::Report;
use crate::uml::Machine;
use qosc_compiler::model::Direction;
use qosc_compiler::tc::{Action, Dev, Hook, Program};
use std::fmt::Write as _;

/// Sizes of IP packets in bytes.
const SIZES: [usize; 6] = [28, 40, 64, 576, 1492, 1500];

/// Number of packets that each police gets.
const SENT: u64 = 5;

/// Number of packets that fit into the larger bucket of two police.
const ROOM: u64 = 3;

/// Bytes of the IPv4 and UDP headers.
const HEADERS: usize = 28;

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
fn above_ip(profile: &str) -> usize {
    step(profile).0
}

/// Bytes on the line for a packet that has `length` bytes including the profile's overhead.
fn in_steps(profile: &str, length: usize) -> u64 {
    let charged = match step(profile).1 {
        Step::Cells => length.div_ceil(48) * 53,
        Step::Least(least) => length.max(least),
    };
    u64::try_from(charged).expect("a small number")
}

/// Bytes on the line for an IP packet of this size. PTM's overhead of one byte in 65 is subtracted from the rate instead.
pub fn on_the_line(profile: &str, size: usize) -> u64 {
    in_steps(profile, size + above_ip(profile))
}

/// Sizes of IP packets and their bytes on the line: [`SIZES`], and both sides of each step up to `longest`. The order is
/// ascending, because CAKE shows only the largest packet.
fn wire(profile: &str, longest: usize) -> Vec<(usize, u64)> {
    let (above, step) = step(profile);
    let steps: Vec<usize> = match step {
        Step::Cells => [1, 2, 3, 4, 12, 31].map(|cells| 48 * cells).to_vec(),
        Step::Least(least) => vec![least],
    };
    let sides = steps.into_iter().flat_map(|full| [full, full + 1]);
    let sizes = SIZES.into_iter().chain(sides.filter_map(|length| length.checked_sub(above)));
    let mut all: Vec<(usize, u64)> = sizes.map(|size| (size, on_the_line(profile, size))).collect();
    // An IPv4 header has 20 bytes.
    all.retain(|(size, _)| (20..=longest).contains(size));
    all.sort_unstable();
    all.dedup();
    all
}

/// The names of all profiles.
pub fn profiles() -> impl Iterator<Item = &'static str> {
    qosc_compiler::profile::names().into_iter()
}

/// A configuration, and the cost that the kernel must charge for each packet.
struct Case {
    profile: &'static str,
    house: House,
    wire: Vec<(usize, u64)>,
    police: Vec<Police>,
}

/// A police for packets of one size.
struct Police {
    direction: Direction,
    /// The UDP port that no other police of the direction has.
    port: u16,
    size: usize,
    /// Bytes that each packet must cost.
    bytes: u64,
    /// Number of packets that the bucket must pass.
    room: u64,
}

/// The path of a test's packets: the WAN device, `frames` of `link`, and the longest IP packet.
#[derive(Clone, Copy)]
pub struct Travel {
    device: &'static str,
    frames: &'static str,
    longest: usize,
    /// Bytes of the header that a police counts above IP for uploads and downloads; `None` for a path without police.
    headers: Option<(usize, usize)>,
}

pub const ETHERNET: Travel = Travel { device: "eth0", frames: "auto", longest: 1500, headers: Some((14, 0)) };
const VLAN: Travel = Travel { device: "eth0.7", ..ETHERNET };
const RAW_IP: Travel = Travel { device: "tun0", headers: Some((0, 0)), ..ETHERNET };
const PPP: Travel = Travel { device: "ppp0", longest: 1492, headers: None, ..ETHERNET };
/// An Ethernet device that carries PPPoE frames of other machines: below a session, or in a bridge between modem and
/// client.
const FRAMES: Travel = Travel { frames: "pppoe", longest: 1492, headers: Some((22, 8)), ..ETHERNET };

impl Travel {
    fn case(self, profile: &'static str, engine: &str, classes: &str, police: Vec<Police>) -> Case {
        let Travel { device, frames, longest, .. } = self;
        let mut yaml = format!(
            "link: {{ device: {device}, profile: {profile}, up: 20mbit, down: 20mbit, frames: {frames}, \
             engine: {engine} }}\n{classes}"
        );
        if !police.is_empty() {
            yaml += "police:\n";
        }
        for one in &police {
            // The smaller bucket lacks a byte. At this rate, the kernel's unit of time is far below the time of a byte.
            let burst = ROOM * one.bytes - (ROOM - one.room);
            let _ = writeln!(
                yaml,
                "  {}: {{ direction: {}, match: {{ protocol: udp, remote_port: {} }}, rate: 100kbit, burst: {burst} }}",
                one.name(),
                one.direction.as_str(),
                one.port
            );
        }
        Case { profile, house: House::of("bytes", yaml.into_bytes()), wire: wire(profile, longest), police }
    }

    /// Two police for each size of UDP packets in each direction. A police cannot subtract bytes. If the profile's
    /// overhead is less than the header that the device counts, the police charges that header.
    fn police(self, profile: &str) -> Vec<Police> {
        let Some((up, down)) = self.headers else { return Vec::new() };
        let mut police = Vec::new();
        for (direction, header) in [(Direction::Up, up), (Direction::Down, down)] {
            let sizes = wire(profile, self.longest).into_iter().filter(|(size, _)| *size >= HEADERS);
            let buckets = sizes.flat_map(|size| [(size, ROOM), (size, ROOM - 1)]);
            for (port, ((size, bytes), room)) in (10_000..).zip(buckets) {
                let bytes = if above_ip(profile) < header { in_steps(profile, size + header) } else { bytes };
                police.push(Police { direction, port, size, bytes, room });
            }
        }
        police
    }

    /// A line for a number of packets of this direction.
    fn line(self, direction: Direction, packet: Packet, count: u64) -> String {
        let packet = if self.frames == "pppoe" { packet.in_pppoe() } else { packet };
        let place = match direction {
            Direction::Up => self.device.to_owned(),
            Direction::Down => format!("net/{}", self.device),
        };
        packet.line(&place, usize::try_from(count).expect("few"))
    }

    /// Lines for a packet of each protocol in each direction.
    fn lines(self, size: usize, protocols: &[u8]) -> String {
        let mut lines = String::new();
        for protocol in protocols {
            let packet = Packet::new("192.0.2.1", "192.0.2.2").protocol(*protocol).length(size);
            lines += &self.line(Direction::Up, packet.clone(), 1);
            lines += &self.line(Direction::Down, packet, 1);
        }
        lines
    }

    /// Lines for the packets of each police.
    fn policed(self, police: &[Police]) -> String {
        let line = |one: &Police| {
            let (from, to) = if one.direction == Direction::Up { (1, one.port) } else { (one.port, 1) };
            let packet = Packet::new("192.0.2.1", "192.0.2.2").udp(from, to).length(one.size);
            self.line(one.direction, packet, SENT)
        };
        police.iter().map(line).collect()
    }

    /// Sends packets of each size under the script of each case, one case after another.
    fn sent(self, name: &str, machine: Machine, cases: &[Case], protocols: &[u8]) -> Option<Report> {
        let mut guest = cases[0].house.guest(name).on(machine);
        for Case { profile, house, wire, police } in cases {
            guest = guest.file(&format!("scripts/{profile}.sh"), house.script.as_str());
            let sizes: Vec<String> = wire.iter().map(|(size, _)| size.to_string()).collect();
            guest = guest.file(&format!("sizes/{profile}"), sizes.join("\n") + "\n");
            for (size, _) in wire {
                guest = guest.file(&format!("sent/{size}"), self.lines(*size, protocols));
            }
            if !police.is_empty() {
                guest = guest.file(&format!("policed/{profile}"), self.policed(police));
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

impl Police {
    fn name(&self) -> String {
        format!("{}-{}", self.direction.as_str(), self.port)
    }

    /// Packets that this police passed.
    fn passed(&self, program: &Program, report: &Report, profile: &str) -> u64 {
        let hook = if self.direction == Direction::Up { Hook::Egress } else { Hook::Ingress };
        let text = report.text(&format!("out/{profile}/{}.filters", hook.as_str()));
        let filter = program.filters.iter().find(|filter| filter.why.name == self.name());
        let mut actions = filter.expect("a filter of that name").actions.iter();
        let index = actions.find_map(|action| match action {
            Action::Police(police) => Some(police.index),
            _ => None,
        });
        let index = index.expect("a police of that name");
        let (_, of_police) = text.split_once(&format!("police {index:#x} ")).expect("the police");
        let (_, dropped) = of_police.split_once("(dropped ").expect("its counters");
        let (dropped, _) = dropped.split_once(',').expect("a number");
        SENT - dropped.parse::<u64>().expect("a number")
    }
}

/// The output of `tc -s` for a device, at rest or after a packet of some size.
fn said(report: &Report, profile: &str, step: &str, dev: Dev) -> String {
    let dev = if dev == Dev::Wan { "wan" } else { "ifb" };
    report.text(&format!("out/{profile}/{step}.{dev}"))
}

/// Tokens left in a class's bucket of this name, in ticks of 64 ns.
fn tokens(text: &str, id: &str, bucket: &str) -> i128 {
    let (_, of_class) = text.split_once(&format!("class htb {id} ")).expect("the class");
    let (_, tokens) = of_class.split_once(&format!(" {bucket}: ")).expect("its tokens");
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
/// CAKE has a rate, so its own charges are checked too. Finds wrong charges by police as well.
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
    // An old kernel ignores the mpu of a police too.
    let police = |profile| if machine == Machine::Virtual { travel.police(profile) } else { Vec::new() };
    let cases: Vec<Case> =
        profiles.map(|profile| travel.case(profile, "htb", classes, police(profile))).collect();
    let Some(report) = travel.sent(name, machine, &cases, &[252, 253]) else { return };

    let mut wrong = Vec::new();
    for Case { profile, house, wire, police } in &cases {
        for (dev, class) in [Dev::Wan, Dev::Ifb].into_iter().flat_map(|dev| [(dev, "plain"), (dev, "cake")]) {
            let htb = counters::class(&house.program, dev, class);
            let id = htb.id.to_string();
            let left = |at: &str, bucket: &str| tokens(&said(&report, profile, at, dev), &id, bucket);
            for (size, bytes) in wire {
                let place = format!("{profile}, {dev:?}, {class}, {size} bytes");
                let by_htb = match step(profile).1 {
                    Step::Least(least) if machine.ignores_mpu() && *bytes == least as u64 => {
                        (*size + above_ip(profile)) as u64
                    }
                    _ => *bytes,
                };
                for (bucket, rate) in [("tokens", htb.rate), ("ctokens", htb.ceil)] {
                    let used = left("rest", bucket) - left(&size.to_string(), bucket);
                    // At these rates, a tick is less than a fifth of a byte.
                    let charged = (used * 64 * i128::from(rate.bps()) + 4_000_000_000) / 8_000_000_000;
                    if charged != i128::from(by_htb) {
                        wrong.push(format!("{place}: HTB charged {charged} {bucket}, not {by_htb}"));
                    }
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
        for one in police {
            let passed = one.passed(&house.program, &report, profile);
            if passed != one.room {
                let Police { direction, size, bytes, room, .. } = one;
                let place = format!("{profile}, {direction:?}, {size} bytes");
                wrong.push(format!("{place}: a police passed {passed}, not {room} of {bytes} each"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Finds wrong charges by a CAKE that schedules a whole direction.
fn by_cake(name: &str, travel: Travel, profiles: impl Iterator<Item = &'static str>) {
    let classes = "classes: { preset: simple }\n";
    let cases: Vec<Case> =
        profiles.map(|profile| travel.case(profile, "cake", classes, Vec::new())).collect();
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

/// Profiles with different steps: single bytes without overhead, single bytes, and cells.
const FEW: [&str; 3] = ["raw", "vdsl2-pppoe-vlan", "adsl-pppoa-vcmux"];

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

/// A VLAN device counts the header of Ethernet, so a few profiles are enough.
#[test]
fn are_charged_on_a_vlan() {
    by_classes("bytes-vlan", VLAN, FEW.into_iter());
}

#[test]
fn are_charged_on_raw_ip() {
    by_classes("bytes-raw", RAW_IP, profiles());
}

/// A PPP device counts no header, like every raw-IP device, so a few profiles are enough.
#[test]
fn are_charged_on_ppp() {
    by_classes("bytes-ppp", PPP, FEW.into_iter());
}

#[test]
fn are_charged_in_pppoe_frames() {
    by_classes("bytes-frames", FRAMES, profiles());
}
