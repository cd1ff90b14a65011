//! Reads a line of `tc -d class show`.

use super::words::{handle, linklayer, rate, size, small_size};
use qosc_compiler::tc::{Charge, Dev, Handle, HtbClass, LinkLayer, Overhead, Parent, ROOT, Why};
use qosc_compiler::units::{Bytes, Rate};

/// Meaning of a line.
pub(super) enum Line {
    /// A class of the script's own root.
    Ours(HtbClass),
    /// A class of the script's own root with an option that the script never sets.
    Strange,
    /// Any other line.
    Other,
}

/// Reads a line such as `class htb c05:20 parent c05:1 leaf 20: prio 7 quantum 1514 rate 100Kbit ...`.
pub(super) fn parse(dev: Dev, line: &str) -> Line {
    // iproute2 6.15 prints no space before this word: `burst 1544b/1mpu 84b`.
    let line = line.replace("mpu ", " mpu ");
    let mut words = line.split_whitespace();
    let id = match (words.next(), words.next(), words.next().and_then(handle)) {
        (Some("class"), Some("htb"), Some(id)) if id.major == ROOT => id,
        _ => return Line::Other,
    };
    class(dev, id, words).map_or(Line::Strange, Line::Ours)
}

fn class<'a>(dev: Dev, id: Handle, mut words: impl Iterator<Item = &'a str>) -> Option<HtbClass> {
    let mut class = HtbClass {
        dev,
        parent: Parent::At(Handle { major: ROOT, minor: 0 }),
        id,
        rate: Rate::from_bps(0),
        ceil: Rate::from_bps(0),
        burst: Bytes::new(0),
        cburst: Bytes::new(0),
        prio: 0,
        quantum: 0,
        charge: Charge { overhead: Overhead::Fixed(0), mpu: 0, linklayer: LinkLayer::Ethernet },
        why: Why::default(),
    };
    while let Some(word) = words.next() {
        match word {
            "root" => {}
            "parent" => class.parent = Parent::At(handle(words.next()?)?),
            "prio" => class.prio = words.next()?.parse().ok()?,
            "quantum" => class.quantum = words.next()?.parse().ok()?,
            "rate" => class.rate = rate(words.next()?)?,
            "ceil" => class.ceil = rate(words.next()?)?,
            // Older versions print the overhead with its unit, once for each bucket.
            "overhead" => {
                class.charge.overhead = Overhead::Fixed(words.next()?.trim_end_matches('b').parse().ok()?);
            }
            "linklayer" => class.charge.linklayer = linklayer(words.next()?)?,
            "burst" => class.burst = bucket(words.next()?)?,
            "cburst" => class.cburst = bucket(words.next()?)?,
            "mpu" => class.charge.mpu = small_size(words.next()?)?,
            // already known from the qdiscs and from the parents of other classes
            "leaf" | "level" => {
                words.next()?;
            }
            _ => return None,
        }
    }
    Some(class)
}

/// Reads a bucket and the cell size of a rate table, which the kernel no longer uses: `1599b/1`.
fn bucket(word: &str) -> Option<Bytes> {
    size(word.split_once('/').map_or(word, |(bytes, _)| bytes))
}
