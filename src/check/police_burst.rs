#![doc = include_str!("../rules/Q0702.md")]
#![doc = include_str!("../rules/Q0703.md")]
#![doc = include_str!("../rules/Q0704.md")]

use super::Rule;
use crate::derive;
use crate::diag::{Code, Diagnostic, Sink, Span, ticked};
use crate::model::{Alternative, Exceed, FileSection, Model, Police, TcpKind};
use crate::units::{Bytes, Micros, Protocol};

pub(super) const RULE: Rule = Rule {
    name: "police-burst",
    codes: &[Code::PoliceBurstBelowPacket, Code::PoliceBurstBelowAggregate, Code::PoliceBurstStarvesTcp],
    sections: &[FileSection::Link, FileSection::Police, FileSection::Tuning],
    run: Some(run),
};

/// Largest aggregated packet of GRO in bytes (`GRO_MAX_SIZE`).
const AGGREGATE: u64 = 65_536;
/// Burst below which TCP starves. Measured at 10 mbit, bursts of 20 to 100 KB (up to this time) gave TCP 4 to 6 mbit. A
/// burst of 300 KB gave it the full rate.
const STARVES: Micros = Micros::from_ms(80);

fn run(model: &Model, sink: &mut Sink) {
    // packets that go to a class instead are not lost
    for police in model.police.iter().filter(|police| police.exceed == Exceed::Drop) {
        let Some(place) = police.burst.given_at() else { continue };
        let found = below_packet(model, police, place)
            .or_else(|| below_aggregate(model, police, place))
            .or_else(|| starves(model, police, place));
        sink.extend(found);
    }
}

fn below_packet(model: &Model, police: &Police, place: Span) -> Option<Diagnostic> {
    let link = &model.link;
    let longest = police.matches.iter().map(|alternative| longest(alternative, link.mtu.value)).max()?;
    let bytes = link.wire().bytes(longest);
    (police.burst.value.get() < bytes).then(|| {
        let message = format!(
            "a burst of {} drops the longest packets of policer {}",
            police.burst.value,
            ticked(&police.name)
        );
        Diagnostic::new(Code::PoliceBurstBelowPacket, place, message)
            .label(format!("they count {bytes} bytes on this line"))
            .help(cure(model, police))
    })
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

fn below_aggregate(model: &Model, police: &Police, place: Span) -> Option<Diagnostic> {
    let split = model.tuning.split.get(police.direction);
    let small = police.burst.value.get() < AGGREGATE;
    (small && !split.value && police.matches.iter().any(is_tcp)).then(|| {
        let message = format!("a burst of {} drops every full aggregate", police.burst.value);
        let finding = Diagnostic::new(Code::PoliceBurstBelowAggregate, place, message).label("the kernel passes up to 64 KiB of a flow as one packet, and drops it whole if it exceeds the burst");
        let asked = model.tuning.offloads.given_at().map(|span| (span, "`offloads` is set here"));
        finding.also_at(asked).help(cure(model, police))
    })
}

fn starves(model: &Model, police: &Police, place: Span) -> Option<Diagnostic> {
    let rate = police.rate.value;
    let usual = usual(model, police);
    // by default, fast rates have a burst of less than a quarter of a second, so a third of the default is too little,
    // too
    let least = rate.bytes_in(STARVES).min(usual.get() / 3);
    let burst = police.burst.value;
    (burst.get() <= least && police.matches.iter().any(is_tcp)).then(|| {
        let held = rate.time_for(burst.get());
        let message = format!("a burst of {burst} keeps TCP far below {rate}");
        Diagnostic::new(Code::PoliceBurstStarvesTcp, place, message)
            .label(format!("the rate carries this in {}, but TCP sends more at once", held.for_people()))
            .help(cure(model, police))
    })
}

/// True if it matches TCP with data, which comes in aggregated packets and slows down at each loss.
fn is_tcp(alternative: &Alternative) -> bool {
    let protocol = &alternative.protocol;
    let carries = alternative.length.is_empty() || alternative.length.iter().any(|range| range.max >= 1280);
    (protocol.is_empty() || protocol.contains(&Protocol::TCP)) && alternative.tcp.is_empty() && carries
}

/// Returns the default burst.
fn usual(model: &Model, police: &Police) -> Bytes {
    derive::police_burst(derive::Packet::of(&model.link), police.rate.value).value
}

fn cure(model: &Model, police: &Police) -> String {
    let (loads, rate) = (police.direction.loads(), police.rate.value);
    format!(
        "leave `burst` out to use {}, the default for {loads} at {rate}",
        usual(model, police).for_people()
    )
}
