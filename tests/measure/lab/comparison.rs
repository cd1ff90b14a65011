//! `qosc lab --script`: other scripts on the same line, and the claims of docs/comparison.md.

use super::line_rate::assert_within_the_line;
use super::{HOME, Situation, home, json, kernel, lab, said};
use std::path::PathBuf;

const CAKE: &str = "docs/comparison/cake.sh";

/// A script that shapes nothing, with a text of its own.
fn script(folder: &tempfile::TempDir, text: &str) -> PathBuf {
    let path = folder.path().join("other.sh");
    std::fs::write(&path, text).expect("a file");
    path
}

/// A file with an expectation on an idle line. Scenarios without the script, which come first, are not needed for it.
fn expecting(folder: &tempfile::TempDir, more: &str) -> PathBuf {
    let path = folder.path().join("home.yaml");
    let text = "link: { device: eth0, profile: ethernet, up: 5mbit, down: 20mbit }\nlan: { nat: false }\n\
                classes: { other: { default: true } }\nexpect:\n  - { measure: ping, p99: 25ms }\n";
    std::fs::write(&path, format!("{text}{more}")).expect("a file");
    path
}

/// CAKE and qosc keep the queue of the modem empty, which fills without a script. Both share the line among hosts.
#[test]
fn cake_is_measured_on_the_same_line() {
    let (Some(kernel), Some(own)) = (kernel(), home()) else { return };
    let output = lab(&kernel, HOME, &["--quick", "--only", "situations", "--script", CAKE]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let cake = json(&output);
    assert_within_the_line(&cake);
    assert_eq!(cake["script"]["command"], format!("sh {CAKE}"));
    assert_eq!(own["script"], serde_json::Value::Null);
    for load in ["upload", "download"] {
        let p99 = |report, shaped| Situation::of(report, load, shaped).figure("ping", "p99");
        let (none, other, ours) = (p99(&cake, false), p99(&cake, true), p99(own, true));
        eprintln!("{load}: ping p99 {none} us without a script, {other} with CAKE, {ours} with qosc");
        assert!(none > 5 * other && none > 5 * ours, "{load}: {none} us, {other} us, {ours} us");
        let share = Situation::of(&cake, load, true).share();
        assert!((400_000..=600_000).contains(&share), "{load}: share {share}");
    }
    let left_out = cake["left_out"].to_string();
    assert!(left_out.contains("only the compiled script has them"), "{left_out}");
}

/// The arguments and variables reach the script. The lab measures expectations that name no class.
#[test]
fn expectations_without_a_class_are_measured_with_another_script() {
    let Some(kernel) = kernel() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let other = script(&folder, "echo \"$WAN $LAN $UP_KBIT $DOWN_KBIT $*\"\n");
    let file = expecting(&folder, "  - { measure: stream, of: other, p99: 25ms }\n");
    let [file, other] = [&file, &other].map(|path| path.to_str().expect("a path"));
    let options = ["--quick", "--only", "expect", "--script", other, "--args", "-x", "--args", "y z"];
    let output = lab(&kernel, file, &options);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let report = json(&output);
    assert_eq!(report["script"]["output"], "eth0 br-lan 5000 20000 -x y z");
    assert_eq!(report["expectations"].as_array().map(Vec::len), Some(1));
    assert!(
        report["left_out"].to_string().contains("the expectation of line 6: it names a class"),
        "{report}"
    );
}

#[test]
fn the_reason_is_told_if_the_script_fails_or_does_not_end() {
    let Some(kernel) = kernel() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let file = expecting(&folder, "");
    for (text, words) in [
        ("echo one\necho two >&2\nexit 3\n", "ended with exit status 3: one\ntwo\n"),
        ("exit 1\n", "ended with exit status 1: it printed nothing\n"),
        ("echo begun\nsleep 1000\n", "did not end within 120 s: begun\n"),
    ] {
        let other = script(&folder, text);
        let [file, other] = [&file, &other].map(|path| path.to_str().expect("a path"));
        let output = lab(&kernel, file, &["--quick", "--only", "expect", "--script", other]);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        let expected = format!("the script `{other}` {words}");
        assert!(said(&output).ends_with(&expected), "{}", said(&output));
    }
}
