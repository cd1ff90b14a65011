//! Prints the objects with which `preflight` tries whether the kernel can do what tunnels need.

use super::lines::Printer;
use crate::tc::{Action, Decrypted, Filter, Hook, Selector};

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
    let mut lines = vec!["qdisc del dev @probe clsact".to_owned(), "qdisc add dev @probe clsact".to_owned()];
    lines.extend(printer.tunnel(&tunnel));
    lines.push("qdisc del dev @probe clsact".to_owned());
    lines.push("qdisc add dev @probe clsact".to_owned());
    lines.extend(pass.map(|filter| printer.filter(filter)));
    lines.extend(came.map(|filter| printer.filter(&filter)));
    lines
}
