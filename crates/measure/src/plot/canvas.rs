//! SVG shapes of a plot. Lengths are pixels.

use super::axis::{Axis, tick};
use qosc_compiler::xml::escaped;
use std::fmt::Write as _;

/// Colours of grids and frames.
const GRID: &str = "#e4e4e4";
const FRAME: &str = "#888888";

/// An unfinished picture.
#[derive(Debug)]
pub(super) struct Canvas {
    out: String,
}

impl Canvas {
    /// Begins a white picture of this size in pixels. `title` and `below` are at the top, to the right of `left`.
    pub(super) fn new((width, height): (f64, f64), left: f64, title: &str, below: &str) -> Canvas {
        let out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\" fill=\"#222222\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        let mut canvas = Canvas { out };
        canvas.text((left, 30.0), "start", "font-size=\"18\" font-weight=\"bold\"", title);
        canvas.text((left, 52.0), "start", "fill=\"#555555\"", below);
        canvas
    }

    /// Returns the finished picture.
    pub(super) fn finished(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    /// Draws words. `anchor` tells which part of them is at the position, `more` has further attributes.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: &str, more: &str, words: &str) {
        let words = escaped(words);
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{words}</text>"
        );
    }

    /// Adds an SVG element.
    pub(super) fn shape(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{element}");
    }

    /// Draws a path, if it has any point. `more` has further attributes.
    pub(super) fn stroke(&mut self, path: &str, colour: &str, more: &str) {
        if !path.is_empty() {
            self.shape(format_args!("<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" {more}/>"));
        }
    }

    /// Draws the frame of a panel between two axes, with a grid, tick values, and the labels of both axes.
    pub(super) fn frame(&mut self, (x, y): (&Axis, &Axis), upwards: &str, along: &str) {
        let (left, right, top, bottom) = (x.start, x.end, y.end, y.start);
        for value in x.ticks() {
            let at = x.at(value);
            self.shape(format_args!(
                "<line x1=\"{at:.1}\" y1=\"{top}\" x2=\"{at:.1}\" y2=\"{bottom}\" stroke=\"{GRID}\"/>"
            ));
            self.text((at, bottom + 18.0), "middle", "", &tick(value));
        }
        for value in y.ticks() {
            let at = y.at(value);
            self.shape(format_args!(
                "<line x1=\"{left}\" y1=\"{at:.1}\" x2=\"{right}\" y2=\"{at:.1}\" stroke=\"{GRID}\"/>"
            ));
            self.text((left - 8.0, at + 4.5), "end", "", &tick(value));
        }
        let (width, height) = (right - left, bottom - top);
        self.shape(format_args!(
            "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"none\" stroke=\"{FRAME}\"/>"
        ));
        self.text(((left + right) / 2.0, bottom + 40.0), "middle", "", along);
        let middle = (top + bottom) / 2.0;
        self.text((26.0, middle), "middle", &format!("transform=\"rotate(-90 26 {middle:.1})\""), upwards);
    }
}
