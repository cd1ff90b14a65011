//! The records of a script of an older version are taken over, and a trial goes back to them.

use crate::house::House;
use crate::life_cycle::expect_held;

fn house(rest: &str) -> House {
    let yaml = format!(
        "name: older\n\
         link: {{ device: eth0, profile: docsis, up: 20mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24] }}\n\
         hosts: {{ desk: {{ address: 192.168.1.10 }} }}\n\
         classes:\n  desk: {{ guarantee: 10%, match: [{{ host: desk }}] }}\n  rest: {{ default: true }}\n\
         tuning: {{ txqueuelen: 500, tcp: {{ rtt: 40ms }} }}\n\
         script: {{ calls: [rate] }}\n{rest}"
    );
    House::of("older", yaml.into_bytes())
}

#[test]
fn records_of_older_scripts_are_taken_over() {
    let old = house("");
    let new =
        house("police:\n  guests: { direction: down, match: [{ remote: 10.9.0.0/16 }], rate: 1mbit }\n");
    let guest = old.guest("older").file("old.sh", old.script.as_str()).file("new.sh", new.script.as_str());
    let Some(report) = guest.run("older_records.sh") else { return };
    let files = |step: &str| report.out(step).split_whitespace().map(str::to_owned).collect::<Vec<_>>();

    for step in ["start", "second", "check"] {
        report.expect_code(&format!("taken/{step}"), 0);
    }
    assert_eq!(files("taken/old-files"), ["before", "described", "marks", "new", "speed", "state"]);
    assert_eq!(files("taken/files"), ["before", "state"]);
    assert!(report.out("taken/second").contains("up to date"), "{}", report.about("taken/second"));
    expect_held(&old, &report, "taken/dump");

    for step in ["rate", "again", "start", "check"] {
        report.expect_code(&format!("scaled/{step}"), 0);
    }
    let said = report.out("scaled/again");
    assert!(said.contains("at rate 5mbit up and 25mbit down"), "{said}");

    for step in ["try", "tried-check", "check"] {
        report.expect_code(&format!("back/{step}"), 0);
    }
    expect_held(&old, &report, "back/dump");

    // A change that an older script has not completed.
    report.expect_code("killed/start", 0);
    let said = report.out("killed/start");
    assert!(said.contains("there is no record of what start made"), "{said}");
    report.expect_code("killed/check", 0);
    expect_held(&old, &report, "killed/dump");

    report.expect_code("whole/stop", 0);
    report.expect_same("out/taken/before.state", "out/whole/after.state");
}
