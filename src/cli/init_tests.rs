//! Tests of the questions at a terminal.

use super::{asked, text};
use crate::cli::args::Init;

fn init(device: Option<&str>) -> Init {
    Init {
        profile: None,
        device: device.map(|name| name.parse().expect("a device")),
        up: None,
        down: None,
        output: None,
        force: false,
    }
}

#[test]
fn missing_options_are_asked_until_the_answer_is_valid() {
    let mut out = Vec::new();
    let mut input = "vdsl2-pppo\nvdsl2-pppoe\n6500\n6.5mbit\n25 mbit\n".as_bytes();
    let answers = asked(&init(Some("ppp0")), &mut input, &mut out).unwrap_or_else(|words| panic!("{words}"));
    let written = text(&answers);
    for line in ["  device: ppp0", "  profile: vdsl2-pppoe", "  up: 6.5mbit", "  down: 25mbit"] {
        assert!(written.lines().any(|there| there == line), "{line} in\n{written}");
    }
    let said = String::from_utf8(out).expect("text");
    assert!(said.contains("there is no profile `vdsl2-pppo`; did you mean `vdsl2-pppoe`?"), "{said}");
    assert!(said.contains("the rate `6500` has no unit; write `6500kbit`"), "{said}");
    assert!(said.contains("status page") && said.contains("docsis"), "{said}");
    assert_eq!(said.matches("> ").count(), 5, "{said}");
}

#[test]
fn the_end_of_the_input_is_an_error() {
    let (mut out, mut input) = (Vec::new(), "ppp0\n".as_bytes());
    let words = asked(&init(None), &mut input, &mut out).expect_err("no answer");
    assert_eq!(words, "no answer for `--profile`");
}
