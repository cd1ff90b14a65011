//! The result of an import as one direction of a shaper.

use super::packet::Test;
use super::side::{Id, Node, Rule, Side, TOP};
use crate::config::{Charge, Class, Config, Match, NOTHING, UNSHAPED};
use crate::yaml;
use qosc_compiler::compile::{Options, compile};
use qosc_compiler::tc::{
    Action, Dev, Filter, FilterProtocol, Hook, IngressMode, Parent, Program, QdiscKind, ROOT, TREE,
};
use qosc_compiler::terms::{Direction, PerDirection};
use qosc_compiler::units::Family;

/// Returns a direction of a program; `None` if the program does not shape it.
pub(super) fn side(program: &Program, direction: Direction) -> Option<Side> {
    let dev = if direction == Direction::Up { Dev::Wan } else { Dev::Ifb };
    if direction == Direction::Down && program.ingress != IngressMode::Ifb {
        return None;
    }
    let mut side = Side::default();
    let root = program.qdiscs.iter().find(|qdisc| qdisc.dev == dev && qdisc.parent == Parent::Root)?;
    let filters = || program.filters.iter().filter(|filter| filter.dev == dev && filter.hook == Hook::Root);
    if let QdiscKind::Cake { shaper, .. } = &root.kind {
        let rate = shaper.as_ref()?.rate;
        side.add(TOP, Node::new(None, rate, ""));
        side.add((ROOT, 1), Node::new(Some(TOP), rate, "default"));
        side.default = Some((ROOT, 1));
        for (id, filter) in filters().filter_map(|filter| Some((target(filter)?, filter))) {
            side.add(id, Node::new(Some(TOP), rate, &filter.why.name));
        }
    }
    for class in program.classes.iter().filter(|class| class.dev == dev) {
        let parent = match class.parent {
            Parent::At(parent) if parent.minor == TREE => Some(TOP),
            Parent::At(parent) if parent.minor != 0 => Some((parent.major, parent.minor)),
            _ => None,
        };
        let id = if parent.is_none() { TOP } else { (class.id.major, class.id.minor) };
        let node = Node::new(parent, class.rate, &class.why.name);
        side.add(id, Node { ceil: class.ceil, prio: class.prio, ..node });
    }
    let list = side.lists.entry(TOP).or_default();
    for filter in filters() {
        if let (Some(to), Some(test)) = (target(filter), test(filter)) {
            list.add(Rule { family: family(filter), test, to, span: None });
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

/// Returns what a filter tests; `None` if no packet of a comparison can have it.
fn test(filter: &Filter) -> Option<Test> {
    let selector = &filter.selector;
    let words = selector.words.iter().map(|(at, word)| (*at, (word.value, word.mask))).collect();
    let mark = selector.mark.map_or((0, 0), |mark| (mark.value, mark.mask));
    (filter.protocol != FilterProtocol::Pppoe && selector.came_by.is_none()).then_some(Test { words, mark })
}

/// Returns what filters of the kernel test for matches, as the compiler makes them: the number of the match, the IP
/// version of its packets, and the condition. `None` for more matches than the comparison can hold, and if one holds
/// for no packet.
pub(crate) fn tests(matches: &[Match], direction: Direction) -> Option<Vec<(usize, Option<Family>, Test)>> {
    const MOST: usize = 4000;
    let charge = Charge { profile: "raw", overhead: Some(0), mpu: None, layer: None, mtu: None };
    let rates = PerDirection::both(Some(UNSHAPED));
    let mut config = Config::new("", None, "eth0".parse().ok()?, rates, charge);
    (config.nat, config.trust_dscp) = (Some(false), true);
    let class = |(number, one): (usize, &Match)| Class {
        guarantee: PerDirection::both(Some(NOTHING)),
        matches: vec![one.clone()],
        ..Class::new(format!("m{number}"), 1)
    };
    config.classes = matches.iter().take(MOST).enumerate().map(class).collect();
    config.classes.push(Class { default: true, ..Class::new("default", 1) });
    let program = compile(yaml::text(&config, &[]), &Options::of("imported.yaml")).program?;
    let dev = if direction == Direction::Up { Dev::Wan } else { Dev::Ifb };
    let filters = program.filters.iter().filter(|filter| filter.dev == dev && filter.hook == Hook::Root);
    let own = |filter: &Filter| {
        Some((filter.why.name.strip_prefix('m')?.parse().ok()?, family(filter), test(filter)?))
    };
    (matches.len() <= MOST).then(|| filters.filter_map(own).collect())
}
