//! Accepts the overhead keywords of tc-cake(8) as names of link profiles.

use super::{LinkProfile, links};
use crate::diag::{Code, Diagnostic, Fix, Spanned, or_ticked, ticked};
use crate::terms::{Layer, Wire};
use std::sync::LazyLock;

/// Keywords that describe a whole line: bytes above IP, minimum packet size in bytes, and layer. They come from
/// tc-cake(8), "OVERHEAD COMPENSATION PARAMETERS". CAKE's `raw` is not among them, because it counts the device's own
/// header.
const LINES: [(&str, Wire); 13] = [
    ("conservative", wire(48, 0, Layer::Atm)),
    ("pppoa-vcmux", wire(10, 0, Layer::Atm)),
    ("pppoa-llc", wire(14, 0, Layer::Atm)),
    ("pppoe-vcmux", wire(32, 0, Layer::Atm)),
    ("pppoe-llcsnap", wire(40, 0, Layer::Atm)),
    ("bridged-vcmux", wire(24, 0, Layer::Atm)),
    ("bridged-llcsnap", wire(32, 0, Layer::Atm)),
    ("ipoa-vcmux", wire(8, 0, Layer::Atm)),
    ("ipoa-llcsnap", wire(16, 0, Layer::Atm)),
    ("pppoe-ptm", wire(30, 0, Layer::Ptm)),
    ("bridged-ptm", wire(22, 0, Layer::Ptm)),
    ("docsis", wire(18, 64, Layer::Ethernet)),
    ("ethernet", wire(38, 84, Layer::Ethernet)),
];
/// Keyword that adds a VLAN tag to a line keyword.
pub const TAG: &str = "ether-vlan";
/// Bytes of a VLAN tag.
const TAG_BYTES: u32 = 4;

const fn wire(overhead: u32, mpu: u32, layer: Layer) -> Wire {
    Wire { layer, overhead, mpu }
}

/// Returns the packet cost of one keyword.
#[must_use]
pub fn cost(keyword: &str) -> Option<Wire> {
    let line = LINES.iter().find(|(known, _)| *known == keyword).map(|(_, wire)| *wire);
    line.or_else(|| (keyword == TAG).then_some(wire(TAG_BYTES, 0, Layer::Ethernet)))
}

/// Keywords that are not themselves names of profiles, each with the name of its profile, in the order of the profiles.
static PROFILES: LazyLock<Vec<(String, &'static str)>> = LazyLock::new(|| {
    let names = links::names();
    let keyword = |name: &&'static str| links::named(name).and_then(|found| Some((found.cake?, *name)));
    names.iter().filter_map(keyword).filter(|(keyword, _)| !names.contains(&keyword.as_str())).collect()
});

/// Returns all keywords and combinations that stand for a profile, each with the name of that profile.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROFILES.iter().map(|(keyword, name)| (keyword.as_str(), *name))
}

/// Returns the name of the profile that a keyword stands for.
#[must_use]
pub fn profile_of(keyword: &str) -> Option<&'static str> {
    all().find(|(known, _)| *known == keyword).map(|(_, name)| name)
}

/// Returns the packet cost for keywords such as `docsis ether-vlan` in any order, and the keyword that describes the
/// line.
///
/// Returns `None` if a word is not a keyword, or if not exactly one keyword describes a line.
fn meaning(words: &str) -> Option<(&'static str, Wire)> {
    let mut line = None;
    let mut tags = 0u32;
    for word in words.split_whitespace() {
        if word == TAG {
            tags = tags.checked_add(TAG_BYTES)?;
        } else if line.replace(LINES.iter().find(|(known, _)| *known == word)?).is_some() {
            return None;
        }
    }
    line.map(|(keyword, wire)| (*keyword, Wire { overhead: wire.overhead.saturating_add(tags), ..*wire }))
}

/// Returns the finding about CAKE keywords that name no profile; `None` if they are not keywords.
#[must_use]
pub fn without_profile(name: &Spanned<String>) -> Option<Diagnostic> {
    let finding = |message: String| Diagnostic::new(Code::UndefinedName, name.span, message);
    let none = format!("there is no link profile for the CAKE keywords {}", ticked(&name.value));
    if name.value.split_whitespace().all(|word| word == TAG) && !name.value.trim().is_empty() {
        let with = all().filter(|(keyword, _)| keyword.ends_with(TAG)).map(|(keyword, _)| keyword);
        let help = format!("write the keyword of the line, too: {}", or_ticked(with));
        return Some(
            finding(none).label(format!("adds {} bytes to the overhead of a line", TAG_BYTES)).help(help),
        );
    }
    let (keyword, wire) = meaning(&name.value)?;
    let same = |found: &LinkProfile| {
        found.wire() == wire && found.cake.as_deref().is_some_and(|cake| cake.starts_with(keyword))
    };
    if let Some(found) = links::all().find(same) {
        let help = format!("write `profile: {}`", found.name);
        let fix = Some(Fix::name(&found.name, name.span));
        return Some(finding(none).label(format!("{} bytes of overhead", wire.overhead)).help(help).fix(fix));
    }
    let near = links::all().find(|found| found.cake.as_deref() == Some(keyword))?;
    Some(
        finding(none)
            .label(format!(
                "{} bytes of overhead; profile {} has {}",
                wire.overhead,
                ticked(&near.name),
                near.overhead
            ))
            .help(format!("write `profile: {}` and `overhead: {}`", near.name, wire.overhead)),
    )
}

#[cfg(test)]
#[path = "keywords_tests.rs"]
mod tests;
