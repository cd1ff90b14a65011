//! `qosc check --fix`: the findings that it fixes, and that it changes nothing else.

#![cfg(test)]

use crate::blocks::blocks;
use qosc_compiler::diag::Code;
use qosc_compiler::rules::{self, Page};
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn qosc(dir: &Path, words: &str) -> Output {
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.args(words.split_whitespace()).current_dir(dir).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn folder<'a>(files: impl IntoIterator<Item = (&'a str, &'a str)>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    dir
}

fn read(dir: &Path) -> BTreeMap<String, String> {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap());
    let name = |entry: &std::fs::DirEntry| entry.file_name().into_string().unwrap();
    files.map(|entry| (name(&entry), std::fs::read_to_string(entry.path()).unwrap())).collect()
}

/// The findings of each file of a folder.
fn found(dir: &Path) -> BTreeMap<String, Vec<Value>> {
    let output = qosc(dir, "check --format json .");
    let all: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut found: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for finding in all {
        let file = finding["file"].as_str().unwrap().trim_start_matches("./").to_owned();
        found.entry(file).or_default().push(finding);
    }
    found
}

fn codes(found: Option<&Vec<Value>>) -> Vec<&str> {
    found.into_iter().flatten().map(|finding| finding["code"].as_str().unwrap()).collect()
}

/// A configuration with a link, followed by the text under test.
fn home(rest: &str) -> String {
    format!(
        "# the house\nname: home\nlink:\n  device: eth0 # WAN\n  profile: docsis\n  up: 20mbit\n  down: 100mbit\n{rest}"
    )
}

/// Expands each `«written¦meant»`: the first text has the written forms, the second has the intended ones.
fn both(marked: &str) -> (String, String) {
    let (mut before, mut after, mut rest) = (String::new(), String::new(), marked);
    while let Some((plain, change)) = rest.split_once('«') {
        let (change, behind) = change.split_once('»').unwrap();
        let (written, meant) = change.split_once('¦').unwrap();
        before.extend([plain, written]);
        after.extend([plain, meant]);
        rest = behind;
    }
    (before + rest, after + rest)
}

const CURES: &[&str] = &[
    "«laan¦lan»: { networks: auto } # why\n",
    "lan: { «Networks¦networks»: auto }\n",
    "tuning: { offloads: «Keep¦keep», txqueuelen: «1_000¦1000» }\n",
    "tuning: { tcp: { rtt: «40 msec¦40ms» } } # 40 msec\n",
    "lan: { networks: [«\"[2001:db8::1]\"¦\"2001:db8::1\"», «192.168.8.0/255.255.255.0¦192.168.8.0/24»] }\n",
    "lan:\n  nat: «\"true\"¦true»  # here\n",
    "lan: { networks: [«2001:db8::¦\"2001:db8::\"»] }\n",
    "lan: { nat: «yes¦true», «nat: yes, ¦»networks: auto }\n",
    "lan:\n  nat: true\n«  nat: true\n¦»  networks: auto\n",
    "tuning:\n  offloads:«¦ »keep\n  txqueuelen: 1000\n",
    "lan: { nat:«¦ »true, networks: auto }\n",
    "classes:\n  web:\n    «prioritty¦priority»: 3 # third\n    match:\n      - protocol: «tpc¦tcp»\n        remote_port: «http¦80»\n      # all of it\n      - { protocol: udp, port: «5060:5061¦5060-5061» }\n  rest: { «Default¦default»: «on¦true» }\n",
    "classes:\n  web:\n    match:\n      - { protocol: tcp, remote_port: 22-23 }\n«      - { protocol: tcp, remote_port: 22 }\n¦»      - { protocol: udp, remote_port: 53 }\n  rest: { default: true }\n",
    "classes:\n  web: { match: [{ protocol: tcp, remote_port: 22-23 }«, { protocol: tcp, remote_port: 22 }¦»] }\n  rest: { default: true }\n",
    "classes:\n  web: { match: [{ protocol: «tcp/udp¦[tcp, udp]», remote_port: 53 }, { dscp: «'be'¦'cs0'», direction: up }] }\n  rest: { default: true, share: «per_host¦per-host» }\n",
    "lan: { networks: auto }« # qosc: allow(Q0601)¦»\n",
    "«# qosc: allow(Q0601)\n¦»lan: { networks: auto } # qosc\n",
    "lan: { networks: auto } # «qosc: allow(Q0601) ¦»words for people\n",
    "lan: { networks: auto }«  # qosc: allow(Q0601, Q0201)¦»\n",
];

#[test]
fn fixes_are_applied_and_nothing_else_changes() {
    let dir = tempfile::tempdir().unwrap();
    let mut wanted = BTreeMap::new();
    for (number, marked) in CURES.iter().enumerate() {
        let (before, after) = both(&home(marked));
        for (ending, line) in [("lf", "\n"), ("crlf", "\r\n")] {
            let name = format!("{number:02}-{ending}.yaml");
            std::fs::write(dir.path().join(&name), before.replace('\n', line)).unwrap();
            wanted.insert(name, after.replace('\n', line));
        }
    }
    qosc(dir.path(), "check --fix --yes -A Q0615 .");
    let made = read(dir.path());
    for (name, wanted) in &wanted {
        assert_eq!(made[name], *wanted, "{name}");
    }
    // One run is enough: a second run finds nothing to fix.
    let again = qosc(dir.path(), "check --fix --yes .");
    assert_eq!(read(dir.path()), made);
    assert!(text(&again.stderr).contains("`--fix` can fix nothing here"), "{}", text(&again.stderr));
}

#[test]
fn ambiguous_findings_have_no_fix() {
    let lines = [
        "lan: { networks: [192.168.1.1/24] }",
        "lan: { nat: true, nat: false }",
        "lan: { networks: 192.168.010.1 }",
        "tuning: { txqueuelen: 010 }",
        "tuning: { tcp: { rtt: 40 } }",
        "tuning: { tcp: { rtt: 1,500ms } }",
        "hosts: { desk: { address: 192.168.1.5 } }\npolice:\n  g: { direction: down, match: [{ host: desk2 }], rate: 4mbps }",
        "police: { g: { direction: down, rate: 6500, match: [{ protocol: ipv4, dport: 22 }] } }",
        "police: { g: { direction: down, rate: 4, match: [{ protocol: udp, length: \"<64\", length: \"<65\" }] } }",
        "police: { g: { direction: down, rate: 4mbi, match: [{ dscp: af14 }, { dscp: 0x28 }] } }",
        "name2: null",
    ];
    let files: Vec<(String, String)> =
        lines.iter().enumerate().map(|(n, line)| (format!("{n}.yaml"), home(line) + "\n")).collect();
    let dir = folder(files.iter().map(|(name, text)| (name.as_str(), text.as_str())));
    for (name, _) in &files {
        let found = &found(dir.path())[name];
        assert!(found.iter().all(|finding| finding["fix"].is_null()), "{name}: {found:#?}");
    }
}

#[test]
fn without_yes_only_a_diff_is_printed() {
    let (before, after) = both(&home("«laan¦lan»: { networks: auto }\n"));
    let dir = folder([("home.yaml", before.as_str())]);
    let output = qosc(dir.path(), "check --fix home.yaml");
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(text(&output.stdout), @r"
    --- home.yaml
    +++ home.yaml
    @@ -5,4 +5,4 @@
       profile: docsis
       up: 20mbit
       down: 100mbit
    -laan: { networks: auto }
    +lan: { networks: auto }
    ");
    let said = text(&output.stderr);
    assert!(
        said.contains("error[Q0102]") && said.contains("`--yes` would fix 1 finding in 1 file"),
        "{said}"
    );
    assert_eq!(read(dir.path())["home.yaml"], before);
    for words in
        ["check --fix --format json home.yaml", "check --fix --yes --format sarif -", "check --yes home.yaml"]
    {
        assert_eq!(qosc(dir.path(), words).status.code(), Some(2), "{words}");
    }
    let output = qosc(dir.path(), "check --fix --yes --format json home.yaml");
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("[]\n", Some(0)));
    assert_eq!(read(dir.path())["home.yaml"], after);
    // Without `--fix`, `check` says that a certain fix exists.
    std::fs::write(dir.path().join("home.yaml"), before).unwrap();
    assert!(
        text(&qosc(dir.path(), "check home.yaml").stderr).contains("`qosc check --fix` can fix 1 of them")
    );
}

#[test]
fn fixed_standard_input_goes_to_standard_output() {
    let through = |words: &str, yaml: &str| {
        let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
        qosc.args(words.split_whitespace())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = qosc.spawn().unwrap();
        child.stdin.take().unwrap().write_all(yaml.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let (before, after) = both(&home("«laan¦lan»: { networks: auto }\nx: 1\n"));
    let output = through("check --fix --yes -", &before);
    assert_eq!((text(&output.stdout), output.status.code()), (after, Some(1)));
    assert!(text(&through("check --fix -", &before).stdout).starts_with("--- <stdin>\n+++ <stdin>\n"));
    assert_eq!(text(&through("check --fix --yes -", &home("")).stdout), home(""));
    // If standard output cannot be written, the command fails.
    let dir = folder([("home.yaml", home("").as_str())]);
    let full = std::fs::File::create("/dev/full").unwrap();
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.args(["check", "--fix", "--yes", "-"])
        .stdin(std::fs::File::open(dir.path().join("home.yaml")).unwrap());
    assert_eq!(qosc.stdout(full).stderr(Stdio::null()).status().unwrap().code(), Some(2));
}

#[test]
fn fixing_keeps_file_modes_and_symbolic_links() {
    let (before, after) = both(&home("«laan¦lan»: { networks: auto }\n"));
    let dir = folder([("real", before.as_str()), ("fine.yaml", &home(""))]);
    let real = dir.path().join("real");
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink("real", dir.path().join("link.yaml")).unwrap();
    let fine = std::fs::metadata(dir.path().join("fine.yaml")).unwrap().modified().unwrap();
    assert_eq!(qosc(dir.path(), "check --fix --yes .").status.code(), Some(0));
    assert!(std::fs::symlink_metadata(dir.path().join("link.yaml")).unwrap().is_symlink());
    assert_eq!(std::fs::read_to_string(&real).unwrap(), after);
    assert_eq!(std::fs::metadata(&real).unwrap().permissions().mode() & 0o7777, 0o640);
    assert_eq!(std::fs::metadata(dir.path().join("fine.yaml")).unwrap().modified().unwrap(), fine);
    assert_eq!(read(dir.path()).len(), 3, "nothing is left behind");
}

#[test]
fn a_fix_that_causes_an_error_is_skipped_and_reported() {
    // The key `guarantee` is certain, but its value is impossible. The other fix is still applied.
    let yaml = home(
        "classes:\n  a: { guarante: 90%, match: [{ protocol: udp }] }\n  b: { guarantee: 20%, default: yes }\n",
    );
    let dir = folder([("home.yaml", yaml.as_str())]);
    let output = qosc(dir.path(), "check --fix --yes home.yaml");
    let said = text(&output.stderr);
    assert!(
        said.contains("home.yaml: line 9: write `guarantee` is left to you: it would be an error, Q0401"),
        "{said}"
    );
    assert_eq!(read(dir.path())["home.yaml"], yaml.replace("yes", "true"));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn no_fix_relies_on_an_unreadable_value() {
    // Without a valid protocol, the first alternative seems to match everything, and the second seems redundant.
    let alternatives = "{ protocol: «tpcx¦tpcx», remote_port: 22 }, { protocol: tcp, remote_port: 22 }";
    let hosts = "hosts: { Desk: { address: nowhere }, desk: { address: 192.168.1.5 } }\n";
    let classes = format!(
        "classes: {{ a: {{ match: [{alternatives}, {{ host: Desk }}] }}, b: {{ «Default¦default»: «yes¦true» }} }}\n"
    );
    let (before, after) = both(&home(&format!("{hosts}{classes}")));
    let dir = folder([("home.yaml", before.as_str())]);
    qosc(dir.path(), "check --fix --yes home.yaml");
    assert_eq!(read(dir.path())["home.yaml"], after);
}

#[test]
fn allowed_findings_are_not_fixed() {
    let twice = "    - { protocol: tcp, remote_port: 22-23 }\n    - { protocol: tcp, remote_port: 22 }";
    let yaml = |comment: &str| {
        home(&format!("classes:\n  a:\n    match:\n{twice}{comment}\n  b: {{ default: true }}\n"))
    };
    let (bare, allowed) = (yaml(""), yaml(" # qosc: allow(Q0512)"));
    let dir = folder([("a.yaml", bare.as_str()), ("b.yaml", &allowed)]);
    qosc(dir.path(), "check --fix --yes -A Q0512 .");
    assert_eq!(read(dir.path())["a.yaml"], bare);
    qosc(dir.path(), "check --fix --yes .");
    assert_eq!(read(dir.path())["b.yaml"], allowed);
    assert_ne!(read(dir.path())["a.yaml"], bare);
}

/// Returns the example of a page that `--fix` should fix: the one in "How to fix", or else the bad example.
fn example(page: &Page<'static>) -> &'static str {
    let of = |heading: &str| blocks(page.section(heading).unwrap().text).first().map(|block| block.text);
    of("How to fix").or_else(|| of("Bad")).unwrap()
}

/// True if the page says that `--fix` can cure findings of its code.
fn promises_fix(page: &Page<'_>) -> bool {
    page.section("How to fix").unwrap().text.contains("`qosc check --fix`")
}

#[test]
fn rule_pages_of_fixable_codes_show_a_fix() {
    let pages = || Code::ALL.iter().map(|code| (*code, Page::read(rules::page(*code).unwrap())));
    let pages: Vec<(Code, Page<'static>)> = pages().filter(|(_, page)| promises_fix(page)).collect();
    assert_eq!(pages.len(), 23);
    let name = |code: Code| format!("{}.yaml", code.as_str().to_lowercase());
    let dir = tempfile::tempdir().unwrap();
    for (code, page) in &pages {
        std::fs::write(dir.path().join(name(*code)), example(page)).unwrap();
    }
    let before = found(dir.path());
    qosc(dir.path(), "check --fix --yes .");
    let after = found(dir.path());
    let texts = read(dir.path());
    for (code, page) in &pages {
        let name = name(*code);
        assert!(codes(before.get(&name)).contains(&code.as_str()), "{code}: {:?}", before.get(&name));
        assert!(!codes(after.get(&name)).contains(&code.as_str()), "{code}: {}", texts[&name]);
        let good = blocks(page.section("Good").unwrap().text).first().unwrap().text;
        if texts[&name] == good {
            let others = codes(after.get(&name));
            assert!(others.iter().all(|code| *code == "Q0615"), "{code}: {others:?}");
        }
    }
}

#[test]
fn fixing_is_idempotent_and_keeps_comments() {
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/bad");
    let dir = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(bad).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.extension().is_some_and(|end| end == "yaml") {
            std::fs::copy(&entry, dir.path().join(entry.file_name().unwrap())).unwrap();
        }
    }
    let pages = Code::ALL.iter().filter_map(|code| Some((code, Page::read(rules::page(*code)?))));
    for (code, page) in pages {
        for (number, block) in page.sections.iter().flat_map(|section| blocks(section.text)).enumerate() {
            // Adds a comment to the end of every other line.
            let comment = |(n, line): (usize, &str)| {
                if n % 2 == 0 { format!("{line} # c{n}\n") } else { format!("{line}\n") }
            };
            let text: String = block.text.lines().enumerate().map(comment).collect();
            std::fs::write(dir.path().join(format!("{code}-{number}.yaml")), text).unwrap();
        }
    }
    let (before, had) = (read_all(dir.path()), found(dir.path()));
    qosc(dir.path(), "check --fix --yes .");
    let (after, has) = (read_all(dir.path()), found(dir.path()));
    let mut changed = 0;
    for (name, old) in &before {
        let new = &after[name];
        changed += usize::from(old != new);
        let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(new));
        let comments = |text: &str| -> Vec<String> {
            let comments = text.lines().filter_map(|line| line.split_once(" # c").map(|(_, c)| c.to_owned()));
            comments.collect()
        };
        assert_eq!(comments(&old), comments(&new), "{name}");
        let errors = |found: Option<&Vec<Value>>| {
            found.into_iter().flatten().filter(|finding| finding["severity"] == "error").count()
        };
        if codes(had.get(name)).iter().all(|code| *code != "Q0101") {
            assert!(errors(has.get(name)) <= errors(had.get(name)), "{name}\n{new}");
        }
    }
    assert!(changed > 20, "{changed}");
    // The page of each finding with a fix mentions the fix.
    for finding in had.values().chain(has.values()).flatten().filter(|finding| !finding["fix"].is_null()) {
        let code = Code::find(finding["code"].as_str().unwrap()).unwrap();
        assert!(promises_fix(&Page::read(rules::page(code).unwrap())), "{finding}");
    }
    qosc(dir.path(), "check --fix --yes .");
    assert_eq!(read_all(dir.path()), after);
}

fn read_all(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    files.map(|path| (name(&path), std::fs::read(&path).unwrap())).collect()
}

#[test]
fn a_tab_before_a_comment_does_not_prevent_other_fixes() {
    let dir = folder([("home.yaml", home("  mragin: 10%\n\t# a tab\n").as_str())]);
    let output = qosc(dir.path(), "check --fix --yes home.yaml");
    assert_eq!(output.status.code(), Some(1), "the tab is left");
    assert_eq!(read(dir.path())["home.yaml"], home("  margin: 10%\n\t# a tab\n"));
}
