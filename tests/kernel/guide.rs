//! Every command of `docs/guide.md`, in order. A computer in the LAN types those that need a router or a line. Its router
//! is reached by a real ssh, and its line has a modem with a long queue. `qosc lab` boots a kernel of its own, so it runs
//! beside the guest, with the commands after it.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

#[path = "../common/guide_steps.rs"]
mod page;

use crate::tools;
use crate::uml::Guest;
use page::{Step, steps, write};
use std::path::Path;
use std::process::{Command, Output};

/// The p99 of the round trip times in a run while its load ran, in microseconds. A lost request took forever.
fn p99(run: &str) -> u64 {
    let run: serde_json::Value = serde_json::from_str(run).expect("a run");
    let load = |end: &str| run["load"][end].as_u64().expect("a load");
    let samples = run["series"][0]["samples"].as_array().expect("samples");
    let sent = samples.iter().filter(|sample| {
        sample[0].as_u64().is_some_and(|at| (load("began_us")..load("ended_us")).contains(&at))
    });
    let mut times: Vec<u64> = sent.map(|sample| sample[1].as_u64().unwrap_or(u64::MAX)).collect();
    times.sort_unstable();
    assert!(times.len() > 500, "{} requests", times.len());
    times[times.len() * 99 / 100]
}

/// The folder of the built `qosc`.
fn folder() -> String {
    Path::new(env!("CARGO_BIN_EXE_qosc")).parent().expect("a folder").display().to_string()
}

/// Runs a command line on this machine, in a folder of the guest's. `gitconfig` beside it has the user's name.
fn typed(command: &str, home: &Path) -> Output {
    let path = format!("{}:{}", folder(), std::env::var("PATH").expect("a path"));
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(home).env("PATH", path);
    shell.env("QOSC_LAB_KERNEL", tools::kept("virtual-kernel"));
    shell.env("GIT_CONFIG_GLOBAL", home.with_file_name("gitconfig"));
    shell.output().expect("a shell")
}

#[test]
fn a_new_user_follows_the_guide() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/guide.md"));
    let steps = steps(&text.expect("the guide"));
    let lab = |step: &Step| matches!(step, Step::Run(command) if command.starts_with("qosc lab "));
    let (on_line, after) = steps.split_at(steps.iter().position(lab).expect("a command with the lab"));
    let (commands, files): (Vec<&Step>, Vec<&Step>) =
        on_line.iter().partition(|step| matches!(step, Step::Run(_)));

    let mut guest = Guest::new("the guide")
        .variable("WAN", "ppp0")
        .variable("WAN_KIND", "pppoe")
        .variable("IFB", "ifb-home")
        .variable("LAN", "br-lan")
        .variable("MODEM_RATE", "6400kbit")
        .variable("QOSC_FOLDER", &folder())
        .variable("COUNT", &commands.len().to_string());
    for (number, step) in commands.iter().enumerate() {
        let Step::Run(command) = step else { continue };
        guest = guest.file(&format!("steps/{number}"), format!("{command}\n"));
    }
    let Some(report) = guest.run("guide.sh") else { return };
    for number in 0..commands.len() {
        report.expect_code(&format!("guide/{number}"), 0);
    }
    report.expect_code("guide/check", 0);
    report.expect_code("guide/trial", 2);
    let (before, after_start) = (p99(&report.text("home/before.json")), p99(&report.text("home/after.json")));
    eprintln!("p99 under an upload: {before} us without the script, {after_start} us with it");
    assert!(before > 10 * after_start, "p99 was {before} us, and is {after_start} us");

    let home = report.dir().join("home");
    for step in files.into_iter().chain(after) {
        write(step, &home);
        let Step::Run(command) = step else { continue };
        let run = typed(command, &home);
        let said = String::from_utf8_lossy(&run.stderr).into_owned() + &String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success(), "{command}\n{said}");
    }

    // A change that brings the bad ping back does not pass.
    let yaml = std::fs::read_to_string(home.join("home.yaml")).expect("the file");
    let worse = yaml.replacen("link:\n", "link:\n  ingress: none\n", 1);
    assert!(worse != yaml);
    std::fs::write(home.join("home.yaml"), worse).expect("a file");
    let run = typed("qosc lab home.yaml --only expect", &home);
    assert_eq!(run.status.code(), Some(1), "{}", String::from_utf8_lossy(&run.stdout));
}
