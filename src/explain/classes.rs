//! The classes: rates, buckets, turns, queues.

use super::{Row, Section, derived, name_of, row, row_as};
use crate::model::{Cake, Class, Direction, Leaf, Model, Queue, Shape};

/// A section for each direction that CAKE schedules, then one for each class, in the order of the file.
pub(super) fn classes(model: &Model) -> Vec<Section> {
    let cakes = Direction::BOTH.into_iter().filter_map(|way| Some(cake(model.cake.get(way).as_ref()?, way)));
    let mut sections = cakes.collect();
    below(model, &model.classes, "", &mut sections);
    sections
}

fn below(model: &Model, classes: &[Class], within: &str, sections: &mut Vec<Section>) {
    for class in classes {
        let title = format!("class {within}{}", class.name);
        sections.push(section(model, class, title));
        match &class.shape {
            Shape::Inner(children) => below(model, children, &format!("{within}{} / ", class.name), sections),
            Shape::Leaf(leaf) => sections.extend(hosts(leaf, within)),
        }
    }
}

fn section(model: &Model, class: &Class, title: String) -> Section {
    let mut rows = vec![
        row_as("number", &class.id, format!("c05:{:x}", class.id.value.0)),
        row("priority", &class.priority),
    ];
    for way in Direction::BOTH {
        let name = name_of(&way);
        if let Some(cake) = model.cake.get(way) {
            rows.extend(tin(cake, class, &name));
            continue;
        }
        rows.push(row(format!("guarantee {name}"), class.guarantee.get(way)));
        rows.push(row(format!("ceiling {name}"), class.ceiling.get(way)));
        let scheduling = class.scheduling.get(way);
        rows.push(row(format!("burst {name}"), &scheduling.burst));
        rows.push(row(format!("cburst {name}"), &scheduling.cburst));
        rows.push(row(format!("quantum {name}"), &scheduling.quantum));
    }
    if let Shape::Leaf(leaf) = &class.shape {
        rows.push(row_as("share", &leaf.share, name_of(&leaf.share.value)));
        let plain = |way: &Direction| model.cake.get(*way).is_none() && leaf.hosts.get(*way).is_none();
        for way in Direction::BOTH.into_iter().filter(plain) {
            rows.extend(queue(leaf.queue.get(way), &name_of(&way)));
        }
        if let Some(dscp) = &leaf.set_dscp {
            rows.push(row("set_dscp", dscp));
        }
    }
    Section { title, rows, words: Vec::new() }
}

/// A direction's CAKE: it has one set of parameters, whatever the class.
fn cake(cake: &Cake, way: Direction) -> Section {
    let rows = vec![
        row_as("diffserv", &cake.diffserv, name_of(&cake.diffserv.value)),
        row_as("share", &cake.share, name_of(&cake.share.value)),
        row("rtt", &cake.rtt),
        row("ack_filter", &cake.ack_filter),
        row("memory", &cake.memory),
    ];
    Section { title: format!("CAKE {}", name_of(&way)), rows, words: Vec::new() }
}

/// A class's tin.
fn tin(cake: &Cake, class: &Class, way: &str) -> Option<Row> {
    let tin = cake.tins.iter().find(|tin| tin.class == class.id.value)?;
    let formula = format!("tin {} of {}, by priority", tin.number, name_of(&cake.diffserv.value));
    Some(derived(format!("tin {way}"), tin.name.clone(), formula))
}

/// A section for each class of a host, and of the rest.
fn hosts(leaf: &Leaf, within: &str) -> Vec<Section> {
    let mut sections: Vec<Section> = Vec::new();
    for way in Direction::BOTH {
        let classes = leaf.hosts.get(way).iter().flat_map(|all| all.hosts.iter().chain([&all.rest]));
        for class in classes {
            let title = format!("class {within}{}", class.name);
            let name = name_of(&way);
            let mut rows = vec![
                row(format!("guarantee {name}"), &class.guarantee),
                row(format!("ceiling {name}"), &class.ceiling),
                row(format!("burst {name}"), &class.scheduling.burst),
                row(format!("cburst {name}"), &class.scheduling.cburst),
                row(format!("quantum {name}"), &class.scheduling.quantum),
            ];
            rows.extend(queue(&class.queue, &name));
            if let Some(section) = sections.iter_mut().find(|section| section.title == title) {
                section.rows.extend(rows);
            } else {
                rows.insert(0, row_as("number", &class.id, format!("c05:{:x}", class.id.value.0)));
                sections.push(Section { title, rows, words: Vec::new() });
            }
        }
    }
    sections
}

fn queue(queue: &Queue, way: &str) -> Vec<Row> {
    match queue {
        Queue::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => vec![
            row(format!("fq_codel limit {way}"), limit),
            row(format!("fq_codel flows {way}"), flows),
            row(format!("fq_codel quantum {way}"), quantum),
            row(format!("fq_codel target {way}"), target),
            row(format!("fq_codel interval {way}"), interval),
            row(format!("fq_codel memory {way}"), memory),
            row(format!("fq_codel ecn {way}"), ecn),
        ],
        Queue::Cake { rtt, diffserv, ack_filter, wash, isolation, nat, memory } => vec![
            row(format!("cake rtt {way}"), rtt),
            row_as(format!("cake diffserv {way}"), diffserv, name_of(&diffserv.value)),
            row(format!("cake ack_filter {way}"), ack_filter),
            row(format!("cake wash {way}"), wash),
            row_as(format!("cake isolation {way}"), isolation, name_of(&isolation.value)),
            row(format!("cake nat {way}"), nat),
            row(format!("cake memory {way}"), memory),
        ],
        Queue::Fifo { limit } => vec![row(format!("fifo limit {way}"), limit)],
    }
}
