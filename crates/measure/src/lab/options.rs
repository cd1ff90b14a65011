//! Options of the lab.

use super::other_script::OtherScript;
use qosc_compiler::model::Expect;
use qosc_compiler::units::Micros;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Options of the lab.
#[derive(Debug, Clone)]
pub struct LabOptions {
    /// Round trip time of an idle line.
    pub rtt: Micros,
    /// Shortens each scenario. If no groups are named, only the situations and expectations are played.
    pub quick: bool,
    /// Groups of scenarios to play; all if empty.
    pub parts: Vec<ScenarioGroup>,
    /// Script that the router runs in place of the compiled script.
    pub script: Option<OtherScript>,
    /// Flag that the caller sets to stop the guest and the lab.
    pub stop: Arc<AtomicBool>,
}

impl LabOptions {
    /// True if the lab plays the scenarios of a group. Only the compiled script has classes.
    pub(super) fn has(&self, part: ScenarioGroup) -> bool {
        if part == ScenarioGroup::Classes && self.script.is_some() {
            return false;
        }
        match (self.parts.is_empty(), self.quick) {
            (true, true) => matches!(part, ScenarioGroup::Situations | ScenarioGroup::Expect),
            (true, false) => true,
            (false, _) => self.parts.contains(&part),
        }
    }

    /// True if the lab tries this expectation.
    pub(super) fn tries(&self, expect: &Expect) -> bool {
        self.has(ScenarioGroup::Expect) && !(self.script.is_some() && LabOptions::names_class(expect))
    }

    /// True if an expectation is about the packets of a class.
    pub(super) const fn names_class(expect: &Expect) -> bool {
        expect.class.is_some() || expect.of.is_some()
    }
}

/// A group of scenarios.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScenarioGroup {
    /// Idle line, uploads, downloads and floods, without the script and with it.
    Situations,
    /// Packets of 64 bytes at full load.
    Small,
    /// One flow of a host against eight flows of another host.
    Flows,
    /// Every class while each other class is full.
    Classes,
    /// Expectations in the file.
    Expect,
}
