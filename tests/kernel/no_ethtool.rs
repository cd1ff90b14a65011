//! Without ethtool, leaf qdiscs become CAKE, which splits aggregated packets. If the kernel has no CAKE either, `start`
//! describes the cost.

use crate::house::House;
use crate::uml::Machine;
use qosc_compiler::tc::Facts;

#[test]
fn leaf_qdiscs_split_aggregates_without_ethtool() {
    let link = "link: { device: eth0, profile: adsl-pppoa-vcmux, up: 448kbit, down: 8mbit }\nlan: { device: br-lan }\n";
    let rest = "classes:\n  quick: { match: [{ protocol: udp }] }\n  rest: { default: true";
    let house = House::of("cells", format!("{link}{rest} }}\n").into_bytes());
    let hosts = House::of("hosts", format!("{link}{rest}, share: per-host }}\n").into_bytes());
    let guest = house.guest("no-ethtool").on(Machine::Uml).file("shared.sh", hosts.script);
    let Some(report) = guest.run("no_ethtool.sh") else { return };
    for (leg, split_in_leaves) in [("cake", true), ("neither", false)] {
        for step in ["start", "second", "check", "stop"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        assert!(report.out(&format!("{leg}/second")).contains("up to date"));
        let errors = report.text(&format!("out/{leg}/start.err"));
        assert_eq!(errors.contains("no ethtool and no sch_cake"), !split_in_leaves, "{errors}");

        let held = crate::observed::parse(
            &house.program.wan,
            &house.program.ifb,
            &report.out(&format!("{leg}/dump")),
        );
        let facts = Facts { split_in_leaves, ..house.facts() };
        let differences = crate::observed::compare(&house.program.on(facts), &held);
        assert!(differences.is_empty(), "{leg}: {differences:?}");
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
    // With `share: per-host`, no other qdisc can replace CAKE.
    report.expect_code("neither/hosts", 1);
    let errors = report.text("out/neither/hosts.err");
    for part in ["# rest: queue (hosts.yaml:5)", "module sch_cake", "kmod-sched-cake", "`share: per-flow`"] {
        assert!(errors.contains(part), "no `{part}` in\n{errors}");
    }
    report.expect_same("out/neither/before.state", "out/neither/refused.state");
}
