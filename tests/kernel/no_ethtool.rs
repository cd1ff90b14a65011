//! Without ethtool, leaves become CAKE, which splits aggregates; where the kernel has none, a word says what that costs.

use crate::house::House;
use qosc::tc::Facts;

#[test]
fn leaves_split_what_nothing_can_turn_off() {
    let house = House::case("cells");
    let Some(report) = house.guest("no-ethtool").run("no_ethtool.sh") else { return };
    for (leg, split_in_leaves) in [("cake", true), ("neither", false)] {
        for step in ["start", "second", "check", "stop"] {
            report.expect_code(&format!("{leg}/{step}"), 0);
        }
        assert!(report.out(&format!("{leg}/second")).contains("up to date"));
        let told = report.text(&format!("out/{leg}/start.err"));
        assert_eq!(told.contains("no ethtool and no sch_cake"), !split_in_leaves, "{told}");

        let held =
            qosc::live::parse(&house.program.wan, &house.program.ifb, &report.out(&format!("{leg}/dump")));
        let facts = Facts { split_in_leaves, ..house.facts() };
        let differences = qosc::diff::compare(&house.program.on(facts), &held);
        assert!(differences.is_empty(), "{leg}: {differences:?}");
        report.expect_same(&format!("out/{leg}/before.state"), &format!("out/{leg}/after.state"));
    }
}
