//! One sample of `templates/watch.sh`.

use super::record::Record;
use qosc_compiler::diag::{for_terminal, ticked};
use qosc_preview::live::MARK;

/// The lines up to an `==> end`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Sample<'a> {
    /// Links, if the records changed since the last sample.
    pub(super) records: Option<Vec<Record>>,
    /// Time since the router's start, in microseconds.
    pub(super) uptime: u64,
    /// Output of tc, in the form of a dump.
    pub(super) text: &'a str,
}

/// Splits the text of a sample.
///
/// # Errors
/// Fails if the router has no `tc`, or if the text is not a sample; the error is a message for people.
pub(super) fn read(text: &str) -> Result<Sample<'_>, String> {
    let mark = format!("{MARK}sample ");
    let Some(at) = text.find(&mark) else { return Err(unusable(text)) };
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let (first, tc) = rest.split_once('\n').unwrap_or((rest, ""));
    let uptime = first.strip_prefix(&mark).and_then(uptime).ok_or_else(|| unusable(first))?;
    Ok(Sample { records: records(before), uptime, text: tc })
}

fn unusable(text: &str) -> String {
    if text.lines().any(|line| line.strip_prefix(MARK) == Some("missing tc")) {
        return "there is no `tc` on the router: install iproute2".to_owned();
    }
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("the router answered {}, which is not a sample", ticked(&for_terminal(first)))
}

fn records(text: &str) -> Option<Vec<Record>> {
    let mut records: Option<Vec<Record>> = None;
    for line in text.lines() {
        match (line.strip_prefix(MARK), &mut records) {
            (Some("links"), _) => records = Some(Vec::new()),
            (Some(words), Some(records)) => {
                records.extend(words.strip_prefix("link ").map(Record::new));
            }
            (None, Some(records)) => {
                if let Some(record) = records.last_mut() {
                    record.read(line);
                }
            }
            (Some(_) | None, None) => {}
        }
    }
    records
}

/// Converts seconds with two decimals to microseconds.
fn uptime(text: &str) -> Option<u64> {
    let (seconds, hundredths) = text.trim().split_once('.')?;
    if hundredths.len() != 2 {
        return None;
    }
    let (seconds, hundredths): (u64, u64) = (seconds.parse().ok()?, hundredths.parse().ok()?);
    seconds.checked_mul(1_000_000)?.checked_add(hundredths * 10_000)
}

#[cfg(test)]
#[path = "sample_tests.rs"]
mod tests;
