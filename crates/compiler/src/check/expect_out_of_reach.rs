#![doc = include_str!("../../../../docs/rules/Q1002.md")]

use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Direction, Engine, Expect, Ingress, Limit, LimitKind, LimitValue, Load, Measure, Model};
use crate::units::{Micros, Rate};

/// Bytes of the answer to one fetch.
const FETCHED: u64 = 60_000;
/// Bytes of a packet in the stream.
const STREAMED: u64 = 500;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    for expect in &model.expect {
        let first = expect.limits.iter().find_map(|limit| match limit.value {
            LimitValue::Rate(rate) => beyond_ceiling(model, expect, limit, rate),
            LimitValue::Time(longest) if limit.kind != LimitKind::Jitter => {
                alone(model, expect, limit, longest)
                    .or_else(|| behind_the_load(model, expect, limit, longest))
            }
            LimitValue::Time(_) | LimitValue::Percent(_) => None,
        });
        sink.extend(first);
    }
}

fn finding(limit: &Limit, message: String) -> Diagnostic {
    Diagnostic::new(Code::ExpectOutOfReach, limit.span, message)
}

/// Returns the finding on a rate above that of the class or the whole line, including headers.
fn beyond_ceiling(model: &Model, expect: &Expect, limit: &Limit, rate: Rate) -> Option<Diagnostic> {
    let direction = expect.measure.direction()?;
    let link = &model.link;
    let shaped = direction == Direction::Up || link.ingress.value != Ingress::None;
    let whole = if shaped { link.shaped.get(direction) } else { link.line_rate(direction)? };
    let by_class = link.engine.get(direction).value == Engine::Htb && link.shapes(direction);
    let class = expect.of.filter(|_| by_class).and_then(|id| model.leaf(id));
    let (ceiling, what) = match class {
        Some(class) => {
            (class.ceiling.get(direction), format!("class {} has a ceiling of", ticked(&class.name)))
        }
        None if shaped => (whole, "the link is shaped to".to_owned()),
        None => (whole, "the line has".to_owned()),
    };
    (rate > ceiling.value).then(|| {
        let most = ceiling.value.rounded(4);
        finding(limit, format!("no {} can reach {rate} here", expect.measure.as_str()))
            .label(format!("{what} {most} {}", direction.as_str()))
            .also_at(ceiling.span().filter(|_| class.is_some()).map(|place| (place, "the ceiling")))
            .help(format!("write a `rate` below {most}, since headers count too"))
    })
}

/// Returns the finding on a time that the measured packets exceed even on an idle line.
fn alone(model: &Model, expect: &Expect, limit: &Limit, limited: Micros) -> Option<Diagnostic> {
    let stream = |direction| ("packet of the stream", STREAMED, "500 bytes take", direction);
    let (none, bytes, what, direction) = match expect.measure {
        Measure::Fetch => ("fetch", FETCHED, "the 60 kB of the answer take", Direction::Down),
        Measure::Stream => stream(Direction::Up),
        Measure::StreamDown => stream(Direction::Down),
        Measure::Ping | Measure::Upload | Measure::Download => return None,
    };
    let line = model.link.line.get(direction).value;
    let least = line.time_for(bytes);
    (limited < least).then(|| {
        let least = least.for_people();
        finding(limit, format!("a {none} takes longer than {limited} on this line"))
            .label(format!("{what} {least} at {line}"))
            .help(format!("write a `{}` above {least}", limit.kind.as_str()))
    })
}

/// Returns the finding on a time below half of the serialization delay of one packet of the load. A full line is always
/// sending one of its packets, in any priority order. So half of all arriving packets wait for more than half of that
/// delay.
fn behind_the_load(model: &Model, expect: &Expect, limit: &Limit, limited: Micros) -> Option<Diagnostic> {
    let line = model.link.line_rate(filled(model, expect)?)?.value;
    let full = line.time_for(u64::from(model.link.mtu.value));
    let one = matches!(limit.kind, LimitKind::P99 | LimitKind::Max);
    (one && limited < Micros::from_us(full.us() / 2)).then(|| {
        let (measure, full) = (expect.measure.as_str(), full.for_people());
        finding(limit, format!("packets of the load delay this {measure} by more than {limited}"))
            .label(format!("one of them takes {full} at {line}, and the line does not interrupt it"))
            .help(format!("write a `{}` above {full}", limit.kind.as_str()))
    })
}

/// Returns the slower direction of the measured path that bulk TCP fills; `None` if it is not certain to fill one.
fn filled(model: &Model, expect: &Expect) -> Option<Direction> {
    let bulk = matches!(expect.load, Load::Upload | Load::Download | Load::Both);
    let limited = |direction| model.hosts.iter().any(|host| host.ceiling.get(direction).is_some());
    if !bulk || !model.police.is_empty() || Direction::BOTH.into_iter().any(limited) {
        return None;
    }
    let passes = |direction: Direction| {
        expect.measure == Measure::Ping || expect.measure.direction() == Some(direction)
    };
    // a load limited to less than half of the line may leave the line idle most of the time
    let fills = |direction: Direction| {
        let half = model.link.shaped.get(direction).value.scale(1, 2);
        expect.load.fills(direction)
            && model.leaves().iter().all(|leaf| leaf.ceiling.get(direction).value >= half)
    };
    let directions = Direction::BOTH.into_iter().filter(|direction| passes(*direction) && fills(*direction));
    directions.min_by_key(|direction| model.link.line.get(*direction).value)
}
