//! Hooks, run as their system runs them: on which events and devices they call the script.

use super::router::{Router, SHELLS, silent};
use crate::tools;
use std::process::{Command, Stdio};

const START: &str = "start --if-present --device ppp0";
const STOP: &str = "stop --device ppp0";

/// For each event: the variables that ifupdown sets, the folder, and the call. interfaces(5) documents both.
#[test]
fn ifupdown_calls_for_its_interface() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        for system in ["debian", "alpine"] {
            let router = Router::new(system, shell);
            router.enable();
            for (iface, folder, calls) in [
                ("ppp0", "if-up.d", START),
                ("ppp0", "if-post-down.d", STOP),
                ("ppp01", "if-up.d", ""),
                ("lo", "if-up.d", ""),
                ("--all", "if-up.d", ""),
                ("eth0", "if-post-down.d", ""),
            ] {
                let folder = router.path("root/etc/network").join(folder).display().to_string();
                let (mode, phase) =
                    if folder.ends_with("if-up.d") { ("start", "post-up") } else { ("stop", "post-down") };
                let variables = [
                    ("IFACE", iface),
                    ("LOGICAL", iface),
                    ("ADDRFAM", "inet"),
                    ("METHOD", "ppp"),
                    ("MODE", mode),
                    ("PHASE", phase),
                ];
                // Debian's run-parts and that of busybox, which Alpine uses.
                for run_parts in [&["run-parts"][..], &["busybox", "run-parts"]] {
                    silent(&router.run(&[run_parts, &[&folder]].concat(), &variables));
                    assert_eq!(router.calls(), calls, "{shell:?} {system} {iface} {phase}");
                }
                router.hook(
                    &format!(
                        "etc/network/{}/qosc-home",
                        if mode == "start" { "if-up.d" } else { "if-post-down.d" }
                    ),
                    &[],
                    &variables,
                );
                assert_eq!(router.calls(), calls, "{shell:?} {system} {iface} {phase}");
            }
            assert_eq!(router.log(), "", "a start without problems is not logged");
        }
    }
}

/// OpenRC has a link for each service that it starts.
#[test]
fn ifupdown_starts_nothing_that_is_disabled() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let router = Router::new("alpine", shell);
        let up = || router.hook("etc/network/if-up.d/qosc-home", &[], &[("IFACE", "ppp0")]);
        up();
        assert_eq!(router.calls(), "", "{shell:?}");
        router.enable();
        up();
        assert_eq!(router.calls(), START, "{shell:?}");
    }
}

#[test]
fn a_failed_start_is_logged_and_does_not_fail_the_event() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for (system, file, arguments, variables) in [
        ("debian", "etc/network/if-up.d/qosc-home", &[][..], &[("IFACE", "ppp0")][..]),
        ("ppp", "etc/ppp/ip-up.d/qosc-home", &["ppp0"], &[]),
        ("networkmanager", "etc/NetworkManager/dispatcher.d/90-qosc-home", &["ppp0", "up"], &[]),
        ("networkd-dispatcher", "etc/networkd-dispatcher/routable.d/90-qosc-home", &[], &[("IFACE", "ppp0")]),
        (
            "openwrt",
            "etc/hotplug.d/iface/95-qosc-home",
            &[],
            &[("ACTION", "ifup"), ("DEVICE", "ppp0"), ("INTERFACE", "wan")],
        ),
    ] {
        for shell in SHELLS {
            let router = Router::new(system, shell);
            router.enable();
            router.set("fails", true);
            router.hook(file, arguments, variables);
            assert_eq!(router.calls(), START, "{system}");
            assert_eq!(router.log(), "-t qosc-home: home: it failed\n", "{system}");
            std::fs::remove_file(router.path("root/etc/qosc/home.sh")).unwrap();
            router.hook(file, arguments, variables);
            assert!(
                router.log().contains("not found") || router.log().contains("No such file"),
                "{}",
                router.log()
            );
        }
    }
}

/// NetworkManager-dispatcher(8): the device and the action as arguments.
#[test]
fn networkmanager_calls_for_its_device() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let router = Router::new("networkmanager", shell);
        let device = "root/sys/class/net/ppp0";
        for (arguments, ip_device, there, calls) in [
            (["ppp0", "pre-up"], "ppp0", true, ""),
            (["ppp0", "up"], "ppp0", true, START),
            (["eth0", "up"], "ppp0", true, START),
            (["eth0", "up"], "eth0", true, ""),
            (["ppp0", "reapply"], "ppp0", true, START),
            (["ppp0", "dhcp4-change"], "ppp0", true, ""),
            (["none", "hostname"], "", true, ""),
            (["none", "connectivity-change"], "", true, ""),
            (["ppp0", "pre-down"], "ppp0", true, ""),
            (["ppp0", "down"], "ppp0", true, ""),
            (["ppp0", "down"], "ppp0", false, STOP),
            (["eth0", "down"], "eth0", false, ""),
        ] {
            if there != router.path(device).exists() {
                router.set(device, there);
            }
            let variables = [("DEVICE_IP_IFACE", ip_device), ("NM_DISPATCHER_ACTION", arguments[1])];
            router.hook("etc/NetworkManager/dispatcher.d/90-qosc-home", &arguments, &variables);
            assert_eq!(router.calls(), calls, "{shell:?} {arguments:?}");
        }
    }
}

/// The program of a tunnel makes its device anew, after the hook of the WAN device. Only a `start` queues its downloads.
#[test]
fn hooks_call_when_the_device_of_a_tunnel_appears() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    let manager = "etc/NetworkManager/dispatcher.d/90-qosc-home";
    let (up, off) = ("etc/networkd-dispatcher/routable.d", "etc/networkd-dispatcher/off.d");
    let (if_up, if_down) = ("etc/network/if-up.d/qosc-home", "etc/network/if-post-down.d/qosc-home");
    for shell in SHELLS {
        for (system, file, event, starts) in [
            ("debian", if_up, "", true),
            ("debian", if_down, "", false),
            ("alpine", if_up, "", true),
            ("networkmanager", manager, "up", true),
            ("networkmanager", manager, "pre-up", false),
            ("networkmanager", manager, "down", false),
            ("networkd-dispatcher", &format!("{up}/90-qosc-home"), "", true),
            ("networkd-dispatcher", &format!("{off}/90-qosc-home"), "", false),
        ] {
            let router = Router::of("tests/install/laptop.yaml", system, shell);
            router.enable();
            router.set("root/sys/class/net/ppp0", true);
            let calls = |device: &str| {
                let variables = [("IFACE", device), ("DEVICE_IP_IFACE", device)];
                router.hook(file, &[device, event], &variables);
                router.calls()
            };
            // Somebody stopped the shaping: a tunnel does not start it.
            assert_eq!(calls("wg0-mullvad"), "", "{shell:?} {system} {event}");
            router.set("root/run/qosc/home/before", true);
            for (device, starts) in
                [("wg0-mullvad", starts), ("w+g^1", starts), ("wg0", false), ("tun0", false)]
            {
                assert_eq!(
                    calls(device),
                    if starts { START } else { "" },
                    "{shell:?} {system} {event} {device}"
                );
            }
        }
    }
}

/// networkd-dispatcher(8): the device and its states as variables.
#[test]
fn networkd_dispatcher_calls_for_its_device() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let router = Router::new("networkd-dispatcher", shell);
        for (state, iface, calls) in [
            ("routable", "ppp0", START),
            ("routable", "eth0", ""),
            ("off", "ppp0", STOP),
            ("off", "eth0", ""),
        ] {
            let variables =
                [("IFACE", iface), ("OperationalState", state), ("AdministrativeState", "configured")];
            router.hook(&format!("etc/networkd-dispatcher/{state}.d/90-qosc-home"), &[], &variables);
            assert_eq!(router.calls(), calls, "{shell:?} {state} {iface}");
        }
    }
}

/// pppd(8): the device as first argument. Debian's ip-up passes all arguments to `run-parts`.
#[test]
fn pppd_calls_for_its_session() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let router = Router::new("ppp", shell);
        for folder in ["ip-up.d", "ipv6-up.d"] {
            for (device, calls) in [("ppp0", START), ("ppp1", "")] {
                let path = router.path("root/etc/ppp").join(folder).display().to_string();
                let argument = format!("--arg={device}");
                let words = ["run-parts", &path, &argument, "--arg=/dev/ttyS0", "--arg=0", "--arg=192.0.2.1"];
                silent(&router.run(&words, &[("PPP_IFACE", device), ("PPPD_PID", "1")]));
                assert_eq!(router.calls(), calls, "{folder} {device}");
                router.hook(&format!("etc/ppp/{folder}/qosc-home"), &[device, "/dev/ttyS0"], &[]);
                assert_eq!(router.calls(), calls, "{shell:?} {folder} {device}");
            }
        }
    }
}

#[test]
fn shaping_stops_when_pppd_ends_and_not_when_it_dials_again() {
    if !tools::found(&tools::SHELLS) {
        return;
    }
    for shell in SHELLS {
        let router = Router::new("ppp", shell);
        let mut pppd =
            Command::new("sleep").arg("600").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pid = pppd.id().to_string();
        let down =
            |device: &str| router.hook("etc/ppp/ip-down.d/qosc-home", &[device], &[("PPPD_PID", &pid)]);
        down("ppp1");
        // pppd dials for a while, until there is a session again.
        down("ppp0");
        router.tick();
        router.tick();
        router.set("root/sys/class/net/ppp0", true);
        router.finish_background();
        assert_eq!(router.calls(), "", "{shell:?}");
        // pppd ends.
        router.set("root/sys/class/net/ppp0", false);
        down("ppp0");
        router.tick();
        pppd.kill().unwrap();
        pppd.wait().unwrap();
        router.finish_background();
        assert_eq!(router.calls(), format!("{STOP}, {START}"), "{shell:?}");
    }
}
