//! Kinds of lines by the names that kernels and routers give to devices, and by the names of profiles.

/// Likely kind of a device by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::check) enum LikelyDevice {
    /// PPP session: `ppp0`, OpenWrt's `pppoe-wan`, VyOS's `pppoe0`.
    Ppp,
    /// DSL modem in the router: `dsl0`, `ptm0`, `nas0`, `atm0`.
    Dsl,
    /// Plain Ethernet: `eth0`, `eno1`, `enp3s0`, `wan`, with or without a VLAN.
    Ethernet,
    /// Radio: `wwan0`, `wlan0`, and systemd's names for them.
    Radio,
    /// Unknown kind.
    Other,
}

/// Prefixes that are followed by a digit.
const NUMBERED: &[(&str, LikelyDevice)] = &[
    ("dsl", LikelyDevice::Dsl),
    ("ptm", LikelyDevice::Dsl),
    ("nas", LikelyDevice::Dsl),
    ("atm", LikelyDevice::Dsl),
    ("eth", LikelyDevice::Ethernet),
    ("eno", LikelyDevice::Ethernet),
    ("enp", LikelyDevice::Ethernet),
    ("ens", LikelyDevice::Ethernet),
    ("wan", LikelyDevice::Ethernet),
    ("wwan", LikelyDevice::Radio),
    ("wwp", LikelyDevice::Radio),
    ("wlan", LikelyDevice::Radio),
    ("wlp", LikelyDevice::Radio),
];

/// Returns the likely kind of a device with this name.
pub(in crate::check) fn kind(name: &str) -> LikelyDevice {
    let plain = name.split_once('.').map_or(name, |(plain, _)| plain);
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    match plain {
        "wan" => LikelyDevice::Ethernet,
        _ if plain.starts_with("ppp") => LikelyDevice::Ppp,
        _ => NUMBERED
            .iter()
            .find(|(prefix, _)| plain.strip_prefix(prefix).is_some_and(digit))
            .map_or(LikelyDevice::Other, |(_, kind)| *kind),
    }
}

/// True if such a line has a DSL modem.
pub(in crate::check) fn is_dsl(profile: &str) -> bool {
    profile.starts_with("adsl-") || profile.starts_with("vdsl2-")
}

/// True if a profile counts the bytes of a PPP session.
pub(in crate::check) fn has_session(profile: &str) -> bool {
    profile.contains("pppoe") || profile.contains("pppoa")
}

#[cfg(test)]
mod tests {
    use super::{LikelyDevice, kind};

    #[test]
    fn device_names_give_the_likely_kind() {
        let kinds = ["ppp0", "pppoe-wan", "dsl0.7", "nas0", "eth0.7", "wan", "enp3s0", "wwan0", "wlp2s0"];
        let (ppp, dsl, ethernet, radio) =
            (LikelyDevice::Ppp, LikelyDevice::Dsl, LikelyDevice::Ethernet, LikelyDevice::Radio);
        let expected = [ppp, ppp, dsl, dsl, ethernet, ethernet, ethernet, radio, radio];
        assert_eq!(kinds.map(kind), expected);
        let others = ["br-lan", "wg0", "tun0", "wanted", "ether", "atmosphere", "bond0", "usb0"];
        assert!(others.map(kind).iter().all(|kind| *kind == LikelyDevice::Other));
    }
}
