#![doc = include_str!("../rules/Q0603.md")]
#![doc = include_str!("../rules/Q0604.md")]

use crate::diag::{Code, Diagnostic, FileId, Sink, Span, count, ticked};
use crate::model::{Cake, Class, Direction, Engine, Exceed, Ingress, Leaf, Model, Queue, Shape, Share, Val};

/// Largest number of places in one finding.
const POINTED_AT: usize = 6;

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let mut found = Vec::new();
    for direction in Direction::BOTH {
        match model.cake.get(direction) {
            Some(cake) => {
                let mut by = By { model, cake, direction, found: Vec::new() };
                by.all();
                found.append(&mut by.found);
            }
            None if model.link.engine.get(direction).value == Engine::Cake => not_shaped(model, sink),
            None => {}
        }
    }
    // the same problem in both directions is one finding
    let mut said: Vec<(Said, Vec<Direction>)> = Vec::new();
    for (direction, one) in found {
        match said.iter_mut().find(|(other, _)| *other == one) {
            Some((_, directions)) => directions.push(direction),
            None => said.push((one, vec![direction])),
        }
    }
    for (one, directions) in said {
        sink.push(one.finding(model, &directions));
    }
}

/// A feature that CAKE lacks.
#[derive(PartialEq, Eq)]
struct Said {
    code: Code,
    first: Span,
    others: Vec<Span>,
    message: String,
    cure: String,
}

impl Said {
    /// Returns the finding for the directions in which it holds.
    fn finding(self, model: &Model, directions: &[Direction]) -> Diagnostic {
        let (label, whose) = match directions {
            [direction] => (direction.loads().to_owned(), format!(" for {}", direction.loads())),
            _ => ("uploads and downloads".to_owned(), String::new()),
        };
        let finding =
            Diagnostic::new(self.code, self.first, self.message).label(format!("CAKE schedules {label}"));
        let finding =
            finding.also_at(self.others.iter().take(POINTED_AT).map(|other| (*other, "this one too")));
        let place = directions.first().and_then(|direction| model.link.engine.get(*direction).span());
        let finding =
            finding.also_at(place.map(|place| (place, "the engine is chosen here"))).help(self.cure);
        if self.code == Code::CakeEngineUnsupported {
            finding.help(format!("or use HTB{whose}: leave `engine` out"))
        } else {
            finding
        }
    }
}

/// Adds a finding if the file chooses an engine for downloads that are not shaped. One word for both directions counts
/// as the choice for uploads.
fn not_shaped(model: &Model, sink: &mut Sink) {
    let engine = &model.link.engine;
    let Some(place) = engine.down.span().filter(|_| engine.up.span() != engine.down.span()) else { return };
    let ingress = &model.link.ingress;
    let finding = Diagnostic::new(
        Code::CakeEngineUnsupported,
        place,
        "downloads are not shaped, so CAKE cannot schedule them",
    )
    .also_at(ingress.span().map(|span| (span, "turns shaping of downloads off")));
    let word = if ingress.value == Ingress::Police { "police" } else { "none" };
    sink.push(finding.help(format!("leave `ingress: {word}` out, or leave `engine` out for downloads")));
}

/// Check of one direction.
struct By<'a> {
    model: &'a Model,
    cake: &'a Cake,
    direction: Direction,
    found: Vec<(Direction, Said)>,
}

impl By<'_> {
    fn all(&mut self) {
        self.tree();
        self.rates();
        self.hosts();
        self.shares();
        self.queues();
        self.dscp();
        self.police();
    }

    /// Adds one finding for all places with the same problem.
    fn say(&mut self, code: Code, places: &[Span], message: &str, cure: &str) {
        let Some((first, others)) = places.split_first() else { return };
        let others = others.iter().filter(|place| *place != first).copied().collect();
        let (message, cure) = (message.to_owned(), cure.to_owned());
        self.found.push((self.direction, Said { code, first: *first, others, message, cure }));
    }

    fn refuse(&mut self, places: &[Span], message: &str, cure: &str) {
        self.say(Code::CakeEngineUnsupported, places, message, cure);
    }

    /// True if the other direction has the engine HTB.
    fn alone(&self) -> bool {
        let there = self.direction.other();
        self.model.cake.get(there).is_none() && self.model.link.engine.get(there).value == Engine::Htb
    }

    fn leaves(&self) -> Vec<(&Class, &Leaf)> {
        self.model.leaves().into_iter().filter_map(|class| Some((class, class.leaf()?))).collect()
    }

    fn tree(&mut self) {
        let inner: Vec<Span> = self
            .model
            .classes
            .iter()
            .filter(|class| matches!(class.shape, Shape::Inner(_)))
            .map(|class| class.span)
            .collect();
        self.refuse(
            &inner,
            "CAKE has one level of tins, so a class cannot contain classes",
            "move the inner classes one level up",
        );
        let without: Vec<Span> = self
            .leaves()
            .iter()
            .filter(|(class, _)| !self.cake.tins.iter().any(|tin| tin.class == class.id.value))
            .map(|(class, _)| class.span)
            .collect();
        if let (true, [first, ..]) = (inner.is_empty(), without.as_slice()) {
            let message = format!("CAKE has no tin for {}", count(without.len(), "class"));
            self.refuse(
                &[*first],
                &message,
                "CAKE has five tins before that of the default class and two after it: merge classes, or change their `priority`",
            );
        }
    }

    fn rates(&mut self) {
        let all = self.model.classes();
        let direction = self.direction;
        let own = |class: &&&Class| class.span.file == FileId::OWN;
        let asked =
            |amount: bool, span: Option<Span>, class: &Class| amount.then(|| span.unwrap_or(class.span));
        let guarantees: Vec<Span> = all
            .iter()
            .filter(own)
            .filter_map(|c| {
                asked(c.asked.guarantee.get(direction).is_some(), c.guarantee.get(direction).span(), c)
            })
            .collect();
        let ceilings: Vec<Span> = all
            .iter()
            .filter(own)
            .filter_map(|c| {
                asked(c.asked.ceiling.get(direction).is_some(), c.ceiling.get(direction).span(), c)
            })
            .collect();
        for (key, what, places) in [
            ("guarantee", "guarantees no rates to classes", guarantees),
            ("ceiling", "limits no class to a rate", ceilings),
        ] {
            let cure = if self.alone() {
                format!(
                    "write it for {} only: `{key}: {{ {}: .. }}`",
                    direction.other().loads(),
                    direction.other().as_str()
                )
            } else {
                format!("leave `{key}` out: in CAKE, `priority` decides what a class gets")
            };
            self.refuse(&places, &format!("CAKE {what}, so a class cannot have a `{key}`"), &cure);
        }
    }

    fn hosts(&mut self) {
        for key in ["guarantee", "ceiling"] {
            let hosts = self.model.hosts.iter();
            let places: Vec<Span> = hosts
                .filter_map(|host| {
                    let both = if key == "guarantee" { &host.guarantee } else { &host.ceiling };
                    both.get(self.direction).as_ref().map(|rate| rate.span().unwrap_or(host.span))
                })
                .collect();
            let message = format!("CAKE has no rates of hosts, so a host cannot have a `{key}`");
            let help = if key == "ceiling" {
                "cap the host with `police`"
            } else {
                "leave `guarantee` out: `share: per-host` gives every host the same"
            };
            self.refuse(&places, &message, help);
        }
    }

    fn shares(&mut self) {
        let given: Vec<(Share, Span)> = self
            .leaves()
            .iter()
            .filter(|(class, _)| class.span.file == FileId::OWN)
            .filter_map(|(_, leaf)| leaf.share.given_at().map(|span| (leaf.share.value, span)))
            .collect();
        let other = given.iter().find(|(share, _)| *share != self.cake.share.value);
        if let (Some((_, first)), Some((_, second))) = (given.first(), other) {
            self.refuse(
                &[*second, *first],
                "CAKE shares in the same way in all tins",
                "write the same `share` in all classes, or leave it out to share per host",
            );
        }
    }

    /// Checks the queues of leaves. A tin has the queue of CAKE itself, which accepts an option only if all classes
    /// agree.
    fn queues(&mut self) {
        let direction = self.direction;
        let leaves = self.leaves();
        let own = leaves.iter().filter(|(class, _)| class.span.file == FileId::OWN);
        let (mut others, mut cakes, mut differ) = (Vec::new(), Vec::new(), Vec::new());
        for (class, leaf) in own {
            match leaf.queue.get(direction) {
                Queue::Cake { rtt, diffserv, ack_filter, wash, .. } => {
                    cakes.extend([diffserv.given_at(), wash.given_at()].into_iter().flatten());
                    let rtt = rtt.given_at().filter(|_| rtt.value != self.cake.rtt.value);
                    let filter =
                        ack_filter.given_at().filter(|_| ack_filter.value != self.cake.ack_filter.value);
                    differ.extend(rtt.into_iter().chain(filter));
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
        self.refuse(
            &differ,
            "CAKE has one `rtt` and one `ack_filter` for all tins",
            "write the same value in all classes, or write it in one class only",
        );
        self.refuse(
            &cakes,
            "a class that is a tin of CAKE cannot have `diffserv` or `wash`",
            "leave them out; to clear the DSCP of the whole direction, write `wash` in `link`",
        );
        let message = "with CAKE, a class has no queue of its own";
        if self.alone() {
            let only = format!(
                "leave `queue` out; if it is meant for {} only, write `# qosc: allow(Q0604)`",
                direction.other().loads()
            );
            self.say(Code::CakeEngineIgnored, &others, message, &only);
        } else {
            self.refuse(&others, message, "leave `queue` out: every tin of CAKE has flow queues with an AQM");
        }
    }

    fn dscp(&mut self) {
        let places: Vec<Span> = self
            .leaves()
            .iter()
            .filter_map(|(class, leaf)| leaf.set_dscp.as_ref().map(|dscp| dscp.span().unwrap_or(class.span)))
            .collect();
        self.refuse(
            &places,
            "CAKE can clear a DSCP, but not set one",
            "leave `set_dscp` out, or set the DSCP in the firewall",
        );
    }

    fn police(&mut self) {
        if let (Some(lan), Direction::Up) = (self.model.lan.bypass(), self.direction) {
            let message = "uploads cannot bypass CAKE, so `lan` cannot have `shaped: false`";
            self.refuse(&[lan.span], message, "leave `shaped` out");
        }
        let own: Vec<_> =
            self.model.police.iter().filter(|police| police.direction == self.direction).collect();
        for police in own {
            let name = ticked(&police.name);
            if let Exceed::Reclassify(_) = police.exceed {
                let message = format!("police {name} cannot reclassify packets into a tin of CAKE");
                self.refuse(&[police.span], &message, "write `exceed: drop`");
            }
            if police.bypass && self.direction == Direction::Up {
                let message = format!("uploads cannot bypass CAKE, so policer {name} cannot have `bypass`");
                self.refuse(&[police.span], &message, "leave `bypass` out");
            }
        }
    }
}
