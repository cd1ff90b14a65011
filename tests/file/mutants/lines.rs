//! Damages to whole lines: deleted, doubled, swapped, wrongly indented, or with a stray or missing character.

use super::chance::Chance;
use super::damage::Damage;

/// Characters with a meaning in YAML, and a few without.
const STRAY: &[&str] = &[
    "\"", "'", "[", "]", "{", "}", "\t", ":", ": ", ",", "&", "*", "!", "|", ">", "%", "@", "`", "- ", "? ",
    "#", " #", "\\", "é", "\u{a0}",
];

/// Returns true for a significant line, which is neither blank nor a comment.
pub fn says(line: &str) -> bool {
    let line = line.trim_start();
    !line.is_empty() && !line.starts_with('#')
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn without_comment(line: &str) -> &str {
    line.split(" #").next().unwrap_or(line)
}

/// Turns indexes of lines into line numbers, which begin at 1.
fn counted(lines: impl IntoIterator<Item = usize>) -> Vec<u32> {
    lines.into_iter().map(|n| u32::try_from(n + 1).unwrap()).collect()
}

/// The lines of a text.
pub struct Lines<'t>(Vec<&'t str>);

impl<'t> Lines<'t> {
    pub fn of(text: &'t str) -> Self {
        Lines(text.lines().collect())
    }

    /// The indexes of the significant lines.
    pub fn saying(&self) -> Vec<usize> {
        (0..self.0.len()).filter(|at| says(self.0[*at])).collect()
    }

    /// The numbers of a line and of the next significant one.
    fn and_next(lines: &[&str], at: usize) -> Vec<u32> {
        let next = (at + 1..lines.len()).find(|n| says(lines[*n]));
        counted([Some(at), next].into_iter().flatten())
    }

    fn replaced(&self, at: usize, kind: &'static str, line: &str) -> Damage {
        let mut lines = self.0.clone();
        lines[at] = line;
        Damage::new(kind, lines.join("\n") + "\n", Self::and_next(&lines, at), format!("{line:?}"))
    }

    /// The lines above that contain this line, each with less indentation than the one below it.
    fn above(&self, at: usize) -> Vec<usize> {
        let mut limit = indent(self.0[at]);
        let mut above = Vec::new();
        for n in (0..at).rev().filter(|n| says(self.0[*n])) {
            if indent(self.0[n]) < limit {
                limit = indent(self.0[n]);
                above.push(n);
            }
        }
        above
    }

    /// Deletes the line. A finding may point at its parent, its neighbours, its content, or the places that use its
    /// name.
    pub fn deleted(&self, at: usize) -> Damage {
        let mut lines = self.0.clone();
        let gone = lines.remove(at);
        let seen = counted(self.left(at, &lines, 1));
        Damage::new("deleted line", lines.join("\n") + "\n", seen, format!("{gone:?}"))
    }

    /// The lines at which the change of a line may show. `fewer` is the number of lines that were removed.
    fn left(&self, at: usize, lines: &[&str], fewer: usize) -> Vec<usize> {
        let gone = self.0[at];
        let before = (0..at).rev().find(|n| says(lines[*n]));
        let next = (at..lines.len()).find(|n| says(lines[*n]));
        let mut seen: Vec<usize> = self.above(at);
        seen.extend(before);
        seen.extend(next);
        let inside = |n: &usize| !says(self.0[*n]) || indent(self.0[*n]) > indent(gone);
        seen.extend((at + 1..self.0.len()).take_while(inside).map(|n| n - fewer));
        let name = gone.trim_start().trim_start_matches("- ").split(':').next().unwrap_or_default().trim();
        let word = |line: &&str| {
            line.split(|c: char| !c.is_alphanumeric() && !"-.".contains(c)).any(|word| word == name)
        };
        seen.extend((0..lines.len()).filter(|n| word(&lines[*n])));
        seen
    }

    /// Repeats the line below itself.
    pub fn doubled(&self, at: usize) -> Damage {
        let mut lines = self.0.clone();
        lines.insert(at, lines[at]);
        // A key with nested lines is now there twice, once without a value. A finding may point at either.
        let mut seen = Self::and_next(&lines, at + 1);
        seen.extend(counted([at]));
        Damage::new("doubled line", lines.join("\n") + "\n", seen, format!("{:?}", lines[at]))
    }

    /// Swaps the line and the next significant one.
    pub fn swapped(&self, at: usize) -> Option<Damage> {
        let next = (at + 1..self.0.len()).find(|n| says(self.0[*n]))?;
        let mut lines = self.0.clone();
        lines.swap(at, next);
        let mut seen = Self::and_next(&lines, at);
        seen.extend(Self::and_next(&lines, next));
        Some(Damage::new("swapped lines", lines.join("\n") + "\n", seen, format!("{:?}", self.0[at])))
    }

    /// Changes the indentation of the line: more blanks, fewer blanks, or a tab.
    pub fn indented(&self, at: usize, chance: &mut Chance) -> Vec<Damage> {
        let line = self.0[at];
        let (more, blanks) = (1 + chance.below(3), indent(line));
        let mut made = vec![
            self.replaced(at, "indentation", &format!("{}{line}", " ".repeat(more))),
            self.replaced(at, "tab", &format!("\t{}", line.trim_start())),
        ];
        if blanks > 0 {
            let fewer = 1 + chance.below(blanks);
            made.push(self.replaced(at, "indentation", line.get(fewer..).unwrap()));
        }
        made
    }

    /// Inserts a stray character somewhere before the comment.
    pub fn strayed(&self, at: usize, chance: &mut Chance) -> Damage {
        let line = self.0[at];
        let said = without_comment(line);
        let places: Vec<usize> = said.char_indices().map(|(n, _)| n).chain([said.len()]).collect();
        let (place, stray) = (*chance.one(&places), *chance.one(STRAY));
        let (before, after) = line.split_at(place);
        let mut damage = self.replaced(at, "stray character", &format!("{before}{stray}{after}"));
        let name = !said.contains(": ") || said[place..].contains(": ");
        if stray.contains('#') || name {
            // If a name changes or a line becomes a comment, a finding may point at the places that use the name.
            let left = self.left(at, &damage.text.lines().collect::<Vec<_>>(), 0);
            damage.lines.extend(counted(left));
        }
        damage
    }

    /// Removes one character of the line.
    pub fn holed(&self, at: usize, chance: &mut Chance) -> Damage {
        let line = self.0[at];
        let said = without_comment(line);
        let marks: Vec<(usize, char)> =
            said.char_indices().filter(|(_, c)| "\"'[]{}:,-".contains(*c)).collect();
        let all: Vec<(usize, char)> = said.char_indices().collect();
        let (place, c) = *chance.one(if marks.is_empty() { &all } else { &marks });
        let (before, after) = line.split_at(place);
        self.replaced(at, "missing character", &format!("{before}{}", after.get(c.len_utf8()..).unwrap()))
    }
}
