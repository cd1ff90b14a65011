use super::{Canvas, Key, pressed};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use ratatui_core::buffer::Cell;
use ratatui_core::style::Color;

#[test]
fn keys_quit_and_scroll() {
    let key = |code, modifiers| pressed(KeyEvent::new(code, modifiers));
    let plain = |code| key(code, KeyModifiers::NONE);
    for code in [KeyCode::Char('q'), KeyCode::Esc] {
        assert_eq!(plain(code), Some(Key::Quit));
    }
    assert_eq!(key(KeyCode::Char('c'), KeyModifiers::CONTROL), Some(Key::Quit));
    assert_eq!(plain(KeyCode::Char('c')), None);
    assert_eq!(plain(KeyCode::Up), Some(Key::Up(1)));
    assert_eq!(plain(KeyCode::End), Some(Key::Down(usize::MAX)));
}

#[test]
fn cells_are_written_with_few_sequences() {
    let mut cell = Cell::new("a");
    cell.fg = Color::Red;
    let wide = Cell::new("界");
    let mut canvas = Canvas::new(Vec::new());
    canvas.draw([(1, 2, &cell), (2, 2, &cell), (3, 2, &wide), (5, 2, &wide)].into_iter()).unwrap();
    let text = String::from_utf8(canvas.output).unwrap();
    assert_eq!(text.matches('H').count(), 2, "{text:?}");
    assert!(text.contains("aa") && text.starts_with("\u{1b}[3;2H"), "{text:?}");
    assert!(text.ends_with("\u{1b}[0m"), "{text:?}");
}
