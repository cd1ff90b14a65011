//! Table of runs for people.

use super::run::Run;

/// Headers of the columns.
const HEADS: [&str; 12] =
    ["run", "target", "dscp", "load", "sent", "lost", "min", "p50", "p90", "p99", "max", "jitter"];
/// Number of columns with words, which are aligned to the left.
const TEXTS: usize = 4;
/// Column of the run's name, left out if there is one run, and of the phase, left out without a load.
const NAME: usize = 0;
const PHASE: usize = 3;

/// Text of a cell, and a flag that is true for numbers.
pub type Text = (String, bool);

/// Returns a row with the headers of the columns, and one for each series or, with a load, for each phase. Times are in
/// ms.
#[must_use]
pub fn rows(runs: &[(String, &Run)]) -> Vec<Vec<Text>> {
    let has_load = runs.iter().any(|(_, run)| run.load.is_some());
    let shown = |at: usize| !(at == NAME && runs.len() < 2 || at == PHASE && !has_load);
    let row = |texts: &mut dyn Iterator<Item = String>| {
        let all = texts.enumerate().filter(|(at, _)| shown(*at));
        all.map(|(at, text)| (text, at >= TEXTS)).collect()
    };
    let mut rows = vec![row(&mut HEADS.map(str::to_owned).into_iter())];
    for (name, run) in runs {
        for series in &run.series {
            for (phase, stats) in run.stats(series) {
                let times = match stats.times {
                    Some(t) => [t.min, t.p50, t.p90, t.p99, t.max, t.jitter].map(ms),
                    None => [(); 6].map(|()| "-".to_owned()),
                };
                let lost = match stats.lost {
                    0 => "0".to_owned(),
                    lost => format!("{lost} ({})", percent(lost, stats.sent)),
                };
                let phase = phase.map_or("none", |phase| phase.name()).to_owned();
                let words = [name.clone(), series.target.clone(), series.dscp.to_string(), phase];
                rows.push(row(&mut words.into_iter().chain([stats.sent.to_string(), lost]).chain(times)));
            }
        }
    }
    rows
}

/// Returns the table as lines, with a header.
#[must_use]
pub fn table(runs: &[(String, &Run)]) -> String {
    let rows = rows(runs);
    let columns = rows.first().map_or(0, Vec::len);
    let width = |at: usize| {
        let texts = rows.iter().filter_map(|row| row.get(at));
        texts.map(|(text, _)| text.chars().count()).max().unwrap_or_default()
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut out = "round trip times in ms, percentiles by nearest rank\n\n".to_owned();
    for row in &rows {
        let cell = |((text, is_number), width): (&Text, &usize)| match is_number {
            true => format!("{text:>width$}"),
            false => format!("{text:width$}"),
        };
        let cells: Vec<String> = row.iter().zip(&widths).map(cell).collect();
        out.push_str(cells.join("  ").trim_end());
        out.push('\n');
    }
    out
}

/// Formats microseconds as milliseconds with two decimal places.
#[must_use]
pub fn ms(us: u64) -> String {
    let hundredths = us.saturating_add(5) / 10;
    format!("{}.{:02}", hundredths / 100, hundredths % 100)
}

/// Formats a share with one decimal place. A share above zero is never shown as zero.
fn percent(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000).saturating_add(whole / 2) / whole.max(1);
    let tenths = if part > 0 { tenths.max(1) } else { tenths };
    format!("{}.{} %", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::{ms, percent};

    #[test]
    fn numbers_are_short_and_no_loss_rounds_to_zero() {
        assert_eq!(
            [0, 4, 5, 999, 12_345, 1_000_000].map(ms),
            ["0.00", "0.00", "0.01", "1.00", "12.35", "1000.00"]
        );
        assert_eq!(
            [(1, 3), (1, 100_000), (3, 3)].map(|(part, whole)| percent(part, whole)),
            ["33.3 %", "0.1 %", "100.0 %"]
        );
    }
}
