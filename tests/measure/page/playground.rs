//! The playground in a real browser. `scripts/playground` builds the page.

use super::webdriver::Browser;
use crate::tools;
use serde_json::{Value, json};
use std::path::PathBuf;

/// Largest program in bytes: more would take too long to load on a phone.
const MOST: u64 = 3_000_000;

/// Keys of WebDriver.
const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const ESCAPE: &str = "\u{e00c}";
const END: &str = "\u{e010}";
const HOME: &str = "\u{e011}";
const LEFT: &str = "\u{e012}";
const UP: &str = "\u{e013}";
const RIGHT: &str = "\u{e014}";

/// The text in the editor. It contains all lines only if they fit on the screen.
const TEXT: &str = "[...document.querySelectorAll('.cm-line')].map(line => line.textContent).join('\\n')";
const COUNT: &str = "document.getElementById('count').textContent";
const FOCUSED: &str = "document.activeElement";

/// Returns the page, or `None` if there is none. The tools that build it are not available everywhere, so that is no
/// failure.
fn built() -> Option<PathBuf> {
    if let Ok(reason) = std::fs::read_to_string(tools::kept("playground/missing")) {
        tools::note("playground", &format!("the tests of the playground: {}", reason.trim()));
        return None;
    }
    tools::found(&["playground"]).then(|| tools::kept("playground/index.html"))
}

/// Opens the page with this part of the address after `#`, and waits for the first result.
fn show(browser: &Browser, page: &str) {
    // A page does not load again if only the part after `#` differs.
    browser.devtools("Page.navigate", &json!({ "url": "about:blank" }));
    browser.wait("location.href === 'about:blank'");
    browser.show(page.as_ref());
    browser.wait("document.body.dataset.shown");
}

fn text_of(browser: &Browser, expression: &str) -> String {
    browser.run(&format!("return String({expression})")).as_str().expect("a text").to_owned()
}

/// Runs a script that changes something, and waits for the next result.
fn change(browser: &Browser, script: &str) {
    let before = text_of(browser, "document.body.dataset.shown");
    browser.run(script);
    browser.wait(&format!("Number(document.body.dataset.shown) > {before}"));
}

fn choose(browser: &Browser, example: &str) {
    let list = "document.getElementById('examples')";
    change(browser, &format!("{list}.value = '{example}'; {list}.dispatchEvent(new Event('change'))"));
}

fn type_keys(browser: &Browser, keys: &[&str]) {
    for key in keys {
        browser.key(key);
    }
}

fn type_text(browser: &Browser, text: &str) {
    for letter in text.chars() {
        browser.key(&letter.to_string());
    }
}

#[test]
fn the_playground_checks_and_compiles_in_a_browser() {
    let Some(page) = built() else { return };
    let size = std::fs::metadata(tools::kept("playground/qosc.wasm")).expect("the program").len();
    assert!(size <= MOST, "the program has {size} bytes");
    let Some(browser) = Browser::open() else { return };
    let page = page.display().to_string();
    browser.screen(1280, 800, false);
    show(&browser, &page);
    report(&format!("first result after {} ms", text_of(&browser, "document.body.dataset.first")));
    a_mistake_is_found_and_fixed(&browser);
    a_link_carries_the_text(&browser, &page);
    every_example_has_every_result(&browser);
    the_form_and_the_tabs_work_by_key(&browser, &page);
    a_reader_can_end_a_run(&browser, &page);
    assert_eq!(browser.console(), [""; 0]);
    a_phone_shows_all(&browser, &page);
    nothing_leaves_the_page(&browser);
}

/// Times are never asserted, only printed.
#[expect(clippy::disallowed_methods, reason = "the macros of the standard library hide their output")]
fn report(words: &str) {
    use std::io::Write as _;
    let _ = writeln!(std::io::stderr(), "playground: {words}");
}

fn a_mistake_is_found_and_fixed(browser: &Browser) {
    choose(browser, "smallest");
    assert_eq!(text_of(browser, COUNT), "No findings");
    browser.run("document.querySelector('.cm-content').focus()");
    type_keys(browser, &[ENTER, UP]);
    type_text(browser, "naem: x");
    browser.wait("document.querySelectorAll('#list li.error').length === 1");
    browser.wait("document.querySelector('.cm-lintRange-error')?.textContent === 'naem'");
    browser.wait("document.querySelector('.cm-lint-marker-error')");
    assert_eq!(text_of(browser, COUNT), "1 error");
    assert!(text_of(browser, "document.getElementById('result').textContent").contains("error[Q"));
    change(
        browser,
        "[...document.querySelectorAll('#list button')].find(it => it.textContent.startsWith('Fix')).click()",
    );
    assert_eq!(text_of(browser, COUNT), "No findings");
    assert!(text_of(browser, TEXT).starts_with("name: x\n"));
    // Below `link`, the schema offers its keys.
    browser.run("document.querySelector('.cm-content').focus()");
    type_keys(browser, &[END, ENTER]);
    type_text(browser, "link: { prof");
    browser.wait(
        "[...document.querySelectorAll('.cm-tooltip-autocomplete li')].some(it => it.textContent === 'profile')",
    );
    browser.key(ESCAPE);
}

fn a_link_carries_the_text(browser: &Browser, page: &str) {
    choose(browser, "smallest");
    let text = text_of(browser, TEXT);
    browser.run("document.getElementById('link').click()");
    browser.wait("location.hash.length > 1 && document.getElementById('note').textContent");
    let hash = text_of(browser, "location.hash");
    show(browser, page);
    assert_ne!(text_of(browser, TEXT), text);
    show(browser, &format!("{page}{hash}"));
    assert_eq!(text_of(browser, TEXT), text);
    show(browser, &format!("{page}#damaged"));
    browser.wait("document.getElementById('note').textContent === 'The link is damaged.'");
}

fn every_example_has_every_result(browser: &Browser) {
    let names = browser.run("return [...document.getElementById('examples').options].map(it => it.value)");
    let names: Vec<&str> = names
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .filter(|it| !it.is_empty())
        .collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        choose(browser, name);
        assert_eq!(text_of(browser, COUNT), "No findings", "{name}");
        for tab in ["Picture", "Explanation", "Script", "Packet", "Changes"] {
            change(browser, &format!("document.getElementById('tab-{tab}').click()"));
            has_result(browser, &format!("{name}, {tab}"));
            let control = match tab {
                "Explanation" => "querySelector('#options input')",
                "Script" => "querySelector('#options select')",
                _ => continue,
            };
            for other in [true, false] {
                change(
                    browser,
                    &format!(
                        "const it = document.{control}; it.checked = {other}; it.selectedIndex = Number({other}); \
                         it.dispatchEvent(new Event('input'))"
                    ),
                );
                has_result(browser, &format!("{name}, {tab}, {other}"));
            }
        }
    }
}

fn has_result(browser: &Browser, case: &str) {
    let wrong = text_of(browser, "document.querySelector('.wrong')?.parentNode.textContent ?? ''");
    assert_eq!(wrong, "", "{case}");
    browser.wait(
        "document.querySelector('#result pre')?.textContent || document.querySelector('#result img')?.naturalWidth",
    );
}

fn the_form_and_the_tabs_work_by_key(browser: &Browser, page: &str) {
    show(browser, page);
    // Tab reaches everything in this order, and the focus can be seen.
    for id in ["examples", "begin", "link"] {
        browser.key(TAB);
        focus_is_seen(browser, &format!("{FOCUSED}.id === '{id}'"));
    }
    browser.key(TAB);
    focus_is_seen(browser, &format!("{FOCUSED}.matches('.cm-content')"));
    let before = text_of(browser, TEXT);
    browser.key(TAB);
    browser.wait(&format!("{TEXT} !== {}", json!(before)));
    browser.wait(&format!("{FOCUSED}.matches('.cm-content')"));
    type_keys(browser, &[ESCAPE, TAB]);
    focus_is_seen(browser, &format!("{FOCUSED}.id === 'tab-Picture'"));
    for (key, tab) in [
        (RIGHT, "Explanation"),
        (RIGHT, "Script"),
        (LEFT, "Explanation"),
        (END, "Changes"),
        (HOME, "Picture"),
    ] {
        browser.key(key);
        focus_is_seen(
            browser,
            &format!("{FOCUSED}.id === 'tab-{tab}' && {FOCUSED}.getAttribute('aria-selected') === 'true'"),
        );
    }
    // The form opens with its first field, and Esc closes it.
    browser.run("document.getElementById('begin').focus()");
    browser.key(ENTER);
    browser.wait(&format!("{FOCUSED}.name === 'profile'"));
    browser.key(ESCAPE);
    browser.wait(&format!("{FOCUSED}.id === 'begin' && document.getElementById('form').hidden"));
    browser.key(ENTER);
    for text in ["wan7", "5mbit", "20mbits"] {
        browser.key(TAB);
        type_text(browser, text);
    }
    browser.key(ENTER);
    browser.wait("document.getElementById('refused').textContent.includes('20mbits')");
    browser.key("\u{e003}");
    browser.key(ENTER);
    browser.wait(&format!("{TEXT}.includes('device: wan7') && {COUNT}.match('error') === null"));
    let unnamed = browser.run(
        "return [...document.querySelectorAll('button, select, input, [tabindex=\"0\"], [role=textbox]')]\
         .filter(it => !it.textContent.trim() && !it.labels?.length && !it.ariaLabel && it.id !== 'result')\
         .map(it => it.outerHTML.slice(0, 80))",
    );
    assert_eq!(unnamed, json!([]), "without a label");
}

/// The test lets each call run two thousand times, so that the thread is busy.
fn a_reader_can_end_a_run(browser: &Browser, page: &str) {
    const STOP: &str = "document.getElementById('stop')";
    show(browser, page);
    let shown = text_of(browser, "document.body.dataset.shown");
    browser.run(
        "window.post = Worker.prototype.postMessage; \
         Worker.prototype.postMessage = function (call) { \
           for (let n = 0; n < 2000; n++) window.post.call(this, call); \
         }; \
         document.getElementById('tab-Script').click()",
    );
    browser.wait(&format!("!{STOP}.hidden"));
    browser.run(&format!("Worker.prototype.postMessage = window.post; {STOP}.click()"));
    assert!(text_of(browser, COUNT).starts_with("Stopped."));
    assert_eq!(text_of(browser, &format!("{STOP}.hidden")), "true");
    assert_eq!(text_of(browser, "document.body.dataset.shown"), shown);
    change(browser, "document.getElementById('tab-Explanation').click()");
    assert_eq!(text_of(browser, COUNT), "No findings");
    has_result(browser, "after a stop");
}

fn focus_is_seen(browser: &Browser, expression: &str) {
    browser.wait(expression);
    browser.wait(&format!(
        "getComputedStyle({FOCUSED}.closest('.cm-editor') ?? {FOCUSED}).outlineStyle !== 'none'"
    ));
}

fn a_phone_shows_all(browser: &Browser, page: &str) {
    browser.screen(390, 844, true);
    for scheme in ["light", "dark"] {
        let feature = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        browser.devtools("Emulation.setEmulatedMedia", &feature);
        show(browser, page);
        browser.run("document.getElementById('begin').click()");
        for tab in ["Picture", "Explanation", "Script", "Packet", "Changes"] {
            change(browser, &format!("document.getElementById('tab-{tab}').click()"));
            has_result(browser, tab);
            browser.wait("document.documentElement.scrollWidth <= innerWidth");
            let narrow = browser.run(
                "return [...document.querySelectorAll('button, select, input:not([type=checkbox])')]\
                 .filter(it => { const { left, right, height } = it.getBoundingClientRect(); \
                 return height && !it.closest('.cm-editor') && (height < 44 || left < 0 || right > innerWidth); })\
                 .map(it => it.outerHTML.slice(0, 80))",
            );
            assert_eq!(narrow, json!([]), "too small for a finger or outside of the screen");
        }
        let small = browser.run(
            "return [...document.querySelectorAll('body *')].filter(it => it.childNodes.length \
             && it.checkVisibility() && !it.closest('.cm-gutters') \
             && parseFloat(getComputedStyle(it).fontSize) < 14).map(it => it.outerHTML.slice(0, 80))",
        );
        assert_eq!(small, json!([]), "smaller than 14 pixels");
    }
    assert_eq!(browser.console(), [""; 0]);
}

/// Checks that the page loaded nothing, and that it cannot.
fn nothing_leaves_the_page(browser: &Browser) {
    let loaded = browser.run(
        "return performance.getEntriesByType('resource').map(it => it.name)\
         .filter(it => !it.startsWith('blob:') && !it.startsWith('data:'))",
    );
    assert_eq!(loaded, json!([]));
    browser.run(
        "window.refused = []; \
         document.addEventListener('securitypolicyviolation', it => window.refused.push(it.effectiveDirective)); \
         fetch('https://qosc.invalid/').catch(() => {}); \
         navigator.sendBeacon('https://qosc.invalid/', 'text'); \
         new Image().src = 'https://qosc.invalid/one.png'; \
         document.head.append(Object.assign(document.createElement('script'), { textContent: 'window.ran = 1' }))",
    );
    browser.wait("new Set(window.refused).size === 3");
    assert_eq!(
        browser.run("return [...new Set(window.refused)].sort()"),
        json!(["connect-src", "img-src", "script-src-elem"])
    );
    assert_eq!(browser.run("return window.ran ?? 0"), json!(0));
}
