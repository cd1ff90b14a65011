//! The part of a compilation that all links and variants of a file share.

use crate::budget::{self, Budget};
use crate::diag::{ALLOW_MARK, Code, Diagnostic, FileId, Sink, Sources, Span, Spanned, count};
use crate::layers::{self, Factor, Files, IncludedFiles};
use crate::syntax::{self, YamlValue};

/// A file and those that it includes, as they were read.
#[derive(Debug)]
pub(super) struct Front {
    pub(super) sources: Sources,
    pub(super) own: Option<FileId>,
    pub(super) included: IncludedFiles,
    /// Findings of the reader.
    pub(super) findings: Vec<Diagnostic>,
    /// Comments of the files in which some can suppress findings.
    pub(super) comments: Vec<FileComments>,
    /// Tree with the included files, and its keys and values, if several links or variants use it.
    tree: Option<(YamlValue, usize)>,
    /// Factors of the work.
    factors: Vec<Factor>,
    /// True if an earlier file has used some of the budget.
    is_later: bool,
}

/// Comments of a file.
#[derive(Debug)]
pub(super) struct FileComments {
    pub(super) file: FileId,
    pub(super) comments: Vec<Spanned<String>>,
}

impl Front {
    /// Reads a file and those that it includes. Also returns the tree of the first compilation. `shown` is the name of the
    /// file.
    pub(super) fn read(
        bytes: &[u8],
        shown: &str,
        mut sink: Sink,
        files: &dyn Files,
    ) -> (Front, Option<YamlValue>) {
        let is_later = sink.budget().used().0 > 0;
        let mut sources = Sources::default();
        let own = syntax::load(&mut sources, shown, bytes, &mut sink);
        let tree = own.and_then(|own| syntax::tree(&sources, own, &mut sink));
        let read = tree.map(|tree| layers::with_includes(tree, files, &mut sources, &mut sink));
        let (tree, included) = read.map_or_else(Default::default, |(tree, included)| (Some(tree), included));
        let all = own.into_iter().chain(included.iter().map(|(_, file)| *file));
        let comments = all.filter_map(|file| {
            let may_have = sources.get(file)?.text.contains(ALLOW_MARK);
            may_have.then(|| FileComments { file, comments: syntax::comments(&sources, file) })
        });
        let comments = comments.collect();
        let factors = tree.as_ref().map(layers::factors).unwrap_or_default();
        let shared =
            tree.as_ref().filter(|tree| layers::is_shared(tree)).map(|tree| (tree.clone(), tree.count()));
        let findings = sink.into_sorted();
        (Front { sources, own, included, findings, comments, tree: shared, factors, is_later }, tree)
    }

    /// Returns a copy of the tree for another link or variant.
    pub(super) fn copy(&self, budget: &Budget) -> Option<YamlValue> {
        let (tree, count) = self.tree.as_ref()?;
        budget.charge(*count, budget::COPY).then(|| tree.clone())
    }

    /// Returns the finding that the work is more than the budget, with the factors of the work and their places.
    pub(super) fn beyond_budget(&self) -> Diagnostic {
        let of_reader =
            self.findings.iter().find(|own| own.code == Code::TooLarge && self.factors.is_empty());
        if let Some(of_reader) = of_reader {
            return of_reader.clone();
        }
        let numbers: Vec<String> =
            self.factors.iter().map(|(number, noun, _)| count(*number, noun)).collect();
        let size = self.own.and_then(|own| self.sources.get(own)).map_or(0, |own| own.text.len());
        let product = if numbers.is_empty() { count(size, "byte") } else { numbers.join(" x ") };
        let what = if self.is_later { "this file and the files before it need" } else { "this file needs" };
        let message = format!("{what} more than one run may take: {product}");
        let at = self.factors.first().map_or_else(Span::default, |(.., first)| *first);
        let others = self.factors.iter().skip(1).map(|(number, noun, at)| (*at, count(*number, noun)));
        Diagnostic::new(Code::TooLarge, at, message)
            .label(numbers.into_iter().next().unwrap_or_default())
            .also_at(others)
            .help("describe fewer of them in one file, or check the files in several runs")
    }
}
