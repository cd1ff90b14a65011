//! Unified diff of two texts, in a time that grows with their length.

use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices, group_diff_ops};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::ops::Range;

/// Largest product of both numbers of lines for which a shortest diff is searched.
const SHORTEST: usize = 50_000_000;

/// The same for lines between two lines that certainly belong together.
const SHORTEST_BETWEEN: usize = 250_000;

/// Number of equal lines around changed ones.
const AROUND: usize = 3;

/// Returns the unified diff of two texts; it is empty if they are equal.
pub(super) fn unified(old: &str, new: &str, before: &str, after: &str) -> String {
    let diff =
        |before, after| TextDiff::from_lines(before, after).unified_diff().header(old, new).to_string();
    if before.lines().count().saturating_mul(after.lines().count()) <= SHORTEST {
        diff(before, after)
    } else {
        of_long(old, new, before, after)
    }
}

/// Returns a unified diff that need not be the shortest.
fn of_long(old: &str, new: &str, before: &str, after: &str) -> String {
    let (a, b): (Vec<&str>, Vec<&str>) =
        (before.split_inclusive('\n').collect(), after.split_inclusive('\n').collect());
    let mut out = String::new();
    for group in group_diff_ops(operations(&a, &b), AROUND) {
        if out.is_empty() {
            let _infallible = writeln!(out, "--- {old}\n+++ {new}");
        }
        let (Some(first), Some(last)) = (group.first(), group.last()) else { continue };
        let lines = |first: Range<usize>, last: Range<usize>| match last.end.saturating_sub(first.start) {
            0 => format!("{},0", first.start),
            1 => format!("{}", first.start + 1),
            count => format!("{},{count}", first.start + 1),
        };
        let (gone, added) =
            (lines(first.old_range(), last.old_range()), lines(first.new_range(), last.new_range()));
        let _infallible = writeln!(out, "@@ -{gone} +{added} @@");
        for operation in &group {
            let (gone, added) = match operation {
                DiffOp::Equal { .. } => {
                    shown(&mut out, ' ', a.get(operation.old_range()));
                    continue;
                }
                _ => (a.get(operation.old_range()), b.get(operation.new_range())),
            };
            shown(&mut out, '-', gone);
            shown(&mut out, '+', added);
        }
    }
    out
}

/// Adds lines after a sign.
fn shown(out: &mut String, sign: char, lines: Option<&[&str]>) {
    for line in lines.unwrap_or_default() {
        out.push(sign);
        out.push_str(line);
        if !line.ends_with('\n') {
            out.push_str("\n\\ No newline at end of file\n");
        }
    }
}

/// Returns the operations that turn the old lines into the new ones.
fn operations(a: &[&str], b: &[&str]) -> Vec<DiffOp> {
    let mut found = Vec::new();
    let (mut old, mut new) = (0, 0);
    let ends = anchors(a, b).into_iter().chain([(a.len(), b.len())]);
    for (old_end, new_end) in ends {
        if old_end < old {
            // This anchor already belongs to the equal lines after the last one.
            continue;
        }
        between(a, b, old..old_end, new..new_end, &mut found);
        let same = a.iter().skip(old_end).zip(b.iter().skip(new_end)).take_while(|(a, b)| a == b).count();
        equal(old_end, new_end, same, &mut found);
        (old, new) = (old_end + same, new_end + same);
    }
    found
}

/// Returns the place of each line, or `None` if it occurs several times.
fn once<'t>(lines: &[&'t str]) -> HashMap<&'t str, Option<usize>> {
    let mut places = HashMap::with_capacity(lines.len());
    for (place, line) in lines.iter().enumerate() {
        places.entry(*line).and_modify(|place| *place = None).or_insert(Some(place));
    }
    places
}

/// Returns the positions of lines that occur once in both texts and have the same order there.
fn anchors(a: &[&str], b: &[&str]) -> Vec<(usize, usize)> {
    let (in_a, in_b) = (once(a), once(b));
    let pairs = a.iter().enumerate().filter_map(|(place, line)| {
        in_a.get(*line).copied().flatten()?;
        Some((place, in_b.get(*line).copied().flatten()?))
    });
    longest_ascending(&pairs.collect::<Vec<_>>())
}

/// Returns the longest part of these pairs, which ascend in the first place, that also ascends in the second.
fn longest_ascending(pairs: &[(usize, usize)]) -> Vec<(usize, usize)> {
    // For each length, the pair with the smallest end, and for each pair the one before it.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(pairs.len());
    let second = |at: &usize| pairs.get(*at).map(|(_, second)| *second);
    for (at, (_, new)) in pairs.iter().enumerate() {
        let length = ends.partition_point(|end| second(end).is_some_and(|end| end < *new));
        before.push(length.checked_sub(1).and_then(|last| ends.get(last).copied()));
        match ends.get_mut(length) {
            Some(end) => *end = at,
            None => ends.push(at),
        }
    }
    let mut found: Vec<(usize, usize)> = Vec::with_capacity(ends.len());
    let mut next = ends.last().copied();
    while let Some(at) = next {
        found.extend(pairs.get(at));
        next = before.get(at).copied().flatten();
    }
    found.reverse();
    found
}

/// Adds the operations for lines between two anchors.
fn between(a: &[&str], b: &[&str], mut old: Range<usize>, mut new: Range<usize>, found: &mut Vec<DiffOp>) {
    let (left, right) = (a.get(old.clone()).unwrap_or_default(), b.get(new.clone()).unwrap_or_default());
    let same = left.iter().zip(right).take_while(|(a, b)| a == b).count();
    equal(old.start, new.start, same, found);
    (old.start, new.start) = (old.start + same, new.start + same);
    let (left, right) = (a.get(old.clone()).unwrap_or_default(), b.get(new.clone()).unwrap_or_default());
    let last = left.iter().rev().zip(right.iter().rev()).take_while(|(a, b)| a == b).count();
    (old.end, new.end) = (old.end - last, new.end - last);
    if old.len().saturating_mul(new.len()) <= SHORTEST_BETWEEN {
        let (left, right) = (a.get(old.clone()).unwrap_or_default(), b.get(new.clone()).unwrap_or_default());
        for mut operation in capture_diff_slices(Algorithm::Myers, left, right) {
            moved(&mut operation, old.start, new.start);
            match operation {
                DiffOp::Equal { old_index, new_index, len } => equal(old_index, new_index, len, found),
                _ => found.push(operation),
            }
        }
    } else {
        found.push(DiffOp::Replace {
            old_index: old.start,
            old_len: old.len(),
            new_index: new.start,
            new_len: new.len(),
        });
    }
    equal(old.end, new.end, last, found);
}

/// Moves an operation by these numbers of lines.
fn moved(operation: &mut DiffOp, old: usize, new: usize) {
    match operation {
        DiffOp::Equal { old_index, new_index, .. }
        | DiffOp::Delete { old_index, new_index, .. }
        | DiffOp::Insert { old_index, new_index, .. }
        | DiffOp::Replace { old_index, new_index, .. } => {
            *old_index += old;
            *new_index += new;
        }
    }
}

/// Adds equal lines, if there are any, to those before them.
fn equal(old_index: usize, new_index: usize, len: usize, found: &mut Vec<DiffOp>) {
    if let Some(DiffOp::Equal { len: before, .. }) = found.last_mut() {
        *before += len;
    } else if len > 0 {
        found.push(DiffOp::Equal { old_index, new_index, len });
    }
}

#[cfg(test)]
mod tests {
    use super::{of_long, unified};

    fn text(lines: impl Iterator<Item = usize>) -> String {
        lines.map(|line| format!("line {line}\n")).collect()
    }

    #[test]
    fn texts_with_one_change_have_the_shortest_diff() {
        let old = text(0..100);
        for new in [
            old.replace("line 50\n", "other\n"),
            old.replace("line 0\n", ""),
            old.replace("line 99\n", "line 99"),
            format!("{old}more\n"),
            format!("more\nand more\n{old}"),
            old.replace("line 3\n", "").replace("line 7\n", "a\nb\n").replace("line 90\n", ""),
            String::new(),
            old.clone(),
        ] {
            assert_eq!(of_long("a", "b", &old, &new), unified("a", "b", &old, &new));
            assert_eq!(of_long("b", "a", &new, &old), unified("b", "a", &new, &old));
        }
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
