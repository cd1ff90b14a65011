//! Objects of others on the WAN device, which `start` does not touch without being told.

use super::router::Router;
use super::values::{is_ours, option};
use crate::tc::{EGRESS_END_PREF, HOOK_BANK, INGRESS_PREF};

/// Kinds of roots that a person has set up. The kernel creates others by itself.
const ROOTS: [&str; 13] =
    ["htb", "hfsc", "prio", "drr", "qfq", "mq", "mqprio", "multiq", "cbq", "ets", "taprio", "atm", "dsmark"];

/// What the WAN device has besides our trees.
#[derive(Debug, Default)]
pub(super) struct Others {
    /// Kind of the qdisc at the hooks: `clsact`, `ingress`, or nothing.
    pub(super) hook: String,
    /// True if our root qdisc exists.
    pub(super) our_root: bool,
    /// Objects of others, each in the script's words.
    pub(super) foreign: Vec<String>,
    /// True after the filters at the hooks.
    is_past: bool,
}

impl Others {
    /// Looks through the lines of tc: the filters at the hooks come first, and the second root is that of an ifb.
    pub(super) fn find<'l>(router: &Router, lines: impl Iterator<Item = &'l str>) -> Others {
        let (mut found, wan) = (Others::default(), &router.wan);
        let mut roots = u8::from(!router.has_up());
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().take(4).collect();
            match words.as_slice() {
                ["qdisc", _, _, "root"] if roots > 0 => {
                    if !router.is_up_by_ifb {
                        break;
                    }
                    found.is_past = true;
                }
                ["filter", ..] if !found.is_past => found.filter(line, wan),
                ["qdisc", kind, handle, "root"] => {
                    roots += 1;
                    found.is_past = true;
                    found.our_root = is_ours(line);
                    if !found.our_root && *handle != "0:" && ROOTS.contains(kind) {
                        found.add(format!("qdisc {kind} {handle} at the root of {wan}"));
                    }
                }
                ["qdisc", kind @ ("clsact" | "ingress"), "ffff:", "parent"] => {
                    (*kind).clone_into(&mut found.hook)
                }
                _ => {}
            }
        }
        if router.needs_egress && found.hook == "ingress" {
            found.add(format!(
                "qdisc ingress at the ingress of {wan} (uploads are policed at the egress, which takes a clsact)"
            ));
        }
        found
    }

    /// Returns true if others have filters at the hooks, or another qdisc than we need.
    pub(super) fn are_at_hooks(&self) -> bool {
        self.foreign.iter().any(|words| words.contains("at the ingress"))
    }

    fn filter(&mut self, line: &str, wan: &str) {
        let pref = option(line, "pref").unwrap_or_default();
        let kind = line.split_whitespace().skip_while(|word| *word != "pref").nth(2).unwrap_or_default();
        let number = pref.parse().unwrap_or(0_u16);
        let in_a = number.checked_sub(HOOK_BANK).filter(|pref| *pref >= INGRESS_PREF).unwrap_or(number);
        if !(INGRESS_PREF..EGRESS_END_PREF).contains(&in_a) {
            self.add(format!("filter {kind} pref {pref} at the ingress or egress of {wan}"));
        }
    }

    fn add(&mut self, words: String) {
        if !self.foreign.contains(&words) {
            self.foreign.push(words);
        }
    }
}
