use crate::compile::{Options, compile};

/// The findings of this rule on a file: code, place and message.
fn findings(yaml: &str) -> Vec<String> {
    let compiled = compile(yaml, &Options::of("home.yaml"));
    assert!(!compiled.has_errors(), "{:?}", compiled.findings);
    let own = |code: &str| ["Q0520", "Q0521", "Q0522"].contains(&code);
    let findings = compiled.findings.iter().filter(|finding| own(finding.code.as_str()));
    findings
        .map(|finding| {
            format!("{} {}: {}", finding.code.as_str(), finding.labels[0].span.line, finding.message)
        })
        .collect()
}

fn house(lan: &str, rest: &str) -> String {
    format!(
        "link: {{ device: eth1, profile: docsis, up: 40mbit, down: 400mbit }}
lan: {{ device: br-lan, networks: [192.168.1.0/24, \"fd00:1:2::/64\"]{lan} }}
{rest}
"
    )
}

const REST: &str = "classes: { rest: { default: true } }";

#[test]
fn unique_local_addresses_are_reported_where_they_are_used() {
    let one = |hosts: &str| findings(&house("", &format!("hosts: {{ nas: {hosts} }}\n{REST}")));
    let message = "Q0520 3: the line shows no packet with the address `fd00:1:2::5` of host `nas`";
    let both = "{ address: [192.168.1.5, \"fd00:1:2::5\"], ceiling: 9mbit }";
    assert_eq!(one(both), [message]);
    assert_eq!(one("{ address: [192.168.1.5, \"fd00:1:2::5\"] }"), [""; 0], "nothing uses it");
    assert_eq!(one("{ address: \"fd00:1:2::5\", mac: 02:00:5e:10:00:01, ceiling: 9mbit }"), [""; 0]);
    assert_eq!(one("{ address: [192.168.1.5, \"fd00:1:2::5\", \"2001:db8::5\"], ceiling: 9mbit }"), [""; 0]);
    let hosts = format!("hosts: {{ nas: {both} }}\n{REST}");
    assert_eq!(findings(&house(", nat: { ipv6: true }", &hosts)), [""; 0]);
    let tunnel = "tunnels: { office: { kind: gre, remote: 198.51.100.7 } }\n";
    assert_eq!(findings(&house("", &format!("{tunnel}{hosts}"))), [""; 0], "it can be inside");
    let matched = "classes: { a: { match: { local: \"fd00:1:2::5\" } }, rest: { default: true } }";
    assert_eq!(
        findings(&house("", matched)),
        ["Q0520 3: the line shows no packet with the address `fd00:1:2::5`"]
    );
}

#[test]
fn the_first_address_of_a_network_is_usually_the_router() {
    let host = |own: &str| {
        findings(&house("", &format!("hosts: {{ router: {{ {own}, guarantee: 5mbit }} }}\n{REST}")))
    };
    let message = "Q0520 3: the address `192.168.1.1` of host `router` is usually the router's own";
    assert_eq!(host("address: 192.168.1.1"), [message]);
    for own in ["address: 192.168.1.2", "address: 192.168.1.1, mac: 02:00:5e:10:00:01", "self: true"] {
        assert_eq!(host(own), [""; 0], "{own}");
    }
}

#[test]
fn interface_parts_behind_nat_are_reported() {
    let one = |nat: &str, host: &str| {
        findings(&house(
            nat,
            &format!(
                "hosts: {{ tv: {host} }}\nclasses: {{ tv: {{ match: {{ host: tv }} }}, rest: {{ default: true }} }}"
            ),
        ))
    };
    let nat = ", nat: { ipv6: true }";
    let message = "Q0520 3: the line shows no packet with the address `::20/-64` of host `tv`";
    assert_eq!(one(nat, "{ address: [192.168.1.20, \"::20/-64\"] }"), [message]);
    assert_eq!(one("", "{ address: [192.168.1.20, \"::20/-64\"] }"), [""; 0]);
    for host in
        ["{ address: \"::20/-64\", mac: 02:00:5e:10:00:01 }", "{ address: [\"::20/-64\", \"fd00:1:2::20\"] }"]
    {
        assert_eq!(one(nat, host), [""; 0], "{host}");
    }
}

#[test]
fn the_router_is_known_by_its_host_alone_if_it_has_one() {
    let one = |lan: &str, host: &str, local: &str| {
        findings(&house(
            lan,
            &format!(
                "hosts: {{ box: {host} }}\nclasses: {{ a: {{ match: {{ local: {local} }} }}, rest: {{ default: true }} }}"
            ),
        ))
    };
    let own = "{ self: true }";
    assert_eq!(
        one("", own, "198.51.100.2"),
        ["Q0520 4: matches do not know the router by its address `198.51.100.2`"]
    );
    assert_eq!(one("", "{ address: 192.168.1.9 }", "198.51.100.2"), [""; 0]);
    assert_eq!(one(", nat: false", own, "198.51.100.2"), [""; 0]);
    for local in ["192.168.1.7", "239.1.2.3", "\"2001:db8::2\"", "0.0.0.0/0"] {
        assert_eq!(one("", own, local), [""; 0], "{local}");
    }
}

#[test]
fn no_mac_address_is_seen_inside_a_tunnel() {
    let one = |tunnel: &str, hosts: &str| {
        let hosts = format!(
            "hosts: {{ phone: {{ mac: 02:00:5e:10:00:77 }}, desk: {{ address: 192.168.1.9 }} }}
tunnels: {{ t: {tunnel} }}
classes: {{ a: {{ match: {{ tunnel: t, host: {hosts}, direction: down }} }}, rest: {{ default: true }} }}"
        );
        findings(&house("", &hosts))
    };
    let message = "Q0520 5: no packet in tunnel `t` shows the MAC address of host `phone`";
    let ipip = "{ kind: ipip, device: t0, remote: 198.51.100.7, inner: match }";
    assert_eq!(one(ipip, "[desk, phone]"), [message]);
    assert_eq!(one("{ kind: wireguard, device: wg0 }", "[phone, desk]"), [message]);
    assert_eq!(one(ipip, "desk"), [""; 0]);
    assert_eq!(one("{ kind: ipip, remote: 198.51.100.7, inner: opaque }", "[phone, desk]"), [""; 0]);
}

#[test]
fn limits_of_one_family_are_reported_if_the_house_has_both() {
    let nat = ", nat: { ipv6: true }";
    let of = |limit: &str| format!("Q0521 3: the {limit} does not hold for its IPv6 packets");
    for (yaml, limit) in [
        ("hosts: { tv: { address: 192.168.1.20, ceiling: { down: 12mbit } } }", "ceiling of host `tv`"),
        ("hosts: { tv: { address: 192.168.1.16/30, each: { ceiling: 1mbit } } }", "ceiling of host `tv`"),
        (
            "police: { tv: { direction: down, rate: 9mbit, match: { local: 192.168.1.20 } } }",
            "rate of policer `tv`",
        ),
    ] {
        assert_eq!(findings(&house(nat, &format!("{yaml}\n{REST}"))), [of(limit)], "{yaml}");
    }
    let class = "hosts: { tv: { address: 192.168.1.20 } }
classes: { tv: { ceiling: 10%, match: { host: tv } }, rest: { default: true } }";
    assert_eq!(findings(&house(nat, class)), [of("ceiling of class `tv`").replace("Q0521 3", "Q0521 4")]);
    for yaml in [
        "hosts: { tv: { address: [192.168.1.20, \"::20/-64\"], ceiling: 9mbit } }",
        "hosts: { tv: { address: 192.168.1.20, mac: 02:00:5e:10:00:01, ceiling: 9mbit } }",
        "hosts: { tv: { address: 192.168.1.20, guarantee: 1mbit } }",
        "police: { tv: { direction: down, rate: 9mbit, match: { local: 192.168.1.20, family: ipv4 } } }",
    ] {
        assert_eq!(findings(&house("", &format!("{yaml}\n{REST}"))), [""; 0], "{yaml}");
    }
}

#[test]
fn hosts_behind_nat_of_ipv6_share_as_one() {
    let shared = "classes: { rest: { default: true, share: per-host } }";
    let message = "Q0522 2: `share: per-host` takes all IPv6 behind NAT for one host";
    assert_eq!(findings(&house(", nat: { ipv6: true }", shared)), [message]);
    assert_eq!(findings(&house("", shared)), [""; 0]);
    assert_eq!(findings(&house(", nat: { ipv6: true }", REST)), [""; 0]);
}
