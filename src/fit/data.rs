//! Measurements: from text to rows.

use crate::diag::{or_ticked, ticked};
use serde::Serialize;

/// Largest IP packet in bytes (RFC 791).
const LARGEST: u64 = 65535;
/// Smallest IP packet in bytes: a header alone (RFC 791).
const SMALLEST: u64 = 20;
/// Largest number of rows: a week of seconds.
const ROWS_MAX: usize = 604_800;
/// Largest number of reported errors. A file of another kind has one in each line.
const SLIPS_MAX: usize = 20;

/// Meaning of the column `size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// IP packet including its header.
    Ip,
    /// UDP payload over IPv4: 28 bytes less than the IP packet (RFC 791: 20, RFC 768: 8).
    Udp,
    /// UDP payload over IPv6: 48 bytes less than the IP packet (RFC 8200: 40, RFC 768: 8).
    Udp6,
    /// Captured Ethernet frame without its check sequence: 14 bytes more than the IP packet (IEEE 802.3, clause 3).
    Frame,
}

impl Size {
    /// Returns the bytes of the IP packet for a size in the column, or `None` if there is no such packet.
    #[must_use]
    pub const fn ip(self, size: u64) -> Option<u64> {
        let ip = match self {
            Size::Ip => Some(size),
            Size::Udp => size.checked_add(28),
            Size::Udp6 => size.checked_add(48),
            Size::Frame => size.checked_sub(14),
        };
        match ip {
            Some(SMALLEST..=LARGEST) => ip,
            _ => None,
        }
    }

    /// Returns the meaning in words for people.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Size::Ip => "an IP packet",
            Size::Udp => "a UDP payload over IPv4",
            Size::Udp6 => "a UDP payload over IPv6",
            Size::Frame => "an Ethernet frame without its check sequence",
        }
    }
}

/// A measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// Line in the text, from 1.
    pub line: usize,
    /// Length of the IP packet in bytes.
    pub ip: u64,
    /// Packets per second that arrived.
    pub pps: f64,
}

/// All measurements.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Data {
    /// Rows in the order of the text.
    pub rows: Vec<Row>,
    /// Remarks on odd values that can still be read.
    pub notes: Vec<Note>,
}

/// Remark on an odd value.
pub type Note = String;

/// Error in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// Line of the error, from 1; the last line if something is missing.
    pub line: usize,
    /// Range of bytes in that line.
    pub place: std::ops::Range<usize>,
    /// Cause of the error.
    pub message: String,
    /// Advice on the cure.
    pub help: String,
}

/// Positions of the columns.
#[derive(Debug, Clone, Copy)]
struct Columns {
    size: usize,
    pps: Option<usize>,
    bps: Option<usize>,
}

/// A field without surrounding blanks, and its position in the line.
#[derive(Debug, Clone, Copy)]
struct Cell<'a> {
    text: &'a str,
    start: usize,
}

impl Cell<'_> {
    fn slip(&self, line: usize, message: String, help: impl Into<String>) -> Slip {
        let end = self.start + self.text.len().max(1);
        Slip { line, place: self.start..end, message, help: help.into() }
    }
}

/// Reads a table `size,pps[,bps]`. A header is optional and may give another order of the columns. Fields are separated
/// by commas, semicolons or tabs. Blank lines and text after `#` are ignored. A size may occur several times.
///
/// # Errors
/// Returns all errors in the order of the text.
pub fn read(text: &str, size: Size) -> Result<Data, Vec<Slip>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut columns = None;
    let mut data = Data::default();
    let mut slips = Vec::new();
    let mut means = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let content = line.split('#').next().unwrap_or_default();
        if content.trim().is_empty() {
            continue;
        }
        if slips.len() >= SLIPS_MAX {
            break;
        }
        if data.rows.len() >= ROWS_MAX {
            slips.push(Slip {
                line: number,
                place: 0..line.len().max(1),
                message: format!("there are more than {ROWS_MAX} measurements"),
                help: format!("remove this line and those after it: {ROWS_MAX} lines are a week with one measurement per second"),
            });
            break;
        }
        let cells = cells(content);
        let read = match columns {
            None if cells.first().is_some_and(|cell| cell.text.starts_with(|c: char| c.is_alphabetic())) => {
                header(&cells, number).map(|found| columns = Some(found))
            }
            _ => {
                let columns = *columns.get_or_insert(Columns { size: 0, pps: Some(1), bps: Some(2) });
                row(&cells, columns, number, size).map(|(row, mean)| {
                    data.rows.push(row);
                    means.extend(mean);
                })
            }
        };
        slips.extend(read.err());
    }
    if slips.is_empty() && data.rows.is_empty() {
        slips.push(Slip {
            line: text.lines().count().max(1),
            place: 0..1,
            message: "there are no measurements".to_owned(),
            help: "write a line for each: packet size, packets per second; `qosc fit --plan` prints a script that measures".to_owned(),
        });
    }
    if !slips.is_empty() {
        return Err(slips);
    }
    data.notes.extend(otherwise(&means, size));
    Ok(data)
}

/// Returns the fields of a line. The separator is a comma, semicolon or tab if the line has one, otherwise blanks.
fn cells(line: &str) -> Vec<Cell<'_>> {
    let separator = [',', ';', '\t'].into_iter().find(|c| line.contains(*c)).unwrap_or(' ');
    let mut start = 0;
    let mut cells = Vec::new();
    for piece in line.split(separator) {
        let trimmed = piece.trim();
        let lead = piece.len() - piece.trim_start().len();
        if separator != ' ' || !trimmed.is_empty() {
            let lead = if trimmed.is_empty() { 0 } else { lead };
            let bare = trimmed.trim_start_matches('"');
            let start = start + lead + trimmed.len() - bare.len();
            cells.push(Cell { text: bare.trim_end_matches('"').trim_end(), start });
        }
        start += piece.len() + 1;
    }
    cells
}

fn header(cells: &[Cell<'_>], line: usize) -> Result<Columns, Slip> {
    let find = |name: &str| cells.iter().position(|cell| cell.text.eq_ignore_ascii_case(name));
    let columns = (find("size"), find("pps"), find("bps"));
    match (columns, cells.first()) {
        ((Some(size), pps, bps), _) if pps.is_some() || bps.is_some() => Ok(Columns { size, pps, bps }),
        ((size, ..), Some(first)) => {
            let missing = if size.is_none() { "size" } else { "pps" };
            let message = format!("there is no column {}", ticked(missing));
            let help = format!(
                "name the columns {}, or leave the header out",
                or_ticked(["size,pps", "size,pps,bps"])
            );
            Err(first.slip(line, message, help))
        }
        _ => Err(Slip {
            line,
            place: 0..1,
            message: "the header is empty".to_owned(),
            help: "write `size,pps`".to_owned(),
        }),
    }
}

/// Returns a measurement. If the row has both rates, it also returns the given size and the size computed from them.
fn row(
    cells: &[Cell<'_>],
    columns: Columns,
    line: usize,
    size: Size,
) -> Result<(Row, Option<(u64, f64)>), Slip> {
    let cell =
        |column: Option<usize>| column.and_then(|at| cells.get(at)).filter(|cell| !cell.text.is_empty());
    let all = || {
        let start = cells.first().map_or(0, |first| first.start);
        start..cells.last().map_or(1, |last| last.start + last.text.len()).max(start + 1)
    };
    let Some(stated) = cell(Some(columns.size)) else {
        let message = "the size is missing".to_owned();
        return Err(Slip {
            line,
            place: all(),
            message,
            help: "write the bytes of a packet, such as `64`".to_owned(),
        });
    };
    let bytes: u64 = stated.text.parse().map_err(|_| {
        let message = format!("the size {} is not a whole number of bytes", ticked(stated.text));
        stated.slip(line, message, "write the bytes of a packet, such as `64`")
    })?;
    let ip = size.ip(bytes).ok_or_else(|| {
        let message = format!("the size {} is not possible for {}", ticked(stated.text), size.words());
        stated.slip(line, message, "an IP packet has 20 to 65535 bytes; `--size` tells what the sizes count")
    })?;
    let pps = cell(columns.pps).map(|cell| quantity(cell, "packet rate", line)).transpose()?;
    let bps = cell(columns.bps).map(|cell| quantity(cell, "bit rate", line)).transpose()?;
    let per_packet = 8.0 * bytes as f64;
    let (pps, mean) = match (pps, bps) {
        (Some(pps), bps) => (pps, bps.map(|bps| (bytes, bps / pps / 8.0))),
        (None, Some(bps)) if bytes > 0 => (bps / per_packet, None),
        _ => {
            let message = "the packet rate is missing".to_owned();
            let help = "write the received packets per second after a comma: `64,5400`".to_owned();
            return Err(Slip { line, place: all(), message, help });
        }
    };
    Ok((Row { line, ip, pps }, mean))
}

/// Reads a rate above zero.
fn quantity(cell: &Cell<'_>, what: &str, line: usize) -> Result<f64, Slip> {
    let value = cell.text.parse::<f64>().ok().filter(|value| value.is_finite());
    let unit = if what == "bit rate" { "bits" } else { "packets" };
    match value {
        Some(value) if value > 0.0 && value < 1e15 => Ok(value),
        Some(_) => {
            let message = format!("the {what} {} is not possible", ticked(cell.text));
            Err(cell.slip(line, message, "remove the line of a size that did not arrive"))
        }
        None => {
            let message = format!("the {what} {} is not a number", ticked(cell.text));
            Err(cell.slip(
                line,
                message,
                format!("write {unit} per second without a unit, such as `5400` or `5400.5`"),
            ))
        }
    }
}

/// Remark for rates that belong to packets of another size, with the likely meaning of the column.
fn otherwise(means: &[(u64, f64)], size: Size) -> Option<Note> {
    let mut more: Vec<f64> = means.iter().map(|(stated, mean)| mean - *stated as f64).collect();
    more.sort_by(f64::total_cmp);
    let typical = *more.get(more.len() / 2)?;
    // within the rounding of a rate in whole kilobits
    if typical.abs() < 1.5 {
        return None;
    }
    let known = [(Size::Udp, 28.0), (Size::Udp6, 48.0), (Size::Frame, -14.0)];
    let meant = known.iter().find(|(_, bytes)| size == Size::Ip && (typical - bytes).abs() < 1.5);
    let help = match meant {
        Some((Size::Udp, _)) => "if the sizes are UDP payloads, give `--size udp`",
        Some((Size::Udp6, _)) => "if the sizes are UDP payloads over IPv6, give `--size udp6`",
        Some((Size::Frame, _)) => "if the sizes are Ethernet frames, give `--size frame`",
        _ => "the sizes count as `--size` says",
    };
    Some(format!(
        "bits and packets per second imply packets that are {:.0} bytes {} than stated; {help}",
        typical.abs(),
        if typical > 0.0 { "longer" } else { "shorter" }
    ))
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
