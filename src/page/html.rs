//! A page into its frame.

use super::colour::COLOURS;
use super::parts::Page;
use super::view::{View, view};
use crate::units::fnv1a64;
use serde::Serialize;
use std::sync::LazyLock;

static FRAME: LazyLock<Result<tera::Tera, tera::Error>> = LazyLock::new(|| {
    let mut tera = tera::Tera::default();
    tera.register_filter("named", named);
    // the name ends in `.html`, which has every text escaped
    tera.add_raw_template("page.html", include_str!("../../templates/page/page.html.tera"))?;
    Ok(tera)
});

/// A text, escaped, in which what stands between backquotes, the names of the file, is code.
fn named(text: &str, _: tera::Kwargs, state: &tera::State<'_>) -> tera::TeraResult<tera::Value> {
    let escaped = state.escape(text)?;
    let mut parts = escaped.split('`');
    let mut html = parts.next().unwrap_or_default().to_owned();
    while let Some(name) = parts.next() {
        html += &match parts.next() {
            Some(after) => format!("<code>{name}</code>{after}"),
            // a backquote alone
            None => format!("`{name}"),
        };
    }
    Ok(tera::Value::safe_string(&html))
}

/// uPlot with its licence, which goes where it goes.
const UPLOT: [&str; 4] = [
    "/*\n",
    include_str!("../../templates/page/uplot/LICENSE"),
    "\n*/\n",
    include_str!("../../templates/page/uplot/uPlot.iife.min.js"),
];
/// What makes charts of it.
const SCRIPT: [&str; 5] = [
    "\"use strict\";\n",
    include_str!("../../templates/page/numbers.js"),
    include_str!("../../templates/page/touch.js"),
    include_str!("../../templates/page/chart.js"),
    include_str!("../../templates/page/boot.js"),
];
const STYLES: [&str; 2] =
    [include_str!("../../templates/page/uplot/uPlot.min.css"), include_str!("../../templates/page/page.css")];

/// Why no page could be made: its frame is broken. Its text is built in, so a test rules this out.
#[derive(Debug)]
pub struct PageError(String);

impl std::fmt::Display for PageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the page's frame is broken: {}", self.0)
    }
}

impl std::error::Error for PageError {}

#[derive(Serialize)]
struct Frame<'a> {
    version: &'a str,
    nonce: String,
    styles: String,
    uplot: String,
    script: String,
    #[serde(flatten)]
    page: View<'a>,
}

/// A page as one HTML file.
///
/// # Errors
/// When the frame cannot be filled; a test rules this out.
pub fn html(page: &Page) -> Result<String, PageError> {
    let broken = |e: &dyn std::fmt::Display| PageError(e.to_string());
    let view = view(page).map_err(|e| broken(&e))?;
    let all = serde_json::to_vec(&view).map_err(|e| broken(&e))?;
    let frame = Frame {
        version: env!("CARGO_PKG_VERSION"),
        // What hangs on the whole page cannot be written into the page beforehand; the same page has the same.
        nonce: format!("{:016x}", fnv1a64(&all)),
        styles: colours() + &STYLES.concat(),
        uplot: UPLOT.concat(),
        script: SCRIPT.concat(),
        page: view,
    };
    let tera = FRAME.as_ref().map_err(|e| broken(e))?;
    let context = tera::Context::from_serialize(&frame).map_err(|e| broken(&e))?;
    tera.render("page.html", &context).map_err(|e| broken(&e))
}

/// The colours as variables of the style sheet: on a light page, and on a dark screen.
fn colours() -> String {
    let rules = |pick: fn(&(&'static str, &'static str)) -> &'static str| -> String {
        COLOURS.iter().enumerate().map(|(n, pair)| format!(" --c{n}: {};", pick(pair))).collect()
    };
    let classes: String =
        (0..COLOURS.len()).map(|n| format!(".c{n} {{ background: var(--c{n}); }}\n")).collect();
    format!(
        ":root {{{} }}\n@media screen and (prefers-color-scheme: dark) {{ :root:not(.paper) {{{} }} }}\n{classes}",
        rules(|pair| pair.0),
        rules(|pair| pair.1)
    )
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
