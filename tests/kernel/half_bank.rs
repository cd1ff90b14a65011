//! After a change that was killed while it filled the second bank of the policers for uploads, the next start removes
//! what was begun and keeps the bank in force. Otherwise uploads would pass unpoliced meanwhile.

use crate::house::House;
use crate::uml::Machine;
use qosc_compiler::tc::{EGRESS_PREF, HOOK_BANK};

fn house(rate: &str) -> House {
    let yaml = format!(
        "name: half\nlink: {{ device: eth0, profile: docsis, up: 20mbit, down: 40mbit }}\n\
         lan: {{ device: br-lan, nat: false }}\npolice:\n  \
         one: {{ direction: up, match: {{ local: 10.9.0.0/16, protocol: udp }}, rate: {rate} }}\n  \
         two: {{ direction: up, match: {{ local: 10.10.0.0/16, protocol: tcp, family: ipv4 }}, rate: {rate} }}\n"
    );
    House::of("half", yaml.into_bytes())
}

#[test]
fn policers_stay_in_force_after_a_killed_change() {
    let house = house("2mbit");
    let stray = EGRESS_PREF + HOOK_BANK;
    let first = format!(
        "filter add dev eth0 egress pref {stray} protocol ip u32 match ip protocol 17 0xff action pass"
    );
    let guest = house.guest("half").on(Machine::Uml).file("other.sh", self::house("3mbit").script.as_str());
    let Some(report) = guest.variable("FIRST", &first).run("half_bank.sh") else { return };
    for step in ["start", "print", "change", "check", "stop"] {
        report.expect_code(&format!("dash/{step}"), 0);
    }
    let printed = report.out("dash/print");
    let egress: Vec<&str> = printed.lines().filter(|line| line.contains(" egress pref ")).collect();
    let place = |words: &str| egress.iter().position(|line| line.contains(words));
    let removed = place(&format!("filter del dev eth0 egress pref {stray}"));
    assert_eq!(removed, Some(0), "the filter that was begun goes first\n{printed}");
    let added = egress.iter().rposition(|line| line.contains("filter add"));
    let gone = place(&format!("filter del dev eth0 egress pref {EGRESS_PREF} "));
    assert!(added.is_some() && gone > added, "the bank in force goes last\n{printed}");
}
