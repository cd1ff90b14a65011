use super::of;

#[test]
fn a_router_with_pppoe_and_a_tag_is_understood() {
    let found = of("device ppp0\npppoe eth0.7\nvlan eth0.7\nmtu 1492\nqdisc cake\n\
         lan br-lan 192.168.1.1/24\nlan br-lan 192.168.2.1/24\nlan br-guest 10.0.0.1/24\n\
         no-tool ethtool\nno-module ifb\nno-module act_mirred\nsqm /etc/config/sqm\nflash 200\n");
    assert_eq!(found.device.map(|name| name.to_string()).as_deref(), Some("ppp0"));
    assert_eq!(found.lan.iter().map(ToString::to_string).collect::<Vec<_>>(), ["br-lan", "br-guest"]);
    assert_eq!(
        found.remarks,
        [
            "`ppp0` is a PPPoE session over `eth0.7`, whose frames have a VLAN tag: on VDSL2, this is `profile: vdsl2-pppoe-vlan`",
            "the MTU of `ppp0` is 1492",
            "`ppp0` has a root qdisc `cake`: stop the shaper that made it before `start`",
            "`/etc/config/sqm` is a configuration of sqm: `qosc import sqm` converts it",
            "the router lacks these programs: `ethtool`",
            "the router lacks these kernel modules: `ifb` and `act_mirred`",
            "`/etc` has 200 KiB left, and a script takes up to 512 KiB",
        ]
    );
}

#[test]
fn lines_of_a_hostile_router_are_left_out() {
    let found = of("device ../../x\nmtu 1e9\nlan -rf 10.0.0.1/8\nflash lots\nqdisc \u{1b}[2J\ndevice\nsqm\n");
    assert_eq!(found, super::Router::default());
    assert_eq!(
        of("sqm /\u{1b}[2J\n").remarks,
        ["`/\u{241b}[2J` is a configuration of sqm: `qosc import sqm` converts it"]
    );
}
