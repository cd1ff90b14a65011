//! The shape of a file: the values that each key takes, and their spans.

use super::read::{good, lines, piece, raw};
use qosc_compiler::syntax::raw::{
    Each, Opt, RawClass, RawClasses, RawExceed, RawMatch, RawNetworks, RawQueue,
};
use qosc_compiler::terms::{
    Amount, Diffserv, Engine, Frames, Ingress, Inner, Layer, Load, Measure, Offloads, Share, TunnelKind, Wash,
};
use std::fmt::Display;

const LINK: &str = "link: { device: ppp0, up: 6mbit, down: 25mbit }\n";

/// A value as text; `-` for none.
fn show<T: Display>(value: &Opt<T>) -> String {
    value.as_ref().map_or("-".to_owned(), |v| v.value.to_string())
}

/// Values as text.
fn list<T: Display>(values: &[qosc_compiler::diag::Spanned<T>]) -> String {
    values.iter().map(|v| v.value.to_string()).collect::<Vec<_>>().join(" ")
}

fn amount(value: &Opt<Amount>) -> String {
    match value.as_ref().map(|v| v.value) {
        None => "-".to_owned(),
        Some(Amount::Rate(rate)) => rate.to_string(),
        Some(Amount::Share(share)) => share.to_string(),
    }
}

fn amounts(both: &Each<Amount>) -> (String, String) {
    (amount(&both.up), amount(&both.down))
}

/// The classes of a file with the smallest link.
fn classes(text: &str) -> Vec<RawClass> {
    good(&format!("{LINK}classes:\n{text}")).classes.unwrap().list
}

/// The alternatives of one match.
fn alternatives(text: &str) -> Vec<RawMatch> {
    classes(&format!("  a:\n    match: {text}\n"))[0].matches.clone().unwrap()
}

#[test]
fn the_smallest_file_is_read() {
    let raw = good(LINK);
    let link = raw.link.unwrap();
    assert_eq!(
        (show(&link.device), show(&link.up), show(&link.down)),
        ("ppp0".into(), "6mbit".into(), "25mbit".into())
    );
    assert_eq!(piece(LINK, link.key), "link");
    assert!(raw.lan.is_none() && raw.classes.is_none() && raw.hosts.is_empty());
}

#[test]
fn every_key_of_link_is_read() {
    let text = "name: home\nlink:\n  device: eth1\n  devices: { eth1.8: { up: 100kbit }, eth2: {} }\n  profile: docsis\n  up: 6.5mbit\n  down: 25 mbit/s\n  overhead: 0x12\n  mpu: 64\n  layer: atm\n  margin: { up: 2%, down: 8% }\n  mtu: 1500\n  ingress: police\n  engine: { down: cake }\n  frames: pppoe\n  trust_dscp: true\n  wash: both\n";
    let raw = good(text);
    assert_eq!(show(&raw.name), "home");
    let link = raw.link.unwrap();
    assert_eq!((show(&link.device), show(&link.profile)), ("eth1".into(), "docsis".into()));
    assert_eq!((show(&link.up), show(&link.down)), ("6.5mbit".into(), "25mbit".into()));
    let devices: Vec<_> =
        link.devices.iter().map(|own| (own.name.value.as_str().to_owned(), show(&own.up))).collect();
    assert_eq!(devices, [("eth1.8".to_owned(), "100kbit".into()), ("eth2".to_owned(), "-".into())]);
    assert_eq!(
        (show(&link.overhead), show(&link.mpu), show(&link.mtu)),
        ("18".into(), "64".into(), "1500".into())
    );
    assert_eq!(link.layer.unwrap().value, Layer::Atm);
    assert_eq!((show(&link.margin.up), show(&link.margin.down)), ("2%".into(), "8%".into()));
    assert_eq!(link.ingress.unwrap().value, Ingress::Police);
    assert_eq!(
        (link.engine.up.map(|e| e.value), link.engine.down.map(|e| e.value)),
        (None, Some(Engine::Cake))
    );
    assert_eq!((link.frames.unwrap().value, link.wash.unwrap().value), (Frames::Pppoe, Wash::Both));
    assert!(link.trust_dscp.unwrap().value);
    assert_eq!(piece(text, link.up.unwrap().span), "6.5mbit");
}

#[test]
fn one_value_applies_to_both_directions() {
    let link = good("link: { device: a, up: 6mbit, shaped: { up: 5mbit, down: 20mbit } }\n").link.unwrap();
    assert_eq!((show(&link.shaped.up), show(&link.shaped.down)), ("5mbit".into(), "20mbit".into()));
    assert_eq!((show(&link.up), link.down), ("6mbit".into(), None));
    let link = good("link: { device: a, shaped: 5mbit }\n").link.unwrap();
    assert_eq!((show(&link.shaped.up), link.shaped.down), ("5mbit".into(), link.shaped.up));
    let link = good("link: { device: a, up: 6mbit, down: 25mbit, margin: 3%, engine: htb }\n").link.unwrap();
    assert_eq!((show(&link.margin.up), show(&link.margin.down)), ("3%".into(), "3%".into()));
    assert_eq!(link.margin.up, link.margin.down);
    let class = &classes("  a: { guarantee: 400kbit, ceiling: { up: 90% } }\n")[0];
    assert_eq!(amounts(&class.guarantee), ("400kbit".into(), "400kbit".into()));
    assert_eq!(amounts(&class.ceiling), ("90%".into(), "-".into()));
}

#[test]
fn lan_hosts_and_tunnels_are_read() {
    let text = format!(
        "{LINK}lan:\n  device: [br-lan, br-guest]\n  networks: [192.168.1.0/24, \"2001:db8:1::/64\"]\n  nat: false\n  shaped: false\n\
         hosts:\n  desk:\n    address: [192.168.1.10, \"::10/-64\"]\n    mac: 02:00:5e:10:00:01\n    class: bulk\n    guarantee: 5%\n    ceiling: {{ down: 12mbit }}\n\
         \x20 guests: {{ address: 192.168.9.0/24, each: {{ guarantee: 1%, ceiling: {{ up: 2mbit }} }} }}\n\
         tunnels:\n  vps: {{ kind: wireguard, device: wg0, remote: [198.51.100.7, \"2001:db8::7\"], port: [51820, 51821-51830], mtu: 1420, inner: flows, nat: true }}\n"
    );
    let raw = good(&text);
    let lan = raw.lan.unwrap();
    assert_eq!((list(&lan.device), lan.nat.ipv4.unwrap().value), ("br-lan br-guest".into(), false));
    assert!(!lan.shaped.unwrap().value);
    let Some(RawNetworks::List(networks)) = lan.networks else { panic!() };
    assert_eq!(list(&networks), "192.168.1.0/24 2001:db8:1::/64");
    let desk = &raw.hosts[0];
    assert_eq!((desk.name.value.as_str(), list(&desk.address)), ("desk", "192.168.1.10 ::10/-64".into()));
    assert_eq!((list(&desk.mac), show(&desk.class)), ("02:00:5e:10:00:01".into(), "bulk".into()));
    assert_eq!(amounts(&desk.guarantee), ("5%".into(), "5%".into()));
    assert_eq!(amounts(&desk.ceiling), ("-".into(), "12mbit".into()));
    let each = raw.hosts[1].each.as_ref().unwrap();
    assert_eq!(amounts(&each.guarantee), ("1%".into(), "1%".into()));
    assert_eq!(amounts(&each.ceiling), ("2mbit".into(), "-".into()));
    assert!(desk.each.is_none() && desk.of.is_none());
    let vps = &raw.tunnels[0];
    assert_eq!(vps.kind.unwrap().value, TunnelKind::Wireguard);
    assert_eq!((show(&vps.device), list(&vps.remote)), ("wg0".into(), "198.51.100.7 2001:db8::7".into()));
    assert_eq!((list(&vps.port), show(&vps.mtu)), ("51820 51821-51830".into(), "1420".into()));
    assert_eq!((vps.inner.unwrap().value, vps.nat.unwrap().value), (Inner::Flows, true));
    let auto = good(&format!("{LINK}lan: {{ networks: auto }}\n")).lan.unwrap();
    assert!(matches!(auto.networks, Some(RawNetworks::Auto(_))));
}

#[test]
fn classes_are_a_tree_in_the_order_of_the_file() {
    let list = classes(
        "  zebra: { id: 0x20, priority: 0, guarantee: 20%, share: per-host, default: true, set_dscp: ef }\n  ape:\n    ceiling: 90%\n    classes:\n      v: { match: { dscp: ef } }\n      x: {}\n  \"true\": {}\n",
    );
    let names: Vec<&str> = list.iter().map(|class| class.name.value.as_str()).collect();
    assert_eq!(names, ["zebra", "ape", "true"]);
    let zebra = &list[0];
    assert_eq!(
        (show(&zebra.id), show(&zebra.priority), show(&zebra.set_dscp)),
        ("32".into(), "0".into(), "ef".into())
    );
    assert_eq!(zebra.share.up, zebra.share.down);
    assert_eq!((zebra.share.up.unwrap().value, show(&zebra.default)), (Share::PerHost, "true".into()));
    assert_eq!(zebra.matches, None);
    let inner: Vec<&str> = list[1].classes.iter().map(|class| class.name.value.as_str()).collect();
    assert_eq!(inner, ["v", "x"]);
    assert_eq!(list[1].classes[0].matches.as_ref().map(Vec::len), Some(1));
    assert_eq!(list[1].classes[1].matches, None);
}

#[test]
fn a_preset_is_a_text_and_a_class_called_preset_is_a_mapping() {
    let text = format!("{LINK}classes: {{ preset: home, more: {{}} }}\n");
    let RawClasses { key, list } = good(&text).classes.unwrap();
    assert_eq!((piece(&text, key), list.len(), list[0].name.value.as_str()), ("home", 1, "more"));
    let list = classes("  preset: { priority: 1 }\n  other: {}\n");
    assert_eq!(list[0].name.value, "preset");
}

#[test]
fn queues_are_read_in_all_their_forms() {
    let queues = |text: &str| *classes(&format!("  a: {{ queue: {text} }}\n"))[0].queue.clone();
    let queue = |text: &str| {
        let both = queues(text);
        assert_eq!(both.up, both.down);
        both.up.unwrap().value
    };
    assert_eq!(queue("fq_codel"), queue("{ kind: fq_codel }"));
    assert_eq!(queue("cake"), queue("{ cake: {} }"));
    for short in ["{ limit: 100 }", "{ fq_codel: { limit: 100 } }"] {
        let RawQueue::FqCodel { limit, .. } = queue(short) else { panic!() };
        assert_eq!(show(&limit), "100");
    }
    let RawQueue::FqCodel { target, interval, limit, quantum, flows, ecn, memory } = queue(
        "{ kind: fq_codel, target: 10ms, interval: 100ms, limit: 1000, quantum: 300, flows: 512, ecn: false, memory: 4MiB }",
    ) else {
        panic!()
    };
    assert_eq!((show(&target), show(&interval)), ("10ms".into(), "100ms".into()));
    assert_eq!((show(&ecn.up), show(&ecn.down)), ("false".into(), "false".into()));
    assert_eq!((show(&limit), show(&quantum), show(&flows)), ("1000".into(), "300".into(), "512".into()));
    assert_eq!(show(&memory), "4MiB");
    let RawQueue::Cake { rtt, diffserv, ack_filter, wash } =
        queue("{ cake: { rtt: 40ms, diffserv: diffserv4, ack_filter: true, wash: false } }")
    else {
        panic!()
    };
    assert_eq!((show(&rtt), diffserv.unwrap().value), ("40ms".into(), Diffserv::Diffserv4));
    assert_eq!((show(&ack_filter), show(&wash)), ("true".into(), "false".into()));
    let RawQueue::Fifo { limit } = queue("{ kind: fifo, limit: 50 }") else { panic!() };
    assert_eq!(show(&limit), "50");
    for (up, down) in
        [("fifo", "cake"), ("{ limit: 50 }", "{ fifo: {} }"), ("cake", "{ cake: { rtt: 40ms } }")]
    {
        let both = queues(&format!("{{ up: {up}, down: {down} }}"));
        let kind = |queue: &Opt<RawQueue>| std::mem::discriminant(&queue.as_ref().unwrap().value);
        let alone = [up, down].map(|one| std::mem::discriminant(&queue(one)));
        assert_eq!([kind(&both.up), kind(&both.down)], alone, "{up} and {down}");
    }
    let one = queues("{ down: { limit: 50 } }");
    let (None, Some(RawQueue::FqCodel { limit, .. })) = (one.up, one.down.map(|down| down.value)) else {
        panic!()
    };
    assert_eq!(show(&limit), "50");
}

#[test]
fn share_and_ecn_have_a_value_for_each_direction() {
    let list = classes(
        "  a: { share: { up: per-flow, down: per-host } }\n  b: { share: { down: per-host } }\n  c: { queue: { fq_codel: { ecn: { up: true, down: false } } } }\n  d: { queue: { ecn: { down: false } } }\n",
    );
    let shares = |at: usize| (list[at].share.up, list[at].share.down);
    let value = |share: Opt<Share>| share.map(|share| share.value);
    assert_eq!((value(shares(0).0), value(shares(0).1)), (Some(Share::PerFlow), Some(Share::PerHost)));
    assert_eq!((value(shares(1).0), value(shares(1).1)), (None, Some(Share::PerHost)));
    let ecn = |at: usize| {
        let queues = (list[at].queue.up.clone(), list[at].queue.down.clone());
        let (Some(up), Some(down)) = queues else { panic!() };
        assert_eq!(up, down);
        let RawQueue::FqCodel { ecn, .. } = up.value else { panic!() };
        (ecn.up.map(|ecn| ecn.value), ecn.down.map(|ecn| ecn.value))
    };
    assert_eq!((ecn(2), ecn(3)), ((Some(true), Some(false)), (None, Some(false))));
}

#[test]
fn every_key_of_a_match_is_read() {
    let found = alternatives(
        "[{ host: [ata, desk], local: 192.168.1.0/24, remote: [198.51.100.7], protocol: [udp, 6], local_port: 53, remote_port: [80, 440-443], port: 5060, dscp: [ef, 8], ecn: [ect0, ce], mark: [0x10/0xff, 16], tunnel: vps, device: eth1.8, family: ipv6, direction: up, length: [<128, 1000-1500], tcp: [ack, syn, fin, rst] }]",
    );
    let one = &found[0];
    assert_eq!((list(&one.host), list(&one.tunnel)), ("ata desk".into(), "vps".into()));
    assert_eq!(list(&one.device), "eth1.8");
    assert_eq!((list(&one.local), list(&one.remote)), ("192.168.1.0/24".into(), "198.51.100.7".into()));
    assert_eq!((list(&one.protocol), list(&one.dscp)), ("udp tcp".into(), "ef cs1".into()));
    assert_eq!(
        (list(&one.local_port), list(&one.remote_port), list(&one.port)),
        ("53".into(), "80 440-443".into(), "5060".into())
    );
    assert_eq!(one.mark.len(), 2);
    assert_eq!((show(&one.family), one.direction.is_some()), ("ipv6".into(), true));
    assert_eq!(list(&one.tcp), "ack syn fin rst");
    assert_eq!(list(&one.ecn), "ect0 ce");
    assert_eq!(
        one.length.iter().map(|l| (l.value.min, l.value.max)).collect::<Vec<_>>(),
        [(0, 127), (1000, 1500)]
    );
}

#[test]
fn the_span_of_a_match_covers_all_its_keys_and_values() {
    let text = format!(
        "{LINK}classes:\n  a:\n    match:\n      - dscp: ef # note\n        protocol: udp\n\n      - {{ host: x }}\n"
    );
    let raw = good(&text);
    let Some(RawClasses { list, .. }) = raw.classes else { panic!() };
    let pieces: Vec<&str> = list[0].matches.iter().flatten().map(|m| piece(&text, m.span)).collect();
    assert_eq!(pieces, ["dscp: ef # note\n        protocol: udp", "{ host: x }"]);
}

#[test]
fn a_single_match_is_read_as_a_list_of_one() {
    assert_eq!(alternatives("{ host: a }").len(), 1);
    assert_eq!(alternatives("\n      host: a\n      dscp: ef").len(), 1);
    assert_eq!(alternatives("[{ host: a }, { host: b }]").len(), 2);
}

#[test]
fn police_is_read_in_all_its_forms() {
    let police = |rest: &str| {
        let text = format!(
            "{LINK}police: {{ p: {{ direction: down, match: {{ host: a }}, rate: 4mbit{rest} }} }}\n"
        );
        good(&text).police.remove(0)
    };
    let plain = police("");
    assert_eq!((amount(&plain.rate), plain.matches.unwrap().len(), plain.exceed), ("4mbit".into(), 1, None));
    let exceed = |text: &str| police(&format!(", exceed: {text}")).exceed.unwrap().value;
    assert_eq!(exceed("drop"), RawExceed::Drop);
    assert_eq!(exceed("reclassify my class"), RawExceed::Reclassify("my class".into()));
    assert_eq!(exceed("{ reclassify: \"no\" }"), RawExceed::Reclassify("no".into()));
    let all = police(", burst: 64KiB, bypass: true");
    assert_eq!((show(&all.burst), show(&all.bypass)), ("64KiB".into(), "true".into()));
}

#[test]
fn tuning_script_and_expect_are_read() {
    let text = format!(
        "{LINK}tuning: {{ offloads: keep, txqueuelen: 100, bql: 6000, tcp: {{ rtt: 40ms }}, ecn: false }}\nscript: {{ calls: [rate, metrics] }}\nexpect:\n  - {{ load: upload, measure: ping, on: ata, p99: 25ms, loss: 0.5% }}\n"
    );
    let raw = good(&text);
    let tuning = raw.tuning.unwrap();
    assert_eq!(tuning.offloads.unwrap().value, Offloads::Keep);
    assert_eq!(
        (show(&tuning.txqueuelen), show(&tuning.bql), show(&tuning.tcp_rtt), show(&tuning.ecn)),
        ("100".into(), "6000".into(), "40ms".into(), "false".into())
    );
    let calls: Vec<&str> = raw.script.unwrap().calls.iter().map(|call| call.value.as_str()).collect();
    assert_eq!(calls, ["rate", "metrics"]);
    let [expect] = raw.expect.as_slice() else { panic!() };
    assert_eq!(expect.load.map(|load| load.value), Some(Load::Upload));
    assert_eq!(expect.measure.map(|measure| measure.value), Some(Measure::Ping));
    assert_eq!(
        (show(&expect.on), show(&expect.p99), show(&expect.loss)),
        ("ata".into(), "25ms".into(), "0.5%".into())
    );
    assert_eq!(piece(&text, expect.p99.unwrap().span), "25ms");
    let one = good(&format!("{LINK}expect: {{ measure: fetch, max: 1s }}\n"));
    assert_eq!(show(&one.expect[0].max), "1s");
}

#[test]
fn anchors_and_merge_keys_are_resolved() {
    let text = format!(
        "x-base: &base {{ priority: 5, guarantee: 5% }}\nx-rate: &rate 2mbit\n{LINK}classes:\n  a: {{ <<: *base, priority: 1, ceiling: *rate }}\n  b: *base\n"
    );
    let Some(RawClasses { list, .. }) = good(&text).classes else { panic!() };
    assert_eq!((show(&list[0].priority), amount(&list[0].guarantee.up)), ("1".into(), "5%".into()));
    assert_eq!(piece(&text, list[0].ceiling.up.unwrap().span), "*rate");
    assert_eq!((show(&list[1].priority), list[1].name.value.as_str()), ("5".into(), "b"));
}

#[test]
fn valid_values_are_kept_beside_invalid_ones() {
    let (raw, found) = raw(&format!(
        "{LINK}hosts:\n  a: {{ address: 192.168.1.300 }}\n  b: {{ address: [192.168.1.2, x] }}\n"
    ));
    assert_eq!(lines(&found).len(), 2);
    let hosts = raw.unwrap().hosts;
    assert_eq!(
        (hosts.len(), list(&hosts[0].address), list(&hosts[1].address)),
        (2, String::new(), "192.168.1.2".into())
    );
}

#[test]
fn findings_beyond_200_are_only_counted() {
    let keys: String = (0..1000).map(|n| format!("key{n}: 1\n")).collect();
    let (_, found) = raw(&format!("{LINK}{keys}"));
    assert_eq!(found.len(), 201);
    assert_eq!(lines(&found)[200], "Q0106 202:1 800 more findings from here on are not shown");
}

#[test]
fn a_finding_in_an_anchor_is_reported_once() {
    let (_, found) = raw(&format!("{LINK}hosts:\n  a: &a {{ address: 1.2.3 }}\n  b: *a\n  c: *a\n"));
    assert_eq!(lines(&found), ["Q0205 3:20 the address `1.2.3` has 3 numbers, not 4"]);
}
