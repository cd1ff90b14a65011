//! A module of NixOS, beside the script that it installs.

use super::names::Names;
use super::parts::{File, Parts};
use super::{packages, sandbox, systemd};
use crate::tc::Program;

pub(super) fn parts(names: &Names<'_>, program: &Program) -> Parts {
    let sandbox: Vec<String> = sandbox::settings(program)
        .into_iter()
        .map(|(key, value)| format!("      {key} = \"{value}\";"))
        .collect();
    // The shell and these tools are all that a script of NixOS finds.
    let packages = format!("kmod gawk gnugrep gnused coreutils util-linux {}", packages::debian(program));
    let unit = |device: &str| format!("\"{}\"", systemd::device_unit(device).replace('\\', r"\\"));
    let tunnels: Vec<String> = names.tunnels.iter().map(|device| unit(device)).collect();
    let tunnels = match tunnels.as_slice() {
        [] => String::new(),
        tunnels => include_str!("../../templates/install/tunnels.nix")
            .replace("@NIX_TUNNEL_UNITS@", &tunnels.join(" ")),
    };
    let text = include_str!("../../templates/install/module.nix")
        .replace("@NIX_TUNNELS@\n", &tunnels)
        .replace("@SANDBOX@", &sandbox.join("\n"))
        .replace("@NIX_PACKAGES@", &packages)
        .replace("@NIX_UNIT@", &unit(names.device));
    let module = format!("/etc/nixos/{}.nix", names.tag);
    Parts {
        enable: vec![
            format!("# add ./{}.nix to `imports` in /etc/nixos/configuration.nix", names.tag),
            "nixos-rebuild switch".to_owned(),
        ],
        afterwards: vec![format!(
            "echo 'Remove ./{}.nix from imports in configuration.nix, and run nixos-rebuild switch.'",
            names.tag
        )],
        ..Parts::of([File::plain(module, names.fill(&text))])
    }
}

/// Returns the paths of the script and the uninstaller. The module makes the path that users call from the first.
pub(super) fn places(names: &Names<'_>) -> (String, String) {
    (format!("/etc/nixos/{}.sh", names.tag), format!("/etc/nixos/{}.uninstall.sh", names.tag))
}
