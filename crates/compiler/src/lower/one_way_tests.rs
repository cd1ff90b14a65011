//! Tests that a match of one direction of a tunnel has a finding, and no other match has.

use crate::compile::{Options, compile};

/// Direction, tunnel and line of each finding, such as `uploads of vpn in 8`, and the texts of other errors.
fn said(classes: &str) -> Vec<String> {
    let text = format!(
        "link: {{ device: eth0, profile: docsis, up: 10mbit, down: 50mbit }}\n\
         hosts: {{ ata: {{ address: 192.168.1.5 }} }}\n\
         tunnels:\n  vpn: {{ kind: wireguard, device: wg0, remote: 198.51.100.7 }}\n  flow: {{ kind: wireguard, device: wg1, inner: flows }}\n  \
         vps: {{ kind: ipip, device: tun0, remote: 198.51.100.8 }}\n  net: {{ kind: vxlan, device: vx0, inner: opaque }}\n\
         classes:\n  {classes}\n  rest: {{ default: true }}\n"
    );
    let compiled = compile(text, &Options::of("home.yaml"));
    let found = compiled.findings.iter().filter(|one| ["Q0517", "Q0501"].contains(&one.code.as_str()));
    found
        .map(|one| match one.message.strip_prefix("this match never matches ") {
            Some(rest) => {
                format!("{} in {}", rest.replace("tunnel ", "").replace('`', ""), one.labels[0].span.line)
            }
            None => one.message.clone(),
        })
        .collect()
}

#[test]
fn keys_that_uploads_of_a_tunnel_hide_are_found() {
    for keys in [
        "protocol: udp, remote_port: 5060",
        "protocol: udp, local_port: 5060",
        "protocol: udp, port: 5060",
        "protocol: tcp",
        "tcp: syn",
        "host: ata",
        "local: 192.168.1.0/24",
        "remote: 10.8.0.0/24",
        "dscp: ef",
        "family: ipv6",
    ] {
        let class = format!("calls: {{ match: {{ tunnel: vpn, {keys} }} }}");
        assert_eq!(said(&class), ["uploads of vpn in 9"], "{keys}");
    }
}

#[test]
fn keys_of_the_outer_packet_are_not_found() {
    for keys in [
        "protocol: udp",
        "length: <200",
        "protocol: udp, remote_port: 51820",
        "protocol: udp, remote_port: [5060, 51820]",
        "remote: 198.51.100.0/24",
        "family: ipv4",
        "dscp: [cs0, ef]",
        "mark: 0x10/0xff",
    ] {
        let class = format!("calls: {{ match: {{ tunnel: vpn, {keys} }} }}");
        assert_eq!(said(&class), [""; 0], "{keys}");
    }
    assert_eq!(said("all: { match: { tunnel: vpn } }"), [""; 0]);
    assert_eq!(said("calls: { match: { tunnel: vps, protocol: udp, remote_port: 5060 } }"), [""; 0]);
    assert_eq!(said("dns: { match: { protocol: udp, remote_port: 53 } }"), [""; 0], "names no tunnel");
}

#[test]
fn a_given_direction_suppresses_the_finding() {
    assert_eq!(said("calls: { match: { tunnel: vpn, protocol: tcp, direction: down } }"), [""; 0]);
    assert_eq!(
        said("calls: { match: { tunnel: vpn, protocol: tcp, direction: up } }"),
        ["no packet can meet this match"]
    );
}

#[test]
fn a_match_in_no_direction_is_only_an_error() {
    assert_eq!(
        said("calls: { match: { tunnel: flow, protocol: tcp } }"),
        ["no packet can meet this match"],
        "its downloads are one flow, too"
    );
}

#[test]
fn the_matches_of_parent_classes_count() {
    let nested = "work: { match: { tunnel: vpn }, classes: { calls: { match: { protocol: udp, remote_port: 5060 } }, other: {} } }";
    assert_eq!(said(nested), ["uploads of vpn in 9"]);
    let inside = "work: { match: { tunnel: vpn, protocol: tcp }, classes: { short: { match: { length: <200 } }, other: {} } }";
    assert_eq!(said(inside), ["uploads of vpn in 9"], "once, where the cause is");
    let half = "work: { match: [{ tunnel: vpn }, { host: ata }], classes: { calls: { match: { protocol: udp, remote_port: 5060 } }, other: {} } }";
    assert_eq!(said(half), [""; 0], "uploads of the host are taken");
    let down = "work: { match: { tunnel: vpn, direction: down }, classes: { calls: { match: { protocol: tcp } }, other: {} } }";
    assert_eq!(said(down), [""; 0]);
}

#[test]
fn only_the_affected_one_of_several_tunnels_is_named() {
    assert_eq!(
        said("calls: { match: { tunnel: [vps, vpn], protocol: udp, remote_port: 5060 } }"),
        ["uploads of vpn in 9"]
    );
}

#[test]
fn opaque_vxlan_has_its_port_at_one_end() {
    assert_eq!(
        said("a: { match: { tunnel: net, protocol: udp, remote_port: 5060 } }"),
        ["uploads of net in 9"]
    );
    assert_eq!(
        said("a: { match: { tunnel: net, protocol: udp, local_port: 5060 } }"),
        ["downloads of net in 9"]
    );
}
