//! Prints the trial objects of `preflight`: each kind of qdisc, class, filter and action once, with the script's own
//! options.

use super::lines::{Printer, leaves};
use super::words::Reader;
use crate::tc::{
    Action, Classifier, Decrypted, Dev, Filter, FilterProtocol, Handle, Hook, Parent, Qdisc, QdiscKind, ROOT,
    Selector, TREE,
};
use std::collections::BTreeSet;

/// Requirements of a filter on kernel and tc. Two filters with equal shapes either both work or both fail.
type Shape = (Hook, FilterProtocol, Classifier, bool, Vec<&'static str>);

fn shape(filter: &Filter) -> Shape {
    let action = |action: &Action| match action {
        Action::Police(_) => "police",
        Action::Redirect(_) => "mirred",
        Action::Restore { flag: 0, .. } => "ctinfo",
        Action::Restore { mask: 0, .. } => "skbedit mark",
        Action::Restore { .. } => "ctinfo and skbedit mark",
        Action::Priority(_) => "skbedit",
        Action::SetDscp { .. } => "pedit",
        Action::ClearLabel => "label",
        Action::Pass => "pass",
    };
    (
        filter.hook,
        filter.protocol,
        filter.classifier,
        filter.selector.mark.is_some(),
        filter.actions.iter().map(action).collect(),
    )
}

/// Returns an HTB root with one class, if the program has one.
pub(super) fn tree(printer: &Printer<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    let root = printer.program.qdiscs.iter().find(|q| is_htb(q));
    lines.extend(root.map(|q| printer.qdisc(q)));
    lines.extend(printer.program.classes.first().map(|c| printer.class(c)));
    lines
}

const fn is_htb(qdisc: &Qdisc) -> bool {
    matches!(qdisc.kind, QdiscKind::Htb { .. })
}

/// Returns one class with a leaf for each kind of leaf.
pub(super) fn leaf_kinds(printer: &Printer<'_>, split: bool) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let mut taken = BTreeSet::new();
    let mut lines = Vec::new();
    let all: Vec<Qdisc> =
        [Dev::Wan, Dev::Ifb].iter().flat_map(|dev| leaves(printer.program, *dev, split)).collect();
    for mut leaf in all {
        let name = match &leaf.kind {
            QdiscKind::FqCodel { .. } => "fq_codel",
            QdiscKind::Cake { .. } => "cake",
            QdiscKind::Pfifo { .. } => "pfifo",
            QdiscKind::Htb { .. } | QdiscKind::Clsact => continue,
        };
        // the search for a class runs once per kind, however many leaves there are
        if !seen.insert(name) {
            continue;
        }
        let mut classes = printer.program.classes.iter();
        let Some(class) = classes.find(|c| c.dev == leaf.dev && leaf.parent == Parent::At(c.id)) else {
            continue;
        };
        let mut class = class.clone();
        class.parent = Parent::At(Handle { major: ROOT, minor: TREE });
        // Uploads and downloads may have different leaves for one class, and the device of the trial is only one.
        if !taken.insert(class.id) {
            // Kinds of leaves are few.
            class.id.minor = TREE + u16::try_from(seen.len()).unwrap_or(u16::MAX - TREE);
            leaf.parent = Parent::At(class.id);
            leaf.handle.major = class.id.minor;
        }
        lines.push(printer.class(&class));
        lines.push(printer.qdisc(&leaf));
    }
    lines
}

/// Returns one filter of each shape, at the hooks and under each kind of root. The CAKE root replaces the HTB root.
pub(super) fn filters(printer: &Printer<'_>) -> Vec<String> {
    let qdiscs = &printer.program.qdiscs;
    let mut lines = Vec::new();
    let hooks = qdiscs.iter().find(|q| q.kind == QdiscKind::Clsact);
    lines.extend(hooks.map(|q| printer.qdisc(q)));
    // collected once, and not for each of many filters
    let roots: Vec<&Qdisc> = qdiscs.iter().filter(|q| q.parent == Parent::Root).collect();
    let roots = || roots.iter().copied();
    let under = |htb: bool, filter: &Filter| {
        filter.hook == Hook::Root && roots().any(|root| root.dev == filter.dev && is_htb(root) == htb)
    };
    shapes(printer, |filter| filter.hook != Hook::Root || under(true, filter), &mut lines);
    if roots().any(is_htb) && !roots().all(is_htb) {
        lines.push("qdisc del dev $probe root".to_owned());
    }
    lines.extend(roots().filter(|root| !is_htb(root)).map(|root| printer.qdisc(root)));
    shapes(printer, |filter| under(false, filter), &mut lines);
    lines
}

fn shapes(printer: &Printer<'_>, fits: impl Fn(&Filter) -> bool, lines: &mut Vec<String>) {
    let mut seen = BTreeSet::new();
    // filters that depend on a tunnel device are tried with that device
    let fits = |filter: &&Filter| filter.with.is_none() && fits(filter);
    for filter in printer.program.filters.iter().filter(fits) {
        if seen.insert(shape(filter)) {
            let mut filter = filter.clone();
            // The class of the filter does not exist here, so the one that exists takes its place.
            filter.flowid = filter.flowid.map(|_| Handle { major: ROOT, minor: TREE });
            lines.push(printer.filter(&filter));
        }
    }
}

/// Returns the trial objects for tunnels whose downloads reach the ifb after decryption; empty if there are none.
pub(super) fn decrypted(printer: &Printer<'_>) -> Vec<String> {
    // any port, and the longest header
    let program = &printer.program.with_tunnels(|_| Some(9));
    let printer = &Printer { program, ..*printer };
    let Some(tunnel) = program.decrypted.iter().max_by_key(|tunnel| tunnel.more) else { return Vec::new() };
    let tunnel = Decrypted { header: Some(14), ..tunnel.clone() };
    let pass = program.filters.iter().filter(|filter| filter.actions == [Action::Pass]).take(2);
    let came = program.filters.iter().find(|filter| filter.selector.came_by.is_some()).map(|filter| {
        let selector = Selector { came_by: "lo".parse().ok(), ..Selector::default() };
        Filter { selector, hook: Hook::Ingress, flowid: None, actions: vec![Action::Pass], ..filter.clone() }
    });
    // earlier trial objects have the same preferences
    let mut lines = vec!["qdisc del dev $probe clsact".to_owned(), "qdisc add dev $probe clsact".to_owned()];
    lines.extend(printer.tunnel(&tunnel));
    lines.push("qdisc del dev $probe clsact".to_owned());
    lines.push("qdisc add dev $probe clsact".to_owned());
    lines.extend(pass.map(|filter| printer.filter(filter)));
    lines.extend(came.map(|filter| printer.filter(&filter)));
    lines
}

/// Returns the reader of the probe's lines.
pub(super) const fn reader() -> Reader<'static> {
    Reader::Probe
}
