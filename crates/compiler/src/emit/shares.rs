//! Prints the inputs from which the script's `rate` command derives its numbers (`templates/runtime/scaled.awk`).

use super::shell;
use crate::tc::{
    Dev, Handle, Parent, PoliceScale, Program, Qdisc, QdiscKind, QueueScale, ROOT, Remaining, Scale, TREE,
};
use crate::terms::Amount;
use std::collections::{BTreeMap, BTreeSet};

/// Explanation of the lines for readers of the script.
pub(super) const COMMENT: &str = "\
# How `rate` derives the numbers above from other line rates; `ppm` means millionths of the parent's value.";

/// Returns the lines of both directions. A class has one line if its values are the same in both.
pub(super) fn lines(program: &Program) -> Vec<String> {
    let (up, down) = (&program.scale.up, &program.scale.down);
    let (up_classes, down_classes) = (classes(program, up), classes(program, down));
    let in_up: BTreeSet<&String> = up_classes.iter().collect();
    let in_down: BTreeSet<&String> = down_classes.iter().collect();
    let mut lines = vec![
        format!("share @wan {}", root(program, Dev::Wan, up)),
        format!("share @ifb {}", root(program, Dev::Ifb, down)),
    ];
    lines.extend(up_classes.iter().map(|class| match in_down.contains(class) {
        true => format!("share @wan,@ifb {class}"),
        false => format!("share @wan {class}"),
    }));
    let only_down = down_classes.iter().filter(|class| !in_up.contains(*class));
    lines.extend(only_down.map(|class| format!("share @ifb {class}")));
    lines.extend(up.police.iter().map(|police| format!("share @wan {}", policer(police))));
    lines.extend(down.police.iter().map(|police| format!("share @ifb {}", policer(police))));
    lines
}

/// Returns the constants of a direction, as the values of its root class. A CAKE at the root has a round trip time.
fn root(program: &Program, dev: Dev, scale: &Scale) -> String {
    let b = &scale.basis;
    let mut line = format!(
        "{} {} numerator={} denominator={} packet={} frame={} quantum={} burst={}",
        Handle { major: ROOT, minor: 0 },
        Handle { major: ROOT, minor: TREE },
        b.numerator,
        b.denominator,
        b.full,
        b.frame,
        b.least_turn,
        b.least_police
    );
    if !scale.aside.is_empty() {
        let rates: Vec<String> = scale.aside.iter().copied().map(amount).collect();
        line.push_str(&format!(" aside={}", rates.join(",")));
    }
    let is_root = |qdisc: &&Qdisc| qdisc.dev == dev && qdisc.parent == Parent::Root;
    if let Some(QdiscKind::Cake { rtt, .. }) = program.qdiscs.iter().find(is_root).map(|qdisc| &qdisc.kind) {
        line.push_str(&format!(" rtt={}", rtt.us()));
    }
    line
}

/// Returns the parent, id, values and name of each class. A class without guarantee and weight only borrows.
fn classes(program: &Program, scale: &Scale) -> Vec<String> {
    let names: BTreeMap<Handle, &str> =
        program.classes.iter().map(|class| (class.id, class.why.name.as_str())).collect();
    let mut borrowing = BTreeSet::new();
    let lines = scale.classes.iter().map(|class| {
        let mut line = format!("{} {}", class.parent, class.id);
        if class.guarantee.is_some_and(Amount::is_nothing) || borrowing.contains(&class.parent) {
            borrowing.insert(class.id);
        } else if let Some(guarantee) = class.guarantee {
            line.push_str(&format!(" guarantee={}", amount(guarantee)));
        } else if let Some(Remaining { weight, least }) = class.remaining {
            line.push_str(&format!(" weight={weight} least={}", least.bps()));
        }
        if let Some(ceiling) = class.ceiling {
            line.push_str(&format!(" ceiling={}", amount(ceiling)));
        }
        line.push_str(&class.queue.as_ref().map(queue).unwrap_or_default());
        format!("{line} # {}", shell::comment(names.get(&class.id).copied().unwrap_or_default()))
    });
    lines.collect()
}

/// Returns the kind of a queue, and the options that the file gives.
fn queue(queue: &QueueScale) -> String {
    match queue {
        QueueScale::FqCodel { target, interval, limit, quantum, memory } => [
            " queue=fq_codel".to_owned(),
            given("target", target.map(|t| t.us())),
            given("interval", interval.map(|t| t.us())),
            given("limit", *limit),
            given("quantum", *quantum),
            given("memory_limit", memory.map(|m| m.get())),
        ]
        .concat(),
        QueueScale::Cake { rtt } => format!(" queue=cake{}", given("rtt", rtt.map(|rtt| rtt.us()))),
        QueueScale::Pfifo { limit } => format!(" queue=pfifo{}", given("limit", *limit)),
    }
}

/// Returns the index of a policer, and the values that the file gives.
fn policer(police: &PoliceScale) -> String {
    let rate = given("rate", police.share.map(|share| amount(Amount::Share(share))));
    format!("police {}{rate}{}", police.index, given("burst", police.burst.map(|b| b.get())))
}

fn amount(amount: Amount) -> String {
    match amount {
        Amount::Rate(rate) => rate.bps().to_string(),
        Amount::Share(share) => format!("{}ppm", share.ppm()),
    }
}

fn given(name: &str, value: Option<impl std::fmt::Display>) -> String {
    value.map_or_else(String::new, |value| format!(" {name}={value}"))
}
