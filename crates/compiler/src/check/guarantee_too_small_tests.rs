use super::Need;
use super::shortage::spoken;
use crate::compile::{Options, Stage, compile};
use crate::diag::{Code, Diagnostic};
use crate::units::{Micros, Rate};

const ADSL: &str = "link: { device: ppp0, profile: adsl-pppoa-vcmux, up: 500kbit, down: 8mbit }\n";
/// Match of a class in tests where any match will do.
const CALLS: &str = "match: [{ protocol: udp, remote_port: 5060 }]";

fn found(yaml: &str) -> Vec<Diagnostic> {
    let compiled = compile(yaml, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{yaml}\n{:?}", compiled.findings);
    compiled.findings.into_iter().filter(|one| one.code == Code::GuaranteeTooSmall).collect()
}

/// Message and first help of the only finding.
#[track_caller]
fn said(yaml: &str) -> (String, String) {
    let found = found(yaml);
    let [one] = found.as_slice() else { panic!("{yaml}\n{found:?}") };
    (one.message.clone(), one.help[0].clone())
}

fn classes(link: &str, classes: &str) -> String {
    format!("{link}classes:\n{classes}")
}

fn voice(guarantee: &str) -> String {
    classes(
        ADSL,
        &format!(
            "  voice: {{ priority: 0, guarantee: {guarantee}, {CALLS} }}\n  rest: {{ default: true }}\n"
        ),
    )
}

#[test]
fn a_guarantee_of_10_to_30_kbit_is_too_small_for_calls_on_adsl() {
    // 200 + 10 bytes are five cells, 265 bytes, 2,120 bits
    for (guarantee, delay) in [("10kbit", "212 ms"), ("20kbit", "106 ms"), ("30kbit", "71 ms")] {
        let (message, help) = said(&voice(guarantee));
        assert_eq!(
            message,
            format!("class `voice` is guaranteed {guarantee}: a packet of 200 bytes takes {delay}")
        );
        assert_eq!(help, "write `guarantee: 110kbit` in class `voice`");
    }
    // the suggested guarantee suffices, and no other class is left too little
    assert_eq!(found(&voice("110kbit")), []);
    assert_eq!(found(&voice("106kbit")), []);
    assert_eq!(found(&voice("105kbit")).len(), 1);
}

#[test]
fn the_help_changes_only_the_direction_that_is_too_small() {
    let (message, help) = said(&voice("10%"));
    assert_eq!(message, "class `voice` is guaranteed 49kbit up: a packet of 200 bytes takes 43 ms");
    assert_eq!(help, "write `guarantee: { up: 110kbit, down: 10% }` in class `voice`");
    let found = found(&voice("{ up: 20kbit, down: 50kbit }"));
    assert_eq!(found[0].labels[0].text, "above 20 ms, the limit at priority 0; 42 ms down, at 50kbit");
    assert_eq!(found[0].help[0], "write `guarantee: 110kbit` in class `voice`");
}

#[test]
fn the_finding_names_the_guarantees_that_starve_the_default() {
    let yaml = classes(
        ADSL,
        &format!(
            "  voice: {{ priority: 0, guarantee: {{ up: 127kbit, down: 1mbit }}, {CALLS} }}\n  \
             web: {{ guarantee: {{ up: 350kbit, down: 2mbit }}, match: [{{ protocol: tcp, remote_port: 443 }}] }}\n  \
             rest: {{ default: true }}\n"
        ),
    );
    let found = found(&yaml);
    let [one] = found.as_slice() else { panic!("{found:?}") };
    // 1500 + 10 bytes are 32 cells, 1,696 bytes
    assert_eq!(one.message, "class `rest` is left 13kbit up: a full packet of 1500 bytes takes 1044 ms");
    let labels: Vec<&str> = one.labels.iter().map(|label| label.text.as_str()).collect();
    let first =
        "it has no `guarantee` and gets what its siblings leave; above 250 ms, the limit for a full packet";
    assert_eq!(labels, [first, "takes 127kbit up", "takes 350kbit up"]);
    let help = "write `guarantee: { up: 60kbit }` in class `rest`, and lower the guarantees of its siblings, which leave 13kbit";
    assert_eq!(one.help, [help]);
}

#[test]
fn packets_are_charged_with_the_overhead_of_the_line() {
    // 1538 bytes on Ethernet and 1522 on PTM, whose rate is less by 64/65: 49.2 and 48.7 kbit
    for (profile, enough, little) in [
        ("ethernet", "50kbit", "49kbit"),
        ("vdsl2-pppoe", "49kbit", "48kbit"),
        ("docsis", "49kbit", "48kbit"),
    ] {
        let of = |guarantee: &str| {
            let link = format!("link: {{ device: eth0, profile: {profile}, up: 2mbit, down: 8mbit }}\n");
            let rest = "  rest: { default: true }\n";
            found(&classes(&link, &format!("  slow: {{ guarantee: {guarantee}, {CALLS} }}\n{rest}"))).len()
        };
        assert_eq!((of(enough), of(little)), (0, 1), "{profile}");
    }
}

#[test]
fn directions_without_htb_are_skipped() {
    for ingress in ["police", "none"] {
        let yaml = voice("{ up: 110kbit, down: 10kbit }")
            .replace("down: 8mbit", &format!("down: 8mbit, ingress: {ingress}"));
        assert_eq!(found(&yaml), [], "{ingress}");
        let yaml = voice("30kbit").replace("down: 8mbit", &format!("down: 8mbit, ingress: {ingress}"));
        let (message, help) = said(&yaml);
        assert!(message.contains("30kbit up:"), "{message}");
        assert_eq!(help, "write `guarantee: 110kbit` in class `voice`");
    }
    let yaml = voice("{ up: 30kbit }").replace("up: 500kbit", "engine: { up: htb, down: cake }, up: 500kbit");
    assert_eq!(said(&yaml).1, "write `guarantee: { up: 110kbit }` in class `voice`");
}

#[test]
fn classes_that_only_borrow_need_a_priority_from_2() {
    let of = |priority: u8, guarantee: &str| {
        let low = format!("  low: {{ priority: {priority}, guarantee: {guarantee}, {CALLS} }}\n");
        classes(ADSL, &format!("{low}  rest: {{ default: true }}\n"))
    };
    assert_eq!(found(&of(7, "0%")), []);
    assert_eq!(found(&of(2, "0%")), []);
    for priority in [0, 1] {
        let (message, help) = said(&of(priority, "0%"));
        assert_eq!(message, format!("class `low` has priority {priority}, but no guarantee"));
        assert_eq!(help, "write `guarantee: 110kbit`, or a `priority` from 2 to 7");
    }
    assert_eq!(said(&of(1, "{ up: 0%, down: 1mbit }")).0, "class `low` has priority 1, but no guarantee");
}

#[test]
fn low_ceilings_and_one_class_on_slow_lines_are_accepted() {
    let capped = format!("  slow: {{ ceiling: 40kbit, {CALLS} }}\n  rest: {{ default: true }}\n");
    assert_eq!(found(&classes(ADSL, &capped)), []);
    for rate in ["40kbit", "64kbit", "120kbit"] {
        let slow = ADSL.replace("up: 500kbit", &format!("up: {rate}"));
        assert_eq!(found(&format!("{slow}classes: {{ preset: simple }}\n")), []);
    }
}

#[test]
fn a_line_too_slow_for_a_preset_gets_the_simple_one_as_help() {
    for preset in ["home", "diffserv"] {
        let of = |rate: &str| {
            let line = ADSL.replace("up: 500kbit", &format!("up: {rate}"));
            found(&format!("{line}classes: {{ preset: {preset} }}\n"))
        };
        let found = of("120kbit");
        let [one] = found.as_slice() else { panic!("{found:?}") };
        assert!(one.message.contains(" of the preset is guaranteed "), "{}", one.message);
        assert!(one.help[0].starts_with("write `classes: { preset: simple }`"), "{:?}", one.help);
        assert_eq!(of("1mbit"), []);
    }
    // without `classes`, the preset is `home`; the finding is at the slow direction
    let line = "link: { device: eth0, profile: docsis, up: 128kbit, down: 1024kbit }\n";
    let (message, _) = said(line);
    assert_eq!(
        message,
        "class `voice` of the preset is guaranteed 24.32kbit up: a packet of 200 bytes takes 72 ms"
    );
    let place = found(line)[0].labels[0].span;
    assert_eq!(line.get(place.start..place.end), Some("128kbit"));
}

/// Four classes on a line of 1024/128 kbit.
fn four(bulk: &str) -> String {
    classes(
        "link: { device: eth0, profile: docsis, up: 128kbit, down: 1024kbit }\n",
        &format!(
            "  prio: {{ priority: 0, guarantee: 10%, match: [{{ protocol: tcp, remote_port: 22 }}] }}\n  \
             express: {{ priority: 1, guarantee: 50%, match: [{{ protocol: tcp, remote_port: 5190 }}] }}\n  \
             normal: {{ priority: 2, guarantee: 10%, default: true }}\n  \
             bulk: {{ priority: 3, guarantee: {bulk}, match: [{{ protocol: tcp, remote_port: 873 }}] }}\n"
        ),
    )
}

#[test]
fn guarantees_that_cannot_all_be_met_are_one_finding() {
    // 1 % of 121.6 kbit is an error, and its cure is valid
    let compiled = compile(four("1%"), &Options::of("home.yaml"));
    let [error] = compiled.findings.as_slice() else { panic!("{:?}", compiled.findings) };
    assert_eq!(error.code, Code::RateTooLow);
    assert!(error.help[0].contains("write `0%` if it should only borrow"), "{:?}", error.help);
    let found = found(&four("0%"));
    let [one] = found.as_slice() else { panic!("{found:?}") };
    // 218 bytes in 20 ms twice, and 1518 bytes in 250 ms
    assert_eq!(one.message, "the classes need 223kbit up, but the line has 121.6kbit");
    assert_eq!(
        one.help,
        ["write `classes: { preset: simple }`: one class with the whole line, which all hosts share equally"]
    );
}

#[test]
fn the_help_says_which_classes_fit() {
    let line = "link: { device: eth0, profile: docsis, up: 256kbit, down: 4mbit }\n";
    let yaml =
        four("20%").replace("link: { device: eth0, profile: docsis, up: 128kbit, down: 1024kbit }\n", line);
    let (message, help) = said(&yaml);
    assert_eq!(message, "the classes need 272kbit up, but the line has 243.2kbit");
    assert_eq!(
        help,
        "`normal`, `prio` and `express` fit: write `guarantee: 0%` and a `priority` from 2 to 7 in `bulk`"
    );
    // the other guarantees are then too small, but there is enough for them
    let next = yaml.replace("guarantee: 20%", "guarantee: 0%");
    let help: Vec<String> = found(&next).into_iter().map(|one| one.help[0].clone()).collect();
    assert!(help.iter().all(|help| help.starts_with("write `guarantee: {")), "{help:?}");
    let cured = next
        .replace(
            "prio: { priority: 0, guarantee: 10%",
            "prio: { priority: 0, guarantee: { up: 90kbit, down: 10% }",
        )
        .replace("priority: 1, guarantee: 50%", "priority: 1, guarantee: { up: 90kbit, down: 50% }")
        .replace("guarantee: 10%, default", "guarantee: { up: 50kbit, down: 10% }, default");
    assert_eq!(found(&cured), [], "{cured}");
}

#[test]
fn guarantees_that_cannot_be_met_in_a_parent_class_are_one_finding() {
    let inner: String = (1..4)
        .map(|n| format!("      c{n}: {{ priority: 1, guarantee: 30%, match: [{{ protocol: 20{n} }}] }}\n"))
        .collect();
    let yaml = classes(
        ADSL,
        &format!(
            "  calls:\n    guarantee: 150kbit\n    {CALLS}\n    classes:\n{inner}  rest: {{ default: true }}\n"
        ),
    );
    let found = found(&yaml);
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(one.message, "the classes need 318kbit up, but class `calls` has 150kbit");
    assert_eq!(
        one.help.last().unwrap(),
        "write a `guarantee` of 318kbit up or more in class `calls`, or fewer classes in it"
    );
}

#[test]
fn the_help_for_a_child_class_names_the_parents_guarantee() {
    let yaml = classes(
        ADSL,
        &format!(
            "  calls:\n    guarantee: {{ up: 80kbit, down: 1mbit }}\n    {CALLS}\n    classes:\n      \
             voice: {{ priority: 0, guarantee: 50% }}\n  rest: {{ default: true }}\n"
        ),
    );
    let (message, help) = said(&yaml);
    assert_eq!(message, "class `voice` is guaranteed 40kbit up: a packet of 200 bytes takes 53 ms");
    let help_is = "write `guarantee: { up: 110kbit, down: 50% }` in class `voice`, and a larger `guarantee` in class `calls`, which has 80kbit";
    assert_eq!(help, help_is);
}

#[test]
fn only_hosts_with_a_guarantee_are_checked() {
    let house = |hosts: &str| {
        format!("{ADSL}lan: {{ nat: false }}\nhosts:\n{hosts}classes: {{ all: {{ default: true }} }}\n")
    };
    let tv = |rest: &str| format!("  tv: {{ address: 10.0.0.1, {rest} }}\n");
    let (message, help) = said(&house(&tv("guarantee: 20kbit")));
    assert_eq!(message, "host `tv` is guaranteed 20kbit: a full packet of 1500 bytes takes 678 ms");
    assert_eq!(help, "write `guarantee: 60kbit` in host `tv`");
    assert_eq!(found(&house(&tv("guarantee: 60kbit"))), []);
    // The host asks for no more than others, and shares with them.
    assert_eq!(found(&house(&tv("ceiling: 400kbit"))), []);
    assert_eq!(found(&house(&tv("guarantee: 0%"))), []);
    let (message, help) = said(&house(&tv("guarantee: { up: 470kbit }")));
    assert_eq!(
        message,
        "the other hosts of class `all` are left 20kbit up: a full packet of 1500 bytes takes 678 ms"
    );
    assert_eq!(help, "lower the guarantees of hosts in class `all` to 430kbit in total");
}

#[test]
fn many_small_guarantees_share_one_finding() {
    let many: String = (1..10)
        .map(|n| format!("  c{n}: {{ guarantee: 20kbit, match: [{{ protocol: 20{n} }}] }}\n"))
        .collect();
    let line = ADSL.replace("up: 500kbit", "up: 1mbit");
    let found = found(&classes(&line, &format!("{many}  rest: {{ default: true }}\n")));
    let [one] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(one.message, "9 guarantees are too small for their packets");
}

#[test]
fn numbers_in_messages_are_rounded() {
    assert_eq!(spoken(Micros::from_us(70_667)), "71 ms");
    assert_eq!(spoken(Micros::from_us(1_047_407)), "1047 ms");
    assert_eq!(spoken(Micros::from_us(121_760_000)), "121 s");
    assert_eq!(Rate::from_bps(6_271_384).rounded(4), Rate::from_bps(6_271_000));
    assert_eq!(Rate::from_bps(0).rounded(4), Rate::from_bps(0));
    let compiled = compile(ADSL, &Options::of("home.yaml").last(Stage::Model));
    let need = Need::of(&compiled.model.unwrap(), 0);
    assert_eq!((need.exactly(), need.rounded()), (Rate::from_bps(106_000), Rate::from_bps(110_000)));
}
