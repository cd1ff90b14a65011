//! States that a script did not leave itself. It loses nothing of others and leaves nothing of ours.

use crate::house::House;

#[test]
fn start_and_stop_cope_with_states_they_did_not_leave() {
    let house = House::case("every-police");
    let Some(report) = house.guest("unexpected-states").run("unexpected_states.sh") else { return };
    let code = |step: &str, code: u8| report.expect_code(step, code);

    // A stop for another device changes nothing. A start on a device that is occupied fails and changes nothing either.
    for step in ["start", "stop-elsewhere", "check"] {
        code(&format!("elsewhere/{step}"), 0);
    }
    assert!(report.out("elsewhere/stop-elsewhere").contains("not started on spare"));
    code("elsewhere/start-elsewhere", 1);
    code("elsewhere/check-again", 0);
    // A start on a free device leaves nothing on the first one. A restart returns to the device of the YAML.
    for step in ["move", "check-moved", "restart", "check-back", "stop"] {
        code(&format!("elsewhere/{step}"), 0);
    }
    for step in ["left", "moved-back"] {
        let held = report.out(&format!("elsewhere/{step}"));
        assert!(!held.contains("c05:") && !held.contains("clsact"), "{step}: {held}");
    }

    code("lost/start", 0);
    code("lost/stop", 0);
    report.expect_same("out/lost/before.state", "out/lost/after.state");

    code("beside/start", 0);
    code("beside/refused", 1);
    for step in ["taken", "check", "stop"] {
        code(&format!("beside/{step}"), 0);
    }
    assert!(!report.out("beside/filters").contains("pref 5 "), "{}", report.out("beside/filters"));
    report.expect_same("out/beside/before.state", "out/beside/after.state");

    for kind in ["dummy", "ifb"] {
        let ifb = house.program.ifb.as_str();
        for name in [ifb.to_owned(), ifb.replace("ifb-", "ifbp-")] {
            code(&format!("namesake/start-{kind}-{name}"), 1);
            let said = report.text(&format!("out/namesake/start-{kind}-{name}.err"));
            assert!(said.contains(&format!("the device {name} was not made by this script")), "{said}");
            code(&format!("namesake/stop-{kind}-{name}"), 0);
            report.expect_same(
                &format!("out/namesake/before-{kind}-{name}.state"),
                &format!("out/namesake/after-{kind}-{name}.state"),
            );
        }
    }
    code("namesake/start", 0);
    code("namesake/check", 1);
    code("namesake/again", 1);
    code("namesake/stop", 0);
    code("namesake/spared", 0);

    code("absent/start", 1);
    for step in ["hook", "reload"] {
        code(&format!("absent/{step}"), 0);
        assert!(report.out(&format!("absent/{step}")).contains("there is no device nowhere"));
    }
    assert!(report.text("out/absent/files.out").is_empty(), "{}", report.about("absent/files"));

    for step in ["nothing", "start", "stop"] {
        code(&format!("shared-folder/{step}"), 0);
    }
    let files = report.out("shared-folder/files");
    assert!(files.lines().count() == 1 && files.trim().ends_with("/theirs"), "{files}");

    code("renamed/start", 0);
    code("renamed/stop", 0);
    assert!(!report.out("renamed/left").contains("c05:"), "{}", report.about("renamed/left"));
}
