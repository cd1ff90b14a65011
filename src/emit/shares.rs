//! Prints the derivation of the numbers from the line rates, for the script's `rate` command (`templates/runtime/rate.sh`).

use super::shell;
use crate::tc::{ClassScale, Handle, PoliceScale, Program, QueueScale, Scale};
use crate::terms::Amount;
use std::collections::BTreeMap;

/// Explanation of the lines for readers of the script.
pub(super) const COMMENT: &str = "\
# How `rate` derives the numbers above from other line rates; the runtime explains the fields.";

/// Returns the lines of both directions.
pub(super) fn lines(program: &Program) -> Vec<String> {
    let mut lines = direction(program, "up", &program.scale.up);
    lines.extend(direction(program, "down", &program.scale.down));
    lines
}

fn direction(program: &Program, direction: &str, scale: &Scale) -> Vec<String> {
    let b = &scale.basis;
    let mut first = format!(
        "share {direction} line {} {} {} {} {} {}",
        b.numerator, b.denominator, b.full, b.frame, b.least_turn, b.least_police
    );
    for aside in &scale.aside {
        first.push(' ');
        first.push_str(&amount(Some(*aside)));
    }
    let names: BTreeMap<Handle, &str> =
        program.classes.iter().map(|class| (class.id, class.why.name.as_str())).collect();
    let classes = scale.classes.iter().map(|class| {
        let name = names.get(&class.id).copied().unwrap_or_default();
        format!("share {direction} {} # {}", words(class), shell::comment(name))
    });
    let police = scale.police.iter().map(|police| format!("share {direction} {}", police_words(police)));
    std::iter::once(first).chain(classes).chain(police).collect()
}

fn words(class: &ClassScale) -> String {
    let guarantee = match (class.guarantee, class.weight) {
        (None, Some(weight)) => format!("-{weight}"),
        (guarantee, _) => amount(guarantee),
    };
    let ceiling = amount(class.ceiling);
    let queue = match &class.queue {
        None => String::new(),
        Some(QueueScale::FqCodel { target, interval, limit, quantum, memory }) => format!(
            " fq_codel {} {} {} {} {}",
            given(target.map(|t| t.us())),
            given(interval.map(|t| t.us())),
            given(*limit),
            given(*quantum),
            given(memory.map(|m| m.get())),
        ),
        Some(QueueScale::Cake { rtt }) => format!(" cake {}", given(rtt.map(|rtt| rtt.us()))),
        Some(QueueScale::Pfifo { limit }) => format!(" pfifo {}", given(*limit)),
    };
    format!("class {} {} {guarantee} {ceiling}{queue}", class.id, class.parent)
}

fn police_words(police: &PoliceScale) -> String {
    let burst = given(police.burst.map(|b| b.get()));
    format!("police {} {} {burst}", police.index, amount(police.share.map(Amount::Share)))
}

fn amount(amount: Option<Amount>) -> String {
    match amount {
        Some(Amount::Rate(rate)) => given(Some(rate.bps())),
        Some(Amount::Share(share)) => format!("%{}", share.ppm()),
        None => given(None::<u64>),
    }
}

fn given(number: Option<impl std::fmt::Display>) -> String {
    number.map_or_else(|| "-".to_owned(), |number| format!("={number}"))
}
