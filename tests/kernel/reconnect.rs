//! A PPPoE session that ends and starts anew takes its device with it. The next `start` configures the new device, and
//! does not touch the queues of downloads.

use crate::house::House;
use crate::streams::{events, expect_exactly};

/// Packets that the root class has sent, from `tc -s class show`.
fn sent(text: &str) -> u64 {
    let mut own = false;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["class", "htb", "c05:a000", ..] => own = true,
            ["Sent", _, "bytes", packets, ..] if own => return packets.parse().expect("a number"),
            _ => {}
        }
    }
    0
}

#[test]
fn a_pppoe_reconnect_leaves_the_queues_of_downloads_alone() {
    let yaml = "name: dial\nlink: { device: ppp0, profile: vdsl2-pppoe, up: 10mbit, down: 50mbit }\n\
                lan: { device: br-lan, nat: false }\n\
                classes:\n  voice: { priority: 0, guarantee: 10%, match: [{ protocol: udp, remote_port: 5060 }] }\n  \
                rest: { default: true }\n\
                police:\n  guests: { direction: down, match: [{ local: 10.9.0.0/16 }], rate: 2mbit }\n";
    let house = House::of("dial", yaml.as_bytes().to_vec());
    let Some(report) = house.guest("reconnect").run("reconnect.sh") else { return };
    report.expect_code("one/start", 0);
    let mut before = sent(&report.out("one/before"));
    assert!(before >= 3, "{}", report.about("one/before"));
    for round in ["one", "two"] {
        for step in ["start", "ping", "second", "check"] {
            report.expect_code(&format!("{round}/{step}"), 0);
        }
        expect_exactly(&house, &report, &format!("{round}/start"));
        let second = report.out(&format!("{round}/second"));
        assert!(second.contains("up to date"), "{second}");
        // The WAN device is a new one. The ifb is the same, and it has kept counting.
        let index = |step: &str| -> Vec<String> {
            report.out(&format!("{round}/{step}-index")).lines().map(str::to_owned).collect()
        };
        if round == "one" {
            assert_eq!(index("before")[0], index("after")[0]);
            assert_ne!(index("before")[1], index("after")[1]);
        }
        report.expect_same("out/one/before-qdiscs.out", &format!("out/{round}/after-qdiscs.out"));
        let after = sent(&report.out(&format!("{round}/after")));
        assert!(after >= before + 3, "{before} packets before, {after} after");
        before = after;
    }
    let heard = events(&report, "one");
    assert!(heard.iter().any(|event| event.dev == "ppp0"), "tc monitor heard nothing");
    let touched: Vec<_> = heard.iter().filter(|event| event.dev == house.program.ifb.as_str()).collect();
    assert!(touched.is_empty(), "{touched:#?}");
    report.expect_code("two/stop", 0);
}
