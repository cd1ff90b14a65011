//! On a kernel that ignores HTB's `mpu`, `start` warns and otherwise behaves the same.

use crate::house::House;
use crate::uml::Machine;

fn house(profile: &str) -> House {
    let link = format!("link: {{ device: eth0, profile: {profile}, up: 4mbit, down: 40mbit }}");
    House::of("kernels", format!("{link}\nlan: {{ device: br-lan }}\n").into_bytes())
}

/// The errors of a start of a link with an mpu, and of one without.
fn messages(machine: Machine) -> Option<[String; 2]> {
    let (least, none) = (house("docsis"), house("vdsl2-pppoe"));
    let guest = least.guest("ignored-mpu").on(machine);
    let report = guest.file("least.sh", least.script).file("none.sh", none.script).run("ignored_mpu.sh")?;
    Some(["least", "none"].map(|step| {
        report.expect_code(&format!("kernels/{step}"), 0);
        report.text(&format!("out/kernels/{step}.err"))
    }))
}

#[test]
fn start_warns_on_a_kernel_that_ignores_mpu() {
    let Some([least, none]) = messages(Machine::Older) else { return };
    let warning = "kernels: warning: this kernel ignores mpu: packets below 64 bytes are charged less than they take \
                   on the line\n";
    assert!(least.contains(warning), "{least}");
    assert!(!none.contains("mpu"), "{none}");
}

#[test]
fn start_does_not_warn_on_a_newer_kernel() {
    let Some(messages) = messages(Machine::Newer) else { return };
    assert_eq!(messages, [""; 2]);
}
