//! Stops and restarts while tc, or the user who calls, cannot do what is needed: the tree and its records stay, and the
//! call says so.

use crate::house::House;
use crate::report::Report;

fn house(up: &str) -> House {
    let yaml = format!(
        "name: survivor\n\
         link: {{ device: eth0, profile: docsis, up: {up}, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\n\
         classes:\n  voice: {{ guarantee: 10%, match: [{{ dscp: ef }}] }}\n  rest: {{ default: true }}\n\
         police:\n  guests: {{ direction: down, match: [{{ local: 10.9.0.0/16 }}], rate: 1mbit }}\n"
    );
    House::of("survivor", yaml.into_bytes()).with_calls()
}

/// Checks that two points of a leg have the same state and the same records.
#[track_caller]
fn expect_both(report: &Report, leg: &str, then: &str) {
    for what in ["state", "records"] {
        // A rollback may change the order in which tc shows classes.
        let [old, new] = ["started", then].map(|point| {
            let text = report.text(&format!("out/{leg}/{point}.{what}"));
            let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
            lines.sort();
            lines
        });
        assert!(!old.is_empty() && old == new, "{leg} {then} {what}: {old:#?}\n{new:#?}");
    }
}

#[track_caller]
fn expect_error(report: &Report, step: &str, words: &str) {
    report.expect_code(step, 1);
    let said = report.text(&format!("out/{step}.err"));
    assert!(said.contains("error: ") && said.contains(words), "{words}\n{}", report.about(step));
}

#[test]
fn nothing_is_lost_if_tc_fails() {
    let house = house("20mbit");
    let broken = house.script.replace(" fq_codel limit ", " fq_codal limit ");
    let guest = house.guest("survives-stop").file("other.sh", self::house("18mbit").script);
    let Some(report) = guest.file("broken.sh", broken).run("survives_stop.sh") else { return };
    let code = |step: &str, code: u8| report.expect_code(step, code);
    let stops_well = |leg: &str| {
        code(&format!("{leg}/stop"), 0);
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/stopped.state"));
    };

    for leg in ["powerless", "refused", "half"] {
        code(&format!("{leg}/start"), 0);
        expect_error(&report, &format!("{leg}/fault"), "filters of eth0");
        assert!(!report.out(&format!("{leg}/fault")).contains("stopped"));
        code(&format!("{leg}/ping"), 0);
        if leg == "half" {
            report.expect_same(&format!("out/{leg}/started.records"), &format!("out/{leg}/faulty.records"));
            code("half/check", 1);
        } else {
            expect_both(&report, leg, "faulty");
            code(&format!("{leg}/check"), 0);
        }
        stops_well(leg);
    }

    for leg in ["kill", "fail"] {
        let step = |name: &str| format!("{leg}/{name}");
        // The process that changes shows the result, so its failure is one of a step.
        for call in ["start", "change"] {
            expect_error(&report, &step(&format!("{call}-1")), "tc does not show");
            expect_error(&report, &step(&format!("{call}-2")), "the kernel refused a step");
        }
        for then in ["not-started-1", "not-started-2"] {
            report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/{then}.state"));
        }
        for call in ["start", "stop", "check", "print", "restart", "rate"] {
            expect_error(&report, &step(&format!("{call}-1")), "tc does not show");
            expect_both(&report, leg, &format!("{call}-1"));
        }
        expect_error(&report, &step("stop-2"), "what tc does not show");
        for good in ["ifb", "again", "once", "check"] {
            code(&step(good), 0);
        }
        stops_well(leg);
    }

    code("restart/start", 0);
    expect_error(&report, "restart/broken", "everything was put back as it was before");
    expect_error(&report, "restart/foreign", "pref 5");
    for then in ["broken", "foreign"] {
        expect_both(&report, "restart", then);
    }
    for good in ["restart", "check", "stop"] {
        code(&format!("restart/{good}"), 0);
    }

    expect_error(&report, "lost/refused", "could not be put back");
    for good in ["start", "check"] {
        code(&format!("lost/{good}"), 0);
    }
    assert!(report.text("out/lost/start.err").contains("cannot be put back"));
    stops_well("lost");

    code("root/start", 0);
    expect_error(&report, "root/fault", "root qdisc (was handle 7: pfifo limit 77)");
    assert!(!report.out("root/left").contains("c05:"));
    stops_well("root");
}
