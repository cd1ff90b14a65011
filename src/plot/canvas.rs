//! The shapes that a plot is made of, as SVG. Lengths are pixels.

use super::axis::{Axis, tick};
use crate::xml::escaped;
use std::fmt::Write as _;

/// How grids, frames and small words look.
const GRID: &str = "#e4e4e4";
const FRAME: &str = "#888888";

/// A picture that is being made.
#[derive(Debug)]
pub struct Canvas {
    out: String,
}

impl Canvas {
    /// White, of that many pixels.
    #[must_use]
    pub fn new((width, height): (f64, f64)) -> Canvas {
        let out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
             font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\" font-size=\"13\" fill=\"#222222\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        Canvas { out }
    }

    /// The picture.
    #[must_use]
    pub fn finished(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    /// Words; `anchor` is the part of them that stands at the place, `more` further attributes.
    pub fn text(&mut self, (x, y): (f64, f64), anchor: &str, more: &str, words: &str) {
        let words = escaped(words);
        let _ = writeln!(
            self.out,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {more}>{words}</text>"
        );
    }

    /// A shape, as its element is written.
    pub fn shape(&mut self, element: std::fmt::Arguments<'_>) {
        let _ = writeln!(self.out, "{element}");
    }

    /// The frame of a panel between two axes, with a grid, values, what is measured upwards, and below it what is measured along.
    pub fn frame(&mut self, (x, y): (&Axis, &Axis), upwards: &str, along: &str) {
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
