//! Init scripts with stand-ins for rc.common of OpenWrt and openrc-run, hotplug scripts, and uninstallers.

use super::router::{Router, SHELLS, SYSTEMS, files};
use crate::tools;

const START: &str = "start --if-present --device ppp0";

/// A stand-in for rc.common with procd, as OpenWrt documents it: `start` calls `start_service` and then
/// `service_triggers`; `stop` calls `stop_service`; `reload` calls `reload_service`; `boot` is `start`.
/// `enable` makes a link, `disable` removes it, and `enabled` looks for it.
const RC_COMMON: &str = r#"
initscript=$1
enabled() { [ -L "$ROUTER/root/etc/rc.d/S$START${initscript##*/}" ]; }
enable() { mkdir -p "$ROUTER/root/etc/rc.d" && ln -s x "$ROUTER/root/etc/rc.d/S$START${initscript##*/}"; }
disable() { rm "$ROUTER/root/etc/rc.d/S$START${initscript##*/}"; }
procd_add_reload_trigger() { echo "config $*" >>"$ROUTER/triggers"; }
procd_add_raw_trigger() { echo "event $*" >>"$ROUTER/triggers"; }
. "$initscript"
start() {
    start_service
    service_triggers
}
boot() { start; }
stop() { stop_service; }
reload() { reload_service; }
"$2"
"#;

/// A stand-in for openrc-run(8): the functions of the service, and what they call.
const OPENRC_RUN: &str = r#"
ebegin() { echo "$*"; }
eend() { return "$1"; }
after() { :; }
. "$1"
depend
"$2"
"#;

#[test]
fn procd_starts_reloads_and_stops() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let router = Router::new("openwrt", shell);
        router.program("bin/ubus", "[ \"$1\" = list ] && [ -e \"$ROUTER/ubus/$2\" ]\n");
        // The hotplug script calls the init script, which names its interpreter.
        router.program("root/etc/rc.common", RC_COMMON);
        let init = router.path("root/etc/init.d/qosc-home").display().to_string();
        let rc = |action: &str| {
            let text = format!("set -- '{init}' {action}\n{RC_COMMON}");
            let output = router.shell(&text, &[]);
            assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
            assert_eq!(output.status.code(), Some(0), "{action}");
            router.calls()
        };
        assert_eq!(rc("boot"), START);
        let triggers = std::fs::read_to_string(router.path("triggers")).unwrap();
        assert_eq!(triggers, format!("config network\nevent interface.* 2000 {init} reload\n"));
        // The session comes, and twice more.
        let ifup = |interface: &str, action: &str, device: &str| {
            let hook = router.path("root/etc/hotplug.d/iface/95-qosc-home").display().to_string();
            // hotplug-call reads each script in a shell of its own.
            let text = format!("( . '{hook}' ); echo after");
            let variables = [("ACTION", action), ("INTERFACE", interface), ("DEVICE", device)];
            let variables = &variables[..if device.is_empty() { 2 } else { 3 }];
            let output = router.shell(&text, variables);
            assert_eq!(String::from_utf8_lossy(&output.stdout), "after\n");
            assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
            router.calls()
        };
        assert_eq!(ifup("wan", "ifup", "ppp0"), "", "it is not enabled yet");
        assert_eq!(rc("enable"), "");
        assert_eq!(ifup("wan", "ifup", "ppp0"), START);
        assert_eq!(ifup("wan_6", "ifup", "ppp0"), START);
        assert_eq!(ifup("lan", "ifup", "br-lan"), "");
        assert_eq!(ifup("wan", "ifupdate", "ppp0"), "");
        assert_eq!(ifup("wan", "ifdown", ""), "");
        router.set("ubus/network.interface.wan", true);
        router.set("ubus/network.interface.lan", true);
        router.set("started", true);
        // The IPv6 interface is gone, but the link is there.
        assert_eq!(rc("reload"), format!("check, {START}"));
        // Somebody stopped the shaping.
        router.set("started", false);
        assert_eq!(rc("reload"), "check");
        // The interface is removed from the configuration.
        router.set("started", true);
        router.set("ubus/network.interface.wan", false);
        assert_eq!(rc("reload"), "stop");
        router.set("started", false);
        assert_eq!(rc("reload"), "check");
        assert_eq!(rc("stop"), "stop");
        assert_eq!(ifup("wan", "ifup", "ppp0"), START);
        // Somebody has disabled and stopped it.
        assert_eq!(rc("disable") + &rc("stop"), "stop");
        for interface in ["wan", "wan_6"] {
            assert_eq!(ifup(interface, "ifup", "ppp0"), "");
        }
    }
}

#[test]
fn sysupgrade_keeps_every_file() {
    let router = Router::new("openwrt", SHELLS[0]);
    let root = router.path("root").display().to_string();
    let kept = std::fs::read_to_string(router.path("root/lib/upgrade/keep.d/qosc-home")).unwrap();
    let kept: Vec<&str> = kept.lines().map(|line| line.trim_start_matches(root.as_str())).collect();
    for file in files(&router.path("root")) {
        assert!(kept.contains(&format!("/{file}").as_str()), "{file} is not in {kept:?}");
    }
    assert!(kept.contains(&"/etc/rc.d/S95qosc-home"), "{kept:?}");
}

#[test]
fn openrc_starts_reloads_and_stops_and_reports_a_failure() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let router = Router::new("alpine", shell);
        let init = router.path("root/etc/init.d/qosc-home").display().to_string();
        for fails in [false, true] {
            if fails {
                router.set("fails", true);
            }
            for (action, calls) in [("start", START), ("reload", START), ("stop", "stop")] {
                let output = router.shell(&format!("set -- '{init}' {action}\n{OPENRC_RUN}"), &[]);
                assert_eq!(output.status.code(), Some(i32::from(fails)), "{action}");
                assert_eq!(router.calls(), calls);
            }
        }
    }
}

#[test]
fn the_uninstaller_stops_and_removes_exactly_its_files() {
    for system in SYSTEMS {
        let router = Router::new(system, SHELLS[0]);
        for tool in ["systemctl", "rc-service", "rc-update"] {
            router.program(&format!("bin/{tool}"), &format!("echo \"{tool} $*\" >>\"$ROUTER/tools\"\n"));
        }
        if system == "nixos" {
            router.program("root/etc/qosc/home.sh", "echo \"$*\" >>\"$CALLS\"\n");
        }
        if system == "openwrt" {
            router.program("root/etc/init.d/qosc-home", "echo \"init $*\" >>\"$ROUTER/tools\"\n");
        }
        router.program("root/etc/other", "");
        let folder = if system == "nixos" { "nixos/qosc-home" } else { "qosc/home" };
        let uninstall = format!("etc/{folder}.uninstall.sh");
        let before = files(&router.path("root"));
        // If shaping cannot be stopped, the script is still needed.
        router.program("root/etc/qosc/home.sh", "echo \"$*\" >>\"$CALLS\"\nexit 1\n");
        let path = router.path("root").join(&uninstall).display().to_string();
        assert_eq!(router.run(&["sh", &path], &[]).status.code(), Some(1));
        assert_eq!(router.calls(), "stop");
        assert_eq!(files(&router.path("root")), before);
        router.program("root/etc/qosc/home.sh", "echo \"$*\" >>\"$CALLS\"\n");
        let output = router.run(&["sh", &path], &[]);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        assert_eq!(router.calls(), "stop");
        let left: Vec<String> = files(&router.path("root"));
        // On NixOS, the next rebuild removes the link to the script.
        let expected: &[&str] =
            if system == "nixos" { &["etc/other", "etc/qosc/home.sh"] } else { &["etc/other"] };
        assert_eq!(left, expected, "{system}");
        let tools = std::fs::read_to_string(router.path("tools")).unwrap_or_default().replace('\n', ", ");
        let expected = match system {
            "openwrt" => "init stop, init disable, ",
            "systemd" => "systemctl disable --now qosc-home.service, systemctl daemon-reload, ",
            "alpine" => "rc-service qosc-home stop, rc-update del qosc-home default, ",
            _ => "",
        };
        assert_eq!(tools, expected, "{system}");
    }
}
