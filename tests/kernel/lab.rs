//! The lab itself: it can be built, it is silent when left alone, and its reports show what changes.

use crate::packet::Packet;
use crate::uml::Guest;

#[test]
fn works_and_reports_changes() {
    let wan = "wan0";
    let packet = |length| Packet::new("0.0.0.0", "255.255.255.255").length(length);
    let packets =
        [packet(60).line(wan, 7), packet(61).line(wan, 5), packet(60).line(&format!("net/{wan}"), 3)];
    let guest = Guest::new("lab").file("orders", packets.concat());
    let guest = guest.variable("WAN", wan).variable("WAN_KIND", "ethernet").variable("LAN", "br-lan lan1");
    let Some(report) = guest.run("lab_self_test.sh") else { return };

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
