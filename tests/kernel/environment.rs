//! No variable of the environment changes what a script does, but those that the documents name. And no other user can
//! open what a script keeps, or make a call wait for ever.

use crate::house::House;
use std::collections::BTreeSet;

/// A text that does harm wherever a shell, awk or tc takes it for more than a text.
const HOSTILE: &str = "7; touch /run/hit; $(touch /run/hit) yes";

/// Variables that docs/script.md names, and those with which the shell itself begins.
const KNOWN: [&str; 6] = ["PATH", "QOSC_RUN", "QOSC_MEMORY", "TZ", "IFS", "LC_ALL"];

/// Returns all names that the text of a script sets or reads, so that no new one is forgotten.
fn names(script: &str) -> BTreeSet<&str> {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut names = BTreeSet::new();
    for line in script.lines().filter(|line| line.len() < 500) {
        let has_list = ["read ", "for ", "unset "].iter().any(|word| line.contains(word));
        let (mut rest, mut before) = (line, "");
        while let Some((other, word)) = rest.find(is_word).and_then(|at| rest.split_at_checked(at)) {
            before = if other.is_empty() { before } else { other };
            let end = word.find(|c| !is_word(c)).unwrap_or(word.len());
            let (name, after) = word.split_at_checked(end).unwrap_or((word, ""));
            let is_read = before.ends_with('$') || before.ends_with("${") || before.ends_with("${#");
            if has_list || is_read || after.starts_with('=') {
                names.insert(name);
            }
            (rest, before) = (after, "");
        }
    }
    names.retain(|name| !name.starts_with(|c: char| c.is_ascii_digit()) && !KNOWN.contains(name));
    names
}

fn hostile(scripts: &[&str]) -> String {
    let names: BTreeSet<&str> = scripts.iter().flat_map(|script| names(script)).collect();
    for name in
        ["sysctl_list", "uploads_ifb", "new_folder", "most_delay", "switches", "HZ", "tunnels", "words"]
    {
        assert!(names.contains(name), "{name}");
    }
    names.iter().map(|name| format!("export {name}='{HOSTILE}'\n")).collect()
}

/// Returns the lines of a text without the numbers of devices and the addresses that the kernel invents for them.
fn settled(text: &str) -> Vec<&str> {
    let lines = text.lines().filter(|line| !line.contains("link/ether ") && !line.contains("inet6 fe80:"));
    let numbered =
        |line: &'_ str| line.split_once(": ").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    lines
        .map(|line| if numbered(line) { line.split_once(": ").map_or(line, |(_, rest)| rest) } else { line })
        .collect()
}

/// Runs all calls of a script in a clean environment and in one that sets each of its names, and compares them.
fn compare(name: &str, legs: &str, home: &House, other: &House) {
    let scripts = [home.script.as_str(), other.script.as_str()];
    let guest = home.guest(name).file("other.sh", scripts[1]).file("hostile.sh", hostile(&scripts));
    let Some(report) = guest.variable("LEGS", legs).run("environment.sh") else {
        return;
    };
    assert_eq!(report.text("out/hits"), "", "a text of the environment was run");
    for shell in legs.split(' ') {
        for (step, code) in report.text("out/steps").lines().filter_map(|line| line.split_once(' ')) {
            let of = |kind: &str, suffix: &str| report.text(&format!("out/{shell}-{kind}/{step}.{suffix}"));
            assert_eq!(of("clean", "code").trim(), code, "{shell} {step}: {}", of("clean", "err"));
            for suffix in ["code", "out", "err"] {
                // Counters and numbers of devices differ between two runs in any environment.
                let plain = |kind: &str| {
                    settled(&of(kind, suffix)).join("\n").replace(|c: char| c.is_ascii_digit(), "")
                };
                assert_eq!(plain("clean"), plain("hostile"), "{shell} {step}.{suffix}");
            }
        }
        for state in ["started", "rated", "tried", "after"] {
            let of = |kind: &str| report.text(&format!("out/{shell}-{kind}/{state}.state"));
            assert_eq!(settled(&of("clean")), settled(&of("hostile")), "{shell} {state}");
        }
    }
}

fn house(name: &str, link: &str, rest: &str) -> House {
    let yaml = format!(
        "name: {name}\nlink: {{ device: eth0, up: 10mbit, down: 50mbit, {link} }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: true }}\n{rest}"
    );
    House::of(name, yaml.into_bytes()).with_calls()
}

/// A script that leaves out whatever it can.
#[test]
fn the_environment_sets_nothing_that_a_small_file_leaves_out() {
    let classes = "classes: { rest: { default: true, share: per-flow } }\n";
    let home = house("small", "profile: docsis", classes);
    let other = house(
        "small",
        "profile: docsis",
        "classes: { a: { match: [{ dscp: ef }] }, rest: { default: true } }\n",
    );
    compare("environment-small", "dash bash busybox", &home, &other);
}

/// A script with many parts, whose lists are longer than a variable of the environment may be.
#[test]
fn the_environment_exports_no_long_text() {
    let classes: String = (1..=100)
        .map(|n| format!("  class-{n}: {{ match: [{{ protocol: tcp, remote_port: {n} }}] }}\n"))
        .collect();
    let rest = format!(
        "hosts: {{ desk: {{ address: 192.168.1.10 }} }}\nclasses:\n  desk: {{ match: [{{ host: desk }}] }}\n\
         {classes}  rest: {{ default: true }}\ntuning: {{ tcp: {{ rtt: 40ms }} }}\n"
    );
    let home = house("long", "profile: docsis", &rest);
    assert!(home.script.len() > 160_000, "{}", home.script.len());
    let other = house("long", "profile: docsis", &rest.replace("remote_port: 77 ", "remote_port: 7777 "));
    compare("environment-long", "dash", &home, &other);
}

/// A script with the parts for a line that varies, for times and for CAKE.
#[test]
fn the_environment_sets_nothing_of_the_parts() {
    let rest = |share: u8| {
        format!(
            "classes:\n  backup: {{ guarantee: {share}%, match: [{{ dscp: cs1 }}] }}\n  rest: {{ default: true }}\n\
             variants:\n  week: {{ when: \"00:00-24:00\", set: {{ classes: {{ backup: {{ ceiling: 30% }} }} }} }}\n"
        )
    };
    let vary = "profile: wireless, vary: { up: [2mbit, 12mbit], down: [10mbit, 80mbit] }";
    let [home, other] = [5, 10].map(|share| house("parts", vary, &rest(share)));
    for part in ["variants", "rate", "follow", "metrics"] {
        assert!(home.script.contains(&format!("# ==== part {part} ")), "{part}");
    }
    compare("environment-parts", "dash busybox", &home, &other);
}

/// Another user can neither open nor lock what a script keeps. A follower that hangs keeps no call waiting for ever.
#[test]
fn nobody_else_opens_the_records_or_makes_a_call_wait() {
    let yaml = |share: &str| {
        format!(
            "name: follow\n\
             link: {{ device: eth0, profile: wireless, vary: {{ up: [2mbit, 12mbit], down: [10mbit, 80mbit] }} }}\n\
             lan: {{ device: br-lan, nat: false }}\nclasses:\n  rest: {{ default: true, share: {share} }}\n"
        )
    };
    let [home, other] = ["per-host", "per-flow"].map(|share| House::of("follow", yaml(share).into_bytes()));
    let Some(report) = home.guest("other-user").file("other.sh", other.script).run("other_user.sh") else {
        return;
    };
    for leg in ["dash", "busybox"] {
        for step in ["start", "try", "undo", "again", "stop", "follow", "lock"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        for step in ["followed", "tried"] {
            let number: usize =
                report.text(&format!("out/{leg}/{step}.number")).trim().parse().expect("a number");
            assert!(number >= 4, "{number} files");
            assert_eq!(report.out(&format!("{leg}/{step}")), "65534\n", "{leg}/{step}");
        }
        report.expect_code(&format!("{leg}/hangs"), 1);
        let said = report.text(&format!("out/{leg}/hangs.err"));
        assert_eq!(said, "follow: error: `follow` does not end: kill its processes\n");
        assert!(report.out(&format!("{leg}/free")).contains("`follow` adapts the rates"), "{leg}");
        assert_eq!(report.out(&format!("{leg}/writers")), "", "a process holds the lock of all links");
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
}
