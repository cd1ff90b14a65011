//! HTML file of a page.

use super::colour::COLOURS;
use super::parts::Page;
use super::view::{View, view};
use qosc_compiler::units::fnv1a64;
use qosc_compiler::xml::escaped;
use serde::Serialize;
use std::sync::LazyLock;

static FRAME: LazyLock<Result<tera::Tera, tera::Error>> = LazyLock::new(|| {
    let mut tera = tera::Tera::default();
    tera.register_filter("named", named);
    tera.set_escape_fn(|text, out| out.write_all(escaped(text).as_bytes()));
    // tera escapes every text, because the template's name ends in `.html`
    tera.add_raw_template("page.html", include_str!("../../../../templates/page/page.html.tera"))?;
    Ok(tera)
});

/// Escapes a text and marks the words between backquotes, which are names from the file, as code.
fn named(text: &str, _: tera::Kwargs, state: &tera::State<'_>) -> tera::TeraResult<tera::Value> {
    let escaped = state.escape(text)?;
    let mut parts = escaped.split('`');
    let mut html = parts.next().unwrap_or_default().to_owned();
    while let Some(name) = parts.next() {
        html += &match parts.next() {
            Some(after) => format!("<code>{name}</code>{after}"),
            // a backquote without a partner
            None => format!("`{name}"),
        };
    }
    Ok(tera::Value::safe_string(&html))
}

/// uPlot with its licence, which every copy must contain.
const UPLOT: [&str; 4] = [
    "/*\n",
    include_str!("../../../../templates/page/uplot/LICENSE"),
    "\n*/\n",
    include_str!("../../../../templates/page/uplot/uPlot.iife.min.js"),
];
/// Scripts that draw the charts.
const SCRIPT: [&str; 5] = [
    "\"use strict\";\n",
    include_str!("../../../../templates/page/numbers.js"),
    include_str!("../../../../templates/page/touch.js"),
    include_str!("../../../../templates/page/chart.js"),
    include_str!("../../../../templates/page/boot.js"),
];
const STYLES: [&str; 2] = [
    include_str!("../../../../templates/page/uplot/uPlot.min.css"),
    include_str!("../../../../templates/page/page.css"),
];

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

/// Returns a page as one HTML file.
///
/// # Errors
/// Returns an error if the frame cannot be filled; a test rules this out.
pub fn html(page: &Page) -> Result<String, String> {
    let broken = |e: &dyn std::fmt::Display| format!("the page's frame is broken: {e}");
    let view = view(page).map_err(|e| broken(&e))?;
    let all = serde_json::to_vec(&view).map_err(|e| broken(&e))?;
    let frame = Frame {
        version: env!("CARGO_PKG_VERSION"),
        // The nonce depends on the whole page, so no text in the page can contain it. The same page always gets the
        // same nonce.
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

/// Colours as variables of the style sheet, for a light page and for a dark screen.
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
