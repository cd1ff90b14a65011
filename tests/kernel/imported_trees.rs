//! Random trees of tc and the scripts of their imports: a packet is counted in the class that stands for its class in the
//! tree, or the import says that it differs.

use crate::house::House;
use crate::packet::{ACK, PSH, Packet};
use crate::random_trees::{Fields, Random, Tree};
use crate::report::Report;
use crate::split_mix::SplitMix;
use crate::uml::Guest;
use qosc_compiler::diag::Severity;
use qosc_import::{Wanted, tc};
use std::collections::BTreeMap;

const TREES: usize = 50;
const SHOTS: usize = 8;
/// Number of copies of each packet.
const COPIES: usize = 5;

fn line(fields: &Fields) -> String {
    let address = |end: u16| match fields.v6 {
        true => format!("2001:db8::{end:x}"),
        false => format!("10.0.{}.{}", end >> 8, end & 0xff),
    };
    let packet = Packet::new(&address(fields.source), &address(fields.target));
    let packet = match fields.protocol {
        17 => packet.udp(fields.from, fields.to),
        _ => packet.tcp(fields.from, fields.to, ACK | PSH, 0).length(100),
    };
    packet.mark(fields.mark).line("d0", COPIES)
}

/// Packets that each class of HTB has sent, by its id.
fn counted(report: &Report, tree: usize, shot: usize) -> BTreeMap<String, usize> {
    let text = report.text(&format!("out/{tree}.{shot}.counters"));
    let (mut found, mut class) = (BTreeMap::new(), None);
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["class", "htb", id, ..] => class = Some((*id).to_owned()),
            ["Sent", _, "bytes", packets, ..] => {
                let packets = packets.parse().expect("a number");
                found.extend(class.take().map(|class| (class, packets)));
            }
            _ => {}
        }
    }
    found
}

/// The deepest class that a shot has reached; `None` if it bypassed the classes.
fn reached(report: &Report, tree: usize, shot: usize, is_leaf: impl Fn(&str) -> bool) -> Option<String> {
    let (before, after) = (counted(report, tree, shot - 1), counted(report, tree, shot));
    let more = |id: &String| after[id] >= before.get(id).copied().unwrap_or_default() + COPIES;
    after.keys().find(|id| is_leaf(id) && more(id)).cloned()
}

fn run(leg: &str, guest: Guest) -> Option<Report> {
    let guest = guest.variable("TREES", &TREES.to_string()).variable("SHOTS", &SHOTS.to_string());
    let report = guest.variable("LEG", leg).run("imported_trees.sh")?;
    assert!(!report.console().contains("failed at"), "{}", report.console());
    Some(report)
}

#[test]
fn packets_have_the_same_class_after_an_import() {
    let mut random = Random(SplitMix(4));
    let trees: Vec<Tree> = (0..TREES).map(|_| Tree::random(&mut random)).collect();
    let packets: Vec<Vec<Fields>> = trees.iter().map(|tree| tree.packets(&mut random, SHOTS)).collect();
    let with_shots = |mut guest: Guest| {
        for (number, packets) in packets.iter().enumerate() {
            for (shot, fields) in (1..).zip(packets) {
                guest = guest.file(&format!("shots/{number}.{shot}"), line(fields));
            }
        }
        guest
    };
    let mut guest = with_shots(Guest::new("trees of tc"));
    for (number, tree) in trees.iter().enumerate() {
        guest = guest.file(&format!("trees/{number}"), tree.commands("d0"));
    }
    let Some(before) = run("tc", guest) else { return };
    let mut guest = with_shots(Guest::new("imported trees"));
    let mut imports = Vec::new();
    for number in 0..TREES {
        let import = tc(&before.text(&format!("out/{number}.dump")), Wanted::First, None);
        let yaml = &import.results[0].yaml;
        let yaml =
            if yaml.contains("lan:") { yaml.clone() } else { format!("lan: {{ nat: false }}\n{yaml}") };
        let house = House::of("d0", yaml.into_bytes());
        guest = guest.file(&format!("scripts/{number}.sh"), house.script.as_str());
        imports.push((import, house));
    }
    let Some(after) = run("script", guest) else { return };
    let (mut same, mut known, mut wrong) = (0, 0, Vec::new());
    for (number, (tree, (import, house))) in trees.iter().zip(&imports).enumerate() {
        for (shot, fields) in (1..).zip(&packets[number]) {
            let leaf = |id: &str| {
                tree.classes.iter().any(|own| {
                    format!("1:{:x}", own.minor) == id
                        && !tree.classes.iter().any(|other| other.parent == own.minor)
                })
            };
            let was = reached(&before, number, shot, leaf);
            assert_eq!(was, tree.class(fields).map(|class| format!("1:{class:x}")), "{tree:?} {fields:?}");
            let Some(was) = was else { continue };
            let named = |id: &str| {
                house
                    .program
                    .classes
                    .iter()
                    .find(|own| own.id.to_string() == id && own.why.name == was.replace("1:", "class-"))
            };
            let all = reached(&after, number, shot, |id| named(id).is_some());
            if all.is_some() {
                same += 1;
            } else if import
                .findings
                .iter()
                .any(|own| own.severity == Severity::Error || own.message.contains("left out"))
            {
                known += 1;
            } else {
                wrong.push(format!(
                    "tree {number}, shot {shot}: {fields:?} was in {was}\n{}",
                    tree.dump("d0")
                ));
            }
        }
    }
    assert!(wrong.is_empty() && same > 200, "{same} {known}\n{}", wrong.join("\n"));
}
