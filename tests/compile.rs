//! Every example and every case, compiled: the script and the kernel objects as snapshots, one named test a file.
//!
//! The scripts stand beside the snapshots as files of their own, so that shellcheck and the shells can read them.

#![cfg(test)]

use std::path::Path;
use std::process::Command;
use test_each_file::test_each_path;

/// Runs `qosc compile` on a file; what it wrote to standard output.
fn compile(file: &Path, emit: &str) -> Vec<u8> {
    let run = Command::new(env!("CARGO_BIN_EXE_qosc")).args(["compile", "--emit", emit]).arg(file).output();
    let run = run.expect("qosc starts");
    assert!(
        run.status.success(),
        "{} does not compile:\n{}",
        file.display(),
        String::from_utf8_lossy(&run.stderr)
    );
    run.stdout
}

/// Examples that need what is not built yet say so in their first line; the reader checks them all the same.
fn waits(file: &Path) -> bool {
    std::fs::read_to_string(file).expect("readable").starts_with("# needs:")
}

fn snapshots(name: &str, file: &Path) {
    insta::assert_binary_snapshot!(&format!("{name}.sh"), compile(file, "script"));
    insta::assert_snapshot!(format!("{name}-ir"), String::from_utf8(compile(file, "ir")).expect("text"));
}

fn example([file]: [&Path; 1]) {
    if waits(file) {
        let run =
            Command::new(env!("CARGO_BIN_EXE_qosc")).args(["check", "--format", "short"]).arg(file).output();
        let run = run.expect("qosc starts");
        let said = String::from_utf8(run.stdout).expect("text");
        assert_eq!(
            run.status.code(),
            Some(1),
            "an example that needs what is not built compiles: drop its first line"
        );
        for line in said.lines() {
            let innocent = line.contains("Q0901") || line.contains(": note[") || line.contains(": warning[");
            assert!(innocent, "an example has an error of its own: {line}");
        }
    } else {
        let stem = file.file_stem().expect("a name").to_string_lossy();
        snapshots(&format!("example-{stem}"), file);
    }
}

fn case([file]: [&Path; 1]) {
    let dir = file.parent().and_then(Path::file_name).expect("a folder").to_string_lossy();
    snapshots(&format!("case-{dir}"), file);
}

test_each_path! { for ["yaml"] in "./examples" as examples => example }
test_each_path! { for ["yaml"] in "./tests/cases" as cases => case }

/// The longest name that a link may have makes names of devices as long as the kernel takes, 15 bytes, and none longer.
#[test]
fn no_device_of_ours_has_too_long_a_name() {
    let dir = tempfile::tempdir().expect("a temporary directory");
    let file = dir.path().join("home.yaml");
    let link = "abcdefghij";
    let text = format!("name: {link}\nlink: {{ device: eth0, profile: docsis, up: 10mbit, down: 50mbit }}\n");
    std::fs::write(&file, text).expect("a file");
    let script = String::from_utf8(compile(&file, "script")).expect("text").replace("$link", link);
    let words = script.split(|c: char| !c.is_ascii_alphanumeric() && c != '-');
    let mut ours: Vec<&str> = words.filter(|word| word.starts_with("ifb") && word.ends_with(link)).collect();
    ours.sort_unstable();
    ours.dedup();
    assert_eq!(ours, ["ifb-abcdefghij", "ifb2-abcdefghij", "ifbp-abcdefghij"]);
    assert!(ours.iter().all(|name| name.len() <= 15));
}
