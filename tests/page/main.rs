//! The pages of reports, in a real browser.
#![cfg_attr(test, expect(clippy::float_arithmetic, reason = "what is drawn was measured"))]

#[cfg(test)]
mod demo;

#[cfg(test)]
mod tests {
    use super::demo;

    /// To look at: `target/tmp/page.html`.
    #[test]
    #[ignore = "writes a page for people to look at"]
    fn a_page_to_look_at() {
        let page = qosc::page::html(&demo::page()).expect("a page");
        std::fs::write(concat!(env!("CARGO_TARGET_TMPDIR"), "/page.html"), page).expect("a file");
    }
}
