//! Reads `expect`.

use super::rest;
use crate::diag::{Code, Diagnostic};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::node::Node;
use crate::syntax::raw::{Opt, RawExpect};
use crate::syntax::values::{Read, choice, rate, text, unit};
use crate::terms::limits::ROUND_TRIP;
use crate::units::Micros;

/// Reads `expect`: one expectation, or a list of them.
pub(super) fn expect(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawExpect> {
    match &field.value.node {
        Node::Seq(items) => items.iter().filter_map(|item| expectation(field.item(item), found)).collect(),
        _ => expectation(field, found).into_iter().collect(),
    }
}

fn expectation(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawExpect> {
    const EXAMPLE: &str = "an expectation such as `{ load: upload, measure: ping, p99: 25ms }`";
    let span = field.value.span;
    // among several expectations, a missing key is reported at the one that lacks it
    let mut fields = Fields::new(Field { key_span: span, ..field }, "an expectation", EXAMPLE, found)
        .filter(|fields| {
            if fields.is_empty() {
                found.push(Diagnostic::new(Code::WrongType, span, "this expectation is empty").help(
                    "write a measurement and a limit, such as `{ measure: ping, p99: 25ms }`, or remove it",
                ));
            }
            !fields.is_empty()
        })?;
    let load = fields.get("load");
    let from = fields.get("from").and_then(|field| text(field, found));
    let class = fields.get("class").and_then(|field| text(field, found));
    let measure = fields.need("measure", "write the measurement, such as `measure: ping`");
    let measure = measure.and_then(|field| choice(field, found));
    let on = fields.get("on").and_then(|field| text(field, found));
    let of = fields.get("of").and_then(|field| text(field, found));
    let mut limits = Limits { fields, found, given: false };
    let expect = RawExpect {
        span,
        load_key: load.map(|field| field.key_span),
        load: load.and_then(|field| choice(field, limits.found)),
        from,
        class,
        measure,
        on,
        of,
        p50: limits.get("p50", time),
        p99: limits.get("p99", time),
        max: limits.get("max", time),
        jitter: limits.get("jitter", time),
        loss: limits.get("loss", unit),
        share: limits.get("share", unit),
        rate: limits.get("rate", rate),
    };
    let Limits { fields, found, given } = limits;
    // a misspelt limit is not also reported as missing
    if !given && fields.all_known() {
        found.push(
            Diagnostic::new(Code::MissingKey, span, "this expectation has no limit").help(
                "write an upper limit (`p50`, `p99`, `max`, `jitter` or `loss`) or a lower limit (`share` or `rate`)",
            ),
        );
    }
    fields.finish(found);
    Some(expect)
}

/// Reads a limit for times, within the range of round-trip times.
fn time(field: Field<'_>, found: &mut Findings<'_>) -> Opt<Micros> {
    rest::time(field, &ROUND_TRIP, found)
}

/// Limits of an expectation that are being read.
struct Limits<'a, 'f, 's> {
    fields: Fields<'a>,
    found: &'f mut Findings<'s>,
    /// `true` if there is any limit, readable or not.
    given: bool,
}

impl Limits<'_, '_, '_> {
    fn get<T>(&mut self, key: &'static str, read: Read<T>) -> Opt<T> {
        let field = self.fields.get(key)?;
        self.given = true;
        read(field, self.found)
    }
}
