//! Preview of `start` on the router that a dump shows: its steps, and the same steps grouped for people.
//!
//! [`plan`] fills in the router's facts, computes the steps of the script ([`steps`]) and groups them by the object
//! that they change.

mod gap;
mod human;
mod items;
mod marks;
mod settings;

pub use gap::Gap;
pub use human::{changes, human, summary};
pub use items::{Area, Item};
pub use settings::Setting;

use crate::diff::steps::{Router, Step, Steps, Tool, steps};
use crate::live::Dump;
use qosc_compiler::tc::{ETHERNET, Facts, Hook, Program, QdiscKind, header_by_name};
use qosc_compiler::units::IfName;
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
    /// Number of settings, counted from the end, that are changed after everything else.
    #[serde(skip)]
    pub last: usize,
    /// Time without shaped uploads, if the upload tree is rebuilt.
    pub gap: Option<Gap>,
    /// Further remarks for people.
    pub notes: Vec<String>,
    /// Every command for `ip` and `tc`, in order.
    pub steps: Vec<Step>,
}

/// Arguments of the `start` to preview.
#[derive(Debug, Clone, Copy, Default)]
pub struct Call<'a> {
    /// Device of `--device`.
    pub device: Option<&'a IfName>,
    /// True if `--take-over` is given.
    pub take_over: bool,
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
        let command = |step: &Step| step.command.clone();
        let first_tc = self.steps.iter().position(|step| step.tool == Tool::Tc).unwrap_or(self.steps.len());
        let (before, after) = self.steps.split_at_checked(first_tc).unwrap_or((&self.steps, &[]));
        let settings = self.settings.iter().map(|setting| setting.command.clone());
        let first = self.settings.len().saturating_sub(self.last);
        let (early, late) = (settings.clone().take(first), settings.skip(first));
        before.iter().map(command).chain(early).chain(after.iter().map(command)).chain(late).collect()
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
    let wan = device(program, dump, call, &mut notes)?;
    let program = &Program { wan: wan.clone(), ..program.clone() };
    let facts = facts(program, dump);
    let ifb = |name: &str| (name.to_owned(), dump.upness(name));
    let program = &tunnels(program, dump, &mut notes);
    if let Some(rates) = dump.file("rate") {
        let mut rates = rates.split_whitespace();
        if let (Some(up), Some(down)) = (rates.next(), rates.next()) {
            notes.push(format!(
                "`rate` set the tree to {up} up and {down} down: `start` restores the rates of the file"
            ));
        }
    }
    let queues = settings::queue_limits(program, dump);
    let uploads_ifb = program.third_ifb();
    let up = if program.is_up_by_ifb { uploads_ifb.as_str() } else { wan.as_str() };
    let (was, held) = (dump.file("described").unwrap_or_default(), dump.file("state").unwrap_or_default());
    let recorded = !was.is_empty() && !held.is_empty();
    let held = if recorded { shown_in(&held) } else { String::new() };
    let router = Router {
        link: link.to_owned(),
        wan: wan.to_string(),
        ifb: ifb(program.ifb.as_str()),
        second_ifb: ifb(&program.second_ifb()),
        queue: dump.txqueuelen(wan.as_str()).unwrap_or_default().to_owned(),
        txqueuelen: program.settings.txqueuelen.map(|length| length.to_string()).unwrap_or_default(),
        needs_hook: program.qdiscs.iter().any(|qdisc| qdisc.kind == QdiscKind::Clsact),
        needs_egress: program.filters.iter().any(|filter| filter.hook == Hook::Egress),
        // Without `--take-over`, `start` refuses to run. The steps are those after it.
        take_over: true,
        before: dump.file("before").unwrap_or_default(),
        wanted: qosc_compiler::emit::described(program, facts, source) + &settings::described(&queues),
        shown: dump.shown(&wan, up, program.ifb.as_str()),
        uploads_ifb: ifb(&uploads_ifb),
        is_up_by_ifb: program.is_up_by_ifb,
        was,
        held,
    };
    let Steps { steps, foreign, our_root, drift } = steps(&router)?;
    let mut settings = settings::settings(program, &queues, dump, recorded, &mut notes);
    let mut last = 0;
    if let Some((table, goes)) = marks::marks(program, source, dump, recorded) {
        settings.push(table);
        last = usize::from(goes);
    }
    let items = items::items(&steps, &settings, &wan);
    let foreign = if call.take_over { Vec::new() } else { foreign };
    let gap = gap::gap(&steps, dump);
    if !recorded && our_root {
        notes.push(match (router.was.is_empty(), head.script.is_empty()) {
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
        last,
        gap,
        notes,
        steps,
    })
}

/// Returns the lines of tc in a record of the kernel's state. Before them is the line of the script, and after them are
/// settings and the table of marks.
fn shown_in(state: &str) -> String {
    let lines = state.lines().skip(1).take_while(|line| !line.starts_with("table "));
    let is_setting = |line: &&str| line.starts_with("sysctl ") || line.starts_with("txqueuelen ");
    lines.filter(|line| !is_setting(line)).map(|line| format!("{line}\n")).collect()
}

/// Returns the program with only those tunnels whose downloads this router can queue after decryption.
fn tunnels(program: &Program, dump: &Dump<'_>, notes: &mut Vec<String>) -> Program {
    for tunnel in program.decrypted.iter().filter(|tunnel| dump.through(tunnel.device.as_str()).is_none()) {
        notes.push(format!(
            "the plan assumes that downloads through {} are queued before decryption: {}",
            tunnel.device,
            match dump.asks_of_tunnels(tunnel.device.as_str()) {
                true => "this router cannot queue them after it, and `status` says why",
                false => "the script that printed the dump did not look at that device",
            }
        ));
    }
    if program.decrypted.is_empty() {
        let left = if dump.tunnels().is_empty() { dump.recorded_tunnels() } else { Vec::new() };
        notes.extend(
            left.iter()
                .map(|(device, ..)| format!("`start` also deletes what the last start created on {device}")),
        );
    }
    program.with_tunnels(|tunnel| dump.through(tunnel.device.as_str()))
}

/// Returns the WAN device of the dump.
fn device(
    program: &Program,
    dump: &Dump<'_>,
    call: Call<'_>,
    notes: &mut Vec<String>,
) -> Result<IfName, String> {
    let dumped = dump.head.wan.parse::<IfName>().ok();
    if let (Some(dumped), Some(called)) = (&dumped, call.device)
        && dumped != called
    {
        return Err(format!("the dump is of device {dumped}, not {called}"));
    }
    let wan = dumped.or_else(|| call.device.cloned()).unwrap_or_else(|| program.wan.clone());
    if !dump.shows_qdiscs(wan.as_str()) {
        return Err(format!(
            "the dump shows no qdisc of {wan}: either that router has no `tc`, or the dump is of something else"
        ));
    }
    if call.device.is_none() && wan != program.wan {
        notes.push(format!(
            "the file's device is {}, but the dump is of {wan}: the plan is that of `start --device {wan}`",
            program.wan
        ));
    }
    Ok(wan)
}

/// Returns the facts that only the router knows, as far as the dump shows them.
fn facts(program: &Program, dump: &Dump<'_>) -> Facts {
    use qosc_compiler::terms::Frames;
    let wan = program.wan.as_str();
    let header = match (dump.is_ethernet(wan), program.frames) {
        (Some(false), _) => 0,
        (Some(true), Frames::Pppoe) => 22,
        (Some(true), Frames::Auto) if dump.carries_pppoe(wan) => 22,
        (Some(true), _) => 14,
        (None, frames) => dump.head.header.or_else(|| header_by_name(wan, frames)).unwrap_or(ETHERNET),
    };
    let split = program.settings.split;
    // If the head of the dump does not tell, the script listed the features of devices only if the router has ethtool.
    let by_hand = dump.head.script.is_empty();
    let ethtool = dump.head.ethtool.unwrap_or_else(|| by_hand || dump.asked("ethtool -k").is_some());
    Facts { header, split_in_leaves: !ethtool && (split.up || split.down) }
}
