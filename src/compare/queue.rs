//! Compares the queues of a leaf class, parameter by parameter.

use super::change::{At, Change, ChangeKind, Comparison, Group};
use super::written::{BY_FORMULA, SAME, truth, word};
use crate::diff::Price;
use crate::model::{Direction, Queue, Val};
use serde::Serialize;

/// A parameter: its name, its value as text, and `true` if the file gives it.
type Parameter = (&'static str, String, bool);

/// Returns the kind of a queue and its parameters.
pub(super) fn parameters(queue: &Queue) -> (&'static str, Vec<Parameter>) {
    fn text<T: ToString>(name: &'static str, val: &Val<T>) -> Parameter {
        (name, val.value.to_string(), val.is_given())
    }
    fn flag(name: &'static str, val: &Val<bool>) -> Parameter {
        (name, truth(val.value), val.is_given())
    }
    fn choice<T: Serialize>(name: &'static str, val: &Val<T>) -> Parameter {
        (name, word(&val.value), val.is_given())
    }
    match queue {
        Queue::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => (
            "fq_codel",
            vec![
                text("target", target),
                text("interval", interval),
                text("limit", limit),
                text("quantum", quantum),
                text("flows", flows),
                text("memory", memory),
                flag("ecn", ecn),
            ],
        ),
        Queue::Cake { rtt, diffserv, ack_filter, wash, isolation, nat, memory } => (
            "cake",
            vec![
                text("rtt", rtt),
                choice("diffserv", diffserv),
                flag("ack_filter", ack_filter),
                flag("wash", wash),
                choice("isolation", isolation),
                flag("nat", nat),
                text("memory", memory),
            ],
        ),
        Queue::Fifo { limit } => ("fifo", vec![text("limit", limit)]),
    }
}

/// Parameters that depend on rates unless the file gives them.
const SCALED: [&str; 6] = ["target", "interval", "rtt", "limit", "quantum", "memory"];

/// Returns the kind of a queue and the parameters that the file gives.
pub(super) fn written(queue: &Queue) -> (&'static str, Vec<Parameter>) {
    let (kind, mut all) = parameters(queue);
    all.retain(|(_, _, given)| *given);
    (kind, all)
}

/// Records the differences between the queues of a leaf class in one direction.
pub(super) fn compare(
    found: &mut Comparison,
    place: &At<'_>,
    direction: Direction,
    old: &Queue,
    new: &Queue,
) {
    let ((was, olds), (is, news)) = (parameters(old), parameters(new));
    let direction = direction.as_str();
    let change = |field: String, old: String, new: String, price| Change {
        field,
        old: Some(old),
        new: Some(new),
        ..place.change(ChangeKind::Changed, price)
    };
    if was != is {
        found.changes.push(other_kind(place, direction, was, is));
        return;
    }
    for ((name, old, was_given), (_, new, is_given)) in olds.into_iter().zip(news) {
        let field = format!("queue.{name} {direction}");
        if old == new {
            // A given value stays the same at another line rate; a derived one changes with it.
            if was_given != is_given && SCALED.contains(&name) {
                let text = |given| if given { old.clone() } else { format!("{old}{BY_FORMULA}") };
                let (old, new) = (text(was_given), text(is_given));
                found.changes.push(change(field, old, new, Price::in_place(SAME)));
            }
        } else if was_given || is_given {
            let price = price(name, &old, &new);
            found.changes.push(change(field, old, new, price));
        } else {
            found.follow(place, Group::Queues, &field, old, new);
        }
    }
}

/// Returns the change of a queue to another kind.
pub(super) fn other_kind(place: &At<'_>, direction: &str, was: &str, is: &str) -> Change {
    Change {
        field: format!("queue {direction}"),
        old: Some(was.to_owned()),
        new: Some(is.to_owned()),
        ..place.change(ChangeKind::Changed, Price::swap("a queue of another kind replaces it"))
    }
}

fn price(name: &str, old: &str, new: &str) -> Price {
    match name {
        "flows" => Price::swap("fq_codel's `flows` can only be set at creation"),
        "isolation" => Price::swap("CAKE's flow isolation can only be set at creation"),
        "diffserv" => Price::own_backlog("queued packets do not move to CAKE's new tins"),
        "limit" if old.parse::<u32>().ok() > new.parse::<u32>().ok() => {
            Price::in_place("except that a backlog above the new limit is cut")
        }
        _ => Price::in_place("the queue keeps its packets"),
    }
}
