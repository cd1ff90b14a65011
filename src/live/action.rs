//! Actions as `tc -d filter show` prints them.

use super::words::{hex32, linklayer, rate, size, small_size};
use crate::tc::{Action, Charge, Dev, LinkLayer, Overhead, Police, PoliceStep};
use crate::units::{Bytes, Dscp, Family, IfName, Rate};

/// One action of the kernel. A DSCP of IPv4 is set by two of them: the second makes the checksum right.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// One that is an action of ours by itself.
    Whole(Action),
    /// These bits of the mark of a connection restored; a step that sets bits follows.
    Restored(u32),
    /// Bits of the mark set.
    Set(u32),
    /// A header edited.
    Edit(Edit),
    /// The IPv4 header's checksum computed.
    Checksum,
}

/// The keys of an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Edit {
    /// None yet.
    Empty,
    /// The DSCP.
    Dscp(Family, Dscp),
    /// The flow label, cleared.
    Label,
    /// Something that we never edit.
    Strange,
}

impl Step {
    /// Reads what stands behind `action order 1:`; `None` where we never make it.
    pub(super) fn read(words: &[&str], wan: &IfName, ifb: &IfName) -> Option<Step> {
        match words {
            ["police", index, rest @ ..] => {
                Some(Step::Whole(Action::Police(police(hex32(index)?, rest.iter().copied())?)))
            }
            ["mirred", "(Egress", "Redirect", "to", "device", name, "stolen"] => {
                let name = name.strip_suffix(')')?;
                let dev = match name {
                    name if name == wan.as_str() => Some(Dev::Wan),
                    name if super::parse::is_ifb(name, ifb) => Some(Dev::Ifb),
                    _ => None,
                };
                dev.map(|dev| Step::Whole(Action::Redirect(dev)))
            }
            ["skbedit", "priority", class, _] => {
                super::words::handle(class).map(|class| Step::Whole(Action::Priority(class)))
            }
            ["gact", "action", "pass"] => Some(Step::Whole(Action::Pass)),
            // the mask comes with the line of its index
            ["ctinfo", "zone", "0", "continue"] => Some(Step::Whole(Action::Restore { mask: 0, flag: 0 })),
            ["ctinfo", "zone", "0", "pipe"] => Some(Step::Restored(0)),
            ["skbedit", "mark", bits, "continue"] => flag(bits).map(Step::Set),
            ["pedit", "action", _, "keys", _] => Some(Step::Edit(Edit::Empty)),
            ["csum", "(iph)", "action", _] => Some(Step::Checksum),
            _ => None,
        }
    }

    /// Adds a key of an edit: `ipv4+0: val 00200000 mask ff03ffff`; the mask tells what stays.
    pub(super) fn key(&mut self, at: &str, words: &[&str]) {
        if let Step::Edit(edit) = self {
            *edit = match (&edit, dscp(at, words)) {
                (Edit::Empty, Some((family, dscp))) => Edit::Dscp(family, dscp),
                (Edit::Empty, None)
                    if at == "ipv6+0:" && words == ["val", "00000000", "mask", "fff00000"] =>
                {
                    Edit::Label
                }
                _ => Edit::Strange,
            };
        }
    }

    /// The actions that these steps are; `None` where some are none of ours.
    pub(super) fn actions(steps: &[Step]) -> Option<Vec<Action>> {
        let mut actions = Vec::new();
        let mut rest = steps;
        loop {
            rest = match rest {
                [] => return Some(actions),
                [Step::Whole(action), rest @ ..] => {
                    actions.push(action.clone());
                    rest
                }
                [Step::Restored(mask), Step::Set(flag), rest @ ..] => {
                    actions.push(Action::Restore { mask: *mask, flag: *flag });
                    rest
                }
                [Step::Set(flag), rest @ ..] => {
                    actions.push(Action::Restore { mask: 0, flag: *flag });
                    rest
                }
                [Step::Edit(Edit::Label), rest @ ..] => {
                    actions.push(Action::ClearLabel);
                    rest
                }
                [Step::Edit(Edit::Dscp(family @ Family::Ipv4, dscp)), Step::Checksum, rest @ ..]
                | [Step::Edit(Edit::Dscp(family @ Family::Ipv6, dscp)), rest @ ..] => {
                    actions.push(Action::SetDscp { family: *family, dscp: *dscp });
                    rest
                }
                _ => return None,
            };
        }
    }
}

/// Reads `16777216/0x1000000`: bits, all of which are set.
fn flag(bits: &str) -> Option<u32> {
    let (value, mask) = bits.split_once('/')?;
    let value: u32 = value.parse().ok()?;
    (u32::from_str_radix(mask.strip_prefix("0x")?, 16).ok()? == value).then_some(value)
}

/// The DSCP that a key of an edit sets, and in whose header.
fn dscp(at: &str, words: &[&str]) -> Option<(Family, Dscp)> {
    let ["val", value, "mask", mask] = words else { return None };
    let (value, mask) = (hex32(value)?, hex32(mask)?);
    let (family, shift) = match (at, mask) {
        ("ipv4+0:" | "0:", 0xff03_ffff) => (Family::Ipv4, 18),
        ("ipv6+0:" | "0:", 0xf03f_ffff) => (Family::Ipv6, 22),
        _ => return None,
    };
    Dscp::new(u8::try_from(value >> shift).ok()?).map(|dscp| (family, dscp))
}

/// Reads `rate 4Mbit burst 300000b mtu 128Kb action drop/pipe overhead 4b linklayer atm`.
fn police<'a>(index: u32, mut words: impl Iterator<Item = &'a str>) -> Option<Police> {
    let mut police = Police {
        index,
        rate: Rate::from_bps(0),
        burst: Bytes::new(0),
        mtu: 0,
        charge: Charge { overhead: Overhead::Told(0), mpu: 0, linklayer: LinkLayer::Ethernet },
        conform: PoliceStep::Ok,
        exceed: PoliceStep::Drop,
    };
    while let Some(word) = words.next() {
        match word {
            "rate" => police.rate = rate(words.next()?)?,
            "burst" => police.burst = size(words.next()?)?,
            "mtu" => police.mtu = small_size(words.next()?)?,
            "overhead" => police.charge.overhead = Overhead::Told(small_size(words.next()?)?),
            "linklayer" => police.charge.linklayer = linklayer(words.next()?)?,
            "action" => (police.exceed, police.conform) = verdict(words.next()?)?,
            _ => return None,
        }
    }
    Some(police)
}

/// Reads `drop/pipe`: what is beyond the rate, and what is within. tc leaves out a `pass` within.
fn verdict(word: &str) -> Option<(PoliceStep, PoliceStep)> {
    match word.split_once('/') {
        Some((exceed, conform)) => Some((step(exceed)?, step(conform)?)),
        None => Some((step(word)?, PoliceStep::Ok)),
    }
}

fn step(word: &str) -> Option<PoliceStep> {
    match word {
        "drop" => Some(PoliceStep::Drop),
        "pipe" => Some(PoliceStep::Pipe),
        "pass" | "ok" => Some(PoliceStep::Ok),
        "continue" => Some(PoliceStep::Continue),
        _ => None,
    }
}
