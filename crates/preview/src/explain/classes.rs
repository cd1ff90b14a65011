//! Sections on classes: rates, bursts and quanta.

use super::row::PACKET;
use super::row::{ExplanationRow, ExplanationSection, derived, fixed, row, row_as};
use super::{Wanted, packets, queues};
use qosc_compiler::diag::count;
use qosc_compiler::model::{
    Amount, Class, ClassId, Direction, HostClass, Leaf, Model, Scheduling, Shape, Val,
};
use qosc_compiler::tc::{Program, QdiscKind, R2Q, ROOT, TREE, class_minor};
use qosc_compiler::units::Rate;
use std::collections::{BTreeMap, BTreeSet};

/// Section on the HTB roots and the class at the top of the tree.
pub(super) fn htb(model: &Model, program: &Program) -> ExplanationSection {
    let roots = program.qdiscs.iter().filter_map(|qdisc| match &qdisc.kind {
        QdiscKind::Htb { direct_qlen, .. } => Some(*direct_qlen),
        _ => None,
    });
    let handle = format!("{ROOT:x}:");
    let mut rows = vec![fixed(
        "root.handle",
        "handle of the roots",
        handle,
        "no other tool uses it, so qosc knows its own root",
    )];
    if let Some(direct) = roots.max() {
        let why = "there is no default class: the last filter classifies every packet";
        rows.push(fixed("root.default", "default", 0, why));
        rows.push(fixed(
            "root.r2q",
            "r2q",
            R2Q,
            "HTB's default; nothing is computed from it, because each class has a quantum",
        ));
        let why = "the queue length of an Ethernet device; only packets outside all classes enter this queue";
        rows.push(fixed("root.direct_qlen", "direct_qlen", direct, why));
        let why = "the parent of all classes";
        rows.push(fixed("tree.number", "id of the root class", format!("{ROOT:x}:{TREE:x}"), why));
        let why = "the kernel uses it only in leaf classes";
        rows.push(fixed("tree.priority", "prio of the root class", 0, why));
    }
    for direction in model.link.shaped_directions().filter(|direction| model.cake.get(*direction).is_none()) {
        let name = direction.as_str();
        let rate = format!("link.tree.{name}");
        rows.extend(scheduling(model.link.scheduling.get(direction), direction, "tree", (&rate, &rate)));
        let link = Above { class: None, within: "" };
        rows.extend(left(
            link,
            direction,
            model.link.tree.get(direction).value,
            &of_classes(&model.classes, direction),
        ));
    }
    ExplanationSection::new("the root", rows)
}

/// Returns a section for each direction that CAKE shapes, then one for each class in the order of the file.
pub(super) fn classes(model: &Model, wanted: Wanted, only: Option<&str>) -> Vec<ExplanationSection> {
    let directions = model.link.shaped_directions().filter_map(|direction| {
        Some(queues::cake_root(model, model.cake.get(direction).as_ref()?, direction))
    });
    let mut sections = directions.collect();
    let whole = only.map(|only| around(&model.classes, only));
    let all = Explained { model, wanted, whole: whole.as_ref() };
    all.below(&model.classes, Above { class: None, within: "" }, &mut sections);
    sections
}

/// Returns the names of a class and of the classes around it.
fn around<'a>(classes: &'a [Class], only: &str) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    for class in classes {
        let mut inside = match &class.shape {
            Shape::Inner(children) => around(children, only),
            Shape::Leaf(leaf) => {
                let hosts = Direction::BOTH.into_iter().flat_map(|direction| leaf.host_classes(direction));
                hosts.map(|host| host.name.as_str()).filter(|name| *name == only).collect()
            }
        };
        if class.name == only || !inside.is_empty() {
            found.append(&mut inside);
            found.insert(class.name.as_str());
        }
    }
    found
}

/// Context of every section on a class.
#[derive(Clone, Copy)]
struct Explained<'a> {
    model: &'a Model,
    wanted: Wanted,
    /// Classes with all of their rows; `None` stands for all classes. The others have only the rows that a row of
    /// another class can be computed from.
    whole: Option<&'a BTreeSet<&'a str>>,
}

/// Parent of classes: a class or the link.
#[derive(Clone, Copy)]
struct Above<'a> {
    class: Option<&'a Class>,
    /// Prefix of the children's titles.
    within: &'a str,
}

impl Above<'_> {
    /// Returns the id of the parent's row with the shared rate.
    fn row(self, direction: Direction, what: &str) -> String {
        match self.class {
            Some(class) => format!("class.{}.{}.{what}", class.name, direction.as_str()),
            None => format!("link.tree.{}", direction.as_str()),
        }
    }

    /// Returns the id of the row with the rate that the children's guarantees leave.
    fn left(self, direction: Direction) -> String {
        match self.class {
            Some(class) => format!("class.{}.{}.left", class.name, direction.as_str()),
            None => format!("link.left.{}", direction.as_str()),
        }
    }
}

/// Classes with the same parent: the name of each, if the file gives it a guarantee, and the rate this takes from the
/// others.
type Sharers<'a> = Vec<(&'a str, bool, Rate)>;

fn of_classes(classes: &[Class], direction: Direction) -> Sharers<'_> {
    let asked = |class: &Class| *class.asked.guarantee.get(direction);
    let sharer = |own: &'_ Class| taken(asked(own), own.guarantee.get(direction).value);
    classes.iter().map(|own| (own.name.as_str(), asked(own).is_some(), sharer(own))).collect()
}

fn of_hosts(leaf: &Leaf, direction: Direction) -> Sharers<'_> {
    let sharer = |own: &HostClass| taken(own.asked.guarantee, own.guarantee.value);
    let classes = leaf.host_classes(direction);
    classes.map(|own| (own.name.as_str(), own.asked.guarantee.is_some(), sharer(own))).collect()
}

/// Rate that a guarantee takes from the parent. `0%` takes nothing, although the kernel needs a rate above 0.
fn taken(asked: Option<Amount>, guarantee: Rate) -> Rate {
    if asked.is_some_and(Amount::is_nothing) { Rate::from_bps(0) } else { guarantee }
}

/// Row on the rate that the given guarantees leave to the classes without one.
fn left(
    above: Above<'_>,
    direction: Direction,
    whole: Rate,
    sharers: &[(&str, bool, Rate)],
) -> Option<ExplanationRow> {
    let name = direction.as_str();
    let asked = || sharers.iter().filter(|(_, asked, _)| *asked);
    let others = sharers.len().checked_sub(asked().count()).filter(|others| *others > 0)?;
    let sum: Rate = asked().map(|(_, _, rate)| *rate).sum();
    let formula = format!("{whole} - {sum}, shared by {others} without a guarantee of their own");
    let row = derived(above.left(direction), format!("left {name}"), whole.saturating_sub(sum), formula);
    let ids = asked().map(|(class, _, _)| format!("class.{class}.{name}.guarantee"));
    Some(row.takes([above.row(direction, "guarantee")]).takes(ids))
}

impl Explained<'_> {
    fn is_whole(self, class: &str) -> bool {
        self.whole.is_none_or(|whole| whole.contains(class))
    }

    fn below(self, classes: &[Class], above: Above<'_>, sections: &mut Vec<ExplanationSection>) {
        for class in classes {
            sections.push(self.section(class, above));
            match &class.shape {
                Shape::Inner(children) => {
                    let within = format!("{}{} / ", above.within, class.name);
                    self.below(children, Above { class: Some(class), within: &within }, sections);
                }
                Shape::Leaf(leaf) => self.hosts(class, leaf, above.within, sections),
            }
        }
    }

    fn section(self, class: &Class, above: Above<'_>) -> ExplanationSection {
        let name = &class.name;
        let priority = row(format!("class.{name}.priority"), "priority", &class.priority);
        let mut rows = vec![
            number(name, &class.id),
            priority.takes(above.class.map(|above| format!("class.{}.priority", above.name))),
        ];
        if let Shape::Leaf(leaf) = &class.shape {
            rows.extend(queues::share(class, leaf));
        }
        for direction in self.model.link.shaped_directions() {
            if let Some(cake) = self.model.cake.get(direction) {
                rows.extend(queues::tin(cake, class, direction));
                continue;
            }
            let (asked, ceiling) =
                (*class.asked.guarantee.get(direction), *class.asked.ceiling.get(direction));
            let rates = Rates {
                guarantee: class.guarantee.get(direction),
                ceiling: class.ceiling.get(direction),
                asked: (asked, ceiling),
            };
            rows.extend(rates.rows(name, direction, above));
            if !self.is_whole(name) {
                continue;
            }
            let within = Above { class: Some(class), within: "" };
            let sharers = match &class.shape {
                Shape::Inner(children) => of_classes(children, direction),
                Shape::Leaf(leaf) => of_hosts(leaf, direction),
            };
            rows.extend(left(within, direction, class.guarantee.get(direction).value, &sharers));
            rows.extend(own_scheduling(class.scheduling.get(direction), direction, name));
            if let Shape::Leaf(leaf) = &class.shape
                && leaf.hosts.get(direction).is_none()
            {
                let share = queues::id_of_share(class, leaf, direction);
                rows.extend(queues::queue(leaf.queue.get(direction), name, &share, direction));
            }
            let rates = (class.guarantee.get(direction).value, class.ceiling.get(direction).value);
            let priority = class.leaf().map(|_| class.priority.value);
            rows.extend(packets::of_class(self.model, name, direction, rates, priority, self.wanted));
        }
        if let Shape::Leaf(leaf) = &class.shape
            && let Some(dscp) = &leaf.set_dscp
        {
            rows.push(row(format!("class.{name}.set_dscp"), "set_dscp", dscp));
        }
        ExplanationSection {
            class: Some(name.clone()),
            ..ExplanationSection::new(format!("class {}{name}", above.within), rows)
        }
    }

    /// Adds a section for each host class and for the class of all other hosts.
    fn hosts(self, leaf: &Class, shape: &Leaf, within: &str, sections: &mut Vec<ExplanationSection>) {
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for direction in self.model.link.shaped_directions() {
            for class in shape.host_classes(direction) {
                let rows = self.host(class, (leaf, shape), direction);
                let at = *places.entry(&class.name).or_insert(sections.len());
                if let Some(section) = sections.get_mut(at) {
                    section.rows.extend(rows);
                    continue;
                }
                let name = &class.name;
                let priority = derived(
                    format!("class.{name}.priority"),
                    "priority",
                    leaf.priority.value,
                    format!("that of `{}`", leaf.name),
                );
                let mut first =
                    vec![number(name, &class.id), priority.takes([format!("class.{}.priority", leaf.name)])];
                first.extend(rows);
                let of = class.host.and_then(|host| self.model.hosts.get(host)?.of);
                let devices = |of| count(self.model.devices(of).count(), "device");
                let all = of.map(|of| format!(", one of {}", devices(of))).unwrap_or_default();
                let is_first = of.is_none_or(|of| self.model.devices(of).next() == class.host);
                sections.push(ExplanationSection {
                    class: Some(name.clone()),
                    is_repeated: !is_first,
                    ..ExplanationSection::new(format!("class {within}{name}{all}"), first)
                });
            }
        }
    }

    fn host(
        self,
        class: &HostClass,
        (leaf, shape): (&Class, &Leaf),
        direction: Direction,
    ) -> Vec<ExplanationRow> {
        let rates = Rates {
            guarantee: &class.guarantee,
            ceiling: &class.ceiling,
            asked: (class.asked.guarantee, class.asked.ceiling),
        };
        let mut rows = rates.rows(&class.name, direction, Above { class: Some(leaf), within: "" });
        if !self.is_whole(&class.name) {
            return rows;
        }
        rows.extend(own_scheduling(&class.scheduling, direction, &class.name));
        let share = queues::id_of_share(leaf, shape, direction);
        rows.extend(queues::queue(&class.queue, &class.name, &share, direction));
        let (rates, name) = ((class.guarantee.value, class.ceiling.value), &class.name);
        let priority = Some(leaf.priority.value);
        rows.extend(packets::of_class(self.model, name, direction, rates, priority, self.wanted));
        rows
    }
}

fn number(class: &str, id: &Val<ClassId>) -> ExplanationRow {
    row_as(format!("class.{class}.number"), "id", id, format!("{ROOT:x}:{:x}", class_minor(id.value.0)))
}

/// Guarantee and ceiling of a class.
struct Rates<'a> {
    guarantee: &'a Val<Rate>,
    ceiling: &'a Val<Rate>,
    asked: (Option<Amount>, Option<Amount>),
}

impl Rates<'_> {
    fn rows(self, class: &str, direction: Direction, above: Above<'_>) -> Vec<ExplanationRow> {
        let name = direction.as_str();
        let id = |what: &str| format!("class.{class}.{name}.{what}");
        let guarantee = row(id("guarantee"), format!("guarantee {name}"), self.guarantee)
            .takes([above.row(direction, "guarantee")]);
        let guarantee = match self.asked.0 {
            Some(Amount::Share(share)) => guarantee.written(share, self.guarantee.span()),
            Some(Amount::Rate(_)) => guarantee,
            None => guarantee.takes([above.left(direction), id("ceiling")]),
        };
        let ceiling = row(id("ceiling"), format!("ceiling {name}"), self.ceiling);
        let ceiling = ceiling.follows(above.row(direction, "ceiling"));
        let ceiling = match self.asked.1 {
            Some(Amount::Share(share)) => ceiling.written(share, self.ceiling.span()),
            Some(Amount::Rate(_)) | None => ceiling,
        };
        vec![guarantee, ceiling]
    }
}

fn own_scheduling(own: &Scheduling, direction: Direction, class: &str) -> Vec<ExplanationRow> {
    let rate = |what: &str| format!("class.{class}.{}.{what}", direction.as_str());
    scheduling(own, direction, &format!("class.{class}"), (&rate("guarantee"), &rate("ceiling")))
}

/// Rows on bursts and quantum. The pair has the ids of the rows on guarantee and ceiling.
fn scheduling(
    own: &Scheduling,
    direction: Direction,
    of: &str,
    (guarantee, ceiling): (&str, &str),
) -> Vec<ExplanationRow> {
    let name = direction.as_str();
    let id = |what: &str| format!("{of}.{name}.{what}");
    let split = format!("router.split.{name}");
    vec![
        row(id("burst"), format!("burst {name}"), &own.burst).takes([guarantee]).takes(PACKET),
        row(id("cburst"), format!("cburst {name}"), &own.cburst).takes([ceiling]).takes(PACKET),
        row(id("quantum"), format!("quantum {name}"), &own.quantum).takes([
            guarantee,
            "packet.frame",
            &split,
        ]),
    ]
}
