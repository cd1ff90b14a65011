//! Elements of a page in the form for the template.

use super::colour::COLOURS;
use super::parts::{Axis, Bars, Cell, Chart, Item, Page, PageSection, Segment, Series, Table};
use qosc_compiler::harmless;
use serde::Serialize;
use std::fmt::Write as _;

#[derive(Serialize)]
pub(super) struct View<'a> {
    title: &'a str,
    lead: &'a [String],
    sections: Vec<SectionView<'a>>,
}

#[derive(Serialize)]
struct SectionView<'a> {
    title: &'a str,
    text: &'a [String],
    items: Vec<ItemView<'a>>,
    folded: bool,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
enum ItemView<'a> {
    Text { text: &'a str },
    Table { caption: Option<&'a str>, head: Vec<HeadView<'a>>, rows: Vec<Vec<CellView<'a>>> },
    Chart { title: &'a str, description: String, x: String, y: String, data: String },
    Bars { title: &'a str, rows: Vec<RowView<'a>> },
}

#[derive(Serialize)]
struct HeadView<'a> {
    text: &'a str,
    /// True if the column has numbers.
    numeric: bool,
}

#[derive(Serialize)]
struct CellView<'a> {
    text: &'a str,
    class: String,
    /// Verdict as a sign that works without colour, and the same in words.
    sign: &'static str,
    said: &'static str,
}

#[derive(Serialize)]
struct RowView<'a> {
    label: &'a str,
    tracks: Vec<Vec<BarView>>,
    parts: Vec<PartView<'a>>,
}

#[derive(Serialize)]
struct BarView {
    colour: usize,
    width: String,
}

#[derive(Serialize)]
struct PartView<'a> {
    name: &'a str,
    text: &'a str,
    colour: usize,
}

/// Chart data for the script.
#[derive(Serialize)]
struct Data<'a> {
    x: &'a Axis,
    y: &'a Axis,
    points: bool,
    shaded: Vec<&'a (f64, f64, String)>,
    series: Vec<SeriesData<'a>>,
}

#[derive(Serialize)]
struct SeriesData<'a> {
    name: &'a str,
    colour: usize,
    dashed: bool,
    x: Vec<f64>,
    y: Vec<Option<f64>>,
}

pub(super) fn view(page: &Page) -> serde_json::Result<View<'_>> {
    let sections = page.sections.iter().map(section).collect::<Result<_, _>>()?;
    Ok(View { title: &page.title, lead: &page.lead, sections })
}

fn section(section: &PageSection) -> serde_json::Result<SectionView<'_>> {
    let items = section.items.iter().map(item).collect::<Result<_, _>>()?;
    Ok(SectionView { title: &section.title, text: &section.text, items, folded: section.folded })
}

fn item(item: &Item) -> serde_json::Result<ItemView<'_>> {
    Ok(match item {
        Item::Text(text) => ItemView::Text { text },
        Item::Table(one) => table(one),
        Item::Chart(one) => chart(one)?,
        Item::Bars(one) => bars(one),
    })
}

fn table(table: &Table) -> ItemView<'_> {
    let numeric = |column: usize| table.rows.iter().any(|row| row.get(column).is_some_and(|it| it.numeric));
    let head = table.head.iter().enumerate().map(|(n, text)| HeadView { text, numeric: numeric(n) });
    let rows = table.rows.iter().map(|row| row.iter().map(cell).collect());
    ItemView::Table { caption: table.caption.as_deref(), head: head.collect(), rows: rows.collect() }
}

fn cell(cell: &Cell) -> CellView<'_> {
    let (class, sign, said) = match cell.good {
        Some(true) => ("good", "✓", "good:"),
        Some(false) => ("bad", "✗", "bad:"),
        None => ("", "", ""),
    };
    let class = [if cell.numeric { "number" } else { "" }, class].join(" ").trim().to_owned();
    CellView { text: &cell.text, class, sign, said }
}

/// Width of a bar in percent of the full length, from 0 to 100.
fn width(value: f64, full: f64) -> String {
    let share = 100.0 * value / full;
    format!("{:.2}%", if share.is_finite() { share.clamp(0.0, 100.0) } else { 0.0 })
}

fn bars(bars: &Bars) -> ItemView<'_> {
    let bar = |part: &Segment| BarView { colour: colour(part.colour), width: width(part.value, bars.full) };
    let rows = bars.rows.iter().map(|row| {
        let all: Vec<BarView> = row.parts.iter().map(bar).collect();
        let tracks = if bars.stacked { vec![all] } else { all.into_iter().map(|bar| vec![bar]).collect() };
        let parts = row.parts.iter();
        let parts =
            parts.map(|part| PartView { name: &part.name, text: &part.text, colour: colour(part.colour) });
        RowView { label: &row.label, tracks, parts: parts.collect() }
    });
    ItemView::Bars { title: &bars.title, rows: rows.collect() }
}

fn colour(index: usize) -> usize {
    index % COLOURS.len()
}

fn chart(chart: &Chart) -> serde_json::Result<ItemView<'_>> {
    let series: Vec<SeriesData> = chart.series.iter().map(series).collect();
    let description = description(chart, &series);
    let shaded =
        chart.shaded.iter().filter(|(from, to, _)| from.is_finite() && to.is_finite() && from < to).collect();
    let data = Data { x: &chart.x, y: &chart.y, points: chart.points, shaded, series };
    // In JSON, a `<` occurs only in strings, where this escape is valid. So no text can end the element or begin a
    // comment.
    let data = harmless::json(serde_json::to_string(&data)?).replace('<', "\\u003c");
    Ok(ItemView::Chart { title: &chart.title, description, x: axis(&chart.x), y: axis(&chart.y), data })
}

/// Label of an axis, with its unit.
fn axis(axis: &Axis) -> String {
    let parts = [axis.label.as_str(), axis.unit.as_str()];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

fn series(series: &Series) -> SeriesData<'_> {
    let finite = |(x, y): &(f64, Option<f64>)| x.is_finite() && y.is_none_or(f64::is_finite);
    let mut data: Vec<_> = series.data.iter().copied().filter(finite).collect();
    data.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let (x, y) = data.into_iter().unzip();
    SeriesData { name: &series.name, colour: colour(series.colour), dashed: series.dashed, x, y }
}

/// Description of a chart for people who cannot see it.
fn description(chart: &Chart, series: &[SeriesData]) -> String {
    let mut description = format!("{}. {} over {}.", chart.title, axis(&chart.y), axis(&chart.x));
    for one in series {
        let values = || one.y.iter().flatten().copied();
        let (count, lost) = (values().count(), one.y.iter().filter(|y| y.is_none()).count());
        let (least, most) = (values().reduce(f64::min), values().reduce(f64::max));
        let plural = if count == 1 { "" } else { "s" };
        let _ = write!(description, " {}: {count} value{plural}", one.name);
        if let (Some(least), Some(most)) = (least, most) {
            let _ = write!(description, " from {} to {}", short(least), short(most));
        }
        if lost > 0 {
            let _ = write!(description, ", {lost} lost");
        }
        description.push('.');
    }
    description
}

/// Rounds a value to three decimal places.
fn short(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
#[path = "view_tests.rs"]
mod tests;
