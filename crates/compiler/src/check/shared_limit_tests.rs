use crate::compile::{Options, Stage, compile};
use crate::diag::Code;

/// Messages of the findings on shared limits.
fn said(rest: &str) -> Vec<String> {
    let text = format!("link: {{ device: eth0, profile: fibre, up: 100mbit, down: 100mbit }}\n{rest}\n");
    let compiled = compile(&text, &Options::of("home.yaml").last(Stage::Model));
    assert!(!compiled.has_errors(), "{text}\n{:?}", compiled.findings);
    let found = compiled.findings.iter().filter(|one| one.code == Code::SharedLimit);
    found.map(|one| one.message.clone()).collect()
}

fn host(address: &str, more: &str) -> String {
    format!(
        "hosts: {{ clients: {{ address: {address}{more} }} }}\nclasses: {{ all: {{ match: {{ host: clients }} }}, rest: {{ default: true }} }}"
    )
}

#[test]
fn a_prefix_with_a_ceiling_shares_it() {
    let lan = "lan: { networks: [10.0.0.0/22] }\n".to_owned();
    let text = lan + &host("10.0.0.0/22", ", ceiling: 12mbit");
    assert_eq!(said(&text), ["1022 addresses share the ceiling of host `clients`"]);
    for ceiling in ["{ down: 12mbit }", "{ up: 2mbit, down: 12mbit }"] {
        let text = host("[192.168.1.128/25, 10.0.0.0/31]", &format!(", ceiling: {ceiling}"));
        assert_eq!(said(&text), ["128 addresses share the ceiling of host `clients`"], "{ceiling}");
    }
    assert_eq!(said(&host("10.0.0.0/22", ", each: { ceiling: 12mbit }")), [""; 0]);
    assert_eq!(said(&host("10.0.0.0/22", "")), [""; 0]);
    assert_eq!(said(&host("10.0.0.0/22", ", guarantee: 12mbit")), [""; 0]);
}

#[test]
fn a_policer_of_a_prefix_shares_its_rate() {
    for matches in ["host: clients", "local: 192.168.9.0/24"] {
        let police =
            format!("police: {{ in: {{ direction: down, match: [{{ {matches} }}], rate: 4mbit }} }}");
        let found = said(&format!("{}\n{police}", host("192.168.9.0/24", "")));
        assert_eq!(found, ["254 addresses share the rate of policer `in`"], "{matches}");
    }
}

#[test]
fn one_device_shares_with_nobody() {
    for address in [
        "192.168.1.20",
        "192.168.1.20/32",
        "[192.168.1.20, \"2001:db8:1::20\"]",
        "\"::10/-64\"",
        // temporary addresses of one machine, or the prefix of one customer
        "\"2001:db8:1:2::/64\"",
        "\"2001:db8:100::/56\"",
        "[192.168.1.20, \"2001:db8:1:2::/64\"]",
        // not in the LAN
        "203.0.113.16/28",
    ] {
        assert_eq!(said(&host(address, ", ceiling: 12mbit")), [""; 0], "{address}");
    }
    let elsewhere = "lan: { networks: [192.168.1.0/24] }\n".to_owned()
        + &host("[192.168.1.20, 10.0.0.0/24]", ", ceiling: 12mbit");
    assert_eq!(said(&elsewhere), [""; 0]);
    // the prefix of a customer
    let customer =
        "lan: { networks: [203.0.113.0/24] }\n".to_owned() + &host("203.0.113.16/28", ", ceiling: 12mbit");
    assert_eq!(said(&customer), [""; 0]);
}

#[test]
fn each_address_counts_once_and_only_in_the_lan() {
    let lan = |networks: &str| format!("lan: {{ networks: [{networks}] }}\n");
    let text = lan("192.168.9.0/28") + &host("192.168.9.0/24", ", ceiling: 12mbit");
    assert_eq!(said(&text), ["14 addresses share the ceiling of host `clients`"]);
    let police = "police: { in: { direction: down, rate: 4mbit, match: [{ local: 192.168.9.0/24, protocol: tcp }, { local: 192.168.9.0/25, protocol: udp }] } }\nclasses: { rest: { default: true } }";
    assert_eq!(said(police), ["254 addresses share the rate of policer `in`"]);
}
