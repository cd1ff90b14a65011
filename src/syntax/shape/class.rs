//! Reads `classes` and their queues.

use super::names::named;
use super::{matches, rest};
use crate::diag::{Code, Diagnostic, Spanned};
use crate::syntax::choices::QueueKind;
use crate::syntax::field::{Field, nearest};
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::node::Node;
use crate::syntax::quote::quote;
use crate::syntax::raw::{Opt, RawClass, RawClasses, RawPerDirection, RawQueue};
use crate::syntax::values::{Choice, amount, boolean, choice, each, number, text, unit};
use crate::terms::limits::{CLASS_ID, CODEL_TIME, FLOWS, MEMORY, PACKETS, PRIORITY, QUANTUM, ROUND_TRIP};

/// Reads `classes` of a file: a built-in set, or a list of classes.
pub(super) fn classes_or_preset(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawClasses> {
    let Node::Map(entries) = &field.value.node else {
        field.wrong("classes by name, such as `{ rest: { default: true } }`, or `{ preset: home }`", found);
        return None;
    };
    // A class may have the name `preset`. Its value is then a mapping.
    let preset = entries.iter().find(|e| e.key.value == "preset" && !matches!(e.value.node, Node::Map(_)));
    let Some(preset) = preset else {
        if let [only] = entries.as_slice()
            && matches!(only.value.node, Node::Scalar { .. })
            && nearest(&only.key.value, ["preset"].into_iter()).is_some()
        {
            misspelt(field, "`classes`", ["preset"], found);
            return None;
        }
        return Some(RawClasses::List { key: field.key_span, list: classes(field, found) });
    };
    for entry in entries.iter().filter(|entry| entry.key.value != "preset") {
        let name = quote(&entry.key.value);
        let message = format!("`{name}` cannot stand beside `preset`");
        found.push(
            Diagnostic::new(Code::UnknownKey, entry.key.span, message)
                .also(preset.key.span, "the preset defines all classes")
                .help(format!("remove `{name}`, or remove `preset` and write all classes")),
        );
    }
    let preset =
        Field { key: "preset", key_span: preset.key.span, value: &preset.value, required: true, item: false };
    text(preset, found).map(RawClasses::Preset)
}

/// Reports the probable meaning of the only key of a mapping if it is none of these keys.
fn misspelt(
    field: Field<'_>,
    what: &'static str,
    keys: impl IntoIterator<Item = &'static str>,
    found: &mut Findings<'_>,
) {
    if let Some(mut fields) = Fields::new(field, what, "keys", found) {
        for key in keys {
            fields.get(key);
        }
        fields.finish(found);
    }
}

/// Reads classes by name.
pub(in crate::syntax) fn classes(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawClass> {
    let classes = named(field, "classes by name", found);
    let read = |(name, field): (Spanned<String>, Field<'_>)| match &field.value.node {
        Node::Null if field.value.anchored.is_none() => {
            let message = format!("the class `{}` has no value", quote(field.key));
            found.push(
                Diagnostic::new(Code::WrongType, field.key_span, message)
                    .help(format!("write `{}: {{}}` for a class without settings", quote(field.key))),
            );
            unread(name)
        }
        Node::Scalar { .. } if field.key == "preset" => {
            found.push(
                Diagnostic::new(Code::WrongType, field.key_span, "`preset` cannot stand inside a class")
                    .help("a preset defines all classes: write `classes: { preset: home }` at the top level of the file"),
            );
            unread(name)
        }
        _ => class(name, field, found),
    };
    classes.into_iter().map(read).collect()
}

/// Returns a class that could not be read. It keeps its name, so that references to it are not reported as well.
fn unread(name: Spanned<String>) -> RawClass {
    let neither = || RawPerDirection { up: None, down: None };
    RawClass {
        name,
        id: None,
        priority: None,
        guarantee: neither(),
        ceiling: neither(),
        share: None,
        queue: None,
        default: None,
        set_dscp: None,
        matches: None,
        classes: Vec::new(),
    }
}

fn class(name: Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> RawClass {
    let keys = "keys such as `{ priority: 0, guarantee: 20% }`";
    let Some(mut fields) = Fields::new(field, "a class", keys, found) else { return unread(name) };
    let class = RawClass {
        name,
        priority: fields.get("priority").and_then(|field| {
            let priority = number(field, PRIORITY.range(), "", found)?;
            u8::try_from(priority.value).ok().map(|value| field.place(value))
        }),
        guarantee: each(&mut fields, "guarantee", amount, found),
        ceiling: each(&mut fields, "ceiling", amount, found),
        share: fields.get("share").and_then(|field| choice(field, found)),
        queue: fields.get("queue").and_then(|field| queue(field, found)).map(Box::new),
        default: fields.get("default").and_then(|field| boolean(field, found)),
        matches: fields.get("match").and_then(|field| matches::matches(field, found)),
        classes: fields.get("classes").map_or_else(Vec::new, |field| classes(field, found)),
        set_dscp: fields.get("set_dscp").and_then(|field| unit(field, found)),
        id: fields.get("id").and_then(|field| id(field, found)),
    };
    fields.finish(found);
    class
}

/// Reads `id`.
fn id(field: Field<'_>, found: &mut Findings<'_>) -> Opt<u16> {
    let id = number(field, CLASS_ID.range(), "", found)?;
    u16::try_from(id.value).ok().map(|value| field.place(value))
}

/// Reads `queue`: a name, `{ kind: NAME, ... }` or `{ NAME: { ... } }` with its options. Options without a name belong
/// to fq_codel.
fn queue(field: Field<'_>, found: &mut Findings<'_>) -> Opt<RawQueue> {
    let Node::Map(entries) = &field.value.node else {
        let kind = choice(field, found)?;
        return Some(field.place(plain_queue(kind.value)));
    };
    if let [only] = entries.as_slice()
        && let Some(kind) = QueueKind::named(&only.key.value)
    {
        let inner = Field {
            key: &only.key.value,
            key_span: only.key.span,
            value: &only.value,
            required: true,
            item: false,
        };
        let mut fields = Fields::new(inner, "a queue", "options such as `{ limit: 100 }`", found)?;
        let queue = options(kind, &mut fields, found);
        fields.finish(found);
        return Some(field.place(queue));
    }
    if let [only] = entries.as_slice()
        && matches!(only.value.node, Node::Map(_))
    {
        // no option is a mapping, so this key must be the name of a kind
        misspelt(field, "a queue", QueueKind::names(), found);
        return None;
    }
    let mut fields = Fields::new(field, "a queue", "options such as `{ limit: 100 }`", found)?;
    let kind = match fields.get("kind") {
        Some(field) => choice(field, found)?.value,
        None => QueueKind::FqCodel,
    };
    fields.call(match kind {
        QueueKind::FqCodel => "an `fq_codel` queue",
        QueueKind::Cake => "a `cake` queue",
        QueueKind::Fifo => "a `fifo` queue",
    });
    let queue = options(kind, &mut fields, found);
    fields.finish(found);
    Some(field.place(queue))
}

/// Reads the options of a kind of queue.
fn options(kind: QueueKind, fields: &mut Fields<'_>, found: &mut Findings<'_>) -> RawQueue {
    match kind {
        QueueKind::FqCodel => fq_codel(fields, found),
        QueueKind::Cake => RawQueue::Cake {
            rtt: fields.get("rtt").and_then(|field| rest::time(field, &ROUND_TRIP, found)),
            diffserv: fields.get("diffserv").and_then(|field| choice(field, found)),
            ack_filter: fields.get("ack_filter").and_then(|field| boolean(field, found)),
            wash: fields.get("wash").and_then(|field| boolean(field, found)),
        },
        QueueKind::Fifo => RawQueue::Fifo {
            limit: fields.get("limit").and_then(|field| number(field, PACKETS.range(), "packets", found)),
        },
    }
}

/// Reads the options of fq_codel within the limits of the kernel (`fq_codel_change`).
fn fq_codel(fields: &mut Fields<'_>, found: &mut Findings<'_>) -> RawQueue {
    RawQueue::FqCodel {
        target: fields.get("target").and_then(|field| rest::time(field, &CODEL_TIME, found)),
        interval: fields.get("interval").and_then(|field| rest::time(field, &CODEL_TIME, found)),
        limit: fields.get("limit").and_then(|field| number(field, PACKETS.range(), "packets", found)),
        quantum: fields.get("quantum").and_then(|field| number(field, QUANTUM.range(), "bytes", found)),
        flows: fields.get("flows").and_then(|field| number(field, FLOWS.range(), "flows", found)),
        ecn: fields.get("ecn").and_then(|field| boolean(field, found)),
        memory: fields.get("memory").and_then(|field| rest::size(field, &MEMORY, found)),
    }
}

/// Returns a queue without options.
const fn plain_queue(kind: QueueKind) -> RawQueue {
    match kind {
        QueueKind::FqCodel => RawQueue::FqCodel {
            target: None,
            interval: None,
            limit: None,
            quantum: None,
            flows: None,
            ecn: None,
            memory: None,
        },
        QueueKind::Cake => RawQueue::Cake { rtt: None, diffserv: None, ack_filter: None, wash: None },
        QueueKind::Fifo => RawQueue::Fifo { limit: None },
    }
}
