//! Verdicts of other tools about the files: shellcheck, the shells, systemd and Nix.

use super::router::{SYSTEMS, files, install};
use crate::tools;
use std::path::Path;
use std::process::Command;

const FILES: [(&str, &str); 3] = [
    ("examples/vdsl2-home.yaml", "home"),
    ("tests/install/odd.yaml", "odd-line"),
    ("tests/install/laptop.yaml", "home"),
];

/// Runs a tool, which must not complain.
#[track_caller]
fn fine(program: &str, arguments: &[&str], file: &Path) -> String {
    let output = Command::new(program).args(arguments).arg(file).output().unwrap();
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?} {}\n{said}", file.display());
    said
}

#[test]
fn shells_and_shellcheck_accept_every_script() {
    if !tools::found(&["dash", "bash", "busybox", "shellcheck"]) {
        return;
    }
    for (file, _) in FILES {
        for system in SYSTEMS {
            let dir = tempfile::tempdir().unwrap();
            assert!(install(file, system, dir.path(), &[]).status.success());
            for name in files(dir.path()) {
                let path = dir.path().join(&name);
                let text = std::fs::read_to_string(&path).unwrap();
                // tests/script/compile.rs checks the compiled script.
                if !text.starts_with("#!") || text.contains("# ==== runtime") {
                    continue;
                }
                fine("shellcheck", &[], &path);
                fine("dash", &["-n"], &path);
                fine("busybox", &["ash", "-n"], &path);
                fine("bash", &["-n"], &path);
            }
        }
    }
}

#[test]
fn systemd_accepts_the_unit_and_finds_it_hardened() {
    if !tools::found(&["systemd-analyze"]) {
        return;
    }
    for (file, link) in FILES {
        let dir = tempfile::tempdir().unwrap();
        assert!(install(file, "systemd", dir.path(), &[]).status.success());
        // systemd looks for the program of a unit on this machine.
        let unit = dir.path().join(format!("etc/systemd/system/qosc-{link}.service"));
        let script = format!("/etc/qosc/{link}.sh");
        let text = std::fs::read_to_string(&unit).unwrap();
        std::fs::write(&unit, text.replace(&script, &format!("{}{script}", dir.path().display()))).unwrap();
        assert_eq!(fine("systemd-analyze", &["verify"], &unit), "");
        let tunnels = dir.path().join(format!("etc/systemd/system/qosc-{link}-tunnels.service"));
        assert_eq!(tunnels.exists(), file.ends_with("laptop.yaml"));
        if tunnels.exists() {
            assert_eq!(fine("systemd-analyze", &["verify"], &tunnels), "");
        }
        fine("systemd-analyze", &["security", "--offline=yes", "--threshold=40", "--no-pager"], &unit);
    }
}

/// The name in the unit is the one that systemd gives to the device.
#[test]
fn the_unit_follows_the_device() {
    if !tools::found(&["systemd-escape"]) {
        return;
    }
    for (device, file, link) in [("ppp0", FILES[0].0, FILES[0].1), ("a+b^c-d.7", FILES[1].0, FILES[1].1)] {
        let dir = tempfile::tempdir().unwrap();
        assert!(install(file, "systemd", dir.path(), &[]).status.success());
        let path = format!("/sys/subsystem/net/devices/{device}");
        let escaped = fine("systemd-escape", &["--path", "--suffix=device"], Path::new(&path));
        let unit =
            std::fs::read_to_string(dir.path().join(format!("etc/systemd/system/qosc-{link}.service")))
                .unwrap();
        for key in ["BindsTo", "WantedBy"] {
            assert!(unit.contains(&format!("\n{key}={escaped}")), "{escaped}{unit}");
        }
    }
    let dir = tempfile::tempdir().unwrap();
    assert!(install("tests/install/laptop.yaml", "systemd", dir.path(), &[]).status.success());
    let path = dir.path().join("etc/systemd/system/qosc-home-tunnels.service");
    let unit = std::fs::read_to_string(path).unwrap();
    let escaped = ["wg0-mullvad", "w+g^1"].map(|device| {
        let path = format!("/sys/subsystem/net/devices/{device}");
        fine("systemd-escape", &["--path", "--suffix=device"], Path::new(&path)).trim().to_owned()
    });
    assert!(unit.contains(&format!("\nWantedBy={}\n", escaped.join(" "))), "{escaped:?}{unit}");
}

#[test]
fn nix_evaluates_the_module() {
    if !tools::found(&["nix-instantiate"]) {
        return;
    }
    for (file, link) in FILES {
        let dir = tempfile::tempdir().unwrap();
        assert!(install(file, "nixos", dir.path(), &[]).status.success());
        let folder = dir.path().join("etc/nixos");
        let expression = format!(
            "import {}/qosc-{link}.nix {{ pkgs = builtins.listToAttrs (map (name: {{ inherit name; value = name; }}) \
             [ \"kmod\" \"gawk\" \"gnugrep\" \"gnused\" \"coreutils\" \"util-linux\" \"iproute2\" \"ethtool\" \
             \"nftables\" \"wireguard-tools\" \"systemd\" ]); }}",
            folder.display()
        );
        let output = Command::new("nix-instantiate")
            .args(["--eval", "--strict", "--json", "--readonly-mode", "-E", &expression])
            .env("HOME", dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
        let module: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let service = &module["systemd"]["services"][format!("qosc-{link}")];
        assert_eq!(service["bindsTo"], service["wantedBy"]);
        let start = service["serviceConfig"]["ExecStart"].as_str().unwrap();
        assert!(start.contains(" start --if-present --device "), "{start}");
        if link == "odd-line" {
            let unit = r"sys-subsystem-net-devices-a\x2bb\x5ec\x2dd.7.device";
            assert_eq!(service["bindsTo"][0], unit);
        }
        if file.ends_with("laptop.yaml") {
            let tunnels = &module["systemd"]["services"]["qosc-home-tunnels"];
            let unit = |device: &str| format!("sys-subsystem-net-devices-{device}.device");
            assert_eq!(tunnels["wantedBy"][0], unit(r"wg0\x2dmullvad"));
            assert_eq!(tunnels["wantedBy"][1], unit(r"w\x2bg\x5e1"));
        }
    }
}
