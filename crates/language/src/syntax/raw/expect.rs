//! `expect`.

use super::forms::NameOf;
use crate::diag::{Code, Diagnostic, Span};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::given::Opt;
use crate::syntax::keys::{get, keys, need};
use crate::syntax::node::Node;
use crate::syntax::values::{choice, rate, text, time_in, unit};
use crate::terms::limits::ROUND_TRIP;
use crate::terms::{Load, Measure};
use crate::units::{Micros, Percent, Rate};

keys! {
    /// An expectation: a measurement, the load during it, and limits for the result
    #[schemars(rename = "Expect", extend(
        "anyOf" = [
            { "required": ["p50"] }, { "required": ["p99"] }, { "required": ["max"] }, { "required": ["jitter"] },
            { "required": ["loss"] }, { "required": ["share"] }, { "required": ["rate"] }
        ],
        "examples" = [{ "load": "upload", "from": "desk", "measure": "ping", "on": "ata", "p99": "25ms" }]
    ))]
    pub struct RawExpect {
        @given
        /// From its first key to the end of its last value, braces included.
        span: Span,
        @given
        /// The place of the key `load`, also where its value could not be read.
        load_key: Option<Span>,
        /// Load on the line during the measurement; `none` by default
        load: Opt<Load> = get(choice),
        /// Host that makes the load; by default a host that the file does not name
        #[schemars(with = "Option<NameOf>")]
        from: Opt<String> = get(text),
        /// Class of the packets of the load; by default any packets of such a load
        #[schemars(with = "Option<NameOf>")]
        class: Opt<String> = get(text),
        /// The measurement
        #[schemars(required)]
        measure: Opt<Measure> = need(choice, "write the measurement, such as `measure: ping`"),
        /// Host that measures; by default a host that the file does not name, and not the host of the load
        #[schemars(with = "Option<NameOf>")]
        on: Opt<String> = get(text),
        /// Class of the measured packets, for `stream`, `stream-down`, `upload` and `download`
        #[schemars(with = "Option<NameOf>")]
        of: Opt<String> = get(text),
        /// Largest median of the times, for `ping`, `stream`, `stream-down` and `fetch`
        p50: Opt<Micros> = get(time_in(&ROUND_TRIP)),
        /// Largest 99th percentile of the times, for `ping`, `stream`, `stream-down` and `fetch`
        p99: Opt<Micros> = get(time_in(&ROUND_TRIP)),
        /// Largest time, for `ping`, `stream`, `stream-down` and `fetch`
        max: Opt<Micros> = get(time_in(&ROUND_TRIP)),
        /// Largest jitter, which is the difference between the times of successive packets, for `stream` and `stream-down`
        jitter: Opt<Micros> = get(time_in(&ROUND_TRIP)),
        /// Largest share of lost packets, for `ping`, `stream` and `stream-down`
        loss: Opt<Percent> = get(unit),
        /// Smallest share of the throughput of the measurement and the load together, for `upload` and `download`
        share: Opt<Percent> = get(unit),
        /// Smallest throughput, for `upload` and `download`
        rate: Opt<Rate> = get(rate),
    }
}

/// Keys of the limits.
const LIMITS: [&str; 7] = ["p50", "p99", "max", "jitter", "loss", "share", "rate"];

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
    if matches!(&field.value.node, Node::Map(entries) if entries.is_empty()) {
        found.push(
            Diagnostic::new(Code::WrongType, span, "this expectation is empty").help(
                "write a measurement and a limit, such as `{ measure: ping, p99: 25ms }`, or remove it",
            ),
        );
        return None;
    }
    // among several expectations, a missing key is reported at the one that lacks it
    let field = Field { key_span: span, ..field };
    Fields::whole(field, "an expectation", EXAMPLE, found, |fields, found| {
        let expect = RawExpect::read(span, fields.place(&["load"]), fields, found);
        // a misspelt limit is not also reported as missing
        if !fields.has(&LIMITS) && fields.all_known() {
            found.push(
                Diagnostic::new(Code::MissingKey, span, "this expectation has no limit").help(
                    "write an upper limit (`p50`, `p99`, `max`, `jitter` or `loss`) or a lower limit (`share` or `rate`)",
                ),
            );
        }
        expect
    })
}
