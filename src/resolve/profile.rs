//! The kinds of lines that we know, from `profiles/link/`.

use crate::model::{Layer, PerDirection, Wire};
use crate::syntax::profile::{RawProfile, read};
use crate::units::Percent;
use include_dir::{Dir, include_dir};

static LINKS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/profiles/link");

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
}

/// The names of all link profiles, in the order of the alphabet.
#[must_use]
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> =
        LINKS.files().filter_map(|file| file.path().file_stem().and_then(|stem| stem.to_str())).collect();
    names.sort_unstable();
    names
}

/// The text of a link profile.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    let name = names().into_iter().find(|known| *known == name)?;
    LINKS.get_file(format!("{name}.yaml"))?.contents_utf8()
}

/// The link profile of this name.
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
