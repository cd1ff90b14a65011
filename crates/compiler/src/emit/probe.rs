//! Prints the objects with which `try_tunnels` tries whether the kernel can do what tunnels need.

use super::lines::{Printer, ROOT_HANDLE};
use crate::tc::{Action, Decrypted, Filter, Hook, Program, Selector};

/// Returns the trial objects for tunnels whose downloads reach the ifb after decryption; empty if there are none.
pub(super) fn decrypted(printer: &Printer<'_>) -> Vec<String> {
    let whole = printer.program;
    let Some(tunnel) = whole.decrypted.iter().max_by_key(|tunnel| tunnel.more) else { return Vec::new() };
    if tunnel.more.is_none() {
        return Vec::new();
    }
    // A copy of all filters could be large.
    let pass = whole.filters.iter().filter(|filter| filter.is_of_decrypted()).take(2);
    let came = whole.filters.iter().find(|filter| filter.selector.came_by.is_some());
    let filters: Vec<Filter> = pass.chain(came).cloned().collect();
    let few = Program { decrypted: whole.decrypted.clone(), filters, ..whole.without_objects() };
    // any port, and the longest header
    let program = &few.with_tunnels(|_| Some(9));
    let printer = &Printer { program, ..*printer };
    let tunnel = Decrypted { header: Some(14), ..tunnel.clone() };
    let pass = program.filters.iter().filter(|filter| filter.is_of_decrypted()).take(2);
    let came = program.filters.iter().find(|filter| filter.selector.came_by.is_some()).map(|filter| {
        let selector = Selector { came_by: "lo".parse().ok(), ..Selector::default() };
        Filter { selector, hook: Hook::Ingress, flowid: None, actions: vec![Action::Pass], ..filter.clone() }
    });
    let mut lines = vec!["qdisc add dev @probe clsact".to_owned()];
    lines.extend(printer.tunnel(&tunnel));
    lines.push("qdisc del dev @probe clsact".to_owned());
    lines.push("qdisc add dev @probe clsact".to_owned());
    lines.extend(pass.map(|filter| printer.filter(filter)));
    lines.extend(came.map(|filter| printer.filter(&filter)));
    if tunnel.uploads {
        lines.push(format!("qdisc add dev @probe root handle {ROOT_HANDLE} htb"));
        lines.push(printer.reader.shortened(&tunnel, ROOT_HANDLE));
    }
    lines
}
