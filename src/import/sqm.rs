//! Imports `/etc/config/sqm` of OpenWrt's sqm-scripts.

mod classes;
mod link;
mod queue;

use super::fit::fit;
use super::report::Report;
use super::result::{Import, Imported};
use super::text::START;
use super::uci::{self, UciOption};
use super::yaml;
use crate::diag::{Span, and_ticked, ticked};
use crate::units::IfName;
use queue::Queue;
use std::collections::HashMap;

/// Queues to convert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted<'a> {
    /// The first enabled queue.
    First,
    /// The queue with this name, also if it is disabled.
    Named(&'a str),
    /// All enabled queues.
    All,
}

impl Wanted<'_> {
    /// Returns `true` if a device is to be converted. `is_main` is true for one device.
    pub(super) fn takes(self, device: &str, is_main: bool) -> bool {
        match self {
            Wanted::All => true,
            Wanted::First => is_main,
            Wanted::Named(name) => device == name,
        }
    }
}

/// Options that have no effect on traffic.
const WITHOUT_EFFECT: [&str; 5] =
    ["qdisc_advanced", "qdisc_really_really_advanced", "linklayer_advanced", "enabled", "interface"];

/// Converts the queues of a file.
#[must_use]
pub fn sqm(text: &str, wanted: Wanted<'_>) -> Import {
    let mut report = Report::default();
    let sections = uci::read(text, &mut report);
    let mut queues = Vec::new();
    for (number, section) in sections.iter().enumerate() {
        if section.kind.text != "queue" {
            let said = format!("the section {} has no equivalent", ticked(&section.kind.text));
            report.lost(section.kind.span, said, "only sections `queue` are converted");
            continue;
        }
        let options: HashMap<&str, &UciOption> =
            section.options.iter().map(|option| (option.key.as_str(), option)).collect();
        let queue = Queue { name: String::new(), section, options };
        let interface = queue.text("interface").map(str::to_owned);
        let own = Some(section.name.clone()).filter(|name| !name.is_empty());
        let name = own.or(interface).unwrap_or_else(|| format!("queue{number}"));
        queues.push(Queue { name, ..queue });
    }
    let whole = sections.first().map_or(START, |section| section.kind.span);
    let chosen: Vec<&Queue<'_>> = match wanted {
        Wanted::Named(name) => queues.iter().filter(|queue| queue.name == name).take(1).collect(),
        Wanted::All => queues.iter().filter(|queue| queue.is_enabled()).collect(),
        Wanted::First => queues.iter().find(|queue| queue.is_enabled()).into_iter().collect(),
    };
    let is_chosen = |queue: &Queue<'_>| match wanted {
        Wanted::All => queue.is_enabled(),
        Wanted::Named(_) | Wanted::First => chosen.first().is_some_and(|own| std::ptr::eq(*own, queue)),
    };
    if chosen.is_empty() {
        nothing(&queues, wanted, whole, &mut report);
    } else {
        for queue in queues.iter().filter(|queue| !is_chosen(queue)) {
            let (name, mut help) = (ticked(&queue.name), format!("`--section {}` converts it", queue.name));
            let mut said = format!("the queue {name} is disabled and not converted");
            if queue.is_enabled() {
                said = format!("the queue {name} is not converted: a file describes one link");
                help.push_str(", and `-o FOLDER` converts all enabled queues");
            }
            report.other(queue.section.kind.span, said, &help);
        }
    }
    let before = report.begin();
    let mut results = Vec::new();
    for queue in chosen {
        let config = converted(queue, &mut report);
        let notes = report.notes(&before);
        if let Some(config) = config {
            results.push(Imported { name: queue.name.clone(), yaml: yaml::text(&config, &notes) });
        }
    }
    Import { results, findings: report.finish() }
}

fn nothing(queues: &[Queue<'_>], wanted: Wanted<'_>, whole: Span, report: &mut Report) {
    let names = and_ticked(queues.iter().take(20).map(|queue| queue.name.as_str()));
    let (said, help) = match (wanted, queues) {
        (_, []) => (
            "the file has no queue".to_owned(),
            "give OpenWrt's `/etc/config/sqm`; a queue begins with `config queue 'eth1'`".to_owned(),
        ),
        (Wanted::Named(name), _) => {
            (format!("there is no queue {}", ticked(name)), format!("the queues are {names}"))
        }
        _ => (
            "every queue is disabled".to_owned(),
            format!("`--section NAME` converts a disabled queue; the queues are {names}"),
        ),
    };
    report.bad(whole, said, &help);
}

fn converted(queue: &Queue<'_>, report: &mut Report) -> Option<super::config::Config> {
    let Some(word) = queue.word("interface") else {
        report.bad(
            queue.section.kind.span,
            format!("the queue {} has no interface", ticked(&queue.name)),
            "write `option interface 'eth1'` with the WAN device",
        );
        return None;
    };
    let device: IfName = match word.text.parse() {
        Ok(device) => device,
        Err(_) => {
            report.bad(
                word.span,
                format!("the interface {} is no name of a device", ticked(&word.text)),
                "write the name that `ip link` prints, such as `pppoe-wan`",
            );
            return None;
        }
    };
    let mut config = link::config(queue, device, report)?;
    config.classes = classes::classes(queue, &mut config, report);
    fit(&mut config, queue.section.kind.span, report);
    rest(queue, report);
    Some(config)
}

/// Reports the options that nothing has read.
fn rest(queue: &Queue<'_>, report: &mut Report) {
    for option in &queue.section.options {
        let (key, value) = (option.key.as_str(), option.value.text.as_str());
        let known = WITHOUT_EFFECT.contains(&key)
            || link::KEYS.contains(&key)
            || classes::KEYS.contains(&key)
            || matches!((key, value), ("debug_logging", "0") | ("verbosity", "5") | (_, ""));
        match key {
            _ if known => {}
            "debug_logging" | "verbosity" => {
                let said = format!("`{key}` has no equivalent, and no effect on traffic");
                report.other(option.span, said, "the script reports on standard error");
            }
            _ => report.lost(option.span, format!("the option {} has no equivalent", ticked(key)), ""),
        }
    }
}
