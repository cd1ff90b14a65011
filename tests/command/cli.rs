//! The command line: exit codes, output streams, and output files that are either complete or unchanged.

#![cfg(test)]

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const GOOD: &str = "name: home\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";
const BAD: &str = "name: home\nlink: { device: eth0, profil: docsis, up: 10, down: 100mbit }\n";

fn qosc(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(dir).output().unwrap()
}

fn fed(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input).unwrap();
    child.wait_with_output().unwrap()
}

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("good.yaml"), GOOD).unwrap();
    std::fs::write(dir.path().join("bad.yaml"), BAD).unwrap();
    dir
}

#[test]
fn exit_codes_tell_findings_from_usage_errors() {
    let dir = folder();
    let code = |arguments: &[&str]| qosc(dir.path(), arguments).status.code();
    assert_eq!(code(&["compile", "good.yaml"]), Some(0));
    assert_eq!(code(&["check", "good.yaml"]), Some(0));
    assert_eq!(code(&["compile", "bad.yaml"]), Some(1));
    assert_eq!(code(&["check", "good.yaml", "bad.yaml"]), Some(1));
    assert_eq!(code(&["compile", "none.yaml"]), Some(2));
    assert_eq!(code(&["check", "bad.yaml", "none.yaml"]), Some(2));
    assert_eq!(code(&["compile", "."]), Some(2));
    assert_eq!(code(&["compile"]), Some(2));
    assert_eq!(code(&["nonsense"]), Some(2));
    assert_eq!(code(&["compile", "good.yaml", "-o", "none/out.sh"]), Some(2));
    assert_eq!(code(&["profiles"]), Some(0));
    assert_eq!(code(&["profiles", "docsis"]), Some(0));
    assert_eq!(code(&["profiles", "docsys"]), Some(2));
    assert_eq!(code(&["rule"]), Some(0));
    assert_eq!(code(&["rule", "Q0102"]), Some(0));
    assert_eq!(code(&["rule", "Q9999"]), Some(2));
    assert_eq!(code(&["explain", "good.yaml", "--class", "voice", "--rtt", "30ms"]), Some(0));
    assert_eq!(code(&["explain", "good.yaml", "--class", "voices"]), Some(2));
    assert_eq!(code(&["explain", "good.yaml", "--rtt", "30"]), Some(2));
    assert_eq!(code(&["--help"]), Some(0));
    assert_eq!(code(&["--version"]), Some(0));
}

#[test]
fn packet_sizes_are_limited_to_those_of_ip_packets() {
    let dir = folder();
    let run = |size: &str, more: &[&str]| {
        let run = qosc(dir.path(), &[&["explain", "good.yaml", "--packet-size", size], more].concat());
        let said = String::from_utf8(run.stdout).unwrap() + &String::from_utf8(run.stderr).unwrap();
        (run.status.code(), said)
    };
    for size in ["0", "19", "65536", "-1"] {
        let (code, said) = run(size, &[]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains("--packet-size") && said.contains("20..=65535"), "{said}");
    }
    for size in ["20", "200", "1000", "65535"] {
        let (code, said) = run(size, &["-v"]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(&format!("  serialization delay of {size} bytes up  ")), "{said}");
    }
    assert_eq!(run("200", &["-v"]), run("200", &["-vv"]));
    let (_, json) = run("1000", &["--format", "json"]);
    assert!(
        json.contains(r#""class.voice.up.delay.small""#) && json.contains(r#""class.voice.up.delay.full""#)
    );
    assert!(json.contains("serialization delay of 1000 bytes up"), "{json}");
    let (code, said) = run("1000", &["--packet", "up udp 192.168.1.5 > 198.51.100.9"]);
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn a_file_with_errors_leaves_the_output_unchanged() {
    let dir = folder();
    let out = dir.path().join("out.sh");
    std::fs::write(&out, "as it was").unwrap();
    let run = qosc(dir.path(), &["compile", "bad.yaml", "-o", "out.sh"]);
    assert_eq!(run.status.code(), Some(1));
    assert!(run.stdout.is_empty());
    let said = String::from_utf8(run.stderr).unwrap();
    // One run reports every fault.
    for part in ["`profil` is not a key of `link`", "bad.yaml:2:23", "the rate `10` has no unit", "2 errors"]
    {
        assert!(said.contains(part), "{part} is missing in\n{said}");
    }
    assert_eq!(std::fs::read_to_string(&out).unwrap(), "as it was");

    assert!(qosc(dir.path(), &["compile", "good.yaml", "-o", "out.sh"]).status.success());
    let script = std::fs::read_to_string(&out).unwrap();
    assert!(script.starts_with("#!/bin/sh\n"));
    use std::os::unix::fs::PermissionsExt as _;
    assert_eq!(std::fs::metadata(&out).unwrap().permissions().mode() & 0o777, 0o755);
    // No temporary file is left beside the output.
    let mut names: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["bad.yaml", "good.yaml", "out.sh"]);
}

#[test]
fn output_does_not_depend_on_folder_or_environment() {
    let dir = folder();
    let here = qosc(dir.path(), &["compile", "good.yaml"]).stdout;
    let path = dir.path().join("good.yaml");
    let elsewhere = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(["compile", path.to_str().unwrap()])
        .current_dir("/")
        .env_clear()
        .env("LANG", "tr_TR.UTF-8")
        .env("TZ", "Pacific/Auckland")
        .output()
        .unwrap()
        .stdout;
    assert!(!here.is_empty());
    assert_eq!(String::from_utf8(here).unwrap(), String::from_utf8(elsewhere).unwrap());
}

#[test]
fn standard_input_is_read_like_a_file() {
    let run = fed(&["compile", "-"], GOOD.as_bytes());
    assert!(run.status.success());
    assert!(String::from_utf8(run.stdout).unwrap().contains("from stdin."));
    let run = fed(&["check", "--format", "short", "-"], BAD.as_bytes());
    assert_eq!(run.status.code(), Some(1));
    assert!(String::from_utf8(run.stdout).unwrap().starts_with("<stdin>:2:23: error[Q0102]: "));
    assert_eq!(fed(&["check", "-"], b"\xff\xfe\x00").status.code(), Some(1));
}

#[test]
fn every_stage_can_be_printed() {
    let dir = folder();
    for emit in ["ir", "model"] {
        let run = qosc(dir.path(), &["compile", "--emit", emit, "good.yaml"]);
        let json: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert!(json.get("link").is_some(), "{emit}");
    }
    let header = |kind: &str| {
        let run = qosc(dir.path(), &["compile", "--emit", "batch", "--assume", kind, "good.yaml"]);
        String::from_utf8(run.stdout).unwrap()
    };
    // The profile charges 18 bytes above IP. If the device counts 14 of them, the overhead is 4. If it counts 22, HTB
    // needs a size table.
    assert!(header("ethernet").contains(" overhead 4 mpu 64 "));
    assert!(header("raw-ip").contains(" overhead 18 mpu 64 "));
    assert!(header("pppoe-frames").contains(" stab overhead -4 linklayer ethernet htb "));
    assert!(!header("ethernet").contains('$'));
}

#[test]
fn the_ir_has_a_line_for_each_kernel_object() {
    let dir = folder();
    let text = String::from_utf8(qosc(dir.path(), &["compile", "--emit", "ir", "good.yaml"]).stdout).unwrap();
    let whole: serde_json::Value = serde_json::from_str(&text).unwrap();
    let lists = ["qdiscs", "classes", "filters"].map(|key| whole[key].as_array().unwrap().clone());
    let lines = text.lines().filter_map(|line| line.strip_prefix("    "));
    let lines: Vec<serde_json::Value> =
        lines.map(|line| serde_json::from_str(line.trim_end_matches(',')).unwrap()).collect();
    assert_eq!(lines, lists.concat());
}

/// Without a router, the tc commands are for the kind of device that its name suggests. Their first line says which.
#[test]
fn tc_lines_fit_the_kind_of_device() {
    let dir = folder();
    let batch = |device: &str, more: &str, flags: &[&str]| {
        let text = format!(
            "name: home\nlink: {{ device: {device}, profile: raw, overhead: 30, up: 10mbit, down: 100mbit{more} }}\n"
        );
        std::fs::write(dir.path().join("kind.yaml"), text).unwrap();
        let run = qosc(dir.path(), &[&["compile", "--emit", "batch", "kind.yaml"], flags].concat());
        let (out, err) = (String::from_utf8(run.stdout).unwrap(), String::from_utf8(run.stderr).unwrap());
        (run.status.code(), out, err)
    };
    for (device, more, flags, bytes, overhead) in [
        ("ppp0", "", &[][..], 0, 30),
        ("pppoe-wan", "", &[], 0, 30),
        ("tun0", "", &[], 0, 30),
        ("wg0", "", &[], 0, 30),
        ("eth0", "", &[], 14, 16),
        ("eth0.7", "", &[], 14, 16),
        ("eth0", ", frames: pppoe", &[], 22, 8),
        ("uplink", ", frames: pppoe", &[], 22, 8),
        ("uplink", "", &["--assume", "raw-ip"], 0, 30),
        ("wwan0", "", &["--assume", "ethernet"], 14, 16),
        ("ppp0", "", &["--assume", "ethernet"], 14, 16),
    ] {
        let (code, out, err) = batch(device, more, flags);
        let first = format!("# for a device that counts {bytes} header bytes above IP, as ");
        assert!(code == Some(0) && out.starts_with(&first), "{device}{more}: {out}{err}");
        assert_eq!(out.lines().filter(|line| line.starts_with('#')).count(), 1, "{out}");
        assert!(out.contains(&format!(" overhead {overhead} ")), "{device}{more}: {out}");
    }
    let ask = "has a header of unknown length";
    for (device, more, words) in
        [("uplink", "", ask), ("wwan0", "", ask), ("uplink", ", frames: ip", ask), ("nas0", "", ask)]
    {
        let (code, out, err) = batch(device, more, &[]);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{device}{more}");
        let run = qosc(dir.path(), &["compile", "--emit", "plain", "kind.yaml"]);
        assert_eq!((run.status.code(), run.stdout.len()), (Some(2), 0), "{device}{more}");
        for part in [words, device, "`--assume ethernet`", "`--assume pppoe-frames`", "`--assume raw-ip`"] {
            assert!(err.contains(part), "{part}: {err}");
        }
    }
    // A PPPoE session may run over an Ethernet device or end in the modem.
    let pppoe = "link: { device: eth0, profile: fibre-pppoe, up: 10mbit, down: 100mbit }\n";
    for (frames, code) in [("", 2), (", frames: ip", 0), (", frames: pppoe", 0)] {
        std::fs::write(dir.path().join("session.yaml"), pppoe.replace(" }", &format!("{frames} }}")))
            .unwrap();
        let run = qosc(dir.path(), &["compile", "--emit", "batch", "session.yaml"]);
        assert_eq!(run.status.code(), Some(code), "{frames}");
    }
    // A script detects the kind of device on the router, so `compile` needs no flag.
    std::fs::write(
        dir.path().join("other.yaml"),
        "link: { device: uplink, profile: docsis, up: 9mbit, down: 99mbit }\n",
    )
    .unwrap();
    assert_eq!(qosc(dir.path(), &["compile", "other.yaml"]).status.code(), Some(0));
}

#[test]
fn check_prints_findings_as_one_json_array() {
    let dir = folder();
    let run = qosc(dir.path(), &["check", "--format", "json", "bad.yaml"]);
    let found: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 2);
    let run = qosc(dir.path(), &["check", "--format", "json", "bad.yaml", "good.yaml", "bad.yaml"]);
    let found: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(found.as_array().unwrap().len(), 4, "the findings of all files in one array");
}

#[test]
fn compile_replaces_only_plain_files() {
    let dir = folder();
    let there = |name: &str| dir.path().join(name);
    std::fs::write(there("real.sh"), "old").unwrap();
    std::os::unix::fs::symlink("real.sh", there("link.sh")).unwrap();
    assert!(qosc(dir.path(), &["compile", "good.yaml", "-o", "link.sh"]).status.success());
    assert!(std::fs::symlink_metadata(there("link.sh")).unwrap().is_symlink());
    assert!(std::fs::read_to_string(there("real.sh")).unwrap().starts_with("#!/bin/sh"));
    let run = qosc(dir.path(), &["compile", "good.yaml", "-o", "-"]);
    assert!(run.stdout.starts_with(b"#!/bin/sh"));
    assert!(!there("-").exists());
    assert!(qosc(dir.path(), &["compile", "good.yaml", "-o", "/dev/null"]).status.success());
    assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
}

/// `check` reads the files of all subfolders with either ending and skips hidden ones. It prints all findings in one
/// array.
#[test]
fn check_reads_every_file_of_a_folder() {
    let dir = folder();
    std::fs::create_dir_all(dir.path().join("sites/.git")).unwrap();
    for (name, text) in
        [("sites/b.yml", BAD), ("sites/a.yaml", GOOD), ("sites/.git/c.yaml", BAD), ("sites/note.txt", "")]
    {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let output = qosc(dir.path(), &["check", "sites"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.ends_with("2 files: 1 without errors, 1 with errors\n"), "{said}");
    let json = qosc(dir.path(), &["check", ".", "--format", "json"]);
    let json: Vec<serde_json::Value> = serde_json::from_slice(&json.stdout).unwrap();
    let text = serde_json::to_string(&json).unwrap();
    assert!(text.contains("sites/b.yml") && text.contains("bad.yaml") && !text.contains(".git"), "{text}");
    std::fs::create_dir(dir.path().join("empty")).unwrap();
    assert_eq!(qosc(dir.path(), &["check", "empty"]).status.code(), Some(2));
}

#[test]
fn rule_prints_one_page_or_lists_all() {
    let dir = folder();
    let out = |arguments: &[&str]| String::from_utf8(qosc(dir.path(), arguments).stdout).unwrap();
    let page = out(&["rule", "Q0201"]);
    assert!(
        page.starts_with("# Q0201: not a rate\n\nError: the file is not compiled.\n\n## What it looks for\n"),
        "{page}"
    );
    assert_eq!(out(&["rule", "q0201"]), page);

    let list = out(&["rule"]);
    assert!(list.starts_with("Q0101  error    the text is not YAML\n"), "{list}");
    assert!(list.contains("\nQ0409  warning  a class that nothing matches\n"), "{list}");
    let pages = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/rules")).unwrap();
    assert_eq!(list.lines().count() + 1, pages.count(), "a page for each rule, and their index");

    let one: serde_json::Value = serde_json::from_str(&out(&["rule", "Q0201", "--format", "json"])).unwrap();
    assert_eq!((one["code"].as_str(), one["severity"].as_str()), (Some("Q0201"), Some("error")));
    assert_eq!(one["title"], "not a rate");
    assert_eq!(one["sections"][0]["heading"], "What it looks for");
    let all: serde_json::Value = serde_json::from_str(&out(&["rule", "--format", "json"])).unwrap();
    assert!(all.as_array().unwrap().contains(&one));
}

#[test]
fn an_unknown_rule_gets_a_suggestion() {
    let dir = folder();
    let run = qosc(dir.path(), &["rule", "Q02O1"]);
    assert!(run.stdout.is_empty());
    let said = String::from_utf8(run.stderr).unwrap();
    assert_eq!(said, "error: there is no rule `Q02O1`; did you mean `Q0201`?\n");
    let said = String::from_utf8(qosc(dir.path(), &["rule", "rates"]).stderr).unwrap();
    assert_eq!(said, "error: there is no rule `rates`; `qosc rule` lists them\n");
}

#[test]
fn findings_are_followed_by_the_qosc_rule_command() {
    let dir = folder();
    let said = |arguments: &[&str]| String::from_utf8(qosc(dir.path(), arguments).stderr).unwrap();
    assert!(said(&["check", "bad.yaml"]).contains("\n2 errors\nfor more about a code: qosc rule Q0102\n"));
    std::fs::write(dir.path().join("plain.yaml"), "link: { device: eth0, up: 10mbit, down: 100mbit }\n")
        .unwrap();
    let one = said(&["check", "good.yaml", "plain.yaml"]);
    let end = "\n1 warning\nfor more about Q0601: qosc rule Q0601\n2 files: 2 without errors; 1 warning\n";
    assert!(one.ends_with(end), "{one}");
    assert_eq!(said(&["check", "good.yaml"]), "no findings\n");
    assert_eq!(said(&["check", "good.yaml", "good.yaml"]), "2 files: no findings\n");
    assert_eq!(said(&["check", "--format", "short", "plain.yaml"]), "");
}
