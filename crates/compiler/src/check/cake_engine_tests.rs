use crate::compile::{Options, Stage, compile};

/// Returns the codes and messages of a line with these engines and classes beside the default.
fn found(engine: &str, classes: &str) -> Vec<(&'static str, String)> {
    let text = format!(
        "link: {{ device: eth0, profile: docsis, up: 50mbit, down: 900mbit, engine: {engine} }}\n\
         lan: {{ device: br-lan, nat: false }}\nclasses:\n{classes}  rest: {{ default: true, share: per-host }}\n"
    );
    let found = compile(text, &Options::of("home.yaml").last(Stage::Model)).findings;
    found.into_iter().map(|one| (one.code.as_str(), one.message)).collect()
}

#[test]
fn a_cake_for_each_queue_has_no_classes() {
    let voice =
        "  voice: { match: [{ protocol: udp, remote_port: 5060 }], queue: { cake: { rtt: 20ms } } }\n";
    let owned = |code, message: &str| vec![(code, message.to_owned())];
    assert_eq!(found("cake_mq", ""), []);
    assert_eq!(
        found("cake_mq", voice),
        owned("Q0603", "`cake_mq` has no classes, so there can only be the default class")
    );
    assert_eq!(
        found("{ up: htb, down: cake_mq }", voice),
        owned("Q0604", "`cake_mq` has no classes, so this one sorts uploads only")
    );
    assert_eq!(found("{ up: htb, down: cake_mq }", ""), []);
    assert_eq!(found("cake-mq", ""), owned("Q0212", "`cake-mq` is not an engine"));
}
