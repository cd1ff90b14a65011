//! The script that `qosc fit --plan` prints to take the measurement.

use super::{printed, qosc};
use std::io::Write as _;
use std::process::{Command, Stdio};

#[test]
fn the_plan_passes_all_shells_and_shellcheck() {
    for arguments in [&["fit", "--plan"][..], &["fit", "--plan", "far.example.org", "--rate", "6.5mbit"]] {
        let script = printed(arguments, "");
        assert!(!script.contains('@'), "{script}");
        for shell in [
            &["dash", "-n"][..],
            &["bash", "-n"],
            &["busybox", "ash", "-n"],
            &["shellcheck", "-s", "sh", "-"],
        ] {
            let Ok(mut child) =
                Command::new(shell[0]).args(&shell[1..]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
            else {
                continue;
            };
            child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
            let said = child.wait_with_output().unwrap();
            assert!(said.status.success(), "{shell:?}: {}", String::from_utf8_lossy(&said.stdout));
        }
    }
    let script = printed(&["fit", "--plan", "far.example.org", "--rate", "6.5mbit"], "");
    assert!(
        script.contains("\nhost=${HOST:-far.example.org}\n") && script.contains("\nrate=${RATE:-6500000} ")
    );
    for host in ["a;b", "$(id)", "-rf", "a b", "'", "a\nb"] {
        assert_eq!(qosc(&["fit", &format!("--plan={host}")], "").status.code(), Some(2), "{host}");
    }
}

/// The script's awk program counts only whole seconds, for each run separately.
#[test]
fn the_plan_counts_only_whole_seconds() {
    let script = printed(&["fit", "--plan"], "");
    let program = script.split_once("exec awk '").unwrap().1.split_once('\'').unwrap().0;
    let mut capture = String::new();
    let mut at = |time: &str, length: u32, times: usize| {
        let line =
            format!("170000{time} eth0  In  IP 192.0.2.1.40000 > 198.51.100.9.5201: UDP, length {length}\n");
        capture += &line.repeat(times);
    };
    // Packets without payload: an awk variable that was never set also equals 0.
    at("0990.900000", 0, 3);
    at("0991.100000", 0, 30);
    at("0992.100000", 0, 31);
    at("0993.100000", 0, 3);
    at("1000.900000", 16, 3);
    at("1001.100000", 16, 50);
    at("1002.100000", 16, 51);
    at("1003.000001", 16, 9);
    // Another size within the same second, and later a second without packets.
    at("1003.500000", 32, 4);
    at("1004.100000", 32, 40);
    at("1006.100000", 32, 41);
    at("1007.100000", 32, 5);
    for awk in [&["awk"][..], &["mawk"], &["gawk"], &["busybox", "awk"]] {
        let Ok(mut child) = Command::new(awk[0])
            .args(&awk[1..])
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
        else {
            continue;
        };
        child.stdin.take().unwrap().write_all(capture.as_bytes()).unwrap();
        let said = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&said.stdout), "0,30\n0,31\n16,50\n16,51\n32,41\n", "{awk:?}");
    }
}
