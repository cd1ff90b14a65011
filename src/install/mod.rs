//! Small files that call a script at boot and after a reconnect, for each kind of system, and an uninstaller.
//!
//! The files know the link's name, its device and the place of the script. The templates are in `templates/install/`.

mod alpine;
mod debian;
mod names;
mod networkd_dispatcher;
mod networkmanager;
mod nixos;
mod openwrt;
mod packages;
mod parts;
mod ppp;
mod sandbox;
mod system;
mod systemd;
mod uninstall;

pub use parts::File;
pub use system::System;

use crate::tc::Program;
use names::Names;
use parts::Parts;

/// All files for a router, and the commands that enable them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    /// Files, sorted by their path.
    pub files: Vec<File>,
    /// Commands to type on the router after the files are there.
    pub enable: Vec<String>,
    /// Path of the uninstaller on the router.
    pub uninstaller: String,
}

impl Installation {
    /// Returns an error message if the kinds of systems need different files at one place.
    #[must_use]
    pub fn clash(&self) -> Option<String> {
        let mut pairs = self.files.iter().zip(self.files.iter().skip(1));
        let (file, _) = pairs.find(|(file, next)| file.path == next.path)?;
        Some(format!(
            "no router is of all these kinds: they have different files `{}`\n  help: name one kind, or kinds that go together, such as `debian,ppp`",
            file.path
        ))
    }
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
/// `source` is the name of the YAML file, and `script` is its compiled script, which is one of the files.
#[must_use]
pub fn install(program: &Program, source: &str, script: &str, systems: &[System]) -> Installation {
    let names = Names::new(program, source);
    let nixos = systems.contains(&System::Nixos);
    let mut all = Parts::default();
    for system in systems {
        all.add(match system {
            System::Openwrt => openwrt::parts(&names, program),
            System::Debian => debian::parts(&names, program),
            System::Systemd => systemd::parts(&names, program),
            System::Networkmanager => networkmanager::parts(&names, program),
            System::NetworkdDispatcher => networkd_dispatcher::parts(&names, program),
            System::Ppp => ppp::parts(&names, program),
            System::Alpine => alpine::parts(&names, program),
            System::Nixos => nixos::parts(&names, program),
        });
    }
    let (script_path, uninstaller) = match nixos {
        true => nixos::places(&names),
        false => (names.script.clone(), format!("/etc/qosc/{}.uninstall.sh", names.link)),
    };
    all.add(Parts::of([File::program(script_path, script.to_owned())]));
    let mut paths: Vec<String> = all.files.iter().map(|file| file.path.clone()).collect();
    paths.push(uninstaller.clone());
    if systems.contains(&System::Openwrt) {
        all.add(openwrt::keep(&names, &mut paths));
    }
    all.files.push(uninstall::file(&names, &uninstaller, &all, &paths));
    all.files.sort();
    Installation { files: all.files, enable: all.enable, uninstaller }
}

#[cfg(test)]
#[path = "install_tests.rs"]
mod tests;
