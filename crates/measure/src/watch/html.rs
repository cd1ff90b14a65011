//! The view as a page that a browser loads again and again. It needs no script and no network.

use super::cells::{EMPTY, HEADS, NO_LINK, PROBLEM, cells, elapsed, has_problem, name, title, used};
use super::history::{ClassHistory, Table, View};
use super::spark;
use qosc_compiler::units::Rate;
use qosc_compiler::xml::escaped;
use std::fmt::Write as _;

const STYLES: [&str; 2] =
    [include_str!("../../../../templates/page/page.css"), include_str!("../../../../templates/watch.css")];

/// Returns the page of a view. The browser loads it again after `reload` seconds; `None` is the last page. `from` names
/// the router, and `at` tells which sample this is.
#[must_use]
pub fn page(view: &View, from: &str, at: &str, reload: Option<u64>) -> String {
    let reload = reload
        .map_or_else(String::new, |seconds| format!("<meta http-equiv=\"refresh\" content=\"{seconds}\">\n"));
    let names: Vec<&str> = view.links.iter().map(|link| link.name.as_str()).collect();
    let links = if names.is_empty() { "no link".to_owned() } else { names.join(", ") };
    let heading = escaped(&format!("{links} on {from}"));
    let mut out = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'\">\n\
         {reload}<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"generator\" content=\"qosc {}\">\n<link rel=\"icon\" href=\"data:,\">\n\
         <title>{heading}</title>\n<style>\n{}</style>\n</head>\n<body>\n<header>\n<h1>{heading}</h1>\n",
        env!("CARGO_PKG_VERSION"),
        STYLES.concat()
    );
    let since = elapsed(view).map_or_else(String::new, |time| format!(" Rates and drops are over {time}."));
    let _infallible = write!(
        out,
        "<p>{}.{} The full height of a chart is the rate of the whole direction. {PROBLEM}</p>\n</header>\n<main>\n",
        escaped(at),
        escaped(&since)
    );
    for link in &view.links {
        for (number, table) in link.tables.iter().enumerate() {
            section(&mut out, &link.name, number, table);
        }
    }
    if view.links.is_empty() {
        let _infallible = writeln!(out, "<p class=\"notice\">{NO_LINK}</p>");
    }
    out.push_str("</main>\n</body>\n</html>\n");
    out
}

fn section(out: &mut String, link: &str, number: usize, table: &Table) {
    let heading = escaped(&format!("{link}: {}", title(table)));
    let colour = if number == 0 { "up" } else { "down" };
    let _infallible = write!(out, "<section class=\"{colour}\">\n<h2>{heading}</h2>\n");
    if table.rows.is_empty() {
        let _infallible = write!(out, "<p class=\"notice\">{EMPTY}</p>\n</section>\n");
        return;
    }
    let _infallible = write!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{heading}\">\n<table>\n<thead>\n<tr><th scope=\"col\">class</th>"
    );
    for head in HEADS {
        let _infallible = write!(out, "<th scope=\"col\" class=\"number\">{head}</th>");
    }
    out.push_str("<th scope=\"col\">past rates</th></tr>\n</thead>\n<tbody>\n");
    for row in &table.rows {
        write_row(out, row, table.full());
    }
    out.push_str("</tbody>\n</table>\n</div>\n</section>\n");
}

fn write_row(out: &mut String, row: &ClassHistory, full: Option<Rate>) {
    let name = name(row);
    let _infallible = write!(
        out,
        "<tr><th scope=\"row\" class=\"d{}\">{}</th>",
        row.depth.min(7),
        escaped(name.trim_start())
    );
    for (cell, head) in cells(row).iter().zip(HEADS) {
        let bad = head == "drops" && has_problem(row);
        let class = if bad { "number bad" } else { "number" };
        let bar = (head == "used").then(|| used(row)).flatten().map(|percent| {
            format!(
                "<meter min=\"0\" max=\"100\" value=\"{}\" aria-hidden=\"true\"></meter> ",
                percent.min(100)
            )
        });
        let cell = escaped(cell);
        let _infallible = match bar {
            Some(bar) => write!(out, "<td class=\"{class}\">{bar}<span class=\"used\">{cell}</span></td>"),
            None => write!(out, "<td class=\"{class}\">{cell}</td>"),
        };
    }
    let description = format!("past rates of {}", name.trim_start());
    let _infallible = writeln!(out, "<td class=\"spark\">{}</td></tr>", spark::svg(row, full, &description));
}

#[cfg(test)]
#[path = "html_tests.rs"]
mod tests;
