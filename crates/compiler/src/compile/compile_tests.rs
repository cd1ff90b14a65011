use super::{Options, Stage, compile};
use crate::diag::{Code, Severity};

const LINK: &str = "link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }\n";

#[test]
fn options_take_all_names_from_the_path() {
    let options = Options::of("routers/my.home.yaml");
    let names = [&options.shown, &options.file, &options.stem].map(String::as_str);
    assert_eq!(names, ["routers/my.home.yaml", "my.home.yaml", "my.home"]);
    assert_eq!((&options.link, &options.variant, options.last), (&None, &None, Stage::Program));
    let all = options.shown("<stdin>").stem("casa").last(Stage::Model);
    assert_eq!((all.shown.as_str(), all.stem.as_str(), all.last), ("<stdin>", "casa", Stage::Model));
}

#[test]
fn every_reached_stage_is_in_the_result() {
    let reached_as = |text: &[u8], path: &str| {
        let compiled = compile(text, &Options::of(path));
        assert_eq!(compiled.finished().is_some(), !compiled.has_errors());
        assert_eq!(compiled.script().is_some(), !compiled.has_errors());
        (compiled.raw.is_some(), compiled.model.is_some(), compiled.program.is_some())
    };
    let reached = |text: &[u8]| reached_as(text, "home.yaml");
    assert_eq!(reached(b"\xff\xfe"), (false, false, false), "not text");
    assert_eq!(reached(b"[1, 2]\n"), (false, false, false), "not a mapping");
    assert_eq!(reached(LINK.replace("ppp0", "[]").as_bytes()), (true, true, false), "not a device");
    assert_eq!(reached_as(LINK.as_bytes(), "日本.yaml"), (true, false, false), "no name for the link");
    assert_eq!(reached(LINK.as_bytes()), (true, true, true));
    // The rule finds an error in a model that can be lowered.
    assert_eq!(reached(LINK.replace("ppp0", "ifb-home").as_bytes()), (true, true, true), "our own device");
}

#[test]
fn compilation_ends_after_the_requested_stage() {
    let compiled = compile(LINK, &Options::of("home.yaml").last(Stage::Model));
    assert!(compiled.model.is_some() && compiled.program.is_none() && !compiled.has_errors());
    assert!(compiled.finished().is_none());
}

#[test]
fn allow_comments_suppress_findings_and_idle_ones_are_found() {
    let guessed = "link: { device: eth1, up: 10mbit, down: 50mbit }\n";
    let codes = |text: &str| {
        let compiled = compile(text, &Options::of("home.yaml"));
        compiled.findings.iter().map(|finding| finding.code).collect::<Vec<_>>()
    };
    assert_eq!(codes(guessed), [Code::GuessedOverhead]);
    assert_eq!(codes(&format!("# qosc: allow(Q0601)\n{guessed}")), []);
    assert_eq!(codes(&format!("# qosc: allow(Q0601)\n{LINK}")), [Code::IdleAllow]);
}

#[test]
fn a_finding_raised_to_an_error_prevents_a_result() {
    let mut compiled =
        compile("link: { device: eth1, up: 10mbit, down: 50mbit }\n", &Options::of("home.yaml"));
    assert!(compiled.finished().is_some());
    compiled.findings[0].severity = Severity::Error;
    assert!(compiled.finished().is_none() && compiled.script().is_none());
    assert!(compiled.program.is_some());
    assert!(compiled.into_finished().is_none());
}

#[test]
fn a_fix_that_depends_on_an_error_is_withdrawn() {
    let twice = "# qosc: allow(Q0601)\n";
    let fixes = |text: String| {
        let compiled = compile(text, &Options::of("home.yaml"));
        compiled.findings.iter().filter(|finding| finding.fix.is_some()).count()
    };
    assert_eq!(fixes(format!("{twice}{LINK}")), 1, "the comment does nothing");
    assert_eq!(fixes(format!("{LINK}hosts: {{ tv: {{ address: 192.168.1.300 }} }}\n")), 0);
}
