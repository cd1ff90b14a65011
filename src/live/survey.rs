//! Tells the script's own objects on the WAN device from those of others, like the script's `survey`.

use crate::tc::{EGRESS_END_PREF, HOOK_BANK, INGRESS_PREF};
use crate::units::IfName;
use std::collections::BTreeSet;

/// Kinds of root qdiscs that somebody must have configured. The script removes them only on request.
const CONFIGURED: [&str; 13] =
    ["htb", "hfsc", "prio", "drr", "qfq", "mq", "mqprio", "multiq", "cbq", "ets", "taprio", "atm", "dsmark"];

/// Result of the survey.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Survey {
    /// Kind of the hook qdisc: `clsact`, `ingress` or empty.
    pub hooked: String,
    /// Objects of others, each in the script's words.
    pub foreign: Vec<String>,
    /// `true` if the script's own root qdisc exists.
    pub our_root: bool,
    /// `true` if the hooks have filters of the script.
    pub our_filters: bool,
    /// Filters of others among `foreign`.
    filters: BTreeSet<String>,
}

impl Survey {
    /// Surveys a state in normal form.
    pub(super) fn of(now: &str, wan: &IfName, needs_egress: bool) -> Survey {
        let mut survey = Survey::default();
        let mut roots = 0;
        for line in now.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words.as_slice() {
                ["filter", ..] if roots == 0 => survey.hook(wan, &words),
                ["qdisc", kind, handle, place, ..] => {
                    roots += usize::from(*place == "root");
                    if roots < 2 {
                        survey.qdisc(wan, kind, handle, place);
                    }
                }
                _ => {}
            }
        }
        if survey.hooked == "ingress" && needs_egress {
            survey.foreign.push(format!(
                "qdisc ingress at the ingress of {wan} (uploads are policed at the egress, which takes a clsact)"
            ));
        }
        survey
    }

    /// Returns `true` if `--take-over` removes the hook and everything attached to it.
    #[must_use]
    pub fn evicts_hook(&self) -> bool {
        self.foreign.iter().any(|what| what.contains("at the ingress"))
    }

    fn qdisc(&mut self, wan: &IfName, kind: &str, handle: &str, place: &str) {
        match (kind, handle, place) {
            ("htb" | "cake", "c05:", "root") => self.our_root = true,
            ("clsact" | "ingress", "ffff:", "parent") => kind.clone_into(&mut self.hooked),
            (_, "0:", "root") => {}
            (_, _, "root") if CONFIGURED.contains(&kind) => {
                self.foreign.push(format!("qdisc {kind} {handle} at the root of {wan}"));
            }
            _ => {}
        }
    }

    fn hook(&mut self, wan: &IfName, words: &[&str]) {
        let (mut pref, mut kind) = (0, "");
        for (n, word) in words.iter().enumerate() {
            if *word == "pref" {
                pref = words.get(n + 1).and_then(|pref| pref.parse().ok()).unwrap_or(0);
                kind = words.get(n + 2).copied().unwrap_or_default();
            }
        }
        let (first, end, bank) = (u32::from(INGRESS_PREF), u32::from(EGRESS_END_PREF), u32::from(HOOK_BANK));
        let at = if pref < first + bank { pref } else { pref - bank };
        if (first..end).contains(&at) {
            self.our_filters = true;
            return;
        }
        let what = format!("filter {kind} pref {pref} at the ingress or egress of {wan}");
        if self.filters.insert(what.clone()) {
            self.foreign.push(what);
        }
    }
}
