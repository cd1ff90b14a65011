//! The files that a case left behind, and the checks that tests make on them.
#![expect(clippy::print_stderr, reason = "a test's word to whoever runs it")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The result of a case. The work directory is deleted with it, unless the test fails or `QOSC_KEEP` is set.
pub struct Report {
    name: String,
    dir: Option<tempfile::TempDir>,
}

impl Report {
    /// Creates the report of a case that will use this work directory.
    pub fn new(name: String, dir: tempfile::TempDir) -> Self {
        Report { name, dir: Some(dir) }
    }

    /// The name of the case, for people.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The path of the work directory.
    pub fn dir(&self) -> &Path {
        self.dir.as_ref().expect("kept until dropped").path()
    }

    /// Writes a file into the work directory.
    pub fn write(&self, path: &str, content: &[u8]) {
        let path = self.dir().join(path);
        fs::create_dir_all(path.parent().expect("in the work directory")).expect("a directory");
        fs::write(path, content).expect("a file in the work directory");
    }

    /// Reads a file of the work directory; empty if it does not exist.
    pub fn text(&self, path: &str) -> String {
        fs::read(self.dir().join(path))
            .map_or_else(|_| String::new(), |b| String::from_utf8_lossy(&b).into_owned())
    }

    /// Standard output of a step, such as `dash/start`.
    pub fn out(&self, step: &str) -> String {
        self.text(&format!("out/{step}.out"))
    }

    /// The last lines that the kernel and the case printed.
    pub fn console(&self) -> String {
        let text = self.text("console");
        let lines: Vec<&str> = text.lines().collect();
        let end = lines.get(lines.len().saturating_sub(40)..).unwrap_or_default();
        format!("--- console\n{}\n", end.join("\n"))
    }

    /// Everything about a step, for the message of a failure.
    pub fn about(&self, step: &str) -> String {
        let part = |what: &str| self.text(&format!("out/{step}.{what}"));
        format!(
            "--- {} {step}: exit code {}--- its output\n{}--- its errors\n{}",
            self.name,
            part("code"),
            part("out"),
            part("err")
        )
    }

    /// Checks the exit code of a step.
    #[track_caller]
    pub fn expect_code(&self, step: &str, code: u8) {
        let got = self.text(&format!("out/{step}.code"));
        assert!(
            got.trim() == code.to_string(),
            "exit code {code} expected\n{}{}",
            self.about(step),
            self.console()
        );
    }

    /// Checks the exit code in `FILE.code`.
    #[track_caller]
    pub fn expect_code_of(&self, file: &str, code: u8) {
        let got = self.text(&format!("{file}.code"));
        let said = self.text(&format!("{file}.err"));
        assert!(
            got.trim() == code.to_string(),
            "{} {file}: exit code {got}{said}{}",
            self.name,
            self.console()
        );
    }

    /// Returns the output of `qosc plan` for a script and the dump that a step printed. Its exit code must be one of
    /// `codes`.
    #[track_caller]
    pub fn plan(&self, step: &str, script: &str, codes: &[i32]) -> serde_json::Value {
        let run = Command::new(env!("CARGO_BIN_EXE_qosc"))
            .args(["plan", "--format", "json", "--dump"])
            .args([self.dir().join(format!("out/{step}.out")), self.dir().join(script)])
            .output()
            .expect("qosc runs");
        let as_expected = run.status.code().is_some_and(|code| codes.contains(&code));
        assert!(as_expected, "{}{}", String::from_utf8_lossy(&run.stderr), self.about(step));
        serde_json::from_slice(&run.stdout).expect("JSON")
    }

    /// Checks that two files have the same content.
    #[track_caller]
    pub fn expect_same(&self, before: &str, after: &str) {
        let (old, new) = (self.text(before), self.text(after));
        assert!(!old.is_empty(), "{}: nothing in {before}\n{}", self.name, self.console());
        assert!(old == new, "{}: {before} (-) and {after} (+) differ\n{}", self.name, difference(&old, &new));
    }

    /// Checks that between `listen` and `heard` the kernel reported no change, except the one that the lab made at the
    /// end.
    #[track_caller]
    pub fn expect_silence(&self, step: &str) {
        for monitor in ["tc", "ip"] {
            let events = self.text(&format!("out/{step}.{monitor}"));
            let mut ours = false;
            let mut listened = false;
            for line in events.lines() {
                if !line.starts_with(' ') {
                    ours = line.contains(" dev lo ") || line.starts_with("1: lo:");
                    listened |= ours;
                }
                assert!(ours, "{} {step}: `{monitor} monitor` tells of a change\n{events}", self.name);
            }
            assert!(listened, "{} {step}: `{monitor} monitor` heard nothing at all", self.name);
        }
    }
}

/// Parses a time of `/proc/uptime` into hundredths of a second.
pub fn uptime(text: &str) -> u64 {
    text.trim().replace('.', "").parse().expect("seconds with two decimals")
}

/// The commands of a plan's `steps` or `settings`.
pub fn commands(of: &serde_json::Value) -> Vec<&str> {
    of.as_array().expect("a list").iter().filter_map(|one| one["command"].as_str()).collect()
}

impl Drop for Report {
    fn drop(&mut self) {
        if let Some(dir) = self.dir.take()
            && (std::thread::panicking() || std::env::var_os("QOSC_KEEP").is_some())
        {
            eprintln!("{}: all it wrote is in {}", self.name, dir.keep().display());
        }
    }
}

/// The lines that only one of two texts has, each with the nearest `==` heading above it.
fn difference(old: &str, new: &str) -> String {
    let mut text = String::new();
    for (sign, here, there) in [('-', old, new), ('+', new, old)] {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for line in there.lines() {
            *counts.entry(line).or_default() += 1;
        }
        let mut heading = "";
        for line in here.lines() {
            if line.starts_with("==") {
                heading = line;
            }
            match counts.get_mut(line) {
                Some(left) if *left > 0 => *left -= 1,
                _ => {
                    let _ = writeln!(text, "{sign} {heading}: {line}");
                }
            }
        }
    }
    if text.is_empty() { "the same lines in another order".to_owned() } else { text }
}
