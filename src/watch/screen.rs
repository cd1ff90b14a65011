//! The view as cells of a terminal.

use super::cells::{EMPTY, HEADS, NO_LINK, cells, elapsed, has_problem, name, title, used};
use super::history::{Row, Table, View};
use super::spark;
use crate::units::Rate;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier, Style};
use ratatui_core::text::{Line, Span};
use ratatui_core::widgets::Widget;

/// Widths of the columns after the name.
const WIDTHS: [usize; 6] = [11, 11, 6, 7, 12, 8];
/// Largest width of a name. A narrow terminal cuts the charts first.
const NAME: usize = 32;
/// A chart with fewer characters is left out.
const LEAST: usize = 8;
/// Share of the ceiling, in percent, from which on a class is marked as full.
const FULL: u64 = 90;

/// A view on a terminal.
#[derive(Debug, Clone, Copy)]
pub struct Screen<'a> {
    /// State after the last sample; `None` before the first.
    pub view: Option<&'a View>,
    /// Name of the router.
    pub from: &'a str,
    /// Number of lines above the visible ones.
    pub scroll: usize,
}

/// Returns the number of lines of a view, without the first and the last line of the screen.
#[must_use]
pub fn height(view: &View) -> usize {
    lines(view, 0).len()
}

impl Widget for Screen<'_> {
    fn render(self, area: Rect, buffer: &mut Buffer) {
        let width = usize::from(area.width);
        let line = |buffer: &mut Buffer, y: u16, line: &Line<'_>| {
            if let Some(y) = area.y.checked_add(y).filter(|y| *y < area.bottom()) {
                let _end = buffer.set_line(area.x, y, line, area.width);
            }
        };
        let since = self.view.and_then(elapsed).map_or_else(String::new, |time| format!(", over {time}"));
        line(buffer, 0, &Line::styled(format!("qosc watch: {}{since}", self.from), Modifier::BOLD));
        let content = match self.view {
            Some(view) => lines(view, width),
            None => vec![Line::raw("Waiting for the first sample ...")],
        };
        let room = area.height.saturating_sub(2);
        for (y, shown) in (1..=room).zip(content.iter().skip(self.scroll)) {
            line(buffer, y, shown);
        }
        let below = content.len().saturating_sub(self.scroll + usize::from(room));
        let more = if below > 0 { format!("   {below} more below") } else { String::new() };
        let keys = format!("q quit   up, down scroll{more}");
        line(buffer, area.height.saturating_sub(1), &Line::styled(keys, Style::new().fg(Color::Cyan)));
    }
}

fn lines(view: &View, width: usize) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    for link in &view.links {
        for table in &link.tables {
            lines.push(Line::default());
            lines.push(Line::styled(format!("{}: {}", link.name, title(table)), Modifier::BOLD));
            table_lines(&mut lines, table, width);
        }
    }
    if view.links.is_empty() {
        lines.extend([Line::default(), Line::raw(NO_LINK)]);
    }
    lines
}

fn table_lines(lines: &mut Vec<Line<'static>>, table: &Table, width: usize) {
    if table.rows.is_empty() {
        lines.push(Line::raw(EMPTY));
        return;
    }
    let longest = table.rows.iter().map(|row| name(row).chars().count()).max().unwrap_or_default();
    let names = longest.max("class".len()).min(NAME);
    let used: usize = names + WIDTHS.iter().sum::<usize>() + 2;
    let chart = width.saturating_sub(used);
    let mut head = format!("{:names$}", "class");
    for (cell, width) in HEADS.iter().zip(WIDTHS) {
        head += &format!("{cell:>width$}");
    }
    lines.push(Line::styled(head, Style::new().fg(Color::Cyan)));
    for row in &table.rows {
        lines.push(row_line(row, table.full(), names, chart));
    }
}

fn row_line(row: &Row, full: Option<Rate>, names: usize, chart: usize) -> Line<'static> {
    let mut own = name(row);
    if own.chars().count() > names {
        own = own.chars().take(names.saturating_sub(1)).chain(['…']).collect();
    }
    let style = if row.depth == 0 { Style::new().add_modifier(Modifier::BOLD) } else { Style::new() };
    let mut spans = vec![Span::styled(format!("{own:names$}"), style)];
    for ((cell, head), width) in cells(row).into_iter().zip(HEADS).zip(WIDTHS) {
        let style = match head {
            "used" if used(row).is_some_and(|used| used >= FULL) => Style::new().fg(Color::Yellow),
            "drops" if has_problem(row) => Style::new().fg(Color::Red),
            _ => Style::new(),
        };
        spans.push(Span::styled(format!("{cell:>width$}"), style));
    }
    if chart >= LEAST {
        spans.push(Span::raw("  "));
        spans.push(Span::styled(spark::blocks(row, full, chart), Style::new().fg(Color::Green)));
    }
    Line::from(spans)
}

#[cfg(test)]
#[path = "screen_tests.rs"]
mod tests;
