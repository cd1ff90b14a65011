//! Two links on one router, and a device that is named only when the script starts.

use crate::counters::packets;
use crate::house::House;
use crate::report::Report;
use qosc_compiler::tc::Dev;
use qosc_preview::live::Dump;
use qosc_preview::plan::Call;

#[test]
fn two_links_run_side_by_side() {
    let house = House::on_cells();
    let yaml = "link: { device: eth9, profile: docsis, up: 10mbit, down: 20mbit }\nlan: { device: br-lan, nat: false }\n\
         hosts:\n  tv: { address: [192.168.1.9, \"::9/-64\"], guarantee: 10%, ceiling: { down: 50% } }\n  \
         ata: { address: 192.168.1.5 }\n\
         classes:\n  voice: { match: [{ host: ata }] }\n  rest: { default: true, share: per-host }\n\
         police:\n  ata: { direction: down, match: [{ host: ata }], rate: 2mbit }\n";
    let other = House::of("other", yaml.as_bytes().to_vec());
    let guest = house.guest("two-links").file("other.sh", other.script.as_str());
    let Some(report) = guest.variable("OTHER_WAN", "eth9").run("two_links.sh") else { return };

    let steps = [
        "first-start",
        "other-start",
        "other-check",
        "first-check",
        "first-second",
        "other-second",
        "other-stop",
        "other-again",
        "first-stop",
        "other-still",
        "other-end",
    ];
    for step in steps {
        report.expect_code(&format!("pair/{step}"), 0);
    }
    report.expect_silence("pair/both");
    report.expect_same("out/pair/first.state", "out/pair/first-alone.state");
    report.expect_same("out/pair/before.state", "out/pair/after.state");

    for step in ["start", "elsewhere", "check", "second", "stop"] {
        report.expect_code(&format!("device/{step}"), 0);
    }
    assert!(report.out("device/second").contains("up to date"), "{}", report.about("device/second"));
    assert!(!report.out("device/left").contains("htb"), "{}", report.about("device/left"));
    let held = crate::observed::parse(&other.program.wan, &house.program.ifb, &report.out("device/dump"));
    let differences = crate::observed::compare(&house.program.on(house.facts()), &held);
    assert!(differences.is_empty(), "{differences:?}");
    report.expect_same("out/device/before.state", "out/device/after.state");
    report.expect_code("device/missing", 1);

    for step in ["start", "try", "check", "stop"] {
        report.expect_code(&format!("moved/{step}"), 0);
    }
    assert!(report.out("moved/tried").contains("c05: root"), "{}", report.about("moved/tried"));
    assert!(!report.out("moved/left").contains("c05:"), "{}", report.about("moved/left"));
    report.expect_same("out/moved/before.state", "out/moved/after.state");

    for step in ["start", "other-start", "stop", "other-check", "other-stop"] {
        report.expect_code(&format!("renewed/{step}"), 0);
    }
    plans_predict_refusals(&report, &house, &other);
}

/// `start` refuses a device at which another link is at work, and devices of others with our names. So do `print` and
/// the plan.
fn plans_predict_refusals(report: &Report, house: &House, other: &House) {
    for step in ["start", "dump", "stop"] {
        report.expect_code(&format!("rival/{step}"), 0);
    }
    for step in ["refused", "print", "foreign-ifb"] {
        report.expect_code(&format!("rival/{step}"), 1);
    }
    let said = |step: &str| report.text(&format!("out/rival/{step}.err"));
    assert_eq!(said("refused"), said("print"));
    for (own, step) in [(other, "refused"), (house, "foreign-ifb")] {
        let text =
            report.out(&format!("rival/{}", if step == "refused" { "dump" } else { "foreign-ifb-dump" }));
        let dump = Dump::read(&text).expect("a dump");
        let plan =
            qosc_preview::plan::plan(&own.program, "home.yaml", &dump, Call::default()).expect("a plan");
        let error = format!("{}: error: ", own.program.link);
        assert_eq!(plan.refusals, [said(step).trim_end().replace(&error, "")], "{step}");
        assert!(plan.differs, "{step}");
    }
}

fn marked(name: &str, device: &str) -> House {
    let yaml = format!(
        "name: {name}\nlink: {{ device: {device}, profile: ethernet, up: 10mbit, down: 20mbit }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: true }}\n\
         hosts: {{ desk: {{ address: 192.168.1.10 }}, tv: {{ address: 192.168.1.11 }} }}\n\
         classes:\n  desk: {{ match: [{{ host: desk }}] }}\n  tv: {{ match: [{{ host: tv }}] }}\n  rest: {{ default: true }}\n"
    );
    House::of(name, yaml.into_bytes())
}

#[test]
fn two_links_may_use_the_same_mark_bits() {
    let (first, other) = (marked("first", "eth0"), marked("other", "eth9"));
    let bits = |house: &House| house.model.marks.as_ref().map(|marks| marks.mask.value);
    assert_eq!(bits(&first), bits(&other));
    let guest = first.guest("two-links-marks").file("other.sh", other.script.as_str());
    let guest = guest.variable("OTHER_WAN", "eth9").variable("OTHER_IFB", other.program.ifb.as_str());
    let Some(report) = guest.run("two_links_marks.sh") else { return };
    for step in ["first-start", "other-start", "other-check", "first-check", "first-second", "first-stop"] {
        report.expect_code(&format!("two/{step}"), 0);
    }
    for step in ["other-still", "other-stop"] {
        report.expect_code(&format!("two/{step}"), 0);
    }
    let sent = |house: &House, step: &str| -> Vec<(u64, u64)> {
        let counted = |dev: Dev, device: &str| {
            packets(&house.program, dev, &report.text(&format!("out/two/{step}.{device}")))
        };
        let up = counted(Dev::Wan, house.program.wan.as_str());
        let down = counted(Dev::Ifb, house.program.ifb.as_str());
        ["desk", "tv"].iter().map(|class| (up[*class], down[*class])).collect()
    };
    assert_eq!(sent(&first, "both"), [(10, 10), (11, 11)], "{}", report.text("out/two/both.lost"));
    assert_eq!(sent(&other, "both"), [(20, 20), (22, 22)], "{}", report.text("out/two/both.lost"));
    assert_eq!(sent(&other, "one"), [(40, 40), (44, 44)], "{}", report.text("out/two/one.lost"));
    report.expect_same("out/two/both.table", "out/two/one.table");
    report.expect_same("out/two/before.state", "out/two/after.state");
}
