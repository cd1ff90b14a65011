//! Runs the awk programs of the script on the texts of a dump: so `plan` takes the steps that `start` takes, by the same
//! code.
//!
//! [`converge`] gives the programs what the shell would give them. The steps follow from four texts:
//!
//! - `was`: the state that the last completed start described,
//! - `held`: the state that this start then found in the kernel,
//! - `now`: the current state of the kernel,
//! - `wanted`: the described state.

mod state;

pub use state::{Said, State, Which};

use crate::awk::{Error, Files, Machine, Program};
use crate::tc::{EGRESS_END_PREF, EGRESS_PREF, HOOK_BANK, INGRESS_PREF};
use std::sync::LazyLock;

static PROGRAM: LazyLock<Result<Program, Error>> = LazyLock::new(|| Program::read(&crate::emit::engine()));

/// Input of the engine: a router and a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Router {
    /// Name of the link.
    pub link: String,
    /// Name of the WAN device.
    pub wan: String,
    /// The two ifbs with their states: 0 if the device does not exist, 1 if it is down, 2 if it is up.
    pub ifbs: [(String, u8); 2],
    /// Length of the WAN device's own queue; empty if it is unknown.
    pub queue: String,
    /// Desired length; empty if the file does not set it.
    pub txqueuelen: String,
    /// True if the configuration has filters at the hooks.
    pub needs_hook: bool,
    /// True if some of them are at the egress.
    pub needs_egress: bool,
    /// True if `start` removes the objects of others.
    pub take_over: bool,
    /// State before the first start: the script's file `before`.
    pub before: String,
    /// Description of the last completed start; empty if there is no record.
    pub was: String,
    /// State of the kernel after that start; empty if there is no record.
    pub held: String,
    /// Description of the configuration.
    pub wanted: String,
    /// Present output of tc, in the order in which the script asks for it.
    pub shown: String,
}

/// Result of the engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Converged {
    /// Commands of the start, with the program and the comment of each.
    pub commands: Vec<String>,
    /// Objects of others that `start` must not touch, each in the script's words.
    pub foreign: Vec<String>,
    /// True if the WAN device has a root qdisc of the script.
    pub our_root: bool,
}

/// Finds the steps from the observed to the described state. `watch` sees each step when the engine takes it.
///
/// # Errors
/// Fails if the engine cannot read the state: if classes are nested more deeply than in any kernel.
pub fn converge<'r>(
    router: &'r Router,
    mut watch: impl FnMut(&mut State<'_, 'r>, &Said) -> Result<(), Error> + 'r,
) -> Result<Converged, Error> {
    let program = PROGRAM.as_ref().map_err(Error::clone)?;
    let [first, second] = &router.ifbs;
    let yes = |on: bool| if on { "yes" } else { "no" };
    let numbers = [INGRESS_PREF, EGRESS_PREF, EGRESS_END_PREF, HOOK_BANK].map(|n| n.to_string());
    let [ingress, egress, end, hook_bank] = &numbers;
    let variables = [
        ("only", "steps"),
        ("link", &router.link),
        ("dev", &router.wan),
        ("ifb1", &first.0),
        ("ifb2", &second.0),
        ("state", "state"),
        ("sys", "sys"),
        ("given", "wanted"),
        ("txqueuelen", &router.txqueuelen),
        ("has_marks", "no"),
        ("needs_hook", yes(router.needs_hook)),
        ("needs_egress", yes(router.needs_egress)),
        ("take_over", yes(router.take_over)),
        ("ingress_pref", ingress),
        ("egress_pref", egress),
        ("hook_pref_end", end),
        ("hook_bank", hook_bank),
    ];
    let mut machine = Machine::new(program, files(router), &variables, &[]);
    machine.watch("say", move |machine, arguments| watch(&mut State::of(machine), &Said::of(arguments)))?;
    machine.run(&input(&router.shown))?;
    let foreign = (1..).map_while(|number: usize| machine.element("foreign", &[&number.to_string()]));
    Ok(Converged {
        commands: machine
            .printed()
            .lines()
            .filter(|line| !line.starts_with('#'))
            .map(str::to_owned)
            .collect(),
        foreign: foreign.collect(),
        our_root: machine.variable("ours").split(' ').any(|own| own == "root"),
    })
}

/// Returns the files that the engine reads.
fn files(router: &Router) -> Files {
    let mut files = Files::default();
    let record =
        [("state/described", &router.was), ("state/state", &router.held), ("state/before", &router.before)];
    for (path, text) in record.iter().filter(|(_, text)| !text.is_empty()) {
        files.add(path, text);
    }
    files.add("wanted", &router.wanted);
    for (name, up) in router.ifbs.iter().filter(|(_, up)| *up > 0) {
        files.add(&format!("sys/class/net/{name}/flags"), if *up == 2 { "0x1\n" } else { "0x0\n" });
        files.add(&format!("sys/class/net/{name}/ifindex"), "1\n");
    }
    if !router.queue.is_empty() {
        files.add(&format!("sys/class/net/{}/tx_queue_len", router.wan), &format!("{}\n", router.queue));
    }
    files
}

/// Returns the input of the engine: only the section with the output of tc.
fn input(shown: &str) -> String {
    let mut input = "== tc\n".to_owned();
    for line in shown.lines().filter(|line| line.split_whitespace().next() != Some("==")) {
        input.push_str(line);
        input.push('\n');
    }
    input + "== shown\n"
}

#[cfg(test)]
#[path = "engine_tests.rs"]
mod tests;
