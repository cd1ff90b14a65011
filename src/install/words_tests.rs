//! Names of units.

use super::device_unit;

/// `systemd-escape --path --suffix=device /sys/subsystem/net/devices/NAME` prints these.
#[test]
fn names_of_devices_are_escaped() {
    for (device, unit) in [
        ("ppp0", "ppp0"),
        ("eth0.7", "eth0.7"),
        ("pppoe-wan", r"pppoe\x2dwan"),
        ("a_b+c^d", r"a_b\x2bc\x5ed"),
        (".hidden", ".hidden"),
    ] {
        assert_eq!(device_unit(device), format!("sys-subsystem-net-devices-{unit}.device"));
    }
}
