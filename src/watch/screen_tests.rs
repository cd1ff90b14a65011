use super::{Screen, height};
use crate::watch::history::{View, Watch};
use ratatui_core::backend::TestBackend;
use ratatui_core::style::Color;
use ratatui_core::terminal::Terminal;

/// The state after three samples of a test kernel.
fn view() -> View {
    let mut watch = Watch::default();
    let samples = include_str!("samples/htb.txt").split_inclusive("==> end\n");
    samples.map(|text| watch.add(text).unwrap()).last().unwrap()
}

fn drawn(view: Option<&View>, (width, height): (u16, u16), scroll: usize) -> TestBackend {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let screen = Screen { view, from: "router", scroll };
    terminal.draw(|frame| frame.render_widget(screen, frame.area())).unwrap();
    terminal.backend().clone()
}

#[test]
fn a_screen_matches_the_snapshot() {
    let view = view();
    crate::golden::assert_golden!("screen", drawn(Some(&view), (110, 19), 0).to_string());
    crate::golden::assert_golden!("screen_narrow", drawn(Some(&view), (60, 10), 3).to_string());
}

#[test]
fn drops_and_full_classes_are_coloured() {
    let view = view();
    let screen = drawn(Some(&view), (110, 19), 0);
    let buffer = screen.buffer();
    let colours = |colour: Color| buffer.content().iter().filter(|cell| cell.fg == colour).count();
    assert!(colours(Color::Red) > 0 && colours(Color::Yellow) > 0 && colours(Color::Green) > 0);
}

#[test]
fn the_last_line_says_how_much_is_below() {
    let view = view();
    let text = drawn(Some(&view), (80, 7), 0).to_string();
    assert!(text.contains(&format!("{} more below", height(&view) - 5)), "{text}");
    let text = drawn(Some(&view), (80, 7), height(&view)).to_string();
    assert!(!text.contains("more below"), "{text}");
}

#[test]
fn any_size_of_a_terminal_is_drawn() {
    let view = view();
    for size in [(1, 1), (2, 2), (1, 40), (300, 1), (40, 3)] {
        drawn(Some(&view), size, 1);
        drawn(None, size, 0);
    }
    assert!(drawn(None, (60, 5), 0).to_string().contains("Waiting for the first sample"));
}
