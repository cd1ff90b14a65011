//! Imports a `fireqos.conf` of FireQOS.

mod block;
mod matches;
mod merge;
mod params;
mod services;
mod shell;
mod versions;

use super::config::DEEPEST;
use super::report::Report;
use super::result::{Import, Imported};
use super::sqm::Wanted;
use super::text::{Word, lines};
use super::yaml;
use crate::diag::{FileId, Span, and_ticked, ticked};
use crate::terms::Direction;
use crate::units::IfName;
use block::{Interface, Node};
use params::Params;
use shell::Variables;
use std::collections::HashMap;
use versions::{Versions, versions};

/// State between two statements.
#[derive(Default)]
struct Reader {
    interfaces: Vec<Interface>,
    /// Open groups of the last interface, and the number of groups beyond the largest depth.
    groups: Vec<usize>,
    too_deep: usize,
    /// The last class of the last interface, and all of its classes by name.
    class: Option<usize>,
    names: HashMap<String, usize>,
    /// The interface of the following statements could not be read.
    skipping: bool,
}

/// Converts a file. `wanted` may name the WAN device.
#[must_use]
pub fn fireqos(text: &str, wanted: Wanted<'_>) -> Import {
    let mut report = Report::default();
    let mut reader = Reader::default();
    let mut variables = Variables::default();
    let mut before: Vec<Word> = Vec::new();
    for line in lines(text) {
        let Some(words) = line.shell() else {
            report.bad(line.span(), "a quote is open at the end of the line", "close the quote");
            continue;
        };
        before.extend(words);
        // a backslash joins the next line
        if line.text.ends_with('\\') && !line.text.trim_start().starts_with('#') {
            continue;
        }
        let words = variables.expanded(std::mem::take(&mut before), &mut report);
        if !variables.assign(&words, &mut report) {
            reader.statement(&words, &variables, &mut report);
        }
    }
    let start = Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 };
    if reader.interfaces.is_empty() {
        report.bad(
            start,
            "the file has no interface that can be converted",
            "give FireQOS's `fireqos.conf`; it has lines such as `interface eth1 world-in input rate 10mbit`",
        );
        return Import { results: Vec::new(), findings: report.finish() };
    }
    chosen(&reader.interfaces, wanted, start, &mut report)
}

/// Converts the interfaces of the chosen devices.
fn chosen(interfaces: &[Interface], wanted: Wanted<'_>, start: Span, report: &mut Report) -> Import {
    let mut devices: Vec<&IfName> = Vec::new();
    let mut of: HashMap<&IfName, Vec<&Interface>> = HashMap::new();
    for interface in interfaces {
        let list = of.entry(&interface.device).or_default();
        if list.is_empty() {
            devices.push(&interface.device);
        }
        list.push(interface);
    }
    let mut results = Vec::new();
    let before = report.begin();
    for (number, device) in devices.iter().enumerate() {
        let parts = of.get(*device).map(Vec::as_slice).unwrap_or_default();
        let take = match wanted {
            Wanted::All => true,
            Wanted::First => number == 0,
            Wanted::Named(name) => device.as_str() == name,
        };
        if !take {
            let span = parts.first().map_or(start, |interface| interface.span);
            let said = format!("the device `{device}` is not converted: a file describes one link");
            report.other(span, said, &format!("`--section {device}` converts it"));
            continue;
        }
        if let Some(config) = merge::config(parts, report) {
            let notes = report.notes(&before);
            results.push(Imported { name: device.to_string(), yaml: yaml::text(&config, &notes) });
        }
    }
    if let Wanted::Named(name) = wanted
        && results.is_empty()
    {
        let names = and_ticked(devices.iter().take(20).map(|device| device.as_str()));
        report.bad(
            start,
            format!("there is no device {}", ticked(name)),
            &format!("the devices are {names}"),
        );
    }
    Import { results, findings: std::mem::take(report).finish() }
}

impl Reader {
    fn statement(&mut self, words: &[Word], variables: &Variables, report: &mut Report) {
        let [first, rest @ ..] = words else { return };
        let (word, versions) = versions(&first.text);
        let span = words
            .last()
            .map_or(first.span, |last| Span { end: last.span.end.max(first.span.end), ..first.span });
        match word {
            "interface" => self.interface(rest, versions, span, variables, report),
            "class" => self.class(rest, versions, span, variables, report),
            "match" => self.matched(rest, versions, span, report),
            "server" | "client" => self.service(word == "server", rest, versions, span, variables, report),
            _ => report.bad(
                span,
                format!("{} is no statement of FireQOS", ticked(&first.text)),
                "import reads `interface`, `class`, `match`, `server`, `client` and assignments such as `SPEED=10mbit`; write out what a shell command does",
            ),
        }
    }

    fn interface(
        &mut self,
        words: &[Word],
        versions: Versions,
        span: Span,
        variables: &Variables,
        report: &mut Report,
    ) {
        (self.class, self.groups, self.too_deep, self.skipping) = (None, Vec::new(), 0, true);
        self.names.clear();
        let [device, name, direction, rest @ ..] = words else {
            report.bad(
                span,
                "the interface has no device, name and direction",
                "write `interface DEVICE NAME input rate 10mbit`",
            );
            return;
        };
        let Ok(parsed) = device.text.parse::<IfName>() else {
            report.bad(
                device.span,
                format!("{} is no name of a device", ticked(&device.text)),
                "write the name that `ip link` prints",
            );
            return;
        };
        let directions = match direction.text.as_str() {
            "input" | "in" => vec![Direction::Down],
            "output" | "out" => vec![Direction::Up],
            "bidirectional" | "both" | "bi" | "inout" => Direction::BOTH.to_vec(),
            other => {
                report.bad(
                    direction.span,
                    format!("{} is no direction", ticked(other)),
                    "write `input`, `output` or `bidirectional`",
                );
                return;
            }
        };
        let mut params = Params::default();
        params.queue.clone_from(&variables.queue);
        params.read(rest, report);
        if versions == Versions::Inherited || versions == Versions::Four {
            let said = format!(
                "the interface {} classifies only IPv4; its matches become matches for both versions",
                ticked(&name.text)
            );
            report.other(span, said, "add `family: ipv4` to a match if IPv6 is to be left out");
        } else if versions == Versions::Six {
            let said = format!(
                "the interface {} shapes only IPv6; the file shapes both versions",
                ticked(&name.text)
            );
            report.lost(span, said, "");
        }
        self.interfaces.push(Interface {
            device: parsed,
            span,
            directions,
            params,
            nodes: Vec::new(),
            matches: 0,
        });
        self.skipping = false;
    }

    /// Returns the last interface, or reports that there is none.
    fn open(&mut self, span: Span, report: &mut Report) -> Option<&mut Interface> {
        if self.interfaces.is_empty() && !self.skipping {
            report.bad(
                span,
                "this statement stands before the first interface",
                "begin with `interface DEVICE NAME input rate 10mbit`",
            );
        }
        self.interfaces.last_mut().filter(|_| !self.skipping)
    }

    fn class(
        &mut self,
        words: &[Word],
        versions: Versions,
        span: Span,
        variables: &Variables,
        report: &mut Report,
    ) {
        let (group, rest) = match words {
            [group, end] if group.text == "group" && end.text == "end" => {
                match self.too_deep {
                    0 => self.class = self.groups.pop(),
                    more => self.too_deep = more - 1,
                }
                return;
            }
            [group, rest @ ..] if group.text == "group" => (true, rest),
            rest => (false, rest),
        };
        let (depth, parent) = (self.groups.len() + self.too_deep, self.groups.last().copied());
        let Some(interface) = self.open(span, report) else { return };
        let [name, rest @ ..] = rest else {
            report.bad(span, "the class has no name", "write `class NAME commit 10%`");
            return;
        };
        if depth >= DEEPEST {
            if group {
                self.too_deep += 1;
            }
            report.bad(
                span,
                format!("the class {} is nested deeper than {DEEPEST} levels", ticked(&name.text)),
                "HTB allows no more levels",
            );
            return;
        }
        let mut params = Params { default_queue: variables.queue.clone(), ..Params::default() };
        params.read(rest, report);
        let parent_versions = parent.and_then(|parent| interface.nodes.get(parent)).map(|node| node.versions);
        let versions =
            if versions == Versions::Inherited { parent_versions.unwrap_or(versions) } else { versions };
        let at = interface.nodes.len();
        interface.nodes.push(Node {
            name: name.text.clone(),
            span,
            parent,
            params,
            versions,
            matches: Vec::new(),
        });
        self.names.insert(name.text.clone(), at);
        self.class = Some(at);
        if group {
            self.groups.push(at);
        }
    }

    fn matched(&mut self, words: &[Word], versions: Versions, span: Span, report: &mut Report) {
        let class = self.class;
        let target = words.iter().position(|word| word.text == "class").and_then(|at| words.get(at + 1));
        let class = match target {
            Some(target) => self.names.get(&target.text).copied().or_else(|| {
                report.bad(
                    target.span,
                    format!("there is no class {} above this line", ticked(&target.text)),
                    "write the class before the match",
                );
                None
            }),
            None => class,
        };
        let Some(interface) = self.open(span, report) else { return };
        interface.matches += 1;
        let order = interface.matches.saturating_mul(10);
        let directions = interface.directions.clone();
        let Some(node) = class.and_then(|class| interface.nodes.get_mut(class)) else {
            if target.is_none() {
                report.bad(
                    span,
                    "this match stands before the first class",
                    "write the class before the match",
                );
            }
            return;
        };
        let versions = if versions == Versions::Inherited { node.versions } else { versions };
        if let Some((order, found)) = matches::alternatives(words, versions, &directions, order, span, report)
        {
            node.matches.push((order, found));
        }
    }

    fn service(
        &mut self,
        local: bool,
        words: &[Word],
        versions: Versions,
        span: Span,
        variables: &Variables,
        report: &mut Report,
    ) {
        let [name, ..] = words else { return };
        let class = self.class;
        let Some(interface) = self.open(span, report) else { return };
        interface.matches += 1;
        let order = interface.matches.saturating_mul(10);
        let directions = interface.directions.clone();
        let Some(node) = class.and_then(|class| interface.nodes.get_mut(class)) else {
            report.bad(span, "this statement stands before the first class", "write the class first");
            return;
        };
        let versions = if versions == Versions::Inherited { node.versions } else { versions };
        for name in name.text.split(',') {
            match services::matches(name, local, variables.service(name)) {
                Some(found) => {
                    let each = matches::in_each(&found, versions, &directions);
                    node.matches.push((order, each));
                }
                None => report.lost(
                    span,
                    format!("the service {} is unknown", ticked(name)),
                    "write `match` with `protocol` and `remote_port` (for a client) or `local_port` (for a server)",
                ),
            }
        }
    }
}
