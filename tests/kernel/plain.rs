//! The plain script of `compile --emit plain` makes the same objects as the full script and removes them again.

use crate::house::House;
use crate::streams::expect_exactly;
use qosc_compiler::compile::{Options, compile};

fn lives(name: &str, text: &str) {
    let house = House::of(name, text.as_bytes().to_vec());
    let compiled = compile(text, &Options::of(format!("{name}.yaml")));
    let plain = compiled.plain(house.facts()).expect("a script");
    let guest = house.guest(&format!("plain-{name}")).file("plain.sh", plain);
    let Some(report) = guest.run("plain.sh") else { return };
    for shell in ["dash", "busybox", "bash"] {
        for step in ["start", "again"] {
            report.expect_code(&format!("{shell}/{step}"), 0);
            expect_exactly(&house, &report, &format!("{shell}/{step}"));
        }
        report.expect_code(&format!("{shell}/ping"), 0);
        for step in ["stop", "stop-again"] {
            report.expect_code(&format!("{shell}/{step}"), 0);
        }
        report.expect_code(&format!("{shell}/wrong"), 2);
        report.expect_same(&format!("out/{shell}/before.state"), &format!("out/{shell}/after.state"));
    }
}

#[test]
fn the_example_of_a_home_is_made_and_removed() {
    lives("vdsl2-home", include_str!("../../examples/vdsl2-home.yaml"));
}

#[test]
fn marks_and_police_are_made_and_removed() {
    lives("marks", include_str!("../../examples/marks.yaml"));
    lives("every-police", include_str!("../cases/every-police/home.yaml"));
}
