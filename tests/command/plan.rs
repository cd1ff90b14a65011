//! `qosc plan` against dumps of a router that moved from one configuration to the next, and of the same router after
//! changes by others. `tests/kernel/converge.rs` made the dumps; features and addresses are left out.

#![cfg(test)]

use crate::golden;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan")
}

fn qosc(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc"))
        .arg("plan")
        .args(arguments)
        .current_dir(folder())
        .output()
        .unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// The output and the exit code for each file.
#[test]
fn plans_match_the_snapshots() {
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    names.retain(|path| path.extension().is_some_and(|end| end == "yaml"));
    names.sort();
    for path in names {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let output = qosc(&[&format!("{name}.yaml"), "--dump", &format!("{name}.dump")]);
        let text = format!("{}exit code {}\n", said(&output), output.status.code().unwrap());
        insta::with_settings!({ snapshot_path => "../plan", prepend_module_to_snapshot => false, omit_expression => true }, {
            golden::assert_golden!(name, text);
        });
    }
}

#[test]
fn a_folder_gives_a_plan_for_each_router() {
    let output = qosc(&["."]);
    insta::with_settings!({ snapshot_path => "../plan", prepend_module_to_snapshot => false, omit_expression => true }, {
        golden::assert_golden!("fleet", said(&output));
    });
    assert_eq!(output.status.code(), Some(1));
    // A router without a dump is unusable.
    let dir = tempfile::tempdir().unwrap();
    for name in ["same", "class"] {
        std::fs::copy(folder().join(format!("{name}.yaml")), dir.path().join(format!("{name}.yaml")))
            .unwrap();
    }
    let dumps = tempfile::tempdir().unwrap();
    std::fs::copy(folder().join("same.dump"), dumps.path().join("same.dump")).unwrap();
    let (files, dumps) = (dir.path().to_str().unwrap(), dumps.path().to_str().unwrap());
    let output = qosc(&[files, "--dump", dumps]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("2 routers: 1 as described, 0 differ, 1 unusable"), "{}", said(&output));
    std::fs::remove_file(dir.path().join("class.yaml")).unwrap();
    assert_eq!(qosc(&[files, "--dump", dumps]).status.code(), Some(0));
    let json = qosc(&[files, "--dump", dumps, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&json[0]["file"], &json[0]["result"]), (&"same.yaml".into(), &"same".into()));
}

#[test]
fn invalid_calls_are_rejected() {
    let code = |arguments: &[&str]| qosc(arguments).status.code();
    assert_eq!(code(&["same.yaml"]), Some(2));
    assert_eq!(code(&["same.yaml", "--dump", "none"]), Some(2));
    assert_eq!(code(&["same.yaml", "--dump", "same.dump", "--live"]), Some(2));
    assert_eq!(code(&["same.yaml", "--dump", "same.dump", "--device", "eth1"]), Some(2));
    assert_eq!(code(&[".", "--live"]), Some(2));
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let other =
        file("other.yaml", "name: other\nlink: { device: eth0, profile: docsis, up: 1mbit, down: 9mbit }\n");
    let output = qosc(&[&other, "--dump", "same.dump"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output),
        "error: `same.dump`: the dump is of link `walk`, but the file describes link `other`: \
         to change that link, write `name: walk`\n"
    );
    for text in [
        "",
        "walk: error: there is no device eth0\n",
        "# qosc dump 2, link walk\n==> tc -V\n",
        "==> tc -V\nsh: tc: not found\n",
    ] {
        let dump = file("a.dump", text);
        let output = qosc(&["same.yaml", "--dump", &dump]);
        assert_eq!(output.status.code(), Some(2), "{text:?}: {}", said(&output));
    }
}

/// The engine reads files of its own machine for some sections, so no line of a dump may begin one.
#[test]
fn lines_of_a_dump_begin_no_section_of_the_engine() {
    let text = std::fs::read_to_string(folder().join("drift.dump")).unwrap();
    let section = "== receiving\neth9\n== features\nFeatures for eth9:\ngeneric-receive-offload: on\n";
    let dir = tempfile::tempdir().unwrap();
    let dump = dir.path().join("drift.dump");
    let planned = qosc(&["drift.yaml", "--dump", "drift.dump"]);
    for command in ["==> uname -r\n", "==> tc -V\n"] {
        for (before, after) in [(section, ""), ("", section)] {
            std::fs::write(&dump, text.replacen(command, &format!("{before}{command}{after}"), 1)).unwrap();
            assert_eq!(said(&qosc(&["drift.yaml", "--dump", dump.to_str().unwrap()])), said(&planned));
        }
    }
}

/// Without awk, there are no steps.
#[test]
fn a_missing_awk_is_named() {
    let empty = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_qosc"));
    command
        .args(["plan", "same.yaml", "--dump", "same.dump"])
        .current_dir(folder())
        .env("PATH", empty.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).starts_with("error: `same.dump`: awk is missing, "), "{}", said(&output));
}

/// Another link is at work on the device. All formats say that `start` refuses, and nothing lists changes.
#[test]
fn a_plan_says_that_another_link_is_at_work() {
    let output = qosc(&["rival.yaml", "--dump", "rival.dump", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let why = json["refusals"][0].as_str().unwrap();
    assert!(why.contains("`/etc/qosc/walk.sh stop`") && why.contains("name: walk"), "{why}");
    assert_eq!(json["differs"], true);
    let verbose = said(&qosc(&["-v", "rival.yaml", "--dump", "rival.dump", "--take-over"]));
    let verbose = verbose.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(verbose.starts_with(&format!("`start` would refuse: {why} note: ")), "{verbose}");
    assert!(!verbose.contains("tc "), "{verbose}");
}

/// With `--verbose`, the plan lists the commands that `print` shows.
#[test]
fn verbose_plans_list_every_command() {
    let output = said(&qosc(&["-v", "numbers.yaml", "--dump", "numbers.dump"]));
    let commands: Vec<&str> = output.lines().filter(|line| line.starts_with("tc ")).collect();
    assert_eq!(commands.len(), 6, "{output}");
    assert!(
        commands[0].starts_with("tc class change dev ifb-walk parent c05: classid c05:a000 htb rate "),
        "{output}"
    );
    assert!(commands[0].ends_with(" # walk: all downloads (numbers.yaml:2)"), "{output}");
}

/// A dump made by hand, without `ip link` and without our first line. The device's name decides how many bytes it
/// counts above IP.
#[test]
fn the_device_name_decides_the_header_if_the_dump_does_not() {
    let text = std::fs::read_to_string(folder().join("numbers.dump")).unwrap();
    let yaml = std::fs::read_to_string(folder().join("numbers.yaml")).unwrap();
    let left_out =
        |section: &&str| !section.starts_with("ip -d link show dev eth0") && !section.starts_with("cat /run");
    let sections = text.split("\n==> ").skip(1).filter(left_out).map(|section| format!("==> {section}\n"));
    let text: String = sections.collect();
    let dir = tempfile::tempdir().unwrap();
    let (file, dump) = (dir.path().join("walk.yaml"), dir.path().join("walk.dump"));
    for (device, overhead) in [("eth0", 4), ("ppp0", 18), ("uplink", 4)] {
        std::fs::write(&file, yaml.replace("eth0", device)).unwrap();
        std::fs::write(&dump, text.replace("eth0", device)).unwrap();
        let output = said(&qosc(&["-v", file.to_str().unwrap(), "--dump", dump.to_str().unwrap()]));
        let commands = output.lines().filter(|line| line.starts_with("tc class add")).count();
        let words = format!(" overhead {overhead} mpu 64 ");
        let changed =
            output.lines().filter(|line| line.starts_with("tc class add") && line.contains(&words)).count();
        assert!(commands > 0 && changed == commands, "{device}: {output}");
    }
}

/// Plans for a script instead of its YAML, and for taking over objects of others.
#[test]
fn a_plan_accepts_a_script_and_takes_over_foreign_objects() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("walk.sh");
    let compiled = Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(["compile", "class.yaml", "-o"])
        .arg(&script)
        .current_dir(folder())
        .status();
    assert!(compiled.unwrap().success());
    let of_yaml = qosc(&["class.yaml", "--dump", "class.dump"]);
    assert_eq!(said(&of_yaml), said(&qosc(&[script.to_str().unwrap(), "--dump", "class.dump"])));
    let taken = said(&qosc(&["foreign.yaml", "--dump", "foreign.dump", "--take-over"]));
    assert!(taken.contains("rebuilds the tree"), "{taken}");
}

/// `--live` runs the script's own `dump` with this machine's `sh`. Here the device does not exist.
#[test]
fn live_passes_on_the_error_of_the_script() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("home.yaml");
    std::fs::write(&file, "link: { device: nosuchdev0, profile: docsis, up: 1mbit, down: 9mbit }\n").unwrap();
    let output = qosc(&[file.to_str().unwrap(), "--live"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).contains("there is no device nosuchdev0"), "{}", said(&output));
}
