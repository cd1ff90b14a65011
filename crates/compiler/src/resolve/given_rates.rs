#![doc = include_str!("../../../../docs/rules/Q0621.md")]

use crate::diag::{Code, Diagnostic, Sink, Span, Spanned};
use crate::model::{Direction, PerDirection};
use crate::syntax::raw::RawLink;
use crate::units::Rate;

/// Reports shaped rates that contradict the margin or the line rate of their direction.
pub(super) fn check(raw: &RawLink, sink: &mut Sink) {
    let lines = PerDirection { up: raw.up, down: raw.down };
    let mut said: Vec<(Span, Span)> = Vec::new();
    for direction in Direction::BOTH {
        let Some(shaped) = raw.shaped.get(direction) else { continue };
        if let Some(margin) = raw.margin.get(direction).filter(|own| !said.contains(&(own.span, shaped.span)))
        {
            said.push((margin.span, shaped.span));
            sink.push(with_margin(raw, margin.span, shaped.span));
        }
        if let Some(line) = lines.get(direction).filter(|line| shaped.value > line.value) {
            sink.push(above_line(direction, *shaped, line));
        }
    }
}

fn with_margin(raw: &RawLink, margin: Span, shaped: Span) -> Diagnostic {
    let finding = Diagnostic::new(Code::ShapedMisfit, margin, "`margin` cannot stand beside `shaped`")
        .also(shaped, "this rate is used as it is");
    // one margin for both directions, of which one has a shaped rate
    let free = Direction::BOTH.into_iter().find(|direction| raw.shaped.get(*direction).is_none());
    let finding = match (free, raw.margin.up.zip(raw.margin.down)) {
        (Some(free), Some((up, down))) if up.span == down.span => finding.help(format!(
            "write the margin for {} only: `margin: {{ {}: {} }}`",
            free.loads(),
            free.as_str(),
            up.value
        )),
        _ => finding.help("remove `margin`"),
    };
    finding.help("or remove `shaped`, and write the line rates in `up` and `down`")
}

fn above_line(direction: Direction, shaped: Spanned<Rate>, line: Spanned<Rate>) -> Diagnostic {
    let name = direction.as_str();
    let message = format!("the shaped rate {} is above the line rate of {}", shaped.value, line.value);
    Diagnostic::new(Code::ShapedMisfit, shaped.span, message)
        .also(line.span, format!("the line rate `{name}`"))
        .help("write a lower rate in `shaped`: if the router sends faster than the line, packets queue in the modem")
        .help(format!("or correct `{name}`"))
}
