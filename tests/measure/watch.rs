//! `qosc watch` with stand-ins for `ssh` and `tc`: what it calls, prints and writes, and how it ends.

#![cfg(test)]

use crate::golden;
use crate::tools;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Three samples of a test kernel.
const SAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/measure/src/watch/samples/htb.txt");

/// A folder with stand-ins for commands.
struct Stand(tempfile::TempDir);

impl Stand {
    fn new() -> Stand {
        Stand(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn with(self, name: &str, script: &str) -> Stand {
        let path = self.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        self
    }

    /// An ssh that keeps its arguments and its input, and prints the samples.
    fn with_router() -> Stand {
        Stand::new()
            .with("ssh", &format!("printf '%s\\n' \"$@\" >\"$0.args\"\ncat >\"$0.input\"\ncat '{SAMPLES}'\n"))
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_qosc"));
        let path = std::env::var("PATH").unwrap_or_default();
        command.arg("watch").args(arguments).current_dir(self.path());
        command.env("PATH", format!("{}:{path}", self.path().display())).stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path().join(name)).unwrap_or_default()
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn one_connection_carries_all_samples() {
    let stand = Stand::with_router();
    let output = stand.run(&["root@router", "--count", "2", "--interval", "2s", "--link", "seen"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    golden::assert_golden!("watch_plain", String::from_utf8(output.stdout).unwrap());
    let args = stand.read("ssh.args");
    assert!(args.contains("\nBatchMode=yes\n"), "{args}");
    // One sample more than the blocks, because the first has no rates.
    assert!(args.ends_with("\n--\nroot@router\nsh\n-s\n--\n2\n3\nseen\n"), "{args}");
    let script = include_str!("../../templates/watch.sh");
    assert_eq!(stand.read("ssh.input"), script);
}

#[test]
fn an_error_of_ssh_is_passed_on() {
    let stand = Stand::new()
        .with("ssh", "cat >/dev/null\necho 'root@router: Permission denied (publickey).' >&2\nexit 255\n");
    let output = stand.run(&["router", "--plain"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(said(&output), "error: cannot reach `router`: root@router: Permission denied (publickey).\n");
    let stand = Stand::new().with("ssh", "cat >/dev/null\necho 'This account is not available.'\nexit 1\n");
    let output = stand.run(&["router", "--plain"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        said(&output).contains("`This account is not available.`, which is not a sample"),
        "{}",
        said(&output)
    );
}

#[test]
fn a_lost_connection_is_an_error_after_the_samples() {
    let stand = Stand::new().with("ssh", &format!("cat >/dev/null\ncat '{SAMPLES}'\nexit 255\n"));
    let output = stand.run(&["router", "--plain"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.starts_with(b"seen: uploads on "), "{}", said(&output));
    assert_eq!(said(&output), "error: cannot reach `router`\n");
}

#[test]
fn a_router_without_a_started_script_is_an_error() {
    let stand =
        Stand::new().with("ssh", "cat >/dev/null\nprintf '==> links\\n==> sample 1.00\\n==> end\\n'\n");
    let output = stand.run(&["router", "--link", "home"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        said(&output),
        "error: router has no started link `home`\n  help: run the `start` of its script first; `qosc compile` writes the script\n"
    );
}

#[test]
fn wrong_arguments_start_nothing() {
    let stand = Stand::with_router();
    for arguments in [
        &["router", "--interval", "499ms"][..],
        &["router", "--interval", "2h"],
        &["router", "--count", "0"],
        &["router", "--html", "-"],
        &["router", "--link", "a b"],
        &[""],
    ] {
        let output = stand.run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && said(&output).starts_with("error: "), "{}", said(&output));
    }
    let output = stand.run(&["--", "-oProxyCommand=touch${IFS}owned"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(stand.read("ssh.args").contains("\n--\n-oProxyCommand=touch${IFS}owned\nsh\n"));
}

/// The loop itself, with a `tc` whose counter rises with each call.
#[test]
fn the_loop_reads_records_and_counters() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    let stand = Stand::new().with(
        "tc",
        "echo x >>\"$0.calls\"\nn=$(wc -l <\"$0.calls\")\n\
         case $2 in\nqdisc) echo 'qdisc htb c05: root refcnt 2 r2q 10' ;;\n\
         class) echo 'class htb c05:20 root prio 0 rate 1Mbit ceil 2Mbit burst 1b cburst 1b' ;;\nesac\n\
         echo \" Sent $((n * 1000)) bytes 1 pkt (dropped $n, overlimits 0 requeues 0)\"\n",
    );
    let folder = stand.path().join("run/home");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::create_dir_all(stand.path().join("run/empty")).unwrap();
    std::fs::write(folder.join("state"), "by 0 on lo 1, header 0, ethtool yes, boot 0\n").unwrap();
    let class = "class add dev @wan parent c05: classid c05:1 htb rate 1bit # home: all uploads (home.yaml:2)\n\
                 class add dev @wan parent c05:1 classid c05:20 htb rate 1bit # voice (home.yaml:5)\n";
    std::fs::write(folder.join("described"), class).unwrap();
    // The script puts the system's folders first, so this shell leaves them out.
    let loop_only = include_str!("../../templates/watch.sh").replace(
        "PATH=/usr/sbin:/usr/bin:/sbin:/bin${PATH:+:$PATH}",
        &format!("PATH={}:$PATH", stand.path().display()),
    );
    assert!(loop_only.contains(&format!("PATH={}", stand.path().display())));
    for shell in [&["dash"][..], &["bash"], &["busybox", "ash"]] {
        let path = stand.path().join("loop.sh");
        std::fs::write(&path, &loop_only).unwrap();
        let run = Command::new(shell[0])
            .args(&shell[1..])
            .args(["-s", "--", "0.5", "3", "home"])
            .stdin(std::fs::File::open(&path).unwrap())
            .env("QOSC_RUN", stand.path().join("run"))
            .output()
            .unwrap();
        assert!(run.status.success(), "{shell:?}: {}", said(&run));
        let text = String::from_utf8(run.stdout).unwrap();
        let mut watch = qosc_measure::watch::Watch::default();
        let views: Vec<_> = text.split_inclusive("==> end\n").map(|text| watch.add(text).unwrap()).collect();
        assert_eq!(views.len(), 3, "{shell:?}: {text}");
        assert_eq!(text.matches("==> links\n").count(), 1, "{shell:?}: {text}");
        let rows = &views[2].links[0].tables[0].rows;
        assert_eq!((rows[0].seen.drops, rows[1].name.as_str()), (Some(2), "voice"), "{shell:?}: {text}");
        assert!(rows[1].seen.rate.is_some_and(|rate| rate.bps() > 0), "{shell:?}: {text}");
    }
}

#[test]
fn a_closed_pipe_ends_it() {
    let stand = Stand::new()
        .with("ssh", &format!("cat >/dev/null\nwhile cat '{SAMPLES}' 2>/dev/null; do sleep 0.1; done\n"));
    let mut child = stand.command(&["router", "--plain"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    output.read_line(&mut line).unwrap();
    drop(output);
    assert!(line.starts_with("seen: "), "{line}");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_page_is_replaced_as_a_whole() {
    let stand = Stand::with_router();
    let output = stand.run(&["router", "--html", "page.html"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(said(&output), "writing to `page.html`; Ctrl-C stops it\n");
    let page = stand.read("page.html");
    assert!(page.starts_with("<!DOCTYPE html>") && page.ends_with("</html>\n"), "{page}");
    assert!(page.contains("<h1>seen on router</h1>") && page.contains("<svg "), "{page}");
    let mut names: Vec<_> =
        std::fs::read_dir(stand.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["page.html", "ssh", "ssh.args", "ssh.input"]);
}
