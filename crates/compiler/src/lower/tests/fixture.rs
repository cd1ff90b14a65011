//! A small model for the tests of this module.

use crate::diag::{FileId, Sink, Span};
use crate::model::{
    Alternative, Amount, Asked, Basis, Class, ClassId, Engine, Exceed, Frames, Host, Ingress, Lan, Layer,
    Leaf, Link, Model, Networks, Offloads, PerDirection, Police, Queue, Scheduling, Shape, Share, Tuning,
    Tunnel, TunnelKind, Val,
};
use crate::tc::Program;
use crate::units::{Address, Bytes, Micros, Percent, PortRange, PortSet, Rate};

pub(in crate::lower) fn span(line: u32) -> Span {
    Span { file: FileId(0), start: 0, end: 1, line, column: 1 }
}

pub(in crate::lower) fn val<T>(value: T) -> Val<T> {
    Val::given(value, span(1))
}

pub(in crate::lower) fn both<T: Clone>(value: T) -> PerDirection<T> {
    PerDirection { up: value.clone(), down: value }
}

fn mbit(number: u64) -> Val<Rate> {
    val(Rate::from_bps(number * 1_000_000))
}

fn scheduling() -> Scheduling {
    Scheduling { burst: val(Bytes::new(1600)), cburst: val(Bytes::new(1700)), quantum: val(1514) }
}

/// An alternative without conditions.
pub(in crate::lower) fn anything() -> Alternative {
    Alternative {
        span: span(7),
        text: "anything".to_owned(),
        hosts: vec![],
        local: vec![],
        remote: vec![],
        protocol: vec![],
        local_port: None,
        remote_port: None,
        port: None,
        dscp: vec![],
        ecn: vec![],
        mark: vec![],
        tunnels: vec![],
        devices: vec![],
        family: None,
        direction: None,
        length: vec![],
        tcp: vec![],
    }
}

pub(in crate::lower) fn addresses(list: &[&str]) -> Vec<Address> {
    list.iter().map(|text| text.parse().unwrap()).collect()
}

pub(in crate::lower) fn ports(ranges: &[(u16, u16)]) -> PortSet {
    ranges.iter().map(|(first, last)| PortRange { first: *first, last: *last }).collect()
}

fn class(name: &str, id: u16, matches: Option<Vec<Alternative>>, shape: Shape) -> Class {
    Class {
        name: name.to_owned(),
        path: name.to_owned(),
        span: span(u32::from(id)),
        id: val(ClassId(id)),
        priority: val(2),
        asked: Asked { guarantee: both(None), ceiling: both(None) },
        guarantee: PerDirection { up: mbit(1), down: mbit(2) },
        ceiling: PerDirection { up: mbit(10), down: mbit(20) },
        scheduling: both(scheduling()),
        matches,
        shape,
    }
}

pub(in crate::lower) fn leaf(name: &str, id: u16, matches: Option<Vec<Alternative>>) -> Class {
    let queue = Queue::FqCodel {
        limit: val(1000),
        flows: val(1024),
        quantum: val(300),
        target: val(Micros::from_ms(5)),
        interval: val(Micros::from_ms(100)),
        memory: val(Bytes::new(4 << 20)),
        ecn: val(true),
    };
    let (share, queue, default) = (val(Share::PerFlow), both(queue), name == "rest");
    let leaf = Leaf { default, share: both(share), queue, set_dscp: None, hosts: both(None) };
    class(name, id, matches, Shape::Leaf(leaf))
}

pub(in crate::lower) fn inner(
    name: &str,
    id: u16,
    matches: Option<Vec<Alternative>>,
    children: Vec<Class>,
) -> Class {
    class(name, id, matches, Shape::Inner(children))
}

pub(in crate::lower) fn police(name: &str, matches: Vec<Alternative>) -> Police {
    Police {
        name: name.to_owned(),
        span: span(9),
        direction: crate::model::Direction::Down,
        matches,
        asked: Amount::Rate(mbit(4).value),
        rate: mbit(4),
        burst: val(Bytes::new(300_000)),
        exceed: Exceed::Drop,
        bypass: false,
    }
}

fn tunnel(name: &str, kind: TunnelKind, remote: &[&str], port: Option<PortSet>) -> Tunnel {
    Tunnel {
        name: name.to_owned(),
        span: span(3),
        kind,
        device: Some(val(format!("tun-{name}").parse().unwrap())),
        remote: addresses(remote).into_iter().map(val).collect(),
        port,
        mtu: None,
        downloads: None,
        inner: val(crate::model::Inner::Opaque),
        nat: val(false),
    }
}

/// A model with these classes whose link shapes both directions.
pub(in crate::lower) fn model(classes: Vec<Class>) -> Model {
    let link = Link {
        device: val("ppp0".parse().unwrap()),
        devices: vec![],
        profile: val("vdsl2-pppoe".to_owned()),
        line: PerDirection { up: mbit(10), down: mbit(20) },
        vary: None,
        margin: both(val(Percent::from_ppm(20_000))),
        shaped: PerDirection { up: mbit(10), down: mbit(20) },
        tree: PerDirection { up: mbit(10), down: mbit(20) },
        basis: both(Basis {
            numerator: 64 * 980_000,
            denominator: 65_000_000,
            full: 1522,
            frame: 1514,
            least_turn: 1514,
            least_police: 67_088,
        }),
        scheduling: both(scheduling()),
        ingress_burst: val(Bytes::new(500_000)),
        overhead: val(30),
        mpu: val(0),
        layer: val(Layer::Ptm),
        mtu: val(1492),
        ingress: val(Ingress::Shape),
        engine: both(val(Engine::Htb)),
        frames: val(Frames::Auto),
        trust_dscp: val(false),
        wash: both(false),
    };
    let hosts = [("desk", &["192.168.1.10", "2001:db8:1::10"][..]), ("old", &["192.168.1.11"])];
    let tunnels = vec![
        tunnel("ipip", TunnelKind::Ipip, &["198.51.100.7"], None),
        tunnel("dslite", TunnelKind::Ip6tnl, &[], None),
        tunnel("vxlan", TunnelKind::Vxlan, &["198.51.100.7", "2001:db8:9::7"], Some(ports(&[(4789, 4789)]))),
        tunnel("wg", TunnelKind::Wireguard, &["198.51.100.8"], Some(ports(&[(51820, 51820)]))),
        tunnel("l2tp", TunnelKind::L2tp, &["198.51.100.9"], Some(ports(&[(1701, 1701)]))),
        tunnel("other", TunnelKind::Other, &["198.51.100.16/28"], None),
        tunnel("sit", TunnelKind::Sit, &[], None),
        tunnel("gre", TunnelKind::Gre, &["198.51.100.0/24"], None),
        tunnel("ip6gre", TunnelKind::Ip6gre, &["2001:db8:9::/48"], None),
    ];
    Model {
        variants: vec![],
        marks: None,
        name: val("home".parse().unwrap()),
        link,
        lan: Lan {
            devices: vec![val("br-lan".parse().unwrap())],
            networks: Networks::Auto,
            nat: val(false),
            nat_ipv6: val(false),
            shaped: val(true),
        },
        hosts: hosts
            .into_iter()
            .map(|(name, list)| Host {
                of: None,
                each: false,
                name: name.to_owned(),
                span: span(2),
                addresses: addresses(list).into_iter().map(val).collect(),
                mac: vec![],
                is_router: false,
                home: val(ClassId(0xee)),
                guarantee: both(None),
                ceiling: both(None),
            })
            .collect(),
        tunnels,
        classes,
        cake: both(None),
        police: vec![],
        tuning: Tuning {
            mark_mask: None,
            offloads: val(Offloads::Auto),
            split: both(val(true)),
            txqueuelen: None,
            bql: None,
            tcp: None,
            ecn: None,
        },
        calls: vec![],
        memory: crate::model::Memory { queues: val(Bytes::new(0)), packets: val(Bytes::new(0)) },
        expect: vec![],
        with_errors: Vec::new(),
    }
}

/// Lowers a model without errors.
pub(in crate::lower) fn lowered(model: &Model) -> Program {
    let mut sink = Sink::default();
    let program = crate::lower::lower(model, &mut sink);
    assert_eq!(sink.into_sorted(), vec![]);
    program.unwrap()
}

/// Returns the findings of a model with errors, each as code, message and label.
pub(in crate::lower) fn refused(model: &Model) -> Vec<String> {
    let mut sink = Sink::default();
    assert_eq!(crate::lower::lower(model, &mut sink), None);
    let said = sink.into_sorted().into_iter();
    said.map(|finding| {
        let label = finding.labels.first().map(|label| label.text.clone()).unwrap_or_default();
        format!("{} {} / {label}", finding.code, finding.message)
    })
    .collect()
}
