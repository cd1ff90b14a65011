//! Settings outside the qdiscs that `start` would change.

use crate::diff::steps::Cause;
use crate::live::Dump;
use qosc_compiler::tc::Program;
use serde::Serialize;

/// A setting that differs from the desired value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Setting {
    /// Name of the setting: a path below `/proc/sys` with dots, or a device and its feature.
    pub what: String,
    /// Current value; empty if the dump does not show it.
    pub old: String,
    /// Desired value.
    pub new: String,
    /// Cause of the difference.
    pub cause: Cause,
    /// Command as `print` shows it.
    pub command: String,
}

/// Returns the byte queue limits that the file asks for: path below `/proc/sys` and value of each transmit queue that
/// the dump shows.
pub(super) fn queue_limits(program: &Program, dump: &Dump<'_>) -> Vec<(String, String)> {
    let Some(bytes) = program.settings.bql else { return Vec::new() };
    let queues = format!("/proc/sys/../../sys/class/net/{}/queues/", program.wan);
    let paths = dump.files(&queues).map(|path| path.trim_start_matches("/proc/sys/").to_owned());
    paths.map(|path| (path, bytes.get().to_string())).collect()
}

/// Returns the lines of a record about settings.
pub(super) fn described(settings: &[(String, String)]) -> String {
    settings.iter().map(|(path, value)| format!("sysctl {path} {value}\n")).collect()
}

pub(super) fn settings(
    program: &Program,
    queues: &[(String, String)],
    dump: &Dump<'_>,
    recorded: bool,
    notes: &mut Vec<String>,
) -> Vec<Setting> {
    let mut found = sysctls(program, queues, dump, recorded);
    found.extend(aggregates(program, dump, recorded, notes));
    found
}

/// Normalizes white space: the kernel separates several numbers by tabs.
fn words(value: &str) -> String {
    value.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the name of a setting for people.
fn name(path: &str) -> String {
    let queue = path
        .strip_prefix("../../sys/class/net/")
        .and_then(|rest| rest.strip_suffix("/byte_queue_limits/limit_max"));
    match queue.and_then(|queue| queue.split_once("/queues/")) {
        Some((device, queue)) => format!("limit_max of {device} {queue}"),
        None => path.replace('/', "."),
    }
}

fn sysctls(program: &Program, queues: &[(String, String)], dump: &Dump<'_>, recorded: bool) -> Vec<Setting> {
    let state = dump.file("state").unwrap_or_default();
    // Value that the last start read after it had set everything.
    let after = |path: &str| {
        state.lines().find_map(|line| line.strip_prefix(&format!("sysctl {path} "))).map(str::to_owned)
    };
    let now = |path: &str| dump.file(path).map(|value| words(&value));
    let mut found = Vec::new();
    let mut put = |path: &str, value: &str| {
        let new = &words(value);
        let old = now(path);
        if old.as_ref() == Some(new) {
            return;
        }
        let cause = match after(path) {
            _ if !recorded => Cause::Unknown,
            Some(after) if after == *new => Cause::Drift,
            _ => Cause::File,
        };
        found.push(Setting {
            what: name(path),
            old: old.unwrap_or_default(),
            new: new.clone(),
            cause,
            command: format!("echo '{value}' >/proc/sys/{path}"),
        });
    };
    let own = program.settings.sysctls.iter().map(|sysctl| (sysctl.path, sysctl.value.as_str()));
    let own: Vec<(&str, &str)> =
        own.chain(queues.iter().map(|(path, value)| (path.as_str(), value.as_str()))).collect();
    for (path, value) in &own {
        put(path, value);
    }
    // If the file no longer sets a value that an earlier start changed, it gets its value from before that start.
    let before = dump.file("before").unwrap_or_default();
    for line in before.lines() {
        if let Some((path, value)) = line.strip_prefix("sysctl ").and_then(|rest| rest.split_once(' '))
            && !own.iter().any(|(own, _)| *own == path)
        {
            put(path, value);
        }
    }
    found
}

/// Returns the offloads to turn off or on again, as listed by the script that printed the dump.
fn aggregates(program: &Program, dump: &Dump<'_>, recorded: bool, notes: &mut Vec<String>) -> Vec<Setting> {
    let settings = &program.settings;
    let yes = |on: bool| if on { "yes" } else { "no" };
    let receivers: Vec<&str> = settings.receivers.iter().map(qosc_compiler::units::IfName::as_str).collect();
    let own =
        format!("up {} down {} by {}", yes(settings.split.up), yes(settings.split.down), receivers.join(" "));
    let Some((asked, lines)) = dump.asked("aggregates ") else { return Vec::new() };
    if asked != own.trim_end() {
        notes.push(
            "the LAN devices or `offloads` of the file differ from those of the script that printed the dump: only the \
             router can tell which offloads `start` changes"
                .to_owned(),
        );
        return Vec::new();
    }
    let before = dump.file("before").unwrap_or_default();
    let had_off = |line: &str| before.lines().any(|own| own.strip_prefix("offload ") == Some(line));
    let setting = |line: &str, off: bool| {
        let (device, feature) = line.split_once(' ')?;
        let (command, what, old, new) = match (feature.split_once('='), off) {
            (Some((what, old)), true) => (format!("ip link set dev {device} gso_max_segs 1"), what, old, "1"),
            (Some((what, old)), false) => {
                (format!("ip link set dev {device} gso_max_segs {old}"), what, "1", old)
            }
            (None, true) => (format!("ethtool -K {device} {feature} off"), feature, "on", "off"),
            (None, false) => (format!("ethtool -K {device} {feature} on"), feature, "off", "on"),
        };
        Some(Setting {
            what: format!("{what} of {device}"),
            old: old.to_owned(),
            new: new.to_owned(),
            cause: if recorded && off && had_off(line) { Cause::Drift } else { Cause::File },
            command,
        })
    };
    let late = lines.iter().filter_map(|line| setting(line, true));
    let left = dump.asked("aggregates_left").map_or(&[][..], |(_, lines)| lines);
    late.chain(left.iter().filter_map(|line| setting(line, false))).collect()
}
