use crate::compile::{Options, compile};
use crate::tc::Facts;

fn plain(yaml: &str) -> String {
    let facts = Facts { header: 0, split_in_leaves: false };
    compile(yaml, &Options::of("home.yaml")).plain(facts).unwrap()
}

const LINK: &str = "name: home\nlink: { device: ppp0, profile: docsis, up: 10mbit, down: 100mbit }\n";

#[test]
fn gro_is_turned_off_below_the_named_devices() {
    let named = plain(&format!("{LINK}lan: {{ device: br-lan }}\n"));
    assert!(
        named.contains(
            "for device in /sys/class/net/br-lan /sys/class/net/br-lan/lower_* \
             /sys/class/net/ppp0 /sys/class/net/ppp0/lower_*; do"
        ),
        "{named}"
    );
    assert!(plain(LINK).contains("for device in /sys/class/net/*; do"));
    let kept = plain(&format!("{LINK}tuning: {{ offloads: keep }}\n"));
    assert!(!kept.contains("aggregates") && !kept.contains("gso_max_segs"), "{kept}");
}

#[test]
fn a_tunnel_that_only_the_router_can_look_up_is_a_stated_limit() {
    let text = include_str!("../../../../tests/cases/decrypted/home.yaml");
    let script = plain(text);
    assert!(script.contains("# - Downloads through wg"), "{script}");
    assert!(!script.contains("filter add dev wg"), "{script}");
}
