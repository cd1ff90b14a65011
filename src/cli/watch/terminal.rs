//! The full-screen view of `watch`.

use super::viewer::{Received, Viewer, outcome};
use crate::cli::outcome::Outcome;
use crate::cli::output;
use crate::cli::signals::Postponed;
use crate::watch::{Screen, View, height};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, Print, SetAttribute, SetForegroundColor};
use crossterm::terminal::{self, Clear, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};
use ratatui_core::backend::{Backend, ClearType, WindowSize};
use ratatui_core::buffer::Cell;
use ratatui_core::layout::{Position, Size};
use ratatui_core::style::{Color, Modifier};
use ratatui_core::terminal::Terminal;
use std::io::{Error, Write};
use std::time::Duration;

/// Longest time until a key, a signal or a new size of the terminal takes effect.
const PACE: Duration = Duration::from_millis(50);
/// Lines that a page key scrolls.
const PAGE: usize = 10;

/// Shows samples until the user ends it, the samples end, or a signal comes. The terminal is as before then.
pub(super) fn show(viewer: &mut Viewer<'_>) -> Result<Outcome, String> {
    // A signal takes its effect after the terminal is restored.
    let signals = Postponed::begin();
    let restored = Restored::begin().map_err(|e| format!("cannot use the terminal: {e}"))?;
    let shown = looped(viewer, &signals);
    drop(restored);
    // The signal may end this program, which must not leave an ssh behind.
    viewer.stop();
    drop(signals);
    shown
}

fn looped(viewer: &mut Viewer<'_>, signals: &Postponed) -> Result<Outcome, String> {
    let failed = |e: Error| format!("cannot use the terminal: {e}");
    let mut terminal = Terminal::new(Canvas(output::screen())).map_err(failed)?;
    let from = viewer.from();
    let (mut view, mut scroll): (Option<View>, usize) = (None, 0);
    let mut changed = true;
    loop {
        if changed {
            let screen = Screen { view: view.as_ref(), from: &from, scroll };
            terminal.draw(|frame| frame.render_widget(screen, frame.area())).map_err(failed)?;
        }
        changed = false;
        match viewer.next(Some(Duration::ZERO))? {
            Received::View(new) => {
                view = Some(new);
                changed = true;
            }
            Received::Nothing => {}
            Received::End(ended) => return outcome(ended),
        }
        if signals.came() {
            return Ok(Outcome::Fine);
        }
        if !event::poll(PACE).map_err(failed)? {
            continue;
        }
        changed = true;
        if let Event::Key(key) = event::read().map_err(failed)?
            && key.kind != KeyEventKind::Release
        {
            let room = terminal.size().map_err(failed)?.height.saturating_sub(2);
            let most = view.as_ref().map_or(0, height).saturating_sub(usize::from(room));
            match pressed(key) {
                Some(Key::Quit) => return Ok(Outcome::Fine),
                Some(Key::Up(lines)) => scroll = scroll.saturating_sub(lines),
                Some(Key::Down(lines)) => scroll = scroll.saturating_add(lines).min(most),
                None => {}
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Quit,
    Up(usize),
    Down(usize),
}

fn pressed(key: KeyEvent) -> Option<Key> {
    match key.code {
        KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => Some(Key::Quit),
        KeyCode::Char('q') | KeyCode::Esc => Some(Key::Quit),
        KeyCode::Up | KeyCode::Char('k') => Some(Key::Up(1)),
        KeyCode::Down | KeyCode::Char('j') => Some(Key::Down(1)),
        KeyCode::PageUp => Some(Key::Up(PAGE)),
        KeyCode::PageDown | KeyCode::Char(' ') => Some(Key::Down(PAGE)),
        KeyCode::Home => Some(Key::Up(usize::MAX)),
        KeyCode::End => Some(Key::Down(usize::MAX)),
        _ => None,
    }
}

/// While this exists, the terminal shows our screen and passes keys on unchanged. A panic restores the terminal before
/// its message.
struct Restored;

impl Restored {
    fn begin() -> Result<Restored, Error> {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            restore();
            before(panic);
        }));
        terminal::enable_raw_mode()?;
        let restored = Restored;
        let mut screen = output::screen();
        execute!(screen, EnterAlternateScreen, Hide)?;
        Ok(restored)
    }
}

impl Drop for Restored {
    fn drop(&mut self) {
        restore();
    }
}

fn restore() {
    let mut screen = output::screen();
    // A signal may end the program next, so nothing may stay in a buffer.
    let _as_far = queue!(screen, Show, LeaveAlternateScreen).and_then(|()| screen.flush());
    let _as_far = terminal::disable_raw_mode();
}

/// Draws cells on a terminal.
struct Canvas<W: Write>(W);

impl<W: Write> Canvas<W> {
    fn style(&mut self, cell: &Cell) -> Result<(), Error> {
        queue!(self.0, SetAttribute(Attribute::Reset))?;
        if cell.modifier.contains(Modifier::BOLD) {
            queue!(self.0, SetAttribute(Attribute::Bold))?;
        }
        if let Some(colour) = colour(cell.fg) {
            queue!(self.0, SetForegroundColor(colour))?;
        }
        Ok(())
    }
}

/// Returns the colours that the view uses. crossterm leaves them out if `NO_COLOR` is set.
fn colour(colour: Color) -> Option<crossterm::style::Color> {
    use crossterm::style::Color as Crossterm;
    match colour {
        Color::Red => Some(Crossterm::DarkRed),
        Color::Green => Some(Crossterm::DarkGreen),
        Color::Yellow => Some(Crossterm::DarkYellow),
        Color::Cyan => Some(Crossterm::DarkCyan),
        _ => None,
    }
}

impl<W: Write> Backend for Canvas<W> {
    type Error = Error;

    fn draw<'a, I: Iterator<Item = (u16, u16, &'a Cell)>>(&mut self, content: I) -> Result<(), Error> {
        let mut next: Option<(u16, u16)> = None;
        let mut styled: Option<(Color, Modifier)> = None;
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                queue!(self.0, MoveTo(x, y))?;
            }
            if styled != Some((cell.fg, cell.modifier)) {
                self.style(cell)?;
                styled = Some((cell.fg, cell.modifier));
            }
            queue!(self.0, Print(cell.symbol()))?;
            // A wide character moves the cursor further, so the position is set again.
            next = cell.symbol().is_ascii().then(|| (x.saturating_add(1), y));
        }
        queue!(self.0, SetAttribute(Attribute::Reset))
    }

    fn hide_cursor(&mut self) -> Result<(), Error> {
        execute!(self.0, Hide)
    }

    fn show_cursor(&mut self) -> Result<(), Error> {
        execute!(self.0, Show)
    }

    fn get_cursor_position(&mut self) -> Result<Position, Error> {
        crossterm::cursor::position().map(|(x, y)| Position { x, y })
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> Result<(), Error> {
        let Position { x, y } = position.into();
        execute!(self.0, MoveTo(x, y))
    }

    fn clear(&mut self) -> Result<(), Error> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> Result<(), Error> {
        use crossterm::terminal::ClearType as Region;
        let region = match region {
            ClearType::All => Region::All,
            ClearType::AfterCursor => Region::FromCursorDown,
            ClearType::BeforeCursor => Region::FromCursorUp,
            ClearType::CurrentLine => Region::CurrentLine,
            ClearType::UntilNewLine => Region::UntilNewLine,
        };
        execute!(self.0, Clear(region))
    }

    fn size(&self) -> Result<Size, Error> {
        // A serial console does not know its size.
        let known = |length: u16, usual: u16| if length == 0 { usual } else { length };
        terminal::size().map(|(width, height)| Size { width: known(width, 80), height: known(height, 24) })
    }

    fn window_size(&mut self) -> Result<WindowSize, Error> {
        let columns_rows = self.size()?;
        Ok(WindowSize { columns_rows, pixels: Size { width: 0, height: 0 } })
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.0.flush()
    }
}

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;
