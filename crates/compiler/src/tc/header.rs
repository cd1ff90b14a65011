//! Determines the bytes that a device counts above IP from its name, without access to the router.

use crate::terms::Frames;

/// Bytes of an Ethernet header.
pub const ETHERNET: u32 = 14;

/// Bytes of an Ethernet header and a PPPoE header with the PPP protocol field (RFC 2516).
pub const PPPOE_FRAMES: u32 = 22;

/// Name prefixes of Ethernet devices, as kernels and routers assign them before a digit. The kernel also shows an
/// Ethernet header above each packet of a bridge, a bond, a TAP device and a Wi-Fi station.
const FRAMED: &[&str] = &[
    "eth", "eno", "enp", "ens", "end", "wan", "lan", "vlan", "br", "bond", "team", "tap", "wlan", "wlp",
    "veth",
];

/// Name prefixes of devices whose packets begin with the IP header. A digit or a hyphen follows.
const BARE: &[&str] = &["tun", "wg"];

/// Returns the bytes above IP that a qdisc of the device counts: 14, 22 or 0. `None` if the name does not determine
/// them. For example, a `wwan0` counts 14 bytes or none depending on its driver, and so does the `nas0` of a DSL modem.
#[must_use]
pub fn header_by_name(device: &str, frames: Frames) -> Option<u32> {
    let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let after = |prefix: &&str| device.strip_prefix(*prefix);
    if device.starts_with("ppp")
        || BARE.iter().filter_map(after).any(|rest| digit(rest) || rest.starts_with('-'))
    {
        return Some(0);
    }
    if frames == Frames::Pppoe {
        return Some(PPPOE_FRAMES);
    }
    // A VLAN is an Ethernet device, whatever its parent device is.
    let vlan = device.rsplit_once('.').is_some_and(|(_, tag)| tag.parse::<u16>().is_ok());
    let framed = FRAMED.iter().filter_map(after).any(digit);
    (vlan || framed || device == "wan" || device.starts_with("br-") || device.starts_with("enx"))
        .then_some(ETHERNET)
}

/// Returns words for the devices that count this many bytes above IP.
#[must_use]
pub const fn devices_with(header: u32) -> &'static str {
    match header {
        0 => "ppp and tun do",
        ETHERNET => "Ethernet does",
        _ => "Ethernet with PPPoE frames does",
    }
}

#[cfg(test)]
mod tests {
    use super::header_by_name;
    use crate::terms::Frames;

    #[test]
    fn device_names_give_the_length_of_their_header() {
        let header = |name: &str, frames: Frames| header_by_name(name, frames);
        for name in ["ppp0", "pppoe-wan", "pppoe0", "tun0", "tun-vps", "wg0", "wg-office"] {
            assert_eq!(header(name, Frames::Auto), Some(0), "{name}");
            assert_eq!(header(name, Frames::Pppoe), Some(0), "no Ethernet: {name}");
        }
        let ethernet = [
            "eth0",
            "eth0.7",
            "wan",
            "wan.7",
            "enp3s0",
            "enx001122334455",
            "dsl0.7",
            "br-lan",
            "tap0",
            "wlp2s0",
        ];
        for name in ethernet {
            assert_eq!(header(name, Frames::Auto), Some(14), "{name}");
            assert_eq!(header(name, Frames::Ip), Some(14), "{name}");
            assert_eq!(header(name, Frames::Pppoe), Some(22), "{name}");
        }
        for name in ["wwan0", "nas0", "dsl0", "usb0", "uplink", "wanted", "tunnel", "wgx", "a.b"] {
            assert_eq!(header(name, Frames::Auto), None, "{name}");
            assert_eq!(header(name, Frames::Pppoe), Some(22), "the file says so: {name}");
        }
    }
}
