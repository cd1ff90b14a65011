//! What runs came to, as a table for people.

use super::run::Run;
use std::fmt::Write as _;

/// The heads of the columns; the first three stand at the left, and one that is the same on all lines is left out.
const HEADS: [&str; 12] =
    ["run", "target", "dscp", "", "sent", "lost", "min", "p50", "p90", "p99", "max", "jitter"];
const TEXTS: usize = 4;

/// A line for each series, and phase where there was a load; with the names of the runs where they are several. Times are in ms, as the first line says.
#[must_use]
pub fn table(runs: &[(String, &Run)]) -> String {
    let mut rows: Vec<[String; HEADS.len()]> = vec![HEADS.map(str::to_owned)];
    for (name, run) in runs {
        for series in &run.series {
            for (phase, stats) in run.stats(series) {
                let phase = phase.map(|phase| phase.name()).unwrap_or_default().to_owned();
                let times = match stats.times {
                    Some(t) => [t.min, t.p50, t.p90, t.p99, t.max, t.jitter].map(ms),
                    None => [const { String::new() }; 6].map(|_| "-".to_owned()),
                };
                let [min, p50, p90, p99, max, jitter] = times;
                let lost = match stats.lost {
                    0 => "0".to_owned(),
                    lost => format!("{lost} ({})", percent(lost, stats.sent)),
                };
                let (target, dscp) = (series.target.clone(), series.dscp.to_string());
                let sent = stats.sent.to_string();
                rows.push([name.clone(), target, dscp, phase, sent, lost, min, p50, p90, p99, max, jitter]);
            }
        }
    }
    drawn(&rows, runs.len() > 1)
}

fn drawn(rows: &[[String; HEADS.len()]], with_names: bool) -> String {
    let column = |at: usize| rows.iter().filter_map(move |row| row.get(at));
    let widths: Vec<usize> = (0..HEADS.len())
        .map(|at| match at {
            0 if !with_names => 0,
            // without a load there are no phases
            3 if column(at).all(String::is_empty) => 0,
            _ => column(at).map(|text| text.chars().count()).max().unwrap_or_default(),
        })
        .collect();
    let mut out = "round trips in ms, percentiles by nearest rank\n\n".to_owned();
    for row in rows {
        let mut line = String::new();
        for ((at, text), width) in row.iter().enumerate().zip(&widths).filter(|(_, width)| **width > 0) {
            let gap = if line.is_empty() { "" } else { "  " };
            let _ = if at < TEXTS {
                write!(line, "{gap}{text:width$}")
            } else {
                write!(line, "{gap}{text:>width$}")
            };
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Microseconds as milliseconds, with two decimals.
#[must_use]
pub fn ms(us: u64) -> String {
    let hundredths = us.saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// A share with one decimal; what is not nothing is not shown as nothing.
fn percent(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000).saturating_add(whole / 2) / whole.max(1);
    let tenths = if part > 0 { tenths.max(1) } else { tenths };
    format!("{}.{} %", tenths / 10, tenths % 10)
}
