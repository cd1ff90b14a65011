//! Drawing in the format of Mermaid, which GitHub and GitLab render inside documents.

use super::drawing::{Drawing, RowKind};
use super::lines;
use std::fmt::Write as _;

/// Returns a flowchart from the link to its classes and their children. Policed traffic and tunnels are separate boxes.
#[must_use]
pub fn mermaid(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart LR\n");
    let mut add = |line: String| {
        let _infallible = writeln!(out, "  {line}");
    };
    add(format!("link[{}]", label(&lines::of_link(drawing))));
    for (n, row) in drawing.rows.iter().enumerate() {
        let parent = row.parent.map_or("link".to_owned(), |parent| format!("c{parent}"));
        add(format!("{parent} --- c{n}[{}]", label(&lines::of_row(row))));
        match row.kind {
            _ if row.default => add(format!("class c{n} rest")),
            RowKind::Folded => add(format!("class c{n} folded")),
            _ => {}
        }
    }
    for (n, limit) in drawing.limits.iter().enumerate() {
        add(format!("link -.- p{n}[{}]", label(&lines::of_limit(limit))));
        add(format!("class p{n} cap"));
    }
    for (n, tunnel) in drawing.tunnels.iter().enumerate() {
        add(format!("link -.- t{n}([{}])", label(&lines::of_tunnel(tunnel))));
    }
    add("classDef default fill:#ffffff,stroke:#59636e,color:#1f2328,text-align:left".to_owned());
    add("classDef rest fill:#dce9f7".to_owned());
    add("classDef folded stroke-dasharray:4".to_owned());
    add("classDef cap fill:#fbe9d0,stroke:#b8701a".to_owned());
    out
}

fn label(lines: &[String]) -> String {
    format!("\"{}\"", lines.iter().map(|line| escaped(line)).collect::<Vec<_>>().join("<br/>"))
}

/// Escapes a text for a label: every character that Mermaid, Markdown or HTML may interpret is written by its number.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || !c.is_ascii() || matches!(c, ' ' | ',' | '.' | ':' | '/' | '-') {
            out.push(c);
        } else {
            let _infallible = write!(out, "#{};", u32::from(c));
        }
    }
    out
}
