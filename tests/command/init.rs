//! The file that `qosc init` writes has no findings, neither unchanged nor with all its suggestions uncommented.

#![cfg(test)]

use std::path::Path;
use std::process::{Command, Output};

fn qosc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(folder).output().unwrap()
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

/// The names of the link profiles.
fn profiles() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("profiles/link");
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    names.map(|path| path.file_stem().unwrap().to_string_lossy().into_owned()).collect()
}

/// A device and rates that are typical of lines with this profile.
fn typical(profile: &str) -> (&'static str, &'static [(&'static str, &'static str)]) {
    let device = if profile.contains("ppp") { "ppp0" } else { "eth1" };
    let rates: &[_] = match profile.split('-').next().unwrap() {
        "adsl" => &[("1mbit", "8mbit"), ("1mbit", "16mbit"), ("3.5mbit", "25mbit")],
        "vdsl2" => {
            &[("6.5mbit", "25mbit"), ("10mbit", "50mbit"), ("40mbit", "100mbit"), ("40mbit", "250mbit")]
        }
        "docsis" => &[("10mbit", "100mbit"), ("50mbit", "500mbit"), ("50mbit", "1gbit")],
        "fibre" => &[("50mbit", "100mbit"), ("500mbit", "1gbit"), ("1gbit", "1gbit")],
        "conservative" | "wireless" => &[("1mbit", "10mbit"), ("5mbit", "30mbit"), ("20mbit", "100mbit")],
        _ => &[("100mbit", "100mbit"), ("1gbit", "1gbit")],
    };
    (device, rates)
}

/// Uncomments every line that begins with `# `.
fn in_force(file: &str) -> String {
    let line = |line: &str| {
        let bare = line.trim_start();
        let indent = " ".repeat(line.len() - bare.len());
        bare.strip_prefix("# ").map_or_else(|| line.to_owned(), |rest| format!("{indent}{rest}")) + "\n"
    };
    file.lines().map(line).collect()
}

#[test]
fn init_writes_a_file_without_findings_for_every_profile() {
    let dir = tempfile::tempdir().unwrap();
    for profile in profiles() {
        let (device, rates) = typical(&profile);
        for (up, down) in rates {
            let arguments = ["init", "--profile", &profile, "--device", device, "--up", up, "--down", down];
            let output = qosc(dir.path(), &arguments);
            assert!(
                output.status.success() && output.stderr.is_empty(),
                "{arguments:?}: {}",
                text(output.stderr)
            );
            let file = text(output.stdout);
            let whole = in_force(&file);
            assert_eq!(whole.matches("kind: wireguard").count(), 1);
            assert_ne!(file, whole);
            for (kind, file) in [("plain", file), ("whole", whole)] {
                let folder = dir.path().join(format!("{profile}-{up}-{down}-{kind}"));
                std::fs::create_dir(&folder).unwrap();
                std::fs::write(folder.join("home.yaml"), file).unwrap();
            }
        }
    }
    let output = qosc(dir.path(), &["check", "--format", "json", "."]);
    assert_eq!(text(output.stdout), "[]\n");
    assert!(output.status.success());
}

#[test]
fn init_explains_every_line() {
    let dir = tempfile::tempdir().unwrap();
    let arguments =
        ["init", "--profile", "docsis", "--device", "eth1", "--up", "10mbit", "--down", "100mbit"];
    let file = text(qosc(dir.path(), &arguments).stdout);
    let mut explained = false;
    for line in file.lines().map(str::trim_start) {
        let section = line.ends_with(':')
            || line.starts_with("#  ")
            || line == "down: 100mbit"
            || line.starts_with("preset");
        if !line.is_empty() && !line.starts_with("##") {
            assert!(explained || section, "{line}");
        }
        explained = line.starts_with("##");
    }
    assert!(file.contains("ip route get") && file.contains("status page") && file.contains("qosc profiles"));
}

#[test]
fn init_quotes_device_names_where_yaml_needs_it() {
    let dir = tempfile::tempdir().unwrap();
    for device in ["wan", "no", "5", "1e3", "eth0.7", "null"] {
        let arguments = [
            "init",
            "--profile",
            "fibre",
            "--device",
            device,
            "--up",
            "50mbit",
            "--down",
            "100mbit",
            "--force",
            "-o",
            "home.yaml",
        ];
        let output = qosc(dir.path(), &arguments);
        assert!(output.status.success(), "{device}: {}", text(output.stderr));
        let output = qosc(dir.path(), &["compile", "home.yaml", "--emit", "model"]);
        assert!(text(output.stdout).contains(&format!("\"{device}\"")), "{device}");
    }
}

#[test]
fn init_does_not_overwrite_a_file() {
    let dir = tempfile::tempdir().unwrap();
    let arguments = [
        "init",
        "--profile",
        "fibre",
        "--device",
        "eth1",
        "--up",
        "50mbit",
        "--down",
        "100mbit",
        "-o",
        "home.yaml",
    ];
    std::fs::write(dir.path().join("home.yaml"), "mine").unwrap();
    let output = qosc(dir.path(), &arguments);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(output.stderr), "error: `home.yaml` already exists; `--force` overwrites it\n");
    assert_eq!(std::fs::read_to_string(dir.path().join("home.yaml")).unwrap(), "mine");
    let output = qosc(dir.path(), &[&arguments[..], &["--force"]].concat());
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(std::fs::read_to_string(dir.path().join("home.yaml")).unwrap().contains("device: eth1"));
}

#[test]
fn without_a_terminal_init_lists_all_missing_options() {
    let dir = tempfile::tempdir().unwrap();
    let output = qosc(dir.path(), &["init", "--up", "10mbit"]);
    assert_eq!(output.status.code(), Some(2));
    let said = text(output.stderr);
    for word in [
        "--device is missing",
        "--profile is missing",
        "--down is missing",
        "ip route get 1.1.1.1",
        "qosc profiles",
    ] {
        assert!(said.contains(word), "{word}: {said}");
    }
    assert!(!said.contains("--up is missing"), "{said}");
    let output = qosc(dir.path(), &["init", "--profile", "docsys"]);
    assert_eq!(text(output.stderr), "error: there is no profile `docsys`; did you mean `docsis`?\n");
    assert_eq!(qosc(dir.path(), &["init", "--up", "10mbps"]).status.code(), Some(2));
}

#[test]
fn a_router_that_is_read_answers_what_it_can() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let ip = folder.path().join("ip");
    let words = "#!/bin/sh\ncase $* in\n*route*) echo '1.1.1.1 via 192.0.2.1 dev wan0 src 192.0.2.9 uid 0' ;;\n\
        *addr*) echo '2: wan0    inet 192.168.9.9/24 scope global'; echo '3: lan0    inet 192.168.1.1/24 scope global' ;;\nesac\n";
    std::fs::write(&ip, words).unwrap();
    std::fs::set_permissions(&ip, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let init = |arguments: &[&str]| {
        let mut program = Command::new(env!("CARGO_BIN_EXE_qosc"));
        program.args(["init", "--from", "localhost"]).args(arguments).env("PATH", &path);
        program.current_dir(folder.path()).output().unwrap()
    };
    let output = init(&["--profile", "fibre", "--up", "50mbit", "--down", "250mbit"]);
    let written = text(output.stdout);
    assert!(output.status.success(), "{}", text(output.stderr));
    assert!(written.contains("\n  device: wan0\n") && written.contains("\n  device: lan0\n"), "{written}");
    let checked = folder.path().join("home.yaml");
    std::fs::write(&checked, &written).unwrap();
    assert_eq!(text(qosc(folder.path(), &["check", "home.yaml"]).stderr), "no findings\n");
    // It does not guess a rate.
    let output = init(&["--profile", "fibre"]);
    let words = text(output.stderr);
    assert!(
        !output.status.success() && words.contains("--up is missing") && !words.contains("--device"),
        "{words}"
    );
}
