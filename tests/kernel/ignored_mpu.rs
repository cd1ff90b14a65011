//! On a kernel that ignores HTB's `mpu`, `start` warns and otherwise behaves the same. `tests/shell.rs` tests which
//! kernels those are, without a kernel.

use crate::house::House;

#[test]
fn start_warns_on_a_kernel_that_ignores_mpu() {
    let of = |profile: &str| {
        let link = format!("link: {{ device: eth0, profile: {profile}, up: 4mbit, down: 40mbit }}");
        House::of("kernels", format!("{link}\nlan: {{ device: br-lan }}\n").into_bytes())
    };
    let (least, none) = (of("docsis"), of("vdsl2-pppoe"));
    let guest = least.guest("ignored-mpu").file("least.sh", least.script).file("none.sh", none.script);
    let Some(report) = guest.run("ignored_mpu.sh") else { return };
    for (step, told) in [("least-old", true), ("least-new", false), ("none-old", false)] {
        report.expect_code(&format!("kernels/{step}"), 0);
        let said = report.text(&format!("out/kernels/{step}.err"));
        assert_eq!(said.contains("ignores mpu"), told, "{}", report.about(&format!("kernels/{step}")));
    }
}
