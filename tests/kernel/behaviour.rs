//! The example of `docs/matches.md` for matches by behaviour: rules of nft measure connections, and classes match
//! their marks.

use crate::counters::packets;
use crate::house::House;
use crate::streams::Streams;
use qosc_compiler::tc::Dev;

/// A game with 80 packets per second, a torrent with 500, and a film that soon has carried the bytes of the table. A peer
/// of a slow torrent begins with a short packet, and then sends 80 packets per second of 650 bytes on average.
const FLOWS: &str = "game-up lan/192.168.1.10 40001 net/198.51.100.1 50001 25000 100\n\
                     game-down net/198.51.100.1 50001 lan/192.168.1.10 40001 25000 100\n\
                     torrent lan/192.168.1.10 40002 net/198.51.100.1 50002 2000 100\n\
                     peer-up lan/192.168.1.10 40004 net/198.51.100.1 50004 25000 100\n\
                     peer-down net/198.51.100.1 50004 lan/192.168.1.10 40004 25000 1200\n\
                     film net/198.51.100.1 50003 lan/192.168.1.10 40003 5000 1200\n";

/// Returns the example's first block of this kind.
fn block(kind: &str) -> String {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/matches.md"));
    let page = page.expect("the page");
    let (_, section) = page.split_once("## Match by behaviour").expect("the section");
    let (_, text) = section.split_once(&format!("```{kind}\n")).expect("a block");
    text.split_once("```").expect("its end").0.to_owned()
}

/// Returns the table of the example. `life_cycle.rs` lets Debian's kernel check it.
pub fn table() -> String {
    block("text")
}

/// The rule with nft's `limit`, which the kernel for virtual time lacks, and a rule that finds the same torrent.
const METER: [&str; 2] = [
    "meta l4proto udp update @rates { ct id limit rate over 115/second burst 60 packets } update",
    "udp dport 50002 ct packets > 60 update",
];

#[test]
fn connections_are_classified_by_what_they_do() {
    let house = House::of("behaviour", block("yaml").into_bytes());
    assert!(table().contains(METER[0]));
    // A film of two seconds has fewer bytes.
    let table = table().replace(METER[0], METER[1]).replace("500000000", "300000");
    let guest = house.guest("behaviour").file("behaviour.nft", table).file("flows", FLOWS);
    let Some(report) = guest.run("behaviour.sh") else { return };
    for step in ["table", "start", "stop"] {
        report.expect_code(&format!("behaviour/{step}"), 0);
    }
    let Streams { flows, .. } = Streams::of(&report, "behaviour");
    let sent = |flow: &str| flows[flow].values().map(|part| part.sent).sum::<u64>();
    let counted =
        |dev: Dev, step: &str| packets(&house.program, dev, &report.out(&format!("behaviour/{step}")));
    let (up, down) = (counted(Dev::Wan, "up"), counted(Dev::Ifb, "down"));
    let about = format!("{flows:?}\n{up:?}\n{down:?}");
    // A torrent looks like a game until it is found. A download has no mark before its connection has one.
    assert!(up["games"] >= sent("game-up") && up["games"] <= sent("game-up") + 61 + 5, "{about}");
    assert!(up["rest"] + 61 >= sent("torrent") && up["bulk"] == 0, "{about}");
    assert!(down["games"] + 2 >= sent("game-down"), "{about}");
    // 300 kB are 250 packets.
    assert!(down["bulk"] > 100 && down["bulk"] + 255 >= sent("film"), "{about}");
}
