//! The script finds out how many header bytes its device counts above IP, for any device that its user names.

use crate::house::House;
use crate::report::Report;
use crate::uml::Guest;
use qosc_compiler::tc::{Facts, Overhead, QdiscKind, Stab};
use qosc_compiler::units::IfName;

fn house(profile: &str, frames: &str) -> House {
    let yaml = format!(
        "name: any\nlink: {{ device: none0, profile: {profile}, up: 20mbit, down: 20mbit, frames: {frames} }}\n\
         lan: {{ device: br-lan }}\n"
    );
    House::of("any", yaml.into_bytes())
}

/// Checks that the script found this header, and that the kernel's state matches the program for it.
#[track_caller]
fn expect(report: &Report, house: &House, leg: &str, device: &str, header: u32) {
    for step in ["start", "dump"] {
        report.expect_code(&format!("{leg}/{step}"), 0);
    }
    let dump = report.out(&format!("{leg}/dump"));
    assert!(dump.contains(&format!(", header {header}")), "{leg}: {:?}", dump.lines().next());
    let wan: IfName = device.parse().expect("a device's name");
    let held = crate::observed::parse(&wan, &house.program.ifb, &dump);
    let program = house.program.on(Facts { header, split_in_leaves: false });
    let differences = crate::observed::compare(&program, &held);
    assert!(differences.is_empty(), "{leg}: {differences:?}");
}

#[test]
fn the_script_finds_the_header_length_of_its_device() {
    let over = house("vdsl2-pppoe", "auto");
    let below = house("raw", "auto");
    let pppoe = house("vdsl2-pppoe", "pppoe");
    let ip = house("vdsl2-pppoe", "ip");
    let mut guest = Guest::new("device-headers");
    for (name, house) in [("over", &over), ("below", &below), ("pppoe", &pppoe), ("ip", &ip)] {
        guest = guest.file(&format!("{name}.sh"), house.script.as_str());
    }
    let guest = guest.variable("WAN", "eth4").variable("WAN_KIND", "ethernet").variable("LAN", "br-lan");
    let Some(report) = guest.run("device_headers.sh") else { return };

    let all = [("eth4", 14), ("eth2.7", 14), ("ppp0", 0), ("tun0", 0), ("eth3", 22)];
    let some = [("eth4", 14), ("ppp0", 0), ("eth3", 22)];
    for (name, house, devices) in [("over", &over, all.as_slice()), ("below", &below, &some)] {
        for (turn, (device, header)) in devices.iter().copied().enumerate() {
            let leg = format!("{name}-{device}");
            expect(&report, house, &leg, device, header);
            let said = report.text(&format!("out/{leg}/start.err"));
            assert_eq!(said.contains("carries PPPoE frames"), device == "eth3", "{said}");
            if turn > 0 {
                let left = report.out(&format!("{leg}/left"));
                assert!(!left.contains("htb") && !left.contains("clsact"), "{leg}: {left}");
            }
        }
        report.expect_code(&format!("{name}-eth3/stop"), 0);
    }
    expect(&report, &pppoe, "pppoe-eth4", "eth4", 22);
    // Without `--device`, a call uses the device of the last start.
    report.expect_code("pppoe-eth4/check", 0);
    assert_eq!(report.out("pppoe-eth4/second").trim(), "any: up to date");
    expect(&report, &ip, "ip-eth3", "eth3", 14);
    assert!(!report.text("out/ip-eth3/start.err").contains("PPPoE"));
    report.expect_code("ip-eth3/missing", 1);
    report.expect_code("ip-eth3/hostile", 2);
    report.expect_same("out/all/before.state", "out/all/after.state");
}

/// Checks the programs that the test above compares with. The overhead excludes the bytes that the device counts, and
/// is never negative: if it would be, a size table subtracts the difference.
#[test]
fn overhead_excludes_the_header_of_the_device() {
    let kernel_sizes = |profile: &str, header| {
        let program = house(profile, "auto").program.on(Facts { header, split_in_leaves: false });
        let stabs = program.qdiscs.iter().filter_map(|qdisc| match qdisc.kind {
            QdiscKind::Htb { stab, .. } => Some(stab),
            _ => None,
        });
        let mut stabs: Vec<Stab> = stabs.collect();
        stabs.dedup();
        let mut overheads: Vec<Overhead> =
            program.classes.iter().map(|class| class.charge.overhead).collect();
        overheads.dedup();
        (stabs, overheads)
    };
    for (header, left) in [(0, 30), (14, 16), (22, 8)] {
        assert_eq!(kernel_sizes("vdsl2-pppoe", header), (vec![Stab::None], vec![Overhead::Fixed(left)]));
    }
    assert_eq!(kernel_sizes("raw", 0), (vec![Stab::None], vec![Overhead::Fixed(0)]));
    for header in [14, 22] {
        let below = vec![Stab::Fixed(-i32::try_from(header).expect("small"))];
        assert_eq!(kernel_sizes("raw", header), (below, vec![Overhead::Fixed(0)]));
    }
}
