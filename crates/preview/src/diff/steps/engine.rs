//! Runs the awk programs of the script on a router's texts.

use super::router::Router;
use qosc_compiler::tc::{EGRESS_END_PREF, EGRESS_PREF, HOOK_BANK, INGRESS_PREF};
use std::fs::{File, create_dir_all, write};
use std::io::{Error, ErrorKind};
use std::path::Path;
use std::process::Command;

/// Prints the steps and the texts that led to them.
const REPORT: &str = include_str!("../../../../../templates/plan.awk");

/// First line of the record. No other script or device can have made it.
const WHO: &str = "by plan";

/// Returns what awk prints.
///
/// # Errors
/// Returns a message for people if awk is missing or fails.
pub(super) fn run(router: &Router) -> Result<String, String> {
    let folder = tempfile::Builder::new().prefix("qosc-plan-").tempdir();
    let folder = folder.map_err(|e| format!("cannot make a temporary folder: {e}"))?;
    let input = lay(router, folder.path()).map_err(|e| format!("cannot write temporary files: {e}"))?;
    let mut awk = Command::new("awk");
    for (name, value) in variables(router) {
        awk.arg("-v").arg(format!("{name}={}", value.replace('\\', r"\\")));
    }
    awk.args(["-f", "./program"]).env("LC_ALL", "C").env_remove("QOSC_RECORDS");
    let output = awk.current_dir(folder.path()).stdin(input).output().map_err(|e| match e.kind() {
        ErrorKind::NotFound => {
            "awk is missing, and `plan` finds the steps with it as `start` does (Debian: mawk)".to_owned()
        }
        _ => format!("cannot start `awk`: {e}"),
    })?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("awk failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// Variables of the engine, as `engine` in `templates/runtime/look.sh` sets them. All its files are in the folder.
fn variables(router: &Router) -> [(&'static str, String); 19] {
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    [
        ("link", router.link.clone()),
        ("who", WHO.to_owned()),
        ("dev", router.wan.clone()),
        ("up", router.up().to_owned()),
        ("ifb1", router.ifb.0.clone()),
        ("ifb2", router.second_ifb.0.clone()),
        ("ifbu", router.uploads_ifb.0.clone()),
        ("state", ".".to_owned()),
        ("sys", "sys".to_owned()),
        ("given", "wanted".to_owned()),
        ("txqueuelen", router.txqueuelen.clone()),
        ("needs_hook", yes(router.needs_hook)),
        ("needs_egress", yes(router.needs_egress)),
        ("take_over", yes(router.take_over)),
        ("explain", "all".to_owned()),
        ("ingress_pref", INGRESS_PREF.to_string()),
        ("egress_pref", EGRESS_PREF.to_string()),
        ("hook_pref_end", EGRESS_END_PREF.to_string()),
        ("hook_bank", HOOK_BANK.to_string()),
    ]
}

/// Writes the files that the engine reads, and returns its input. No text of the router names a file.
fn lay(router: &Router, folder: &Path) -> Result<File, Error> {
    let put = |name: &str, text: &str| write(folder.join(name), text);
    put("program", &(REPORT.to_owned() + &qosc_compiler::emit::engine()))?;
    put("wanted", &format!("== described\n{}", router.wanted))?;
    if router.is_recorded() {
        put("state", &format!("{WHO}\n== described\n{}== shown\n{}== end\n", router.was, router.held))?;
    }
    let facts = ["root ", "hook ", "txqueuelen ", "tunnel "];
    let before = router.before.lines().filter(|line| facts.iter().any(|fact| line.starts_with(fact)));
    put("before", &before.map(|line| format!("{line}\n")).collect::<String>())?;
    let devices = folder.join("sys/class/net");
    create_dir_all(devices.join(&router.wan))?;
    write(devices.join(&router.wan).join("tx_queue_len"), format!("{}\n", router.queue))?;
    let ifbs = [&router.ifb, &router.second_ifb, &router.uploads_ifb];
    for (name, up) in ifbs.into_iter().filter(|(_, up)| *up > 0) {
        create_dir_all(devices.join(name))?;
        write(devices.join(name).join("flags"), if *up == 2 { "0x1\n" } else { "0x0\n" })?;
    }
    put("input", &format!("== tc\n{}\n== shown\n", router.shown))?;
    File::open(folder.join("input"))
}

#[cfg(test)]
mod tests {
    /// A dump is a text of others. The program runs no command and writes no file.
    #[test]
    fn the_program_only_reads() {
        let program = super::REPORT.to_owned() + &qosc_compiler::emit::engine();
        for words in ["system(", "| getline", " | \"", "@include"] {
            assert!(!program.contains(words), "{words}");
        }
        // These functions write the files of a start, and only the engine's own END calls them.
        assert!(!super::REPORT.contains("write_") && !super::REPORT.contains("print_state"));
    }
}
