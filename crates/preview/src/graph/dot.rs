//! Drawing in the format of Graphviz.

use super::drawing::{Drawing, RowKind};
use super::lines;
use std::fmt::Write as _;

/// Returns a digraph from the link to its classes and their children. Policed traffic and tunnels are separate nodes.
#[must_use]
pub fn dot(drawing: &Drawing) -> String {
    let mut out = String::from(
        "digraph qosc {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=\"#ffffff\", color=\"#59636e\", fontname=\"sans-serif\", fontsize=11];\n  edge [color=\"#9aa4af\", arrowhead=none];\n",
    );
    let mut add = |line: String| {
        let _infallible = writeln!(out, "  {line}");
    };
    add(node("link", &lines::of_link(drawing), ", fillcolor=\"#eef1f4\""));
    for (n, row) in drawing.rows.iter().enumerate() {
        let look = match row.kind {
            _ if row.default => ", fillcolor=\"#dce9f7\"",
            RowKind::Folded => ", style=\"rounded,dashed\"",
            _ => "",
        };
        add(node(&format!("c{n}"), &lines::of_row(row), look));
        let parent = row.parent.map_or("link".to_owned(), |parent| format!("c{parent}"));
        add(format!("{parent} -> c{n};"));
    }
    for (n, limit) in drawing.limits.iter().enumerate() {
        add(node(&format!("p{n}"), &lines::of_limit(limit), ", fillcolor=\"#fbe9d0\", color=\"#b8701a\""));
        add(format!("link -> p{n} [style=dashed];"));
    }
    for (n, tunnel) in drawing.tunnels.iter().enumerate() {
        add(node(&format!("t{n}"), &lines::of_tunnel(tunnel), ", shape=cds, style=filled"));
        add(format!("link -> t{n} [style=dotted];"));
    }
    out.push_str("}\n");
    out
}

/// Returns a node with its lines aligned to the left.
fn node(id: &str, lines: &[String], look: &str) -> String {
    let label: String = lines.iter().map(|line| escaped(line) + "\\l").collect();
    format!("{id} [label=\"{label}\"{look}];")
}

/// Escapes a text for a label: a backslash begins an escape, an ampersand an entity.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            // Some CI systems obey lines with `##[`.
            '#' if out.ends_with('#') => out.push_str("&#35;"),
            c => out.push(c),
        }
    }
    out
}
