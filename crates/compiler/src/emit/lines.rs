//! Prints lines that have the name from the YAML as their comment.

use super::shell;
use super::words::Reader;
use crate::tc::{
    Bucket, CATCH_ALL_PREF, Decrypted, Dev, Facts, Filter, Handle, HashTable, Hook, HtbClass, Parent,
    Program, Qdisc, QdiscKind, ROOT, Why,
};
use crate::units::IfName;
use std::collections::BTreeMap;

/// Handle of the first hash table of a direction. `steps.awk` replaces the first digit by the number of the chain.
const FIRST_TABLE: u16 = 0x101;

/// Number of buckets of each table, used or not: a table stays when its list is replaced, and the next one takes it over.
const DIVISOR: u32 = 256;

/// Handle of the script's own root qdiscs.
pub(super) const ROOT_HANDLE: Handle = Handle { major: ROOT, minor: 0 };

/// Returns the origin of an object for a comment: `voice: dscp ef, cs5 (home.yaml:28)`. Readers of the comment find the
/// place by its parentheses, so the name of the file has none: `home (1).yaml` becomes `home [1].yaml`.
///
/// `source` is the name of the configuration, and `files` are the paths of the files that it includes.
pub(super) fn origin(why: &Why, source: &str, files: &[String]) -> String {
    let source =
        usize::from(why.file).checked_sub(1).and_then(|at| files.get(at)).map_or(source, String::as_str);
    let what = if why.what.is_empty() { String::new() } else { format!(": {}", why.what) };
    let source = source.replace('(', "[").replace(')', "]");
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
        format!("{words} # {}", shell::comment(&origin(why, self.source, &self.program.files)))
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
        let with = Some(&tunnel.device).filter(|_| !matches!(self.reader, Reader::Trial));
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
            (Reader::Script, Some(device)) => format!("@with {device} {line}"),
            _ => line,
        }
    }

    /// Returns the root qdisc of a device, and its classes, each followed by its leaf. If `split` is `true`, leaves are
    /// the replacements for a router whose offloads cannot be turned off.
    pub(super) fn tree(&self, dev: Dev, split: bool) -> Vec<String> {
        let roots = self.program.qdiscs.iter().filter(|q| q.dev == dev && q.parent == Parent::Root);
        let mut lines: Vec<String> = roots.map(|q| self.qdisc(q)).collect();
        let mut leaves = leaves(self.program, dev, split);
        for class in self.program.classes.iter().filter(|c| c.dev == dev) {
            lines.push(self.class(class));
            lines.extend(leaves.remove(&class.id).map(|leaf| self.qdisc(&leaf)));
        }
        lines
    }

    /// Returns all objects but the hooks: downloads, uploads, the filters at the hooks, and those of tunnels. Nothing is
    /// redirected to the ifb before it can take it.
    pub(super) fn all(&self, split: bool) -> Vec<String> {
        let directions = [Dev::Ifb, Dev::Wan].into_iter();
        let mut lines: Vec<String> =
            directions.flat_map(|dev| [self.tree(dev, split), self.filters(dev)].concat()).collect();
        lines.extend(self.hooks());
        lines.extend(self.tunnels());
        lines
    }

    /// Returns all objects with their comments on lines above them. Objects with the same comment share it. A leaf after
    /// its class has none: its comment follows from that of the class.
    pub(super) fn commented(&self) -> Vec<String> {
        let (mut above, mut class) = (String::new(), String::new());
        let mut lines = Vec::new();
        // Each line is dropped as soon as it is divided, because a large program has many.
        for mut line in self.all(false) {
            let end = line.find(" # ").unwrap_or(line.len());
            let from = line.get(end + 3..).unwrap_or_default().to_owned();
            line.truncate(end);
            let follows = line.starts_with("qdisc add ") && !class.is_empty() && from == class;
            class = if line.starts_with("class ") { queue_of(&from) } else { String::new() };
            if from != above && !follows {
                lines.push(format!("# {from}"));
                above = from;
            }
            line.shrink_to_fit();
            lines.push(line);
        }
        lines
    }

    /// Returns the filters at the root qdisc of a device.
    pub(super) fn filters(&self, dev: Dev) -> Vec<String> {
        let at_root = |f: &&Filter| f.dev == dev && f.hook == Hook::Root;
        let tunnels = self.program.decrypted.iter().filter(|tunnel| tunnel.uploads && dev == Dev::Wan);
        let shortened = tunnels.map(|tunnel| {
            let line = self.line(&self.reader.shortened(tunnel, ROOT_HANDLE), &tunnel.why);
            self.only_with(Some(&tunnel.device), line)
        });
        let mut lines: Vec<String> = shortened.collect();
        let filters: Vec<&Filter> = self.program.filters.iter().filter(at_root).collect();
        let mut tables = FIRST_TABLE;
        for list in filters.chunk_by(|one, next| one.pref == next.pref && one.protocol == next.protocol) {
            match HashTable::of_filters(list) {
                Some(table) => self.table(&mut lines, list, &table, "", &mut tables),
                None => lines.extend(list.iter().map(|filter| self.filter(filter))),
            }
        }
        lines
    }

    /// Adds the lines of a hash table, which stands in the bucket `place` or in the list of its preference. The link that
    /// leads to it comes last.
    fn table(
        &self,
        lines: &mut Vec<String>,
        list: &[&Filter],
        table: &HashTable,
        place: &str,
        next: &mut u16,
    ) {
        let Some(first) = list.first() else { return };
        let start = self.reader.list_of(first, ROOT_HANDLE);
        let (number, HashTable { key, buckets }) = (*next, table);
        *next += 1;
        let line = |words: String| self.line(&format!("{start} {words}"), &first.why);
        // u32 shows a table beside the lists with its preference, and every list has this one
        let (place_of_all, _) = start.split_once(" pref ").unwrap_or_default();
        let head = format!(
            "{place_of_all} pref {CATCH_ALL_PREF} protocol all handle {number:x}: u32 divisor {DIVISOR}"
        );
        lines.push(self.line(&head, &first.why));
        for (bucket, content) in buckets {
            let place = format!("ht {number:x}:{bucket:x}: ");
            match content {
                Bucket::Table(table) => self.table(lines, list, table, &place, next),
                Bucket::Filters(places) => {
                    let filters = places.iter().filter_map(|at| list.get(*at));
                    let lined =
                        filters.map(|f| self.filter(f).replacen(" u32 ", &format!(" u32 {place}"), 1));
                    lines.extend(lined);
                }
            }
        }
        let (mask, offset) = (key.mask(), key.offset);
        lines.push(line(format!(
            "u32 {place}match u32 0 0 at 0 hashkey mask {mask:#010x} at {offset} link {number:x}:"
        )));
    }

    /// Returns the filters at the hooks. The redirect is the last one, so that packets only enter when everything
    /// behind it is ready.
    pub(super) fn hooks(&self) -> Vec<String> {
        self.program.filters.iter().filter(|f| f.hook != Hook::Root).map(|f| self.filter(f)).collect()
    }
}

/// Returns the comment of a class's leaf, `voice: queue (home.yaml:28)`, from that of the class.
fn queue_of(class: &str) -> String {
    match class.rsplit_once(" (") {
        Some((name, place)) => format!("{name}: queue ({place}"),
        None => format!("{class}: queue"),
    }
}

/// Returns the leaf qdiscs of a device by their classes.
fn leaves(program: &Program, dev: Dev, split: bool) -> BTreeMap<Handle, Qdisc> {
    let of_dev = program.qdiscs.iter().filter(|q| q.dev == dev);
    let leaf = |q: &Qdisc| match (&q.parent, &q.instead, split) {
        (Parent::At(class), Some(instead), true) => {
            Some((*class, Qdisc { kind: instead.clone(), ..q.clone() }))
        }
        (Parent::At(class), _, _) => Some((*class, q.clone())),
        _ => None,
    };
    of_dev.filter_map(leaf).collect()
}

/// Estimates the bytes of all lines of a program with their comments, without printing them. Long names and texts of
/// matches can make them much longer than the YAML.
#[must_use]
pub fn estimated_size(program: &Program, source: &str) -> usize {
    let comment = |why: &Why| why.name.len() + why.what.len() + source.len() + 20;
    let qdiscs = program.qdiscs.iter().map(|qdisc| 160 + comment(&qdisc.why));
    let classes = program.classes.iter().map(|class| 180 + comment(&class.why));
    let words = |filter: &Filter| 30 * filter.selector.words.len() + 120 * filter.actions.len();
    let filters = program.filters.iter().map(|filter| 80 + words(filter) + comment(&filter.why));
    let tunnels = program.decrypted.iter().map(|tunnel| 1000 + 5 * comment(&tunnel.why));
    qdiscs.chain(classes).chain(filters).chain(tunnels).sum()
}

/// Returns the lines for `tc -batch` that create the whole program from nothing on a router with these facts.
#[must_use]
pub fn batch(program: &Program, facts: Facts, source: &str) -> String {
    let program = &program.on(facts).at_wan();
    let reader = Reader::Tc { wan: &program.wan, ifb: &program.ifb };
    let printer = Printer { program, reader, source };
    let mut lines = Vec::new();
    lines.extend(program.qdiscs.iter().filter(|q| q.kind == QdiscKind::Clsact).map(|q| printer.qdisc(q)));
    lines.extend(program.decrypted.iter().map(|tunnel| format!("qdisc add dev {} clsact", tunnel.device)));
    lines.extend(printer.all(facts.split_in_leaves));
    lines.join("\n") + "\n"
}

/// Returns what a script records of its desired state on a router with these facts: the lines of the whole program, and
/// the settings. The devices appear as `@wan` and `@ifb`, so that the lines can be compared with those of another start.
#[must_use]
pub fn described(program: &Program, facts: Facts, source: &str) -> String {
    let program = &program.on(facts);
    let printer = Printer { program, reader: Reader::Record, source };
    let settings = &program.settings;
    let lines = printer.all(facts.split_in_leaves).into_iter();
    let lines = lines.chain(settings.txqueuelen.map(|length| format!("txqueuelen {length}")));
    let sysctls = settings.sysctls.iter().map(|sysctl| format!("sysctl {} {}", sysctl.path, sysctl.value));
    lines.chain(sysctls).map(|line| line + "\n").collect()
}
