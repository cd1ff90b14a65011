//! SVG shapes of a picture. Lengths are whole pixels, except for shares of a rate.

use qosc_compiler::xml::escaped;
use std::fmt::Write as _;

/// Style of texts and shapes. It is dark on white in any surroundings and needs no font from the network.
const STYLE: &str = "\
text{font-family:system-ui,-apple-system,'Segoe UI','DejaVu Sans',Arial,sans-serif;font-size:12px;fill:#1f2328;unicode-bidi:isolate}
.title{font-size:20px;font-weight:600}
.head{font-size:14px;font-weight:600}
.name{font-size:14px;font-weight:600}
.host{font-size:13px}
.soft{fill:#59636e}
.seen{fill:#8a2c0d}
.end{text-anchor:end}
.rule{stroke:#d1d9e0;stroke-width:1}
.grid{stroke:#afb8c1;stroke-width:1}
.tree{stroke:#9aa4af;stroke-width:1.2;fill:none}
.inner{fill:#fff;stroke:#59636e;stroke-width:1.5}
.leaf{fill:#59636e}
.up{fill:#2f6fb2}.up-ceil{fill:#dce9f7;stroke:#2f6fb2}
.down{fill:#23857a}.down-ceil{fill:#d8efec;stroke:#23857a}
.track{fill:#f6f8fa;stroke:#d1d9e0}
.cap{fill:#fbe9d0;stroke:#b8701a}
.now{fill:#1f2328}
";

/// A length in tenths of a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tenths(pub(super) usize);

impl std::fmt::Display for Tenths {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 % 10 {
            0 => write!(f, "{}", self.0 / 10),
            tenths => write!(f, "{}.{tenths}", self.0 / 10),
        }
    }
}

/// SVG elements so far.
#[derive(Debug, Default)]
pub(super) struct Paint(String);

impl Paint {
    pub(super) fn text(&mut self, (x, y): (usize, usize), class: &str, text: &str) {
        self.add(format_args!("<text x=\"{x}\" y=\"{y}\" class=\"{class}\">{}</text>", escaped(text)));
    }

    pub(super) fn stroke(&mut self, from: (usize, usize), to: (usize, usize), class: &str) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.add(format_args!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" class=\"{class}\"/>"));
    }

    /// Draws a line down from one point and then across to another.
    pub(super) fn elbow(&mut self, (x, y): (usize, usize), to: (usize, usize), class: &str) {
        self.path(&format!("M{x} {y}V{}H{}", to.1, to.0), class);
    }

    pub(super) fn path(&mut self, path: &str, class: &str) {
        self.add(format_args!("<path d=\"{path}\" class=\"{class}\"/>"));
    }

    pub(super) fn rect(&mut self, (x, y): (usize, usize), (width, height): (Tenths, usize), class: &str) {
        self.add(format_args!(
            "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"2\" class=\"{class}\"/>"
        ));
    }

    pub(super) fn dot(&mut self, (x, y): (usize, usize), class: &str) {
        self.add(format_args!("<circle cx=\"{x}\" cy=\"{y}\" r=\"4\" class=\"{class}\"/>"));
    }

    /// Begins a group of shapes, which [`Self::close`] ends. Browsers show its title under the pointer.
    pub(super) fn open(&mut self, title: &str) {
        self.add(format_args!("<g><title>{}</title>", escaped(title)));
    }

    pub(super) fn close(&mut self) {
        self.add(format_args!("</g>"));
    }

    /// Returns the whole picture. `description` is its description.
    pub(super) fn page(self, (width, height): (usize, usize), title: &str, description: &str) -> String {
        let (title, description) = (escaped(title), escaped(description));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\">\n\
             <title>{title}</title>\n<desc>{description}</desc>\n<style>\n{STYLE}</style>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n{}</svg>\n",
            self.0
        )
    }

    fn add(&mut self, what: std::fmt::Arguments<'_>) {
        let _infallible = writeln!(self.0, "{what}");
    }
}
