//! Resolves `expect`: binds names and reports keys that do not fit together.

use super::names::Names;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, and_ticked, or_ticked};
use crate::model::{ClassId, Direction, Expect, Limit, LimitKind, LimitValue, Load, Measure};
use crate::syntax::raw::{Opt, RawExpect};
use strum::VariantArray;

/// Resolves one expectation; `None` if it does not say what to measure, which the reader has already reported.
pub(super) fn resolve(raw: &RawExpect, names: &Names, sink: &mut Sink) -> Option<Expect> {
    let host = |name: &Opt<String>, sink: &mut Sink| name.as_ref().and_then(|name| names.host(name, sink));
    let leaf = |name: &Opt<String>, sink: &mut Sink| -> Option<ClassId> {
        name.as_ref().and_then(|name| names.leaf(&name.value, name.span, sink))
    };
    let (from, class) = (host(&raw.from, sink), leaf(&raw.class, sink));
    let (on, of) = (host(&raw.on, sink), leaf(&raw.of, sink));
    let limits = limits(raw);
    without_load(raw, sink);
    let measure = raw.measure?;
    unfit_class(raw, measure, sink);
    for limit in &limits {
        if !limit.kind.fits(measure.value) {
            sink.push(unfit_limit(limit, measure));
        } else if limit.kind == LimitKind::Share {
            sink.extend(share_of_nothing(raw, limit, measure));
        }
    }
    let load = raw.load.map_or(Load::None, |load| load.value);
    Some(Expect { span: raw.span, load, from, class, measure: measure.value, on, of, limits })
}

/// Returns the limits that could be read.
fn limits(raw: &RawExpect) -> Vec<Limit> {
    let value = |kind: LimitKind| -> Opt<LimitValue> {
        let time = |time: crate::units::Micros| LimitValue::Time(time);
        match kind {
            LimitKind::P50 => spanned(raw.p50, time),
            LimitKind::P99 => spanned(raw.p99, time),
            LimitKind::Max => spanned(raw.max, time),
            LimitKind::Jitter => spanned(raw.jitter, time),
            LimitKind::Loss => spanned(raw.loss, LimitValue::Percent),
            LimitKind::Share => spanned(raw.share, LimitValue::Percent),
            LimitKind::Rate => spanned(raw.rate, LimitValue::Rate),
        }
    };
    let limit = |kind| {
        let Spanned { value, span } = value(kind)?;
        Some(Limit { span, kind, value, text: value.to_string() })
    };
    LimitKind::VARIANTS.iter().copied().filter_map(limit).collect()
}

fn spanned<T>(value: Opt<T>, make: impl Fn(T) -> LimitValue) -> Opt<LimitValue> {
    value.map(|Spanned { value, span }| Spanned::new(make(value), span))
}

/// Reports keys that describe a load if there is no load.
fn without_load(raw: &RawExpect, sink: &mut Sink) {
    // a load that could not be read was already reported
    let none = match raw.load {
        None => raw.load_key.is_none(),
        Some(load) => load.value == Load::None,
    };
    let keys =
        [("from", &raw.from, "the host that makes the load"), ("class", &raw.class, "the class of the load")];
    for (key, name, what) in keys {
        let Some(name) = name.as_ref().filter(|_| none) else { continue };
        let message = format!("`{key}` names {what}, but there is no load");
        let finding = Diagnostic::new(Code::ExpectMisfit, name.span, message)
            .also_at(raw.load.map(|load| (load.span, "nothing fills the line")));
        sink.push(finding.help(format!("write a load, such as `load: upload`, or remove `{key}`")));
    }
}

/// Reports `of` for a measurement whose packets cannot belong to a chosen class.
fn unfit_class(raw: &RawExpect, measure: Spanned<Measure>, sink: &mut Sink) {
    let Some(of) = raw.of.as_ref().filter(|_| matches!(measure.value, Measure::Ping | Measure::Fetch)) else {
        return;
    };
    let (name, what) = match measure.value {
        Measure::Fetch => ("fetch", "its packets are those of a web page"),
        _ => ("ping", "its packets are ICMP"),
    };
    sink.push(
        Diagnostic::new(Code::ExpectMisfit, of.span, format!("`of` is not possible with `measure: {name}`"))
            .also(measure.span, what)
            .help("remove `of`, or measure `stream`, `stream-down`, `upload` or `download`"),
    );
}

/// Reports a limit on a quantity that the measurement does not have.
fn unfit_limit(limit: &Limit, measure: Spanned<Measure>) -> Diagnostic {
    let (key, name) = (limit.kind.as_str(), measure.value.as_str());
    let takes =
        LimitKind::VARIANTS.iter().filter(|kind| kind.fits(measure.value)).copied().map(LimitKind::as_str);
    let of =
        Measure::VARIANTS.iter().filter(|measure| limit.kind.fits(**measure)).copied().map(Measure::as_str);
    Diagnostic::new(Code::ExpectMisfit, limit.span, format!("`measure: {name}` has no `{key}`"))
        .also(measure.span, "the measurement")
        .help(format!("write a limit that `{name}` has: {}", and_ticked(takes)))
        .help(format!("or write a measurement that has `{key}`: {}", or_ticked(of)))
}

/// Reports a limit on the share if no load has the same direction.
fn share_of_nothing(raw: &RawExpect, limit: &Limit, measure: Spanned<Measure>) -> Option<Diagnostic> {
    let direction = measure.value.direction()?;
    let load: Option<(Load, Option<Span>)> = match raw.load {
        Some(load) => Some((load.value, Some(load.span))),
        None => raw.load_key.is_none().then_some((Load::None, None)),
    };
    let (load, place) = load.filter(|(load, _)| !load.fills(direction))?;
    let name = measure.value.as_str();
    let loads = match direction {
        Direction::Up => "`load: upload`, `load: both` or `load: flood-up`",
        Direction::Down => "`load: download`, `load: both` or `load: flood-down`",
    };
    let beside = if load == Load::None { "there is no load" } else { "the load goes in the other direction" };
    Some(
        Diagnostic::new(Code::ExpectMisfit, limit.span, format!("nothing shares the line with this {name}"))
            .also_at(place.map(|place| (place, beside)))
            .help(format!("write {loads}, or write a `rate` instead of the `share`")),
    )
}
