//! Drawing of a model and of the kernel's counters.

use super::drawing::{Cell, DirectionDrawing, Drawing, How, Limit, RowKind, TreeRow, Tunnel};
use super::words;
use crate::live::{Counted, Seen, Subject};
use indexmap::IndexMap;
use qosc_compiler::derive;
use qosc_compiler::model::{
    Alternative, Cake, Class, ClassId, Direction, Exceed, HostClass, Ingress, Inner, Isolation, Leaf, Model,
    PerDirection, Queue, Shape, Share,
};
use qosc_compiler::units::Rate;
use std::collections::BTreeMap;

/// Returns the drawing of a model without errors. `counted` has the counters of each direction in which a kernel was
/// queried and has our tree.
#[must_use]
pub fn draw(model: &Model, counted: &PerDirection<Option<Counted>>) -> Drawing {
    let mut homes: BTreeMap<ClassId, Vec<String>> = BTreeMap::new();
    for host in model.hosts.iter().filter(|host| host.home.is_given()) {
        homes.entry(host.home.value).or_default().push(host.name.clone());
    }
    let mut tree = Tree { model, counted, homes, rows: Vec::new() };
    tree.classes(&model.classes, None, 0);
    let rows = tree.rows;
    let leaves = model.leaves_by_id();
    Drawing {
        name: words::shown(model.name.value.as_str()),
        device: model.link.device.value.to_string(),
        profile: words::shown(&model.link.profile.value),
        directions: PerDirection {
            up: direction(model, counted, Direction::Up),
            down: direction(model, counted, Direction::Down),
        },
        rows,
        limits: model.police.iter().map(|police| limit(&leaves, police)).collect(),
        tunnels: model.tunnels.iter().map(tunnel).collect(),
        counters: None,
    }
}

fn direction(
    model: &Model,
    counted: &PerDirection<Option<Counted>>,
    direction: Direction,
) -> DirectionDrawing {
    let link = &model.link;
    let how = match (direction, link.ingress.value, model.cake.get(direction)) {
        (Direction::Down, Ingress::None, _) => How::Nothing,
        (Direction::Down, Ingress::Police, _) => How::Police,
        (_, _, Some(cake)) if link.engine.get(direction).value.is_cake() => {
            How::Tins(cake.diffserv.value.as_str())
        }
        _ => How::Classes,
    };
    DirectionDrawing {
        direction,
        line: link.line_rate(direction).map(|line| line.value),
        varies: link.varies(direction),
        shaped: link.shaped.get(direction).value,
        tree: link.tree.get(direction).value,
        how,
        seen: counted.get(direction).as_ref().map(|counted| counted.get(Subject::Total)),
    }
}

struct Tree<'a> {
    model: &'a Model,
    counted: &'a PerDirection<Option<Counted>>,
    /// Names of the hosts whose `class` is a leaf, by its id.
    homes: BTreeMap<ClassId, Vec<String>>,
    rows: Vec<TreeRow>,
}

impl<'a> Tree<'a> {
    fn classes(&mut self, classes: &'a [Class], parent: Option<usize>, depth: usize) {
        for class in classes {
            let at = self.rows.len();
            let leaf = class.leaf();
            let mut matches = texts(class.matches.as_deref().unwrap_or_default());
            matches.extend(leaf.and_then(|_| self.home_of(class.id.value)));
            if class.matches.is_none() && parent.is_some() && leaf.is_some() {
                matches.push("what no class beside it matches".to_owned());
            }
            if class.is_default() {
                matches.push("what no class matches".to_owned());
            }
            let dscp = leaf.and_then(|leaf| leaf.set_dscp.as_ref());
            self.rows.push(TreeRow {
                parent,
                depth,
                kind: if leaf.is_some() { RowKind::Leaf } else { RowKind::Inner },
                name: words::shown(&class.name),
                priority: leaf.map(|_| class.priority.value),
                default: class.is_default(),
                matches,
                notes: dscp.map(|dscp| format!("sets dscp {}", dscp.value)).into_iter().collect(),
                cells: PerDirection::from_fn(|direction| self.cell(class, direction)),
                seen: PerDirection::from_fn(|direction| self.seen(direction, class.id.value)),
            });
            match &class.shape {
                Shape::Inner(children) => self.classes(children, Some(at), depth + 1),
                Shape::Leaf(leaf) => self.hosts(class, leaf, at, depth + 1),
            }
        }
    }

    /// Names of the hosts whose `class` is this one.
    fn home_of(&mut self, class: ClassId) -> Option<String> {
        let names = self.homes.remove(&class)?;
        Some(format!("class of {}", words::folded(names).join(", ")))
    }

    fn cell(&self, class: &Class, direction: Direction) -> Cell {
        if !self.model.link.shapes(direction) {
            return Cell::Empty;
        }
        if let Some(cake) = self.cake(direction) {
            return match class.shape {
                Shape::Inner(_) => Cell::Empty,
                Shape::Leaf(_) => cake.tin(class.id.value).map_or(Cell::NoTin, |tin| Cell::Tin {
                    name: tin.name.clone(),
                    threshold: derive::cake_threshold(
                        self.model.link.tree.get(direction).value,
                        cake.diffserv.value,
                        tin.number,
                    ),
                }),
            };
        }
        // If a leaf has host classes, the queues are theirs.
        let leaf = class.leaf().filter(|leaf| leaf.hosts.get(direction).is_none());
        Cell::Rates {
            guarantee: class.guarantee.get(direction).value,
            ceiling: Some(class.ceiling.get(direction).value),
            queue: leaf.map(|leaf| queue(leaf.queue.get(direction), leaf.share.get(direction).value)),
        }
    }

    fn cake(&self, direction: Direction) -> Option<&'a Cake> {
        let cakes = self.model.link.engine.get(direction).value.is_cake();
        self.model.cake.get(direction).as_ref().filter(|_| cakes)
    }

    fn seen(&self, direction: Direction, class: ClassId) -> Option<Seen> {
        let counted = self.counted.get(direction).as_ref()?;
        let subject = match self.cake(direction) {
            Some(cake) => Subject::Tin(cake.tin(class)?.number),
            None => Subject::class(class.0),
        };
        Some(counted.get(subject))
    }

    /// Adds rows for the host classes of a leaf. A host class may exist in one direction only.
    fn hosts(&mut self, class: &'a Class, leaf: &'a Leaf, parent: usize, depth: usize) {
        let mut found: IndexMap<ClassId, PerDirection<Option<&HostClass>>> = IndexMap::new();
        for direction in self.model.link.shaped_directions().filter(|own| self.cake(*own).is_none()) {
            for host in leaf.host_classes(direction) {
                *found.entry(host.id.value).or_default().get_mut(direction) = Some(host);
            }
        }
        // The class of the other hosts comes last, in whichever direction it exists.
        let is_rest = |id: ClassId| Direction::BOTH.iter().any(|direction| class.rest(*direction) == id);
        found.sort_by(|one, _, other, _| is_rest(*one).cmp(&is_rest(*other)));
        let one_by_one = words::drawn(found.len());
        for (id, directions) in found.iter().take(one_by_one) {
            let name = directions.up.or(directions.down).map_or("", |host| host.name.as_str());
            let own = name.strip_prefix(class.name.as_str()).and_then(|rest| rest.strip_prefix('/'));
            self.rows.push(TreeRow {
                parent: Some(parent),
                depth,
                kind: RowKind::Host,
                name: words::shown(own.unwrap_or(name)),
                cells: PerDirection::from_fn(|direction| {
                    directions.get(direction).map_or(Cell::Empty, |host| Cell::Rates {
                        guarantee: host.guarantee.value,
                        ceiling: Some(host.ceiling.value),
                        queue: Some(queue(&host.queue, leaf.share.get(direction).value)),
                    })
                }),
                seen: PerDirection::from_fn(|direction| {
                    directions.get(direction).and_then(|_| self.seen(direction, *id))
                }),
                ..TreeRow::default()
            });
        }
        let more = found.len() - one_by_one;
        if more == 0 {
            return;
        }
        let together = |direction: Direction| {
            let hosts = found.values().skip(one_by_one).filter_map(|directions| *directions.get(direction));
            let rates: Vec<Rate> = hosts.map(|host| host.guarantee.value).collect();
            let guarantee = rates.iter().copied().sum();
            if rates.is_empty() { Cell::Empty } else { Cell::Rates { guarantee, ceiling: None, queue: None } }
        };
        self.rows.push(TreeRow {
            parent: Some(parent),
            depth,
            kind: RowKind::Folded,
            name: format!("and {more} more"),
            cells: PerDirection::from_fn(together),
            ..TreeRow::default()
        });
    }
}

fn texts(matches: &[Alternative]) -> Vec<String> {
    words::folded(matches.iter().map(|alternative| alternative.text.clone()).collect())
}

fn queue(queue: &Queue, share: Share) -> String {
    match queue {
        Queue::FqCodel { .. } => "fq_codel".to_owned(),
        Queue::Cake { isolation, .. } if isolation.value == Isolation::Hosts && share == Share::PerHost => {
            "cake, per host".to_owned()
        }
        Queue::Cake { .. } => "cake".to_owned(),
        Queue::Fifo { limit } => {
            format!("fifo of {}", qosc_compiler::diag::count(limit.value as usize, "packet"))
        }
    }
}

fn limit(leaves: &BTreeMap<ClassId, &Class>, police: &qosc_compiler::model::Police) -> Limit {
    let beyond = match police.exceed {
        Exceed::Drop => "drops the excess".to_owned(),
        Exceed::Reclassify(id) => {
            let name = leaves.get(&id);
            format!("the excess goes to {}", name.map_or("another class", |class| class.name.as_str()))
        }
    };
    Limit {
        name: words::shown(&police.name),
        direction: police.direction,
        matches: texts(&police.matches),
        rate: police.rate.value,
        beyond: words::shown(&beyond),
        bypass: police.bypass,
    }
}

fn tunnel(tunnel: &qosc_compiler::model::Tunnel) -> Tunnel {
    let remote = tunnel.remote.iter().map(|address| address.value.to_string()).collect();
    let remote = words::folded(remote).join(", ");
    let device = tunnel.device.as_ref().map(|device| format!("device {}", device.value));
    let to = (!remote.is_empty()).then(|| format!("to {remote}"));
    let port = tunnel.port.as_ref().map(|port| format!("port {port}"));
    let what =
        [Some(tunnel.kind.as_str().to_owned()), device, to, port].into_iter().flatten().collect::<Vec<_>>();
    let inside = match tunnel.inner.value {
        Inner::Match => "matches read the inner packets",
        Inner::Flows => "the queue separates the inner flows",
        Inner::Opaque => "one flow, whatever it carries",
    };
    let decrypted = match (tunnel.decrypted(), tunnel.queued_before_encryption()) {
        (_, Some(_)) => "; uploads and downloads are queued behind its device",
        (Some(_), None) => "; downloads are queued behind its device",
        (None, None) => "",
    };
    Tunnel { name: words::shown(&tunnel.name), what: what.join(", "), inside: format!("{inside}{decrypted}") }
}
