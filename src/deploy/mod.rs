//! Applying a script over ssh or on this machine, on trial.
//!
//! Only `ssh.rs` starts a process. The router rolls back by itself, so every failure after the trial began needs no action here.

mod programs;
mod refusal;
mod ssh;

use crate::install::File;
use programs::{HAS_BEFORE, HAS_HOOK, HAS_TC, MAY_SUDO, USER, WRITTEN};
use qosc_compiler::emit::quote;
use refusal::{cause, last_line, without_user};
use ssh::{Answer, call};
pub use ssh::{LOCAL, shell};
use std::time::{Duration, Instant};

/// Work that is the same for every host.
#[derive(Debug, Clone)]
pub struct Order {
    /// Name of the link, with which the messages of its script begin.
    pub link: String,
    /// The compiled script.
    pub script: String,
    /// Length of the trial in seconds.
    pub trial: u32,
    /// WAN device that replaces the one of the file.
    pub device: Option<String>,
    /// Remove a root qdisc or filters of others. The script cannot undo that, so there is no trial.
    pub take_over: bool,
    /// Change nothing, and say whether a trial would.
    pub dry_run: bool,
    /// Run the script before the last kept one instead, and exchange the two files.
    pub undo: bool,
    /// Path of the script on the router.
    pub place: String,
    /// Path of the script before the last kept one.
    pub before: String,
    /// Files to write after the trial was confirmed. The script is one of them.
    pub files: Vec<File>,
    /// Commands that the router runs after these files are there.
    pub commands: Vec<String>,
    /// Files that start the script at boot. If none exists on the router, the line says so.
    pub hooks: Vec<String>,
}

/// Result of an order on one host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeployReport {
    /// The result in one line, without the host's name.
    pub line: String,
    /// Other lines of the script and of the router's commands.
    pub warnings: Vec<String>,
    /// `true` if nothing failed: the host runs the script, and the copy for the boot is there.
    pub succeeded: bool,
}

/// The person who waits for the result.
pub struct User<'a> {
    /// Returns `true` if the user gave up. Then the router rolls back by itself.
    pub stopped: &'a (dyn Fn() -> bool + Sync),
    /// Asks until this time whether a change that works stays. Without it, each such change stays.
    pub keeps: Option<&'a (dyn Fn(Instant) -> bool + Sync)>,
}

/// A host, and the way to it.
struct Host<'a> {
    name: &'a str,
    user: &'a User<'a>,
    warnings: Vec<String>,
    /// Words before each command, with which a login that is not root becomes root.
    sudo: &'static str,
    /// The user did not keep the change.
    is_undone: bool,
}

/// Applies a script to one host on trial, and confirms it if the host answers on a new connection and the user keeps it.
pub fn deploy(name: &str, order: &Order, user: &User<'_>) -> DeployReport {
    let mut host = Host { name, user, warnings: Vec::new(), sudo: "", is_undone: false };
    let result = host.deploy(order);
    let succeeded = result.is_ok() && !host.is_undone;
    let line = match result {
        Ok(line) => line,
        Err(line) => format!("failed: {line}"),
    };
    DeployReport { line, warnings: host.warnings, succeeded }
}

/// Words if the router undoes the change.
const UNDONE: &str = "it was not confirmed, so the router rolls back by itself";
/// Words if it does not.
const NOT_UNDONE: &str = "there was no trial, so the change stays until the router restarts";
/// Line that `print` begins with if a start would change nothing.
const UP_TO_DATE: &str = "# up to date: ";
/// Words if a failed script says nothing.
const SILENT: &str = "the script failed without a message";

/// Returns the options of the script, each with a space before it.
fn options(order: &Order) -> String {
    let device = order.device.as_deref().map(|device| format!(" --device {}", quote(device)));
    let take_over = if order.take_over { " --take-over" } else { "" };
    format!("{}{take_over}", device.unwrap_or_default())
}

/// Time before the deadline at which a probe is too late for `confirm`.
fn margin(trial: u32) -> Duration {
    Duration::from_secs(u64::from(trial / 5).clamp(1, 10))
}

impl Host<'_> {
    fn call(&self, command: &str, input: &str, deadline: Option<Instant>) -> Result<Answer, String> {
        call(self.name, &format!("{}{command}", self.sudo), input, deadline, self.user.stopped)
    }

    /// Makes a call of the script that goes on trial.
    fn call_script(&self, order: &Order, words: &str) -> Result<Answer, String> {
        let words = format!("{words}{}", options(order));
        match order.undo {
            true => self.call(&format!("sh {} {words}", quote(&order.before)), "", None),
            false => self.call(&format!("sh -s {words}"), &order.script, None),
        }
    }

    fn deploy(&mut self, order: &Order) -> Result<String, String> {
        let hooked = self.look(order)?;
        let mut line = if order.dry_run { self.preview(order)? } else { self.change(order)? };
        if !hooked && !self.is_undone {
            line.push_str("; nothing starts it at boot: add `--system SYSTEM`");
        }
        Ok(line)
    }

    /// Finds out whether `start` would change something.
    fn preview(&mut self, order: &Order) -> Result<String, String> {
        let printed = self.call_script(order, "print")?;
        let why = self.keep(&printed, order, false);
        if printed.lost() {
            return Err(cause(self.name, &printed));
        }
        match printed.succeeded() {
            true if printed.says(UP_TO_DATE) => Ok("up to date".to_owned()),
            true => Ok("would change".to_owned()),
            false => Err(why.unwrap_or_else(|| SILENT.to_owned())),
        }
    }

    fn change(&mut self, order: &Order) -> Result<String, String> {
        let began = Instant::now();
        let call = if order.take_over { "start".to_owned() } else { format!("try {}", order.trial) };
        let tried = self.call_script(order, &call)?;
        let lost = tried.lost();
        let up_to_date = tried.succeeded() && tried.says(&format!("{}: up to date", order.link));
        let failure = self.keep(&tried, order, lost);
        if !lost && !tried.succeeded() {
            return Err(failure.unwrap_or_else(|| SILENT.to_owned()));
        }
        if !up_to_date {
            // The router counts from the end of its change. If the connection was lost, we do not know when that was.
            let from = if lost { began } else { Instant::now() };
            let length = Duration::from_secs(order.trial.into());
            let deadline = (from + length).checked_sub(margin(order.trial)).unwrap_or(from);
            self.probe(deadline, order)?;
            if !order.take_over {
                if self.user.keeps.is_some_and(|keeps| !keeps(deadline)) {
                    return self.undo(order);
                }
                self.confirm(order, lost)?;
            } else if lost {
                return Err("the connection was lost during the change; deploy again".to_owned());
            }
        }
        let written = self.copy(order).map_err(|words| match up_to_date {
            true => words,
            false => format!("it runs, but the files for the boot are not complete: {words}"),
        })?;
        Ok(match (up_to_date, written) {
            _ if order.undo => "the configuration before is back; another `--undo` returns",
            (true, false) => "up to date",
            (true, true) => "up to date; files for the boot written",
            (false, _) if order.take_over => "deployed without a trial",
            (false, _) => "deployed",
        }
        .to_owned())
    }

    /// Looks at the router. Returns `true` if something there starts the script at boot, or will do so.
    fn look(&mut self, order: &Order) -> Result<bool, String> {
        let seen = self.call("sh -s", &programs::look(&order.hooks, &order.before), None)?;
        if (self.user.stopped)() {
            return Err("interrupted; nothing was changed".to_owned());
        }
        if seen.lost() {
            return Err(cause(self.name, &seen));
        }
        let user = seen.out.lines().find_map(|line| line.strip_prefix(USER));
        match user {
            Some("0") => {}
            Some(_) if seen.says(MAY_SUDO) => self.sudo = "sudo -n ",
            Some(_) => {
                let root = match self.name {
                    LOCAL => "run qosc with `sudo`".to_owned(),
                    name => format!("write `root@{}`", without_user(name)),
                };
                return Err(format!(
                    "the login is not root; {root}, or let the user run `sudo` without a password (NOPASSWD in sudoers)"
                ));
            }
            None => {
                let why = last_line(&seen.err).unwrap_or("no answer");
                return Err(format!("it does not run a shell: {why}"));
            }
        }
        if !seen.out.lines().any(|line| line == HAS_TC) {
            return Err(
                "tc is missing; install it there (Debian: `apt install iproute2`; OpenWrt: `opkg install tc-tiny`)"
                    .to_owned(),
            );
        }
        if order.undo && !seen.out.lines().any(|line| line == HAS_BEFORE) {
            return Err(format!("there is no {}: `deploy` has replaced no other script", order.before));
        }
        let planned = order.files.iter().any(|file| order.hooks.contains(&file.path));
        Ok(planned || seen.out.lines().any(|line| line == HAS_HOOK))
    }

    /// Tries new connections until one works or the deadline is near.
    fn probe(&self, deadline: Instant, order: &Order) -> Result<(), String> {
        let after = if order.take_over { NOT_UNDONE } else { UNDONE };
        loop {
            if self.call("true", "", Some(deadline))?.succeeded() {
                return Ok(());
            }
            if (self.user.stopped)() {
                return Err(format!("interrupted; {after}"));
            }
            if Instant::now() >= deadline {
                return Err(format!("no new connection worked after the change; {after}"));
            }
            std::thread::sleep(Duration::from_millis(500));
        }
    }

    fn confirm(&mut self, order: &Order, lost: bool) -> Result<(), String> {
        let confirmed = self.call("sh -s confirm", &order.script, None)?;
        let why = self.keep(&confirmed, order, false);
        if confirmed.succeeded() {
            return Ok(());
        }
        if confirmed.lost() {
            return Err("the connection was lost during `confirm`; deploy again".to_owned());
        }
        let why = why.unwrap_or_else(|| SILENT.to_owned());
        Err(match lost {
            true => format!("the connection was lost during the change: {why}"),
            false => format!("not confirmed: {why}"),
        })
    }

    /// Ends the trial that the user did not keep.
    fn undo(&mut self, order: &Order) -> Result<String, String> {
        if (self.user.stopped)() {
            return Err(format!("interrupted; {UNDONE}"));
        }
        self.is_undone = true;
        let undone = self.call("sh -s undo", &order.script, None)?;
        let why = self.keep(&undone, order, false);
        if undone.lost() {
            return Err(format!("the connection was lost during `undo`; {UNDONE}"));
        }
        if !undone.succeeded() {
            return Err(format!("not kept: {}", why.unwrap_or_else(|| SILENT.to_owned())));
        }
        let begin = format!("{}: undone: ", order.link);
        let how = undone.out.lines().find_map(|line| line.strip_prefix(&begin));
        Ok(format!("not kept: {}", how.unwrap_or("undone")))
    }

    /// Writes the files for the boot, or exchanges the two scripts. Returns `true` if a file was not there as it should be.
    fn copy(&mut self, order: &Order) -> Result<bool, String> {
        let program = match order.undo {
            true => programs::exchange(&order.place, &order.before),
            false => programs::copy(&order.files, &order.commands, &order.place, &order.before),
        };
        let copied = self.call("sh -s", &program, None)?;
        let why = self.keep(&copied, order, false);
        if copied.lost() {
            return Err(cause(self.name, &copied));
        }
        if !copied.succeeded() {
            return Err(why.unwrap_or_else(|| "the router could not write the files".to_owned()));
        }
        Ok(copied.says(WRITTEN))
    }

    /// Keeps what a call wrote to standard error. Returns the last error of a failed script instead, or else the last
    /// message, with its lines joined. The words of ssh itself about a lost connection tell nothing more.
    fn keep(&mut self, answer: &Answer, order: &Order, lost: bool) -> Option<String> {
        let lines = answer.err.lines().map(str::trim_end).filter(|line| !line.is_empty());
        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
        let mut last = Vec::new();
        let marked = format!("{}: error: ", order.link);
        if !answer.succeeded() && !lost {
            // More lines of a message are indented.
            let indented = |line: &String| line.starts_with([' ', '\t']);
            let error = lines.iter().rposition(|line| line.starts_with(&marked));
            let begin = error.or_else(|| lines.iter().rposition(|line| !indented(line))).unwrap_or_default();
            let length = lines.iter().skip(begin + 1).take_while(|line| indented(line)).count() + 1;
            last = lines.drain(begin..(begin + length).min(lines.len())).collect();
        }
        self.warnings.extend(lines);
        let mut message = String::new();
        for line in &last {
            message.push_str(match message.chars().last() {
                None => "",
                Some(':') => " ",
                Some(_) => "; ",
            });
            message.push_str(line.trim_start());
        }
        let words = message.strip_prefix(&marked).unwrap_or(&message);
        Some(words.to_owned()).filter(|words| !words.is_empty())
    }
}
