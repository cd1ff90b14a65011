//! Sections on the queues of leaf classes, and on a CAKE that shapes a direction.

use super::row::PACKET;
use super::row::{ExplanationRow, ExplanationSection, derived, fixed, row, row_as};
use qosc_compiler::model::{Cake, Class, Direction, Leaf, Model, Queue, Share};
use qosc_compiler::tc::DROP_BATCH;

/// Rows on who shares a leaf: one, if both directions have the same value.
pub(super) fn share(class: &Class, leaf: &Leaf) -> Vec<ExplanationRow> {
    let both = leaf.share.up == leaf.share.down;
    let one = |direction: Direction| {
        let share = leaf.share.get(direction);
        let what = if both { "share".to_owned() } else { format!("share {}", direction.as_str()) };
        row_as(id_of_share(class, leaf, direction), what, share, share.value.as_str())
    };
    Direction::BOTH.into_iter().map(one).take(if both { 1 } else { 2 }).collect()
}

/// Returns the id of the row on who shares a leaf in one direction.
pub(super) fn id_of_share(class: &Class, leaf: &Leaf, direction: Direction) -> String {
    match leaf.share.up == leaf.share.down {
        true => format!("class.{}.share", class.name),
        false => format!("class.{}.{}.share", class.name, direction.as_str()),
    }
}

/// Rows on the queue of a class. `share` is the id of the row on who shares it.
pub(super) fn queue(queue: &Queue, class: &str, share: &str, direction: Direction) -> Vec<ExplanationRow> {
    let name = direction.as_str();
    let kind: &str = queue.into();
    let id = |what: &str| format!("class.{class}.{name}.{kind}.{what}");
    let what = |what: &str| format!("{kind} {what} {name}");
    let ceiling = format!("class.{class}.{name}.ceiling");
    match queue {
        Queue::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => vec![
            row(id("limit"), what("limit"), limit).takes([&ceiling, &id("interval")]).takes(PACKET),
            row(id("flows"), what("flows"), flows),
            row(id("quantum"), what("quantum"), quantum)
                .takes([&format!("link.tree.{name}"), "packet.frame"]),
            row(id("target"), what("target"), target).takes([&ceiling]).takes(PACKET),
            row(id("interval"), what("interval"), interval).takes([id("target")]),
            row(id("memory"), what("memory"), memory).takes([id("limit")]),
            row(id("ecn"), what("ecn"), ecn),
            fixed(
                id("drop_batch"),
                what("drop_batch"),
                DROP_BATCH,
                "fq_codel's default: packets that it drops at once at its limit",
            ),
        ],
        Queue::Cake { rtt, diffserv, ack_filter, wash, isolation, nat, memory } => vec![
            row(id("rtt"), what("rtt"), rtt).takes([&ceiling]).takes(PACKET),
            row_as(id("diffserv"), what("diffserv"), diffserv, diffserv.value.as_str()),
            row(id("ack_filter"), what("ack_filter"), ack_filter),
            row(id("wash"), what("wash"), wash),
            row_as(id("isolation"), what("isolation"), isolation, isolation.value.as_str()).takes([share]),
            row(id("nat"), what("nat"), nat).takes(["lan.nat", share]),
            row(id("memory"), what("memory"), memory).takes([&ceiling, &id("rtt")]).takes(PACKET),
        ],
        Queue::Fifo { limit } => vec![row(id("limit"), what("limit"), limit).takes([ceiling]).takes(PACKET)],
    }
}

/// Section on the CAKE of a direction. It has one set of parameters for all classes.
pub(super) fn cake_root(model: &Model, cake: &Cake, direction: Direction) -> ExplanationSection {
    let name = direction.as_str();
    let id = |what: &str| format!("cake.{name}.{what}");
    let leaves = model.leaves();
    let priorities = leaves.iter().map(|class| format!("class.{}.priority", class.name));
    let nat = cake.share.value == Share::PerHost && model.lan.nat.value;
    let rows = vec![
        row_as(id("diffserv"), "diffserv", &cake.diffserv, cake.diffserv.value.as_str()).takes(priorities),
        row_as(id("share"), "share", &cake.share, cake.share.value.as_str()),
        row(id("rtt"), "rtt", &cake.rtt),
        row(id("ack_filter"), "ack_filter", &cake.ack_filter),
        derived(id("nat"), "nat", nat, "`nat` of `lan`, if hosts share").takes(["lan.nat", &id("share")]),
        derived(id("wash"), "wash", model.link.wash.get(direction), "`wash` of `link`")
            .takes([format!("link.wash.{name}")]),
        row(id("memory"), "memory", &cake.memory).takes([format!("link.tree.{name}"), id("rtt")]),
    ];
    ExplanationSection::new(format!("CAKE {name}"), rows)
}

/// Row on the tin of a class.
pub(super) fn tin(cake: &Cake, class: &Class, direction: Direction) -> Option<ExplanationRow> {
    let name = direction.as_str();
    let tin = cake.tin(class.id.value)?;
    let formula = format!("tin {} of {}, by priority", tin.number, cake.diffserv.value.as_str());
    let row = derived(format!("class.{}.{name}.tin", class.name), format!("tin {name}"), &tin.name, formula);
    Some(row.takes([format!("class.{}.priority", class.name), format!("cake.{name}.diffserv")]))
}
