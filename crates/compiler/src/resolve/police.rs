//! Resolves `police`. Rates come first, because policers that bypass the shaper reduce the rate that the classes share.

use super::aside::Aside;
use super::claims::amount;
use super::link::Draft;
use super::matches::Scope;
use super::shares::of_whole;
use crate::derive::{self, LEAST_RATE};
use crate::diag::{Code, Diagnostic, Sink, Spanned, ticked};
use crate::model::{Direction, Exceed, Link, PerDirection, Police, Val};
use crate::syntax::raw::{RawExceed, RawPolice};
use crate::terms::limits;
use crate::units::{Bytes, Rate};

/// Returns the rate of each policer. A percentage refers to the shaped rate of the link.
pub(super) fn rates(raw: &[RawPolice], link: &Link, sink: &mut Sink) -> Vec<Option<Val<Rate>>> {
    raw.iter()
        .map(|police| {
            let shaped = link.shaped.get(police.direction?.value).value;
            let rate = amount(police.rate?, shaped);
            if let Some(span) = rate.span().filter(|_| rate.value < LEAST_RATE) {
                let message = format!("policer {} has a rate below {LEAST_RATE}", ticked(&police.name.value));
                sink.push(
                    Diagnostic::new(Code::RateTooLow, span, message)
                        .label(rate.value.to_string())
                        .help(derive::too_low_help()),
                );
            }
            Some(rate)
        })
        .collect()
}

/// Returns the rates that are set aside in each direction: those of bypassing policers, and of uploads by other devices
/// of the link.
pub(super) fn aside(
    raw: &[RawPolice],
    rates: &[Option<Val<Rate>>],
    draft: &Draft,
    sink: &mut Sink,
) -> PerDirection<Vec<Aside>> {
    let of = |direction: Direction, sink: &mut Sink| {
        let bypassing = raw
            .iter()
            .zip(rates)
            .filter(|(police, _)| police.direction.is_some_and(|d| d.value == direction))
            .filter(|(police, _)| police.bypass.is_some_and(|bypass| bypass.value))
            .filter_map(|(police, rate)| {
                let rate = rate.as_ref()?;
                let span = rate.span().unwrap_or(police.name.span);
                let name = police.name.value.clone();
                Some(Aside { what: "policer", name, rate: rate.value, span })
            });
        let devices = draft.link.devices.iter().filter(|_| direction == Direction::Up);
        let devices = devices.filter_map(|own| {
            let up = own.up.as_ref()?;
            let name = own.device.value.to_string();
            Some(Aside { what: "device", name, rate: up.value, span: up.span()? })
        });
        let all: Vec<Aside> = bypassing.chain(devices).collect();
        if above_link(&all, direction, draft.link.shaped.get(direction), sink) {
            // the classes then share the rate that they would have without the mistake
            return Vec::new();
        }
        all
    };
    PerDirection { up: of(Direction::Up, sink), down: of(Direction::Down, sink) }
}

/// Reports rates that leave nothing for the classes. Returns `true` if they do.
fn above_link(aside: &[Aside], direction: Direction, shaped: &Val<Rate>, sink: &mut Sink) -> bool {
    let sum: Rate = aside.iter().map(|own| own.rate).sum();
    let left = shaped.value.saturating_sub(sum);
    let Some((last, others)) = aside.split_last() else { return false };
    if left >= LEAST_RATE || shaped.value < LEAST_RATE {
        return false;
    }
    let word = direction.as_str();
    let policed = aside.iter().any(|own| own.what == "policer");
    let who = if policed { "policers with `bypass`" } else { "uploads of `link.devices`" };
    let finding = Diagnostic::new(
        Code::BypassAboveLink,
        last.span,
        format!("{who} leave no rate {word} for the classes"),
    )
    .label(format!("in total {}", of_whole(sum, shaped.value)));
    let finding = finding.also_at(others.iter().map(|own| (own.span, own.rate.to_string())));
    sink.push(match policed {
        false => finding.help("lower their rates"),
        true => finding
            .help("lower their rates, or remove `bypass`: then their packets share the rate of the classes")
            .help("if their packets stay in the LAN and do not use the line, remove them, and write `networks` and `shaped: false` in `lan`"),
    });
    true
}

/// Resolves one policer; `None` if a required key is missing, which the reader has already reported.
pub(super) fn resolve(
    raw: &RawPolice,
    rate: Option<&Val<Rate>>,
    draft: &Draft,
    scope: Scope<'_>,
    sink: &mut Sink,
) -> Option<Police> {
    let name = format!("policer {}", ticked(&raw.name.value));
    let matches = raw.matches.as_ref().map(|list| scope.alternatives(list, sink));
    let exceed = exceed(raw, &draft.link, scope, sink);
    let direction = raw.direction?;
    let matches = matches?;
    for alternative in &matches {
        if alternative.direction.is_some_and(|asked| asked != direction.value) {
            let message = format!("{name} matches packets of the other direction");
            sink.push(
                Diagnostic::new(Code::CannotMatch, alternative.span, message)
                    .also(direction.span, "the direction that is policed")
                    .help("remove `direction` from the match"),
            );
        }
    }
    let (asked, rate) = (raw.rate?.value, rate?.clone());
    let burst = match raw.burst {
        Some(burst) => {
            expect_held(burst, rate.value, sink);
            Val::given(burst.value, burst.span)
        }
        None => derive::police_burst(draft.packet(), rate.value),
    };
    Some(Police {
        name: raw.name.value.clone(),
        span: raw.name.span,
        direction: direction.value,
        matches,
        asked,
        rate,
        burst,
        exceed,
        bypass: raw.bypass.is_some_and(|bypass| bypass.value),
    })
}

/// Reports a burst that the kernel cannot hold, because it takes too short or too long a time at the rate.
fn expect_held(burst: Spanned<Bytes>, rate: Rate, sink: &mut Sink) {
    if rate < LEAST_RATE {
        return;
    }
    let (least, most) = limits::buckets(rate).into_inner();
    let bytes = burst.value;
    if bytes > most {
        let message = format!("the kernel cannot hold a burst of {bytes} at {rate}");
        sink.push(
            Diagnostic::new(Code::BadSize, burst.span, message)
                .label(format!("the rate carries this in {}", rate.time_for(bytes.get()).for_people()))
                .help(format!("write at most `{}`: a burst takes 274 s and 4 GiB at most", most.get())),
        );
    } else if bytes < least {
        let message = format!("a burst of {bytes} at {rate} is 0 to the kernel, so no packet would pass");
        sink.push(
            Diagnostic::new(Code::BadSize, burst.span, message)
                .help(format!(
                    "write at least `{least}`: the kernel counts a burst as its time, from 1 us on"
                ))
                .help("leave `burst` out to use the default"),
        );
    }
}

fn exceed(raw: &RawPolice, link: &Link, scope: Scope<'_>, sink: &mut Sink) -> Exceed {
    let Some(given) = &raw.exceed else { return Exceed::Drop };
    let RawExceed::Reclassify(class) = &given.value else { return Exceed::Drop };
    let down = raw.direction.is_some_and(|direction| direction.value == Direction::Down);
    if down && !link.shapes(Direction::Down) {
        let message = format!(
            "policer {} cannot reclassify, because downloads have no classes",
            ticked(&raw.name.value)
        );
        let mut finding = Diagnostic::new(Code::BadChoice, given.span, message);
        if let Some(span) = link.ingress.span() {
            finding = finding.also(span, "downloads are not shaped");
        }
        sink.push(finding.help("write `exceed: drop`, or `ingress: shape` in `link`"));
    }
    scope.names.leaf(class, given.span, sink).map_or(Exceed::Drop, Exceed::Reclassify)
}
