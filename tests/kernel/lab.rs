//! The lab itself: it stands, it is silent when left alone, and it notices what is done.

use crate::uml::Guest;

/// An IPv4 header that says how long the packet is, and nothing else; zeros behind it.
fn bare(length: u16) -> String {
    let [high, low] = length.to_be_bytes();
    let header = format!("4500{high:02x}{low:02x}000000004011000000000000ffffffff");
    header + &"00".repeat(usize::from(length) - 20)
}

fn stands(kind: &str, wan: &str) {
    let packets = [
        format!("{wan} 0800 {} 7", bare(60)),
        format!("{wan} 0800 {} 5", bare(61)),
        format!("net/{wan} 0800 {} 3", bare(60)),
    ];
    let guest = Guest::new(kind).file("packets", packets.join("\n") + "\n");
    let guest = guest.variable("WAN", wan).variable("WAN_KIND", kind).variable("LAN", "br-lan lan1");
    let Some(report) = guest.run("lab_stands.sh") else { return };

    report.expect_same("out/dash/first.state", "out/dash/second.state");
    report.expect_silence("dash/quiet");
    for step in ["ping-v4", "ping-v6", "send"] {
        report.expect_code(&format!("dash/{step}"), 0);
    }
    assert!(report.out("dash/classes").contains(" pkt"), "{}", report.about("dash/classes"));
    let sent: Vec<String> = report.out("dash/classes").lines().map(str::to_owned).collect();
    assert!(sent.iter().any(|line| line.contains(" 7 pkt ")), "{}", report.about("dash/classes"));
    assert!(sent.iter().any(|line| line.contains(" 5 pkt ")), "{}", report.about("dash/classes"));
    assert!(report.out("dash/ingress").contains(" 3 pkt "), "{}", report.about("dash/ingress"));
    assert!(report.text("out/dash/touched.state") != report.text("out/dash/second.state"));
}

#[test]
fn stands_on_ethernet() {
    stands("ethernet", "wan0");
}

#[test]
fn stands_on_a_vlan() {
    stands("vlan", "eth0.7");
}

#[test]
fn stands_on_raw_ip() {
    stands("raw", "ppp0");
}

#[test]
fn stands_on_pppoe() {
    stands("pppoe", "ppp0");
}
