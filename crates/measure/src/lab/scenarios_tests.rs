use super::*;
use crate::lab::topology::Topology;
use crate::lab::{LOADS, STRANGERS, roles};
use qosc_compiler::units::Micros;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Every configuration of the examples and test cases that the lab can run.
fn every_file() -> Vec<PathBuf> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let mut all = Vec::new();
    let mut folders = vec![root.join("examples"), root.join("tests/cases")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "yaml") {
                all.push(path);
            }
        }
    }
    all.sort();
    all
}

fn compiled(path: &Path) -> Option<(qosc_compiler::model::Model, qosc_compiler::tc::Program)> {
    let options = qosc_compiler::compile::Options::of("home.yaml");
    qosc_compiler::compile(std::fs::read(path).unwrap(), &options).into_finished()
}

/// Checks properties of every scenario. Two flows must not share an endpoint in the internet, because one of them would
/// get no packets. Every measured flow must be sent.
#[test]
fn every_scenario_of_every_file_can_run() {
    let mut played = 0;
    for path in every_file() {
        let Some((model, program)) = compiled(&path) else { continue };
        let Ok(topology) = Topology::of(&model, Micros::from_ms(20), STRANGERS) else { continue };
        let finder = Finder { model: &model, program: &program, topology: &topology };
        let pace = Pace::of(
            (topology.rate.up.min(topology.rate.down), topology.rate.up.max(topology.rate.down)),
            true,
        );
        let builder = ScenarioBuilder { finder, pace, roles: roles(finder) };
        let mut scenarios = vec![builder.classes_idle()];
        for load in LOADS {
            scenarios.extend(builder.situation(load, true));
        }
        for direction in Direction::BOTH {
            scenarios.extend(builder.small(direction, true));
            scenarios.extend(builder.flows(direction, true));
            scenarios
                .extend((0..model.leaves().len()).filter_map(|leaf| builder.class_full(leaf, direction)));
        }
        for one in scenarios.iter().map(|played| &played.scenario) {
            let mut ends = BTreeSet::new();
            for flow in &one.flows {
                let (kind, needs) = match flow.what {
                    What::Ping { .. } => (0, false),
                    What::Stream { .. } => (1, true),
                    What::Bulk { .. } | What::Fetch { .. } => (2, true),
                };
                let end = (flow.net.address, flow.net.port, kind);
                assert!(!needs || ends.insert(end), "{}: {}: {end:?} twice", path.display(), one.name);
                assert!(
                    flow.from < flow.to && flow.to <= one.length,
                    "{}: {}: {flow:?}",
                    path.display(),
                    one.name
                );
                assert_eq!(flow.house.address.is_ipv4(), flow.net.address.is_ipv4());
            }
            assert!(
                !one.flows.is_empty() || one.name == "shaped-classes-idle",
                "{}: {}",
                path.display(),
                one.name
            );
            played += 1;
        }
    }
    assert!(played > 150, "{played}");
}

/// Every machine of a house has its own address, and none has the router's.
#[test]
fn every_machine_has_its_own_address() {
    for path in every_file() {
        let Some((model, _)) = compiled(&path) else { continue };
        let Ok(topology) = Topology::of(&model, Micros::from_ms(20), STRANGERS) else { continue };
        let mut all = BTreeSet::new();
        let files = topology.files(&BTreeSet::new());
        let networks = &files.iter().find(|(name, _)| *name == "networks").unwrap().1;
        for line in networks.lines() {
            let own = line.split(' ').next().unwrap().to_owned();
            assert!(all.insert(own), "{}: {networks}", path.display());
        }
        for machine in &topology.machines {
            let own =
                machine.v4.map(|v4| v4.to_string()).into_iter().chain(machine.v6.map(|v6| v6.to_string()));
            for own in own {
                assert!(all.insert(own), "{}: {machine:?} of {networks}", path.display());
            }
        }
    }
}
