//! Reads actions as `tc -d filter show` prints them.

use super::words::{hex32, linklayer, rate, size, small_size};
use qosc_compiler::tc::{Action, Charge, Dev, LinkLayer, Overhead, Police, PoliceStep};
use qosc_compiler::units::{Bytes, Dscp, Family, IfName, Rate};

/// One action of the kernel. Setting the DSCP of an IPv4 packet takes two of them: the second corrects the checksum.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A kernel action that is a complete [`Action`] by itself.
    Whole(Action),
    /// Restores these bits of the connection's mark. A step that sets bits follows.
    Restored(u32),
    /// Sets bits of the mark.
    Set(u32),
    /// Edits a header.
    Edit(Edit),
    /// Computes the checksum of the IPv4 header.
    Checksum,
}

/// Keys of a header edit (`pedit`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Edit {
    /// No key yet.
    Empty,
    /// Sets the DSCP.
    Dscp(Family, Dscp),
    /// Clears the flow label.
    Label,
    /// Anything that the script never edits.
    Strange,
}

impl Step {
    /// Reads the text behind `action order 1:`; `None` if the script never creates such an action.
    pub(super) fn read(words: &[&str], wan: &IfName, ifb: &IfName) -> Option<Step> {
        match words {
            ["police", index, rest @ ..] => {
                Some(Step::Whole(Action::Police(police(hex32(index)?, rest.iter().copied())?)))
            }
            ["mirred", "(Egress", "Redirect", "to", "device", name, "stolen"] => {
                let name = name.strip_suffix(')')?;
                let dev = match name {
                    name if name == wan.as_str() => Some(Dev::Wan),
                    name if super::held::is_ifb(name, ifb) => Some(Dev::Ifb),
                    _ => None,
                };
                dev.map(|dev| Step::Whole(Action::Redirect(dev)))
            }
            ["skbedit", "priority", class, _] => {
                super::words::handle(class).map(|class| Step::Whole(Action::Priority(class)))
            }
            ["gact", "action", "pass"] => Some(Step::Whole(Action::Pass)),
            // the mask follows on the line that begins with the index
            ["ctinfo", "zone", "0", "continue"] => Some(Step::Whole(Action::Restore { mask: 0, flag: 0 })),
            ["ctinfo", "zone", "0", "pipe"] => Some(Step::Restored(0)),
            ["skbedit", "mark", bits, "continue"] => flag(bits).map(Step::Set),
            ["pedit", "action", _, "keys", _] => Some(Step::Edit(Edit::Empty)),
            ["csum", "(iph)", "action", _] => Some(Step::Checksum),
            _ => None,
        }
    }

    /// Adds a key of a header edit, such as `ipv4+0: val 00200000 mask ff03ffff`. The mask shows which bits stay.
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

    /// Combines kernel steps into actions; `None` if the script never creates such a sequence.
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

/// Reads `16777216/0x1000000`: bits that are all set.
fn flag(bits: &str) -> Option<u32> {
    let (value, mask) = bits.split_once('/')?;
    let value: u32 = value.parse().ok()?;
    (u32::from_str_radix(mask.strip_prefix("0x")?, 16).ok()? == value).then_some(value)
}

/// Returns the DSCP that a key of a header edit sets, and the family of the header.
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
        charge: Charge { overhead: Overhead::Fixed(0), mpu: 0, linklayer: LinkLayer::Ethernet },
        conform: PoliceStep::Ok,
        exceed: PoliceStep::Drop,
    };
    while let Some(word) = words.next() {
        match word {
            "rate" => police.rate = rate(words.next()?)?,
            "burst" => police.burst = size(words.next()?)?,
            "mtu" => police.mtu = small_size(words.next()?)?,
            "overhead" => police.charge.overhead = Overhead::Fixed(small_size(words.next()?)?),
            "linklayer" => police.charge.linklayer = linklayer(words.next()?)?,
            "action" => (police.exceed, police.conform) = verdict(words.next()?)?,
            _ => return None,
        }
    }
    Some(police)
}

/// Reads `drop/pipe`: the step for packets above the rate, then the step for packets within it. tc omits a `pass` for
/// packets within the rate.
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
