use super::*;
use proptest::prelude::*;
use qosc_compiler::tc::{
    Action, CakeIsolation, CakeTins, Charge, FilterProtocol, Handle, LinkLayer, Overhead, Parent, Police,
    PoliceStep, QdiscKind, Selector, Stab, Word,
};
use qosc_compiler::units::{Bytes, Dscp, Family, Micros, Rate};

/// Output of iproute2 6.1.0 for objects of every kind that the script creates, on kernel 6.1.176.
const SAMPLE: &str = include_str!("samples/iproute2-6.1.txt");

fn read(dump: &str) -> Held {
    parse(&"wan".parse().unwrap(), &"ifb-home".parse().unwrap(), dump)
}

fn selector(words: &[(u16, u32, u32)]) -> Selector {
    let words = words.iter().map(|(offset, value, mask)| (*offset, Word { value: *value, mask: *mask }));
    Selector { words: words.collect(), ..Selector::default() }
}

fn at(major: u16, minor: u16) -> Handle {
    Handle { major, minor }
}

#[test]
fn every_line_of_the_sample_is_understood() {
    let held = read(SAMPLE);
    assert_eq!((held.foreign, held.other), (vec![], vec![]));
    assert_eq!((held.qdiscs.len(), held.classes.len(), held.filters.len()), (7, 7, 13));
}

/// Output format of iproute2 4.x: no chain, no asterisk, times with a decimal, an overhead for each bucket. The sample
/// is assembled from what such versions print of single objects, because no such version is at hand.
#[test]
fn output_of_an_old_tc_is_understood() {
    let held = read(include_str!("samples/iproute2-4.9.txt"));
    assert_eq!((held.foreign, held.other), (vec![], vec![]));
    assert_eq!((held.qdiscs.len(), held.classes.len(), held.filters.len()), (4, 3, 3));
    let leaf = held.classes.iter().find(|class| class.id.minor == 0x20).unwrap();
    assert_eq!((leaf.charge.overhead, leaf.charge.mpu), (Overhead::Fixed(4), 64));
    let flowids: Vec<_> = held.filters.iter().map(|filter| filter.flowid).collect();
    assert_eq!(flowids, [Some(at(0xc05, 0x20)), Some(at(0xc05, 0x22)), None]);
    assert!(held.filters.iter().any(|filter| filter.actions == [Action::Redirect(Dev::Ifb)]));
    let times = held.qdiscs.iter().find_map(|qdisc| match qdisc.kind {
        QdiscKind::FqCodel { target, interval, .. } => Some((target, interval)),
        _ => None,
    });
    assert_eq!(times, Some((Micros::from_us(5000), Micros::from_us(100_000))));
}

#[test]
fn qdiscs_are_read() {
    let held = read(SAMPLE);
    let kind = |dev: Dev, major: u16| {
        let of_dev = held.qdiscs.iter().filter(|qdisc| qdisc.dev == dev);
        of_dev.filter(|qdisc| qdisc.handle.major == major).map(|qdisc| qdisc.kind.clone()).next().unwrap()
    };
    assert_eq!(kind(Dev::Wan, 0xc05), QdiscKind::Htb { direct_qlen: 1000, stab: Stab::Fixed(-14) });
    assert_eq!(kind(Dev::Ifb, 0xc05), QdiscKind::Htb { direct_qlen: 1000, stab: Stab::None });
    assert_eq!(kind(Dev::Wan, 0x22), QdiscKind::Pfifo { limit: 100 });
    assert_eq!(kind(Dev::Wan, 0xffff), QdiscKind::Clsact);
    assert_eq!(
        kind(Dev::Wan, 0x20),
        QdiscKind::FqCodel {
            limit: 20_000,
            flows: 1024,
            quantum: 300,
            target: Micros::from_us(12_300),
            interval: Micros::from_us(1_230_000),
            memory: Bytes::new(2250 << 10),
            ecn: false,
        }
    );
    assert_eq!(
        kind(Dev::Ifb, 0x20),
        QdiscKind::Cake {
            shaper: None,
            rtt: Micros::from_us(40_500),
            tins: CakeTins::Diffserv4,
            ack_filter: true,
            wash: true,
            isolation: CakeIsolation::Flows,
            nat: false,
            memory: Bytes::new(1_000_000),
        }
    );
    let parent =
        |major: u16| held.qdiscs.iter().find(|qdisc| qdisc.handle.major == major).map(|qdisc| qdisc.parent);
    assert_eq!(parent(0xc05), Some(Parent::Root));
    assert_eq!(parent(0x22), Some(Parent::At(at(0xc05, 0x22))));
    assert_eq!(parent(0xffff), Some(Parent::Clsact));
}

#[test]
fn classes_are_read() {
    let held = read(SAMPLE);
    let class = |minor: u16| held.classes.iter().find(|class| class.id == at(0xc05, minor)).cloned().unwrap();
    assert_eq!(class(1).parent, Parent::At(at(0xc05, 0)));
    let leaf = class(0x20);
    assert_eq!(
        (leaf.dev, leaf.parent, leaf.prio, leaf.quantum),
        (Dev::Wan, Parent::At(at(0xc05, 1)), 7, 65_536)
    );
    assert_eq!((leaf.rate, leaf.ceil), (Rate::from_bps(40_123_000_000), Rate::from_bps(40_123_000_000)));
    assert_eq!((leaf.burst, leaf.cburst), (Bytes::new(5_005_401), Bytes::new(5_005_401)));
    assert_eq!(
        leaf.charge,
        Charge { overhead: Overhead::Fixed(300), mpu: 2000, linklayer: LinkLayer::Ethernet }
    );
    let inner = class(0x4d2f);
    assert_eq!((inner.prio, inner.quantum, inner.rate), (0, 0, Rate::from_bps(128_000)));
    assert_eq!(inner.charge, Charge { overhead: Overhead::Fixed(4), mpu: 84, linklayer: LinkLayer::Atm });
}

#[test]
fn filters_of_the_root_are_read() {
    let held = read(SAMPLE);
    let filters: Vec<_> = held.filters.iter().filter(|filter| filter.hook == Hook::Root).collect();
    let places: Vec<_> = filters.iter().map(|filter| (filter.pref, filter.protocol)).collect();
    let protocols = [FilterProtocol::Ip, FilterProtocol::Ip, FilterProtocol::Ipv6, FilterProtocol::All];
    assert_eq!(places, [10, 10, 11, 28_672].into_iter().zip(protocols).collect::<Vec<_>>());
    let acknowledgement = selector(&[
        (0, 0x0500_0028, 0x0f00_ffff),
        (4, 0, 0x3fff),
        (8, 0x0006_0000, 0x00ff_0000),
        (32, 0x5010_0000, 0xf017_0000),
    ]);
    assert_eq!((&filters[0].selector, filters[0].flowid), (&acknowledgement, Some(at(0xc05, 0x20))));
    assert_eq!(filters[1].selector.mark, Some(Word { value: 0x1234_5678, mask: 0xffff_ffff }));
    let set = |family: Family| vec![Action::SetDscp { family, dscp: Dscp::new(8).unwrap() }];
    assert_eq!((&filters[1].actions, &filters[2].actions), (&set(Family::Ipv4), &set(Family::Ipv6)));
    assert_eq!(filters[3].selector, Selector::default());
    assert_eq!(filters[3].actions, []);
}

#[test]
fn filters_of_the_hooks_are_read() {
    let held = read(SAMPLE);
    let police = |index: u32, bps: u64, burst: u64, overhead: u32, linklayer: LinkLayer, conform, exceed| {
        let charge = Charge { overhead: Overhead::Fixed(overhead), mpu: 0, linklayer };
        let (rate, burst) = (Rate::from_bps(bps), Bytes::new(burst));
        Action::Police(Police { index, rate, burst, mtu: 128 << 10, charge, conform, exceed })
    };
    let actions = |hook: Hook| {
        held.filters.iter().filter(|own| own.hook == hook).map(|own| own.actions.clone()).collect::<Vec<_>>()
    };
    let shared = police(1_234_567, 4_000_000, 300_000, 4, LinkLayer::Atm, PoliceStep::Pipe, PoliceStep::Drop);
    let plain = LinkLayer::Ethernet;
    let (pass, go_on) = (PoliceStep::Ok, PoliceStep::Continue);
    assert_eq!(
        actions(Hook::Ingress),
        [
            vec![shared.clone(), Action::Redirect(Dev::Ifb)],
            vec![shared.clone(), Action::Redirect(Dev::Ifb)],
            vec![shared, Action::Redirect(Dev::Ifb)],
            vec![police(77, 40_000_000_000, 3_000_000, 0, plain, pass, go_on)],
            vec![Action::Priority(at(0xc05, 0x20)), Action::Redirect(Dev::Ifb)],
            vec![Action::Redirect(Dev::Ifb)],
        ]
    );
    let drops = |index, conform| police(index, 4_123_000, 299_999, 0, plain, conform, PoliceStep::Drop);
    assert_eq!(
        actions(Hook::Egress),
        [
            vec![drops(78, PoliceStep::Pipe), Action::Priority(at(0xc05, 0))],
            vec![drops(79, pass)],
            vec![Action::Priority(at(0xc05, 0))],
        ]
    );
}

/// Each line stands alone, in a place where the script's own objects would be.
#[test]
fn objects_we_never_create_are_foreign() {
    for line in [
        "qdisc sfq 20: parent c05:20 limit 127p quantum 1514b",
        "qdisc htb c05: root refcnt 2 r2q 10 default 0x20 direct_packets_stat 0 ver 3.17 direct_qlen 1000",
        "qdisc fq_codel 20: parent c05:20 limit 1p flows 1 quantum 1 target 5ms ce_threshold 1ms interval 9ms ecn",
        "qdisc cake 20: parent c05:20 bandwidth 1Mbit besteffort triple-isolate nonat nowash no-ack-filter split-gso rtt 9ms",
        "qdisc cake 20: parent c05:20 bandwidth unlimited besteffort flows nonat nowash ingress no-ack-filter split-gso rtt 9ms raw overhead 0",
    ] {
        let held = read(&format!("==> tc -d qdisc show dev wan\n{line}\n"));
        assert_eq!((held.foreign, held.qdiscs), (vec![line.to_owned()], vec![]), "{line}");
    }
    for rest in [
        "protocol ip pref 10 flower chain 0 handle 0x1 classid c05:20",
        "protocol ip pref 10 u32 chain 3 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20",
        "protocol ip pref 10 u32 chain 0 fh 801:3:800 order 2048 key ht 801 bkt 3 *flowid c05:20",
        "protocol arp pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20",
    ] {
        let held = read(&format!("==> tc -d filter show dev wan parent c05:\nfilter {rest}\n"));
        assert_eq!((held.foreign, held.filters), (vec![format!("filter {rest}")], vec![]), "{rest}");
    }
    for detail in [
        "  match 00000001/00000001 at nexthdr+0",
        "  match 00000001/00000001 at -14",
        "  match 00000002/00000001 at 0",
        "    offset 0f00>>6 at 0  eat ",
        "\taction order 1: gact action drop",
        "\taction order 1: mirred (Egress Mirror to device ifb-home) pipe",
        "\taction order 1: mirred (Egress Redirect to device eth7) stolen",
        "\taction order 1:  police 0x1 rate 1Mbit burst 1b mtu 1b peakrate 2Mbit action drop",
        "\taction order 1:  pedit action pass keys 1\n\t key #0  at ipv4+8: val 01000000 mask 00ffffff",
        "\taction order 1:  pedit action pass keys 1\n\t key #0  at ipv4+0: val 00200000 mask ff03ffff",
        "\taction order 1: csum (iph, tcp) action pass",
    ] {
        let first =
            "filter protocol ip pref 10 u32 chain 0 fh 800::800 order 2048 key ht 800 bkt 0 *flowid c05:20";
        let held = read(&format!("==> tc -d filter show dev wan parent c05:\n{first}\n{detail}\n"));
        assert_eq!((held.foreign, held.filters), (vec![first.to_owned()], vec![]), "{detail}");
    }
}

#[test]
fn objects_outside_our_trees_are_other() {
    let dump = "\
qdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 0 ver 3.17 direct_qlen 1000
==> tc -d qdisc show dev eth9
qdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 0 ver 3.17 direct_qlen 1000
==> tc -d qdisc show dev wan
qdisc noqueue 0: root refcnt 2
qdisc fq_codel 0: parent :1 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn
==> tc -d class show dev wan
class fq_codel 20:2d4 parent 20:
==> tc -d filter show dev wan parent 1:
filter protocol all pref 49152 matchall chain 0 handle 0x1
==> tc -d filter show dev wan ingress
filter protocol all pref 49152 matchall chain 0 handle 0x1
  not_in_hw (rule hit 1)
==> ip -d link show dev wan
3: wan: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500
";
    let held = read(dump);
    let lines = dump.lines().filter(|line| !line.starts_with(MARK)).count();
    // the second line of a filter adds nothing by itself
    assert_eq!(Held { other: held.other.clone(), ..Held::default() }, held);
    assert_eq!(held.other.len(), lines - 1, "{:#?}", held.other);
}

/// Both provide the ingress hook. If the egress hook is missing, the comparison notices the missing filters.
#[test]
fn an_ingress_qdisc_is_read_as_clsact() {
    let held = read("==> tc -d qdisc show dev wan\nqdisc ingress ffff: parent ffff:fff1 ---------------- \n");
    let kinds: Vec<_> = held.qdiscs.iter().map(|qdisc| (qdisc.parent, qdisc.kind.clone())).collect();
    assert_eq!(kinds, [(Parent::Clsact, QdiscKind::Clsact)]);
}

/// Adds lines that newer tools and other options print.
#[test]
fn counters_and_offload_words_are_ignored() {
    let from = "\tref 1 bind 1 \n";
    let to = "\tref 1 bind 1 installed 5 sec used 5 sec\n\tAction statistics:\n\tSent 0 bytes 0 pkt\n\
              \tbacklog 0b 0p requeues 0\n\tused_hw_stats delayed\n\tnot_in_hw\n";
    assert!(SAMPLE.contains(from));
    assert_eq!(read(&SAMPLE.replace(from, to)), read(SAMPLE));
    assert_eq!(read(&SAMPLE.replace("terminal flowid", "terminal flowid ???")), read(SAMPLE));
}

#[test]
fn lines_may_end_with_crlf() {
    assert_eq!(read(&SAMPLE.replace('\n', "\r\n")), read(SAMPLE));
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "(?s).{0,400}") {
        read(&text);
    }

    /// Words of the sample in any order, in sections of any kind.
    #[test]
    fn any_order_of_words_is_read_without_panic(picks in prop::collection::vec((0usize..2000, 0u8..8), 0..120)) {
        let words: Vec<&str> = SAMPLE.split([' ', '\n']).collect();
        let mut text = String::new();
        for (pick, before) in picks {
            text.push_str(match before {
                0 => "\n",
                1 => "\n==> tc -d filter show dev wan parent c05:\nfilter ",
                2 => "\n==> tc -d qdisc show dev wan\nqdisc ",
                3 => "\n==> tc -d class show dev wan\nclass ",
                _ => " ",
            });
            text.push_str(words[pick % words.len()]);
        }
        read(&text);
    }

    /// The sample with one piece removed.
    #[test]
    fn a_torn_dump_is_read_without_panic(from in 0usize..9000, length in 0usize..200) {
        let text: String = SAMPLE.chars().take(from).chain(SAMPLE.chars().skip(from + length)).collect();
        read(&text);
    }
}
