//! The words with which `check` tells what others have changed.

use crate::counters;
use crate::house::House;
use qosc_compiler::tc::Dev;

fn house(ceiling: &str) -> House {
    let yaml = format!(
        "name: home\n\
         link: {{ device: eth0, profile: docsis, up: 20mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: true }}\n\
         hosts: {{ desk: {{ address: 192.168.1.10 }} }}\n\
         classes:\n\
         \x20 voice: {{ priority: 0, guarantee: 10%, match: [{{ dscp: ef }}, {{ protocol: udp, remote_port: 5000-5013 }}] }}\n\
         \x20 desk: {{ match: [{{ host: desk }}], ceiling: {ceiling} }}\n\
         \x20 rest: {{ default: true }}\n\
         police:\n\
         \x20 guests: {{ direction: down, match: [{{ remote: 10.9.0.0/16 }}], rate: 1mbit }}\n\
         tuning: {{ txqueuelen: 500, tcp: {{ rtt: 40ms }} }}\n"
    );
    House::of("home", yaml.into_bytes()).with_calls()
}

/// What was changed, and the first line of `check`.
const CHANGES: [(&str, &str); 24] = [
    ("root", "the tree of uploads on eth0 is gone; `start` mends that"),
    ("cake", "the tree of uploads on eth0 is gone: others put cake at the root; `start` mends that"),
    (
        "htb",
        "the tree of uploads on eth0 is gone: others put htb at the root; `start --take-over` mends that",
    ),
    ("ifb", "ifb-home is gone; `start` mends that"),
    ("down", "ifb-home is down; `start` mends that"),
    ("redirect", "the redirect of downloads on eth0 is gone (1 of 3 differences); `start` mends that"),
    ("hook", "the redirect of downloads on eth0 is gone; `start` mends that"),
    ("entry", "the entry of uploads on eth0 is gone; `start` mends that"),
    ("marks", "the table of marks is gone; `start` mends that"),
    ("rule", "the table of marks was changed; `start` mends that"),
    ("setting", "sysctl net/ipv4/tcp_wmem was changed; `start` mends that"),
    ("queue-length", "txqueuelen was changed; `start` mends that"),
    ("gro", "offload gro of eth0 is on; `start` mends that"),
    ("class", "class voice (home.yaml:6) on eth0 was changed; `start` mends that"),
    ("queue", "queue of voice (home.yaml:6) on eth0 was changed; `start` mends that"),
    ("added", "class c05:1f on eth0 was added by others; `start` mends that"),
    ("filter", "filter to voice (home.yaml:6) on eth0 was added by others; `start` mends that"),
    (
        "filters",
        "filter voice: dscp ef (home.yaml:6) on eth0 is gone (1 of 5 differences); `start` mends that",
    ),
    ("police", "filter guests: remote 10.9.0.0/16 (home.yaml:10) on eth0 is gone; `start` mends that"),
    ("head", "the order of objects was changed, or a list without filters; `start` mends that"),
    ("pfifo", "the tree of downloads on ifb-home is gone: others put pfifo at the root; `start` mends that"),
    ("second", "the redirect of downloads on eth0 is gone (1 of 3 differences); `start` mends that"),
    ("several", "the tree of uploads on eth0 is gone (1 of 3 differences); `start` mends that"),
    ("other", "the script, its device or ethtool was changed; `start` mends that"),
];

/// The second line of `check`, for some of the changes.
const DETAILS: [(&str, &str); 6] = [
    ("ifb", "ifb-home: gone"),
    ("setting", "sysctl net/ipv4/tcp_wmem: was: 4096 16384 190000   is: 4096 5000 6000"),
    ("queue-length", "txqueuelen: was: 500   is: 77"),
    ("gro", "offload gro of eth0: new: on"),
    (
        "class",
        "class voice (home.yaml:6) on eth0: was: rate 1900Kbit ceil 19Mbit burst 1517b/1 cburst 2375b/1   \
         is: rate 3Mbit ceil 4Mbit burst 1521b/1 cburst 2374b/1",
    ),
    ("queue", "queue of voice (home.yaml:6) on eth0: was: limit 1000p   is: limit 77p"),
];

#[test]
fn check_says_in_words_what_others_have_changed() {
    let (home, other) = (house("50%"), house("40%"));
    let voice = counters::class(&home.program, Dev::Wan, "voice").id.to_string();
    let guest = home.guest("check-words").variable("VOICE", voice.trim_start_matches("c05:a"));
    let Some(report) = guest.file("other.sh", other.script.as_str()).run("check_words.sh") else { return };
    for shell in ["dash", "busybox"] {
        let lines = |step: &str| -> Vec<String> {
            report.out(&format!("{shell}/{step}")).lines().map(str::to_owned).collect()
        };
        for (step, words) in CHANGES {
            report.expect_code(&format!("{shell}/{step}"), 1);
            assert_eq!(lines(step)[0], format!("home: drifted: {words}"), "{shell} {step}");
            assert!(lines(step).len() <= 20, "{}", report.about(&format!("{shell}/{step}")));
        }
        for (step, words) in DETAILS {
            assert_eq!(lines(step)[1], format!("  {words}"), "{shell} {step}");
        }
        let gone = lines("filters");
        let words = "  filter desk: host desk (home.yaml:7) on eth0: gone: filter protocol ip pref 10 u32 ";
        assert!(gone.len() == 6 && gone[5].starts_with(words), "{gone:?}");

        // What is below the tree is counted, and listed with `-v`.
        let short = lines("short");
        assert_eq!(short[2..], ["  and 19 more: `check -v` lists them".to_owned()], "{shell}");
        assert_eq!(lines("verbose").len(), 21, "{}", report.about(&format!("{shell}/verbose")));
        assert_eq!(lines("verbose"), lines("long"));
        assert_eq!(lines("status")[0], short[0]);

        let lost = "home: drifted: there is no record of what start made; `start` makes a new tree";
        assert_eq!(lines("lost"), [lost], "{shell}");
        report.expect_code(&format!("{shell}/stop"), 0);
    }
    // Each call needs root and says so. That is no drift.
    for step in ["start", "stop", "restart", "try", "confirm", "rate", "status", "check", "print", "dump"] {
        let said = report.text(&format!("out/user/{step}.err"));
        assert_eq!(said, "home: error: run this as root, such as with sudo\n", "{step}");
        report.expect_code(&format!("user/{step}"), 1);
    }
    report.expect_code("user/check-root", 0);
    // If `check` cannot look, it does not say that anything drifted.
    report.expect_code("blind/check", 1);
    assert_eq!(report.out("blind/check"), "");
    let said = report.text("out/blind/check.err");
    let words =
        "home: error: so nobody can tell whether it drifted: exit code 1 only means that this call failed\n";
    assert!(said.starts_with("home: error: tc does not show all of eth0") && said.ends_with(words), "{said}");
}
