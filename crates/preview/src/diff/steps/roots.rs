//! Price and cause of a new root.

use super::facts::cause;
use super::step::Cause;
use super::trees::Tree;
use super::values::{is_cake, is_ours, isolation, kind, option};
use crate::diff::cost::Price;
use qosc_compiler::tc::Dev;

impl Tree<'_> {
    /// Returns the price and cause of a new root.
    pub(super) fn rebuild(&self) -> (Price, Cause) {
        let [was, now, wanted] = ["was", "now", "wanted"].map(|state| self.text("root", state));
        let file = was != wanted;
        let same = !self.is_other("root") && self.text("stray", "now").is_empty();
        let drift = !was.is_empty() && !same;
        // If our root does not exist, the cause is known even without a record.
        let cause = match (is_ours(now), drift && !file) {
            (true, _) => cause(self.router.is_recorded(), file, drift),
            (false, true) => Cause::Drift,
            (false, false) => Cause::File,
        };
        (Price::rebuild(self.why_rebuilt()), cause)
    }

    /// Returns the reason why the root is rebuilt.
    fn why_rebuilt(&self) -> String {
        let (root, want) = (self.text("root", "now"), self.text("root", "wanted"));
        let was = !self.text("root", "was").is_empty();
        if !is_ours(root) {
            return match (was, root.is_empty(), self.dev) {
                (false, _, _) => "there is no tree yet".to_owned(),
                (true, true, Dev::Ifb) => "the ifb device is missing".to_owned(),
                (true, _, _) => "the root qdisc is no longer ours".to_owned(),
            };
        }
        let (old, new) = (kind(root), if is_cake(want) { kind(want) } else { "htb" });
        if old != new {
            return format!("the engine changes from {old} to {new}");
        }
        if !self.text("stray", "now").is_empty() {
            return "others added filters to the root".to_owned();
        }
        if is_cake(want) {
            let of = |line| isolation(line).unwrap_or("?").to_owned();
            return format!(
                "CAKE's flow isolation ({} -> {}) can only be set at creation",
                of(root),
                of(want)
            );
        }
        if self.text("entry", "now").is_empty() {
            return "no filter leads to a tree".to_owned();
        }
        let wanted = option(want, "overhead").filter(|_| want.contains(" stab "));
        let table = option(self.text("table", "now"), "overhead");
        if wanted == table {
            return "these options of the root can only be set at creation".to_owned();
        }
        let bytes = |size: Option<&str>| size.map_or("none".to_owned(), |bytes| format!("{bytes} bytes"));
        format!("the root's size table ({} -> {}) can only be set at creation", bytes(table), bytes(wanted))
    }
}
