//! The result of an import as one direction of a shaper.

use super::packet::Test;
use super::side::{Id, Node, Rule, Side, TOP};
use qosc_compiler::tc::{
    Action, Dev, Filter, FilterProtocol, Hook, IngressMode, Parent, Program, QdiscKind, ROOT, TREE,
};
use qosc_compiler::terms::Direction;
use qosc_compiler::units::Family;

/// Returns a direction of a program; `None` if the program does not shape it.
pub(super) fn side(program: &Program, direction: Direction) -> Option<Side> {
    let dev = if direction == Direction::Up { Dev::Wan } else { Dev::Ifb };
    if direction == Direction::Down && program.ingress != IngressMode::Ifb {
        return None;
    }
    let mut side = Side::default();
    let root = program.qdiscs.iter().find(|qdisc| qdisc.dev == dev && qdisc.parent == Parent::Root)?;
    let class = |id: Id, filter: &Filter| (id, filter.why.name.clone());
    if let QdiscKind::Cake { shaper, .. } = &root.kind {
        let rate = shaper.as_ref()?.rate;
        let node = |parent, name| Node { parent, rate, ceil: rate, prio: 0, name, span: None };
        side.add(TOP, node(None, String::new()));
        side.add((ROOT, 1), node(Some(TOP), "default".to_owned()));
        side.default = Some((ROOT, 1));
        for (id, name) in program
            .filters
            .iter()
            .filter(|filter| filter.dev == dev && filter.hook == Hook::Root)
            .filter_map(|filter| Some(class(target(filter)?, filter)))
        {
            side.add(id, node(Some(TOP), name));
        }
    }
    for class in program.classes.iter().filter(|class| class.dev == dev) {
        let parent = match class.parent {
            Parent::At(parent) if parent.minor != 0 => Some((parent.major, parent.minor)),
            _ => None,
        };
        let parent = parent.map(|parent| if parent == (ROOT, TREE) { TOP } else { parent });
        let id = if parent.is_none() { TOP } else { (class.id.major, class.id.minor) };
        side.add(
            id,
            Node {
                parent,
                rate: class.rate,
                ceil: class.ceil,
                prio: class.prio,
                name: class.why.name.clone(),
                span: None,
            },
        );
    }
    let list = side.lists.entry(TOP).or_default();
    for filter in program.filters.iter().filter(|filter| filter.dev == dev && filter.hook == Hook::Root) {
        if let Some(to) = target(filter) {
            list.add(Rule { family: family(filter), test: test(filter), to, span: None });
        }
    }
    Some(side)
}

fn target(filter: &Filter) -> Option<Id> {
    let priority = filter.actions.iter().find_map(|action| match action {
        Action::Priority(class) => Some(*class),
        _ => None,
    });
    filter.flowid.or(priority).map(|class| (class.major, class.minor))
}

const fn family(filter: &Filter) -> Option<Family> {
    match filter.protocol {
        FilterProtocol::Ip => Some(Family::Ipv4),
        FilterProtocol::Ipv6 => Some(Family::Ipv6),
        FilterProtocol::All | FilterProtocol::Pppoe => None,
    }
}

fn test(filter: &Filter) -> Test {
    if filter.protocol == FilterProtocol::Pppoe || filter.selector.came_by.is_some() {
        return Test::Never;
    }
    let words = filter.selector.words.iter().map(|(at, word)| (*at, (word.value, word.mask))).collect();
    Test::Words(words, filter.selector.mark.map_or((0, 0), |mark| (mark.value, mark.mask)))
}
