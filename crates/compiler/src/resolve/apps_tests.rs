use crate::compile::{Options, compile};
use crate::diag::{FileId, Span};
use crate::model::Alternative;

/// The alternatives of a class with this match, without their places and texts.
fn alternatives(text: &str) -> Vec<Alternative> {
    let yaml = format!(
        "link: {{ device: ppp0, profile: vdsl2-pppoe, up: 40mbit, down: 100mbit }}\n\
         hosts: {{ desk: {{ address: 192.168.1.5 }} }}\n\
         classes:\n  calls: {{ priority: 0, guarantee: 20%, match: {text} }}\n  rest: {{ default: true }}\n"
    );
    let compiled = compile(&yaml, &Options::of("home.yaml"));
    let (model, _) = compiled.finished().unwrap_or_else(|| panic!("{text}: {:?}", compiled.findings));
    let own = model.classes[0].matches.iter().flatten();
    own.map(|own| {
        let nowhere = Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 };
        Alternative { span: nowhere, text: String::new(), ..own.clone() }
    })
    .collect()
}

#[test]
fn an_application_equals_its_ports_with_the_other_keys() {
    assert_eq!(
        alternatives("[{ app: [sip, ipsec], host: desk, direction: up }]"),
        alternatives(
            "[{ protocol: [tcp, udp], remote_port: 5060-5061, host: desk, direction: up }, \
             { protocol: udp, port: [500, 4500], host: desk, direction: up }, \
             { protocol: esp, host: desk, direction: up }]"
        )
    );
    assert_eq!(alternatives("{ app: ntp }"), alternatives("{ protocol: udp, remote_port: 123 }"));
}
