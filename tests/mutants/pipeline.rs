//! A text through the whole compiler, as every command takes it.

use qosc::check::check;
use qosc::diag::{Allows, Diagnostic, Format, Severity, Sink, Sources, render};
use qosc::lower::lower;
use qosc::model::Model;
use qosc::resolve::resolve;
use qosc::syntax;
use qosc::tc::Program;

/// What came of a text.
pub struct Through {
    pub sources: Sources,
    pub found: Vec<Diagnostic>,
    /// Only where nothing is an error.
    pub made: Option<(Model, Program)>,
}

impl Through {
    pub fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.found.iter().filter(|finding| finding.severity == Severity::Error)
    }

    pub fn is_fine(&self) -> bool {
        self.errors().next().is_none()
    }

    /// All that is said, as it is printed.
    pub fn said(&self) -> String {
        render(&self.found, &self.sources, Format::Human { colour: false })
    }
}

/// Takes a text as far as it goes.
pub fn through(bytes: &[u8]) -> Through {
    let mut sources = Sources::default();
    let mut sink = Sink::default();
    let mut made = None;
    let mut allows = Allows::default();
    if let Some(file) = syntax::load(&mut sources, "home.yaml", bytes, &mut sink) {
        made = syntax::read(&sources, file, &mut sink).and_then(|raw| {
            let model = resolve(&raw, "home", &mut sources, file, &mut sink)?;
            let whole = !sink.has_errors();
            check(&model, &mut sink);
            let program = if whole { lower(&model, &mut sink) } else { None }?;
            Some((model, program))
        });
        allows = Allows::read(&syntax::comments(&sources, file), &sources.get(file).unwrap().text);
    }
    let _ = allows.settle(&mut sink);
    let made = made.filter(|_| !sink.has_errors());
    Through { sources, found: sink.into_sorted(), made }
}
