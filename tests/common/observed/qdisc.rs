//! Reads lines of `tc -d qdisc show`.

use super::held::Held;
use super::words::{handle, packets, rate, size, time};
use qosc_compiler::tc::{
    CakeIsolation, CakeOverhead, CakeShaper, CakeTins, DROP_BATCH, Dev, Handle, LinkLayer, Parent, Qdisc,
    QdiscKind, ROOT, SLOT_BIT, Stab, Why,
};
use qosc_compiler::units::{Bytes, Micros};

/// Parent that tc prints for a clsact or ingress qdisc.
const HOOKS: Handle = Handle { major: 0xffff, minor: 0xfff1 };

/// Reads one line: a qdisc, or the size table of the previous one.
pub(super) fn line(dev: Dev, line: &str, held: &mut Held) {
    let mut words = line.split_whitespace();
    match words.next() {
        Some("qdisc") => {}
        Some("linklayer") => return stab(line, words, held),
        _ => return held.other.push(line.to_owned()),
    }
    let (Some(kind), Some(own)) = (words.next(), words.next().and_then(handle)) else {
        return held.other.push(line.to_owned());
    };
    let mut words = words.peekable();
    let mut parent = None;
    while let Some(word) = words.peek().copied() {
        match word {
            "root" => parent = Some(Parent::Root),
            "parent" => {
                words.next();
                parent = words.peek().and_then(|word| handle(word)).map(parent_of);
            }
            "dev" | "refcnt" => {
                words.next();
            }
            _ => break,
        }
        words.next();
    }
    let Some(parent) = parent else { return held.other.push(line.to_owned()) };
    let root = Handle { major: ROOT, minor: 0 };
    let in_ours = match parent {
        Parent::At(parent) => parent.major == ROOT,
        Parent::Root | Parent::Clsact => false,
    };
    // the CAKEs inside cake_mq, which nobody can change
    if in_ours && own.major == 0 && kind == "cake" {
        return held.other.push(line.to_owned());
    }
    // a qdisc in another place belongs to somebody else, whatever its kind
    let place = in_ours || parent == Parent::Clsact || own == root;
    let kind = if place { options(kind, own == root, words) } else { None };
    // The handle of a leaf is the id of its class, here in slot a.
    let own = if in_ours { Handle { major: own.major & !SLOT_BIT, ..own } } else { own };
    match kind {
        Some(kind) => {
            held.qdiscs.push(Qdisc { dev, parent, handle: own, kind, instead: None, why: Why::default() })
        }
        None if in_ours || own == root => held.foreign.push(line.to_owned()),
        None => held.other.push(line.to_owned()),
    }
}

fn parent_of(handle: Handle) -> Parent {
    if handle == HOOKS { Parent::Clsact } else { Parent::At(handle) }
}

/// Reads the options of a kind that the script uses; `None` if there is an option that the script never sets.
fn options<'a>(kind: &str, root: bool, words: impl Iterator<Item = &'a str>) -> Option<QdiscKind> {
    match kind {
        "htb" if root => htb(words),
        // an older ingress qdisc has only the ingress hook, which is all that most programs need
        "clsact" | "ingress" if !root => Some(QdiscKind::Clsact),
        "fq_codel" if !root => fq_codel(words),
        "cake" => cake(false, words),
        "cake_mq" if root => cake(true, words),
        "pfifo" if !root => pfifo(words),
        _ => None,
    }
}

fn htb<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<QdiscKind> {
    let mut length = 0;
    while let Some(word) = words.next() {
        match word {
            "direct_qlen" => length = words.next()?.parse().ok()?,
            "default" if ["0", "0x0"].contains(&words.next()?) => {}
            "r2q" | "direct_packets_stat" | "ver" => {
                words.next()?;
            }
            _ => return None,
        }
    }
    Some(QdiscKind::Htb { direct_qlen: length, stab: Stab::None })
}

fn fq_codel<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<QdiscKind> {
    let (mut length, mut buckets, mut turn) = (None, None, None);
    let (mut aim, mut over) = (None, None);
    let (mut bytes, mut marks) = (Bytes::new(0), false);
    while let Some(word) = words.next() {
        match word {
            "limit" => length = packets(words.next()?),
            "flows" => buckets = words.next()?.parse().ok(),
            "quantum" => turn = words.next()?.parse().ok(),
            "target" => aim = time(words.next()?),
            "interval" => over = time(words.next()?),
            "memory_limit" => bytes = size(words.next()?)?,
            "ecn" => marks = true,
            "drop_batch" if words.next()?.parse() == Ok(DROP_BATCH) => {}
            _ => return None,
        }
    }
    Some(QdiscKind::FqCodel {
        limit: length?,
        flows: buckets?,
        quantum: turn?,
        target: aim?,
        interval: over?,
        memory: bytes,
        ecn: marks,
    })
}

fn cake<'a>(mq: bool, mut words: impl Iterator<Item = &'a str>) -> Option<QdiscKind> {
    let (mut tins, mut ack_filter, mut wash) = (CakeTins::Diffserv3, false, false);
    let (mut isolation, mut nat, mut ingress) = (None, false, false);
    let (mut rtt, mut memory): (Option<Micros>, Bytes) = (None, Bytes::new(0));
    let (mut bandwidth, mut above, mut least, mut linklayer) = (None, 0, 0, LinkLayer::Ethernet);
    while let Some(word) = words.next() {
        match word {
            "bandwidth" => {
                bandwidth = match words.next()? {
                    "unlimited" => None,
                    number => Some(rate(number)?),
                };
            }
            "overhead" => above = words.next()?.parse().ok()?,
            "mpu" => least = words.next()?.parse().ok()?,
            "atm" => linklayer = LinkLayer::Atm,
            "ingress" => ingress = true,
            "besteffort" => tins = CakeTins::Besteffort,
            "diffserv3" => tins = CakeTins::Diffserv3,
            "diffserv4" => tins = CakeTins::Diffserv4,
            "diffserv8" => tins = CakeTins::Diffserv8,
            "flows" => isolation = Some(CakeIsolation::Flows),
            "dual-srchost" => isolation = Some(CakeIsolation::DualSrchost),
            "dual-dsthost" => isolation = Some(CakeIsolation::DualDsthost),
            "nat" => nat = true,
            "ack-filter" => ack_filter = true,
            "wash" => wash = true,
            "rtt" => rtt = Some(time(words.next()?)?),
            "memlimit" => memory = size(words.next()?)?,
            "nonat" | "nowash" | "no-ack-filter" | "split-gso" | "raw" | "noatm" => {}
            _ => return None,
        }
    }
    let shaper = bandwidth.map(|rate| CakeShaper {
        rate,
        overhead: CakeOverhead::Fixed(above),
        mpu: least,
        linklayer,
        ingress,
        mq,
    });
    // a CAKE without a rate must not charge overhead, because the class above it already does
    let plain = above == 0 && least == 0 && linklayer == LinkLayer::Ethernet && !ingress;
    (shaper.is_some() || plain).then_some(QdiscKind::Cake {
        shaper,
        rtt: rtt?,
        tins,
        isolation: isolation?,
        nat,
        ack_filter,
        wash,
        memory,
    })
}

fn pfifo<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<QdiscKind> {
    let limit = match (words.next(), words.next(), words.next()) {
        (Some("limit"), Some(limit), None) => packets(limit)?,
        _ => return None,
    };
    Some(QdiscKind::Pfifo { limit })
}

/// Reads a size table on a line of its own: `linklayer ethernet overhead -14`.
fn stab<'a>(line: &str, mut words: impl Iterator<Item = &'a str>, held: &mut Held) {
    let overhead = match (words.next(), words.next(), words.next(), words.next()) {
        (Some("ethernet"), Some("overhead"), Some(bytes), None) => bytes.parse::<i32>().ok(),
        _ => None,
    };
    match (overhead, held.qdiscs.last_mut()) {
        (Some(bytes), Some(Qdisc { kind: QdiscKind::Htb { stab, .. }, .. })) => *stab = Stab::Fixed(bytes),
        _ => held.foreign.push(line.to_owned()),
    }
}
