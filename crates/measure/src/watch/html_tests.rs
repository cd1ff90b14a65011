use super::page;
use crate::watch::history::{ClassHistory, LinkView, Table, View, Watch};

fn view() -> View {
    let mut watch = Watch::default();
    let samples = include_str!("samples/htb.txt").split_inclusive("==> end\n");
    samples.map(|text| watch.add(text).unwrap()).last().unwrap()
}

#[test]
fn a_page_matches_the_snapshot() {
    let text = page(&view(), "router", "Sample 3", Some(1));
    let body = text.split_once("<body>").unwrap().1;
    crate::golden::assert_golden!("page", body);
}

/// Nothing is fetched or run, whatever the file's names are.
#[test]
fn a_page_is_complete_and_harmless() {
    let hostile = "</th><script>alert(1)</script>";
    let rows = vec![ClassHistory { name: hostile.to_owned(), ..ClassHistory::default() }];
    let direction = qosc_compiler::terms::Direction::Up;
    let table = Table { direction, device: hostile.to_owned(), rows };
    let links = vec![LinkView { name: hostile.to_owned(), tables: vec![table] }];
    let text = page(&View { links, ..view() }, hostile, hostile, Some(2));
    assert!(!text.contains("<script") && !text.contains("http:") && !text.contains("https:"), "{text}");
    assert!(text.contains("default-src 'none'"), "{text}");
}

#[test]
fn only_the_last_page_is_not_loaded_again() {
    assert!(page(&view(), "router", "", Some(7)).contains("http-equiv=\"refresh\" content=\"7\""));
    assert!(!page(&view(), "router", "", None).contains("http-equiv=\"refresh\""));
}

#[test]
fn a_stopped_script_is_a_notice() {
    assert!(
        page(&View::default(), "router", "", None)
            .contains("<p class=\"notice\">The script of qosc is stopped.")
    );
}
