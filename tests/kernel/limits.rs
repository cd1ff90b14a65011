//! The kernel holds every number at its limits unchanged, and another number beyond them.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::report::Report;
use crate::samples::extreme;

#[test]
fn the_kernel_holds_the_limits() {
    let [low, high] = [false, true].map(|high| House::of("limits", extreme(high).into_bytes()));
    let guest = low.guest("limits").file("high.sh", high.script.as_str());
    let Some(report) = guest.run("limits.sh") else { return };
    for (leg, house) in [("low", &low), ("high", &high)] {
        let step = |name: &str| format!("{leg}/{name}");
        report.expect_code(&step("start"), 0);
        expect_held(house, &report, &step("dump"));
        let length = house.program.settings.txqueuelen.expect("a length");
        assert_eq!(report.text(&format!("out/{leg}/queue")).trim(), length.to_string());
        report.expect_code(&step("second"), 0);
        assert!(report.out(&step("second")).contains("up to date"), "{}", report.about(&step("second")));
        report.expect_code(&step("check"), 0);
        report.expect_code(&step("stop"), 0);
    }
    beyond(&report);
}

/// Without a limit, the kernel would silently hold another number. If a kernel learns to hold one, its limit can go.
fn beyond(report: &Report) {
    let shown = report.text("out/beyond");
    for (what, expected) in [
        ("police burst 34360000", "burst 261b "),
        ("police burst 34359739", "burst 0b "),
        ("police burst 12", "burst 0b "),
        ("htb burst 34359739", "burst 0b/1 "),
        ("htb quantum 2147483648", "quantum -2147483648 "),
        ("htb prio 8", "prio 7 "),
        ("fq_codel target 1us", "target 0us "),
        ("fq_codel target 4294967296us", "target 5ms "),
        ("fq_codel memory_limit 2147483649", "memory_limit 2048Mb "),
        ("fq_codel memory_limit 4294967295", "memory_limit 32Mb "),
        ("fq_codel quantum 255", "quantum 256 "),
        ("cake rtt 4294967296us", "rtt 100ms "),
        ("handle ffff:", "Cannot move an existing qdisc"),
        ("txqueuelen 32768", "Numerical result out of range"),
    ] {
        let lines: Vec<&str> =
            shown.lines().filter_map(|line| line.strip_prefix(&format!("{what}: "))).collect();
        assert!(lines.iter().any(|line| line.contains(expected)), "{what}: {lines:?}\n{shown}");
    }
}
