#![doc = include_str!("../../../../docs/rules/Q0603.md")]
#![doc = include_str!("../../../../docs/rules/Q0604.md")]

use crate::diag::{Code, Diagnostic, Sink, Span, count, ticked};
use crate::model::{Cake, Class, Direction, Engine, Exceed, Ingress, Leaf, Model, Queue, Shape, Val};

/// Largest number of places in one finding.
const POINTED_AT: usize = 6;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    // the same problem in both directions is one finding
    let mut found: Vec<(Lack, Vec<Direction>)> = Vec::new();
    for direction in Direction::BOTH {
        let Some(cake) = model.cake.get(direction) else {
            if model.link.engine.get(direction).value.is_cake() {
                sink.extend(not_shaped(model));
            }
            continue;
        };
        for lack in lacks(model, cake, direction).into_iter().filter(|lack| !lack.places.is_empty()) {
            match found.iter_mut().find(|(other, _)| *other == lack) {
                Some((_, directions)) => directions.push(direction),
                None => found.push((lack, vec![direction])),
            }
        }
    }
    sink.extend(found.into_iter().filter_map(|(lack, directions)| lack.finding(model, &directions)));
}

/// A feature that CAKE lacks, and the places that need it.
#[derive(PartialEq, Eq)]
struct Lack {
    places: Vec<Span>,
    message: String,
    cure: String,
    /// True if the file has the feature for the other direction, so that it only has no effect here.
    is_ignored: bool,
}

fn lack(places: impl IntoIterator<Item = Span>, message: impl Into<String>, cure: impl Into<String>) -> Lack {
    let places = places.into_iter().collect();
    Lack { places, message: message.into(), cure: cure.into(), is_ignored: false }
}

impl Lack {
    /// Returns the finding for the directions in which it holds.
    fn finding(self, model: &Model, directions: &[Direction]) -> Option<Diagnostic> {
        let (label, whose) = match directions {
            [direction] => (direction.loads(), format!(" for {}", direction.loads())),
            _ => ("uploads and downloads", String::new()),
        };
        let code = if self.is_ignored { Code::CakeEngineIgnored } else { Code::CakeEngineUnsupported };
        let (first, others) = self.places.split_first()?;
        let others = others.iter().filter(|place| *place != first).take(POINTED_AT);
        let engine = directions.first().and_then(|direction| model.link.engine.get(*direction).span());
        let htb = (!self.is_ignored).then(|| format!("or use HTB{whose}: leave `engine` out"));
        let finding = Diagnostic::new(code, *first, self.message)
            .label(format!("CAKE schedules {label}"))
            .also_at(others.map(|other| (*other, "this one too")))
            .also_at(engine.map(|place| (place, "the engine is chosen here")))
            .help(self.cure);
        Some(htb.into_iter().fold(finding, Diagnostic::help))
    }
}

/// Returns the finding if the file chooses an engine for downloads that are not shaped. One word for both directions
/// counts as the choice for uploads.
fn not_shaped(model: &Model) -> Option<Diagnostic> {
    let (engine, ingress) = (&model.link.engine, &model.link.ingress);
    let place = engine.down.span().filter(|_| engine.up.span() != engine.down.span())?;
    let message = "downloads are not shaped, so CAKE cannot schedule them";
    let word = if ingress.value == Ingress::Police { "police" } else { "none" };
    Some(
        Diagnostic::new(Code::CakeEngineUnsupported, place, message)
            .also_at(ingress.span().map(|span| (span, "turns shaping of downloads off")))
            .help(format!("leave `ingress: {word}` out, or leave `engine` out for downloads")),
    )
}

/// Returns all that the file asks for in one direction and CAKE lacks.
fn lacks(model: &Model, cake: &Cake, direction: Direction) -> Vec<Lack> {
    let engine = model.link.engine.get(direction);
    let mut leaves: Vec<(&Class, &Leaf)> =
        model.leaves().into_iter().filter_map(|class| Some((class, class.leaf()?))).collect();
    let others = match engine.value {
        Engine::CakeMq => leaves.extract_if(.., |(class, _)| !class.is_default()).collect(),
        _ => Vec::new(),
    };
    let own: Vec<(&Class, &Leaf)> = leaves.iter().copied().filter(|(class, _)| class.span.is_own()).collect();
    // True if the other direction has the engine HTB.
    let there = direction.other();
    let alone = model.cake.get(there).is_none() && model.link.engine.get(there).value == Engine::Htb;

    let mut found = match engine.value {
        Engine::CakeMq => vec![without_classes(&others, engine.span(), direction, alone)],
        _ => tree(model, cake, &leaves),
    };
    for (key, what) in
        [("guarantee", "guarantees no rates to classes"), ("ceiling", "limits no class to a rate")]
    {
        let cure = match alone {
            true => {
                format!("write it for {} only: `{key}: {{ {}: .. }}`", there.loads(), there.as_str())
            }
            false => format!("leave `{key}` out: in CAKE, `priority` decides what a class gets"),
        };
        let message = format!("CAKE {what}, so a class cannot have a `{key}`");
        found.push(lack(rates(model, key, direction), message, cure));
    }
    for (key, cure) in [
        ("guarantee", "leave `guarantee` out: `share: per-host` gives every host the same"),
        ("ceiling", "cap the host with `police`"),
    ] {
        let places = model.hosts.iter().filter(|host| host.of.is_none()).filter_map(|host| {
            let both = if key == "guarantee" { &host.guarantee } else { &host.ceiling };
            both.get(direction).as_ref().map(|rate| rate.span().unwrap_or(host.span))
        });
        let message = format!("CAKE has no rates of hosts, so a host cannot have a `{key}`");
        found.push(lack(places, message, cure));
    }
    let shares = || {
        let shares = own.iter().map(|(_, leaf)| leaf.share.get(direction));
        shares.filter_map(|share| Some((share.value, share.given_at()?)))
    };
    let other = shares().find(|(share, _)| *share != cake.share.value).map(|(_, place)| place);
    found.push(lack(
        other
            .into_iter()
            .flat_map(|other| [other].into_iter().chain(shares().map(|(_, place)| place).take(1))),
        "CAKE shares in the same way in all tins",
        "write the same `share` in all classes, or leave it out to share per host",
    ));
    found.extend(queues(cake, &own, direction, alone));
    found.push(lack(
        leaves.iter().filter_map(|(class, leaf)| Some(leaf.set_dscp.as_ref()?.span().unwrap_or(class.span))),
        "CAKE can clear a DSCP, but not set one",
        "leave `set_dscp` out, or set the DSCP in the firewall",
    ));
    found.push(lack(
        model.lan.bypass().filter(|_| direction == Direction::Up).map(|lan| lan.span),
        "uploads cannot bypass CAKE, so `lan` cannot have `shaped: false`",
        "leave `shaped` out",
    ));
    for police in model.police.iter().filter(|police| police.direction == direction) {
        let name = ticked(&police.name);
        if let Exceed::Reclassify(_) = police.exceed {
            let message = format!("police {name} cannot reclassify packets into a tin of CAKE");
            found.push(lack([police.span], message, "write `exceed: drop`"));
        }
        if police.bypass && direction == Direction::Up {
            let message = format!("uploads cannot bypass CAKE, so policer {name} cannot have `bypass`");
            found.push(lack([police.span], message, "leave `bypass` out"));
        }
    }
    found
}

/// Returns the classes that a CAKE for each transmit queue cannot tell apart: it has no filters.
fn without_classes(
    others: &[(&Class, &Leaf)],
    engine: Option<Span>,
    direction: Direction,
    alone: bool,
) -> Lack {
    let own = others.iter().map(|(class, _)| class.span).filter(|span| span.is_own());
    if alone {
        let message =
            format!("`cake_mq` has no classes, so this one sorts {} only", direction.other().loads());
        let cure = "this is a note for information: `# qosc: allow(Q0604)` in this line suppresses it";
        return Lack { is_ignored: true, ..lack(own, message, cure) };
    }
    let own: Vec<Span> = own.collect();
    // the classes of a preset are in no file of the user
    let of_preset = engine.filter(|_| own.is_empty() && !others.is_empty());
    lack(
        own.into_iter().chain(of_preset),
        "`cake_mq` has no classes, so there can only be the default class",
        "write the default class alone, or `engine: cake`, which has a tin for each class",
    )
}

/// Returns what the tins cannot represent: inner classes, or else leaves without a tin.
fn tree(model: &Model, cake: &Cake, leaves: &[(&Class, &Leaf)]) -> Vec<Lack> {
    let inner = model.classes.iter().filter(|class| matches!(class.shape, Shape::Inner(_)));
    let inner = lack(
        inner.map(|class| class.span),
        "CAKE has one level of tins, so a class cannot contain classes",
        "move the inner classes one level up",
    );
    if !inner.places.is_empty() {
        return vec![inner];
    }
    let without: Vec<Span> = leaves
        .iter()
        .filter(|(class, _)| cake.tin(class.id.value).is_none())
        .map(|(class, _)| class.span)
        .collect();
    vec![lack(
        without.first().copied(),
        format!("CAKE has no tin for {}", count(without.len(), "class")),
        "CAKE has five tins before that of the default class and two after it: merge classes, or change their `priority`",
    )]
}

/// Returns the places of a rate that classes of the user's file have in a direction.
fn rates(model: &Model, key: &str, direction: Direction) -> Vec<Span> {
    let own = model.classes().into_iter().filter(|class| class.span.is_own());
    let place = |class: &Class| {
        let (asked, rate) = match key {
            "guarantee" => (&class.asked.guarantee, &class.guarantee),
            _ => (&class.asked.ceiling, &class.ceiling),
        };
        asked.get(direction).map(|_| rate.get(direction).span().unwrap_or(class.span))
    };
    own.filter_map(place).collect()
}

/// Returns what the queues of leaves ask for. A tin has the queue of CAKE itself, which accepts an option only if all
/// classes agree.
fn queues(cake: &Cake, own: &[(&Class, &Leaf)], direction: Direction, alone: bool) -> [Lack; 3] {
    let (mut others, mut cakes, mut differ) = (Vec::new(), Vec::new(), Vec::new());
    for (class, leaf) in own {
        match leaf.queue.get(direction) {
            Queue::Cake { rtt, diffserv, ack_filter, wash, .. } => {
                cakes.extend([diffserv.given_at(), wash.given_at()].into_iter().flatten());
                differ.extend(rtt.given_at().filter(|_| rtt.value != cake.rtt.value));
                differ.extend(ack_filter.given_at().filter(|_| ack_filter.value != cake.ack_filter.value));
            }
            Queue::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => {
                let numbers = [limit, flows, quantum].map(Val::given_at);
                let times = [target, interval].map(Val::given_at);
                let given = numbers.into_iter().chain(times).chain([memory.given_at(), ecn.given_at()]);
                others.extend(given.flatten().next());
            }
            Queue::Fifo { limit } => others.push(limit.given_at().unwrap_or(class.span)),
        }
    }
    let cure = match alone {
        true => format!(
            "write it for {} only: `queue: {{ {}: .. }}`",
            direction.other().loads(),
            direction.other().as_str()
        ),
        false => "leave `queue` out: every tin of CAKE has flow queues with an AQM".to_owned(),
    };
    let others = lack(others, "with CAKE, a class has no queue of its own", cure);
    [
        lack(
            differ,
            "CAKE has one `rtt` and one `ack_filter` for all tins",
            "write the same value in all classes, or write it in one class only",
        ),
        lack(
            cakes,
            "a class that is a tin of CAKE cannot have `diffserv` or `wash`",
            "leave them out; to clear the DSCP of the whole direction, write `wash` in `link`",
        ),
        Lack { is_ignored: alone, ..others },
    ]
}

#[cfg(test)]
#[path = "cake_engine_tests.rs"]
mod tests;
