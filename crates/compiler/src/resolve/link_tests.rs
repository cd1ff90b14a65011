use crate::compile::{Compilation, Options, Stage, compile};
use crate::profile::keywords::all;

fn of(name: &str, more: &str) -> Compilation {
    let text = format!("link: {{ device: ppp0, up: 6.5mbit, down: 25mbit, profile: {name}{more} }}\n");
    compile(text, &Options::of("home.yaml").last(Stage::Model))
}

#[test]
fn a_keyword_makes_the_same_link_as_its_profile() {
    for (keyword, name) in all() {
        let (one, other) = (of(keyword, "").model.unwrap().link, of(name, "").model.unwrap().link);
        assert_eq!(one.profile.value, name);
        assert!(one.profile.is_given());
        assert_eq!(
            (one.wire(), &one.mtu, &one.margin),
            (other.wire(), &other.mtu, &other.margin),
            "{keyword}"
        );
        assert_eq!(one.overhead.origin, other.overhead.origin, "{keyword}");
    }
}

#[test]
fn keywords_without_a_profile_get_the_numbers_as_help() {
    for (name, help) in [
        ("docsis ether-vlan", "write `profile: docsis` and `overhead: 22`"),
        ("pppoe-llcsnap ether-vlan", "write `profile: adsl-pppoe-llc` and `overhead: 44`"),
        ("pppoe-ptm ether-vlan ether-vlan", "write `profile: vdsl2-pppoe` and `overhead: 38`"),
        ("ether-vlan pppoe-ptm", "write `profile: vdsl2-pppoe-vlan`"),
        ("bridged-vcmux ether-vlan ether-vlan", "write `profile: adsl-bridged-vcmux` and `overhead: 32`"),
        (
            "ether-vlan",
            "write the keyword of the line, too: `ethernet ether-vlan`, `bridged-ptm ether-vlan` or `pppoe-ptm ether-vlan`",
        ),
        ("pppoe-pmt", "did you mean CAKE's keyword `pppoe-ptm`, the profile `vdsl2-pppoe`?"),
        ("vdsl2-pppeo", "did you mean `vdsl2-pppoe`?"),
    ] {
        let found = of(name, "").findings;
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(found[0].help, [help], "{name}");
    }
    for (name, alike) in [
        ("vdsl", "`vdsl2-bridged`, `vdsl2-bridged-vlan`, `vdsl2-pppoe` or `vdsl2-pppoe-vlan`"),
        ("adsl2+ pppoa", "`adsl-pppoa-llc` or `adsl-pppoa-vcmux`"),
    ] {
        let help =
            [format!("did you mean one of these: {alike}?"), "`qosc profiles` lists all profiles".to_owned()];
        assert_eq!(of(name, "").findings[0].help, help, "{name}");
    }
}
