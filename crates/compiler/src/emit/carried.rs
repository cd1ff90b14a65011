//! Stores the YAML source of a script in comments at the script's end, and reads it back.
//!
//! The configuration comes first, and each included file follows below a line with its path. If the file has several
//! links, a line above all of them names the one of this script. A line of the YAML follows [`PLAIN`], byte for byte. Only a line feed ends a comment in a shell, so nothing in the
//! YAML can become syntax.
//!
//! Some characters look like the end of a line to a reader or a tool, or disguise a comment. Examples are a carriage
//! return, U+2028, and marks that change the reading direction. CI systems take `##[` for the beginning of a command. A
//! line with such a character follows [`ESCAPED`], with these characters and the backslash escaped.

use crate::harmless::is_harmful;
use serde::Serialize;
use std::fmt::Write as _;

/// Line above the YAML.
const HEADING: &str = "# --- the YAML that this was made from ---------------------------------------------------------------------------";
const PLAIN: &str = "# |";
const ESCAPED: &str = "# \\";
/// Line below a YAML text whose last line has no line feed.
const OPEN_END: &str = "# --- without a line feed at its end ---";
/// Line above an included file, before and after its path.
const FILE: (&str, &str) = ("# --- included: ", " ---");
/// Line that names the link of several, before and after the name.
const LINK: (&str, &str) = ("# --- of its links: ", " ---");
/// Beginning of every script, before and after the link's name.
const FIRST: &str = "#!/bin/sh\n# ";
const MADE_BY: &str = ": made by qosc ";

/// The texts that a script was made from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Carried {
    /// The configuration.
    pub yaml: String,
    /// Link of several that the script is for.
    pub link: Option<String>,
    /// Paths and texts of the included files.
    pub files: Vec<(String, String)>,
}

/// Returns the comments that carry these texts. They end with a line feed.
#[must_use]
pub(super) fn carry(carried: &Carried) -> String {
    let mut out = format!("{HEADING}\n");
    if let Some(link) = &carried.link {
        let _infallible = writeln!(out, "{}{link}{}", LINK.0, LINK.1);
    }
    carry_text(&carried.yaml, &mut out);
    for (path, text) in &carried.files {
        let _infallible = writeln!(out, "{}{path}{}", FILE.0, FILE.1);
        carry_text(text, &mut out);
    }
    out
}

fn carry_text(yaml: &str, out: &mut String) {
    let mut lines = yaml.split('\n');
    // The rest after the last line feed is empty if the text ends with one.
    let rest = lines.next_back().unwrap_or_default();
    lines.for_each(|line| carry_line(line, out));
    if !rest.is_empty() {
        carry_line(rest, out);
        out.push_str(OPEN_END);
        out.push('\n');
    }
}

fn carry_line(line: &str, out: &mut String) {
    let must_be_escaped =
        |at: usize| line.get(at..).is_some_and(|rest| !rest.starts_with('\t') && is_harmful(rest));
    let escaped = line.char_indices().any(|(at, _)| must_be_escaped(at));
    out.push_str(if escaped { ESCAPED } else { PLAIN });
    if !line.is_empty() {
        out.push(' ');
    }
    for (at, c) in line.char_indices() {
        if escaped && c == '\\' {
            out.push_str("\\\\");
        } else if escaped && must_be_escaped(at) {
            let _infallible = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out.push('\n');
}

/// Statements of a script about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Made<'a> {
    /// Name of the link.
    pub link: &'a str,
    /// Version of the program that made the script.
    pub version: &'a str,
    /// Name of the YAML file without its folder.
    pub source: &'a str,
}

/// Returns the statements in the first lines of a script; `None` if `qosc` did not make the text.
#[must_use]
pub fn made_by(script: &str) -> Option<Made<'_>> {
    let (link, rest) = script.strip_prefix(FIRST)?.split('\n').next()?.split_once(MADE_BY)?;
    let (version, rest) = rest.split_once(" from ")?;
    let (source, _) = rest.rsplit_once(". Change the YAML ")?;
    Some(Made { link, version, source })
}

/// Returns the texts that a script carries, byte for byte. `None` if it carries none, or if its lines were cut or edited
/// into another form.
#[must_use]
pub fn carried(script: &str) -> Option<Carried> {
    // No carried line can equal the heading, because each of them has a mark before it.
    let (_, lines) = script.rsplit_once(&format!("\n{HEADING}\n"))?;
    let mut found = Carried::default();
    let mut yaml = String::with_capacity(lines.len());
    let mut open_end = false;
    // `str::lines` is not suitable, because it removes a carriage return before a line feed.
    for line in lines.split_terminator('\n') {
        if let Some(path) = between(line, FILE) {
            put(&mut found, std::mem::take(&mut yaml));
            found.files.push((path.to_owned(), String::new()));
            open_end = false;
            continue;
        }
        if open_end {
            return None;
        }
        if line == OPEN_END {
            yaml.pop();
            open_end = true;
            continue;
        }
        if let Some(link) = between(line, LINK).filter(|_| yaml.is_empty() && found == Carried::default()) {
            found.link = Some(link.to_owned());
            continue;
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
    put(&mut found, yaml);
    Some(found)
}

fn between<'a>(line: &'a str, (before, after): (&str, &str)) -> Option<&'a str> {
    line.strip_prefix(before)?.strip_suffix(after)
}

/// Puts a text where the last line with a path says.
fn put(found: &mut Carried, text: String) {
    match found.files.last_mut() {
        Some((_, last)) => *last = text,
        None => found.yaml = text,
    }
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
