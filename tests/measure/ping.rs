//! `qosc ping` against this machine.
//!
//! Echo requests need root, or `net.ipv4.ping_group_range` must include a group of the user.

#![cfg(test)]

use crate::tools;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn ping(dir: &Path, arguments: &[&str]) -> Output {
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.arg("ping").args(arguments).current_dir(dir).output().unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn json(path: &Path) -> serde_json::Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn wait(what: &str, mut done: impl FnMut() -> bool) {
    let limit = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < limit, "waited for {what} in vain");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The columns of each line of the table.
fn rows(output: &Output) -> Vec<Vec<String>> {
    let rows = out(output);
    rows.lines().skip(3).map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn every_target_is_measured_with_every_dscp() {
    if !tools::found(&["echo-requests", "ipv6"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let args =
        ["127.0.0.1", "::1", "--dscp", "ef,cs1", "--count", "10", "--interval", "5ms", "-o", "run.json"];
    let run = ping(dir.path(), &args);
    assert_eq!((run.status.code(), err(&run)), (Some(0), String::new()));
    let rows = rows(&run);
    let who: Vec<_> = rows.iter().map(|row| (row[0].as_str(), row[1].as_str())).collect();
    assert_eq!(who, [("127.0.0.1", "ef"), ("127.0.0.1", "cs1"), ("::1", "ef"), ("::1", "cs1")]);
    assert!(rows.iter().all(|row| row[2..4] == ["10", "0"] && row.len() == 10), "{rows:?}");

    let file = json(&dir.path().join("run.json"));
    assert_eq!(file["format"], "qosc-run 1");
    assert_eq!((&file["interval_us"], &file["size"]), (&5000.into(), &64.into()));
    assert!(file.get("load").is_none() && file.get("label").is_none());
    for series in file["series"].as_array().unwrap() {
        let samples = series["samples"].as_array().unwrap();
        assert_eq!(samples.len(), 10);
        assert!(samples.iter().all(|sample| sample[1].is_u64()), "{samples:?}");
    }
}

#[test]
fn a_load_is_started_and_ended() {
    if !tools::found(&["echo-requests"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let load = "echo $$ >began; trap 'echo >ended; exit' TERM; while :; do sleep 0.02; done";
    let times = ["--load-after", "300ms", "--load-for", "300ms", "--time", "1s", "--interval", "10ms"];
    let args =
        [&["127.0.0.1", "--load", load, "-o", "run.json", "--label", "home"], times.as_slice()].concat();
    let run = ping(dir.path(), &args);
    assert_eq!((run.status.code(), err(&run)), (Some(0), String::new()));
    assert!(dir.path().join("ended").exists(), "it was asked to end");
    let group = std::fs::read_to_string(dir.path().join("began")).unwrap();
    assert!(!Path::new(&format!("/proc/{}", group.trim())).exists(), "it lives");
    let rows = rows(&run);
    assert_eq!(rows.iter().map(|row| row[2].as_str()).collect::<Vec<_>>(), ["before", "under", "after"]);
    let file = json(&dir.path().join("run.json"));
    assert_eq!((file["label"].as_str(), file["load"]["command"].as_str()), (Some("home"), Some(load)));
    let at = |key: &str| file["load"][key].as_u64().unwrap();
    assert!((300_000..600_000).contains(&at("began_us")), "{}", at("began_us"));
    assert!(at("ended_us") >= at("began_us") + 300_000);
}

#[test]
fn a_failed_load_is_reported() {
    if !tools::found(&["echo-requests"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let times = ["--load-after", "10ms", "--time", "300ms"];
    let run = ping(dir.path(), &[&["127.0.0.1", "--load", "no-such-program"], times.as_slice()].concat());
    assert_eq!(run.status.code(), Some(0));
    let said = err(&run);
    assert!(
        said.starts_with("warning: the load ended after ") && said.contains(" with exit code 127: "),
        "{said}"
    );
    assert!(said.contains("not found"), "{said}");
}

#[test]
fn ctrl_c_keeps_the_measurement() {
    if !tools::found(&["echo-requests"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    for (signal, name) in [("-INT", "int.json"), ("-TERM", "term.json"), ("-HUP", "hup.json")] {
        let load = format!("echo >{name}.began; sleep 1000");
        let child = Command::new(env!("CARGO_BIN_EXE_qosc"))
            .args([
                "ping",
                "127.0.0.1",
                "--interval",
                "5ms",
                "-o",
                name,
                "--load-after",
                "100ms",
                "--load",
                &load,
            ])
            .current_dir(dir.path())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait("the load", || dir.path().join(format!("{name}.began")).exists());
        assert!(
            Command::new("sh")
                .args(["-c", &format!("kill {signal} {}", child.id())])
                .status()
                .unwrap()
                .success()
        );
        let run = child.wait_with_output().unwrap();
        assert_eq!((run.status.code(), err(&run)), (Some(0), String::new()), "{signal}");
        assert_eq!(rows(&run)[0][2], "before");
        let file = json(&dir.path().join(name));
        let samples = file["series"][0]["samples"].as_array().unwrap();
        assert!(samples.len() >= 10, "{} samples", samples.len());
        assert!(file["load"]["ended_us"].as_u64() <= file["took_us"].as_u64());
    }
}

#[test]
fn results_are_printed_as_csv() {
    if !tools::found(&["echo-requests"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let run =
        ping(dir.path(), &["127.0.0.1", "--count", "3", "--interval", "1ms", "--format", "csv", "-o", "-"]);
    assert!(
        out(&run).starts_with("target,address,dscp,sent_us,rtt_us\n127.0.0.1,127.0.0.1,cs0,"),
        "{}",
        out(&run)
    );
    assert_eq!(out(&run).lines().count(), 4);
    assert!(err(&run).contains("jitter"), "the table goes where it is in nobody's way");
}

#[test]
fn invalid_options_are_rejected_before_any_packet() {
    if !tools::found(&["echo-requests"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("there.json"), "mine").unwrap();
    let refused = |arguments: &[&str], words: &str| {
        let run = ping(dir.path(), arguments);
        assert_eq!((run.status.code(), out(&run)), (Some(2), String::new()), "{arguments:?}");
        assert!(err(&run).contains(words), "{words}\n{}", err(&run));
    };
    refused(
        &["127.0.0.1", "-o", "there.json"],
        "error: `there.json` already exists\n  help: write another name",
    );
    refused(&["127.0.0.1", "-o", "."], "error: cannot write `.`: it is a folder");
    refused(&["127.0.0.1", "-o", "none/run.json"], "error: cannot write `none/run.json`: ");
    refused(
        &["127.0.0.1", "--interval", "900us"],
        "error: the interval 900us is below the minimum of 1ms\n  help: ",
    );
    refused(&["127.0.0.1", "--interval", "20"], "the time `20` has no unit");
    refused(&["127.0.0.1", "--size", "63"], "63");
    refused(&["127.0.0.1", "--dscp", "eff"], "there is no DSCP named `eff`");
    refused(&["127.0.0.1", "--dscp", "ef,46"], "error: the DSCP `ef` is given twice");
    refused(&["127.0.0.1", "127.0.0.1"], "error: the target `127.0.0.1` is given twice");
    refused(&["127.0.0.1", "-6"], "error: `127.0.0.1` has no IPv6 address");
    refused(&["127.0.0.1", "--source", "::1"], "error: `127.0.0.1` has no IPv6 address");
    refused(&["127.0.0.1", "--source", "192.0.2.7"], "error: cannot send from `192.0.2.7`: ");
    refused(&["127.0.0.1", "--count", "9000000"], "error: a run holds 5000000 requests");
    refused(
        &["127.0.0.1", "--load", "true", "--time", "5s"],
        "error: the load would start after the measurement",
    );
    refused(&["127.0.0.1", "--load-for", "5s"], "--load <COMMAND>");
    refused(&[], "<TARGET>...");
    assert_eq!(std::fs::read_to_string(dir.path().join("there.json")).unwrap(), "mine");
    let run = ping(dir.path(), &["127.0.0.1", "--count", "1", "-o", "there.json", "--force"]);
    assert_eq!(run.status.code(), Some(0));
    assert_eq!(json(&dir.path().join("there.json"))["format"], "qosc-run 1");
}

/// Runs in network namespaces, if they are allowed. Ping sockets need no privilege, and without them qosc explains what
/// to do.
#[test]
fn ping_needs_no_root_if_ping_sockets_are_allowed() {
    if !tools::found(&["network-namespaces", "setpriv", "ipv6"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    // The unprivileged user must reach the program, which a build folder below a home directory may prevent.
    let program = dir.path().join("qosc");
    std::fs::copy(env!("CARGO_BIN_EXE_qosc"), &program).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(dir.path(), mode).unwrap();
    let within = |range: &str, target: &str| {
        let script = format!(
            "ip link set lo up && ip route add 198.51.100.0/24 dev lo && echo '{range}' >/proc/sys/net/ipv4/ping_group_range || exit 99\n\
             exec setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all ./qosc ping {target} --count 3 --interval 5ms"
        );
        Command::new("unshare").args(["-n", "sh", "-c", &script]).current_dir(dir.path()).output()
    };
    match within("0 2147483647", "127.0.0.1") {
        Ok(run) if run.status.code() == Some(0) => assert_eq!(rows(&run)[0][2..4], ["3", "0"]),
        other => panic!("{other:?}"),
    }
    assert_eq!(rows(&within("0 2147483647", "::1").unwrap())[0][2..4], ["3", "0"]);
    let run = within("1 0", "127.0.0.1").unwrap();
    assert_eq!(run.status.code(), Some(2));
    assert!(
        err(&run).starts_with("error: this user may not send echo requests\n  help: allow it"),
        "{}",
        err(&run)
    );
    let run = within("0 2147483647", "192.0.2.7").unwrap();
    assert!(
        err(&run).starts_with("error: `192.0.2.7` cannot be reached: network is unreachable\n"),
        "{}",
        err(&run)
    );
    // An address that loopback accepts and nobody has.
    let run = within("0 2147483647", "198.51.100.7").unwrap();
    assert_eq!(
        (run.status.code(), &rows(&run)[0][2..6]),
        (Some(1), &["3", "3", "(100.0", "%)"].map(str::to_owned)[..])
    );
    assert!(err(&run).contains("warning: `198.51.100.7` with cs0 never answered"), "{}", err(&run));
}

/// After the first Ctrl-C, qosc waits for outstanding replies. A second one ends this wait, and requests that may still
/// be answered do not count as lost.
#[test]
fn a_second_ctrl_c_ends_the_wait_for_replies() {
    if !tools::found(&["network-namespaces"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    // The load creates one file when it starts, and another when the first Ctrl-C ends it.
    let script = "ip link set lo up && ip route add 198.51.100.0/24 dev lo || exit 99\n\
                  exec \"$0\" ping 198.51.100.7 127.0.0.1 --interval 10ms -o run.json --load-after 100ms \
                  --load \"trap 'echo >ended; exit' TERM; echo >began; while :; do sleep 0.02; done\"";
    let mut child = Command::new("unshare")
        .args(["-n", "sh", "-c", script, env!("CARGO_BIN_EXE_qosc")])
        .current_dir(dir.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let pid = child.id().to_string();
    let mut failed = false;
    for file in ["began", "ended"] {
        wait(file, || {
            failed = failed || child.try_wait().unwrap().is_some();
            failed || dir.path().join(file).exists()
        });
        if !failed {
            assert!(Command::new("sh").args(["-c", &format!("kill -INT {pid}")]).status().unwrap().success());
        }
    }
    let run = child.wait_with_output().unwrap();
    assert!(!failed, "{}", err(&run));
    let file = json(&dir.path().join("run.json"));
    let sent = |at: usize| -> Vec<u64> {
        let samples = file["series"][at]["samples"].as_array().unwrap();
        samples.iter().map(|sample| sample[0].as_u64().unwrap()).collect()
    };
    assert!(sent(0).len() < sent(1).len(), "what was sent within the last second is left out");
    let took = file["took_us"].as_u64().unwrap();
    assert!(sent(0).iter().all(|sent| sent + 1_000_000 <= took), "{:?} of {took}", sent(0));
}
