//! Measurements: from text to rows.

use qosc_compiler::diag::{or_ticked, ticked};
use std::ops::{Range, RangeInclusive};

/// Bytes of an IP packet: at least a header alone (RFC 791).
const BYTES: RangeInclusive<u64> = 20..=65535;
/// Largest number of rows: a week of seconds.
const ROWS_MAX: usize = 604_800;
/// Largest number of reported errors. A file of another kind has one in each line.
const SLIPS_MAX: usize = 20;

/// Meaning of the column `size`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// Returns the meaning in words for people, and the bytes by which the IP packet is larger.
    const fn meaning(self) -> (&'static str, i64) {
        match self {
            Size::Ip => ("an IP packet", 0),
            Size::Udp => ("a UDP payload over IPv4", 28),
            Size::Udp6 => ("a UDP payload over IPv6", 48),
            Size::Frame => ("an Ethernet frame without its check sequence", -14),
        }
    }

    /// Returns the bytes of the IP packet for a size in the column, or `None` if there is no such packet.
    #[must_use]
    pub fn ip(self, size: u64) -> Option<u64> {
        size.checked_add_signed(self.meaning().1).filter(|ip| BYTES.contains(ip))
    }
}

/// A measurement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PacketRate {
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
    pub rows: Vec<PacketRate>,
    /// Remarks on odd values that can still be read.
    pub notes: Vec<String>,
}

/// Error in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slip {
    /// Line of the error, from 1; the last line if something is missing.
    pub line: usize,
    /// Range of bytes in that line.
    pub place: Range<usize>,
    /// Cause of the error.
    pub message: String,
    /// Advice on the cure.
    pub help: String,
}

/// An error in a line: its place, cause and cure.
type Wrong = (Range<usize>, String, String);

/// A field without surrounding blanks and quotes, and its position in the line.
type Cell<'a> = (usize, &'a str);

/// Positions of the columns `size`, `pps` and `bps`.
type Columns = [Option<usize>; 3];

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
    // for rows with both rates: bytes that they imply in addition to the stated size
    let mut more = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.split('#').next().unwrap_or_default();
        let cells = cells(content);
        let Some(first) = cells.first().filter(|_| !content.trim().is_empty()) else { continue };
        let read = if columns.is_none() && first.1.starts_with(char::is_alphabetic) {
            header(&cells, first).map(|found| columns = Some(found))
        } else {
            let columns = *columns.get_or_insert([Some(0), Some(1), Some(2)]);
            row(&cells, columns, size).map(|(ip, pps, difference)| {
                data.rows.push(PacketRate { line, ip, pps });
                more.extend(difference);
            })
        };
        slips.extend(read.err().map(|(place, message, help)| Slip { line, place, message, help }));
        if slips.len() >= SLIPS_MAX || data.rows.len() > ROWS_MAX {
            break;
        }
    }
    if let Some(row) = data.rows.get(ROWS_MAX) {
        slips.push(Slip {
            line: row.line,
            place: 0..usize::MAX,
            message: format!("there are more than {ROWS_MAX} measurements"),
            help: format!("remove this line and those after it: {ROWS_MAX} lines are a week with one measurement per second"),
        });
    } else if slips.is_empty() && data.rows.is_empty() {
        slips.push(Slip {
            line: text.lines().count().max(1),
            place: 0..1,
            message: "there are no measurements".to_owned(),
            help: "write a line for each: packet size, packets per second; `qosc fit --plan` prints a script that measures".to_owned(),
        });
    }
    data.notes.extend(otherwise(more, size));
    if slips.is_empty() { Ok(data) } else { Err(slips) }
}

/// Returns the fields of a line. The separator is a comma, semicolon or tab if the line has one, otherwise blanks.
fn cells(line: &str) -> Vec<Cell<'_>> {
    let separator = [',', ';', '\t'].into_iter().find(|c| line.contains(*c)).unwrap_or(' ');
    let mut next = 0;
    let cell = |piece| {
        let start = next;
        next += str::len(piece) + 1;
        let text = piece.trim_matches(|c: char| c.is_whitespace() || c == '"');
        (separator != ' ' || !text.is_empty()).then(|| (start + piece.find(text).unwrap_or(0), text))
    };
    line.split(separator).filter_map(cell).collect()
}

fn wrong((start, text): &Cell<'_>, message: String, help: impl Into<String>) -> Wrong {
    (*start..start + text.len().max(1), message, help.into())
}

fn header(cells: &[Cell<'_>], first: &Cell<'_>) -> Result<Columns, Wrong> {
    let find = |name| cells.iter().position(|(_, text)| text.eq_ignore_ascii_case(name));
    let columns = ["size", "pps", "bps"].map(find);
    let missing = match columns {
        [None, ..] => "size",
        [_, None, None] => "pps",
        _ => return Ok(columns),
    };
    let names = or_ticked(["size,pps", "size,pps,bps"]);
    let help = format!("name the columns {names}, or leave the header out");
    Err(wrong(first, format!("there is no column {}", ticked(missing)), help))
}

/// Returns the size of the IP packet and the packet rate. If the row has both rates, it also returns the bytes by which
/// the size that they imply is larger than the stated one.
fn row(cells: &[Cell<'_>], columns: Columns, size: Size) -> Result<(u64, f64, Option<f64>), Wrong> {
    let [stated, pps, bps] = columns.map(|column| cells.get(column?).filter(|(_, text)| !text.is_empty()));
    let missing = |what: &str, help: &str| {
        let start = cells.first().map_or(0, |(start, _)| *start);
        let end = cells.last().map_or(0, |(start, text)| start + text.len());
        (start..end.max(start + 1), format!("the {what} is missing"), help.to_owned())
    };
    let help = "write the bytes of a packet, such as `64`";
    let stated = stated.ok_or_else(|| missing("size", help))?;
    let shown = ticked(stated.1);
    let bytes: u64 = stated
        .1
        .parse()
        .map_err(|_| wrong(stated, format!("the size {shown} is not a whole number of bytes"), help))?;
    let ip = size.ip(bytes).ok_or_else(|| {
        let message = format!("the size {shown} is not possible for {}", size.meaning().0);
        wrong(stated, message, "an IP packet has 20 to 65535 bytes; `--size` tells what the sizes count")
    })?;
    let pps = pps.map(|cell| quantity(cell, "packet")).transpose()?;
    let bps = bps.map(|cell| quantity(cell, "bit")).transpose()?;
    let difference = pps.zip(bps).map(|(pps, bps)| bps / pps / 8.0 - bytes as f64);
    let implied = bps.filter(|_| bytes > 0).map(|bps| bps / 8.0 / bytes as f64);
    let help = "write the received packets per second after a comma: `64,5400`";
    let pps = pps.or(implied).ok_or_else(|| missing("packet rate", help))?;
    Ok((ip, pps, difference))
}

/// Reads a rate above zero, of packets or bits.
fn quantity(cell: &Cell<'_>, what: &str) -> Result<f64, Wrong> {
    let value = cell.1.parse::<f64>().ok().filter(|value| value.is_finite());
    let (problem, help) = match value {
        Some(value) if value > 0.0 && value < 1e15 => return Ok(value),
        Some(_) => ("possible", "remove the line of a size that did not arrive".to_owned()),
        None => ("a number", format!("write {what}s per second without a unit, such as `5400` or `5400.5`")),
    };
    Err(wrong(cell, format!("the {what} rate {} is not {problem}", ticked(cell.1)), help))
}

/// Remark for rates that belong to packets of another size, with the likely meaning of the column. `more` has the bytes
/// of these packets in addition to the stated sizes.
fn otherwise(mut more: Vec<f64>, size: Size) -> Option<String> {
    more.sort_by(f64::total_cmp);
    let typical = *more.get(more.len() / 2)?;
    // within the rounding of a rate in whole kilobits
    if typical.abs() < 1.5 {
        return None;
    }
    let known = [
        ("UDP payloads", "udp", 28.0),
        ("UDP payloads over IPv6", "udp6", 48.0),
        ("Ethernet frames", "frame", -14.0),
    ];
    let meant = known.iter().find(|(_, _, bytes)| size == Size::Ip && (typical - bytes).abs() < 1.5);
    let help = meant.map_or("the sizes count as `--size` says".to_owned(), |(what, value, _)| {
        format!("if the sizes are {what}, give `--size {value}`")
    });
    let (bytes, longer) = (typical.abs(), if typical > 0.0 { "longer" } else { "shorter" });
    Some(format!(
        "bits and packets per second imply packets that are {bytes:.0} bytes {longer} than stated; {help}"
    ))
}

#[cfg(test)]
#[path = "data_tests.rs"]
mod tests;
