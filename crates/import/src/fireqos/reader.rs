//! Reads the statements of a file.

use super::block::{Interface, Node};
use super::matches::Versions;
use super::params::Params;
use super::shell::Variables;
use super::{matches, services};
use crate::config::DEEPEST;
use crate::report::ImportReport;
use crate::text::{Word, lines};
use qosc_compiler::diag::{Span, ticked};
use qosc_compiler::terms::Direction;
use qosc_compiler::units::IfName;
use std::collections::{HashMap, HashSet};

/// State between two statements.
#[derive(Default)]
struct Reader {
    interfaces: Vec<Interface>,
    variables: Variables,
    report: ImportReport,
    /// Classes of the last interface.
    open: Classes,
    /// The following statements belong to an interface that is not converted.
    skipping: bool,
}

/// State between two statements of an interface.
#[derive(Default)]
struct Classes {
    /// Open groups.
    groups: Vec<usize>,
    /// The last class, and all classes by name.
    last: Option<usize>,
    names: HashMap<String, usize>,
    /// Groups that have a class `default`, and `None` for the interface itself.
    with_default: HashSet<Option<usize>>,
}

/// A statement without its first word.
struct Statement<'a> {
    words: &'a [Word],
    versions: Versions,
    span: Span,
}

/// Returns the interfaces of a file, and the findings.
pub(super) fn read(text: &str) -> (Vec<Interface>, ImportReport) {
    let mut reader = Reader::default();
    let mut before: Vec<Word> = Vec::new();
    for line in lines(text) {
        let Some(words) = line.shell() else {
            reader.report.bad(line.span(), "a quote is open at the end of the line", "close the quote");
            continue;
        };
        before.extend(words);
        // a backslash joins the next line
        if line.text.ends_with('\\') && !line.text.trim_start().starts_with('#') {
            continue;
        }
        let words = std::mem::take(&mut before);
        let word = words.first().map(|word| versions(&word.text).0);
        if reader.skipping && matches!(word, Some("class" | "match" | "server" | "client")) {
            continue;
        }
        let words = reader.variables.expanded(words, &mut reader.report);
        if !reader.variables.assign(&words, &mut reader.report) {
            // A statement without a result has been reported.
            let _done = reader.statement(&words);
        }
    }
    reader.close();
    (reader.interfaces, reader.report)
}

impl Reader {
    fn statement(&mut self, words: &[Word]) -> Option<()> {
        let (first, rest) = words.split_first()?;
        let (word, versions) = versions(&first.text);
        let end = words.last().map_or(0, |last| last.span.end).max(first.span.end);
        let span = Span { end, ..first.span };
        let own = Statement { words: rest, versions, span };
        match word {
            "interface" => self.interface(&own),
            "class" => self.class(&own),
            "match" => self.matched(&own),
            "server" => self.service("input", &own),
            "client" => self.service("output", &own),
            _ => {
                let help =
                    "write what a shell command does as `interface`, `class`, `match`, `server` or `client`";
                let said = format!("{} is no statement of FireQOS", ticked(&first.text));
                self.report.refuse(span, said, help)
            }
        }
    }

    fn interface(&mut self, own: &Statement<'_>) -> Option<()> {
        let Statement { versions, span, .. } = *own;
        self.close();
        (self.open, self.skipping) = (Classes::default(), true);
        let [device, name, direction, rest @ ..] = own.words else {
            let said = "the interface has no device, name and direction";
            return self.report.refuse(span, said, "write `interface DEVICE NAME input rate 10mbit`");
        };
        let report = &mut self.report;
        let parse = |text: &str| text.parse::<IfName>().ok();
        let device =
            report.read(device, "no name of a device", "write the name that `ip link` prints", parse)?;
        let known = |text: &str| match text {
            "input" | "in" => Some(vec![Direction::Down]),
            "output" | "out" => Some(vec![Direction::Up]),
            "bidirectional" | "both" | "bi" | "inout" => Some(Direction::BOTH.to_vec()),
            _ => None,
        };
        let help = "write `input`, `output` or `bidirectional`";
        let directions = report.read(direction, "no direction", help, known)?;
        let mut params = Params { queue: self.variables.queue.clone(), ..Params::default() };
        params.read(rest, report);
        let name = ticked(&name.text);
        match versions {
            "46" => {}
            "6" => {
                let said = format!("the interface {name} shapes only IPv6; the file shapes both versions");
                report.lost(span, said, "");
            }
            _ => {
                let said = format!("the interface {name} classifies only IPv4, and the result both versions");
                report.other(span, said, "add `family: ipv4` to a match if IPv6 is to be left out");
            }
        }
        let (nodes, matches) = (Vec::new(), 0);
        self.interfaces.push(Interface { device, span, directions, params, nodes, matches });
        self.skipping = false;
        Some(())
    }

    /// Returns the last interface, or reports that there is none.
    fn last(&mut self, span: Span) -> Option<&mut Interface> {
        if self.interfaces.is_empty() && !self.skipping {
            let help = "begin with `interface DEVICE NAME input rate 10mbit`";
            self.report.bad(span, "this statement stands before the first interface", help);
        }
        self.interfaces.last_mut().filter(|_| !self.skipping)
    }

    fn class(&mut self, own: &Statement<'_>) -> Option<()> {
        let Statement { versions, span, .. } = *own;
        let (group, rest) = match own.words {
            [group, end] if group.text == "group" && end.text == "end" => return self.end_group(),
            [group, rest @ ..] if group.text == "group" => (true, rest),
            rest => (false, rest),
        };
        // the matches of a class that cannot be read belong to no other class
        self.open.last = None;
        let (depth, parent) = (self.open.groups.len(), self.open.groups.last().copied());
        self.last(span)?;
        let [name, rest @ ..] = rest else {
            return self.report.refuse(span, "the class has no name", "write `class NAME commit 10%`");
        };
        if depth >= DEEPEST {
            // so that each end of a group has its begin
            self.open.groups.extend(parent.filter(|_| group));
            let said = format!("the class {} is nested deeper than {DEEPEST} levels", ticked(&name.text));
            return self.report.refuse(span, said, "HTB allows no more levels");
        }
        if group && name.text == "default" {
            let said = "the class `default` cannot be a group";
            return self.report.refuse(span, said, "give the group another name");
        }
        let mut params = Params::default();
        params.read(rest, &mut self.report);
        if params.is_of_link() {
            let said = "a class has no `linklayer`, `overhead`, `mpu`, `mtu` or `minrate` of its own";
            self.report.lost(span, said, "write the bytes of the line in `link`");
        }
        let (name, matches) = (name.text.clone(), Vec::new());
        self.open.last = self.add(Node { name, span, parent, params, versions, matches });
        if group {
            self.open.groups.extend(self.open.last);
        }
        Some(())
    }

    fn end_group(&mut self) -> Option<()> {
        self.open.last = self.open.groups.pop();
        self.add_default(Some(self.open.last?));
        Some(())
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
            self.open.with_default.insert(node.parent);
        }
        self.open.names.entry(node.name.clone()).or_insert(at);
        interface.nodes.push(node);
        Some(at)
    }

    /// Ends the last interface with its open groups.
    fn close(&mut self) {
        while let Some(group) = self.open.groups.pop() {
            self.add_default(Some(group));
        }
        self.add_default(None);
    }

    /// Adds the class that FireQOS adds to a group or an interface without a class `default`.
    fn add_default(&mut self, parent: Option<usize>) {
        let too_deep = parent.is_some() && self.open.groups.len() + 1 >= DEEPEST;
        let Some(interface) = self.interfaces.last().filter(|_| !self.skipping && !too_deep) else { return };
        if self.open.with_default.contains(&parent) {
            return;
        }
        let own = parent.and_then(|parent| interface.nodes.get(parent));
        let span = own.map_or(interface.span, |own| own.span);
        let (name, params) = ("default".to_owned(), Params::default());
        self.add(Node { name, span, parent, params, versions: "", matches: Vec::new() });
    }

    fn matched(&mut self, own: &Statement<'_>) -> Option<()> {
        let Statement { words, span, .. } = *own;
        let help = "write the class before the match";
        let target = words.iter().position(|word| word.text == "class").and_then(|at| words.get(at + 1));
        let class = target.map_or(self.open.last, |target| self.open.names.get(&target.text).copied());
        if let (Some(target), None) = (target, class) {
            let said = format!("there is no class {} above this line", ticked(&target.text));
            self.report.bad(target.span, said, help);
        }
        let interface = self.last(span)?;
        let order = interface.order(words);
        let Some(class) = class.filter(|class| *class < interface.nodes.len()) else {
            let said = target.is_none().then_some("no valid class stands before this match")?;
            return self.report.refuse(span, said, help);
        };
        let Interface { directions, nodes, .. } = self.interfaces.last_mut()?;
        let node = nodes.get_mut(class)?;
        let versions = if own.versions.is_empty() { node.versions } else { own.versions };
        let found = matches::alternatives(words, versions, directions, order, span, &mut self.report);
        node.matches.extend(found);
        Some(())
    }

    /// Reads `server` or `client` as FireQOS does: as matches of the connections that come in or go out.
    fn service(&mut self, end: &str, own: &Statement<'_>) -> Option<()> {
        let (names, more) = own.words.split_first()?;
        for name in names.text.split([',', ' ']) {
            let Some(found) = services::ports(name, self.variables.service(name)) else {
                let help = "write a `match` with the protocol and the ports of the service";
                self.report.lost(own.span, format!("the service {} is unknown", ticked(name)), help);
                continue;
            };
            for (protocol, ports) in found {
                let words = [end, "proto", &protocol, "dports", &ports];
                let words = words.map(|text| Word { text: text.to_owned(), span: names.span });
                let words = [words.as_slice(), more].concat();
                let _done = self.matched(&Statement { words: &words, ..*own });
            }
        }
        Some(())
    }
}

/// Splits `interface46` into `interface` and its IP versions.
fn versions(word: &str) -> (&str, Versions) {
    let plain = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let known = ["4", "6", "46"].into_iter().find(|own| word.strip_prefix(plain) == Some(own));
    known.map_or((word, ""), |known| (plain, known))
}
