//! Unified diff of two texts, in a time that grows with their length.

use similar::{Algorithm, TextDiff};
use std::time::Duration;

/// Largest product of both numbers of lines for which a shortest diff is searched.
const SHORTEST: usize = 50_000_000;

/// Time for lines of long texts that no line occurring once keeps apart. After it, their diff is not the shortest.
const PATIENCE: Duration = Duration::from_secs(1);

/// Returns the unified diff of two texts; it is empty if they are equal.
pub(super) fn unified(old: &str, new: &str, before: &str, after: &str) -> String {
    let mut search = TextDiff::configure();
    if before.lines().count().saturating_mul(after.lines().count()) > SHORTEST {
        search.algorithm(Algorithm::Patience).timeout(PATIENCE);
    }
    search.diff_lines(before, after).unified_diff().header(old, new).to_string()
}

#[cfg(test)]
mod tests {
    use super::unified;

    fn text(lines: impl Iterator<Item = usize>) -> String {
        lines.map(|line| format!("line {line}\n")).collect()
    }

    /// Applies a unified diff.
    fn applied(diff: &str, old: &str) -> String {
        let old: Vec<&str> = old.split_inclusive('\n').collect();
        let (mut out, mut next) = (String::new(), 0);
        for line in diff.split_inclusive('\n').skip(2) {
            if let Some(head) = line.strip_prefix("@@ -") {
                let place = head.split(' ').next().unwrap();
                let (first, count) = place.split_once(',').unwrap_or((place, "1"));
                let first = first.parse::<usize>().unwrap() - usize::from(count != "0");
                out.push_str(&old[next..first].concat());
                next = first;
            } else if let Some(line) = line.strip_prefix('+') {
                out.push_str(line);
            } else {
                assert_eq!(line.get(1..), Some(old[next]));
                next += 1;
                out.push_str(line.strip_prefix(' ').unwrap_or_default());
            }
        }
        out + &old[next..].concat()
    }

    #[test]
    fn a_diff_of_long_texts_can_be_applied() {
        let old = text(0..20_000);
        for new in [
            text((0..20_000).rev()),
            text((0..20_000).map(|line| line / 2)),
            text((0..20_000).map(|line| line + line % 3)),
            text((0..30_000).map(|line| line * 7 % 20_001)),
            text(100_000..120_000),
        ] {
            assert_eq!(applied(&unified("old", "new", &old, &new), &old), new);
            assert_eq!(applied(&unified("new", "old", &new, &old), &new), old);
        }
    }
}
