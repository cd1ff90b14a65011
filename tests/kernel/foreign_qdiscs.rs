//! A router whose WAN device already has qdiscs or filters of its own.

use crate::house::House;

#[test]
fn stop_restores_foreign_qdiscs_and_filters() {
    let house = House::on_cells();
    let Some(report) = house.guest("foreign-qdiscs").run("foreign_qdiscs.sh") else { return };
    let roots = [
        "pfifo",
        "bfifo",
        "fq_codel",
        "sfq",
        "cake",
        "unlimited",
        "codel",
        "fq",
        "paced",
        "pie",
        "tbf",
        "stab",
    ];
    for leg in roots.into_iter().chain(["ingress", "clsact"]) {
        for step in ["start", "check", "second", "stop"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        let said = report.text(&format!("out/{leg}/start.err"));
        let warned = said.contains("the root qdisc of eth0 was made by others, and is replaced until `stop`");
        assert_eq!(warned, !["ingress", "clsact"].contains(&leg), "{leg}: {said}");
        let held = crate::observed::parse(
            &house.program.wan,
            &house.program.ifb,
            &report.out(&format!("{leg}/dump")),
        );
        let mut differences = crate::observed::compare(&house.program.on(house.facts()), &held);
        // An existing `ingress` qdisc can replace clsact if no filter needs the egress hook.
        differences.retain(|difference| leg != "ingress" || difference.object != "wan qdisc ffff:");
        assert!(differences.is_empty(), "{leg}: {differences:?}");
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
    for (leg, code) in [("sqm", 1), ("sqm-root", 0)] {
        report.expect_code(&format!("{leg}/start"), code);
        let said = report.text(&format!("out/{leg}/start.err"));
        let cure = "\n  this is sqm-scripts; to stop it: systemctl disable --now sqm@eth0\n";
        assert!(said.contains(cure), "{said}");
    }
    for (leg, named) in [("red", "red 8"), ("prio", "prio 1:"), ("filter", "pref 5")] {
        let step = format!("{leg}/start");
        report.expect_code(&step, 1);
        assert!(report.text(&format!("out/{step}.err")).contains(named), "{}", report.about(&step));
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
}
