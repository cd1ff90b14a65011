//! Short form of an explanation: a table for each subject.

use super::buffers::BUFFERS;
use super::classes::ONE_OF;
use super::drawn::{Depth, WIDEST, drawn};
use super::row::Short;
use super::{Explanation, Row, Section, Whence};
use crate::derive::borrows;
use crate::diag::wrapped;
use crate::units::{Bytes, Rate, for_people};
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Returns the texts of the sections, in their order.
pub(super) fn short(explanation: &Explanation, file: &str) -> Vec<String> {
    let rows = explanation.sections.iter().flat_map(|section| &section.rows);
    let look = Look { explanation, rows: rows.map(|row| (row.id.as_str(), row)).collect() };
    let mut out = Vec::new();
    let mut classes = true;
    for section in &explanation.sections {
        if section.class.is_some() {
            if std::mem::take(&mut classes) {
                out.extend(["up", "down"].iter().flat_map(|direction| look.direction(direction)));
            }
            continue;
        }
        match section.short {
            Short::Packets => out.push(look.goodput(section)),
            Short::Buffers => out.push(look.buffers(section)),
            Short::Nothing | Short::Repeated => {}
            Short::Lines => {
                let mut section = section.clone();
                section.rows.retain(|row| !look.says_nothing(row));
                for row in section.rows.iter_mut().filter(|row| is_size(row)) {
                    row.value = row.value.parse().map_or_else(|_| row.value.clone(), Bytes::for_people);
                }
                out.push(drawn(&section, file, Depth::Short));
            }
        }
    }
    out.push(
        "* is given in the file. `-vv` shows every number exactly, with its formula and its inputs;\n\
         `--class NAME` shows only those of one class.\n"
            .to_owned(),
    );
    out
}

/// Returns whether the value of a row outside the tables is a number of bytes.
fn is_size(row: &Row) -> bool {
    row.id.starts_with("memory.") || (row.id.starts_with("police.") && row.id.ends_with(".burst"))
}

/// A size of a table's cell, rounded: `1643 B`.
fn size(cell: &str) -> String {
    let bytes = cell.trim_end_matches('*');
    let Ok(bytes) = bytes.parse::<Bytes>() else { return cell.to_owned() };
    let star = if cell.ends_with('*') { "*" } else { "" };
    bytes.for_people().replace(" bytes", " B") + star
}

/// A bandwidth-delay product of a table's cell, rounded: `12 KiB, 8`.
fn product(cell: &str) -> String {
    match cell.split_once(" bytes, ") {
        Some((bytes, packets)) => {
            format!("{}, {}", size(bytes), packets.split(' ').next().unwrap_or_default())
        }
        None => cell.to_owned(),
    }
}

/// A rate or time of a table's cell, rounded.
fn rounded(cell: &str) -> String {
    let star = if cell.ends_with('*') { "*" } else { "" };
    for_people(cell.trim_end_matches('*')) + star
}

/// Sources of the tables.
struct Look<'a> {
    explanation: &'a Explanation,
    rows: BTreeMap<&'a str, &'a Row>,
}

impl Look<'_> {
    fn row(&self, id: &str) -> Option<&Row> {
        self.rows.get(id).copied()
    }

    /// True if a row repeats another.
    fn says_nothing(&self, row: &Row) -> bool {
        row.id
            .strip_prefix("link.tree.")
            .is_some_and(|direction| row.value == self.value(&format!("link.shaped.{direction}")))
    }

    fn value(&self, id: &str) -> String {
        self.row(id).map(|row| row.value.clone()).unwrap_or_default()
    }

    /// Returns the value, with a star if the file gives it.
    fn starred(&self, id: &str) -> String {
        let Some(row) = self.row(id) else { return String::new() };
        let written = row.inputs.iter().any(|input| input.id.is_none());
        let given = matches!(row.from, Whence::Given { line: Some(_) }) || written;
        format!("{}{}", row.value, if given { "*" } else { "" })
    }

    fn goodput(&self, section: &Section) -> String {
        let mut cells = vec![
            [
                "IP bytes",
                "line bytes",
                "goodput up",
                "share",
                "packets/s",
                "goodput down",
                "share",
                "packets/s",
            ]
            .map(str::to_owned)
            .to_vec(),
        ];
        let sizes = section.rows.iter().filter_map(|row| row.id.strip_suffix(".bytes"));
        let mtu: u64 = self.value("link.mtu").parse().unwrap_or(u64::MAX);
        for id in sizes {
            let of = |what: &str| rounded(&self.value(&format!("{id}.{what}")));
            let size = id.rsplit('.').next().unwrap_or_default().to_owned();
            // The line carries no such packet.
            if size.parse().is_ok_and(|size: u64| size > mtu) {
                continue;
            }
            let mut line = vec![size, of("bytes").replace(" bytes", "")];
            for direction in ["up", "down"] {
                line.extend(["goodput", "share", "packets"].map(|what| of(&format!("{direction}.{what}"))));
            }
            cells.push(line);
        }
        let mut out = format!("{} (share: of the line rate)\n{}", section.title, table(&cells));
        for words in &section.words {
            wrapped(&mut out, "  ", words, 4);
        }
        out
    }

    /// Returns the table of the bytes on the wire and in buffers, with a pair of columns for each direction.
    fn buffers(&self, section: &Section) -> String {
        let found = |end: &str, direction: &&str| self.row(&format!("buffers.{direction}.{end}")).is_some();
        let directions: Vec<&str> = ["up", "down"]
            .into_iter()
            .filter(|name| BUFFERS.iter().any(|(end, _)| found(end, name)))
            .collect();
        let mut cells = vec![vec![String::new()], vec!["on the wire (BDP)".to_owned()]];
        for direction in &directions {
            if let [head, wire] = cells.as_mut_slice() {
                head.extend([(*direction).to_owned(), "delay".to_owned()]);
                let bdp = self.value(&format!("bdp.{direction}"));
                let bytes = bdp.split(" bytes").next().unwrap_or_default();
                wire.extend([size(bytes), rounded(&self.value("rtt"))]);
            }
        }
        for (end, what) in BUFFERS.iter().filter(|(end, _)| directions.iter().any(|name| found(end, name))) {
            let mut line = vec![(*what).to_owned()];
            for direction in &directions {
                let id = format!("buffers.{direction}.{end}");
                line.push(size(self.value(&id).trim_end_matches(" bytes")));
                line.push(rounded(&self.value(&format!("{id}.time"))));
            }
            cells.push(line);
        }
        let mut out = format!("{}\n{}", section.title, table(&cells));
        for words in &section.words {
            wrapped(&mut out, "  ", words, 4);
        }
        out
    }

    /// Classes that have this row in this direction: the section, the name, and the indented name to show.
    fn classes(&self, direction: &str, what: &str) -> Vec<(&Section, &str, String)> {
        let sections = self.explanation.sections.iter();
        let classes = sections.filter_map(|section| {
            let class = section.class.as_deref().filter(|_| section.short != Short::Repeated)?;
            self.row(&format!("class.{class}.{direction}.{what}"))?;
            let depth = section.title.matches(" / ").count() + usize::from(class.contains('/'));
            let own = section.title.split_once(ONE_OF).map_or(class, |(_, devices)| devices);
            Some((section, class, format!("{:indent$}{own}", "", indent = 2 * depth)))
        });
        classes.collect()
    }

    /// Returns the tables of a direction.
    fn direction(&self, direction: &str) -> Vec<String> {
        let tins = self.classes(direction, "tin");
        if !tins.is_empty() {
            let mut cells = vec![vec!["class".to_owned(), "tin".to_owned()]];
            cells.extend(
                tins.into_iter().map(|(_, class, shown)| {
                    vec![shown, self.value(&format!("class.{class}.{direction}.tin"))]
                }),
            );
            let wait = rounded(&self.value(&format!("wait.{direction}")));
            return vec![format!(
                "classes {direction}, scheduled by CAKE; a full packet takes {wait}\n{}",
                table(&cells)
            )];
        }
        let classes = self.classes(direction, "guarantee");
        if classes.is_empty() {
            return Vec::new();
        }
        vec![
            self.rates(direction, &classes),
            self.delays(direction, &classes),
            self.queues(direction, &classes),
        ]
    }

    fn rates(&self, direction: &str, classes: &[(&Section, &str, String)]) -> String {
        let heads = ["class", "priority", "guarantee", "ceiling", "burst", "cburst", "quantum"];
        let mut cells = vec![heads.map(str::to_owned).to_vec()];
        let tree = |what: &str| size(&self.value(&format!("tree.{direction}.{what}")));
        let rate = rounded(&self.value(&format!("link.tree.{direction}")));
        cells.push(vec![
            "(all)".to_owned(),
            String::new(),
            rate.clone(),
            rate,
            tree("burst"),
            tree("cburst"),
            tree("quantum"),
        ]);
        for (_, class, shown) in classes {
            let of = |what: &str| self.starred(&format!("class.{class}.{direction}.{what}"));
            let priority = self.starred(&format!("class.{class}.priority"));
            let mut line = vec![shown.clone(), priority];
            line.push(self.guarantee(class, direction));
            line.push(rounded(&of("ceiling")));
            line.extend(["burst", "cburst", "quantum"].map(|what| size(&of(what))));
            cells.push(line);
        }
        format!("classes {direction}\n{}", table(&cells))
    }

    /// Returns the guarantee of a class, or `borrows only`.
    fn guarantee(&self, class: &str, direction: &str) -> String {
        let shown = self.starred(&format!("class.{class}.{direction}.guarantee"));
        let rate: Option<Rate> = shown.trim_end_matches('*').parse().ok();
        match rate.filter(|rate| borrows(*rate)) {
            Some(_) => format!("borrows only{}", if shown.ends_with('*') { "*" } else { "" }),
            None => rounded(&shown),
        }
    }

    /// Table of serialization delays at the guarantees, the longest waits, and bandwidth-delay products.
    fn delays(&self, direction: &str, classes: &[(&Section, &str, String)]) -> String {
        let size = |row: &str| {
            let what = self
                .row(&format!("delay.{direction}.{row}"))
                .map(|row| row.what.as_str())
                .unwrap_or_default();
            let behind = what.split(" of ").nth(1).unwrap_or_default();
            behind.strip_suffix(&format!(" {direction}")).unwrap_or(behind).to_owned()
        };
        let (small, full) = (size("small"), size("full"));
        let heads = ["class", &small, &full, "longest wait", "BDP at guarantee", "BDP at ceiling"];
        let mut cells = vec![heads.map(str::to_owned).to_vec()];
        let whole = product(&self.value(&format!("bdp.{direction}")));
        let delay = |row: &str| rounded(&self.value(&format!("delay.{direction}.{row}")));
        cells.push(vec![
            "(all)".to_owned(),
            delay("small"),
            delay("full"),
            String::new(),
            whole.clone(),
            whole,
        ]);
        for (_, class, shown) in classes {
            let of = |what: &str| self.value(&format!("class.{class}.{direction}.{what}"));
            let mut line = vec![shown.clone()];
            line.extend(["delay.small", "delay.full", "wait"].map(|what| rounded(&of(what))));
            line.extend(["bdp.guarantee", "bdp.ceiling"].map(|what| product(&of(what))));
            cells.push(line);
        }
        let [wait, rtt] = [format!("wait.{direction}"), "rtt".to_owned()].map(|id| rounded(&self.value(&id)));
        let mut out =
            format!("serialization delay {direction} of one packet, at the guarantee\n{}", table(&cells));
        let words = format!(
            "longest wait: {wait} for the packet in service, plus one packet of the same class at its guarantee"
        );
        wrapped(&mut out, "  ", &words, 4);
        let words =
            format!("BDP: bandwidth-delay product at a round trip time of {rtt}, and its full packets");
        wrapped(&mut out, "  ", &words, 4);
        out
    }

    /// List of queues; classes with the same kind and options share a line.
    fn queues(&self, direction: &str, classes: &[(&Section, &str, String)]) -> String {
        let mut found: Vec<(String, Vec<&str>)> = Vec::new();
        for (section, class, shown) in classes {
            let Some(text) = queue(section, class, direction) else { continue };
            match found.iter_mut().find(|(own, _)| *own == text) {
                Some((_, names)) => names.push(shown.trim_start()),
                None => found.push((text, vec![shown.trim_start()])),
            }
        }
        let mut out = format!("queues {direction}\n");
        for (text, names) in found {
            wrapped(&mut out, "  ", &format!("{}: {text}", names.join(", ")), 4);
        }
        out
    }
}

/// Returns the kind and options of a class's queue.
fn queue(section: &Section, class: &str, direction: &str) -> Option<String> {
    let mut kind = None;
    let mut options = Vec::new();
    for row in &section.rows {
        let Some(rest) = row.id.strip_prefix(&format!("class.{class}.{direction}.")) else { continue };
        let Some((own, option)) = rest.split_once('.') else { continue };
        if ["fq_codel", "cake", "fifo"].contains(&own) && option != "drop_batch" {
            kind = Some(own.to_owned());
            let star = if matches!(row.from, Whence::Given { line: Some(_) }) { "*" } else { "" };
            // As tc writes options.
            options.push(format!("{option} {}{star}", for_people(&row.value).replace(' ', "")));
        }
    }
    kind.map(|kind| format!("{kind}, {}", options.join(", ")))
}

/// A table: the first column is aligned to the left, all others to the right; the first line is the head.
pub(crate) fn table(cells: &[Vec<String>]) -> String {
    let columns = cells.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| {
        let widths = cells.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count());
        widths.filter(|width| *width <= WIDEST).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = String::new();
    for line in cells {
        let mut text = String::new();
        for (column, (cell, width)) in line.iter().zip(&widths).enumerate() {
            let _infallible = match column {
                0 => write!(text, "  {cell:width$}"),
                _ => write!(text, "  {cell:>width$}"),
            };
        }
        out.push_str(text.trim_end());
        out.push('\n');
    }
    out
}
