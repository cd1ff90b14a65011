use super::{Counted, Seen, Subject};
use crate::live::Dump;
use qosc_compiler::units::{Micros, Rate};

const HTB: &str = "==> tc -s -d qdisc show dev eth0
qdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 0 ver 3.17 direct_qlen 1000
 Sent 123456 bytes 200 pkt (dropped 7, overlimits 3 requeues 0) 
 backlog 3028b 2p requeues 0
qdisc fq_codel ceca: parent c05:ceca limit 1000p flows 1024 quantum 300 target 5ms interval 100ms memory_limit 2250Kb ecn drop_batch 64 
 Sent 100000 bytes 100 pkt (dropped 7, overlimits 0 requeues 0) 
 backlog 2Kb 2p requeues 0
  maxpacket 1514 drop_overlimit 0 new_flow_count 3 ecn_mark 0
  new_flows_len 0 old_flows_len 1
qdisc clsact ffff: parent ffff:fff1 
 Sent 9 bytes 1 pkt (dropped 9, overlimits 0 requeues 0) 
 backlog 0b 0p requeues 0
==> tc -s -d class show dev eth0
class htb c05:ceca parent c05:1 leaf ceca: prio 0 quantum 1522 rate 1900Kbit overhead 4 ceil 19Mbit linklayer ethernet burst 1517b/1 mpu 64b cburst 2375b/1 mpu 64b level 0 
 Sent 100004 bytes 100 pkt (dropped 1, overlimits 0 requeues 0) 
 rate 0bit 0pps backlog 0b 0p requeues 0
 lended: 100 borrowed: 0 giants: 0
 tokens: 98684 ctokens: 15526
class fq_codel ceca:1 parent ceca: 
 (dropped 0, overlimits 0 requeues 0) 
 backlog 1514b 1p requeues 0
";

const CAKE: &str = "==> tc -s qdisc show dev eth0
qdisc cake c05: root refcnt 2 bandwidth 19Mbit diffserv3 dual-srchost nonat nowash no-ack-filter split-gso rtt 100ms noatm overhead 18 mpu 64 
 Sent 5000 bytes 40 pkt (dropped 2, overlimits 4 requeues 0) 
 backlog 1500b 1p requeues 0
 memory used: 5Kb of 4Mb
 capacity estimate: 19Mbit
                   Bulk  Best Effort        Voice
  thresh       1187Kbit       19Mbit     4750Kbit
  av_delay          0us       3.25ms         12us
  backlog            0b        1500b           0b
  pkts                0           30           10
  bytes               0         4000         1000
  drops               0            2            0
";

fn of(text: &str) -> Counted {
    Counted::of(&Dump::read(text).unwrap(), "eth0").unwrap()
}

#[test]
fn classes_count_sent_packets_and_drops_of_their_queue() {
    let counted = of(HTB);
    let seen = |sent, packets, dropped, backlog| Seen {
        present: true,
        sent: Some(sent),
        packets: Some(packets),
        dropped: Some(dropped),
        backlog: Some(backlog),
        ..Seen::default()
    };
    assert_eq!(counted.get(Subject::Total), seen(123_456, 200, 7, (3028, 2)));
    let voice = Seen {
        guarantee: Some(Rate::from_bps(1_900_000)),
        ceiling: Some(Rate::from_bps(19_000_000)),
        ..seen(100_004, 100, 7, (2048, 2))
    };
    let classes: Vec<_> = counted.iter().filter(|(subject, _)| *subject != Subject::Total).collect();
    assert_eq!(classes, [(Subject::Class(0xceca), &voice)]);
}

#[test]
fn cake_tins_have_counters() {
    let counted = of(CAKE);
    assert_eq!(counted.get(Subject::Total).backlog, Some((1500, 1)));
    assert_eq!(counted.get(Subject::Total).ceiling, Some(Rate::from_bps(19_000_000)));
    assert_eq!(
        counted.iter().map(|(subject, _)| subject).collect::<Vec<_>>(),
        [Subject::Total, Subject::Tin(1), Subject::Tin(2), Subject::Tin(3)]
    );
    let tin = counted.get(Subject::Tin(2));
    assert_eq!((tin.sent, tin.packets, tin.dropped), (Some(4000), Some(28), Some(2)));
    assert_eq!(tin.delay, Some(Micros::from_us(3250)));
}

/// A leaf with `share: per-host` has a CAKE with one tin.
#[test]
fn the_cake_of_a_leaf_measures_its_delay() {
    let cake = "qdisc cake ceca: parent c05:ceca bandwidth unlimited besteffort dual-srchost nat\n \
                Sent 5000 bytes 40 pkt (dropped 2, overlimits 4 requeues 0)\n backlog 1500b 1p requeues 0\n\
                \x20                 Tin 0\n  thresh           0bit\n  av_delay       7.21ms\n  bytes            5000\n";
    let (before, after) = HTB.split_once("==> tc -s -d class").unwrap();
    let counted = of(&format!("{before}{cake}==> tc -s -d class{after}"));
    assert_eq!(counted.get(Subject::Class(0xceca)).delay, Some(Micros::from_us(7210)));
    assert!(!counted.iter().any(|(subject, _)| matches!(subject, Subject::Tin(_))));
}

#[test]
fn missing_counters_stay_unknown() {
    let without =
        of(&HTB.lines().filter(|line| !line.starts_with(' ')).map(|l| format!("{l}\n")).collect::<String>());
    assert!(
        !without.get(Subject::Total).counts()
            && without.iter().all(|(_, seen)| seen.present && !seen.counts())
    );
    // somebody else's root qdisc, and another device
    let other = HTB.replace("c05:", "1:");
    assert_eq!(Counted::of(&Dump::read(&other).unwrap(), "eth0"), None);
    assert_eq!(Counted::of(&Dump::read(HTB).unwrap(), "eth1"), None);
}

#[test]
fn rates_follow_from_the_bytes_sent_in_between() {
    let (before, mut now) = (of(HTB), of(&HTB.replace("100004", "225004")));
    now.since(&before, 1_000_000);
    assert_eq!(now.get(Subject::Class(0xceca)).rate, Some(Rate::from_bps(1_000_000)));
    assert_eq!(now.get(Subject::Total).rate, Some(Rate::from_bps(0)));
    // a lower counter belongs to a new class
    let mut again = before.clone();
    again.since(&now, 1_000_000);
    assert_eq!(again.get(Subject::Class(0xceca)).rate, None);
}
