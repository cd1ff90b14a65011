//! Test that every number in tc's lines has a row with the same number.

mod places;

use self::places::{Place, places};
use super::tests::made;
use super::{Explanation, ExplanationRow, explain};
use qosc_compiler::emit::batch;
use qosc_compiler::tc::{Facts, Program};
use qosc_compiler::units::{Bytes, Dscp, Micros, Rate};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Texts of all examples and test cases, with their names.
pub(super) fn configurations() -> Vec<(String, String)> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let examples = std::fs::read_dir(root.join("examples")).unwrap().map(|entry| entry.unwrap().path());
    let cases = std::fs::read_dir(root.join("tests/cases")).unwrap();
    let cases = cases.map(|entry| entry.unwrap().path().join("home.yaml"));
    let mut files: Vec<PathBuf> = examples.chain(cases).collect();
    files.sort();
    let texts = files.iter().map(|file| (file.display().to_string(), std::fs::read_to_string(file).unwrap()));
    texts.filter(|(_, text)| !text.starts_with("# needs:")).collect()
}

/// A number in a line of tc: the object, the word before the number, the number.
type Number = (String, String, String);

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    digits.starts_with(|c: char| c.is_ascii_digit()) || word.contains(':')
}

/// All numbers of a line except those of selectors: the comment names the line of the file that has them.
fn numbers(line: &str) -> Vec<Number> {
    let line = line.split(" # ").next().unwrap();
    let words: Vec<&str> = line.split(' ').collect();
    let behind = |word: &str| {
        let at = words.iter().position(|own| *own == word)?;
        words.get(at + 1).copied()
    };
    let dev = behind("dev").unwrap();
    let object = match words[0] {
        "qdisc" if words.contains(&"clsact") => format!("qdisc dev {dev} clsact"),
        "qdisc" => format!("qdisc dev {dev} handle {}", behind("handle").unwrap()),
        "class" => format!("class dev {dev} classid {}", behind("classid").unwrap()),
        "filter" => {
            let hook = ["ingress", "egress"].into_iter().find(|hook| words.contains(hook));
            format!("filter dev {dev} {}", hook.unwrap_or("root"))
        }
        other => panic!("{other}"),
    };
    let mut found = Vec::new();
    let (mut of, mut selector) = (object.clone(), false);
    for (at, word) in words.iter().enumerate().skip(1) {
        match *word {
            "u32" | "fw" => selector = true,
            "action" | "flowid" => selector = false,
            _ => {}
        }
        // `parent` names the root of a filter, and `handle` the mark that fw matches
        let place = object.starts_with("filter") && ["parent", "handle"].contains(&words[at - 1]);
        // the mask covers all bits of the DSCP and none of ECN
        let retained = words[at - 1] == "retain";
        if *word == "police" {
            let index = words[at..].iter().position(|own| *own == "index").unwrap();
            of = format!("{object} police {}", words[at + index + 1]);
        }
        if is_number(word) && !selector && !place && !retained && words[at - 1] != "dev" {
            found.push((of.clone(), words[at - 1].to_owned(), (*word).to_owned()));
            if words[at - 1] == "index" {
                of = object.clone();
            }
        }
    }
    found
}

/// True if a row shows the value that the kernel gets.
fn agrees(row: &ExplanationRow, place: &Place) -> bool {
    let says = |text: &str| {
        if let Some(bits) = place.value.strip_suffix("bit") {
            return text.parse::<Rate>().is_ok_and(|rate| rate.bps().to_string() == bits);
        }
        if let Some(us) = place.value.strip_suffix("us") {
            return text.parse::<Micros>().is_ok_and(|time| time.us().to_string() == us);
        }
        if let Some((value, mask)) = place.value.split_once('/').filter(|_| place.word == "mark") {
            return value == mask && text == value;
        }
        if place.word == "set" && place.value.starts_with("0x") {
            let dscp = text.parse::<Dscp>().map(|dscp| dscp.bits()).unwrap_or_default();
            return place.value == format!("{:#04x}", u32::from(dscp) << 2);
        }
        let same =
            text == place.value || text.parse::<Bytes>().is_ok_and(|n| n.get().to_string() == place.value);
        // a class and the handle of its queue have the same number
        same || text.strip_prefix("c05:").is_some_and(|id| format!("{id}:") == place.value)
    };
    if let (Some((first, last)), Ok(pref)) = (row.value.split_once(" to "), place.value.parse::<u32>()) {
        return (first.parse::<u32>().unwrap()..=last.parse::<u32>().unwrap()).contains(&pref);
    }
    if let (Some(on), false) = (place.on, row.parts.is_empty()) {
        return row.parts.iter().any(|part| part.what == on && says(&part.value));
    }
    let tin = || {
        place.value.strip_prefix("c05:").is_some_and(|n| row_formula(row).contains(&format!("tin {n} of")))
    };
    says(&row.value) || tin() || place.value.is_empty()
}

fn row_formula(row: &ExplanationRow) -> &str {
    match &row.from {
        super::Whence::Derived { formula } => formula,
        _ => "",
    }
}

fn all_numbers_are_explained(name: &str, program: &Program, found: &Explanation) {
    let mut wrong = Vec::new();
    let by_row = places(program);
    let mut places: BTreeMap<Number, Vec<&Place>> = BTreeMap::new();
    for row in found.sections.iter().flat_map(|section| &section.rows) {
        for own in by_row.get(&row.id).into_iter().flatten() {
            if !agrees(row, own) {
                wrong.push(format!("{own:?} is not what {} says, {}", row.id, row.value));
            }
            places.entry((own.object.clone(), own.word.clone(), own.value.clone())).or_default().push(own);
        }
    }
    for (header, device) in super::line::DEVICES {
        for split_in_leaves in [false, true] {
            let text = batch(program, Facts { header, split_in_leaves }, "home.yaml");
            for number in text.lines().flat_map(numbers) {
                let there = places.get(&number).into_iter().flatten().any(|place| {
                    place.on.is_none_or(|on| on == device || split_in_leaves && on.starts_with("aggregates"))
                });
                if !there {
                    wrong.push(format!("on {device} nothing explains {number:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
}

#[test]
fn every_number_in_a_tc_line_equals_a_row() {
    let all = configurations();
    assert!(all.len() > 20);
    for (name, text) in all {
        let (model, program) = made(&text);
        let found = explain(&model, &program, None);
        all_numbers_are_explained(&name, &program, &found);
    }
}

#[test]
fn the_filter_rows_count_every_filter() {
    for (name, text) in configurations() {
        let (model, program) = made(&text);
        let found = explain(&model, &program, None);
        let places = places(&program);
        let filters = found.sections.iter().find(|own| own.title.starts_with("filters"));
        let rows =
            filters.iter().flat_map(|section| &section.rows).filter(|row| !places.contains_key(&row.id));
        let sum: usize = rows.map(|row| row.value.parse::<usize>().unwrap()).sum();
        assert_eq!(sum, program.filters.len(), "{name}");
    }
}

#[test]
fn every_setting_and_every_lookup_has_a_row() {
    for (name, text) in configurations() {
        let (model, program) = made(&text);
        let found = explain(&model, &program, None);
        let places = places(&program);
        let has_row = |word: &str, value: &str| {
            let rows = found.sections.iter().flat_map(|section| &section.rows);
            let mut all = rows.filter_map(|row| places.get(&row.id)).flatten();
            assert!(all.any(|own| own.word == word && own.value == value), "{name}: {word} {value}");
        };
        for setting in &program.settings.sysctls {
            has_row(setting.path, &setting.value);
        }
        if let Some(length) = program.settings.txqueuelen {
            has_row("txqueuelen", &length.to_string());
        }
        for marks in program.marks.iter() {
            has_row("mask", &format!("{:#010x}", marks.mask));
        }
        for tunnel in &program.decrypted {
            tunnel.tags(14).into_iter().for_each(|tags| has_row("vlan push", &tags.to_string()));
        }
    }
}

#[test]
fn kernel_cases_that_explain_omits_cannot_happen() {
    for (name, text) in configurations() {
        let (_, program) = made(&text);
        for (header, _) in super::line::DEVICES {
            let text = batch(&program, Facts { header, split_in_leaves: false }, "home.yaml");
            let lines: Vec<&str> = text.lines().map(|line| line.split(" # ").next().unwrap()).collect();
            // each class has its own quantum, and none is so small or large that HTB would warn of it
            for class in lines.iter().filter(|line| line.starts_with("class")) {
                let quantum = class.split_once(" quantum ").unwrap().1.split(' ').next().unwrap();
                assert!((1000..1 << 31).contains(&quantum.parse::<u64>().unwrap()), "{name}: {class}");
            }
            // no queue rehashes its flows or reads the old TOS bits, and every leaf class has a queue of ours
            for kind in ["sfq", "perturb", "pfifo_fast", "prio bands", "stochastic"] {
                assert!(!lines.iter().any(|line| line.split(' ').any(|word| word == kind)), "{name}: {kind}");
            }
            let parents = |line: &&str| {
                line.split_once(" parent ").map(|(_, rest)| rest.split(' ').next().unwrap().to_owned())
            };
            let of = |dev: &str, object: &str| {
                let start = format!(" dev {dev} ");
                let own = lines.iter().filter(|line| line.starts_with(object) && line.contains(&start));
                own.copied().collect::<Vec<&str>>()
            };
            for dev in [program.wan.as_str(), program.ifb.as_str()] {
                let inner: Vec<String> = of(dev, "class").iter().filter_map(parents).collect();
                let queued: Vec<String> = of(dev, "qdisc").iter().filter_map(parents).collect();
                for class in of(dev, "class") {
                    let id = class.split_once(" classid ").unwrap().1.split(' ').next().unwrap().to_owned();
                    assert!(inner.contains(&id) != queued.contains(&id), "{name}: {class}");
                }
            }
            // DSCP matches and writes use the six bits of the DSCP alone
            for line in lines.iter().filter(|line| line.contains(" dsfield ")) {
                assert!(line.contains(" 0xfc"), "{name}: {line}");
            }
            // if a size table takes bytes off, the classes add none
            let stab = lines.iter().any(|line| line.contains(" stab overhead -"));
            let adds = |line: &&&str| line.starts_with("class") && !line.contains(" overhead 0 ");
            assert!(!stab || !lines.iter().any(|line| adds(&line)), "{name}");
            assert!(
                !lines
                    .iter()
                    .any(|line| line.contains(" stab overhead ") && !line.contains(" stab overhead -"))
            );
        }
    }
}
