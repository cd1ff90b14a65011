//! Resolves a direction that CAKE schedules: the tin of each class and the options of the qdisc.

use crate::derive;
use crate::diag::Span;
use crate::model::{
    Cake, Class, ClassId, Diffserv, Direction, Engine, Leaf, Link, PerDirection, Queue, Share, Tin, Val,
    leaves,
};
use crate::units::Micros;

/// Round trip time that CAKE is tuned for by default; CAKE's own default.
const RTT: Micros = Micros::from_ms(100);

/// CAKE's modes: the mode, the number of the tin for unmarked traffic, and the number of tins. Tins have the numbers by
/// which `skb->priority` selects them (sch_cake: `cake_select_tin`, `tin_order`). A higher number is more urgent.
const MODES: [(Diffserv, u16, u16); 4] = [
    (Diffserv::Besteffort, 1, 1),
    (Diffserv::Diffserv3, 2, 3),
    (Diffserv::Diffserv4, 2, 4),
    (Diffserv::Diffserv8, 3, 8),
];

/// Resolves CAKE for both directions. A direction is `None` if HTB schedules it or nothing shapes it.
pub(super) fn resolve(link: &Link, classes: &[Class]) -> PerDirection<Option<Cake>> {
    PerDirection::from_fn(|direction| {
        let is_cake = link.engine.get(direction).value.is_cake() && link.shapes(direction);
        is_cake.then(|| cake(link, classes, direction))
    })
}

fn cake(link: &Link, classes: &[Class], direction: Direction) -> Cake {
    let all = leaves(classes);
    let engine = link.engine.get(direction);
    // filters have no effect at a CAKE of several queues
    let in_tins: Vec<&Class> =
        all.iter().copied().filter(|class| engine.value == Engine::Cake || class.is_default()).collect();
    let (diffserv, tins) = tins(&in_tins, engine.span());
    // the options in a built-in class set are meant for HTB
    let own = in_tins.iter().filter(|class| class.span.is_own());
    let own: Vec<&Leaf> = own.filter_map(|class| class.leaf()).collect();
    let share = own.iter().map(|leaf| leaf.share.get(direction)).find(|share| share.is_given()).cloned();
    let cakes = || {
        own.iter().filter_map(|leaf| match leaf.queue.get(direction) {
            Queue::Cake { rtt, ack_filter, .. } => Some((rtt, ack_filter)),
            _ => None,
        })
    };
    let rtt = cakes().map(|(rtt, _)| rtt).find(|rtt| rtt.is_given()).cloned();
    let rtt = rtt.unwrap_or_else(|| Val::default(RTT, "CAKE's own"));
    let ack_filter = cakes().map(|(_, filter)| filter).find(|filter| filter.is_given()).cloned();
    Cake {
        diffserv,
        tins,
        share: share.unwrap_or_else(|| Val::default(Share::PerHost, "CAKE's own strength")),
        memory: derive::cake_root_memory(link.tree.get(direction).value, rtt.value),
        ack_filter: ack_filter.unwrap_or_else(|| Val::default(false, "CAKE's own")),
        rtt,
    }
}

/// Returns the smallest mode that has a tin for each leaf, and the tins.
///
/// The default leaf gets the tin for unmarked traffic. Leaves with a higher priority get the tins above it, and the
/// others the tins below it. The most urgent leaf gets the highest tin, the least urgent one the lowest. Leaves of
/// equal priority follow the order of the file. If even eight tins are too few, some leaves have none.
fn tins(leaves: &[&Class], from: Option<Span>) -> (Val<Diffserv>, Vec<Tin>) {
    let mut order: Vec<&Class> = leaves.to_vec();
    order.sort_by_key(|class| class.priority.value);
    let at = order.iter().position(|class| class.is_default()).unwrap_or(0);
    let (before, after) = (at, order.len().saturating_sub(at + 1));
    let room =
        |(_, middle, count): &(Diffserv, u16, u16)| (usize::from(count - middle), usize::from(middle - 1));
    let fits = |mode: &&(Diffserv, u16, u16)| room(mode).0 >= before && room(mode).1 >= after;
    let (mode, middle, count) = *MODES.iter().find(fits).unwrap_or(&(Diffserv::Diffserv8, 3, 8));
    let mut numbers: Vec<(ClassId, u16)> = Vec::new();
    let number = |n: usize| u16::try_from(n).unwrap_or(u16::MAX);
    for (n, class) in order.iter().enumerate() {
        let tin = if n < at {
            count.checked_sub(number(n)).filter(|tin| *tin > middle)
        } else if n == at {
            Some(middle)
        } else {
            // the last leaf gets the lowest tin
            Some(number(order.len() - n)).filter(|tin| *tin < middle)
        };
        numbers.extend(tin.map(|tin| (class.id.value, tin)));
    }
    let tins = leaves.iter().filter_map(|class| {
        let (_, number) = numbers.iter().find(|(id, _)| *id == class.id.value)?;
        Some(Tin { class: class.id.value, number: *number, name: name(mode, *number) })
    });
    let formula = format!("{before} before the default, {after} behind it");
    (Val::derived(mode, formula, from), tins.collect())
}

/// Returns the name of a tin in the output of `tc -s qdisc show`.
fn name(mode: Diffserv, number: u16) -> String {
    let names: &[&str] = match mode {
        Diffserv::Besteffort => &["Tin 0"],
        Diffserv::Diffserv3 => &["Bulk", "Best Effort", "Voice"],
        Diffserv::Diffserv4 => &["Bulk", "Best Effort", "Video", "Voice"],
        Diffserv::Diffserv8 => &["Tin 0", "Tin 1", "Tin 2", "Tin 3", "Tin 4", "Tin 5", "Tin 6", "Tin 7"],
    };
    names.get(usize::from(number) - 1).copied().unwrap_or_default().to_owned()
}

#[cfg(test)]
#[path = "cake_tests.rs"]
mod tests;
