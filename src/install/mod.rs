//! Small files that call a script at boot and after a reconnect, for each kind of system, and an uninstaller.
//!
//! The files know the link's name, its device and the place of the script. `system.rs` lists the files and commands of each
//! system, and `words.rs` fills the templates in `templates/install/`.

mod file;
mod packages;
mod system;
mod words;

pub use file::File;
pub use system::System;

use qosc_compiler::tc::Program;
use std::collections::BTreeSet;
use words::Words;

/// All files for a router, and the commands that enable them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// Files, sorted by their path.
    pub files: Vec<File>,
    /// Commands to type on the router after the files are there.
    pub enable: Vec<String>,
    /// Path of the script on the router.
    pub script: String,
    /// Path at which `deploy` keeps the script before.
    pub before: String,
    /// Path of the uninstaller on the router.
    pub uninstaller: String,
}

/// Returns a warning if hooks of ifupdown alone should start the script for a device that pppd makes.
#[must_use]
pub fn never_called(program: &Program, systems: &[System]) -> Option<String> {
    let device = program.wan.as_str();
    let ifupdown = |system: &System| matches!(system, System::Debian | System::Alpine);
    (device.starts_with("ppp") && !systems.is_empty() && systems.iter().all(ifupdown)).then(|| {
        format!(
            "ifupdown runs no hook when pppd has made `{device}`, so nothing starts the script\n  help: add `ppp` to `--system`, for the hooks of pppd"
        )
    })
}

/// Returns the files that start a script on routers of these kinds.
///
/// `source` is the name of the YAML file, and `script` is its compiled script, which is one of the files. `minutes` are those
/// of an hour at which variants begin or end, such as `0,30`.
///
/// # Errors
/// Returns an error message if the kinds of systems need different files at one place.
pub fn install(
    program: &Program,
    source: &str,
    script: &str,
    minutes: &str,
    systems: &[System],
) -> Result<Installation, String> {
    let mut words = Words::new(program, source, minutes, script.contains("\nbounds='"));
    let folder = if systems.contains(&System::Nixos) { "/etc/nixos/@TAG@" } else { "/etc/qosc/@LINK@" };
    let [place, before, uninstaller] =
        [".sh", ".before.sh", ".uninstall.sh"].map(|end| words.fill(folder) + end);
    let script = File { path: place.clone(), text: script.to_owned(), executable: true };
    let mut files = BTreeSet::from([script]);
    let (mut enable, mut disable, mut afterwards) = (Vec::new(), Vec::new(), Vec::new());
    for system in systems {
        words.set("@OPENRC_ENABLED@", if *system == System::Alpine { OPENRC_ENABLED } else { "" });
        let template = system.template();
        for (list, executable) in [(template.programs, true), (template.plain, false)] {
            let made = list.iter().map(|(path, text)| (words.fill(path), words.fill(text)));
            let made = made.filter(|(_, text)| !text.is_empty());
            files.extend(made.map(|(path, text)| File { path, text, executable }));
        }
        add(&mut enable, &words, template.enable);
        add(&mut disable, &words, template.disable);
        add(&mut afterwards, &words, template.afterwards);
    }
    let mut paths: Vec<String> = files.iter().map(|file| file.path.clone()).collect();
    paths.extend([before.clone(), uninstaller.clone()]);
    if systems.contains(&System::Openwrt) {
        files.insert(kept_by_sysupgrade(&words, &mut paths));
    }
    paths.sort();
    words.set("@DISABLE@", &disable.join("\n"));
    words.set("@FILES@", &paths.join(" \\\n    "));
    words.set("@AFTERWARDS@", &afterwards.join("\n"));
    let text = words.fill(include_str!("../../templates/install/uninstall.sh"));
    files.insert(File { path: uninstaller.clone(), text, executable: true });
    let files: Vec<File> = files.into_iter().collect();
    match files.iter().zip(files.iter().skip(1)).find(|(file, next)| file.path == next.path) {
        None => Ok(Installation { files, enable, script: place, before, uninstaller }),
        Some((file, _)) => Err(format!(
            "no router is of all these kinds: they have different files `{}`\n  help: name one kind, or kinds that go together, such as `debian,ppp`",
            file.path
        )),
    }
}

/// Lines of a hook of ifupdown on a system with OpenRC, which keeps a link for each service that it starts.
const OPENRC_ENABLED: &str =
    "# After `rc-update del`, nothing starts it.\nls /etc/runlevels/*/@TAG@ >/dev/null 2>&1 || exit 0";

/// Adds the commands of a system. Two systems may have the same command.
fn add(all: &mut Vec<String>, words: &Words, templates: &[&str]) {
    for command in templates.iter().map(|template| words.fill(template)) {
        if !command.is_empty() && !all.contains(&command) {
            all.push(command);
        }
    }
}

/// Returns the list for sysupgrade of OpenWrt. `paths` has all other files, and gets the list itself. The link that
/// `enable` makes is in the list, too.
fn kept_by_sysupgrade(words: &Words, paths: &mut Vec<String>) -> File {
    let path = words.fill("/lib/upgrade/keep.d/@TAG@");
    paths.push(path.clone());
    let mut lines = paths.clone();
    lines.push(words.fill("/etc/rc.d/S95@TAG@"));
    lines.sort();
    File { path, text: lines.join("\n") + "\n", executable: false }
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
