//! For each damage, a finding points at its line, or the file is still valid.

use super::damage::{Damage, damages};
use super::pipeline::{said, through};
use super::second_reader::agree;
use super::tree::examples;
use qosc_compiler::diag::{Code, Diagnostic};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The examples in the order in which they were added. The position is the seed of an example's damages, so a new
/// example does not change those of the others.
const ARRIVED: [&str; 23] = [
    "adsl-pppoa.yaml",
    "cable.yaml",
    "dslite.yaml",
    "fibre.yaml",
    "guests.yaml",
    "lte.yaml",
    "office-vpn.yaml",
    "server.yaml",
    "smallest.yaml",
    "subnet.yaml",
    "tenants.yaml",
    "vdsl2-home.yaml",
    "vdsl2-vlan.yaml",
    "uk-fttc.yaml",
    "adsl-pppoe.yaml",
    "adsl-modem.yaml",
    "vpn-house.yaml",
    "marks.yaml",
    "guests-mac.yaml",
    "iptv-vlan.yaml",
    "organisations.yaml",
    "night.yaml",
    "guests-each.yaml",
];

/// The least number of damages for every file.
const LEAST: usize = 200;

/// The results for the damages of one kind.
#[derive(Default, Clone, Copy)]
struct Count {
    valid: usize,
    located: usize,
    /// Reported as one of several places that contradict each other.
    among: usize,
    elsewhere: usize,
}

#[test]
fn damage_is_reported_on_its_line_or_is_harmless() {
    let work: Mutex<Vec<(String, String)>> = Mutex::new(examples());
    let counts: Mutex<BTreeMap<&'static str, Count>> = Mutex::default();
    let wrong: Mutex<Vec<String>> = Mutex::default();
    let run = || {
        loop {
            let next = work.lock().unwrap().pop();
            let Some((name, text)) = next else { return };
            let seed = ARRIVED.iter().position(|known| *known == name);
            let seed = seed.unwrap_or_else(|| panic!("add {name} at the end of the list"));
            let all = damages(&text, seed as u64);
            assert!(all.len() >= LEAST, "{name}: {}", all.len());
            for damage in all {
                let said = judge(&damage);
                let mut counts = counts.lock().unwrap();
                let count = counts.entry(damage.kind).or_default();
                match said {
                    Said::Nothing => count.valid += 1,
                    Said::There => count.located += 1,
                    Said::Among => count.among += 1,
                    Said::Elsewhere(what) => {
                        count.elsewhere += 1;
                        wrong.lock().unwrap().push(format!(
                            "{}: {name}: {} (lines {:?})\n{what}",
                            damage.kind, damage.what, damage.lines
                        ));
                    }
                }
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(run))));
    let counts = counts.into_inner().unwrap();
    print(&counts);
    let mut wrong = wrong.into_inner().unwrap();
    wrong.sort();
    assert!(wrong.is_empty(), "{} are told elsewhere:\n{}", wrong.len(), wrong.join("\n"));
}

enum Said {
    Nothing,
    There,
    Among,
    Elsewhere(String),
}

fn judge(damage: &Damage) -> Said {
    let read = through(damage.text.as_bytes());
    for finding in &read.findings {
        assert!(!finding.message.trim().is_empty(), "{}", damage.text);
        assert!(finding.help.iter().all(|help| !help.trim().is_empty()), "{}", damage.text);
        assert!(!finding.labels.is_empty(), "{}", damage.text);
    }
    let at = |line: u32| damage.lines.contains(&line);
    if read.errors().any(|finding| at(finding.labels[0].span.line)) {
        return Said::There;
    }
    // If several values contradict each other, any of them may be the wrong one, so the finding points at each. The
    // same holds for a name and the empty section in which it is missing.
    let contradicts = |finding: &&Diagnostic| {
        matches!(finding.code, Code::GuaranteeAboveParent | Code::TooFewMarkBits | Code::UndefinedName)
    };
    if read.errors().filter(contradicts).any(|finding| finding.labels.iter().any(|label| at(label.span.line)))
    {
        return Said::Among;
    }
    if !read.has_errors() {
        agree(&damage.text);
        Said::Nothing
    } else {
        Said::Elsewhere(said(&read))
    }
}

#[expect(clippy::print_stdout, reason = "figures for people, with --nocapture")]
fn print(counts: &BTreeMap<&'static str, Count>) {
    let mut sum = Count::default();
    let line = |name: &str, c: &Count| {
        println!(
            "{name:22} {:5} still valid {:5} told on the line {:3} among others {:3} elsewhere",
            c.valid, c.located, c.among, c.elsewhere
        );
    };
    for (kind, count) in counts {
        line(kind, count);
        sum.valid += count.valid;
        sum.located += count.located;
        sum.among += count.among;
        sum.elsewhere += count.elsewhere;
    }
    line("all", &sum);
}
