//! Records of the script survive what others do: they say what the script made, and for which router.

use crate::house::House;
use crate::report::Report;

/// A configuration with a table of marks and with settings.
fn house(name: &str, device: &str) -> House {
    house_at(name, device, 10)
}

fn house_at(name: &str, device: &str, up: u16) -> House {
    let yaml = format!(
        "name: {name}\nlink: {{ device: {device}, profile: docsis, up: {up}mbit, down: 50mbit }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: true }}\n\
         hosts: {{ desk: {{ address: 192.168.1.10 }} }}\n\
         classes:\n  desk: {{ match: [{{ host: desk }}] }}\n  rest: {{ default: true }}\n\
         tuning: {{ tcp: {{ rtt: 40ms }} }}\n"
    );
    House::of(name, yaml.into_bytes()).with_calls()
}

/// Checks what a step says, and its exit code.
#[track_caller]
fn expect_said(report: &Report, step: &str, code: u8, words: &str) {
    report.expect_code(step, code);
    let said = report.out(step) + &report.text(&format!("out/{step}.err"));
    assert!(said.contains(words), "`{words}` is missing\n{}", report.about(step));
}

/// A call that changes only rates, or nothing, does not record as its own what others have changed.
#[test]
fn a_call_records_only_what_it_changed() {
    let Some(report) = house("home", "eth0").guest("records-of-others").run("records_of_others.sh") else {
        return;
    };
    for (leg, lost) in [
        (
            "flushed",
            "home: drifted at rate 5mbit up and 20mbit down: the table of marks is gone; `start` mends that\n",
        ),
        ("meanwhile", "home: drifted: the table of marks is gone; `start` mends that\n"),
        ("setting", "  sysctl net/ipv4/tcp_wmem: was: 4096 16384 95000   is: 4096 5000 6000\n"),
    ] {
        for step in ["start", "call", "mended", "check-mended"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        expect_said(&report, &format!("{leg}/check"), 1, lost);
        report.expect_same(&format!("out/{leg}/made.out"), &format!("out/{leg}/now.out"));
    }
    assert_eq!(report.out("meanwhile/call").trim(), "home: up to date");
    report.expect_code("setting/stop", 0);
    report.expect_same("out/flushed/before.state", "out/setting/after.state");
}

/// Network namespaces of one machine share the folder of the records. A call in another one leaves them alone.
#[test]
fn another_network_namespace_has_records_of_its_own() {
    let (home, other) = (house("home", "eth0"), house("other", "eth0"));
    let guest = home.guest("namespaces").file("other.sh", other.script.as_str());
    let Some(report) = guest.run("namespaces.sh") else { return };
    report.expect_code("dash/start", 0);
    for step in ["stop", "start", "restart", "check", "status", "rate", "print", "dump", "confirm"] {
        let said = report.text(&format!("out/dash/there-{step}.err"));
        assert_eq!(
            said,
            "home: error: the records in /run/qosc/home are of another network namespace: name another folder in \
             QOSC_RUN, or remove this one if that namespace is gone\n",
            "{step}"
        );
        report.expect_code(&format!("dash/there-{step}"), 1);
    }
    // Devices there with the name and the number of ours are no devices of ours.
    for step in
        ["other-start", "other-check", "own-start", "own-check", "own-stop", "other-stop", "check", "second"]
    {
        report.expect_code(&format!("dash/{step}"), 0);
    }
    assert_eq!(report.out("dash/second").trim(), "home: up to date");
    report.expect_code("dash/stop", 0);
    report.expect_same("out/dash/before.state", "out/dash/after.state");
}

/// A file that names a device that does not exist is not applied to the device of an earlier file. But the device of
/// the file may have another name by now, and `--device` names any device.
#[test]
fn a_missing_device_is_not_replaced_by_that_of_another_file() {
    let (home, wrong) = (house("home", "eth0"), house("home", "ethO"));
    let faster = home.script.replace(" ceil 9", " ceil 8");
    assert_ne!(faster, home.script);
    let guest = home.guest("file-device").file("wrong.sh", wrong.script.as_str()).file("faster.sh", faster);
    let Some(report) = guest.run("file_device.sh") else { return };
    report.expect_code("other/start", 0);
    for step in ["refused", "print", "try", "restart"] {
        report.expect_code(&format!("other/{step}"), 1);
        let said = report.text(&format!("out/other/{step}.err"));
        assert_eq!(said, "home: error: there is no device ethO\n", "{step}");
    }
    expect_said(&report, "other/hook", 0, "there is no device ethO, so there is nothing to do");
    for step in ["check", "second"] {
        report.expect_code(&format!("other/{step}"), 0);
    }
    // Stop knows the device by its record.
    report.expect_code("other/stop", 0);
    report.expect_same("out/other/before.state", "out/other/after.state");
    for leg in ["renamed", "given"] {
        for step in ["start", "same", "change", "back", "second", "check", "restart", "check-again", "stop"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        assert_eq!(report.out(&format!("{leg}/second")).trim(), "home: up to date", "{leg}");
        report.expect_same(&format!("out/{leg}/before.out"), &format!("out/{leg}/after.out"));
    }
}

/// A `gso_max_segs` that `ip` cannot set, with or without an error, is named once. It is no drift.
#[test]
fn segments_that_ip_cannot_limit_are_no_drift() {
    let Some(report) = house("home", "eth0").guest("stuck-segments").run("stuck_segments.sh") else { return };
    for leg in ["refused", "ignored"] {
        for step in ["start", "check", "second", "changed", "check-changed", "stop"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        let said = report.text(&format!("out/{leg}/start.err"));
        assert_eq!(said.matches("ip cannot set gso_max_segs of eth0 to 1").count(), 1, "{said}");
        for step in ["check", "second", "changed"] {
            assert_eq!(report.text(&format!("out/{leg}/{step}.err")), "", "{leg}/{step}");
        }
        assert_eq!(report.out(&format!("{leg}/second")).trim(), "home: up to date");
        assert_eq!(report.out(&format!("{leg}/check")).trim(), "home: in place");
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
    report.expect_code("works/start", 0);
    assert_eq!(report.text("out/works/start.err"), "");
    assert!(report.out("works/link").contains(" gso_max_segs 1 "), "{}", report.about("works/link"));
    report.expect_code("works/stop", 0);
}

/// The start of a hook keeps the rates in force, also if it repairs something. A plain start, another script and another
/// device return to the rates of the YAML.
#[test]
fn hooks_keep_the_rates_in_force() {
    const KEPT: &str = "at rate 3mbit up and 10mbit down";
    let (home, other) = (house("home", "eth0"), house_at("home", "eth0", 12));
    let guest = home.guest("rates-in-force").file("faster.sh", other.script.as_str());
    let Some(report) = guest.run("rates_in_force.sh") else { return };
    for shell in ["dash", "busybox"] {
        let step = |name: &str| format!("{shell}/{name}");
        expect_said(&report, &step("hook"), 0, &format!("home: up to date {KEPT}\n"));
        report.expect_silence(&step("hook"));
        expect_said(&report, &step("reload"), 0, &format!("home: up to date {KEPT}\n"));
        expect_said(
            &report,
            &step("damaged"),
            1,
            &format!("drifted {KEPT}: the table of marks is gone; `start` mends that\n"),
        );
        expect_said(&report, &step("repair"), 0, &format!("home: changed on eth0 {KEPT}\n"));
        for name in ["kept", "repaired"] {
            report.expect_same(&format!("out/{shell}/scaled.out"), &format!("out/{shell}/{name}.out"));
        }
        expect_said(&report, &step("check"), 0, &format!("in place {KEPT}\n"));
        for (plain, held) in [("plain", "yaml"), ("other", "yaml-other"), ("anew", "yaml-anew")] {
            report.expect_code(&step(plain), 0);
            assert!(!report.out(&step(plain)).contains("rate"), "{}", report.about(&step(plain)));
            let same = held != "yaml-other";
            assert_eq!(report.out(&step("made")) == report.out(&step(held)), same, "{held}");
            assert!(report.out(&step(&format!("check-{plain}"))).ends_with("in place\n"), "{plain}");
        }
        report.expect_code(&step("stop"), 0);
    }
    // A change that fails returns to the rates, too.
    expect_said(&report, "fails/refused", 1, "everything was put back as it was before");
    expect_said(&report, "fails/check", 0, &format!("in place {KEPT}\n"));
    report.expect_same("out/dash/scaled.out", "out/fails/put-back.out");
    report.expect_code("fails/stop", 0);
}

/// A record that is cut says only what its whole lines say: no call restores half a value, or takes half a state for
/// what is in force.
#[test]
fn a_cut_record_is_never_taken_for_more_than_it_says() {
    let (home, other) = (house("home", "eth0"), house_at("home", "eth0", 12));
    let Some(report) =
        home.guest("cut-records").file("other.sh", other.script.as_str()).run("cut_records.sh")
    else {
        return;
    };
    for step in report.text("out/cuts").lines() {
        report.expect_code(&format!("{step}-check"), 1);
        for call in ["start", "again"] {
            report.expect_code(&format!("{step}-{call}"), 0);
        }
        assert!(report.out(&format!("{step}-start")).contains("changed on eth0"), "{step}");
    }
    for shell in ["dash", "busybox"] {
        let befores = report.text(&format!("out/{shell}/befores"));
        assert!(befores.lines().count() > 20, "{befores}");
        let kept = |name: &str| report.text(&format!("out/{shell}/{name}.sysctls"));
        let first = kept(befores.lines().next().unwrap_or_default());
        for name in befores.lines() {
            report.expect_code(&format!("{shell}/{name}-stop"), 0);
            assert_eq!(kept(name), first, "{shell}/{name}");
            if report.dir().join(format!("out/{shell}/{name}-check.code")).exists() {
                expect_said(&report, &format!("{shell}/{name}-check"), 3, "not started");
                for call in ["start", "again"] {
                    report.expect_code(&format!("{shell}/{name}-{call}"), 0);
                }
            }
        }
        for number in 1..=3 {
            for call in ["check", "change", "back"] {
                report.expect_code(&format!("{shell}/added-{number}-{call}"), 0);
            }
        }
        let added = report.text(&format!("out/{shell}/added"));
        assert!(!added.contains("tcp_mem") && !added.contains("tunnel"), "{added}");
        for state in ["after-state", "after-before", "after"] {
            report.expect_same(&format!("out/{shell}/before.state"), &format!("out/{shell}/{state}.state"));
        }
    }
}
