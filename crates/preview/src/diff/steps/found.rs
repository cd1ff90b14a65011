//! Output of `templates/plan.awk`.

use std::collections::HashMap;

/// What awk found.
#[derive(Debug, Default)]
pub(super) struct Found<'o> {
    /// Objects of others, each in the script's words.
    pub(super) foreign: Vec<&'o str>,
    /// True if the script's own root qdisc exists.
    pub(super) our_root: bool,
    /// The ifb for downloads; empty if there is none.
    pub(super) target: &'o str,
    /// True if downloads switch to another ifb.
    pub(super) redirect_moves: bool,
    /// What others changed, in the words of the script's `check`.
    pub(super) drift: Vec<&'o str>,
    /// Places that are not as the record says, such as `@wan tree`.
    others: Vec<&'o str>,
    /// Commands with their program.
    pub(super) commands: Vec<&'o str>,
    /// Filters that packets meet, by the name of their list: their number, and true if the last start left them so.
    lists: HashMap<&'o str, (usize, bool)>,
    /// Texts by role, object and state.
    texts: HashMap<(&'o str, &'o str, &'o str), &'o str>,
}

impl<'o> Found<'o> {
    pub(super) fn read(output: &'o str) -> Found<'o> {
        let mut found = Found::default();
        for line in output.lines() {
            let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
            let words: Vec<&str> = rest.splitn(4, ' ').collect();
            match (kind, words.as_slice()) {
                ("foreign", _) => found.foreign.push(rest),
                ("our", _) => found.our_root = true,
                ("target", _) => found.target = rest,
                ("moves", _) => found.redirect_moves = true,
                ("drift", _) => found.drift.push(rest),
                ("other", _) => found.others.push(rest),
                ("step", _) => found.commands.push(rest),
                ("text", [role, object, state, text]) => {
                    found.texts.insert((role, object, state), text);
                }
                ("list", [number, same, ..]) => {
                    let name = rest.splitn(3, ' ').nth(2).unwrap_or_default();
                    found.lists.insert(name, (number.parse().unwrap_or(0), *same == "same"));
                }
                _ => {}
            }
        }
        found
    }

    /// Returns the text of an object in one of its states; empty if there is none.
    pub(super) fn text(&self, role: &str, object: &str, state: &str) -> &'o str {
        self.texts.get(&(role, object, state)).copied().unwrap_or_default()
    }

    /// Returns `true` if the kernel does not show a place as after the last start: `root` (with its entries) or `tree`.
    pub(super) fn is_other(&self, role: &str, place: &str) -> bool {
        self.others.iter().any(|other| other.split_once(' ') == Some((role, place)))
    }

    /// Returns the number of filters that packets meet, and `true` if the last start left them so.
    pub(super) fn list(&self, name: &str) -> Option<(usize, bool)> {
        self.lists.get(name).copied()
    }
}
