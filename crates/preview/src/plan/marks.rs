//! Table of marks: decides if `start` would load or delete it.

use super::Setting;
use crate::diff::steps::Cause;
use crate::live::Dump;
use qosc_compiler::tc::Program;

/// Returns the change of the table, and `true` if it comes last: a table is deleted only after the last filter that
/// reads its marks.
pub(super) fn marks(
    program: &Program,
    source: &str,
    dump: &Dump<'_>,
    recorded: bool,
) -> Option<(Setting, bool)> {
    let name = format!("qosc_{}", program.link.as_str());
    let is_table = |line: &&str| line.starts_with("table inet ") || line.starts_with("table netdev ");
    // If a table does not exist, the lines are an error message of nft and begin with other words.
    let shown = |family: &str| {
        let held = dump.asked(&format!("nft list table {family} {name}")).map(|(_, lines)| lines);
        held.unwrap_or_default().iter().copied().skip_while(|line| !is_table(line))
    };
    let now: Vec<&str> = shown("inet").chain(shown("netdev")).collect();
    let what = match (&program.marks, program.is_up_by_ifb) {
        (None, true) => format!("nft table netdev {name}"),
        _ => format!("nft table inet {name}"),
    };
    let old = if now.is_empty() { "none" } else { "there" };
    if program.marks.is_none() && !program.is_up_by_ifb {
        return dump.before("marks").map(|_| {
            let command = format!("nft delete table inet {name}");
            (Setting { what, old: old.to_owned(), new: "none".to_owned(), cause: Cause::File, command }, true)
        });
    }
    let state = dump.file("state").unwrap_or_default();
    let after: Vec<&str> = state.lines().skip_while(|line| !is_table(line)).collect();
    let same = dump.file("marks").as_deref() == Some(qosc_compiler::emit::marks(program).as_str());
    if recorded && same && after == now {
        return None;
    }
    let cause = match (recorded, same) {
        (false, _) => Cause::Unknown,
        (true, true) => Cause::Drift,
        (true, false) => Cause::File,
    };
    let command = qosc_compiler::emit::marks_command(program, source);
    Some((Setting { what, old: old.to_owned(), new: "as described".to_owned(), cause, command }, false))
}
