//! `variants`.

use crate::budget;
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::Variant;
use crate::syntax::raw::RawVariant;
use crate::units::{DAY, Days};

const DAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/// Resolves the variants of a file, and reports those that hold at the same time.
pub(super) fn resolve(raw: &[RawVariant], sink: &mut Sink) -> Vec<Variant> {
    let mut all: Vec<Variant> = Vec::new();
    for raw in raw {
        // Each one is compared with those before it.
        if !sink.charge(4 * all.len(), budget::COMPARISON) {
            break;
        }
        let Some(when) = raw.when else { continue };
        let days = raw.days.iter().map(|days| days.value).reduce(Days::and).unwrap_or(Days::ALL);
        let own = Variant { name: raw.name.value.clone(), span: raw.name.span, when: when.value, days };
        for other in &all {
            let Some(minute) = other.meets(&own) else { continue };
            let [first, second] = [other, &own].map(|variant| ticked(&variant.name));
            let day = DAYS.get(usize::from(minute / DAY)).unwrap_or(&"");
            let (hour, minute) = (minute % DAY / 60, minute % 60);
            let message = format!(
                "the variants {first} and {second} overlap, such as on {day} at {hour:02}:{minute:02}"
            );
            let finding =
                Diagnostic::new(Code::BadVariant, when.span, message).also(other.span, "the other one");
            sink.push(finding.help("change `when` or `days`, on which `when` begins"));
        }
        all.push(own);
    }
    all
}
