//! The pages of reports in a real browser: Debian's Chromium, see `webdriver.rs`.
#![cfg_attr(test, expect(clippy::float_arithmetic, reason = "what is drawn was measured"))]

#[cfg(test)]
mod demo;
#[cfg(test)]
mod playground;
#[cfg(test)]
mod webdriver;

#[cfg(test)]
mod tests {
    use super::demo;
    use super::webdriver::Browser;
    use serde_json::{Value, json};
    use std::path::PathBuf;

    /// Writes the page to `target/tmp/page.html`, where people can look at it too.
    fn page() -> PathBuf {
        let file = PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR"), "/page.html"));
        std::fs::write(&file, qosc_measure::page::html(&demo::page()).expect("a page")).expect("a file");
        file
    }

    /// The number of charts on the page.
    const CHARTS: u64 = 5;

    /// Expressions for scripts: the drawing of a chart, the range of x that it shows, and its buttons.
    fn drawing(chart: u64) -> String {
        format!("document.querySelectorAll('.drawing')[{chart}]")
    }
    fn from(chart: u64) -> String {
        format!("Number({}.dataset.from)", drawing(chart))
    }
    fn to(chart: u64) -> String {
        format!("Number({}.dataset.to)", drawing(chart))
    }
    fn seen(chart: u64) -> String {
        format!("({} - {})", to(chart), from(chart))
    }
    fn button(chart: u64, text: &str) -> String {
        let drawing = drawing(chart);
        format!(
            "[...{drawing}.parentNode.querySelectorAll('button')].find(it => it.textContent.trim() === '{text}')"
        )
    }

    /// Scrolls a chart to the middle of the screen, and waits until it is drawn there.
    fn bring(browser: &Browser, chart: u64) {
        let drawing = drawing(chart);
        browser.run(&format!("{drawing}.scrollIntoView({{ block: 'center', behavior: 'instant' }})"));
        browser.wait(&format!("{drawing}.querySelector('canvas') && {drawing}.dataset.to"));
        browser.wait(&drawn(chart));
    }

    /// An expression that is true if the canvas shows something in a colour: grids and words are grey.
    fn drawn(chart: u64) -> String {
        format!("{} > 100", coloured(chart))
    }
    fn coloured(chart: u64) -> String {
        format!(
            "(() => {{ const canvas = {}.querySelector('canvas'); \
             const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {{ willReadFrequently: true }}); \
             copy.drawImage(canvas, 0, 0); \
             const data = copy.getImageData(0, 0, canvas.width, canvas.height).data; \
             let count = 0; \
             for (let n = 0; n < data.length; n += 4) {{ \
               const rgb = [data[n], data[n + 1], data[n + 2]]; \
               if (data[n + 3] > 128 && Math.max(...rgb) - Math.min(...rgb) > 60) count++; \
             }} \
             return count; }})()",
            drawing(chart)
        )
    }

    /// A position in a chart: a share of its width, at half its height.
    fn place(browser: &Browser, chart: u64, share: f64) -> (i64, i64) {
        let place = browser.run(&format!(
            "const box = {}.querySelector('.u-over').getBoundingClientRect(); \
             return [Math.round(box.left + box.width * {share}), Math.round(box.top + box.height / 2)];",
            drawing(chart)
        ));
        (place[0].as_i64().expect("x"), place[1].as_i64().expect("y"))
    }

    fn move_to((x, y): (i64, i64), duration: u64) -> Value {
        json!({ "type": "pointerMove", "duration": duration, "x": x, "y": y, "origin": "viewport" })
    }
    fn down() -> Value {
        json!({ "type": "pointerDown", "button": 0 })
    }
    fn up() -> Value {
        json!({ "type": "pointerUp", "button": 0 })
    }

    /// Drags from one position to another with the mouse button or a finger.
    fn drag(browser: &Browser, kind: &str, chart: u64, from: f64, to: f64) {
        let (from, to) = (place(browser, chart, from), place(browser, chart, to));
        let middle = (i64::midpoint(from.0, to.0), from.1);
        let actions = vec![move_to(from, 0), down(), move_to(middle, 50), move_to(to, 50), up()];
        browser.pointers(kind, &[actions]);
    }

    /// Clicks or taps twice at one position.
    fn twice(browser: &Browser, kind: &str, chart: u64) {
        let there = move_to(place(browser, chart, 0.5), 0);
        browser.pointers(kind, &[vec![there, down(), up(), down(), up()]]);
    }

    fn number(browser: &Browser, expression: &str) -> f64 {
        browser.run(&format!("return {expression}")).as_f64().expect("a number")
    }

    #[test]
    fn a_browser_draws_the_page_and_handles_all_input() {
        let Some(browser) = Browser::open() else { return };
        let page = page();
        for (width, height, phone) in [(1280, 900, false), (360, 740, true)] {
            browser.screen(width, height, phone);
            for scheme in ["light", "dark"] {
                let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
                browser.devtools("Emulation.setEmulatedMedia", &feature);
                browser.show(&page);
                everything_is_drawn(&browser);
                assert_eq!(browser.console(), [""; 0], "{width} pixels, {scheme}");
            }
            if phone {
                by_finger(&browser)
            } else {
                by_mouse(&browser)
            }
            by_button(&browser);
            by_key(&browser);
            assert_eq!(browser.console(), [""; 0], "{width} pixels, after the pointers");
        }
        hostile_names_are_names(&browser);
    }

    /// A report of the lab on `examples/vdsl2-home.yaml` with some expectations. `lab.json` has one in four of its
    /// pings.
    #[test]
    fn a_browser_draws_a_report_of_the_lab() {
        let report: qosc_measure::lab::LabReport =
            serde_json::from_str(include_str!("lab.json")).expect("a report");
        let page = PathBuf::from(concat!(env!("CARGO_TARGET_TMPDIR"), "/lab.html"));
        std::fs::write(&page, qosc_measure::lab::page(&report).expect("a page")).expect("a file");
        let Some(browser) = Browser::open() else { return };
        for (width, height, scheme) in [(1280, 900, "light"), (360, 740, "dark")] {
            browser.screen(width, height, width == 360);
            let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
            browser.devtools("Emulation.setEmulatedMedia", &feature);
            browser.show(&page);
            // Four loads, each with charts of pings, of rates, and of the loader's pings.
            drawn_and_readable(&browser, 12);
            bring(&browser, 0);
            let whole = number(&browser, &seen(0));
            drag(&browser, if width == 360 { "touch" } else { "mouse" }, 0, 0.25, 0.5);
            browser.wait(&format!("Math.abs({} / {whole} - 0.25) < 0.05", seen(0)));
            browser.wait(&drawn(0));
            assert_eq!(browser.console(), [""; 0], "{width} pixels, {scheme}");
        }
    }

    fn everything_is_drawn(browser: &Browser) {
        drawn_and_readable(browser, CHARTS);
    }

    fn drawn_and_readable(browser: &Browser, charts: u64) {
        browser.run("document.querySelectorAll('details').forEach(one => { one.open = true; })");
        assert_eq!(number(browser, "document.querySelectorAll('.drawing').length") as u64, charts);
        for chart in 0..charts {
            bring(browser, chart);
        }
        let (page, screen) =
            (number(browser, "document.documentElement.scrollWidth"), number(browser, "innerWidth"));
        assert!(page <= screen, "the page is {page} wide, the screen {screen}");
        let small = browser.run(
            "return [...document.querySelectorAll('body *')].filter(it => it.childNodes.length \
             && parseFloat(getComputedStyle(it).fontSize) < 14).map(it => it.outerHTML.slice(0, 80))",
        );
        assert_eq!(small, json!([]), "smaller than 14 pixels");
    }

    fn by_mouse(browser: &Browser) {
        let chart = 0;
        bring(browser, chart);
        let whole = number(browser, &seen(chart));
        drag(browser, "mouse", chart, 0.25, 0.5);
        browser.wait(&format!("Math.abs({} / {whole} - 0.25) < 0.01", seen(chart)));
        browser.wait(&drawn(chart));
        // The legend shows the values at the cursor.
        let values = format!(
            "[...{}.parentNode.querySelectorAll('output')].every(it => it.textContent.endsWith(' ms'))",
            drawing(chart)
        );
        let side = (1..20).map(|n| place(browser, chart, 0.05 * f64::from(n)));
        let side: Vec<Value> = side.map(|there| move_to(there, 0)).collect();
        browser.until(&values, || {
            for there in &side {
                browser.pointers("mouse", &[vec![there.clone()]]);
                if browser.run(&format!("return {values}")) == json!(true) {
                    break;
                }
            }
        });
        browser.until(&format!("{} === {whole}", seen(chart)), || twice(browser, "mouse", chart));
    }

    fn by_finger(browser: &Browser) {
        let chart = 1;
        bring(browser, chart);
        let whole = number(browser, &seen(chart));
        drag(browser, "touch", chart, 0.2, 0.7);
        browser.wait(&format!("Math.abs({} / {whole} - 0.5) < 0.02", seen(chart)));
        browser.until(&format!("{} === {whole}", seen(chart)), || twice(browser, "touch", chart));

        // Two fingers, a tenth of the chart apart, move to its edges.
        let finger = |from: f64, to: f64| {
            let (from, to) = (place(browser, chart, from), place(browser, chart, to));
            vec![move_to(from, 0), down(), move_to(to, 100), up()]
        };
        browser.pointers("touch", &[finger(0.45, 0.05), finger(0.55, 0.95)]);
        browser.wait(&format!("Math.abs({} / {whole} - 0.1 / 0.9) < 0.02", seen(chart)));
        browser.run(&format!("{}.click()", button(chart, "whole range")));
        browser.wait(&format!("{} === {whole}", seen(chart)));
    }

    fn by_button(browser: &Browser) {
        let chart = 0;
        bring(browser, chart);
        let picture = format!("{}.querySelector('canvas').toDataURL()", drawing(chart));
        let names = ["points", "points", "log scale", "log scale", "without script", "without script"];
        let first = browser.run(&format!("return {picture}"));
        let mut before = first.clone();
        for name in names {
            let button = button(chart, name);
            let pressed = browser.run(&format!("return {button}.getAttribute('aria-pressed')"));
            browser.run(&format!("{button}.click()"));
            browser.wait(&format!("{button}.getAttribute('aria-pressed') !== {pressed}"));
            browser.run(&format!("window.before = {before}"));
            browser.wait(&format!("{picture} !== window.before && {}", drawn(chart)));
            before = browser.run(&format!("return {picture}"));
        }
        browser.run(&format!("window.before = {first}"));
        browser.wait(&format!("{picture} === window.before"));
        assert_eq!(browser.run(&format!("return {}.disabled", button(chart, "whole range"))), json!(true));
    }

    fn by_key(browser: &Browser) {
        let chart = 2; // also logarithmic along x
        bring(browser, chart);
        let (from, to) = (number(browser, &from(chart)), number(browser, &to(chart)));
        browser.run(&format!("{}.focus({{ preventScroll: true }})", drawing(chart)));
        browser.key("+");
        let quarter = (to / from).sqrt().sqrt();
        browser.wait(&format!("Math.abs({} / {} - 1) < 0.01", self::from(chart), from * quarter));
        browser.wait(&format!("Math.abs({} / {} - 1) < 0.01", self::to(chart), to / quarter));
        for _ in 0..3 {
            browser.key("\u{e014}");
        }
        browser.wait(&format!("Math.abs({} / {to} - 1) < 0.01", self::to(chart)));
        browser.wait(&format!("Math.abs({} / {} - 1) < 0.01", self::from(chart), (to * from).sqrt()));
        browser.wait(&drawn(chart));
        browser.key("0");
        browser.wait(&format!("{} === {from} && {} === {to}", self::from(chart), self::to(chart)));
    }

    /// Checks that hostile names are plain text on the page, and that nothing in them ran.
    fn hostile_names_are_names(browser: &Browser) {
        assert_eq!(number(browser, "document.querySelectorAll('img').length") as u64, 0);
        let own = "[...document.querySelectorAll('.legend button')].at(-1).textContent.trim()";
        assert_eq!(browser.run(&format!("return {own}")), json!(demo::HOSTILE));
        let title = browser.run("return document.querySelector('details h2').textContent");
        assert_eq!(title, json!(demo::HOSTILE));
        // Even an element of such a name would not run: the page allows only its own scripts.
        browser
            .run("document.body.insertAdjacentHTML('beforeend', '<img src=x onerror=\"window.ran = 1\">')");
        browser.until("window.refused > 0", || {
            browser.run(
                "window.refused = (window.refused || 0) + (document.querySelector('img').complete ? 1 : 0)",
            );
        });
        assert_eq!(browser.run("return window.ran || 0"), json!(0));
        assert!(browser.console().iter().any(|line| line.contains("Content Security Policy")));
    }
}
