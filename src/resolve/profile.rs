//! The kinds of lines that we know, from `profiles/link/`.

use super::keywords;
use crate::model::{Layer, PerDirection, Wire};
use crate::syntax::profile::{RawProfile, read};
use crate::units::Percent;
use include_dir::{Dir, include_dir};

static LINKS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/profiles/link");

/// Short names for the bytes of an overhead, in the order in which a sum lists them.
const SHORT: [(&str, &str); 14] = [
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
/// Names that `bytes` of a profile gives to a VLAN tag, to the check sequence and to PPP.
const TAG: &str = "VLAN tag";
const FCS: &str = "Ethernet frame check sequence";
const PPP: &str = "PPP protocol field";

/// A kind of line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkProfile {
    /// Its name.
    pub name: String,
    /// What it is, in one line.
    pub about: String,
    /// How the line carries a packet.
    pub layer: Layer,
    /// Bytes on the line above each IP packet.
    pub overhead: u32,
    /// The least a packet is charged, in bytes; 0 for none.
    pub mpu: u32,
    /// The largest IP packet in bytes.
    pub mtu: u32,
    /// What is taken off the line rate.
    pub margin: PerDirection<Percent>,
    /// What the overhead is made of: bytes and their name. They add up to `overhead`.
    pub bytes: Vec<(u32, String)>,
    /// The keyword of tc-cake(8) that means the same, where there is one.
    pub cake: Option<String>,
    /// Where the numbers come from.
    pub source: Vec<String>,
    /// What else is worth knowing.
    pub notes: Option<String>,
}

impl LinkProfile {
    /// What packets cost on such a line.
    #[must_use]
    pub const fn wire(&self) -> Wire {
        Wire { layer: self.layer, overhead: self.overhead, mpu: self.mpu }
    }

    /// The same line with a PPP session on it, where it has none: PPPoE (RFC 2516), or PPP alone where the line carries
    /// no Ethernet frames (RFC 2364).
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

    /// The bytes that every line of this kind adds to a packet.
    ///
    /// A VLAN tag and the LLC headers are the provider's choice. Where the line is charged in `layer: ethernet`, the
    /// provider also chooses whether check sequence, preamble, gap and PTM's bytes count.
    #[must_use]
    pub fn least(&self, layer: Layer) -> u32 {
        let optional = |what: &str| match what {
            TAG | "LLC/SNAP header" | "LLC header with NLPID" => true,
            FCS | "Ethernet preamble and start of frame" | "gap between frames" => layer == Layer::Ethernet,
            _ => layer == Layer::Ethernet && what.starts_with("PTM "),
        };
        self.bytes.iter().filter(|(_, what)| !optional(what)).map(|(bytes, _)| bytes).sum()
    }

    /// The overhead byte by byte, such as `14 header + 4 FCS = 18 bytes`.
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

/// The names of all link profiles, in the order of the alphabet.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        LINKS.files().filter_map(|file| file.path().file_stem().and_then(|stem| stem.to_str())).collect();
    names.sort_unstable();
    names
}

/// The text of a link profile, found by its name or by CAKE's keyword for it.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    let own = names().into_iter().find(|known| *known == name);
    let name = own.or_else(|| keywords::profile_of(name))?;
    LINKS.get_file(format!("{name}.yaml"))?.contents_utf8()
}

/// The link profile of this name, or of CAKE's keyword for it.
#[must_use]
pub fn find(name: &str) -> Option<LinkProfile> {
    let text = text(name)?;
    let RawProfile { name, about, layer, overhead, mpu, mtu, margin, bytes, cake, source, notes } =
        read(text)?;
    let margin = PerDirection { up: margin.0, down: margin.1 };
    Some(LinkProfile { name, about, layer, overhead, mpu, mtu, margin, bytes, cake, source, notes })
}

/// All link profiles, in the order of their names.
pub fn all() -> impl Iterator<Item = LinkProfile> {
    names().into_iter().filter_map(find)
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
