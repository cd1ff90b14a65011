//! Guarantees and ceilings at the lowest and the highest rates of a line that varies.

use super::classes::{Builder, Set};
use super::host_classes;
use crate::derive;
use crate::diag::{Code, Sink};
use crate::model::{Link, PerDirection, Val};

/// Adds the findings on the rates of classes and hosts if the line varies: a guarantee must fit the lowest rate, but a
/// ceiling only the highest one: at each rate, the script cuts ceilings to that of the parent.
pub(super) fn settle(
    builder: &Builder<'_>,
    set: Set<'_>,
    hosts: host_classes::Builder<'_>,
    link: &Link,
    found: &Sink,
    sink: &mut Sink,
) {
    let Some(vary) = &link.vary else { return };
    let (above, ceiling) = (Code::GuaranteeAboveParent, Code::CeilingAboveParent);
    let is_known = found.iter().any(|finding| finding.code == above);
    sink.extend(found.iter().filter(|finding| finding.code != ceiling).cloned());
    for (low, bound, code) in
        [(true, "the lower bound of `vary`", above), (false, "the upper bound of `vary`", ceiling)]
    {
        if is_known && low {
            continue;
        }
        let tree = PerDirection::from_fn(|d| match vary.bounds.get(d).as_ref().map(|own| own.value) {
            Some([lowest, highest]) => {
                let line = Val::default(if low { lowest } else { highest }, "");
                derive::shaped(&line, link.layer.value, link.margin.get(d).value).value
            }
            None => *builder.tree.get(d),
        });
        let words = PerDirection::from_fn(|d| {
            let what = vary.bounds.get(d).as_ref().map_or("the rate", |_| bound);
            format!("{} {} is {what} less the margin", tree.get(d), d.as_str())
        });
        let mut there = Sink::default();
        let mut classes = Builder { tree, ..*builder }.build(set, words, &mut there);
        host_classes::Builder { tree, ..hosts }.build(&mut classes, &mut there);
        sink.extend(there.iter().filter(|finding| finding.code == code).cloned());
    }
}
