//! Police charge the bytes that a packet takes on the line. The test covers every profile on every kind of device, with
//! sizes on both sides of each step.
//!
//! A police shows no costs, so each size has two police. One has a bucket of three packets and passes three. The other
//! bucket is a byte smaller and passes two.

use crate::bytes::{ETHERNET, FRAMES, RAW_IP, Travel, VLAN, above_ip, in_steps, profiles, wire};
use crate::house::House;
use crate::packet::Packet;
use qosc::model::Direction;
use qosc::tc::{Action, Hook};
use std::fmt::Write as _;

/// Number of packets of each size for each bucket.
const SENT: u64 = 5;
/// Number of packets that fit into the larger bucket.
const ROOM: u64 = 3;
/// The first UDP port. Each bucket has its own port.
const PORT: u16 = 10_000;
/// Bytes of the IPv4 and UDP headers.
const HEADERS: usize = 28;

/// Bytes that a police charges for each size of an IP packet. A police cannot subtract bytes. If the profile's overhead
/// is less than the header that the device counts, the police charges that header.
fn charged(profile: &str, travel: Travel, header: usize) -> Vec<(usize, u64)> {
    let sizes = wire(profile, travel.longest).into_iter().filter(|(size, _)| *size >= HEADERS);
    let above = above_ip(profile);
    sizes
        .map(|(size, bytes)| (size, if above < header { in_steps(profile, size + header) } else { bytes }))
        .collect()
}

/// A configuration with a police for each size, direction and bucket.
fn house(travel: Travel, profile: &'static str, up: &[(usize, u64)], down: &[(usize, u64)]) -> House {
    let mut yaml = format!(
        "link: {{ device: {}, profile: {profile}, up: 20mbit, down: 20mbit, frames: {} }}\npolice:\n",
        travel.device, travel.frames
    );
    for (direction, all) in [("up", up), ("down", down)] {
        let buckets = all.iter().flat_map(|(_, bytes)| [ROOM * bytes, ROOM * bytes - 1]);
        for (port, burst) in (PORT..).zip(buckets) {
            // At this rate, the kernel's unit of time is far below the time of a byte.
            let _ = writeln!(
                yaml,
                "  {direction}-{port}: {{ direction: {direction}, match: {{ protocol: udp, remote_port: {port} }}, \
                 rate: 100kbit, burst: {burst} }}"
            );
        }
    }
    House::of("bytes", yaml.into_bytes())
}

/// Packets that the police with this index dropped.
fn dropped(text: &str, index: u32) -> u64 {
    let (_, of_police) = text.split_once(&format!("police {index:#x} ")).expect("the police");
    let (_, dropped) = of_police.split_once("(dropped ").expect("its counters");
    let (dropped, _) = dropped.split_once(',').expect("a number");
    dropped.parse().expect("a number")
}

fn judge(name: &str, travel: Travel, headers: (usize, usize)) {
    let mut guest = None;
    let mut cases = Vec::new();
    for profile in profiles() {
        let (up, down) = (charged(profile, travel, headers.0), charged(profile, travel, headers.1));
        let house = house(travel, profile, &up, &down);
        let mut lines = String::new();
        for (place, all) in [(travel.device.to_owned(), &up), (format!("net/{}", travel.device), &down)] {
            for (port, size) in (PORT..).zip(all.iter().flat_map(|(size, _)| [size, size])) {
                let (from, to) = if place == travel.device { (1, port) } else { (port, 1) };
                let packet = Packet::new("192.0.2.1", "192.0.2.2").udp(from, to).length(*size);
                let packet = if travel.frames == "pppoe" { packet.in_pppoe() } else { packet };
                lines += &packet.line(&place, usize::try_from(SENT).expect("few"));
            }
        }
        let with = guest.take().unwrap_or_else(|| house.guest(name));
        guest = Some(
            with.file(&format!("scripts/{profile}.sh"), house.script.as_str())
                .file(&format!("sent/{profile}"), lines),
        );
        cases.push((profile, house, up, down));
    }
    let names: Vec<&str> = profiles().collect();
    let guest = guest.expect("a profile").variable("SCRIPTS", &names.join(" "));
    let Some(report) = guest.run("bytes_police.sh") else { return };

    let mut wrong = Vec::new();
    for (profile, house, up, down) in cases {
        report.expect_code(&format!("{profile}/start"), 0);
        for (direction, hook, all) in
            [(Direction::Up, Hook::Egress, up), (Direction::Down, Hook::Ingress, down)]
        {
            let text = report.text(&format!("out/{profile}/{}.filters", hook.as_str()));
            let buckets = all.iter().flat_map(|size| [(size, ROOM), (size, ROOM - 1)]);
            for (port, ((size, bytes), room)) in (PORT..).zip(buckets) {
                let name = format!("{}-{port}", direction.as_str());
                let filter = house.program.filters.iter().find(|filter| filter.why.name == name);
                let index = filter.and_then(|filter| {
                    filter.actions.iter().find_map(|action| match action {
                        Action::Police(police) => Some(police.index),
                        _ => None,
                    })
                });
                let passed = SENT - dropped(&text, index.expect("a police of that name"));
                if passed != room {
                    wrong.push(format!(
                        "{profile}, {direction:?}, {size} bytes: {passed} passed, not {room} of {bytes} each"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn police_charges_line_bytes_on_ethernet() {
    judge("bytes-police", ETHERNET, (14, 0));
}

#[test]
fn police_charges_line_bytes_on_a_vlan() {
    judge("bytes-police-vlan", VLAN, (14, 0));
}

#[test]
fn police_charges_line_bytes_on_raw_ip() {
    judge("bytes-police-raw", RAW_IP, (0, 0));
}

#[test]
fn police_charges_line_bytes_in_pppoe_frames() {
    judge("bytes-police-frames", FRAMES, (22, 8));
}
