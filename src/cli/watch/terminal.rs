//! The full-screen view of `watch`.

use super::viewer::{Received, Viewer, outcome};
use crate::cli::outcome::Outcome;
use crate::cli::output;
use crate::cli::signals::Postponed;
use crate::watch::{Screen, View, height};
use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use crossterm::style::{Attribute, Print, SetAttribute, SetForegroundColor};
use crossterm::terminal::{self, Clear, ClearType, EnterAlternateScreen, LeaveAlternateScreen};
use crossterm::{execute, queue};
use ratatui_core::buffer::{Buffer, Cell};
use ratatui_core::layout::Rect;
use ratatui_core::style::{Color, Modifier};
use ratatui_core::widgets::Widget as _;
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
    let mut canvas = Canvas::new(output::screen());
    let from = viewer.from();
    let (mut view, mut scroll): (Option<View>, usize) = (None, 0);
    let mut changed = true;
    loop {
        if changed {
            canvas.show(Screen { view: view.as_ref(), from: &from, scroll }, size()?).map_err(failed)?;
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
            let room = size()?.height.saturating_sub(2);
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

/// Returns the area of the terminal. A serial console does not know its size.
fn size() -> Result<Rect, String> {
    let known = |length: u16, usual: u16| if length == 0 { usual } else { length };
    let (width, height) = terminal::size().map_err(|e| format!("cannot use the terminal: {e}"))?;
    Ok(Rect::new(0, 0, known(width, 80), known(height, 24)))
}

/// Draws on a terminal the cells that changed.
struct Canvas<W: Write> {
    output: W,
    shown: Buffer,
}

impl<W: Write> Canvas<W> {
    fn new(output: W) -> Canvas<W> {
        Canvas { output, shown: Buffer::empty(Rect::ZERO) }
    }

    fn show(&mut self, screen: Screen<'_>, area: Rect) -> Result<(), Error> {
        if self.shown.area != area {
            queue!(self.output, Clear(ClearType::All))?;
            self.shown = Buffer::empty(area);
        }
        let mut next = Buffer::empty(area);
        screen.render(area, &mut next);
        let before = std::mem::replace(&mut self.shown, next.clone());
        self.draw(before.diff(&next).into_iter())?;
        self.output.flush()
    }

    fn draw<'a>(&mut self, content: impl Iterator<Item = (u16, u16, &'a Cell)>) -> Result<(), Error> {
        let mut next: Option<(u16, u16)> = None;
        let mut styled: Option<(Color, Modifier)> = None;
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                queue!(self.output, MoveTo(x, y))?;
            }
            if styled != Some((cell.fg, cell.modifier)) {
                self.style(cell)?;
                styled = Some((cell.fg, cell.modifier));
            }
            queue!(self.output, Print(cell.symbol()))?;
            // A wide character moves the cursor further, so the position is set again.
            next = cell.symbol().is_ascii().then(|| (x.saturating_add(1), y));
        }
        queue!(self.output, SetAttribute(Attribute::Reset))
    }

    fn style(&mut self, cell: &Cell) -> Result<(), Error> {
        queue!(self.output, SetAttribute(Attribute::Reset))?;
        if cell.modifier.contains(Modifier::BOLD) {
            queue!(self.output, SetAttribute(Attribute::Bold))?;
        }
        if let Some(colour) = colour(cell.fg) {
            queue!(self.output, SetForegroundColor(colour))?;
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

#[cfg(test)]
#[path = "terminal_tests.rs"]
mod tests;
