//! A flowtable of the household bypasses all nft rules of its family, including ours. `start` warns of it, and the
//! counters confirm it.

use crate::counters::packets;
use crate::house::House;
use qosc_compiler::tc::Dev;

const HOUSE: &str = "
name: short
link: { device: eth1, profile: ethernet, up: 10mbit, down: 20mbit }
lan: { device: br-lan, networks: [192.168.1.0/24], nat: true }
hosts: { desk: { address: 192.168.1.10 } }
classes:
  desk: { match: [{ host: desk }] }
  rest: { default: true }
";

/// A flowtable like that of OpenWrt's `flow_offloading`.
const FLOWTABLE: &str = "
table inet short {
    flowtable quick { hook ingress priority 0; devices = { eth1, br-lan }; }
    chain forward {
        type filter hook forward priority 0;
        meta l4proto tcp flow add @quick
    }
}
";

#[test]
fn a_flowtable_bypasses_our_marks_and_start_warns_of_it() {
    let house = House::of("short", HOUSE.as_bytes().to_vec());
    let guest = house.guest("flowtable").file("flowtable.nft", FLOWTABLE);
    let guest = guest.file("flows", "desk lan/192.168.1.10 net/198.51.100.1 5001 1 up\n");
    let Some(report) = guest.run("flowtable.sh") else { return };
    for step in ["without/start", "without/stop", "with/start", "with/check", "with/stop"] {
        report.expect_code(step, 0);
    }
    let said = |leg: &str| report.about(&format!("{leg}/start"));
    let warning = "flowtable quick of table inet short takes connections round the marks";
    assert!(said("with").contains(warning) && !said("without").contains(warning), "{}", said("with"));
    let sent = |leg: &str| {
        let counted = packets(&house.program, Dev::Wan, &report.out(&format!("{leg}/up")));
        (counted["desk"], counted["rest"])
    };
    let (desk, rest) = sent("without");
    assert!(desk > 1000 && rest < 50, "{desk} {rest}");
    let (desk, rest) = sent("with");
    assert!(rest > 1000 && desk < 50, "{desk} {rest}");
}
