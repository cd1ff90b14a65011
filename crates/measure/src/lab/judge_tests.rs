//! Tests of figures that are computed from records.

use super::*;
use crate::lab::protocol::{Flow, Record, STEP};
use crate::lab::scenarios::Pace;
use crate::lab::topology::Topology;
use crate::lab::{STRANGERS, roles};
use qosc_compiler::units::{Micros, Rate};

/// Returns the results of a file's expectations if every bulk flow receives 1000 bytes in each step.
fn expectations(expect: &str) -> Vec<Expectation> {
    let text = format!(
        "link: {{ device: eth0, profile: ethernet, up: 5mbit, down: 20mbit }}\nlan: {{ nat: false }}\n\
         classes: {{ other: {{ default: true }} }}\nexpect: {expect}\n"
    );
    let compiled = qosc_compiler::compile(text, &qosc_compiler::compile::Options::of("home.yaml"));
    let (model, program) = compiled.into_finished().unwrap();
    let topology = Topology::of(&model, Micros::from_ms(20), STRANGERS).unwrap();
    let finder = crate::lab::packet_spec::Finder { model: &model, program: &program, topology: &topology };
    let pace = Pace::of((Rate::from_bps(5_000_000), Rate::from_bps(20_000_000)), true);
    let builder = ScenarioBuilder { finder, pace, roles: roles(finder) };
    let measured = model.expect.iter().enumerate().map(|(place, expect)| {
        let played = builder.expected(place, expect).unwrap();
        let flows = &played.scenario.flows;
        let record = |flow: &Flow| {
            let same = flows.iter().filter(|other| other.name == flow.name).count();
            let bytes = vec![1000 * same as u64; (played.scenario.length / STEP) as usize];
            Record { name: flow.name.clone(), bytes, ..Record::default() }
        };
        let records = Records { records: flows.iter().map(record).collect() };
        expectation(&model, expect, place, played.probe, &records)
    });
    measured.collect()
}

/// A host with a ceiling fills the line only if all hosts have one, and the report then says so.
#[test]
fn a_host_without_a_ceiling_makes_the_load() {
    for (hosts, loader, is_capped) in [
        (
            "tv: { address: 192.168.1.60, ceiling: { down: 5mbit } }, pc: { address: 192.168.1.61 }",
            "pc",
            false,
        ),
        ("tv: { address: 192.168.1.60, ceiling: { up: 1mbit } }", "another host 1", false),
        ("all: { address: 192.168.1.0/24, each: { ceiling: 4mbit } }", "192.168.1.", true),
    ] {
        let text = format!(
            "link: {{ device: eth1, profile: docsis, up: 10mbit, down: 30mbit }}\n\
             lan: {{ networks: [192.168.1.0/24] }}\nhosts: {{ {hosts} }}\n"
        );
        let compiled = qosc_compiler::compile(text, &qosc_compiler::compile::Options::of("home.yaml"));
        let (model, program) = compiled.into_finished().unwrap();
        let topology = Topology::of(&model, Micros::from_ms(20), STRANGERS).unwrap();
        let finder =
            crate::lab::packet_spec::Finder { model: &model, program: &program, topology: &topology };
        let found = roles(finder).loader;
        let name = &topology.machines[found].name;
        assert!(name.starts_with(loader), "{name}, not {loader}");
        assert_eq!(finder.is_capped(found), is_capped, "{name}");
    }
}

/// A flow's share is its part of the traffic in its own direction, also if the load fills both directions.
#[test]
fn a_share_counts_one_direction() {
    for load in ["upload", "both"] {
        let shares = expectations(&format!("{{ load: {load}, measure: upload, share: 25% }}"));
        assert_eq!((shares[0].measured.as_str(), shares[0].met), ("share 25.0%", Some(true)), "{load}");
    }
    let shares = expectations("{ load: both, measure: download, share: 26% }");
    assert_eq!((shares[0].measured.as_str(), shares[0].met), ("share 25.0%", Some(false)));
}
