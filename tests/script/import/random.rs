//! Random inputs: each import is proven equal or has a finding, and what is proven holds in a second reading.

use crate::random_trees::{Fields, Random, Tree};
use crate::split_mix::SplitMix;
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::diag::Severity;
use qosc_compiler::model::Direction;
use qosc_compiler::units::Protocol;
use qosc_import::{Import, Wanted, fireqos, sqm, tc};
use qosc_preview::explain::packet::{End, Packet, meet};
use std::fmt::Write as _;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Number of random inputs of each tool.
const INPUTS: u64 = 2000;

/// Number of imports that were proven equal, that have a finding, and that have an error.
#[derive(Debug, Default)]
struct Seen {
    equal: usize,
    found: usize,
    errors: usize,
}

impl Seen {
    /// Judges an import: it is proven equal, or it says what is not.
    fn add(&mut self, import: &Import, input: &str) {
        let [result] = import.results.as_slice() else { panic!("{:?}\n{input}", import.findings) };
        let equal = result.compared.is_some_and(|compared| compared.equal && compared.packets > 5);
        // The command reports the errors of a result itself, such as a class inside that no packet reaches.
        let is_valid = || !compile(&result.yaml, &Options::of("imported.yaml")).has_errors();
        assert!(equal || !import.findings.is_empty() || !is_valid(), "{input}\n{}", result.yaml);
        self.equal += usize::from(equal);
        self.found += usize::from(!import.findings.is_empty());
        self.errors += usize::from(has(import, Severity::Error));
    }
}

fn has(import: &Import, severity: Severity) -> bool {
    import.findings.iter().any(|finding| finding.severity == severity)
}

fn packet(fields: &Fields) -> Packet {
    let address = |end: u16| match fields.v6 {
        true => IpAddr::V6(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, end)),
        false => {
            let [high, low] = end.to_be_bytes();
            IpAddr::V4(Ipv4Addr::new(10, 0, high, low))
        }
    };
    Packet {
        direction: Direction::Up,
        protocol: Protocol(fields.protocol),
        local: address(fields.source),
        remote: address(fields.target),
        local_port: fields.from,
        remote_port: fields.to,
        dscp: qosc_compiler::units::Dscp::new(0).unwrap(),
        ecn: qosc_compiler::model::Ecn::NotEct,
        sent: None,
        mark: fields.mark,
        mac: None,
        length: 300,
        tcp: Vec::new(),
        tunnel: None,
        device: None,
        by_router: false,
        from_outside: false,
        forwarded: None,
    }
}

#[test]
fn random_trees_of_tc_are_proven_or_reported() {
    let mut random = Random(SplitMix(1));
    let (mut seen, mut packets, mut wrong) = (Seen::default(), 0, 0);
    for _ in 0..INPUTS {
        let tree = Tree::random(&mut random);
        let dump = tree.dump("eth0");
        let import = tc(&dump, Wanted::First, None);
        seen.add(&import, &dump);
        let yaml = &import.results[0].yaml;
        let yaml =
            if yaml.contains("lan:") { yaml.clone() } else { format!("lan: {{ nat: false }}\n{yaml}") };
        let compiled = compile(&yaml, &Options::of("imported.yaml"));
        let (model, program) = compiled.into_finished().unwrap_or_else(|| panic!("{dump}\n{yaml}"));
        for fields in tree.packets(&mut random, 40) {
            let Some(class) = tree.class(&fields) else { continue };
            let End::Class { name, ceiling, .. } = meet(&model, &program, &packet(&fields)).end else {
                panic!("{dump}\n{yaml}");
            };
            packets += 1;
            if name == format!("class-{class:x}") {
                let own = tree.classes.iter().find(|own| own.minor == class).unwrap();
                let most = if own.parent == 0 { own.rate } else { own.ceil };
                assert!(ceiling.bps() <= most * 1_000_000, "{fields:?} {ceiling} {most}\n{dump}\n{yaml}");
                continue;
            }
            wrong += 1;
            // A wrong class is an error, or a warning about a filter without an equivalent.
            assert!(
                has(&import, Severity::Error)
                    || import.findings.iter().any(|own| own.message.contains("left out")),
                "{fields:?}: {name}, not {class:x}\n{dump}\n{yaml}\n{:?}",
                import.findings
            );
        }
    }
    assert!(seen.equal > 200 && packets > 40_000 && wrong > 0, "{seen:?} {packets} {wrong}");
}

#[test]
fn random_files_of_sqm_are_proven_or_reported() {
    let mut random = Random(SplitMix(2));
    let mut seen = Seen::default();
    for _ in 0..INPUTS {
        let mut text = "config queue 'wan'\n option enabled '1'\n option interface 'eth1'\n".to_owned();
        let mut option = |key: &str, values: &[&str]| {
            let value = random.pick(values);
            if !value.is_empty() {
                let _infallible = writeln!(text, " option {key} '{value}'");
            }
        };
        option("upload", &["0", "700", "5000", "40000"]);
        option("download", &["0", "900", "20000", "300000"]);
        option(
            "script",
            &[
                "simple.qos",
                "simplest.qos",
                "simplest_tbf.qos",
                "piece_of_cake.qos",
                "layer_cake.qos",
                "layer_cake_ct.qos",
            ],
        );
        option("qdisc", &["fq_codel", "cake"]);
        option("squash_dscp", &["", "0", "1"]);
        option("squash_ingress", &["", "0", "1"]);
        option("linklayer", &["none", "ethernet", "atm"]);
        option("overhead", &["", "18", "44"]);
        option("eqdisc_opts", &["", "nat dual-srchost", "diffserv4", "besteffort ack-filter"]);
        option("iqdisc_opts", &["", "nat dual-dsthost", "diffserv4 ingress", "besteffort"]);
        seen.add(&sqm(&text, Wanted::First, None), &text);
    }
    assert!(seen.equal > 200 && seen.errors == 0, "{seen:?}");
}

#[test]
fn random_files_of_fireqos_are_proven_or_reported() {
    let mut random = Random(SplitMix(3));
    let mut seen = Seen::default();
    for _ in 0..INPUTS {
        let mut text = "interface46 eth0 wan bidirectional rate 50mbit\n".to_owned();
        let group = random.below(4);
        for class in 0..2 + random.below(4) {
            let kind = if class == group { " group" } else { "" };
            let _infallible = writeln!(
                text,
                " class{kind} c{class} commit {}% max {}%",
                1 + random.below(20),
                60 + random.below(41)
            );
            for _ in 0..1 + random.below(2) {
                let port = random.pick(&["53", "80,443", "1000:2000"]);
                let line = match random.below(5) {
                    0 => format!("match udp dport {port}"),
                    1 => format!("match tcp sport {port}"),
                    2 => format!("match dst 192.0.{}.0/24", random.below(3)),
                    3 => format!("match rawmark {} prio {}", 1 + random.below(3), 1 + random.below(40)),
                    _ => format!("match dscp {}", random.pick(&["ef", "cs1", "af41"])),
                };
                let _infallible = writeln!(text, "  {line}");
            }
            if class == group {
                text += "  class inner commit 30%\n   match ip 192.0.2.0/25\n  class group end\n";
            }
        }
        seen.add(&fireqos(&text, Wanted::First), &text);
    }
    assert!(seen.equal > 200 && seen.errors > 20, "{seen:?}");
}
