//! Output for people: nothing from a file, a name or a dump controls the terminal or gives a CI system a command.

#![cfg(test)]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output};

const LINK: &str = "link: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";

/// Moves the cursor, begins a line with a command of GitHub, and turns the direction of text.
const HOSTILE: &str = "a\u{1b}[2J\n::error::b\u{9b}31m\u{202e}##[error]c\u{e0041}";

fn qosc(dir: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(dir).output().unwrap()
}

fn is_harmful(c: char) -> bool {
    c != '\n' && qosc_compiler::harmless::is_hidden(c)
}

/// Checks both streams, and returns them as one text.
fn harmless(output: &Output) -> String {
    let text =
        [output.stdout.as_slice(), &output.stderr].map(|bytes| String::from_utf8(bytes.to_vec()).unwrap());
    let text = text.concat();
    assert!(!text.contains(is_harmful), "{text:?}");
    for line in text.lines() {
        assert!(!line.trim_start().starts_with("::") && !line.contains("##["), "{line:?} in {text}");
    }
    text
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

#[test]
fn names_of_files_that_cannot_be_read() {
    let dir = folder(&[("good.yaml", LINK)]);
    for arguments in [
        &["check", HOSTILE][..],
        &["check", "--fix", "--yes", HOSTILE],
        &["compile", HOSTILE],
        &["compile", "good.yaml", "-o", &format!("{HOSTILE}/x")],
        &["explain", HOSTILE],
        &["graph", HOSTILE],
        &["graph", "good.yaml", "--dump", HOSTILE],
        &["plan", HOSTILE, "--live"],
        &["plan", "good.yaml", "--dump", HOSTILE],
        &["diff", HOSTILE, "good.yaml"],
        &["diff", "good.yaml", &format!("{HOSTILE}:x")],
        &["import", "sqm", HOSTILE],
        &["fit", HOSTILE],
        &["plot", HOSTILE],
        &["plot", "good.yaml", "-o", HOSTILE],
        &["lab", HOSTILE],
    ] {
        let output = qosc(dir.path(), arguments);
        let text = harmless(&output);
        assert!(output.status.code() == Some(2) && text.starts_with("error: "), "{arguments:?}: {text}");
        // No line of the message is one that the name wrote.
        assert!(!text.contains("\n�"), "{text}");
    }
}

#[test]
fn words_of_the_command_line() {
    let dir = folder(&[]);
    for arguments in
        [&[HOSTILE][..], &["check", &format!("--{HOSTILE}")], &["rule", HOSTILE], &["profiles", HOSTILE]]
    {
        let output = qosc(dir.path(), arguments);
        assert_eq!(output.status.code(), Some(2));
        harmless(&output);
    }
    let name = OsStr::from_bytes(b"\xff\x1b[2J");
    let output = Command::new(env!("CARGO_BIN_EXE_qosc")).arg("check").arg(name).output().unwrap();
    harmless(&output);
}

#[test]
fn names_of_files_with_findings() {
    let name = &format!("{HOSTILE}.yaml");
    let bad = format!("{LINK}classes: {{ a: {{ prioritty: 1 }} }}\n");
    let dir = folder(&[(name, &bad)]);
    for arguments in [
        &["check", name][..],
        &["check", "--format", "short", name],
        &["check", "--fix", name],
        &["check", "."],
        &["compile", name],
        &["explain", name],
        &["graph", name],
        &["diff", name, name],
    ] {
        let text = harmless(&qosc(dir.path(), arguments));
        assert!(text.contains("a␛[2J␊::error::b"), "{arguments:?}: {text}");
    }
    let dir = folder(&[(name, &format!("name: home\n{LINK}"))]);
    for arguments in [&["explain", name][..], &["explain", "-v", name]] {
        harmless(&qosc(dir.path(), arguments));
    }
    let text = harmless(&qosc(dir.path(), &["plan", "."]));
    assert!(text.contains("a␛[2J␊::error::b"), "{text}");
}

#[test]
fn names_in_a_file_are_no_commands() {
    let classes = "classes:\n  \"::error::a\": { match: { protocol: tcp, remote_port: 5 } }\n  \"##[error]b\": { match: { protocol: tcp, remote_port: 5 } }\n  rest: { default: true }\n";
    let text = format!("name: home\n{LINK}{classes}");
    let more = text.replace("remote_port: 5", "remote_port: 6").replace("::a", "::c").replace("]b", "]d");
    let wrong = text
        .replace("protocol: tcp", "protocoll: tcp")
        .replace("classes:", "##[error]: 1\n::error::x: 2\nclasses:");
    let dir = folder(&[("home.yaml", &text), ("more.yaml", &more), ("wrong.yaml", &wrong)]);
    let script = String::from_utf8(qosc(dir.path(), &["compile", "home.yaml"]).stdout).unwrap();
    std::fs::write(
        dir.path().join("home.sh"),
        script.replace("\nset -", "\n::error::y\u{1b}[2J\u{202e}\n##[error]\nset -"),
    )
    .unwrap();
    for arguments in [
        &["check", "home.yaml", "more.yaml"][..],
        &["check", "wrong.yaml"],
        &["check", "--format", "short", "wrong.yaml"],
        &["check", "--format", "json", "wrong.yaml"],
        &["check", "--format", "sarif", "wrong.yaml"],
        &["check", "--fix", "wrong.yaml"],
        &["explain", "home.yaml"],
        &["explain", "-v", "home.yaml"],
        &["explain", "--class", "::error::a", "home.yaml"],
        &["explain", "--format", "json", "home.yaml"],
        &["explain", "home.yaml", "--packet", "up tcp 192.168.1.2:1 -> 9.9.9.9:5"],
        &["diff", "home.yaml", "more.yaml"],
        &["diff", "--verbose", "home.yaml", "more.yaml"],
        &["diff", "--format", "json", "home.yaml", "more.yaml"],
        &["diff", "--format", "script", "home.yaml", "more.yaml"],
        &["diff", "--format", "script", "home.sh", "more.yaml"],
        &["compile", "home.yaml"],
        &["compile", "--emit", "plain", "home.yaml"],
        &["compile", "--emit", "batch", "home.yaml"],
        &["compile", "--emit", "ir", "home.yaml"],
        &["compile", "--emit", "model", "home.yaml"],
        &["check", "--format", "junit", "home.yaml", "more.yaml"],
        &["graph", "--format", "svg", "home.yaml"],
        &["graph", "--format", "dot", "home.yaml"],
        &["graph", "--format", "mermaid", "home.yaml"],
    ] {
        let output = qosc(dir.path(), arguments);
        let text = harmless(&output);
        assert!(output.status.code() < Some(2), "{arguments:?}: {text}");
    }
    // This format consists of commands, but they are ours alone.
    let text = qosc(dir.path(), &["check", "--format", "github", "home.yaml", "more.yaml"]).stdout;
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains("error]b") && !text.contains("##["), "{text}");
    assert!(
        text.lines().all(|line| line.starts_with("::warning ") || line.starts_with("::notice ")),
        "{text}"
    );
    // The script still carries the file.
    let script = qosc(dir.path(), &["compile", "home.yaml"]).stdout;
    std::fs::write(dir.path().join("carried.sh"), script).unwrap();
    assert_eq!(qosc(dir.path(), &["diff", "carried.sh", "home.yaml"]).status.code(), Some(0));
}

/// A text of the user is never changed. If it has commands, it can only go to a file.
#[test]
fn texts_of_the_user_are_no_commands() {
    let bad = format!("{LINK}# ##[error]a\nclasses: {{ a: {{ prioritty: 1, default: true }} }}\n");
    let dir = folder(&[("bad", &bad)]);
    let run = |to: Option<&Path>| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_qosc"));
        command.args(["check", "--fix", "--yes", "-"]).current_dir(dir.path());
        command.stdin(std::fs::File::open(dir.path().join("bad")).unwrap());
        if let Some(to) = to {
            command.stdout(std::fs::File::create(to).unwrap());
        }
        command.output().unwrap()
    };
    let output = run(None);
    let text = harmless(&output);
    assert!(output.status.code() == Some(2) && output.stdout.is_empty(), "{text}");
    assert!(text.contains("line 2 of the result is a command to some CI systems"), "{text}");
    let to = dir.path().join("result");
    assert_ne!(run(Some(&to)).status.code(), Some(2));
    let result = std::fs::read_to_string(to).unwrap();
    assert!(result.contains("\n# ##[error]a\n"), "{result}");
}

/// Names in the files of other tools become names and comments of the YAML.
#[test]
fn names_in_a_file_to_import_are_no_commands() {
    let fire = "interface eth0 w output rate 10mbit\n class '##[error]a' commit 1mbit\n  match tcp port 5 # ##[error]b\n class '##vso[c' commit '##[d'\n";
    let sqm = "config queue '##[error]q'\n option enabled 1\n option interface eth0\n option upload 9000\n option download 90000\n option x '##[error]'\n";
    let tree = "==> tc -d qdisc show dev ##[error]\nqdisc ##[error] 1: dev eth0 root\nqdisc htb 1: dev eth0 root ##[error]x\nclass htb 1:1 dev eth0 root rate 1Mbit ceil 1Mbit ##[error]\n";
    let dir = folder(&[("fire", fire), ("sqm", sqm), ("tc", tree)]);
    for arguments in [["import", "fireqos", "fire"], ["import", "sqm", "sqm"], ["import", "tc", "tc"]] {
        let output = qosc(dir.path(), &arguments);
        harmless(&output);
    }
    let text = String::from_utf8(qosc(dir.path(), &["import", "fireqos", "fire"]).stdout).unwrap();
    assert!(text.contains("\"\\x23#[error]a\":"), "{text}");
}

#[test]
fn texts_of_a_dump_and_of_a_script() {
    let dir = folder(&[("home.yaml", &format!("name: home\n{LINK}"))]);
    let script = String::from_utf8(qosc(dir.path(), &["compile", "home.yaml"]).stdout).unwrap();
    let version = format!("made by qosc {}", env!("CARGO_PKG_VERSION"));
    let old = script.replacen(&version, "made by qosc 0\u{1b}[2J\u{202e}##[error]", 1);
    assert_ne!(old, script);
    std::fs::write(dir.path().join("old.sh"), old.replace("handle", "handel")).unwrap();
    harmless(&qosc(dir.path(), &["diff", "old.sh", "home.yaml"]));
    let hostile = "other\u{1b}[2J\u{202e}##[error]";
    for (head, words) in [
        (format!("1, link {hostile}, wan eth0"), "the dump is of link `other␛[2J"),
        (format!("1, link home, wan {hostile}"), ""),
        (
            format!("3, link {hostile}"),
            "does not know the format of the dump: `# qosc dump 3, link other␛[2J",
        ),
    ] {
        std::fs::write(dir.path().join("dump"), format!("# qosc dump {head}\n==> tc -V\n{hostile}\n"))
            .unwrap();
        for command in ["plan", "graph"] {
            let text = harmless(&qosc(dir.path(), &[command, "home.yaml", "--dump", "dump"]));
            assert!(text.contains(words), "{text}");
        }
    }
}

/// A result file of `ping` with a hostile label.
#[test]
fn labels_of_results() {
    let series =
        serde_json::json!({ "target": HOSTILE, "address": "::1", "dscp": "ef", "samples": [[0, 5]] });
    let run = serde_json::json!({
        "format": "qosc-run 1", "label": HOSTILE, "started": HOSTILE, "took_us": 1, "interval_us": 1, "size": 64,
        "series": [series],
    });
    let dir = folder(&[("run.json", &run.to_string()), ("data", HOSTILE)]);
    let output = qosc(dir.path(), &["plot", "run.json"]);
    assert!(harmless(&output).contains("a␛[2J") && output.status.success());
    assert_eq!(qosc(dir.path(), &["plot", "run.json", "-o", "run.svg"]).status.code(), Some(0));
    assert!(harmless(&qosc(dir.path(), &["fit", "data"])).contains("a␛[2J"));
    for name in ["run.svg", "run.html"] {
        assert_eq!(qosc(dir.path(), &["plot", "run.json", "-o", name]).status.code(), Some(0));
        let text = std::fs::read_to_string(dir.path().join(name)).unwrap();
        assert!(!text.contains(is_harmful) && !text.contains("##["), "{name}");
    }
}
