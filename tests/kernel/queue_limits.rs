//! `tuning.bql` sets the byte queue limit of every transmit queue, and `stop` restores it.

use crate::house::House;
use crate::life_cycle::expect_held;

fn house(up: &str, tuning: &str) -> House {
    let yaml = format!(
        "name: queues\nlink: {{ device: eth0, profile: docsis, up: {up}, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ {tuning} }}\n"
    );
    House::of("queues", yaml.into_bytes())
}

#[test]
fn byte_queue_limits_are_set_and_restored() {
    let router = house("20mbit", "bql: 3000");
    let other = house("10mbit", "bql: 9000");
    let none = house("20mbit", "offloads: auto");
    let guest = router.guest("queue_limits");
    let guest = guest.file("other.sh", other.script.as_str()).file("none.sh", none.script.as_str());
    let Some(report) = guest.run("queue_limits.sh") else { return };
    let limits = |step: &str| report.text(&format!("out/{step}.limits"));
    let own = limits("whole/before");
    for step in [
        "start", "second", "check", "status", "dump", "print", "mended", "other", "back", "none", "again",
        "stop",
    ] {
        report.expect_code(&format!("whole/{step}"), 0);
    }
    for (step, bytes) in
        [("started", "3000"), ("mended", "3000"), ("other", "9000"), ("refused", "9000"), ("back", "3000")]
    {
        assert_eq!(limits(&format!("whole/{step}")), format!("{bytes}\n"), "{step}");
    }
    assert!(report.out("whole/second").contains("up to date"), "{}", report.about("whole/second"));
    report.expect_code("whole/drifted", 1);
    report.expect_code("whole/refused", 1);
    let path = "/proc/sys/../../sys/class/net/eth0/queues/tx-0/byte_queue_limits/limit_max";
    let printed = report.out("whole/print");
    assert!(printed.contains(&format!("echo '3000' >{path}")), "{printed}");
    expect_held(&router, &report, "whole/dump");
    assert_eq!((limits("whole/none"), limits("whole/after")), (own.clone(), own.clone()));

    for step in ["anew/start", "anew/stop", "hidden/start", "hidden/second", "hidden/stop"] {
        report.expect_code(step, 0);
    }
    assert_eq!(report.text("out/anew/stop.err"), "");
    assert_eq!(limits("anew/after"), own);
    let warning = "the driver of eth0 has no byte queue limits, so bql changes nothing";
    assert!(report.text("out/hidden/start.err").contains(warning), "{}", report.about("hidden/start"));
}
