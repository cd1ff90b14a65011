//! `qosc deploy` of a folder with the stand-in for ssh: each file goes to its own hosts, or nothing is deployed.

#![cfg(test)]

use crate::deploy::{SSH, calls, stand_in, texts};
use crate::golden;
use crate::home::{command, ended};
use std::path::Path;

/// A file without the name of its link.
const LINK: &str = "link: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// A folder with two files, and an inventory with these lines.
fn folder(inventory: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "routers/north.yaml", LINK);
    write(dir.path(), "routers/site/south.yaml", &LINK.replace("eth0", "eth1"));
    if !inventory.is_empty() {
        write(dir.path(), "routers/hosts", inventory);
    }
    dir
}

/// Runs `deploy routers` with a short trial. Returns the exit code, standard output, and standard error.
fn deploy(dir: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let trial = if arguments.contains(&"--take-over") { &[][..] } else { &["--trial", "5"] };
    let mut deploy = command(dir, &[&["deploy", "routers"], trial, arguments].concat());
    deploy.env("PATH", stand_in(dir, "ssh", SSH));
    texts(ended(deploy))
}

/// Checks that these arguments deploy nothing, and that standard error has these words.
#[track_caller]
fn refused(dir: &Path, arguments: &[&str], code: i32, words: &[&str]) {
    let (is, out, err) = deploy(dir, arguments);
    assert!(is == Some(code) && out.is_empty(), "{arguments:?}: {out}{err}");
    for words in words {
        assert!(err.contains(words), "{arguments:?}: {words}: {err}");
    }
    for host in ["good", "hooked", "same"] {
        assert!(calls(dir, host).is_empty(), "{arguments:?}: {host}");
    }
}

#[test]
fn each_file_goes_to_its_hosts() {
    let inventory = "# Routers of the offices\n\nnorth.yaml good hooked   # two of them\n./site/south.yaml refused\n\tsite/south.yaml\tlate\n";
    let dir = folder(inventory);
    let (code, out, err) = deploy(dir.path(), &[]);
    assert_eq!((code, err.as_str()), (Some(2), ""));
    golden::assert_golden!(out);
    // A script has the name of its file's link.
    let of = |host: &str| calls(dir.path(), host).concat();
    assert!(of("good").contains("confirm") && !of("late").is_empty());
    std::fs::rename(dir.path().join("routers/hosts"), dir.path().join("office")).unwrap();
    let (code, again, _) = deploy(dir.path(), &["--inventory", "office"]);
    assert_eq!((code, again), (Some(2), out));
}

#[test]
fn arguments_name_the_hosts_instead_of_the_inventory() {
    let dir = folder("north.yaml good\nsite/south.yaml good\n");
    let pairs = ["--host", "north.yaml=hooked", "--host", "./site/south.yaml=sudoer"];
    let (code, out, err) = deploy(dir.path(), &pairs);
    assert_eq!(code, Some(0), "{out}{err}");
    let expected = "hooked: north.yaml: deployed\nsudoer: site/south.yaml: deployed; nothing starts it at boot: add `--system SYSTEM`\n\n\
        north.yaml       hooked  deployed\nsite/south.yaml  sudoer  deployed; nothing starts it at boot: add `--system SYSTEM`\n\n\
        2 deployments: 2 succeeded, 0 failed\n";
    assert_eq!(out, expected);
    assert!(calls(dir.path(), "good").is_empty());
}

/// One router has two links. Its scripts run one after the other.
#[test]
fn several_files_go_to_one_host() {
    let dir = folder("north.yaml hooked\nsite/south.yaml hooked\n");
    let (code, out, err) = deploy(dir.path(), &[]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.starts_with("hooked: north.yaml: deployed\nhooked: site/south.yaml: deployed\n\n"), "{out}");
    let calls = calls(dir.path(), "hooked");
    assert_eq!(calls.iter().filter(|call| call.contains("[sh -s try 5]")).count(), 2, "{calls:?}");
}

#[test]
fn options_apply_to_each_file() {
    let dir = folder("north.yaml good\nsite/south.yaml foreign\n");
    let (code, out, _) = deploy(dir.path(), &["--dry-run"]);
    assert_eq!(code, Some(2));
    assert!(
        out.contains("good: north.yaml: would change") && out.contains("foreign: site/south.yaml: failed: "),
        "{out}"
    );
    assert!(out.ends_with("2 deployments: 1 succeeded, 1 failed\n"), "{out}");
    assert!(calls(dir.path(), "good").iter().all(|call| !call.contains(" try ")));
    let (code, out, err) = deploy(
        dir.path(),
        &["--take-over", "--host", "north.yaml=hooked", "--host", "site/south.yaml=hooked"],
    );
    assert!(code == Some(0) && out.contains("hooked: north.yaml: deployed without a trial\n"), "{out}{err}");
    let (_, out, _) =
        deploy(dir.path(), &["--undo", "--host", "north.yaml=undo", "--host", "site/south.yaml=hooked"]);
    assert!(out.contains("undo: north.yaml: the configuration before is back"), "{out}");
    assert!(out.contains("hooked: site/south.yaml: failed: there is no /etc/qosc/south.before.sh"), "{out}");
}

#[test]
fn all_problems_of_the_inventory_are_named_before_anything_is_deployed() {
    let dir = folder("north.yaml good good\nsouth.yaml good\n# site/south.yaml same\n");
    write(dir.path(), "routers/west.yaml", LINK);
    let words = [
        "error: routers/hosts:1: the host `good` is given twice for `north.yaml`\n",
        "error: routers/hosts:2: there is no file `south.yaml`",
        "error: there is no host for `site/south.yaml` and `west.yaml`\n  help: write a line `site/south.yaml root@ROUTER` to `routers/hosts`\n",
    ];
    refused(dir.path(), &[], 2, &words);
    let words = [
        "error: `--host west.yml=good`: there is no file `west.yml`; did you mean `west.yaml`?\n",
        "error: there is no host for `north.yaml`, `site/south.yaml` and `west.yaml`\n  help: add `--host north.yaml=root@ROUTER`\n",
    ];
    refused(dir.path(), &["--host", "west.yml=good"], 2, &words);
    // Errors in the files are reported in the same run.
    write(dir.path(), "routers/hosts", "north.yaml good\n");
    write(dir.path(), "routers/west.yaml", "link: { device: eth0, up: 10, down: 5mbit }\n");
    refused(
        dir.path(),
        &[],
        2,
        &["the rate `10` has no unit", "there is no host for `site/south.yaml` and `west.yaml`"],
    );
    // A line without a host is no host.
    write(dir.path(), "routers/west.yaml", LINK);
    write(dir.path(), "routers/hosts", "north.yaml # good\nsite/south.yaml same\nwest.yaml same\n");
    refused(dir.path(), &[], 2, &["error: there is no host for `north.yaml`\n"]);
}

#[test]
fn two_files_of_one_link_cannot_share_a_host() {
    let dir = folder("north.yaml good\nsite/south.yaml good same\nsite/north.yaml same good\n");
    let link = LINK.replace("eth0", "eth2");
    write(dir.path(), "routers/site/north.yaml", &link);
    let words =
        ["on host `good`:\nerror[Q1103]: the link name `north` is already used in `routers/north.yaml`\n"];
    refused(dir.path(), &[], 1, &words);
    let same = format!("name: other\n{LINK}");
    write(dir.path(), "routers/site/north.yaml", &same);
    let words = ["on host `good`:\nerror[Q1101]: `eth0` is already the WAN device of link `north`"];
    refused(dir.path(), &[], 1, &words);
    write(dir.path(), "routers/site/north.yaml", &format!("name: other\n{link}"));
    let (code, out, err) = deploy(dir.path(), &[]);
    assert!(code == Some(0) && out.contains("5 deployments: 5 succeeded"), "{out}{err}");
}

#[test]
fn errors_in_one_file_stop_all() {
    let dir = folder("north.yaml good\nsite/south.yaml hooked\n");
    write(dir.path(), "routers/site/south.yaml", "link: { device: eth0, up: 10, down: 5mbit }\n");
    refused(dir.path(), &[], 1, &["the rate `10` has no unit", " --> routers/site/south.yaml:1:"]);
    std::fs::remove_file(dir.path().join("routers/site/south.yaml")).unwrap();
    std::os::unix::fs::symlink("missing", dir.path().join("routers/site/south.yaml")).unwrap();
    refused(dir.path(), &[], 2, &["cannot read `routers/site/south.yaml`"]);
    write(dir.path(), "outside.yaml", LINK);
    std::fs::remove_file(dir.path().join("routers/site/south.yaml")).unwrap();
    std::os::unix::fs::symlink("../../outside.yaml", dir.path().join("routers/site/south.yaml")).unwrap();
    refused(dir.path(), &[], 2, &["it is a link to a file outside of the folder"]);
}

#[test]
fn wrong_arguments_deploy_nothing() {
    let dir = folder("");
    let path = dir.path();
    refused(
        path,
        &[],
        2,
        &[
            "there is no host for `north.yaml` and `site/south.yaml`\n  help: write a line `north.yaml root@ROUTER` to `routers/hosts`",
        ],
    );
    refused(path, &["good"], 2, &["the files of a folder have hosts of their own"]);
    refused(path, &["--inventory", "none"], 2, &["cannot read `none`"]);
    refused(path, &["--inventory", "none", "--host", "a=good"], 2, &["cannot be used with"]);
    refused(path, &["--device", "eth1"], 2, &["`--device` belongs to one file"]);
    for pair in ["good", "=good", "north.yaml="] {
        refused(path, &["--host", pair], 2, &["write a file of the folder and its host, such as"]);
    }
    for (arguments, words) in [
        (&["deploy", "routers/north.yaml"][..], "error: a host is required after the file"),
        (&["deploy", "routers/north.yaml", "--host", "a=b", "good"], "name the hosts of a folder"),
        (&["deploy", "routers/north.yaml", "--inventory", "a", "good"], "name the hosts of a folder"),
    ] {
        let (code, out, err) = texts(ended(command(path, arguments)));
        assert!(code == Some(2) && out.is_empty() && err.contains(words), "{arguments:?}: {out}{err}");
    }
}

/// Names and hosts cannot write lines of their own, and no host is shell syntax or an option of ssh.
#[test]
fn names_and_hosts_are_harmless() {
    let dir = folder("");
    std::fs::rename(
        dir.path().join("routers/north.yaml"),
        dir.path().join("routers/\u{1b}[2J\n::error::x.yaml"),
    )
    .unwrap();
    std::fs::remove_file(dir.path().join("routers/site/south.yaml")).unwrap();
    write(dir.path(), "routers/\u{1b}[2J\n::error::x.yaml", &format!("name: home\n{LINK}"));
    refused(dir.path(), &[], 2, &["there is no host for `␛[2J␊::error::x.yaml`"]);
    let pair = "\u{1b}[2J\n::error::x.yaml=-oProxyCommand=touch pwned";
    refused(dir.path(), &["--host", pair], 2, &["there is no file `"]);
    write(dir.path(), "routers/hosts", "x.yaml -oProxyCommand=touch$IFS$(pwned)\n");
    std::fs::rename(dir.path().join("routers/\u{1b}[2J\n::error::x.yaml"), dir.path().join("routers/x.yaml"))
        .unwrap();
    let (code, out, err) = deploy(dir.path(), &[]);
    assert!(
        code == Some(0) && out.contains("-oProxyCommand=touch$IFS$(pwned): x.yaml: deployed"),
        "{out}{err}"
    );
    assert!(!dir.path().join("pwned").exists());
}
