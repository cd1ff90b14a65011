use crate::compile::{Options, Stage, compile};
use crate::diag::Code;

/// Message and help of the findings about a link with these keys.
fn found(link: &str) -> Vec<String> {
    let text =
        format!("link: {{ {link}, up: 10mbit, down: 50mbit }}\nclasses: {{ all: {{ share: per-host }} }}\n");
    let compiled = compile(text, &Options::of("home.yaml").last(Stage::Model));
    let found = compiled.findings.into_iter().filter(|one| one.code == Code::ProfileDeviceMismatch);
    found.map(|one| format!("{}; {}", one.message, one.help.join("; "))).collect()
}

#[test]
fn messages_claim_only_what_the_device_name_shows() {
    for (device, like) in
        [("eth0", "an Ethernet device"), ("wan", "an Ethernet device"), ("dsl0", "a DSL modem's device")]
    {
        let [one] = &found(&format!("device: {device}, profile: vdsl2-pppoe"))[..] else {
            panic!("{device}")
        };
        assert!(one.contains(&format!("`{device}` is named like {like}")), "{one}");
    }
    let [one] = &found("device: ppp0, profile: vdsl2-bridged")[..] else { panic!("not one finding") };
    assert!(one.contains("`ppp0` is named like a PPP session"), "{one}");
    assert!(one.contains("write `profile: vdsl2-pppoe`"), "{one}");
}

#[test]
fn the_help_for_a_renamed_ppp_device_is_frames_ip() {
    let [one] = &found("device: wan, profile: vdsl2-pppoe")[..] else { panic!("not one finding") };
    assert!(one.contains("a renamed PPP device, write `frames: ip`"), "{one}");
    assert_eq!(found("device: wan, profile: vdsl2-pppoe, frames: ip"), [""; 0], "the cure");
}
