//! The output of `check` for people and programs, suppressed findings, severities, and runs over many files.

#![cfg(test)]

use crate::golden;
use serde_json::Value;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const GOOD: &str = "link: { device: eth0, profile: docsis, up: 40mbit, down: 100mbit }\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/formats")
}

fn qosc(dir: &Path, words: &str) -> Output {
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.args(words.split_whitespace()).current_dir(dir).output().unwrap()
}

/// The output of a command on both streams, with its exit code.
fn whole(output: &Output) -> String {
    format!(
        "exit {}\n--- standard output\n{}--- standard error\n{}",
        output.status.code().unwrap(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    )
}

/// The output without the version and without the rule pages, which have their own tests.
fn stable(output: &str) -> String {
    let line = |line: &str| match line.split_once("\": \"# Q") {
        Some((key, page)) if key.ends_with("\"text") || key.ends_with("\"markdown") => {
            format!("{key}\": \"[page]\"{}\n", page.rsplit_once('"').unwrap().1)
        }
        _ => format!("{line}\n"),
    };
    let version = format!("\"{}\"", env!("CARGO_PKG_VERSION"));
    output.lines().map(line).collect::<String>().replace(&version, "\"VERSION\"")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// Creates a folder with these files.
fn with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    dir
}

#[test]
fn every_format_matches_its_snapshot() {
    for format in ["human", "short", "json", "sarif", "github", "junit"] {
        let output =
            qosc(&folder(), &format!("check --format {format} home.yaml none.yaml slow.yaml fine.yaml"));
        let mut settings = insta::Settings::clone_current();
        settings.set_omit_expression(true);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_snapshot_path("../formats");
        settings.bind(|| golden::assert_golden!(format, stable(&whole(&output))));
    }
}

/// Paths and texts that test the quoting of each format.
fn hostile() -> tempfile::TempDir {
    let bad = "link: { device: \"a<b>&'\\\"]]>,::%0A\", up: 1, down: \"\u{202e}x\" }\n\"k: %\": 1\n";
    with(&[("a,b: 100% & <c>.yaml", bad), ("./fine.yaml", GOOD)])
}

#[test]
fn sarif_output_is_valid_for_its_schema() {
    let schema = std::fs::read_to_string(folder().join("sarif-2.1.0.schema.json")).unwrap();
    // One pattern in the schema has a `]` that only some regex engines accept as a literal. The escaped form works in
    // all.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}\\\\]?$");
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let schema = jsonschema::draft7::new(&schema).unwrap();
    let kept = |dir: &Path, words: &str| -> Value {
        let text = stdout(&qosc(dir, &format!("check --format sarif {words}")));
        let log: Value = serde_json::from_str(&text).unwrap();
        let wrong: Vec<String> =
            schema.iter_errors(&log).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(wrong.is_empty(), "{wrong:#?}\n{text}");
        log
    };
    let mut log = kept(&folder(), "home.yaml none.yaml slow.yaml fine.yaml");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    assert!(results.len() >= 4);
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
    }
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    kept(&folder(), "fine.yaml");
    kept(hostile().path(), ".");
    kept(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests"), "bad");
    // The validator does reject a faulty log.
    log["runs"][0]["results"][0]["level"] = "bad".into();
    assert!(!schema.is_valid(&log));
}

/// An XML parser can read the report, its counts are those of its elements, and quoting loses nothing.
#[test]
fn junit_output_is_well_formed_xml() {
    let bad = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let hostile = hostile();
    for (dir, words) in [
        (folder().as_path(), "home.yaml none.yaml slow.yaml fine.yaml"),
        (hostile.path(), "."),
        (&bad, "bad"),
    ] {
        let text = stdout(&qosc(dir, &format!("check --format junit {words}")));
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let root = document.root_element();
        let number = |node: roxmltree::Node<'_, '_>, name: &str| -> usize {
            node.attribute(name).unwrap().parse().unwrap()
        };
        let below = |node: roxmltree::Node<'_, '_>, name: &str| {
            node.descendants().filter(|inner| inner.has_tag_name(name)).count()
        };
        let suites: Vec<_> = root.children().filter(|node| node.is_element()).collect();
        for node in suites.iter().copied().chain([root]) {
            assert_eq!(number(node, "tests"), below(node, "testcase"));
            assert_eq!(number(node, "failures"), below(node, "failure"));
            assert_eq!(number(node, "errors"), below(node, "error"));
        }
        let names: Vec<&str> = root.descendants().filter_map(|node| node.attribute("file")).collect();
        if words == "." {
            assert!(names.contains(&"./a,b: 100% & <c>.yaml"), "{names:?}");
        }
    }
}

/// Decodes the output as the GitHub runner does: `::command properties::data`. `%25 %0D %0A` stand for `% CR LF`; in
/// properties also `%3A %2C` stand for `: ,`.
#[test]
fn github_commands_decode_to_the_findings() {
    let decoded = |text: &str| {
        let text = text.replace("%0D", "\r").replace("%0A", "\n").replace("%3A", ":").replace("%2C", ",");
        text.replace("%25", "%")
    };
    let dir = hostile();
    let text = stdout(&qosc(dir.path(), "check --format github ."));
    let json = stdout(&qosc(dir.path(), "check --format json ."));
    let findings: Vec<Value> = serde_json::from_str(&json).unwrap();
    assert_eq!(text.lines().count(), findings.len());
    for (line, finding) in text.lines().zip(&findings) {
        let (head, data) = line.strip_prefix("::").unwrap().split_once("::").unwrap();
        let (command, properties) = head.split_once(' ').unwrap();
        assert_eq!(command, finding["severity"].as_str().unwrap());
        let properties: Vec<(&str, String)> = properties
            .split(',')
            .map(|property| property.split_once('=').unwrap())
            .map(|(name, value)| (name, decoded(value)))
            .collect();
        let of = |name: &str| properties.iter().find(|(known, _)| *known == name).unwrap().1.as_str();
        assert_eq!(of("file"), finding["file"]);
        assert_eq!(of("line"), finding["line"].to_string());
        assert_eq!(of("col"), finding["column"].to_string());
        assert_eq!(of("endColumn"), finding["end"]["column"].to_string());
        let first = decoded(data);
        let first = first.lines().next().unwrap();
        // Characters that could control a terminal are replaced in this format and escaped in JSON.
        assert_eq!(first.chars().count(), finding["message"].as_str().unwrap().chars().count());
    }
}

#[test]
fn json_escapes_characters_that_harm_a_terminal() {
    let dir = with(&[("x\u{202e}.yaml", "x: 1\n")]);
    let text = stdout(&qosc(dir.path(), "check --format json ."));
    assert!(text.contains("\\u202e") && !text.contains('\u{202e}'), "{text}");
    assert_eq!(stdout(&qosc(&folder(), "check --format json fine.yaml")), "[]\n");
}

#[test]
fn colour_is_used_only_on_a_willing_terminal() {
    // `script` provides a terminal.
    let on_terminal = |environment: &[(&str, &str)]| {
        let mut script = Command::new("script");
        let command = format!("{} check home.yaml", env!("CARGO_BIN_EXE_qosc"));
        script.args(["-qec", &command, "/dev/null"]).current_dir(folder()).env_remove("NO_COLOR");
        // In CI, qosc uses colour whatever the terminal is, so the variables that indicate it are removed.
        for variable in ["CLICOLOR", "CLICOLOR_FORCE", "CI"] {
            script.env_remove(variable);
        }
        script.env("TERM", "xterm");
        String::from_utf8(script.envs(environment.iter().copied()).output().unwrap().stdout).unwrap()
    };
    assert!(on_terminal(&[]).contains("\u{1b}["));
    assert!(!on_terminal(&[("NO_COLOR", "1")]).contains('\u{1b}'));
    assert!(!on_terminal(&[("TERM", "dumb")]).contains('\u{1b}'));
    let piped = qosc(&folder(), "check home.yaml");
    assert!(!piped.stderr.contains(&0x1b));
    for format in ["short", "json", "sarif", "github", "junit"] {
        let output = qosc(&folder(), &format!("check --format {format} home.yaml"));
        assert!(!output.stdout.contains(&0x1b), "{format}");
    }
}

const GUESSED: &str = "link: { device: eth0, up: 40mbit, down: 100mbit }\n";

#[test]
fn a_comment_allows_a_finding_for_every_command() {
    let allowed = GUESSED.replace('\n', " # qosc: allow(Q0601)\n");
    let text = format!("{GUESSED}# qosc: allow(Q0601)\n");
    let dir = with(&[("no.yaml", GUESSED), ("yes.yaml", &allowed), ("below.yaml", &text)]);
    for command in ["check", "compile", "explain"] {
        let said = |file: &str| {
            let output = qosc(dir.path(), &format!("{command} {file}"));
            assert!(output.status.success(), "{command}");
            stderr(&output)
        };
        if command == "check" {
            assert!(said("no.yaml").contains("Q0601") && said("below.yaml").contains("Q0108"));
            assert_eq!(said("yes.yaml"), "no findings\n");
        } else {
            // `check` shows the findings, so the others only count them.
            assert_eq!(said("no.yaml"), "1 warning: see `qosc check no.yaml`\n", "{command}");
            assert_eq!(said("below.yaml"), "2 warnings: see `qosc check below.yaml`\n", "{command}");
            assert_eq!(said("yes.yaml"), "", "{command}");
        }
    }
    // `-D` does not override a comment that allows the finding.
    assert!(qosc(dir.path(), "check -D warnings yes.yaml").status.success());
}

#[test]
fn denied_findings_are_errors_and_allowed_ones_hidden() {
    let dir = with(&[("home.yaml", GUESSED)]);
    let code = |words: &str| qosc(dir.path(), words).status.code();
    for command in ["check", "compile"] {
        assert_eq!(code(&format!("{command} home.yaml")), Some(0));
        assert_eq!(code(&format!("{command} -D warnings home.yaml")), Some(1));
        assert_eq!(code(&format!("{command} --deny Q0601 home.yaml")), Some(1));
        assert_eq!(code(&format!("{command} -D Q0601 -W warnings home.yaml")), Some(0));
        assert_eq!(code(&format!("{command} -A Q0102 home.yaml")), Some(2));
        assert_eq!(code(&format!("{command} -D Q9999 home.yaml")), Some(2));
    }
    let denied = qosc(dir.path(), "compile -D warnings home.yaml");
    assert!(denied.stdout.is_empty() && stderr(&denied).contains("error[Q0601]"));
    assert_eq!(stderr(&qosc(dir.path(), "check -A warnings home.yaml")), "no findings\n");
    let refused = stderr(&qosc(dir.path(), "check --allow Q0102 home.yaml"));
    assert!(refused.contains("`Q0102` is an error by itself"), "{refused}");
}

#[test]
fn findings_follow_the_order_of_the_files() {
    let dir = tempfile::tempdir().unwrap();
    let mut words = "check --format short".to_owned();
    for number in 0..60 {
        let name = format!("f{number}.yaml");
        // Large files between small ones let threads overtake each other.
        let filler = "# nothing\n".repeat(if number % 7 == 0 { 20_000 } else { 0 });
        let link = if number % 3 == 0 { GUESSED } else { GOOD };
        let wrong = if number % 10 == 0 { "wrong: 1\n" } else { "" };
        std::fs::write(dir.path().join(&name), format!("{filler}{link}{wrong}")).unwrap();
        let _ = write!(words, " {name}");
    }
    let together = qosc(dir.path(), &words);
    assert_eq!(together.status.code(), Some(1));
    let alone: String = (0..60)
        .map(|number| stdout(&qosc(dir.path(), &format!("check --format short f{number}.yaml"))))
        .collect();
    assert_eq!(stdout(&together), alone);
    assert_eq!(stderr(&together), "60 files: 54 without errors, 6 with errors; 20 warnings\n");
}

#[test]
fn unreadable_files_do_not_stop_the_others() {
    let dir = with(&[("a.yaml", GUESSED), ("c.yaml", "x: 1\n")]);
    let output = qosc(dir.path(), "check a.yaml none.yaml c.yaml");
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.ends_with("3 files: 1 without errors, 1 with errors, 1 that cannot be read; 1 warning\n"),
        "{said}"
    );
    let order = ["Q0601", "none.yaml", "Q0102"].map(|part| said.find(part).unwrap());
    assert!(order.is_sorted(), "{said}");
    assert_eq!(qosc(dir.path(), "check - -").status.code(), Some(2));
}

#[test]
fn equal_link_names_in_one_folder_are_found() {
    let named = format!("name: wan\n{GOOD}");
    let dir = with(&[
        ("one/dsl.yaml", &named),
        ("one/lte.yaml", &named),
        ("one/wan.yaml", GOOD),
        ("two/dsl.yaml", &named),
        ("two/z.yml", &format!("name: wan # qosc: allow(Q0615)\n{GOOD}")),
    ]);
    let said = stdout(&qosc(dir.path(), "check --format short one two"));
    insta::assert_snapshot!(said, @"
    one/lte.yaml:1:7: warning[Q0615]: `one/dsl.yaml` already describes a link named `wan`; help: if the files describe two links, write another `name` here: a script names all that it creates after its link; help: if both describe one line, such as by day and by night, and one is started at a time, keep the name and write `# qosc: allow(Q0615)` at the end of this line
    one/wan.yaml:1:1: warning[Q0615]: `one/dsl.yaml` already describes a link named `wan` (a link without `name` is named after its file); help: if the files describe two links, write another `name` here: a script names all that it creates after its link; help: if both describe one line, such as by day and by night, and one is started at a time, keep the name and write `name: wan # qosc: allow(Q0615)` in this file
    ");
    assert!(
        stdout(&qosc(dir.path(), "check --format short one/dsl.yaml one/../one/dsl.yaml two/dsl.yaml"))
            .is_empty()
    );
    assert_eq!(qosc(dir.path(), "check one -D Q0615").status.code(), Some(1));
}

#[test]
fn two_files_for_one_line_may_keep_its_name() {
    let night = GOOD.replace("40mbit", "30mbit");
    let dir = with(&[
        ("unnamed/home.yaml", GOOD),
        ("unnamed/night.yaml", &format!("name: home\n{night}")),
        ("named/day.yaml", &format!("name: home # qosc: allow(Q0615)\n{GOOD}")),
        ("named/night.yaml", &format!("name: home # qosc: allow(Q0615)\n{night}")),
    ]);
    let said = stdout(&qosc(dir.path(), "check --format json unnamed"));
    assert!(
        said.contains("keep the name and write `# qosc: allow(Q0615)` at the end of this line"),
        "{said}"
    );
    for words in ["named", "named/day.yaml", "named/night.yaml"] {
        assert_eq!(stdout(&qosc(dir.path(), &format!("check --format short {words}"))), "", "{words}");
    }
}

/// Device names hold a long link name only in part, and these two the same part.
#[test]
fn links_with_equal_device_names_are_found() {
    let dir = with(&[
        ("branch-office-aoy.yaml", GOOD),
        ("second.yaml", &format!("name: branch-office-cya\n{GOOD}")),
        ("third.yaml", &format!("name: branch-office-zzz\n{GOOD}")),
    ]);
    insta::assert_snapshot!(stdout(&qosc(dir.path(), "check --format short .")), @"./second.yaml:1:7: warning[Q0615]: link `branch-office-cya` and link `branch-office-aoy` of `./branch-office-aoy.yaml` both use the device `ifb-branc_9b12` (a device name has room for a part of a long link name); help: write another `name` here");
}

/// A configuration of a router with a link of this name on this device, followed by more text.
fn of_router(name: &str, device: &str, more: &str) -> String {
    format!("name: {name}\nlink: {{ device: {device}, profile: docsis, up: 40mbit, down: 100mbit }}\n{more}")
}

#[test]
fn the_same_router_option_compares_files() {
    let tunnel = "tunnels: { office: { kind: wireguard, device: wg0 } }\n";
    let dir = with(&[
        ("r/home.yaml", &of_router("home", "eth0", tunnel)),
        ("r/vpn.yaml", &of_router("vpn", "wg0", "")),
        ("r/old.yaml", &of_router("old", "eth0", "")),
        ("s/other.yaml", &of_router("home", "eth7", "")),
    ]);
    let short = |words: &str| {
        let output = qosc(dir.path(), &format!("check --format short {words}"));
        (output.status.code(), stdout(&output))
    };
    // Without `--same-router`, each file belongs to a different router.
    for words in ["r", "r s", "r/home.yaml r/vpn.yaml", "r/home.yaml r/old.yaml"] {
        assert_eq!(short(words), (Some(0), String::new()), "{words}");
    }
    let (code, said) = short("--same-router r s");
    assert_eq!(code, Some(1));
    insta::assert_snapshot!(said, @"
    r/old.yaml:2:17: error[Q1101]: `eth0` is already the WAN device of link `home`, in line 2 of `r/home.yaml` (a start of link `old` replaces the queues of link `home`); help: write the device of the other line here, such as `device: ppp1`; help: if both files describe one line, such as by day and by night, check them one at a time: only one of them is started
    r/vpn.yaml:2:17: error[Q1102]: link `vpn` shapes `wg0` here, and link `home` queues the downloads of tunnel `office` on it in line 3 of `r/home.yaml` (a start of link `vpn` removes the filters of the other script); help: write `inner: flows` in tunnel `office` of `r/home.yaml`: its downloads are then one flow for link `home`, and link `vpn` shapes the packets inside
    s/other.yaml:1:7: error[Q1103]: the link name `home` is already used in line 1 of `r/home.yaml`; help: write another name at the top of this file, such as `name: home2`; help: both scripts would use `ifb-home`, `ifb2-home`, `ifbp-home` and `/run/qosc/home`
    ");
    assert_eq!(short("--same-router r/vpn.yaml r/old.yaml"), (Some(0), String::new()));
    for words in [
        "--same-router r/home.yaml",
        "--same-router r/home.yaml r/../r/home.yaml",
        "--same-router s",
        "--same-router -",
    ] {
        let output = qosc(dir.path(), &format!("check {words}"));
        assert_eq!(output.status.code(), Some(2), "{words}");
        assert!(stderr(&output).contains("give at least two"), "{}", stderr(&output));
    }
    // A third file on the same device adds one finding, not two.
    std::fs::write(dir.path().join("r/third.yaml"), of_router("third", "eth0", "")).unwrap();
    assert_eq!(short("--same-router r").1.matches("Q1101").count(), 2);
    std::fs::remove_file(dir.path().join("r/third.yaml")).unwrap();
    // A file with errors is not compared. A file that cannot be read is reported.
    std::fs::write(dir.path().join("r/old.yaml"), of_router("old", "eth0", "x: 1\n")).unwrap();
    let (code, said) = short("--same-router r/home.yaml r/old.yaml");
    assert!(code == Some(1) && said.contains("Q0102") && !said.contains("Q1101"), "{said}");
    assert_eq!(short("--same-router r/home.yaml none.yaml").0, Some(2));
}

#[test]
fn every_format_names_both_files_of_a_finding() {
    let dir = with(&[
        ("home.yaml", &of_router("home", "eth0", "tunnels: { office: { kind: wireguard, device: wg0 } }\n")),
        ("vpn.yaml", &of_router("vpn", "wg0", "")),
    ]);
    for format in ["human", "short", "json", "sarif", "github", "junit"] {
        let output = qosc(dir.path(), &format!("check --same-router --format {format} home.yaml vpn.yaml"));
        assert_eq!(output.status.code(), Some(1), "{format}");
        let said = whole(&output);
        for part in ["Q1102", "vpn.yaml", "line 3 of `home.yaml`"] {
            assert!(said.contains(part), "{format}: {part} is missing in\n{said}");
        }
    }
    let json: Value = serde_json::from_str(&stdout(&qosc(
        dir.path(),
        "check --same-router --format json home.yaml vpn.yaml",
    )))
    .unwrap();
    let places: Vec<(&str, u64)> = json[0]["labels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| (label["file"].as_str().unwrap(), label["line"].as_u64().unwrap()))
        .collect();
    assert_eq!(places, [("vpn.yaml", 2), ("home.yaml", 3)]);
    let sarif: Value = serde_json::from_str(&stdout(&qosc(
        dir.path(),
        "check --same-router --format sarif home.yaml vpn.yaml",
    )))
    .unwrap();
    let related = &sarif["runs"][0]["results"][0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "home.yaml", "{sarif:#}");
    assert_eq!(related["region"]["startLine"], 3, "{sarif:#}");
}

#[test]
fn warnings_about_two_files_can_be_allowed() {
    let home = of_router("home", "eth0", "lan: { device: [br-lan, wg0] }\n");
    let vpn = "name: vpn\nlink:\n  device: wg0 # qosc: allow(Q0616, Q1104) VPN clients pass both\n  profile: docsis\n  up: 40mbit\n  down: 100mbit\n";
    let dir = with(&[("home.yaml", &home), ("vpn.yaml", vpn)]);
    for words in ["--same-router home.yaml vpn.yaml", "vpn.yaml"] {
        let output = qosc(dir.path(), &format!("check --format short {words}"));
        assert_eq!((output.status.code(), stdout(&output)), (Some(0), String::new()), "{words}: {vpn}");
    }
    // If the files are given in reverse order, the finding points at the other file.
    let said = stdout(&qosc(dir.path(), "check --format short --same-router vpn.yaml home.yaml"));
    assert!(said.starts_with("home.yaml:3:25: warning[Q0616]: "), "{said}");
}

#[test]
fn the_documented_json_equals_the_output() {
    let text = std::fs::read_to_string(folder().join("../../docs/formats.md")).unwrap();
    let (_, rest) = text.split_once("```json\n").unwrap();
    let documented: Value = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();
    let yaml = "name: home\nlink:\n  device: eth0\n  up: 10\n  profile: docsis\n  down: 100mbit\n";
    let dir = with(&[("home.yaml", yaml)]);
    let printed: Value =
        serde_json::from_str(&stdout(&qosc(dir.path(), "check --format json home.yaml"))).unwrap();
    assert_eq!(documented, printed);
}
