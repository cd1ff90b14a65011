//! Single functions of the script's shell library, without a router, under each shell.

#![cfg(test)]

use crate::runtime;
use crate::tools;
use std::process::Command;

/// The output of a shell that has read a file of the library.
fn library(shell: &[&str], file: &str, then: &str) -> String {
    let text = runtime::source(file);
    let run =
        Command::new(shell[0]).args(&shell[1..]).args(["-c", &format!("{text}\n{then}")]).output().unwrap();
    assert!(run.stderr.is_empty(), "{shell:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

const SHELLS: [&[&str]; 3] = [&["dash"], &["bash"], &["busybox", "ash"]];

/// A root qdisc as tc shows it, and the words with which tc makes it again.
const ROOTS: [(&str, &str); 14] = [
    ("", "default"),
    ("qdisc noqueue 0: root refcnt 2 ", "default"),
    ("qdisc mq 0: root ", "default"),
    ("qdisc pfifo 7: root refcnt 2 limit 77p", "handle 7: pfifo limit 77"),
    ("qdisc bfifo 8001: root refcnt 2 limit 12345b", "handle 8001: bfifo limit 12345"),
    (
        "qdisc pfifo_fast 8002: root refcnt 2 bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1",
        "handle 8002: pfifo_fast",
    ),
    (
        "qdisc fq_codel 8003: root refcnt 2 limit 500p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb drop_batch 64 ",
        "handle 8003: fq_codel limit 500 flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb drop_batch 64 noecn",
    ),
    (
        "qdisc fq_codel 0: root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms interval 100ms memory_limit 32Mb ecn drop_batch 64 ",
        "default",
    ),
    (
        "qdisc sfq 8: root refcnt 2 limit 127p quantum 1514b depth 127 flows 128 divisor 1024 perturb 10sec ",
        "handle 8: sfq quantum 1514 depth 127 divisor 1024 perturb 10",
    ),
    (
        "qdisc tbf 17: root refcnt 2 rate 1Mbit burst 10Kb/1 mpu 0b lat 50ms linklayer ethernet ",
        "handle 17: tbf rate 1Mbit burst 10Kb/1 mpu 0 lat 50ms linklayer ethernet",
    ),
    (
        "qdisc cake 10: root refcnt 2 bandwidth 10Mbit diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 100ms noatm overhead 18 mpu 64 ",
        "handle 10: cake bandwidth 10Mbit diffserv3 triple-isolate nonat nowash no-ack-filter split-gso rtt 100ms noatm overhead 18 mpu 64",
    ),
    (
        "qdisc cake 10: root refcnt 2 bandwidth unlimited diffserv3 triple-isolate split-gso rtt 100ms raw overhead 0 ",
        "handle 10: cake unlimited diffserv3 triple-isolate split-gso rtt 100ms raw overhead 0",
    ),
    (
        "qdisc codel 11: root refcnt 2 limit 500p target 699us ce_threshold 999us interval 200ms ecn ",
        "handle 11: codel limit 500 target 700us ce_threshold 1000us interval 200ms ecn",
    ),
    (
        "qdisc fq 12: root refcnt 2 limit 5000p nopacing bands 3 priomap 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1 weights 589824 196608 65536 quantum 3028b ",
        "handle 12: fq limit 5000 nopacing quantum 3028",
    ),
];

#[test]
fn a_root_qdisc_is_restored_from_the_output_of_tc() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for (shown, words) in ROOTS {
        for shell in SHELLS {
            assert_eq!(root_before(shell, shown), format!("'{words}'"), "{shell:?}");
        }
    }
    let shown = "qdisc pfifo 12: root refcnt 2 limit 77p\n linklayer atm overhead 20 mtu 2047 tsize 512 ";
    let words = "'handle 12: stab linklayer atm overhead 20 mtu 2047 tsize 512 pfifo limit 77'";
    assert_eq!(root_before(SHELLS[0], shown), words);
}

/// The words of tc, in quotes, for a root qdisc that tc shows.
fn root_before(shell: &[&str], shown: &str) -> String {
    let begin = runtime::source("begin.sh");
    let rules = begin.split("engine_rules='").nth(1).and_then(|rest| rest.split('\'').next()).expect("rules");
    let then = format!(
        "has() {{ return 1; }}; engine_rules='{rules}'; state=/nonexistent; printf '== tc\\n%s\\n' '{shown}' | engine facts"
    );
    let facts = library(shell, "look.sh", &then);
    let words = facts.lines().find_map(|line| line.strip_prefix("root_before="));
    words.expect("a fact").to_owned()
}

#[test]
fn an_empty_part_of_the_path_does_not_search_the_current_folder() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    let begin = runtime::source("begin.sh");
    let lines: Vec<&str> = begin.lines().filter(|line| line.contains("PATH")).collect();
    let lines = lines.join("\n");
    for shell in SHELLS {
        for (given, wanted) in [
            ("PATH=", ""),
            ("unset PATH", ""),
            ("PATH=/opt/bin", ":/opt/bin"),
            ("PATH=/opt/bin:/bin", ":/opt/bin:/bin"),
            ("PATH=/opt/bin:", ""),
            ("PATH=:/opt/bin", ""),
            ("PATH=/opt/bin::/bin", ""),
        ] {
            let out = Command::new(shell[0])
                .args(&shell[1..])
                .args(["-c", &format!("set -u\n{given}\n{lines}\necho \"$PATH\"")])
                .output()
                .unwrap();
            let path = String::from_utf8(out.stdout).unwrap();
            assert_eq!(path, format!("/usr/sbin:/usr/bin:/sbin:/bin{wanted}\n"), "{shell:?}");
        }
    }
}

/// The folder that a call has locked may be removed by another call, and made again, just before the lock is taken.
#[test]
fn a_lock_on_a_removed_folder_is_not_enough() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let folder = tempfile::tempdir().unwrap();
        // `flock` is the moment of the race, and `sleep` shows that the process waits.
        let then = format!(
            "refuse_other_namespace() {{ :; }}
             link=x run='{}/run' state=$run/x replaced=no
             flock() {{
                 [ $replaced = no ] || return 0
                 replaced=yes
                 rm -r \"$run\"
                 mkdir \"$run\"
             }}
             sleep() {{ echo waits; }}
             take_lock
             trap - EXIT
             [ -d \"$state\" ] && echo there",
            folder.path().display()
        );
        assert_eq!(library(shell, "facts.sh", &then), "waits\nthere\n", "{shell:?}");
    }
}
