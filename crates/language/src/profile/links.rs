//! Built-in link profiles from `profiles/link/`.

use super::folder;
use crate::syntax::profile::{LinkProfile, read};
use crate::terms::{Layer, Wire};
use include_dir::{Dir, include_dir};

static LINKS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../profiles/link");

/// Short names for the parts of an overhead, in the order in which a sum lists them.
pub(super) const SHORT: [(&str, &str); 14] = [
    ("Ethernet preamble and start of frame", "preamble"),
    ("Ethernet header", "header"),
    (TAG, "tag"),
    (FCS, "FCS"),
    ("gap between frames", "gap"),
    ("padding before the Ethernet frame", "padding"),
    ("PTM start byte S", "S"),
    ("PTM start byte Ck", "Ck"),
    ("PTM TC-CRC", "TC-CRC"),
    ("LLC/SNAP header", "LLC/SNAP"),
    ("LLC header with NLPID", "LLC"),
    ("AAL5 trailer", "AAL5"),
    ("PPPoE header", "PPPoE"),
    (PPP, "PPP"),
];
/// Names in a profile's `bytes` for a VLAN tag, the frame check sequence and PPP.
const TAG: &str = "VLAN tag";
const FCS: &str = "Ethernet frame check sequence";
const PPP: &str = "PPP protocol field";

impl LinkProfile {
    /// Returns the cost of packets on such a line.
    #[must_use]
    pub const fn wire(&self) -> Wire {
        Wire { layer: self.layer, overhead: self.overhead, mpu: self.mpu }
    }

    /// Returns the same line with a PPP session if it has none. The session is PPPoE (RFC 2516), or plain PPP if the
    /// line carries no Ethernet frames (RFC 2364).
    #[must_use]
    pub fn with_ppp(mut self) -> LinkProfile {
        if self.bytes.iter().all(|(_, what)| what != PPP) {
            if self.bytes.iter().any(|(_, what)| what == "Ethernet header") {
                self.bytes.push((6, "PPPoE header".to_owned()));
            }
            self.bytes.push((2, PPP.to_owned()));
            self.overhead = self.bytes.iter().map(|(bytes, _)| bytes).sum();
        }
        self
    }

    /// Returns the bytes that every line of this kind adds to a packet.
    ///
    /// A VLAN tag and the LLC headers are the provider's choice. If the line is charged in `layer: ethernet`, the
    /// provider also decides if the check sequence, the preamble, the gap and PTM's bytes count.
    #[must_use]
    pub fn least(&self, layer: Layer) -> u32 {
        let optional = |what: &str| match what {
            TAG | "LLC/SNAP header" | "LLC header with NLPID" => true,
            FCS | "Ethernet preamble and start of frame" | "gap between frames" => layer == Layer::Ethernet,
            _ => layer == Layer::Ethernet && what.starts_with("PTM "),
        };
        self.bytes.iter().filter(|(_, what)| !optional(what)).map(|(bytes, _)| bytes).sum()
    }

    /// Returns the overhead as a sum, such as `14 header + 4 FCS = 18 bytes`.
    #[must_use]
    pub fn sum(&self) -> String {
        let place = |what: &str| SHORT.iter().position(|(long, _)| *long == what);
        let mut bytes: Vec<(Option<usize>, &(u32, String))> =
            self.bytes.iter().map(|part| (place(&part.1), part)).collect();
        bytes.sort_by_key(|(place, _)| place.unwrap_or(SHORT.len()));
        let short = |place: Option<usize>| place.and_then(|place| SHORT.get(place)).map(|(_, short)| *short);
        let terms =
            bytes.iter().map(|(place, (bytes, what))| format!("{bytes} {}", short(*place).unwrap_or(what)));
        format!("{} = {} bytes", terms.collect::<Vec<_>>().join(" + "), self.overhead)
    }
}

/// Returns the names of all link profiles in alphabetical order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    folder::names(&LINKS)
}

/// Returns the text of the link profile with this name.
pub(super) fn text_of(name: &str) -> Option<&'static str> {
    folder::text(&LINKS, name)
}

/// Returns the link profile with this name.
pub(super) fn named(name: &str) -> Option<LinkProfile> {
    read(text_of(name)?)
}

/// Returns all link profiles in the order of their names.
pub fn all() -> impl Iterator<Item = LinkProfile> {
    names().into_iter().filter_map(named)
}
