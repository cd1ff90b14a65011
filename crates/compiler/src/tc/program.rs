//! All kernel objects and settings of one link.

use super::{Action, Charge, Filter, Hook, HtbClass, INGRESS_LAST_PREF, Marks, Qdisc, Scale, Why};
use crate::terms::{Frames, PerDirection};
use crate::units::{Bytes, IfName, LinkName};
use serde::Serialize;

/// Facts that only the router knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// Bytes above IP of packets on the WAN device, as a qdisc sees them; the same holds for the ifb. A device of type
    /// 1 (Ethernet, VLAN) has 14, or 22 if it carries PPPoE frames. Others, such as ppp and tun, have 0.
    pub header: u32,
    /// `true` if leaves must split aggregated packets, because the offloads cannot be turned off.
    pub split_in_leaves: bool,
}

/// Handling of packets at the ingress of the WAN device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum IngressMode {
    /// All packets pass through the ifb, except those that a policer bypasses or drops.
    Ifb,
    /// There is no ifb; the ingress has filters at most.
    Direct,
}

/// A kernel setting that `start` changes and `stop` restores.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Sysctl {
    /// Path below `/proc/sys/`.
    pub path: &'static str,
    /// New value.
    pub value: String,
}

/// Settings besides the qdiscs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Settings {
    /// `txqueuelen` of the WAN device.
    pub txqueuelen: Option<u32>,
    /// Byte queue limit of each transmit queue of the WAN device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bql: Option<Bytes>,
    /// Kernel settings.
    pub sysctls: Vec<Sysctl>,
    /// `true` for a direction in which aggregated packets must not reach the shaper.
    pub split: PerDirection<bool>,
    /// Devices on which uploads arrive: LAN devices and tunnels.
    pub receivers: Vec<IfName>,
}

/// A tunnel whose downloads are queued on the ifb as inner packets, or another device of the line. They come from the
/// ingress of the device. Uploads of a tunnel may be queued as inner packets, too. They come from the egress of its device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decrypted {
    /// The device, which may appear and disappear.
    pub device: IfName,
    /// Number of bytes by which a packet on the line is longer than the inner one, counted from the outer IP header.
    /// `None` for another device of the line, which shows the packets of the line.
    pub more: Option<u32>,
    /// Bytes above IP of packets on the WAN device, if known.
    pub header: Option<u32>,
    /// UDP port on which the tunnel listens, if known; 0 for a kind without ports.
    pub port: Option<u16>,
    /// `true` if uploads are queued before they are encrypted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uploads: bool,
    /// Actions that restore the mark of a packet's connection, each with the mark that selects the packet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub restored: Vec<(u32, Action)>,
    /// Origin of the object.
    pub why: Why,
}

impl Decrypted {
    /// Returns the number of VLAN tags to push after an Ethernet header, so that a packet becomes as long as on the
    /// line.
    ///
    /// The kernel keeps the first tag outside the packet data, so `n` tags add `14 + 4 (n - 1)` bytes. The result, from
    /// 1 to 26, is the largest number that does not exceed the required length. `None` for another device of the line.
    #[must_use]
    pub fn tags(&self, header: u32) -> Option<u32> {
        Some(1 + (self.more? + header - 14) / 4)
    }
}

/// Returns the names of the devices that the script of a link can create: the ifb for downloads, a second one of older
/// scripts, the device on which `try_out` tries lines of tc, and the ifb for uploads. `templates/runtime/begin.sh` has
/// the same prefixes.
#[must_use]
pub fn own_device_names(link: &LinkName) -> [String; 4] {
    ["ifb-", "ifb2-", "ifbp-", "ifbu-"].map(|prefix| format!("{prefix}{}", link.in_devices()))
}

/// All kernel objects and settings of one link, in the order of their creation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Program {
    /// Name of the link.
    pub link: LinkName,
    /// Paths of the included files, for the origins of objects.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Name of the WAN device.
    pub wan: IfName,
    /// Name of the ifb for downloads.
    pub ifb: IfName,
    /// Handling of downloads.
    pub ingress: IngressMode,
    /// Cost of a packet on the line.
    pub charge: Charge,
    /// Kind of frames on the WAN device, if the file gives it.
    pub frames: Frames,
    /// Qdiscs, roots before leaves.
    pub qdiscs: Vec<Qdisc>,
    /// Classes, parents before children.
    pub classes: Vec<HtbClass>,
    /// Filters in the order in which the kernel tries them.
    pub filters: Vec<Filter>,
    /// Tunnels whose downloads reach the ifb as inner packets, and other devices of the line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decrypted: Vec<Decrypted>,
    /// `true` if all uploads are queued on an ifb of their own and not at the WAN device, because those of a tunnel are
    /// queued before they are encrypted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_up_by_ifb: bool,
    /// Table that writes the mark bits, if a filter reads them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub marks: Option<Marks>,
    /// Settings besides these objects.
    pub settings: Settings,
    /// Derivation of the numbers from the line rates.
    pub scale: PerDirection<Scale>,
}

impl Program {
    /// Returns the name of the second ifb that an older script may have left.
    #[must_use]
    pub fn second_ifb(&self) -> String {
        let [_, second, ..] = own_device_names(&self.link);
        second
    }

    /// Returns the name of the ifb for uploads, whether they are queued on it or not.
    #[must_use]
    pub fn third_ifb(&self) -> String {
        let [.., uploads] = own_device_names(&self.link);
        uploads
    }

    /// Returns true if a table of nft writes into marks.
    #[must_use]
    pub fn has_table(&self) -> bool {
        self.marks.is_some() || self.is_up_by_ifb
    }

    /// Returns the name of the ifb for uploads, if they are queued on one.
    #[must_use]
    pub fn uploads_ifb(&self) -> Option<String> {
        self.is_up_by_ifb.then(|| self.third_ifb())
    }

    /// Returns all devices that the script creates or removes: both ifbs, the one for testing the kernel's capabilities, and the ifb
    /// for uploads.
    #[must_use]
    pub fn own_devices(&self) -> Vec<String> {
        let [first, second, probe, _] = own_device_names(&self.link);
        [first, second, probe].into_iter().chain(self.uploads_ifb()).collect()
    }

    /// Returns the policers in the order of their filters: hook, index in the kernel, and name. The cap of all downloads
    /// has an empty name.
    #[must_use]
    pub fn policers(&self) -> Vec<(Hook, u32, &str)> {
        let mut policers: Vec<(Hook, u32, &str)> = Vec::new();
        for filter in &self.filters {
            // A second policer in a filter is the cap of all downloads, which has a filter of its own, too.
            let police = filter.actions.iter().find_map(|action| match action {
                Action::Police(police) => Some(police),
                _ => None,
            });
            if let Some(police) = police
                && !policers.iter().any(|(_, index, _)| *index == police.index)
            {
                let is_cap = filter.hook == Hook::Ingress && filter.pref == INGRESS_LAST_PREF;
                policers.push((filter.hook, police.index, if is_cap { "" } else { &filter.why.name }));
            }
        }
        policers
    }
}

#[cfg(test)]
#[path = "program_tests.rs"]
mod tests;
