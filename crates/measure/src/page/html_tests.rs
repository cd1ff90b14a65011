//! Tests of the filled frame.

use super::html;
use crate::page::{Axis, BarRow, Bars, Cell, Chart, Item, Page, PageSection, Segment, Series, Table};

const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!--";

fn small(name: &str) -> Page {
    let text = || name.to_owned();
    let part = Segment { name: text(), value: 48.0, text: text(), colour: 1 };
    let data = vec![(2.0, Some(3.5)), (1.0, None)];
    let series = Series { name: text(), colour: 9, dashed: true, data };
    let judged = |good| Cell { good: Some(good), ..Cell::number(name) };
    let rows = vec![vec![Cell::words(name), judged(true), judged(false)]];
    let items = vec![
        Item::Text(text()),
        Item::Table(Table { caption: Some(text()), head: vec![text(), text(), text()], rows }),
        Item::Chart(Chart {
            title: text(),
            x: Axis::linear(name, name),
            y: Axis::log(name, ""),
            series: vec![series],
            points: false,
            shaded: vec![(0.5, 1.5, text())],
        }),
        Item::Bars(Bars {
            title: text(),
            full: 100.0,
            stacked: true,
            rows: vec![BarRow { label: text(), parts: vec![part] }],
        }),
    ];
    let section = |folded| PageSection { title: text(), text: vec![text()], items: items.clone(), folded };
    let rest = PageSection { items: Vec::new(), ..section(false) };
    Page { title: text(), lead: vec![text()], sections: vec![section(false), section(true), rest] }
}

/// Returns a page without the texts that all pages have in common.
fn summary(page: &str) -> String {
    let without = |page: &str, from: &str, to: &str| {
        let (before, rest) = page.split_once(from).expect(from);
        let (_, after) = rest.split_once(to).expect(to);
        format!("{before}{from}...{to}{after}")
    };
    let page = without(page, "<style>", "</style>");
    let page = without(&page, "<script nonce", "</script>");
    // this removes the second script, because the first one now begins with `nonce...`
    without(&page, "<script nonce=", "</script>").replace(env!("CARGO_PKG_VERSION"), "VERSION")
}

#[test]
fn a_page_matches_the_snapshot() {
    crate::golden::assert_golden!(summary(&html(&small("B & <C>")).expect("a page")));
}

#[test]
fn names_between_backquotes_are_code() {
    let shown = |text: &str| {
        let page = html(&Page { title: "t".to_owned(), lead: vec![text.to_owned()], sections: Vec::new() });
        let page = page.expect("a page");
        let (_, after) = page.split_once("</h1>\n<p>").expect("a paragraph");
        after.split_once("</p>").expect("its end").0.to_owned()
    };
    assert_eq!(shown("`a` & `<b>`"), "<code>a</code> &amp; <code>&lt;b&gt;</code>");
    assert_eq!(shown("one ` alone"), "one ` alone");
    assert_eq!(shown("``<i>` alone"), "<code></code>&lt;i&gt;` alone");
}

#[test]
fn names_cannot_end_an_element_or_script() {
    let page = html(&small(HOSTILE)).expect("a page");
    assert!(!page.contains("<img"));
    assert!(!page.contains("<!--"));
    // the data of two charts, uPlot, and our scripts
    assert_eq!(page.matches("</script").count(), page.matches("<script").count());
    assert_eq!(page.matches("<script").count(), 4);
}

#[test]
fn a_page_makes_no_network_request() {
    let page = html(&small("home")).expect("a page");
    for word in [" src=", "url(", "@import", "fetch(", "XMLHttpRequest", "WebSocket"] {
        assert!(!page.contains(word), "{word}");
    }
    assert_eq!(page.matches(" href=\"").count(), page.matches(" href=\"#s").count() + 1);
    assert!(page.contains("default-src 'none'"));
}

#[test]
fn pages_are_reproducible_and_nonces_depend_on_the_content() {
    let nonce =
        |page: &str| page.split_once("<script nonce").expect("one").1.split('"').nth(1).map(str::to_owned);
    let one = html(&small("one")).expect("a page");
    assert_eq!(one, html(&small("one")).expect("a page"));
    assert_ne!(nonce(&one), nonce(&html(&small("other")).expect("a page")));
}

#[test]
fn a_page_contains_the_licence_of_uplot() {
    let page = html(&small("home")).expect("a page");
    assert!(page.contains("Copyright (c) 2022 Leon Sorokin"));
    assert!(page.contains("The above copyright notice and this permission notice shall be included"));
}
