//! Inputs of computed numbers: if a key of the file changes, every number that changes names it as an input, directly
//! or through other rows.

use super::tests::explained;
use super::{Explanation, ExplanationRow};
use std::collections::{BTreeMap, BTreeSet};

const HOUSE: &str = "\
link:
  device: eth0
  devices: { eth0.8: { up: 100kbit } }
  profile: vdsl2-bridged
  up: 10mbit
  down: 50mbit
  margin: { up: 3%, down: 6% }
  overhead: 30
  mpu: 64
  mtu: 1492
lan: { nat: true, networks: [192.168.1.0/24] }
hosts:
  tv: { address: 192.168.1.20, ceiling: { down: 12mbit } }
classes:
  outer:
    guarantee: 40%
    ceiling: 90%
    priority: 2
    match: [{ protocol: udp }]
    classes:
      voice: { priority: 0, guarantee: 20%, match: [{ protocol: udp, remote_port: 5060 }] }
      other: { queue: { fq_codel: { target: 8ms } } }
  normal: { default: true, share: per-host, guarantee: 30% }
  bulk: { match: [{ protocol: tcp, remote_port: 873 }], queue: fifo }
police:
  guests: { direction: down, match: [{ remote: 203.0.113.0/24 }], rate: 10%, bypass: true }
tuning: { tcp: { rtt: 40ms }, txqueuelen: 100, bql: 6000 }
";

fn rows(found: &Explanation) -> BTreeMap<&str, &ExplanationRow> {
    found.sections.iter().flat_map(|section| &section.rows).map(|row| (row.id.as_str(), row)).collect()
}

/// Returns the number of rows that differ between two files, and the ids of those without an input that was written
/// differently. Rows on filters are left out: their numbers and preferences depend on the matches.
fn unexplained(yaml: &str, other: &str) -> (usize, Vec<String>) {
    let (before, after) = (explained(yaml), explained(other));
    let (old, new) = (rows(&before), rows(&after));
    let moved: BTreeSet<&str> = old
        .keys()
        .filter(|id| !id.starts_with("filters."))
        .filter(|id| new.get(**id).is_some_and(|row| row.value != old[**id].value))
        .copied()
        .collect();
    let rests = |id: &&&str| {
        let (was, is) = (old[**id], new[**id]);
        let given = |row: &ExplanationRow| matches!(row.from, super::Whence::Given { .. });
        let written = |row: &ExplanationRow| -> Vec<String> {
            row.inputs.iter().filter(|input| input.id.is_none()).map(|input| input.value.clone()).collect()
        };
        let inputs = || was.inputs.iter().chain(&is.inputs).filter_map(|input| input.id.as_deref());
        given(is) || given(was) || written(was) != written(is) || inputs().any(|input| moved.contains(input))
    };
    let alone = moved.iter().filter(|id| !rests(id)).map(|id| (*id).to_owned()).collect();
    (moved.len(), alone)
}

#[test]
fn the_inputs_of_a_value_include_all_that_change_it() {
    let edits = [
        ("up: 10mbit", "up: 7mbit", 20),
        ("down: 50mbit", "down: 150mbit", 20),
        ("up: 3%", "up: 4%", 20),
        ("up: 100kbit", "up: 2mbit", 20),
        ("down: 6%", "down: 8%", 20),
        ("overhead: 30", "overhead: 40", 20),
        ("mpu: 64", "mpu: 200", 5),
        ("mtu: 1492", "mtu: 1400", 20),
        ("profile: vdsl2-bridged", "profile: adsl-bridged-llc", 20),
        ("nat: true", "nat: false", 1),
        ("guarantee: 40%", "guarantee: 50%", 8),
        ("ceiling: 90%", "ceiling: 50%", 8),
        ("guarantee: 20%", "guarantee: 30%", 3),
        ("guarantee: 30%", "guarantee: 10%", 3),
        ("priority: 2", "priority: 3", 1),
        ("target: 8ms", "target: 9ms", 2),
        ("share: per-host,", "share: per-flow,", 1),
        ("down: 12mbit", "down: 14mbit", 2),
        ("rate: 10%", "rate: 20%", 5),
        ("rtt: 40ms", "rtt: 80ms", 7),
        ("bql: 6000", "bql: 3000", 3),
        ("txqueuelen: 100", "txqueuelen: 200", 1),
    ];
    for (from, to, least) in edits {
        assert!(HOUSE.contains(from), "{from}");
        let (moved, alone) = unexplained(HOUSE, &HOUSE.replace(from, to));
        assert!(moved >= least, "{from} to {to} moves {moved}");
        assert!(alone.is_empty(), "{from} to {to}: these do not say why: {alone:?}");
    }
}

#[test]
fn the_inputs_include_a_shaped_rate_with_and_without_a_line_rate() {
    let house = HOUSE.replace("down: 50mbit", "shaped: { up: 9mbit, down: 40mbit }");
    let house = house.replace("  margin: { up: 3%, down: 6% }\n", "");
    let edits = [
        ("up: 9mbit", "up: 8mbit", 20),
        ("down: 40mbit", "down: 150mbit", 20),
        ("up: 10mbit", "up: 9.5mbit", 5),
        ("profile: vdsl2-bridged", "profile: adsl-bridged-llc", 20),
    ];
    for (from, to, least) in edits {
        assert!(house.contains(from), "{from}");
        let (moved, alone) = unexplained(&house, &house.replace(from, to));
        assert!(moved >= least, "{from} to {to} moves {moved}");
        assert!(alone.is_empty(), "{from} to {to}: these do not say why: {alone:?}");
    }
    let found = explained(&house);
    let known = rows(&found);
    assert!(known.contains_key("link.line.up") && !known.contains_key("link.line.down"));
    assert_eq!(known["link.margin.up"].value, "8.5937%");
    assert!(known.keys().any(|id| id.ends_with(".up.share")));
    assert!(!known.keys().any(|id| id.starts_with("packets.") && id.ends_with(".down.share")));
}

#[test]
fn inputs_are_existing_rows_without_cycles() {
    let found = explained(HOUSE);
    let known = rows(&found);
    let count: usize = found.sections.iter().map(|section| section.rows.len()).sum();
    assert_eq!(known.len(), count, "two rows have one id");
    for row in known.values() {
        let mut open: Vec<&str> = vec![&row.id];
        let mut seen = BTreeSet::new();
        while let Some(id) = open.pop() {
            for input in known[id].inputs.iter().filter_map(|input| input.id.as_deref()) {
                assert!(known.contains_key(input), "{id} rests on {input}");
                assert_ne!(input, row.id, "{} rests on itself", row.id);
                if seen.insert(input) {
                    open.push(input);
                }
            }
        }
    }
}
