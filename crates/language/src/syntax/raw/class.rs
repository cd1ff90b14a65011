//! `classes` and their queues.

use super::forms::{NameOf, Named, Queue, Several};
use super::matches::{RawMatch, matches};
use super::names::named;
use crate::diag::{Code, Diagnostic, Span, Spanned};
use crate::syntax::choices::QueueKind;
use crate::syntax::field::{Field, nearest};
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::given::{Each, Opt};
use crate::syntax::keys::{each, get, keys};
use crate::syntax::node::Node;
use crate::syntax::quote::quote;
use crate::syntax::values::{Choice, amount, boolean, both, choice, number_in, size_in, text, time_in, unit};
use crate::terms::limits::{CLASS_ID, CODEL_TIME, FLOWS, MEMORY, PACKETS, PRIORITY, QUANTUM, ROUND_TRIP};
use crate::terms::{Amount, Diffserv, PerDirection, Share};
use crate::units::{Bytes, Dscp, Micros};
use std::collections::HashMap;

/// `classes`: classes by name. The preset that they extend is a layer below them, and not read here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawClasses {
    /// The place of the key, or of the preset's name.
    pub key: Span,
    /// The classes in the order of the file.
    pub list: Vec<RawClass>,
}

/// A leaf's queue, as `{ KIND: options }`; the other ways to write one follow from it.
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename_all = "snake_case", deny_unknown_fields)]
pub enum RawQueue {
    /// Equal shares for all flows, with a short queueing delay
    FqCodel {
        /// Acceptable queueing delay before packets are dropped; by default derived from the rate
        target: Opt<Micros>,
        /// How long the delay must be above `target` before packets are dropped; by default derived from `target`
        interval: Opt<Micros>,
        /// Largest number of packets in the queue; by default derived from the rate
        #[schemars(range(min = PACKETS.least, max = PACKETS.most))]
        limit: Opt<u32>,
        /// Bytes that a flow may send in each round; by default derived from the rate
        #[schemars(range(min = QUANTUM.least, max = QUANTUM.most))]
        quantum: Opt<u32>,
        /// Number of flow queues; 1024 by default, fewer if the link has many queues
        #[schemars(range(min = FLOWS.least, max = FLOWS.most))]
        flows: Opt<u32>,
        /// Marks packets of ECN-capable flows instead of dropping them; `true` by default
        #[schemars(with = "Option<Each<bool>>")]
        ecn: Each<bool>,
        /// Largest memory of the queue; by default derived from `limit`
        #[schemars(extend("minimum" = MEMORY.least, "maximum" = MEMORY.most))]
        memory: Opt<Bytes>,
    },
    /// CAKE; with `share: per-host` equal shares for all hosts, and then for the flows of each host
    Cake {
        /// Round-trip time for which the queue is tuned; `100ms` by default, or derived from the rate with `share: per-host`
        rtt: Opt<Micros>,
        /// Number of tins into which CAKE sorts packets by their DSCP; `besteffort` by default
        diffserv: Opt<Diffserv>,
        /// Drops acknowledgements that a later one makes redundant; `false` by default
        ack_filter: Opt<bool>,
        /// Clears the DSCP; `false` by default
        wash: Opt<bool>,
    },
    /// One queue for all flows: first in, first out
    Fifo {
        /// Largest number of packets in the queue; by default derived from the rate
        #[schemars(range(min = PACKETS.least, max = PACKETS.most))]
        limit: Opt<u32>,
    },
}

keys! {
    /// A class: its share of the rate, and the packets that belong to it
    #[schemars(rename = "Class", extend("allOf" = [
        {
            "$comment": "packets go to the leaf classes inside, never to the class itself",
            "if": { "required": ["classes"], "properties": { "classes": { "minProperties": 1 } } },
            "then": { "properties": { "share": false, "queue": false, "set_dscp": false, "default": { "const": false } } }
        },
        {
            "$comment": "only CAKE shares between hosts",
            "if": { "required": ["share", "queue"], "properties": { "share": { "const": "per-host" } } },
            "then": { "properties": { "queue": { "anyOf": [
                { "const": "cake" },
                { "type": "object", "required": ["kind"], "properties": { "kind": { "const": "cake" } } },
                { "type": "object", "required": ["cake"] },
                { "type": "object", "required": ["up"] },
                { "type": "object", "required": ["down"] }
            ] } } }
        }
    ]))]
    pub struct RawClass {
        @given
        /// Its name; if others have the same name, its path
        name: Spanned<String>,
        @given
        /// The names of the classes that it is in and its own, such as `office/calls`
        path: String,
        /// Priority from 0 (served first) to 7; 3 by default
        #[schemars(range(min = PRIORITY.least, max = PRIORITY.most))]
        priority: Opt<u8> = get(number_in(&PRIORITY, "priority")),
        /// Rate that the class gets when all classes want more; by default an equal share of what the guarantees of its siblings leave. `0%` for a class that only borrows
        #[schemars(with = "Option<Each<Amount>>")]
        guarantee: Each<Amount> = each(amount),
        /// Rate that the class gets at most, with borrowed bandwidth; `100%` by default
        #[schemars(with = "Option<Each<Amount>>")]
        ceiling: Each<Amount> = each(amount),
        /// Equal shares for flows, or for hosts and then for the flows of each host; `per-flow` by default
        #[schemars(with = "Option<Each<Share>>")]
        share: Each<Share> = each(choice),
        /// Queue of the class; `fq_codel` by default
        #[schemars(with = "Option<Each<Queue>>")]
        queue: Box<Each<RawQueue>> = get(queue),
        /// `true` in exactly one leaf class: it gets all packets that no `match` matches
        default: Opt<bool> = get(boolean),
        /// Packets that belong to the class: alternatives, of which one must match. Without this key, the class gets the packets of its parent class that no sibling matches; an empty list matches no packet and is an error
        #[schemars(with = "Option<Several<RawMatch>>")]
        matches as "match": Option<Vec<RawMatch>> = get(matches),
        /// Classes inside this class by name, at most seven levels deep
        #[schemars(with = "Option<Named<RawClass>>")]
        classes: Vec<RawClass> = get(classes),
        /// DSCP that the packets of the class get; by default it stays as it is
        set_dscp: Opt<Dscp> = get(unit),
        /// Template that the class begins with: a class in `templates`, whose keys this class extends and overrides
        #[schemars(with = "Option<NameOf>")]
        template: Opt<String> = get(text),
        /// Sibling in front of which the class stands; by default it stands in the order of the file, after the classes of a preset
        #[schemars(with = "Option<NameOf>")]
        before: Opt<String> = get(text),
        /// `true` if no lower layer has this name: a link or a variant adds it
        new: Opt<bool> = get(boolean),
        /// Fixed class id in the kernel, decimal or hexadecimal after `0x`; by default derived from the name
        #[schemars(range(min = CLASS_ID.least, max = CLASS_ID.most))]
        id: Opt<u16> = get(number_in(&CLASS_ID, "")),
    }
}

/// Reads `classes` of a file: a built-in set, or a list of classes.
pub(super) fn classes_or_preset(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawClasses> {
    let Node::Map(entries) = &field.value.node else {
        field.wrong("classes by name, such as `{ rest: { default: true } }`, or `{ preset: home }`", found);
        return None;
    };
    // A class may have the name `preset`. Its value is then a mapping.
    let preset = entries.iter().find(|e| e.key.value == "preset" && !matches!(e.value.node, Node::Map(_)));
    if preset.is_none()
        && let [only] = entries.as_slice()
        && matches!(only.value.node, Node::Scalar { .. })
        && nearest(&only.key.value, ["preset"].into_iter()).is_some()
    {
        misspelt(field, "`classes`", ["preset"], found);
        return None;
    }
    let key = preset.map_or(field.key_span, |preset| preset.value.span);
    if let Some(preset) = preset {
        text(Field { required: true, ..Field::of(preset) }, found)?;
    }
    let mut named = named(field, "classes by name", found);
    named.retain(|(name, _)| preset.is_none_or(|preset| preset.key.span != name.span));
    let mut list = list(named, found);
    let mut times = HashMap::new();
    with_paths("", &mut list, &mut times);
    with_unique_names(&mut list, &times);
    Some(RawClasses { key, list })
}

/// Sets the paths of classes, and counts how many have each name.
fn with_paths(above: &str, list: &mut [RawClass], times: &mut HashMap<String, usize>) {
    for class in list {
        if !above.is_empty() {
            class.path = format!("{above}/{}", class.name.value);
        }
        *times.entry(class.name.value.clone()).or_default() += 1;
        with_paths(&class.path, &mut class.classes, times);
    }
}

/// Calls classes by their paths if others have the same name.
fn with_unique_names(list: &mut [RawClass], times: &HashMap<String, usize>) {
    for class in list {
        if times.get(&class.name.value).is_some_and(|times| *times > 1) {
            class.name.value.clone_from(&class.path);
        }
        with_unique_names(&mut class.classes, times);
    }
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
    let named = named(field, "classes by name", found);
    list(named, found)
}

fn list(named: Vec<(Spanned<String>, Field<'_>)>, found: &mut Findings<'_>) -> Vec<RawClass> {
    let read = |(name, field): (Spanned<String>, Field<'_>)| match &field.value.node {
        Node::Null if field.value.anchored.is_none() => {
            let message = format!("the class `{}` has no value", quote(field.key));
            found.push(Diagnostic::new(Code::WrongType, field.key_span, message).help(format!(
                "indent its keys more than its name, or write `{}: {{}}` for a class without settings",
                quote(field.key)
            )));
            unread(name, field, found)
        }
        Node::Scalar { .. } if field.key == "preset" => {
            found.push(
                Diagnostic::new(Code::WrongType, field.key_span, "`preset` cannot stand inside a class")
                    .help("a preset defines all classes: write `classes: { preset: home }` at the top level of the file"),
            );
            unread(name, field, found)
        }
        _ => class(name, field, found),
    };
    named.into_iter().map(read).collect()
}

/// Returns a class without keys. It keeps its name, so that references to it are not reported as well.
fn unread(name: Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> RawClass {
    RawClass::read(name.clone(), name.value, &mut Fields::empty(field, "a class"), found)
}

fn class(name: Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> RawClass {
    let example = "keys such as `{ priority: 0, guarantee: 20% }`";
    Fields::whole_or_empty(field, "a class", example, found, |fields, found| {
        RawClass::read(name.clone(), name.value, fields, found)
    })
}

/// Keys of a queue for each direction, and the words that mean them.
const DIRECTIONS: [&str; 4] = ["up", "down", "upload", "download"];

/// Reads `queue`: one queue for both directions, or `{ up: .., down: .. }`.
fn queue(field: Field<'_>, found: &mut Findings<'_>) -> Box<Each<RawQueue>> {
    if let Node::Map(entries) = &field.value.node
        && entries.iter().any(|entry| DIRECTIONS.contains(&entry.key.value.as_str()))
    {
        return Box::new(both(field, |field, found| queue_of(field, one_boolean, found), found));
    }
    Box::new(PerDirection::both(queue_of(field, |field, found| both(field, boolean, found), found)))
}

/// Reader of fq_codel's `ecn`.
type ReadEcn = fn(Field<'_>, &mut Findings<'_>) -> Each<bool>;

/// Reads `ecn` in the queue of one direction, where it has one value.
fn one_boolean(field: Field<'_>, found: &mut Findings<'_>) -> Each<bool> {
    PerDirection::both(boolean(field, found))
}

/// Example of a queue's options.
const OPTIONS: &str = "options such as `{ limit: 100 }`";

/// Reads a name, `{ kind: NAME, ... }` or `{ NAME: { ... } }` with its options. Options without a name belong to
/// fq_codel.
fn queue_of(field: Field<'_>, ecn: ReadEcn, found: &mut Findings<'_>) -> Opt<RawQueue> {
    let Node::Map(entries) = &field.value.node else {
        let kind = choice(field, found)?;
        let mut none = Fields::empty(field, "a queue");
        return Some(field.place(options(kind.value, &mut none, ecn, found)));
    };
    if let [only] = entries.as_slice()
        && let Some(kind) = QueueKind::named(&only.key.value)
    {
        let inner = Field { required: true, ..Field::of(only) };
        let read = |fields: &mut Fields<'_>, found: &mut Findings<'_>| options(kind, fields, ecn, found);
        let queue = Fields::whole(inner, "a queue", OPTIONS, found, read)?;
        return Some(field.place(queue));
    }
    if let [only] = entries.as_slice()
        && matches!(only.value.node, Node::Map(_))
        && only.key.value != "ecn"
    {
        // no other option is a mapping, so this key must be the name of a kind
        misspelt(field, "a queue", QueueKind::names().chain(["up", "down"]), found);
        return None;
    }
    let mut fields = Fields::new(field, "a queue", OPTIONS, found)?;
    let kind = match fields.get("kind") {
        Some(field) => choice(field, found)?.value,
        None => QueueKind::FqCodel,
    };
    fields.call(match kind {
        QueueKind::FqCodel => "an `fq_codel` queue",
        QueueKind::Cake => "a `cake` queue",
        QueueKind::Fifo => "a `fifo` queue",
    });
    let queue = options(kind, &mut fields, ecn, found);
    fields.finish(found);
    Some(field.place(queue))
}

/// Reads the options of a kind of queue within the limits of the kernel (`fq_codel_change`).
fn options(kind: QueueKind, fields: &mut Fields<'_>, ecn: ReadEcn, found: &mut Findings<'_>) -> RawQueue {
    match kind {
        QueueKind::FqCodel => RawQueue::FqCodel {
            target: get(time_in(&CODEL_TIME))(fields, "target", found),
            interval: get(time_in(&CODEL_TIME))(fields, "interval", found),
            limit: get(number_in(&PACKETS, "packets"))(fields, "limit", found),
            quantum: get(number_in(&QUANTUM, "bytes"))(fields, "quantum", found),
            flows: get(number_in(&FLOWS, "flows"))(fields, "flows", found),
            ecn: get(ecn)(fields, "ecn", found),
            memory: get(size_in(&MEMORY))(fields, "memory", found),
        },
        QueueKind::Cake => RawQueue::Cake {
            rtt: get(time_in(&ROUND_TRIP))(fields, "rtt", found),
            diffserv: get(choice)(fields, "diffserv", found),
            ack_filter: get(boolean)(fields, "ack_filter", found),
            wash: get(boolean)(fields, "wash", found),
        },
        QueueKind::Fifo => {
            RawQueue::Fifo { limit: get(number_in(&PACKETS, "packets"))(fields, "limit", found) }
        }
    }
}
