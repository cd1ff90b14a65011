//! The clock of the router selects a variant, and a switch under load loses no packet.

use crate::house::House;
use crate::report::Report;
use crate::streams::{Streams, expect_exactly};
use qosc_compiler::compile::Options;
use std::path::Path;

/// 1,000 packets of 1,228 bytes in each second and direction: half of the upload rate, and two thirds in the evening.
const FLOWS: &str = "up lan/192.168.1.10 40000 net/198.51.100.1 40001 1000 1200\n\
    down net/198.51.100.1 40001 lan/192.168.1.10 40000 1000 1200\n";
const EVENING: &str = "evening";
const NIGHT: &str = "night";

/// The house with a variant as its program.
fn varied(house: &House, text: &str, variant: &str) -> House {
    let options = Options { variant: Some(variant.to_owned()), ..Options::of("night.yaml") };
    let (model, program) = qosc_compiler::compile(text, &options).into_finished().expect("a program");
    House { model, program, script: house.script.clone() }
}

/// What `check` says if a variant, or none, is in place.
fn in_place(variant: &str) -> String {
    match variant {
        "" => "night: in place\n".to_owned(),
        _ => format!("night: in place, variant {variant}\n"),
    }
}

/// Checks one time of the clock: `was` holds before the timer's call, and `is` after it.
fn expect(report: &Report, step: &str, was: &str, is: &str) {
    let before = report.out(&format!("{step}-check"));
    let due = match (was == is, is) {
        (true, _) => String::new(),
        (false, "") => format!("; variant {was} is over: start"),
        (false, is) => format!("; variant {is} is due: start"),
    };
    assert_eq!(before, in_place(was).replace('\n', &format!("{due}\n")), "{step}");
    let printed = report.out(&format!("{step}-print"));
    assert_eq!(printed.contains("up to date"), was == is, "{step}: {printed}");
    let switched = report.out(&format!("{step}-switch"));
    assert_eq!(switched.is_empty(), was == is, "{step}: {switched}");
    assert_eq!(report.out(&format!("{step}-checked")), in_place(is), "{step}");
    for call in ["check", "print", "switch", "checked"] {
        report.expect_code(&format!("{step}-{call}"), 0);
    }
}

#[test]
fn the_clock_selects_a_variant_and_no_switch_loses_a_packet() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/night.yaml");
    let text = std::fs::read_to_string(&file).expect("an example");
    let house = House::read(&file).expect("an example").with_calls();
    let guest = house.guest("variants").file("flows", FLOWS);
    let Some(report) = guest.run("variants.sh") else { return };

    for silent in ["clock/early", "clock/stopped"] {
        report.expect_code(silent, 0);
        assert_eq!(report.out(silent), "", "{silent}: a link that is not started stays so");
    }
    let steps = [
        ("noon", "", ""),
        ("before", "", ""),
        ("night", "", NIGHT),
        ("midnight", NIGHT, NIGHT),
        ("last", NIGHT, NIGHT),
        ("morning", NIGHT, ""),
        ("thursday", "", ""),
        ("friday", "", EVENING),
        ("late", EVENING, NIGHT),
        ("sunday", NIGHT, EVENING),
        ("monday", EVENING, NIGHT),
    ];
    for (step, was, is) in steps {
        expect(&report, &format!("clock/{step}"), was, is);
    }
    for call in ["check", "checked"] {
        assert_eq!(
            report.out(&format!("clock/unset-{call}")),
            in_place(NIGHT),
            "such a clock disturbs nothing"
        );
    }
    assert_eq!(report.out("clock/again"), "night: up to date, variant night\n");
    assert!(report.out("clock/status").starts_with("night: in place, variant night\n"));
    assert!(report.out("clock/metrics").contains(",variant=\"night\"} 1\n"));
    let warning = report.text("out/clock/base-start.err");
    assert!(
        warning.contains("the clock is not set, so no variant is chosen: it says Fri Jan  2"),
        "{warning}"
    );
    assert_eq!(report.out("clock/base-check"), in_place(""));

    // 02:00 to 03:00 does not exist, and is inside the night.
    expect(&report, "summer/march", NIGHT, NIGHT);
    assert_eq!(report.out("summer/october") + &report.out("summer/october-again"), "");
    assert_eq!(report.out("summer/checked"), in_place(NIGHT));

    let at = " at rate 10mbit up and 50mbit down\n";
    assert_eq!(report.out("rate/night-checked"), in_place(NIGHT).replace('\n', at));
    assert_eq!(report.out("rate/evening-checked"), in_place(EVENING), "the evening has other line rates");

    assert_eq!(report.out("trial/switch"), "", "a trial is not disturbed");
    assert_eq!(report.out("trial/check"), in_place(NIGHT));

    let streams = Streams::of(&report, "load");
    for (step, variant) in [(2, NIGHT), (3, ""), (4, EVENING)] {
        let own =
            if variant.is_empty() { House::read(&file).expect("it") } else { varied(&house, &text, variant) };
        expect_exactly(&own, &report, &format!("load/{step}"));
        report.expect_code(&format!("load/switch-{step}"), 0);
        for flow in ["up", "down"] {
            assert_eq!(streams.cost(flow, step), (0, 0), "{variant}: {streams:?}");
        }
    }
}
