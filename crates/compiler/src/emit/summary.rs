//! What a script says of its line beside the kernel objects.

use super::carried::Carried;
use crate::tc::Program;
use crate::terms::ScriptCall;
use serde::Serialize;

/// Information for the head of the script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Name of the YAML file without its folder.
    pub source: String,
    /// Shaped rates and classes, one per line.
    pub lines: Vec<String>,
    /// Shaped upload rate for people.
    pub up: String,
    /// Shaped download rate for people.
    pub down: String,
    /// Rates that the call `rate` replaces, of uploads and downloads in bit/s, such as `6500000bit 25000000bit`.
    pub rates: String,
    /// Lowest and highest upload and download rate for the call `follow`, in bit/s; empty if the line does not vary.
    pub bounds: String,
    /// Addresses that `follow` pings; empty for the next router.
    pub probes: String,
    /// Delay that `follow` lets the line add, in microseconds.
    pub delay: u64,
    /// Tins of the directions that CAKE schedules: direction, number from 1, class.
    pub tins: Vec<(&'static str, u16, String)>,
    /// Calls that the script has beside the usual ones.
    pub calls: Vec<ScriptCall>,
    /// When variants begin and end: day from 1 (Monday), hour, minute and name, such as `12300:night 20600:`.
    pub switches: String,
    /// What each variant has in place of the rest.
    pub variants: Vec<Varied>,
    /// Texts that the script carries at its end.
    pub carried: Carried,
}

/// A script for a part of the day, inside the script for the rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Varied {
    /// Name of the variant.
    pub name: String,
    /// Its kernel objects.
    pub program: Program,
    /// Its summary.
    pub summary: Summary,
}
