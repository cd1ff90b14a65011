//! `qosc lab` on a real kernel: the effect of the published situations on a household, and the expectations of a file.
//! Its figures must not depend on this machine.

#![cfg(test)]
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

mod comparison;
mod line_rate;
mod shell;
mod varying;
mod waits;

use crate::processors::allowed;
use crate::tools;
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Condvar, Mutex, OnceLock};

const HOME: &str = "examples/vdsl2-home.yaml";

/// The kernel for virtual time that `scripts/virtual-kernel` builds.
fn kernel() -> Option<PathBuf> {
    let tools = ["kernel", "virtual-kernel", "taskset", "busybox", "ip", "tc", "modprobe", "nft"];
    tools::found(&tools).then(|| tools::kept("virtual-kernel").canonicalize().expect("the kernel"))
}

/// The processors that no lab occupies. A lab is one busy process, so each gets a processor for itself.
static FREE: Mutex<Option<Vec<usize>>> = Mutex::new(None);
static RETURNED: Condvar = Condvar::new();

/// A processor that a lab occupies until this value is dropped.
struct Processor(usize);

impl Processor {
    /// Waits for a processor.
    fn free() -> Processor {
        let mut free = FREE.lock().expect("no test panics here");
        loop {
            if let Some(one) = free.get_or_insert_with(allowed).pop() {
                return Processor(one);
            }
            free = RETURNED.wait(free).expect("no test panics here");
        }
    }

    /// A command that runs a program on this processor only.
    fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("taskset");
        command.arg("-c").arg(self.0.to_string()).arg(program);
        command
    }
}

impl Drop for Processor {
    fn drop(&mut self) {
        if let Ok(mut free) = FREE.lock() {
            free.get_or_insert_default().push(self.0);
        }
        RETURNED.notify_all();
    }
}

fn lab(kernel: &Path, file: &str, arguments: &[&str]) -> Output {
    lab_on(&Processor::free(), kernel, file, arguments)
}

fn lab_on(processor: &Processor, kernel: &Path, file: &str, arguments: &[&str]) -> Output {
    processor
        .command(env!("CARGO_BIN_EXE_qosc"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["lab", file, "--format", "json", "--kernel"])
        .arg(kernel)
        .args(arguments)
        .output()
        .expect("qosc runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", said(output)))
}

/// The situations of the example, measured once for all tests.
fn home() -> Option<&'static Value> {
    static REPORT: OnceLock<Option<Value>> = OnceLock::new();
    let report = REPORT.get_or_init(|| {
        let output = lab(&kernel()?, HOME, &["--quick"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        Some(json(&output))
    });
    report.as_ref()
}

/// A situation of a report.
struct Situation<'a>(&'a Value);

impl Situation<'_> {
    fn of<'a>(report: &'a Value, load: &str, shaped: bool) -> Situation<'a> {
        let all = report["situations"].as_array().expect("situations");
        let found = all.iter().find(|one| one["load"] == load && one["shaped"] == shaped);
        Situation(found.unwrap_or_else(|| panic!("no situation {load}, {shaped}")))
    }

    /// A figure of a probe, in microseconds or as a count.
    fn figure(&self, probe: &str, figure: &str) -> i64 {
        let value = &self.0[probe][figure];
        value.as_i64().unwrap_or_else(|| panic!("{probe} {figure} of {}: {value}", self.0["load"]))
    }

    /// The share of the second host's bulk flow, in millionths.
    fn share(&self) -> i64 {
        self.0["beside"][0]["share"].as_i64().expect("a share")
    }
}

/// The promise: with the script, a load adds little more than the time of a packet to any delay.
#[test]
fn with_the_script_a_load_adds_little_delay() {
    let Some(report) = home() else { return };
    let idle = Situation::of(report, "none", true).figure("ping", "p99");
    for (load, stream) in [("upload", "stream_up"), ("flood-up", "stream_up"), ("download", "stream_down")] {
        let shaped = Situation::of(report, load, true);
        let [ping, loader] = ["ping", "ping_loader"].map(|who| shaped.figure(who, "p99") - idle);
        eprintln!("{load}: ping p99 {ping} us over idle, {loader} of the loader; share {}", shaped.share());
        assert!(ping <= 3_000, "{load}: p99 {ping} us over idle");
        assert!(loader <= 5_000, "{load}: p99 of who makes the load: {loader} us over idle");
        assert_eq!(shaped.figure("ping", "lost"), 0, "{load}");
        assert_eq!(shaped.figure(stream, "lost"), 0, "{load}");
        assert!((450_000..=550_000).contains(&shaped.share()), "{load}: share {}", shaped.share());
    }
}

/// A queue of a thousand packets lasts 1.86 seconds at 6.5 Mbit/s, and half a second at 25 Mbit/s.
#[test]
fn without_the_script_a_load_fills_the_modem_queue() {
    let Some(report) = home() else { return };
    let queue = |load: &str, figure: &str| {
        let idle = Situation::of(report, "none", false).figure("ping", "p50");
        Situation::of(report, load, false).figure("ping", figure) - idle
    };
    let flood = queue("flood-up", "p50");
    assert!((1_500_000..1_900_000).contains(&flood), "{flood}");
    let upload = queue("upload", "p99");
    assert!((1_000_000..1_900_000).contains(&upload), "{upload}");
    let download = queue("download", "p99");
    assert!((400_000..520_000).contains(&download), "{download}");
    let flood = Situation::of(report, "flood-up", false);
    assert!(flood.figure("stream_up", "lost") > 50);
    assert!(flood.share() < 100_000, "{}", flood.share());
    // The script does not change an idle line.
    for shaped in [false, true] {
        let idle = Situation::of(report, "none", shaped);
        assert!((20_000..21_500).contains(&idle.figure("ping", "p99")), "{}", idle.0["ping"]);
    }
}

#[test]
fn the_report_states_its_kernel_and_its_limits() {
    let Some(report) = home() else { return };
    assert_eq!(report["kernel"]["clock"], "virtual");
    assert!(report["kernel"]["release"].as_str().expect("a release").starts_with("6."));
    assert_eq!(report["line"]["queue"], 1000);
    assert_eq!(report["line"]["up"], 6_400_000, "64 of 65 bytes of 6.5 Mbit/s");
    assert!(report["left_out"].as_array().expect("a list").len() > 2);
}

/// Measures the expectations of a file, and returns the figures in microseconds or millionths. A figure that is measured
/// several times is the median.
#[expect(clippy::float_arithmetic, reason = "the report has milliseconds with a decimal")]
fn measured(processor: &Processor, kernel: &Path, file: &str, options: &[&str]) -> BTreeMap<String, i64> {
    let output = lab_on(processor, kernel, file, &[&["--quick", "--only", "expect"], options].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let mut all: BTreeMap<String, Vec<i64>> = BTreeMap::new();
    for one in json(&output)["expectations"].as_array().expect("expectations") {
        for figure in one["measured"].as_str().expect("figures").split(", ") {
            let (name, value) = figure.split_once(' ').expect("a figure");
            let digits = value.trim_end_matches(|letter: char| !letter.is_ascii_digit());
            let unit = match value.trim_start_matches(digits).trim() {
                "us" => 1.0,
                "ms" => 1e3,
                "s" => 1e6,
                "%" => 1e4,
                unit => panic!("{value} has the unit {unit}"),
            };
            let value = digits.parse::<f64>().expect("a number") * unit;
            all.entry(format!("{}, {name}", one["what"])).or_default().push(value as i64);
        }
    }
    let median = |(what, mut values): (String, Vec<i64>)| {
        values.sort_unstable();
        (what, values[values.len() / 2])
    };
    all.into_iter().map(median).collect()
}

/// Measures a file on a processor of its own, and again while this processor has five times as much work as it can do.
/// Expectations take less time than the situations: only their own loads are played. Quiet runs also differ, most beside
/// a download; the cause has not been traced.
#[test]
fn results_do_not_depend_on_the_load_of_the_machine() {
    let Some(kernel) = kernel() else { return };
    struct Busy(Vec<std::process::Child>);
    impl Drop for Busy {
        fn drop(&mut self) {
            for child in &mut self.0 {
                let _ = child.kill();
                let _ = child.wait();
            }
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let written = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).expect("a file");
        path.to_str().expect("a path").to_owned()
    };
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(HOME)).expect("the example");
    let mut expect = String::new();
    for load in ["none", "upload", "flood-up", "download"] {
        expect += &format!("  - {{ load: {load}, measure: ping, p50: 1s, p99: 1s }}\n");
        expect += &format!("  - {{ load: {load}, measure: fetch, p50: 1s }}\n");
    }
    expect += &"  - { load: download, measure: ping, p99: 1s }\n".repeat(2);
    for (load, flow) in [("upload", "upload"), ("flood-up", "upload"), ("download", "download")] {
        expect += &format!("  - {{ load: {load}, measure: {flow}, share: 1% }}\n");
    }
    // In quiet runs, single measurements of this share are 47.1 to 49.8 %: CoDel drops few packets of a flow of 3 Mbit/s
    // in five seconds, and each drop halves its window. Other shares stay within 0.3 %.
    expect += &"  - { load: upload, measure: upload, share: 1% }\n".repeat(4);
    let shaped = written("shaped.yaml", &format!("{text}expect:\n{expect}"));
    let full = written("full.yaml", &format!("{text}expect: {{ load: flood-up, measure: ping, p50: 5s }}\n"));
    let nothing = written("nothing.sh", "exit 0\n");
    let play = |processor: &Processor| {
        let queue = measured(processor, &kernel, &full, &["--script", &nothing]);
        (measured(processor, &kernel, &shaped, &[]), queue)
    };
    let own = Processor::free();
    let quiet = play(&own);
    let spin = || own.command("sh").args(["-c", "while :; do :; done"]).stdin(Stdio::null()).spawn();
    let loops = Busy((0..4).map(|_| spin().expect("a shell")).collect());
    let busy = play(&own);
    drop(loops);
    assert_eq!((quiet.0.len(), quiet.1.len()), (15, 1));
    for (what, quiet) in &quiet.0 {
        let (room, part) = if what.ends_with("share") { (20_000, i64::MAX) } else { (1_000, 50) };
        near(what, *quiet, busy.0[what], room, part);
    }
    for (what, quiet) in &quiet.1 {
        near(what, *quiet, busy.1[what], 0, 20);
    }
}

/// Checks that a busy run differs from a quiet run by at most `room`, or by at most one `part` of it.
#[track_caller]
fn near(what: &str, quiet: i64, busy: i64, room: i64, part: i64) {
    eprintln!("{what}: {quiet} in a quiet run, {busy} in a busy one");
    let apart = (quiet - busy).abs();
    assert!(apart <= room.max(quiet / part), "{what}: {quiet} in a quiet run, {busy} in a busy one");
}

/// The expectations of a file: some are met, and one is missed and reported at its line.
#[test]
fn expectations_are_measured_and_misses_reported() {
    let Some(kernel) = kernel() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.yaml");
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(HOME)).expect("the example");
    let lines = text.lines().count();
    let kept = "  - { load: upload, from: desk, measure: ping, on: ata, p99: 25ms }\n\
                \x20 - { load: flood-up, measure: stream, of: voice, p99: 25ms, loss: 0% }\n\
                \x20 - { load: upload, measure: upload, share: 45% }\n";
    std::fs::write(&path, format!("{text}expect:\n{kept}")).expect("a file");
    let name = path.to_str().expect("a path");
    let output = lab(&kernel, name, &["--quick", "--only", "expect"]);
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(json(&output)["expectations"].as_array().expect("three").iter().all(|one| one["met"] == true));

    let missed = "  - { load: upload, measure: ping, p99: 20.5ms }\n";
    std::fs::write(&path, format!("{text}expect:\n{missed}")).expect("a file");
    let output = lab(&kernel, name, &["--quick", "--only", "expect"]);
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    let words = said(&output);
    assert!(words.starts_with("lab: about 1 min, in virtual time, with the kernel `"), "{words}");
    assert!(words.contains(" 0/1 the kernel boots\n") && words.contains("░ 1/1 "), "{words}");
    assert!(words.contains("\nerror[Q1003]: the ping has a p99 of 2"), "{words}");
    assert!(words.contains(&format!("home.yaml:{}:41", lines + 2)), "{words}");
    assert_eq!(json(&output)["expectations"][0]["met"], false);
}

/// A class with `guarantee: 0%` can use the idle line. Beside a class that is guaranteed the whole rate, it gets only
/// spare bandwidth.
#[test]
fn a_class_that_only_borrows_gets_spare_bandwidth() {
    let Some(kernel) = kernel() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("home.yaml");
    let text = "link: { device: eth0, profile: ethernet, up: 5mbit, down: 20mbit }\nlan: { nat: false }\nclasses:\n  \
                normal: { default: true, guarantee: 100% }\n  \
                bulk: { priority: 7, guarantee: 0%, match: { protocol: tcp, port: 6881-6889 } }\nexpect:\n  \
                - { measure: upload, of: bulk, rate: 4mbit }\n  \
                - { load: upload, class: normal, measure: upload, of: bulk, rate: 50kbit }\n";
    std::fs::write(&path, text).expect("a file");
    let output = lab(&kernel, path.to_str().expect("a path"), &["--quick", "--only", "expect"]);
    let met: Vec<bool> =
        json(&output)["expectations"].as_array().expect("two").iter().map(|one| one["met"] == true).collect();
    // The class gets 100 bit/s, and the content of its first bucket.
    assert_eq!(met, [true, false], "{}", String::from_utf8_lossy(&output.stdout));
}

/// The lab needs no root.
#[test]
fn the_lab_runs_without_root() {
    let Some(kernel) = kernel() else { return };
    let root = Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout == b"0\n");
    // The user's files are in a place that everybody may read.
    let folder = tempfile::Builder::new().prefix("qosc-").tempdir_in("/tmp").expect("a folder");
    let (dir, own) = (folder.path(), folder.path().join("own"));
    let copied = Command::new("cp").arg("-rL").arg(&kernel).arg(dir.join("kernel")).status();
    assert!(copied.is_ok_and(|status| status.success()));
    std::fs::copy(env!("CARGO_BIN_EXE_qosc"), dir.join("qosc")).expect("the program");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(HOME);
    let text = std::fs::read_to_string(file).expect("the example");
    let expect = "expect: { load: upload, measure: ping, p99: 25ms }\n";
    std::fs::write(dir.join("home.yaml"), format!("{text}{expect}")).expect("a file");
    std::fs::create_dir(&own).expect("a folder");
    let changed = Command::new("chmod").args(["-R", "go+rX"]).arg(dir).status();
    assert!(changed.is_ok_and(|status| status.success()));
    let processor = Processor::free();
    let mut command = processor.command(if root { "setpriv" } else { "env" });
    if root {
        let _ = Command::new("chown").arg("65534").arg(&own).status();
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs"]);
    }
    let output = command
        .arg(dir.join("qosc"))
        .args(["lab", "home.yaml", "--quick", "--only", "expect", "--format", "json", "--kernel", "kernel"])
        .current_dir(dir)
        .env("HOME", &own)
        .env("TMPDIR", "/tmp")
        .env_remove("XDG_CACHE_HOME")
        .output()
        .expect("it runs");
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert_eq!(json(&output)["expectations"][0]["met"], true);
}

/// An interrupt leaves nothing behind: no running kernel and no folder.
#[test]
fn an_interrupt_leaves_no_process_or_folder() {
    let Some(kernel) = kernel() else { return };
    let processor = Processor::free();
    let folder = tempfile::Builder::new().prefix("q").tempdir_in("/tmp").expect("a folder");
    let mut child = processor
        .command(env!("CARGO_BIN_EXE_qosc"))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(["lab", HOME, "--kernel"])
        .arg(&kernel)
        .env("TMPDIR", folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("qosc runs");
    let laid = || std::fs::read_dir(folder.path()).expect("the folder").next();
    let booted = || laid().is_some_and(|work| work.expect("a folder").path().join("out/release").exists());
    while !booted() {
        assert!(child.try_wait().expect("a child").is_none(), "it ended by itself");
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let work = laid().expect("a folder").expect("a folder").path();
    let killed = Command::new("sh").args(["-c", &format!("kill -INT {}", child.id())]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("a child").code(), Some(2));
    assert!(!work.exists());
    let work = work.to_str().expect("a path");
    let left = std::fs::read_dir("/proc").expect("processes").filter_map(|entry| {
        let line = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(work).then_some(line)
    });
    assert_eq!(left.count(), 0);
}
