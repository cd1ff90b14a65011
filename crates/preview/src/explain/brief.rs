//! Plain words before the numbers: which class is served first, its rates when all are busy, and its waits.

use super::Explanation;
use super::devices::DEVICES;
use super::human::for_terminal_lines;
use super::packets::in_service;
use super::table::table;
use qosc_compiler::derive::{Packet, URGENT, VOICE, borrows};
use qosc_compiler::diag::{and_ticked, ticked, wrapped};
use qosc_compiler::model::{Cake, Class, Direction, Engine, Exceed, Ingress, Leaf, Model, Share};
use qosc_compiler::units::{Rate, for_people};
use std::fmt::Write as _;

/// Least rest that is worth a word, in bit/s. Shares are rounded, so a few bits may be left.
const SPARE: u64 = 1000;

/// Returns the plain words. `explanation` is that of the model.
#[must_use]
pub fn brief(model: &Model, explanation: &Explanation) -> String {
    let link = &model.link;
    let mut out = format!(
        "{}: device {}, profile {}, {} bytes of overhead above each IP packet\n",
        model.name.value, link.device.value, link.profile.value, link.overhead.value
    );
    let leaves = in_order(model);
    for direction in Direction::BOTH {
        let loads = direction.loads();
        let line = |before: &str| {
            let line = link.line_rate(direction);
            line.map_or_else(String::new, |line| format!("{before}{}", line.value.for_people()))
        };
        let of_line = line(" of the line's ");
        let varies = link.varies(direction).map_or_else(String::new, |words| format!("\n  the line {words}"));
        let shaped = link.shaped.get(direction).value.for_people();
        let _infallible = match model.cake.get(direction) {
            _ if !link.shapes(direction) && link.ingress.value == Ingress::Police => {
                let cap = link.tree.down.value.for_people();
                writeln!(out, "\n{loads}: policed as a whole to {cap}{of_line}, without classes{varies}")
            }
            _ if !link.shapes(direction) => {
                writeln!(out, "\n{loads}: not shaped{}{varies}", line(", up to "))
            }
            None => write!(
                out,
                "\n{loads}: {shaped}{of_line}{varies}\n{}",
                table(&rates(model, &leaves, explanation, direction))
            ),
            Some(_) if link.engine.get(direction).value == Engine::CakeMq => {
                writeln!(
                    out,
                    "\n{loads}: {shaped}{of_line}, by cake_mq, shared fairly within each queue{varies}"
                )
            }
            Some(cake) => {
                write!(out, "\n{loads}: {shaped}{of_line}, by CAKE{varies}\n{}", table(&tins(&leaves, cake)))
            }
        };
    }
    out.push('\n');
    for words in sentences(model, explanation, &leaves) {
        wrapped(&mut out, "", &words, 2);
    }
    for_terminal_lines(&out)
}

/// Returns the leaf classes, the most urgent first.
fn in_order(model: &Model) -> Vec<(&Class, &Leaf)> {
    let mut leaves: Vec<_> = model.leaves().into_iter().filter_map(|own| Some((own, own.leaf()?))).collect();
    leaves.sort_by_key(|(class, _)| class.priority.value);
    leaves
}

/// Returns the table of a direction that HTB schedules.
fn rates(
    model: &Model,
    leaves: &[(&Class, &Leaf)],
    explanation: &Explanation,
    direction: Direction,
) -> Vec<Vec<String>> {
    let of_prefix = |host: usize| model.hosts.get(host).is_some_and(|host| host.of.is_some());
    let mut cells =
        vec![["class", "served", "guarantee", "ceiling", "longest wait"].map(str::to_owned).to_vec()];
    let mut rank = (0, None);
    for (class, leaf) in leaves {
        if rank.1 != Some(class.priority.value) {
            rank = (rank.0 + 1, Some(class.priority.value));
        }
        // the devices of a prefix have a sentence
        let hosts = leaf.host_classes(direction).filter(|own| own.host.is_some_and(|host| !of_prefix(host)));
        let hosts = hosts.map(|host| ("  ", &host.name, host.guarantee.value, host.ceiling.value));
        let rates = (class.guarantee.get(direction).value, class.ceiling.get(direction).value);
        let own = ("", &class.name, rates.0, rates.1);
        for (indent, name, guarantee, ceiling) in std::iter::once(own).chain(hosts) {
            let wait = explanation.row(&format!("class.{name}.{}.wait", direction.as_str()));
            cells.push(vec![
                format!("{indent}{name}"),
                ordinal(rank.0),
                if borrows(guarantee) { "borrows only".to_owned() } else { guarantee.for_people() },
                ceiling.for_people(),
                wait.map_or_else(|| "no bound".to_owned(), |row| for_people(&row.value)),
            ]);
        }
    }
    cells
}

/// Returns the table of a direction that CAKE schedules.
fn tins(leaves: &[(&Class, &Leaf)], cake: &Cake) -> Vec<Vec<String>> {
    let mut tins: Vec<_> =
        leaves.iter().filter_map(|(class, _)| Some((class, cake.tin(class.id.value)?))).collect();
    tins.sort_by_key(|(_, tin)| std::cmp::Reverse(tin.number));
    let rows = tins.into_iter().map(|(class, tin)| vec![class.name.clone(), tin.name.clone()]);
    std::iter::once(vec!["class".to_owned(), "tin".to_owned()]).chain(rows).collect()
}

/// Returns the sentences below the tables.
fn sentences(model: &Model, explanation: &Explanation, leaves: &[(&Class, &Leaf)]) -> Vec<String> {
    let mut out = Vec::new();
    let by_htb = |direction: &Direction| model.cake.get(*direction).is_none();
    let directions: Vec<Direction> = model.link.shaped_directions().filter(by_htb).collect();
    if leaves.len() > 1 && !directions.is_empty() {
        let rest = directions.iter().map(|direction| {
            let given: Rate = model.classes.iter().map(|class| class.guarantee.get(*direction).value).sum();
            (model.link.tree.get(*direction).value.saturating_sub(given), direction)
        });
        let rest = rest.filter(|(rest, _)| rest.bps() >= SPARE);
        let rest: Vec<String> =
            rest.map(|(rest, direction)| format!("{} {}", rest.for_people(), direction.as_str())).collect();
        let (left, lent) = match rest.as_slice() {
            [] => (String::new(), "What idle classes lend"),
            rest => (format!(", which leaves {}", rest.join(" and ")), "This, and what idle classes lend,"),
        };
        out.push(format!(
            "If all classes are busy, each gets its guarantee{left}. {lent} goes to the class that is served first, up to its ceiling, then to the next one."
        ));
    }
    if !directions.is_empty() {
        let full = Packet::of(&model.link).full();
        let whole = directions.iter().filter(|direction| in_service(model, **direction) > full);
        let whole: Vec<&str> = whole.map(|direction| direction.loads()).collect();
        let large = match whole.is_empty() {
            true => String::new(),
            false => {
                format!(" The packets of {} may have 64 KiB, because offloads stay on.", whole.join(" and "))
            }
        };
        let more = directions.iter().filter_map(|direction| {
            let row = explanation.row(&format!("wait.{}", direction.as_str()))?;
            Some(format!("{} {}", for_people(&row.value), direction.as_str()))
        });
        let more: Vec<String> = more.collect();
        out.push(format!("Longest wait: while a class stays within its guarantee and another one fills the line, two packets of the other go first. Each further full class adds up to {}.{large} The packet itself has {VOICE} bytes up to priority {URGENT}, and is a full one otherwise. Before that, downloads can wait at the provider.", more.join(" and ")));
    }
    for class in model.classes().into_iter().filter(|class| class.leaf().is_none()) {
        let names = and_ticked(class.children().iter().map(|child| child.name.as_str()));
        out.push(format!("{names} first share the guarantee and the ceiling of {}.", ticked(&class.name)));
    }
    out.extend(equal_shares(leaves, model));
    let devices = explanation.sections.iter().filter(|section| section.title == DEVICES);
    out.extend(devices.flat_map(|section| section.words.iter().cloned()));
    if let Some(class) = model.default_leaf() {
        out.push(format!("Packets without a match enter {}.", ticked(&class.name)));
    }
    for police in &model.police {
        let rate = police.rate.value.for_people();
        let beyond = match police.exceed {
            Exceed::Drop => "the rest is dropped".to_owned(),
            Exceed::Reclassify(id) => {
                format!("the rest enters {}", ticked(model.leaf(id).map_or("", |class| &class.name)))
            }
        };
        let (name, loads) = (ticked(&police.name), police.direction.loads());
        out.push(format!("The policer {name} passes {rate} of its {loads}; {beyond}."));
    }
    for variant in &model.variants {
        let (name, times) = (ticked(&variant.name), variant.times());
        out.push(format!(
            "The variant {name} holds at {times}: `--variant {}` shows its numbers.",
            variant.name
        ));
    }
    out.push(String::new());
    out.push("`-v` shows every number with its formula, `--class NAME` those of one class, and `--packet` the class of a packet.".to_owned());
    out
}

/// Returns the sentences on the leaves in which hosts have equal shares.
fn equal_shares(leaves: &[(&Class, &Leaf)], model: &Model) -> Vec<String> {
    let of = [("", true, true), ("uploads in ", true, false), ("downloads in ", false, true)];
    let sentence = |(what, up, down): (&str, bool, bool)| {
        let is_fair = |leaf: &Leaf, direction| {
            model.link.shapes(direction) && leaf.share.get(direction).value == Share::PerHost
        };
        let fair = leaves
            .iter()
            .filter(|(_, leaf)| (is_fair(leaf, Direction::Up), is_fair(leaf, Direction::Down)) == (up, down));
        let fair: Vec<&str> = fair.map(|(class, _)| class.name.as_str()).collect();
        let names = and_ticked(fair.iter().copied());
        (!fair.is_empty()).then(|| format!("Hosts have equal shares of {what}{names}."))
    };
    of.into_iter().filter_map(sentence).collect()
}

/// Returns the word for a place in an order: `1st`.
fn ordinal(place: usize) -> String {
    let end = match (place % 10, place % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{place}{end}")
}

#[cfg(test)]
#[path = "brief_tests.rs"]
mod tests;
