use crate::compile::{Options, compile};

/// The findings on a house with these devices of the line and of the LAN: messages and cures.
fn findings(devices: &str, lan: &str) -> Vec<String> {
    let yaml = format!(
        "link: {{ device: eth1, devices: {devices}, profile: docsis, up: 40mbit, down: 400mbit }}
lan: {{ device: {lan} }}
classes:
  guests: {{ guarantee: 5%, ceiling: 20%, match: {{ device: br-guest }} }}
  rest: {{ default: true, share: per-host }}
"
    );
    let found = compile(&yaml, &Options::of("home.yaml")).findings;
    let own = found.iter().filter(|own| ["Q0301", "Q0616"].contains(&own.code.as_str()));
    own.map(|own| format!("{}: {}", own.message, own.help.first().map_or("", |help| help.as_ref()))).collect()
}

#[test]
fn a_bridge_of_guests_is_no_device_of_the_line() {
    let cure = "write their prefix";
    for (devices, lan, message) in [
        ("{}", "br-lan", "there is no device `br-guest`"),
        ("{ br-guest: {} }", "br-lan", "`br-guest` in `link.devices` has the name of a LAN bridge"),
    ] {
        let found = findings(devices, lan);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains(message) && found[0].contains(cure), "{found:?}");
    }
    let both = findings("{ br-guest: {} }", "[br-lan, br-guest]");
    assert_eq!(both.len(), 1, "one finding is enough: {both:?}");
}
