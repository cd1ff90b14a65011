//! Drawing in SVG: the tree at the left, and a column of bars for each direction.

use super::bars::{self, LINE};
use super::drawing::{Cell, DirectionDrawing, Drawing, Limit, RowKind, TreeRow};
use super::paint::{Paint, Tenths};
use super::{lines, words};
use qosc_compiler::model::Direction;

/// Width of the page and of its margin, in pixels.
const WIDTH: usize = 1120;
const EDGE: usize = 24;
const RIGHT: usize = WIDTH - EDGE;

/// Left edges of the columns of bars, and the right edge of the tree, in pixels.
const COLUMNS: [usize; 2] = [464, 792];
const TREE: usize = COLUMNS[0] - EDGE;

/// Indentation of a child class, and the distance from a dot to its name, in pixels.
const STEP: usize = 18;
const NAME: usize = 16;

/// Pixels from the upper edge of a row to its bars and to the baseline of its name, and the free pixels below the row.
const BAR: usize = 9;
const BASE: usize = 19;
const BELOW: usize = 10;

/// Returns the drawing as SVG.
#[must_use]
pub fn svg(drawing: &Drawing) -> String {
    let mut paint = Paint::default();
    paint.text((EDGE, 38), "title", &words::cut(&drawing.name, 21, RIGHT - EDGE));
    let link = format!("{}, {}", drawing.device, drawing.profile);
    paint.text((EDGE, 60), "soft", &words::cut(&link, 12, RIGHT - EDGE));
    let top = heads(&mut paint, drawing, 92);
    let places = places(&drawing.rows, top);
    let tree_ends = places.last().map_or(top, |place| place.y + place.height);
    let mut y = tree_ends;
    let limits: Vec<usize> = drawing.limits.iter().map(limit_height).collect();
    if !limits.is_empty() {
        y += 34 + limits.iter().sum::<usize>();
    }
    branches(&mut paint, &drawing.rows, &places);
    for (row, place) in drawing.rows.iter().zip(&places) {
        draw_row(&mut paint, drawing, row, place);
    }
    draw_limits(&mut paint, drawing, &limits, tree_ends);
    y = tunnels(&mut paint, drawing, y);
    y = legend(&mut paint, drawing, y + 8);
    paint.page((WIDTH, y + EDGE), &words::title(drawing), &lines::description(drawing))
}

/// Draws the headers of the columns. Returns the upper edge of the first row.
fn heads(paint: &mut Paint, drawing: &Drawing, y: usize) -> usize {
    paint.text((EDGE, y), "head", "classes");
    let said = Direction::BOTH.map(|direction| {
        let direction = drawing.directions.get(direction);
        let planned = words::direction(direction).into_iter().map(|line| (line, "soft"));
        let seen =
            direction.seen.iter().flat_map(|seen| words::seen(seen, &Cell::Empty)).map(|line| (line, "seen"));
        planned.chain(seen).collect::<Vec<_>>()
    });
    let most = said.iter().map(Vec::len).max().unwrap_or_default();
    let scale = y + LINE * most + 22;
    for ((direction, x), said) in Direction::BOTH.into_iter().zip(COLUMNS).zip(&said) {
        paint.text((x, y), "head", direction.loads());
        for (n, (line, class)) in (1..).zip(said) {
            paint.text((x, y + LINE * n + 2), class, &words::cut(line, 12, bars::LENGTH));
        }
        if has_bars(drawing, direction) {
            let shaped = drawing.directions.get(direction).shaped.for_people();
            paint.text((x, scale), "soft", "0");
            paint.text((x + bars::LENGTH, scale), "soft end", &shaped);
        }
    }
    scale + 8
}

/// Returns true if a row or a policer has a bar in this direction.
fn has_bars(drawing: &Drawing, direction: Direction) -> bool {
    drawing.rows.iter().any(|row| bars::has_bar(row.cells.get(direction)))
        || drawing.limits.iter().any(|limit| limit.direction == direction)
}

/// Position of a row.
struct RowPosition {
    y: usize,
    height: usize,
    /// Lines below the name.
    below: Vec<String>,
}

fn dot_of(row: &TreeRow) -> usize {
    EDGE + STEP * row.depth.min(12) + 5
}

fn places(rows: &[TreeRow], top: usize) -> Vec<RowPosition> {
    let mut y = top;
    let place = |row: &TreeRow| {
        let room = TREE - dot_of(row) - NAME + 5;
        let said = row.matches.iter().chain(&row.notes);
        let below: Vec<String> = said.flat_map(|text| words::wrapped(text, 12, room)).collect();
        let bars = Direction::BOTH
            .map(|direction| bars::height(row.cells.get(direction), row.seen.get(direction).as_ref()));
        let text = BASE + LINE * below.len();
        let height = text.max(BAR + bars.into_iter().max().unwrap_or_default()) + BELOW;
        let place = RowPosition { y, height, below };
        y += height;
        place
    };
    rows.iter().map(place).collect()
}

/// Draws lines from each row's dot to the dots of its children.
fn branches(paint: &mut Paint, rows: &[TreeRow], places: &[RowPosition]) {
    for (row, place) in rows.iter().zip(places) {
        let Some(parent) = row.parent else { continue };
        if let (Some(above), Some(from)) = (rows.get(parent), places.get(parent)) {
            let to = (dot_of(row), place.y + BASE - 5);
            paint.elbow((dot_of(above), from.y + BASE - 5), to, "tree");
        }
    }
}

fn draw_row(paint: &mut Paint, drawing: &Drawing, row: &TreeRow, place: &RowPosition) {
    paint.open(&lines::of_row(row).join("\n"));
    paint.stroke((EDGE, place.y), (RIGHT, place.y), "rule");
    let (x, base) = (dot_of(row), place.y + BASE);
    paint.dot((x, base - 5), if row.kind == RowKind::Inner { "inner" } else { "leaf" });
    let role = words::role(row).unwrap_or_default();
    let free = TREE - x - NAME + 5 - if role.is_empty() { 0 } else { words::width(&role, 12) + 10 };
    let host = matches!(row.kind, RowKind::Host | RowKind::Folded);
    paint.text((x + NAME - 5, base), if host { "host" } else { "name" }, &words::cut(&row.name, 15, free));
    if !role.is_empty() {
        paint.text((TREE, base), "soft end", &role);
    }
    for (n, line) in (1..).zip(&place.below) {
        paint.text((x + NAME - 5, base + LINE * n + 1), "soft", line);
    }
    for (direction, x) in Direction::BOTH.into_iter().zip(COLUMNS) {
        let seen = row.seen.get(direction).as_ref();
        bars::draw(
            paint,
            (x, place.y + BAR),
            drawing.directions.get(direction),
            row.cells.get(direction),
            seen,
        );
    }
    paint.close();
}

fn limit_lines(limit: &Limit) -> Vec<String> {
    limit.matches.iter().flat_map(|text| words::wrapped(text, 12, TREE - EDGE - NAME)).collect()
}

fn limit_height(limit: &Limit) -> usize {
    let notes = BAR + bars::HEIGHT + 15 + LINE * (lines::of_cap(limit).len() - 1);
    (BASE + LINE * limit_lines(limit).len()).max(notes) + BELOW
}

fn draw_limits(paint: &mut Paint, drawing: &Drawing, heights: &[usize], top: usize) {
    if heights.is_empty() {
        return;
    }
    paint.stroke((EDGE, top), (RIGHT, top), "rule");
    paint.text((EDGE, top + 26), "head", "policers beside the class tree, without a queue");
    let mut y = top + 34;
    for (limit, height) in drawing.limits.iter().zip(heights) {
        paint.open(&lines::of_limit(limit).join("\n"));
        paint.stroke((EDGE, y), (RIGHT, y), "rule");
        paint.text((EDGE + NAME, y + BASE), "name", &words::cut(&limit.name, 15, TREE - EDGE - NAME));
        for (n, line) in (1..).zip(&limit_lines(limit)) {
            paint.text((EDGE + NAME, y + BASE + LINE * n + 1), "soft", line);
        }
        let direction: &DirectionDrawing = drawing.directions.get(limit.direction);
        let [up, down] = COLUMNS;
        let x = if limit.direction == Direction::Up { up } else { down };
        bars::grid(paint, (x, y + BAR));
        paint.rect((x, y + BAR), (bars::length(direction.shaped, direction.shaped), bars::HEIGHT), "track");
        paint.rect((x, y + BAR), (bars::length(limit.rate, direction.shaped), bars::HEIGHT), "cap");
        for (n, line) in lines::of_cap(limit).iter().enumerate() {
            let line = words::cut(line, 12, bars::LENGTH);
            paint.text((x, y + BAR + bars::HEIGHT + 15 + LINE * n), "soft", &line);
        }
        paint.close();
        y += height;
    }
}

/// Draws the tunnels. Returns their lower edge.
fn tunnels(paint: &mut Paint, drawing: &Drawing, top: usize) -> usize {
    paint.stroke((EDGE, top), (RIGHT, top), "rule");
    if drawing.tunnels.is_empty() {
        return top;
    }
    paint.text((EDGE, top + 26), "head", "tunnels");
    let mut y = top + 46;
    for tunnel in &drawing.tunnels {
        paint.text((EDGE + NAME, y), "name", &words::cut(&tunnel.name, 15, TREE - EDGE - NAME));
        let said = [&tunnel.what, &tunnel.inside];
        for line in said.iter().flat_map(|text| words::wrapped(text, 12, RIGHT - COLUMNS[0])) {
            paint.text((COLUMNS[0], y), "soft", &line);
            y += LINE;
        }
        y += 8;
    }
    paint.stroke((EDGE, y - 8), (RIGHT, y - 8), "rule");
    y - 8
}

/// Draws the legend of the shapes. Returns its lower edge.
fn legend(paint: &mut Paint, drawing: &Drawing, top: usize) -> usize {
    let has = |fits: &dyn Fn(&Cell) -> bool| {
        drawing.rows.iter().any(|row| Direction::BOTH.iter().any(|direction| fits(row.cells.get(*direction))))
    };
    let measured = drawing.rows.iter().any(|row| {
        Direction::BOTH
            .iter()
            .any(|direction| row.seen.get(*direction).is_some_and(|seen| seen.rate.is_some()))
    });
    let mut keys: Vec<(&str, usize, &str)> = Vec::new();
    if has(&|cell| matches!(cell, Cell::Rates { .. })) {
        keys.push(("up", bars::HEIGHT, "guarantee: rate of a class while all classes want more"));
    }
    if has(&|cell| matches!(cell, Cell::Tin { .. })) {
        keys.push(("up", bars::HEIGHT, "threshold: rate up to which a tin has its priority"));
    }
    if has(&bars::has_bar) {
        keys.push(("up-ceil", bars::HEIGHT, "ceiling: rate of a class while no other class sends"));
    }
    if !drawing.limits.is_empty() {
        keys.push(("cap", bars::HEIGHT, "policer: the most that this traffic gets, whatever the classes do"));
    }
    if measured {
        keys.push(("now", 4, "now: present rate"));
    }
    let mut y = top + 14;
    for pair in keys.chunks(2) {
        for ((class, height, text), x) in pair.iter().zip([EDGE, COLUMNS[0]]) {
            paint.rect((x, y - 4 - height / 2), (Tenths(280), *height), class);
            paint.text((x + 38, y), "soft", text);
        }
        y += LINE + 4;
    }
    let bars = Direction::BOTH.iter().any(|direction| has_bars(drawing, *direction));
    let bars = bars.then_some("Bars are linear, from 0 to the shaped rate of the direction.");
    let order = "Matches are tried from top to bottom, and the first one decides. What none of them matches goes to the default class, wherever it stands.";
    for words in bars.into_iter().chain([order]) {
        paint.text((EDGE, y), "soft", words);
        y += LINE + 4;
    }
    for line in drawing.counters.iter().flat_map(|words| words::wrapped(words, 12, RIGHT - EDGE)) {
        paint.text((EDGE, y), "seen", &line);
        y += LINE;
    }
    y - LINE
}
