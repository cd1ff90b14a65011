//! Reads the statements of a file.

use super::block::{Interface, Node, Versions, versions};
use super::params::Params;
use super::shell::Variables;
use super::{matches, services};
use crate::diag::{Span, ticked};
use crate::import::config::DEEPEST;
use crate::import::report::Report;
use crate::import::text::{Word, lines};
use crate::terms::Direction;
use crate::units::IfName;
use std::collections::{HashMap, HashSet};

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
    /// Groups of the last interface that have a class `default`, and `None` for the interface itself.
    with_default: HashSet<Option<usize>>,
    /// The following statements belong to an interface that is not converted.
    skipping: bool,
    /// Interfaces that later ones replace, by their place.
    replaced: HashMap<usize, Interface>,
}

/// A statement without its first word.
struct Statement<'a> {
    words: &'a [Word],
    versions: Versions,
    span: Span,
}

/// Returns the interfaces of a file without those that are `replaced`.
pub(super) fn read(text: &str, replaced: HashMap<usize, Interface>, report: &mut Report) -> Vec<Interface> {
    let mut reader = Reader { replaced, ..Reader::default() };
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
        let words = std::mem::take(&mut before);
        if reader.skipping && words.first().is_some_and(|word| is_inside(versions(&word.text).0)) {
            continue;
        }
        let words = variables.expanded(words, report);
        if !variables.assign(&words, report) {
            reader.statement(&words, &variables, report);
        }
    }
    reader.close();
    reader.interfaces
}

/// Returns `true` for a statement that belongs to an interface.
fn is_inside(word: &str) -> bool {
    matches!(word, "class" | "match" | "server" | "client")
}

impl Reader {
    fn statement(&mut self, words: &[Word], variables: &Variables, report: &mut Report) {
        let [first, rest @ ..] = words else { return };
        let (word, versions) = versions(&first.text);
        let span = words
            .last()
            .map_or(first.span, |last| Span { end: last.span.end.max(first.span.end), ..first.span });
        let own = Statement { words: rest, versions, span };
        match word {
            "interface" => self.interface(&own, variables, report),
            "class" => self.class(&own, report),
            "match" => self.matched(&own, report),
            "server" => self.service("input", &own, variables, report),
            "client" => self.service("output", &own, variables, report),
            _ => report.bad(
                span,
                format!("{} is no statement of FireQOS", ticked(&first.text)),
                "import reads `interface`, `class`, `match`, `server`, `client` and assignments such as `SPEED=10mbit`; write out what a shell command does",
            ),
        }
    }

    fn interface(&mut self, own: &Statement<'_>, variables: &Variables, report: &mut Report) {
        let Statement { versions, span, .. } = *own;
        self.close();
        (self.class, self.too_deep, self.skipping) = (None, 0, true);
        self.names.clear();
        self.with_default.clear();
        let [device, name, direction, rest @ ..] = own.words else {
            let said = "the interface has no device, name and direction";
            report.bad(span, said, "write `interface DEVICE NAME input rate 10mbit`");
            return;
        };
        let parse = |text: &str| text.parse::<IfName>().ok();
        let help = "write the name that `ip link` prints";
        let Some(parsed) = report.read(device, "no name of a device", help, parse) else { return };
        let known = |text: &str| match text {
            "input" | "in" => Some(vec![Direction::Down]),
            "output" | "out" => Some(vec![Direction::Up]),
            "bidirectional" | "both" | "bi" | "inout" => Some(Direction::BOTH.to_vec()),
            _ => None,
        };
        let help = "write `input`, `output` or `bidirectional`";
        let Some(directions) = report.read(direction, "no direction", help, known) else { return };
        if let Some(old) = self.replaced.get(&span.start) {
            old.report_replaced(&directions, report);
            return;
        }
        let mut params = Params { queue: variables.queue.clone(), ..Params::default() };
        params.read(rest, report);
        let name = ticked(&name.text);
        match versions {
            "46" => {}
            "6" => {
                let said = format!("the interface {name} shapes only IPv6; the file shapes both versions");
                report.lost(span, said, "");
            }
            _ => report.other(
                span,
                format!(
                    "the interface {name} classifies only IPv4; its matches become matches for both versions"
                ),
                "add `family: ipv4` to a match if IPv6 is to be left out",
            ),
        }
        let (nodes, matches) = (Vec::new(), 0);
        self.interfaces.push(Interface { device: parsed, span, directions, params, nodes, matches });
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

    fn class(&mut self, own: &Statement<'_>, report: &mut Report) {
        let Statement { versions, span, .. } = *own;
        let (group, rest) = match own.words {
            [group, end] if group.text == "group" && end.text == "end" => return self.end_group(),
            [group, rest @ ..] if group.text == "group" => (true, rest),
            rest => (false, rest),
        };
        // the matches of a class that cannot be read belong to no other class
        self.class = None;
        let (depth, parent) = (self.groups.len() + self.too_deep, self.groups.last().copied());
        if self.open(span, report).is_none() {
            return;
        }
        let [name, rest @ ..] = rest else {
            report.bad(span, "the class has no name", "write `class NAME commit 10%`");
            return;
        };
        if depth >= DEEPEST {
            self.too_deep += usize::from(group);
            let said = format!("the class {} is nested deeper than {DEEPEST} levels", ticked(&name.text));
            report.bad(span, said, "HTB allows no more levels");
            return;
        }
        if group && name.text == "default" {
            report.bad(span, "the class `default` cannot be a group", "give the group another name");
            return;
        }
        let mut params = Params::default();
        params.read(rest, report);
        if params.is_of_link() {
            report.lost(
                span,
                "a class has no `linklayer`, `overhead`, `mpu`, `mtu` or `minrate` of its own",
                "write the bytes of the line in `link`",
            );
        }
        let (name, matches) = (name.text.clone(), Vec::new());
        self.class = self.add(Node { name, span, parent, params, versions, added: false, matches });
        if group {
            self.groups.extend(self.class);
        }
    }

    fn end_group(&mut self) {
        if self.too_deep > 0 {
            self.too_deep -= 1;
            return;
        }
        self.class = self.groups.pop();
        if self.class.is_some() {
            self.add_default(self.class);
        }
    }

    /// Adds a class to the last interface. Returns its place.
    fn add(&mut self, mut node: Node) -> Option<usize> {
        let interface = self.interfaces.last_mut()?;
        let parent = node.parent.and_then(|parent| interface.nodes.get(parent));
        if let Some(parent) = parent.filter(|_| node.versions.is_empty()) {
            node.versions = parent.versions;
        }
        let at = interface.nodes.len();
        if node.name == "default" {
            self.with_default.insert(node.parent);
        }
        self.names.entry(node.name.clone()).or_insert(at);
        interface.nodes.push(node);
        Some(at)
    }

    /// Ends the last interface with its open groups.
    fn close(&mut self) {
        while let Some(group) = self.groups.pop() {
            self.add_default(Some(group));
        }
        self.add_default(None);
    }

    /// Adds the class that FireQOS adds to a group or an interface without a class `default`.
    fn add_default(&mut self, parent: Option<usize>) {
        let too_deep = parent.is_some() && self.groups.len() + 1 >= DEEPEST;
        let Some(interface) = self.interfaces.last().filter(|_| !self.skipping && !too_deep) else { return };
        if self.with_default.contains(&parent) {
            return;
        }
        let own = parent.and_then(|parent| interface.nodes.get(parent));
        let span = own.map_or(interface.span, |own| own.span);
        let (name, params) = ("default".to_owned(), Params::default());
        self.add(Node { name, span, parent, params, versions: "", added: true, matches: Vec::new() });
    }

    fn matched(&mut self, own: &Statement<'_>, report: &mut Report) {
        let Statement { words, versions, span } = *own;
        let target = words.iter().position(|word| word.text == "class").and_then(|at| words.get(at + 1));
        let class = target.map_or(self.class, |target| self.names.get(&target.text).copied());
        match target {
            Some(target) if class.is_none() => report.bad(
                target.span,
                format!("there is no class {} above this line", ticked(&target.text)),
                "write the class before the match",
            ),
            _ => {}
        }
        let Some(interface) = self.open(span, report) else { return };
        let order = interface.order(words);
        let directions = interface.directions.clone();
        let Some(node) = class.and_then(|class| interface.nodes.get_mut(class)) else {
            if target.is_none() {
                let said = "no valid class stands before this match";
                report.bad(span, said, "write the class before the match");
            }
            return;
        };
        let versions = if versions.is_empty() { node.versions } else { versions };
        node.matches.extend(matches::alternatives(words, versions, &directions, order, span, report));
    }

    /// Reads `server` or `client` as FireQOS does: as matches of the connections that come in or go out.
    fn service(&mut self, end: &str, own: &Statement<'_>, variables: &Variables, report: &mut Report) {
        let [names, more @ ..] = own.words else { return };
        for name in names.text.split([',', ' ']) {
            let Some(found) = services::ports(name, variables.service(name)) else {
                report.lost(
                    own.span,
                    format!("the service {} is unknown", ticked(name)),
                    "write `match` with `protocol` and `remote_port` (for a client) or `local_port` (for a server)",
                );
                continue;
            };
            for (protocol, ports) in found {
                let words = [end, "proto", &protocol, "dports", &ports];
                let words = words.map(|text| Word { text: text.to_owned(), span: names.span });
                let words = [words.as_slice(), more].concat();
                self.matched(&Statement { words: &words, ..*own }, report);
            }
        }
    }
}
