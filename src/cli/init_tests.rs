//! Tests of the questions at a terminal.

use super::{Answers, asked, fitting};
use crate::cli::args::Init;
use qosc_compiler::diag::{Code, Severity};
use qosc_compiler::profile;
use qosc_compiler::units::Rate;

fn init(device: Option<&str>) -> Init {
    Init {
        from: None,
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
    let (written, _) = fitting(&answers);
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

/// The starter file for a line.
fn of(profile: &str, up: Rate, down: Rate) -> (String, qosc_compiler::compile::Compilation) {
    let profile = profile::find(profile).expect("a profile");
    fitting(&Answers::new("eth1".parse().expect("a device"), profile, up, down))
}

#[test]
fn the_file_for_any_line_has_no_finding_on_its_classes() {
    let rates = [64, 128, 256, 512, 1024, 3500, 10_000, 40_000, 100_000, 1_000_000];
    for profile in
        ["docsis", "vdsl2-bridged", "adsl-ipoa-llc", "fibre", "ethernet", "conservative", "wireless"]
    {
        for up in rates {
            for times in [1, 4, 8, 20, 50] {
                let (up, down) = (Rate::from_bps(up * 1000), Rate::from_bps(up * times * 1000));
                let (text, compiled) = of(profile, up, down);
                // these are about the rates that the user gave
                let given = [Code::UnlikelyRate, Code::RatesSwapped];
                let on_classes = compiled
                    .findings
                    .iter()
                    .filter(|finding| finding.severity != Severity::Note && !given.contains(&finding.code))
                    .map(|finding| &finding.message)
                    .collect::<Vec<_>>();
                assert!(on_classes.is_empty(), "{profile} {up} {down}: {on_classes:?}\n{text}");
            }
        }
    }
}

#[test]
fn the_classes_fit_the_line() {
    let rate = |text: &str| text.parse::<Rate>().expect("a rate");
    let of = |up: &str, down: &str| of("docsis", rate(up), rate(down)).0;
    assert!(of("10mbit", "100mbit").contains("\nclasses:\n  preset: home\n"));
    // a share of 20 % carries no call
    let slow = of("128kbit", "1024kbit");
    assert!(
        slow.contains("too slow for the classes\n## of the preset `home`")
            && slow.contains("\n  preset: simple\n"),
        "{slow}"
    );
    // acknowledgements would fill the upload
    let uneven = of("10mbit", "300mbit");
    let queue = "\n  normal: { queue: { cake: { ack_filter: true } } }\n";
    assert!(uneven.contains("\n  preset: home\n") && uneven.contains(queue), "{uneven}");
}
