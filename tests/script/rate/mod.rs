//! The script's `rate`: its numbers for other line rates are those of the YAML compiled with these rates.
//!
//! No kernel is involved: the functions of a compiled script run under every shell and awk that is installed.

#![cfg(test)]

mod random;
mod text;

use crate::tools;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use qosc_compiler::compile::Options;
use qosc_compiler::model::{Amount, Direction, Model};
use qosc_compiler::tc::{Decrypted, Program};
use random::{configuration, rate};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// The shells, each with its awk. Those that are not installed everywhere come last.
const SHELLS: [(&[&str], &str); 4] = [
    (&["dash"], "mawk"),
    (&["busybox", "ash"], "busybox awk"),
    (&["bash"], "gawk"),
    (&["dash"], "original-awk"),
];

/// Line rates for uploads and downloads in bit/s.
type Rates = (u64, u64);

/// A configuration that compiles.
struct Compiled {
    model: Model,
    program: Program,
    /// All functions of the script, without the code that runs when it is called.
    functions: String,
}

/// Compiles a text with the call `rate`; `None` if it has errors.
fn compiled(stem: &str, yaml: &[u8]) -> Option<Compiled> {
    let has_calls = yaml.windows(8).any(|bytes| bytes == b"\nscript:");
    let more: &[u8] = if has_calls { b"" } else { b"\nscript: { calls: [rate] }\n" };
    let yaml = [yaml, more].concat();
    let compiled = qosc_compiler::compile(&yaml, &Options::of(format!("{stem}.yaml")));
    let text = compiled.script()?;
    let (model, program) = compiled.into_finished()?;
    let (functions, _) =
        text.split_once("\n# A shell parses this line").expect("where the script begins to run");
    Some(Compiled { model, program, functions: functions.to_owned() })
}

/// Returns the same text with other line rates, or other shaped rates if it gives these.
fn at(yaml: &[u8], model: &Model, (up, down): Rates) -> Vec<u8> {
    let mut places: Vec<_> = [(Direction::Up, up), (Direction::Down, down)]
        .into_iter()
        .map(|(direction, rate)| (model.link.shaped.get(direction).span().expect("a given rate"), rate))
        .collect();
    places.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = yaml.to_vec();
    for (span, rate) in places {
        text.splice(span.start..span.end, format!("{rate}bit").into_bytes());
    }
    text
}

/// Returns true if both models agree in the values that `rate` does not compute.
fn same_but_for_rates(one: &Model, other: &Model) -> bool {
    let (a, b) = (&one.link, &other.link);
    let split = |model: &Model| (model.tuning.split.up.value, model.tuning.split.down.value);
    a.profile.value == b.profile.value && split(one) == split(other)
}

/// The output of a shell that has read these functions.
fn said(shell: &[&str], functions: &str, then: &str) -> String {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("functions.sh");
    std::fs::write(&file, format!("{functions}\ntrap - EXIT\n{then}")).expect("written");
    let run = Command::new(shell[0]).args(&shell[1..]).arg(&file).output().expect("a shell");
    assert!(run.stderr.is_empty(), "{shell:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).expect("text")
}

/// The lines of the desired state at these rates, for this kind of leaves. `None` stands for the file's own rates.
fn described(compiled: &Compiled, shell: usize, leaves: &str, rates: &[Option<Rates>]) -> Vec<String> {
    described_by(compiled, SHELLS[shell], leaves, rates)
}

/// The same lines by this shell and this awk.
fn described_by(
    compiled: &Compiled,
    (shell, awk): (&[&str], &str),
    leaves: &str,
    rates: &[Option<Rates>],
) -> Vec<String> {
    let tunnel = |tunnel: &Decrypted| format!("tunnel {} 7 51820\n", tunnel.device);
    let tunnels: String = compiled.program.decrypted.iter().map(tunnel).collect();
    let mut then = format!(
        "awk() {{ {awk} \"$@\"; }}\nwg() {{ :; }}\n\
         overhead=30 ingress_overhead=22 cake_overhead=22 cake_leaf_overhead=22 stab='' leaves={leaves} header=14\n\
         ethtool=yes ifindex=2 boot=b take_over=no given='' anew=''\n\
         lines() {{ {{ printf '== tunnels\\n%s' '{tunnels}'; description; }} | engine described; }}\n"
    );
    for rates in rates {
        let _ = match rates {
            None => writeln!(then, "rate_up='' rate_down=''\nlines"),
            Some((up, down)) => writeln!(then, "rate_up={up} rate_down={down}\nlines"),
        };
        then += "echo ==\n";
    }
    let said = said(shell, &compiled.functions, &then);
    said.split_terminator("==\n").map(str::to_owned).collect()
}

/// The indexes of the installed pairs of shell and awk. The first two are installed everywhere.
fn shells() -> Vec<usize> {
    (0..SHELLS.len()).filter(|shell| *shell < 2 || tools::program(SHELLS[*shell].1).is_some()).collect()
}

/// The lines without the indexes of police. Checks that each index stands for one police only.
fn without_numbers(lines: &str, meaning: &mut BTreeMap<String, String>) -> String {
    let mut out = String::new();
    for line in lines.lines() {
        let (words, name) = line.split_once(" # ").unwrap_or((line, ""));
        let mut parts = words.split(" action police ");
        out += parts.next().unwrap_or_default();
        for part in parts {
            let (options, rest) = part.split_once(" index ").expect("every police has a number");
            let (number, rest) = rest.split_once(' ').unwrap_or((rest, ""));
            let is = number.parse::<u32>().expect("a number");
            assert!(is % 2 == 1 && is < 1 << 31, "{line}");
            let known = meaning.entry(number.to_owned()).or_insert_with(|| options.to_owned());
            assert_eq!(known, options, "number {number} stands for two things");
            let _ = write!(out, " action police {options} {rest}");
        }
        let _ = writeln!(out, " # {name}");
    }
    out
}

/// Compares the numbers at all of these rates. Returns at how many of them the YAML compiles.
fn agree(stem: &str, yaml: &[u8], rates: &[Rates], shells: &[usize]) -> usize {
    let Some(own) = compiled(stem, yaml) else { return 0 };
    let others: Vec<(Rates, Compiled)> = rates
        .iter()
        .filter_map(|rates| Some((*rates, compiled(stem, &at(yaml, &own.model, *rates))?)))
        .filter(|(_, other)| same_but_for_rates(&own.model, &other.model))
        .collect();
    let [up, down] = Direction::BOTH.map(|direction| {
        let link = &own.model.link;
        let shaped = link.shaped.get(direction);
        if shaped.is_given() { shaped.value.bps() } else { link.line.get(direction).value.bps() }
    });
    let mut asked = vec![None, Some((up, down))];
    asked.extend(others.iter().map(|(rates, _)| Some(*rates)));
    let splits = own.program.qdiscs.iter().any(|qdisc| qdisc.instead.is_some());
    for leaves in if splits { &["whole", "splitting"][..] } else { &["whole"] } {
        let wanted: Vec<String> =
            others.iter().map(|(_, other)| described(other, 0, leaves, &[None]).remove(0)).collect();
        for shell in shells {
            let found = described(&own, *shell, leaves, &asked);
            assert_eq!(found[1], found[0], "{stem}: not even at its own rates");
            let mut meaning = BTreeMap::new();
            without_numbers(&found[0], &mut meaning);
            for (((rates, _), wanted), found) in others.iter().zip(&wanted).zip(&found[2..]) {
                assert_eq!(
                    without_numbers(found, &mut meaning),
                    without_numbers(wanted, &mut BTreeMap::new()),
                    "{stem} at {rates:?} under {:?}\n{}",
                    SHELLS[*shell],
                    String::from_utf8_lossy(yaml)
                );
            }
        }
    }
    others.len()
}

fn files() -> Vec<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let list =
        |dir: &str| std::fs::read_dir(root.join(dir)).expect("a folder").map(|e| e.expect("an entry").path());
    let cases = list("tests/cases").map(|dir| dir.join("home.yaml"));
    let mut files: Vec<_> = list("examples").chain(cases).collect();
    files.sort();
    files
}

#[test]
fn scaling_equals_compiling_for_every_example_and_case() {
    if !tools::found(&["dash", "busybox"]) {
        return;
    }
    let mut tried = 0;
    for file in files() {
        let yaml = std::fs::read(&file).expect("a configuration");
        let rates = [
            (128_000, 1_024_000),
            (700_001, 3_333_333),
            (3_456_789, 12_345_678),
            (9_999_999, 101_010_101),
            (40_000_000, 250_000_000),
            (123_456_789, 999_999_999),
            (2_500_000_000, 10_000_000_007),
            (39_999_999_999, 40_000_000_000),
            (999_999_999_999, 1_000_000_000_000),
        ];
        let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
        tried += agree(&stem, &yaml, &rates, &shells());
    }
    assert!(tried >= 80, "only {tried} pairs of file and rates compile");
}

#[test]
fn scaling_gives_the_same_numbers_with_32_bits() {
    if !tools::found(&["mipsel-busybox", "qemu-mipsel-static", "busybox"]) {
        return;
    }
    let busybox = tools::kept("mipsel-busybox/busybox");
    let awk = format!("qemu-mipsel-static '{}' awk", busybox.display());
    let rates = [
        (128_000, 1_024_000),
        (6_500_000, 25_000_000),
        (123_456_789, 999_999_999),
        (2_500_000_000, 10_000_000_007),
        (999_999_999_999, 1_000_000_000_000),
    ];
    for name in ["examples/vdsl2-home.yaml", "examples/tenants.yaml", "tests/cases/every-police/home.yaml"] {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        let own = compiled("home", &std::fs::read(file).expect("a configuration")).expect("a script");
        let rates: Vec<_> = rates.iter().copied().map(Some).collect();
        let under = |awk: &str| described_by(&own, (SHELLS[1].0, awk), "whole", &rates);
        let (here, there) = (under(SHELLS[1].1), under(&awk));
        assert_eq!(here.len(), rates.len(), "{name}");
        for (rates, (here, there)) in rates.iter().zip(here.iter().zip(&there)) {
            assert!(here.contains("rate "), "{here}");
            assert_eq!(here, there, "{name} at {rates:?}");
        }
    }
}

/// A random configuration without errors.
fn that_compiles() -> impl Strategy<Value = String> {
    configuration().prop_filter("has errors", |yaml| compiled("random", yaml.as_bytes()).is_some())
}

#[test]
fn scaling_equals_compiling_for_random_trees() {
    if !tools::found(&["dash", "busybox"]) {
        return;
    }
    let cases = std::env::var("PROPTEST_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(16);
    let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
    let (tried, shells) = (std::cell::Cell::new(0), shells());
    let rates = prop::collection::vec((rate(200_000), rate(200_000)), 6);
    let judged = runner.run(&(that_compiles(), rates), |(yaml, rates)| {
        tried.set(tried.get() + agree("random", yaml.as_bytes(), &rates, &shells));
        Ok(())
    });
    judged.expect("the same numbers");
    assert!(tried.get() >= cases as usize, "only {} of {cases} x 6 pairs compile", tried.get());
}

/// The number after a word.
fn number(line: &str, word: &str) -> u64 {
    let mut words = line.split_whitespace().skip_while(|w| *w != word);
    let number = words.nth(1).unwrap_or_else(|| panic!("no {word} in {line}"));
    number.trim_end_matches("bit").parse().unwrap_or_else(|_| panic!("{word} in {line}"))
}

/// The classes that only borrow, as device and id.
fn borrowing(compiled: &Compiled) -> BTreeSet<(&'static str, String)> {
    let scale = &compiled.program.scale;
    let mut found = BTreeSet::new();
    for (dev, scale) in [("@wan", &scale.up), ("@ifb", &scale.down)] {
        for class in &scale.classes {
            let own = class.guarantee.is_some_and(Amount::is_nothing);
            if own || found.contains(&(dev, class.parent.to_string())) {
                found.insert((dev, class.id.to_string()));
            }
        }
    }
    found
}

/// Checks conditions that hold at any rates, even if the YAML does not compile with them.
fn fits(lines: &str, borrowing: &BTreeSet<(&'static str, String)>) {
    let mut held: BTreeMap<(String, String), (u64, u64)> = BTreeMap::new();
    let mut children: BTreeMap<(String, String), Vec<u64>> = BTreeMap::new();
    for police in
        lines.lines().filter_map(|line| line.split_once(" action police ")).map(|(_, police)| police)
    {
        let (rate, burst) = (number(police, "rate"), number(police, "burst"));
        // The steps of 64 ns that tc sends: of whole bytes per second, then of whole microseconds.
        let steps = u128::from(burst) * 1_000_000 / u128::from(rate / 8) * 125 / 8;
        assert!(steps > 0 && u32::try_from(steps).is_ok(), "{police}");
    }
    for line in lines.lines().filter(|line| line.starts_with("class ")) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (dev, parent, id) = (words[3], words[5], words[7]);
        let (rate, ceiling) = (number(line, "rate"), number(line, "ceil"));
        assert!(ceiling >= 8_000, "{line}");
        if borrowing.iter().any(|(of, borrower)| *of == dev && borrower == id) {
            assert_eq!(rate, 100, "{line}");
            held.insert((dev.to_owned(), id.to_owned()), (rate, ceiling));
            continue;
        }
        // A host without a guarantee only borrows.
        let name = line.split_once('#').and_then(|(_, name)| name.split(" (").next()).unwrap_or_default();
        let least = if name.contains('/') { 100 } else { 8_000 };
        assert!(rate >= least && rate <= ceiling, "{line}");
        if let Some((_, most)) = held.get(&(dev.to_owned(), parent.to_owned())) {
            assert!(ceiling <= *most, "{line}");
        }
        children.entry((dev.to_owned(), parent.to_owned())).or_default().push(rate);
        held.insert((dev.to_owned(), id.to_owned()), (rate, ceiling));
    }
    for (parent, rates) in children {
        let Some((whole, _)) = held.get(&parent) else { continue };
        let least = 8_000 * rates.len() as u64;
        assert!(rates.iter().sum::<u64>() <= (*whole).max(least), "{parent:?}\n{lines}");
    }
}

#[test]
fn rates_that_do_not_compile_are_scaled_to_fit() {
    if !tools::found(&["dash", "busybox"]) {
        return;
    }
    let mut runner = TestRunner::new(Config { cases: 32, failure_persistence: None, ..Config::default() });
    let (refused, shells) = (std::cell::Cell::new(0), shells());
    let rates = prop::collection::vec((1u64..1_000_000, rate(1)), 6);
    let judged = runner.run(&(that_compiles(), rates), |(yaml, rates)| {
        let Some(own) = compiled("random", yaml.as_bytes()) else { return Ok(()) };
        let asked: Vec<Option<Rates>> = rates.iter().map(|rates| Some(*rates)).collect();
        let first = described(&own, shells[0], "whole", &asked);
        let borrowing = borrowing(&own);
        first.iter().for_each(|lines| fits(lines, &borrowing));
        for shell in &shells[1..] {
            prop_assert_eq!(&described(&own, *shell, "whole", &asked), &first);
        }
        let compiles = |rates: &Rates| compiled("random", &at(yaml.as_bytes(), &own.model, *rates)).is_some();
        refused.set(refused.get() + rates.iter().filter(|rates| !compiles(rates)).count());
        Ok(())
    });
    judged.expect("everything fits");
    assert!(refused.get() > 10, "only {} would be refused", refused.get());
}

/// Compares with guarantees computed by hand, for classes whose parent has too little.
#[test]
fn excessive_guarantees_shrink_in_proportion() {
    let yaml = "link: { device: eth0, profile: ethernet, margin: 0%, up: 10mbit, down: 10mbit }\nclasses:\n  \
        voice: { guarantee: 1mbit, ceiling: 2mbit }\n  work: { guarantee: 3mbit }\n  rest: { default: true }\n";
    let own = compiled("own", yaml.as_bytes()).expect("it compiles");
    let lines = described(&own, 0, "whole", &[Some((1_000_000, 20_000))]).remove(0);
    let of = |name: &str, dev: &str| {
        let line = lines
            .lines()
            .find(|l| l.starts_with("class ") && l.contains(dev) && l.contains(&format!("# {name} (")));
        let line = line.expect("the class");
        (number(line, "rate"), number(line, "ceil"))
    };
    // First, no class has more than 1 mbit. Each class then gets 8 kbit, including `rest`. The other two share what is
    // left.
    assert_eq!(of("voice", "@wan"), (8_000 + (1_000_000 - 24_000) / 2, 1_000_000));
    assert_eq!(of("work", "@wan"), (8_000 + (1_000_000 - 24_000) / 2, 1_000_000));
    assert_eq!(of("rest", "@wan"), (8_000, 1_000_000));
    // The rate is less than three times 8 kbit, but each class has these anyway.
    for name in ["voice", "work", "rest"] {
        assert_eq!(of(name, "@ifb"), (8_000, 20_000));
    }
}

/// `0%` is 100 bit/s at all line rates and takes nothing from its siblings. The same holds for all classes inside.
#[test]
fn classes_that_only_borrow_do_so_at_all_rates() {
    if !tools::found(&["dash", "busybox"]) {
        return;
    }
    let yaml = "link: { device: eth0, profile: ethernet, margin: 0%, up: 10mbit, down: 10mbit }\nclasses:\n  \
        voice: { guarantee: 20% }\n  rest: { default: true, guarantee: 80% }\n  \
        bulk: { guarantee: 0%, classes: { one: {}, two: { guarantee: 0%, ceiling: 50% } } }\n  \
        half: { guarantee: { up: 0%, down: 0% }, ceiling: 1mbit }\n";
    let own = compiled("own", yaml.as_bytes()).expect("it compiles");
    let rates = [(10_000_000, 10_000_000), (1_000_000, 200_000), (9_000, 10_000)];
    let asked: Vec<Option<Rates>> = rates.iter().map(|rates| Some(*rates)).collect();
    for shell in shells() {
        for ((up, _), lines) in rates.iter().zip(described(&own, shell, "whole", &asked)) {
            let of = |name: &str| {
                let line = lines.lines().find(|l| {
                    l.starts_with("class ") && l.contains(" @wan ") && l.contains(&format!("# {name} ("))
                });
                line.map(|line| (number(line, "rate"), number(line, "ceil"))).expect("the class")
            };
            for (name, ceiling) in
                [("bulk", *up), ("one", *up), ("two", (up / 2).max(8_000)), ("half", (*up).min(1_000_000))]
            {
                assert_eq!(of(name), (100, ceiling), "{name} at {up}");
            }
            let voice = (up / 5).max(8_000);
            assert!(of("voice").0 == voice || *up < 16_000, "{:?}", of("voice"));
        }
    }
}

/// If the guarantees of hosts exceed that of their class, they shrink in proportion, as those of classes do. All other
/// hosts count as seven here, but keep only the minimum of each.
#[test]
fn excessive_host_guarantees_shrink_in_proportion() {
    let yaml = "link: { device: eth0, profile: ethernet, margin: 0%, up: 10mbit, down: 10mbit }\nlan: { nat: false }\n\
        hosts:\n  a: { address: 10.0.0.1, guarantee: 3mbit }\n  b: { address: 10.0.0.2, guarantee: 1mbit }\n";
    let yaml = format!("{yaml}classes: {{ rest: {{ default: true }} }}\n");
    let own = compiled("own", yaml.as_bytes()).expect("it compiles");
    let lines = described(&own, 0, "whole", &[Some((1_000_000, 10_000_000))]).remove(0);
    let of = |name: &str| {
        let line = lines
            .lines()
            .find(|l| l.starts_with("class ") && l.contains(" @wan ") && l.contains(&format!("# {name} (")));
        number(line.expect("the class"), "rate")
    };
    // First, no host has more than 1 mbit. The other hosts keep 100 bit/s for each of seven parts, and the two share
    // what is left.
    let half = 8_000 + (1_000_000 - 700 - 16_000) / 2;
    assert_eq!((of("rest/a"), of("rest/b")), (half, half));
    assert_eq!(of("rest/rest"), 1_000_000 - 2 * half);
}
