//! Prints lines that have the name from the YAML as their comment.

use super::shell;
use super::words::Reader;
use crate::tc::{
    Decrypted, Dev, Facts, Filter, Handle, Hook, HtbClass, Parent, Program, Qdisc, QdiscKind, ROOT, Why,
};
use crate::units::IfName;

/// Handle of the script's own root qdiscs.
pub(super) const ROOT_HANDLE: Handle = Handle { major: ROOT, minor: 0 };

/// Returns the origin of an object for a comment: `voice: dscp ef, cs5 (home.yaml:28)`.
pub(super) fn origin(why: &Why, source: &str) -> String {
    let what = if why.what.is_empty() { String::new() } else { format!(": {}", why.what) };
    let place = why.line.map(|line| format!(" ({source}:{line})")).unwrap_or_default();
    format!("{}{what}{place}", why.name)
}

/// Printer of a program's lines for one reader.
#[derive(Debug, Clone, Copy)]
pub(super) struct Printer<'a> {
    pub(super) program: &'a Program,
    pub(super) reader: Reader<'a>,
    pub(super) source: &'a str,
}

impl Printer<'_> {
    fn line(&self, words: &str, why: &Why) -> String {
        let origin = origin(why, self.source);
        let origin = match self.reader {
            Reader::Tc { .. } | Reader::Record => shell::comment(&origin),
            Reader::Shell | Reader::Probe => shell::here(&origin),
        };
        format!("{words} # {origin}")
    }

    pub(super) fn qdisc(&self, qdisc: &Qdisc) -> String {
        self.line(&self.reader.qdisc(qdisc), &qdisc.why)
    }

    pub(super) fn class(&self, class: &HtbClass) -> String {
        self.line(&self.reader.class(class), &class.why)
    }

    pub(super) fn filter(&self, filter: &Filter) -> String {
        let line = self.line(&self.reader.filter(filter, ROOT_HANDLE), &filter.why);
        self.only_with(filter.with.as_ref(), line)
    }

    /// Returns the lines for a tunnel device.
    pub(super) fn tunnel(&self, tunnel: &Decrypted) -> Vec<String> {
        let lines = self.reader.decrypted(tunnel).into_iter().map(|words| self.line(&words, &tunnel.why));
        let with = Some(&tunnel.device).filter(|_| !matches!(self.reader, Reader::Probe));
        lines.map(|line| self.only_with(with, line)).collect()
    }

    /// Returns the lines for all tunnel devices.
    pub(super) fn tunnels(&self) -> Vec<String> {
        self.program.decrypted.iter().flat_map(|tunnel| self.tunnel(tunnel)).collect()
    }

    /// Prefixes a line with its tunnel device. A shell skips such a line if it cannot queue the tunnel's downloads
    /// after decryption.
    fn only_with(&self, device: Option<&IfName>, line: String) -> String {
        match (self.reader, device) {
            (Reader::Shell, Some(device)) => format!("@with {device} {line}"),
            _ => line,
        }
    }

    /// Returns the root qdisc and the classes of a device.
    pub(super) fn tree(&self, dev: Dev) -> Vec<String> {
        let roots = self.program.qdiscs.iter().filter(|q| q.dev == dev && q.parent == Parent::Root);
        let classes = self.program.classes.iter().filter(|c| c.dev == dev);
        roots.map(|q| self.qdisc(q)).chain(classes.map(|c| self.class(c))).collect()
    }

    /// Returns the leaf qdiscs of a device. If `split` is `true`, they are the replacements for a router whose offloads
    /// cannot be turned off.
    pub(super) fn leaves(&self, dev: Dev, split: bool) -> Vec<String> {
        leaves(self.program, dev, split).iter().map(|q| self.qdisc(q)).collect()
    }

    /// Returns the filters at the root qdisc of a device.
    pub(super) fn filters(&self, dev: Dev) -> Vec<String> {
        let at_root = |f: &&Filter| f.dev == dev && f.hook == Hook::Root;
        self.program.filters.iter().filter(at_root).map(|f| self.filter(f)).collect()
    }

    /// Returns the filters at the hooks. The redirect is the last one, so that packets only enter when everything
    /// behind it is ready.
    pub(super) fn hooks(&self) -> Vec<String> {
        self.program.filters.iter().filter(|f| f.hook != Hook::Root).map(|f| self.filter(f)).collect()
    }
}

/// Returns the leaf qdiscs of a device.
pub(super) fn leaves(program: &Program, dev: Dev, split: bool) -> Vec<Qdisc> {
    let is_leaf = |q: &&Qdisc| q.dev == dev && matches!(q.parent, Parent::At(_));
    let stand_in = |q: &Qdisc| match (&q.instead, split) {
        (Some(instead), true) => Qdisc { kind: instead.clone(), ..q.clone() },
        _ => q.clone(),
    };
    program.qdiscs.iter().filter(is_leaf).map(stand_in).collect()
}

/// Returns the lines for `tc -batch` that create the whole program from nothing on a router with these facts.
#[must_use]
pub fn batch(program: &Program, facts: Facts, source: &str) -> String {
    let program = &program.on(facts);
    let reader = Reader::Tc { wan: &program.wan, ifb: &program.ifb };
    let printer = Printer { program, reader, source };
    let mut lines = Vec::new();
    lines.extend(program.qdiscs.iter().filter(|q| q.kind == QdiscKind::Clsact).map(|q| printer.qdisc(q)));
    lines.extend(program.decrypted.iter().map(|tunnel| format!("qdisc add dev {} clsact", tunnel.device)));
    for dev in [Dev::Ifb, Dev::Wan] {
        lines.extend(printer.tree(dev));
        lines.extend(printer.leaves(dev, facts.split_in_leaves));
        lines.extend(printer.filters(dev));
    }
    lines.extend(printer.hooks());
    lines.extend(printer.tunnels());
    lines.join("\n") + "\n"
}

/// Returns the output of a script's `described` on a router with these facts: the lines of the whole program. The
/// devices appear as `@wan` and `@ifb`, so that the lines can be compared with those of another start.
#[must_use]
pub fn described(program: &Program, facts: Facts, source: &str) -> String {
    let program = &program.on(facts);
    let printer = Printer { program, reader: Reader::Record, source };
    let mut lines = Vec::new();
    for dev in [Dev::Wan, Dev::Ifb] {
        lines.extend(printer.tree(dev));
        lines.extend(printer.leaves(dev, facts.split_in_leaves));
        lines.extend(printer.filters(dev));
    }
    lines.extend(printer.hooks());
    lines.extend(printer.tunnels());
    lines.iter().map(|line| format!("{line}\n")).collect()
}
