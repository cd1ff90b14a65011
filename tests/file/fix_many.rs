//! `check --fix --yes` for files with many findings.

#![cfg(test)]

use crate::fixed::{LINK, file, qosc, said};
use crate::times;

/// A file with this number of equal mistakes, each with the same message.
fn mistakes(number: usize) -> String {
    let port = |n: usize| n % 60_000 + 1;
    let classes: String = (0..number)
        .map(|n| {
            format!("  c{n}: {{ prioritty: 3, match: {{ protocol: tcp, remote_port: {} }} }}\n", port(n))
        })
        .collect();
    format!("{LINK}classes:\n{classes}  rest: {{ default: true }}\n")
}

#[test]
fn one_run_fixes_any_number_of_equal_findings() {
    for number in [200, 201, 2600] {
        let text = mistakes(number);
        let (dir, file) = file(&text);
        let output = qosc(dir.path(), "check --fix --yes home.yaml");
        assert!(said(&output).contains(&format!("fixed: {number} findings in 1 file")), "{}", said(&output));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), text.replace("prioritty", "priority"));
    }
}

/// Classes whose fix alone is an error: a guarantee of 90% does not fit beside the others.
fn conflicts(number: usize) -> String {
    let classes: String = (0..number)
        .map(|n| format!("  c{n}: {{ guarante: 90%, match: {{ protocol: tcp, remote_port: {} }} }}\n", n + 1))
        .collect();
    format!("{LINK}classes:\n{classes}  a: {{ guarantee: 20% }}\n  rest: {{ default: true }}\n")
}

/// The time grows with the size of the file, not with its square. Linear growth gives 400 %, and a quadratic part soon
/// gives 1600 %. Other programs on the machine only ever make a measurement worse.
#[test]
fn fixes_cost_linear_time() {
    // A text with more than 200 findings costs one more compilation, so equal mistakes begin beyond that.
    let texts = [("mistakes", mistakes as fn(usize) -> String, 1200), ("conflicts", conflicts, 150)];
    for (what, text, number) in texts {
        let time = |number| {
            let compiled =
                qosc_compiler::compile(text(number), &qosc_compiler::compile::Options::of("home.yaml"));
            times::timed(|| qosc::fix::fix(&compiled, &qosc_compiler::diag::Levels::default())).1.as_micros()
        };
        if !times::asserted() {
            time(number);
            continue;
        }
        let mut growths = Vec::new();
        while growths.len() < 4 && growths.last().is_none_or(|growth| *growth > 700) {
            let (few, many) = (time(number), time(4 * number));
            growths.push(many * 100 / few.max(1));
        }
        assert!(growths.last().is_some_and(|growth| *growth <= 700), "{what}: {growths:?} %");
    }
}

#[test]
fn a_file_that_takes_most_of_the_budget_is_not_fixed() {
    let text = format!("{}x-list: [{}]\n", mistakes(10), "1,".repeat(700_000));
    let (dir, file) = file(&text);
    let output = qosc(dir.path(), "check --fix --yes home.yaml");
    let words = "home.yaml: 10 more fixes were not tried, because ";
    assert!(said(&output).contains(words), "{}", said(&output));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}

/// Further classes without a mistake.
fn classes(number: usize) -> String {
    (0..number)
        .map(|n| format!("  x{n}: {{ match: {{ protocol: udp, remote_port: {} }} }}\n", n + 1))
        .collect()
}

#[test]
fn fixes_that_cause_errors_take_a_limited_time() {
    // A large file gets few attempts.
    let text = conflicts(30) + &classes(1_000);
    let (dir, file) = file(&text);
    let output = qosc(dir.path(), "check --fix --yes home.yaml");
    let said = said(&output);
    assert!(said.contains("is left to you: it would be an error, Q0401"), "{said}");
    assert!(said.contains(" more fixes were not tried, because "), "{said}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
}
