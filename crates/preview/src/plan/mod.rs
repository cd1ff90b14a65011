//! Preview of `start` on the router that a dump shows: its steps, and the same steps grouped for people.
//!
//! [`plan`] hands the texts of the dump to the engine of the script ([`steps`]), and groups the steps by the object that
//! they change.

mod engine;
mod gap;
mod human;
mod items;
mod router;
mod step;

pub use engine::{Found, Router, steps};
pub use gap::Gap;
pub use human::{changes, human, summary};
pub use items::Item;
pub use router::Call;
pub use step::{Area, Cause, ChangedValue, Object, Setting, Step, Tool};

use crate::live::Dump;
use qosc_compiler::tc::Program;
use serde::Serialize;

/// Result of a preview of `start`.
#[derive(Debug, Clone, Serialize, schemars::JsonSchema)]
pub struct Plan {
    /// Name of the link.
    pub link: String,
    /// Name of the WAN device.
    pub device: String,
    /// True if `start` would change something or refuse to run.
    pub differs: bool,
    /// True if the dump has the record of a completed start.
    pub recorded: bool,
    /// Hook and root qdiscs that others made. If there are any, `start` refuses to change anything.
    pub foreign: Vec<String>,
    /// Other reasons for which `start` would refuse to change anything.
    pub refusals: Vec<String>,
    /// Changes, grouped by object.
    pub items: Vec<Item>,
    /// Differences from the state after the last start, in the words of the script's `check`.
    pub drift: Vec<String>,
    /// Changes of settings outside the qdiscs.
    pub settings: Vec<Setting>,
    /// Time without shaped uploads, if the upload tree is rebuilt.
    pub gap: Option<Gap>,
    /// Further remarks for people.
    pub notes: Vec<String>,
    /// Every command for `ip` and `tc`, in order.
    pub steps: Vec<Step>,
}

impl Plan {
    /// Returns `true` if `start` would change nothing because of the state of the router.
    #[must_use]
    pub fn is_refused(&self) -> bool {
        !self.foreign.is_empty() || !self.refusals.is_empty()
    }

    /// Returns all commands for `ip`, `tc` and the settings, in the order in which `print` shows them.
    #[must_use]
    pub fn commands(&self) -> Vec<String> {
        let steps = |steps: &[Step]| steps.iter().map(|step| step.command.clone()).collect::<Vec<_>>();
        let first_tc = self.steps.iter().position(|step| step.tool == Tool::Tc).unwrap_or(self.steps.len());
        let (before, after) = self.steps.split_at(first_tc);
        // A table of marks is deleted only after the last filter that reads them.
        let settings = |last: bool| {
            let own = self.settings.iter().filter(move |own| own.command.starts_with("nft delete ") == last);
            own.map(|own| own.command.clone()).collect::<Vec<_>>()
        };
        [steps(before), settings(false), steps(after), settings(true)].concat()
    }
}

/// Computes the effect of `start` with this program on the router of a dump. `source` is the name of the YAML file.
///
/// # Errors
/// Returns a message for people if the dump is of another link or WAN device, or does not show the WAN device.
pub fn plan(program: &Program, source: &str, dump: &Dump<'_>, call: Call<'_>) -> Result<Plan, String> {
    let link = program.link.as_str();
    let head = &dump.head;
    if !head.link.is_empty() && head.link != link {
        return Err(format!(
            "the dump is of link `{was}`, but the file describes link `{link}`: to change that link, write `name: {was}`",
            was = head.link
        ));
    }
    let mut notes = Vec::new();
    let wan = router::device(program, dump, call, &mut notes)?;
    let program = &Program { wan: wan.clone(), ..program.clone() };
    router::note(program, dump, &mut notes);
    let program = &program.with_tunnels(|tunnel| dump.through(tunnel.device.as_str()));
    let Found { recorded, our_root, steps, mut settings, foreign, drift } =
        steps(&router::router(program, source, dump))?;
    if let Some(table) = settings.last_mut().filter(|table| table.command.is_empty()) {
        table.command = qosc_compiler::emit::marks_command(program, source);
    }
    let items = items::items(&steps, &settings);
    let foreign = if call.take_over { Vec::new() } else { foreign };
    if !recorded && our_root {
        notes.push(match (dump.file("described").is_empty(), head.script.is_empty()) {
            (true, false) => "the dump has no record of a completed start, so the plan cannot tell changes of the file from drift".to_owned(),
            (true, true) => "no script printed this dump: without a script's record, the plan cannot tell changes of the file from drift".to_owned(),
            (false, _) => "the last start did not complete, so the plan relies on nothing that it left".to_owned(),
        });
    }
    let refusals = dump.refusals();
    Ok(Plan {
        link: link.to_owned(),
        device: wan.to_string(),
        differs: !foreign.is_empty() || !refusals.is_empty() || !items.is_empty(),
        recorded,
        foreign,
        refusals,
        items,
        drift,
        settings,
        gap: gap::gap(&steps, dump),
        notes,
        steps,
    })
}
