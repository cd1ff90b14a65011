//! The YAML that a script was made from, as comments at the script's end, and the way back.
//!
//! A line of the YAML stands behind [`PLAIN`], byte for byte. Only a line feed ends a comment in a shell, so that nothing
//! of it can become syntax. A line with a character that a reader or a tool may take for the end of a line, or that
//! makes a comment look like what it is not (a carriage return, U+2028, marks that turn the reading direction), stands
//! behind [`ESCAPED`] with those characters and the backslash written out.

use super::shell;
use std::fmt::Write as _;

/// The line above the YAML.
const HEADING: &str = "# --- the YAML that this was made from ---------------------------------------------------------------------------";
const PLAIN: &str = "# |";
const ESCAPED: &str = "# \\";
/// The line below a YAML whose last line has no line feed.
const OPEN_END: &str = "# --- without a line feed at its end ---";
/// How every script of ours begins, before and after the link's name.
const FIRST: &str = "#!/bin/sh\n# ";
const MADE_BY: &str = ": made by qosc ";

/// The comments that carry a YAML text. They end with a line feed.
#[must_use]
pub(super) fn carry(yaml: &str) -> String {
    let mut out = format!("{HEADING}\n");
    let mut lines = yaml.split('\n');
    // What stands behind the last line feed: nothing, where the text ends with one.
    let rest = lines.next_back().unwrap_or_default();
    lines.for_each(|line| carry_line(line, &mut out));
    if !rest.is_empty() {
        carry_line(rest, &mut out);
        out.push_str(OPEN_END);
        out.push('\n');
    }
    out
}

fn carry_line(line: &str, out: &mut String) {
    let escaped = line.contains(must_be_escaped);
    out.push_str(if escaped { ESCAPED } else { PLAIN });
    if !line.is_empty() {
        out.push(' ');
    }
    for c in line.chars() {
        match c {
            '\\' if escaped => out.push_str("\\\\"),
            c if must_be_escaped(c) => {
                let _infallible = write!(out, "\\u{{{:x}}}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('\n');
}

fn must_be_escaped(c: char) -> bool {
    c != '\t' && shell::is_unfit_for_comment(c)
}

/// Whether a text is a script that a `qosc` made.
#[must_use]
pub fn is_script(text: &str) -> bool {
    made_by(text).is_some()
}

/// A script's own words about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made<'a> {
    /// The link.
    pub link: &'a str,
    /// The version of the program that made it.
    pub version: &'a str,
    /// The name of the YAML file, without its folder.
    pub source: &'a str,
}

/// What the first lines of a script say; `None` where it is no script of ours.
#[must_use]
pub fn made_by(script: &str) -> Option<Made<'_>> {
    let (link, rest) = script.strip_prefix(FIRST)?.split('\n').next()?.split_once(MADE_BY)?;
    let (version, rest) = rest.split_once(" from ")?;
    let (source, _) = rest.rsplit_once(". Change the YAML ")?;
    Some(Made { link, version, source })
}

/// The YAML that a script carries, exactly as it was read; `None` where it carries none, or one that was cut or edited
/// into something else than such lines.
#[must_use]
pub fn carried(script: &str) -> Option<String> {
    // Nothing carried can be the heading, for each of its lines has a mark before it.
    let (_, lines) = script.rsplit_once(&format!("\n{HEADING}\n"))?;
    let mut yaml = String::with_capacity(lines.len());
    // Not `str::lines`, which takes a carriage return away with the line feed.
    let mut lines = lines.split_terminator('\n');
    while let Some(line) = lines.next() {
        if line == OPEN_END {
            yaml.pop();
            return lines.next().is_none().then_some(yaml);
        }
        let (escaped, rest) = match (line.strip_prefix(PLAIN), line.strip_prefix(ESCAPED)) {
            (Some(rest), _) => (false, rest),
            (_, Some(rest)) => (true, rest),
            _ => return None,
        };
        let text = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
        if escaped {
            unescape(text, &mut yaml)?;
        } else {
            yaml.push_str(text);
        }
        yaml.push('\n');
    }
    Some(yaml)
}

fn unescape(text: &str, out: &mut String) -> Option<()> {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        rest = if let Some(after) = after.strip_prefix('\\') {
            out.push('\\');
            after
        } else {
            let (number, after) = after.strip_prefix("u{")?.split_once('}')?;
            out.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
            after
        };
    }
    out.push_str(rest);
    Some(())
}

#[cfg(test)]
#[path = "carried_tests.rs"]
mod tests;
