#![doc = include_str!("../../../../docs/rules/Q0702.md")]
#![doc = include_str!("../../../../docs/rules/Q0703.md")]
#![doc = include_str!("../../../../docs/rules/Q0704.md")]

use crate::derive;
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Alternative, Exceed, Model, Police, TcpKind};
use crate::units::{Micros, Protocol};

/// Largest aggregated packet of GRO in bytes (`GRO_MAX_SIZE`).
const AGGREGATE: u64 = 65_536;
/// Burst below which TCP starves. Measured at 10 mbit, bursts of 20 to 100 KB (up to this time) gave TCP 4 to 6 mbit. A
/// burst of 300 KB gave it the full rate.
const STARVES: Micros = Micros::from_ms(80);

pub(super) fn find(model: &Model, police: &Police) -> Option<Diagnostic> {
    // packets that go to a class instead are not lost
    let place = police.burst.given_at().filter(|_| police.exceed == Exceed::Drop)?;
    let (link, burst, rate) = (&model.link, police.burst.value, police.rate.value);
    let longest = police.matches.iter().map(|alternative| longest(alternative, link.mtu.value)).max()?;
    let bytes = link.wire().bytes(longest);
    let usual = derive::police_burst(derive::Packet::of(link), rate).value;
    // by default, fast rates have a burst of less than a quarter of a second, so a third of the default is too little,
    // too
    let least = rate.bytes_in(STARVES).min(usual.get() / 3);
    let tcp = police.matches.iter().any(is_tcp);
    let splits = model.tuning.split.get(police.direction).value;
    let mut chosen = None;
    let (code, message, label) = if burst.get() < bytes {
        (
            Code::PoliceBurstBelowPacket,
            format!("a burst of {burst} drops the longest packets of policer {}", ticked(&police.name)),
            format!("they count {bytes} bytes on this line"),
        )
    } else if tcp && !splits && burst.get() < AGGREGATE {
        chosen = model.tuning.offloads.given_at();
        (
            Code::PoliceBurstBelowAggregate,
            format!("a burst of {burst} drops every full aggregate"),
            "the kernel passes up to 64 KiB of a flow as one packet, and drops it whole if it exceeds the burst"
                .to_owned(),
        )
    } else if tcp && burst.get() <= least {
        let time = rate.time_for(burst.get()).for_people();
        (
            Code::PoliceBurstStarvesTcp,
            format!("a burst of {burst} keeps TCP far below {rate}"),
            format!("the rate carries this in {time}, but TCP sends more at once"),
        )
    } else {
        return None;
    };
    let (usual, loads) = (usual.for_people(), police.direction.loads());
    Some(
        Diagnostic::new(code, place, message)
            .label(label)
            .also_at(chosen.map(|span| (span, "`offloads` is set here")))
            .help(format!("leave `burst` out to use {usual}, the default for {loads} at {rate}")),
    )
}

/// Returns the longest packet that an alternative matches.
fn longest(alternative: &Alternative, mtu: u32) -> u64 {
    let all = alternative.tcp.iter().map(|kind| match kind {
        // the last packet of a connection may carry data
        TcpKind::Fin => mtu,
        // the filter of acknowledgements takes packets of IPv4 below 128 bytes
        TcpKind::Ack => 127,
        // headers of IPv6 and of TCP with all options
        TcpKind::Syn | TcpKind::Rst => 100,
    });
    let all = all.max().unwrap_or(mtu);
    let asked = alternative.length.iter().map(|range| u32::from(range.max)).max().unwrap_or(u32::MAX);
    u64::from(asked.min(all))
}

/// True if it matches TCP with data, which comes in aggregated packets and slows down at each loss.
fn is_tcp(alternative: &Alternative) -> bool {
    let protocol = &alternative.protocol;
    let carries = alternative.length.is_empty() || alternative.length.iter().any(|range| range.max >= 1280);
    (protocol.is_empty() || protocol.contains(&Protocol::TCP)) && alternative.tcp.is_empty() && carries
}
