//! Builds a tree from the parser's events, within the limits.

use super::mapping::{self, Key};
use super::stop::{MAX_DEPTH, Stop, Stuck, too_deep};
use crate::budget;
use crate::diag::{Code, Diagnostic, FileId, Span};
use crate::syntax::fields::ALL_BUT;
use crate::syntax::findings::Findings;
use crate::syntax::node::{Entry, Node, YamlValue};
use crate::syntax::quote::quote;
use serde_saphyr::granit_parser::{Event, ScalarStyle, StructureStyle, Tag};
use std::collections::BTreeMap;

/// A collection that is still open.
enum Frame {
    Seq(Vec<YamlValue>),
    Map { entries: Vec<Entry>, key: Option<Key> },
}

/// An open collection with its beginning and its anchor (0 for none).
struct Open {
    frame: Frame,
    start: Span,
    flow: bool,
    anchor: usize,
}

/// Target of an anchor, and the size that each use adds.
struct Anchored {
    value: YamlValue,
    size: Size,
}

/// Size of a tree.
#[derive(Clone, Copy, Default)]
struct Size {
    nodes: usize,
    bytes: usize,
    depth: usize,
}

/// Builds the tree from events.
pub(super) struct Builder<'t, 'f, 's> {
    text: &'t str,
    file: FileId,
    found: &'f mut Findings<'s>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Anchored>,
    documents: usize,
    scalar: Option<Span>,
    root: Option<YamlValue>,
}

impl<'t, 'f, 's> Builder<'t, 'f, 's> {
    pub(super) fn new(text: &'t str, file: FileId, found: &'f mut Findings<'s>) -> Self {
        Builder {
            text,
            file,
            found,
            open: Vec::new(),
            anchors: BTreeMap::new(),
            documents: 0,
            scalar: None,
            root: None,
        }
    }

    /// Adds the next event.
    pub(super) fn event(&mut self, event: Event<'_>, span: Span) -> Result<(), Stop> {
        match event {
            Event::DocumentStart(..) => self.document(span),
            Event::Scalar(text, style, anchor, tag) => {
                let tagged = self.tag(tag.as_deref(), span);
                let quoted = tagged || style != ScalarStyle::Plain;
                self.charge(Size { nodes: 1, bytes: text.len(), depth: 0 }, span)?;
                self.scalar = Some(span);
                if !quoted {
                    self.disputed(&text, span);
                }
                // The parser gives an empty place for a missing value; `~` has one byte.
                let node = if !quoted && span.start == span.end {
                    if tag.is_some() { Node::Unread } else { Node::Null }
                } else {
                    Node::Scalar { text: self.without_added_break(text.into_owned(), span, style), quoted }
                };
                self.complete(YamlValue { node, span: self.trimmed(span, style), anchored: None }, anchor)
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.tag(tag.as_deref(), span);
                self.start(Frame::Seq(Vec::new()), style, anchor, span)
            }
            Event::MappingStart(style, anchor, tag) => {
                self.tag(tag.as_deref(), span);
                self.start(Frame::Map { entries: Vec::new(), key: None }, style, anchor, span)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(id) => self.alias(id, span),
            Event::UnresolvedAlias(name) => {
                self.charge(Size { nodes: 1, bytes: 0, depth: 0 }, span)?;
                let message = format!("no anchor `&{}` is defined above this alias", quote(&name));
                self.found.push(
                    Diagnostic::new(Code::Syntax, span, message)
                        .help(format!("write `&{}` before the value that the alias stands for", quote(&name)))
                        .help("if the `*` is part of the value, put the value in quotes"),
                );
                self.complete(YamlValue { node: Node::Unread, span, anchored: None }, 0)
            }
            _ => Ok(()),
        }
    }

    /// Returns the reading position, for the message about the failure.
    pub(super) fn stuck(&self) -> Stuck {
        let bracket = self.open.iter().rev().find(|open| open.flow).map(|open| open.start);
        Stuck { bracket, scalar: self.scalar }
    }

    /// Returns the tree; reports a text without contents.
    pub(super) fn finish(self) -> Option<YamlValue> {
        if self.root.is_none() {
            let start = Span { file: self.file, start: 0, end: 0, line: 1, column: 1 };
            self.found.push(
                Diagnostic::new(Code::MissingKey, start, "the file has no content")
                    .help(crate::syntax::limits::SMALLEST_FILE_HELP),
            );
        }
        self.root
    }

    fn document(&mut self, span: Span) -> Result<(), Stop> {
        self.documents += 1;
        if self.documents == 1 {
            return Ok(());
        }
        self.found.push(
            Diagnostic::new(Code::Syntax, span, "a second document begins here")
                .help("one file describes one link: move the second document into a file of its own"),
        );
        Err(Stop::Whole)
    }

    fn start(&mut self, frame: Frame, style: StructureStyle, anchor: usize, span: Span) -> Result<(), Stop> {
        if self.open.len() >= MAX_DEPTH {
            return self.too_deep(span);
        }
        // A mapping has room for four entries at least.
        let nodes = if matches!(frame, Frame::Map { .. }) { 4 } else { 1 };
        self.charge(Size { nodes, bytes: 0, depth: 0 }, span)?;
        self.open.push(Open { frame, start: span, flow: style == StructureStyle::Flow, anchor });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), Stop> {
        let Some(open) = self.open.pop() else { return Ok(()) };
        let last = match &open.frame {
            Frame::Seq(items) => items.last().map(|item| item.span.end),
            Frame::Map { entries, .. } => entries.last().map(|entry| entry.value.span.end),
        };
        // A block ends where its last value ends; the parser gives the beginning of the next element.
        let end = if open.flow { span.end } else { last.unwrap_or(open.start.end) };
        let whole = Span { end: end.max(open.start.end), ..open.start };
        let node = match open.frame {
            Frame::Seq(items) => Node::Seq(items),
            Frame::Map { entries, .. } => Node::Map(mapping::settle(entries, self.found)),
        };
        self.complete(YamlValue { node, span: whole, anchored: None }, open.anchor)
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<(), Stop> {
        let Some(anchored) = self.anchors.get(&id) else {
            self.found.push(
                Diagnostic::new(Code::Syntax, span, "this alias stands for a value that contains the alias")
                    .help("write the value out"),
            );
            return Err(Stop::Broken);
        };
        let (size, defined) = (anchored.size, anchored.value.span);
        if self.open.len() + size.depth > MAX_DEPTH {
            return self.too_deep(span);
        }
        self.charge(size, span)?;
        let Some(anchored) = self.anchors.get(&id) else { return Ok(()) };
        let node = anchored.value.node.clone();
        self.complete(YamlValue { node, span, anchored: Some(Box::new(defined)) }, 0)
    }

    /// Adds a value to the innermost open collection.
    fn complete(&mut self, value: YamlValue, anchor: usize) -> Result<(), Stop> {
        if anchor != 0 {
            let size = size(&value.node);
            self.charge(size, value.span)?;
            self.anchors.insert(anchor, Anchored { value: value.clone(), size });
        }
        match self.open.last_mut().map(|open| &mut open.frame) {
            None => self.root = Some(value),
            Some(Frame::Seq(items)) => items.push(value),
            Some(Frame::Map { entries, key }) => match key.take() {
                None => *key = Some(Key::new(value, self.found)),
                Some(Key::Usable { key, quoted }) => entries.push(Entry::new(key, quoted, value)),
                Some(Key::Unusable) => {}
            },
        }
        Ok(())
    }

    /// Charges a value, and stops beyond the budget. The target of an alias counts at each use.
    fn charge(&mut self, size: Size, span: Span) -> Result<(), Stop> {
        if self.found.charge(size.nodes, budget::NODE) && self.found.charge(size.bytes / 16, budget::TEXT) {
            return Ok(());
        }
        let help = match self.anchors.is_empty() {
            true => "check that this is the right file",
            false => "each use of an alias counts in full: use fewer aliases",
        };
        let message = "the keys and values up to here need more than one run may take";
        self.found.push(Diagnostic::new(Code::TooLarge, span, message).help(help));
        Err(Stop::Broken)
    }

    fn too_deep(&mut self, span: Span) -> Result<(), Stop> {
        too_deep(span, self.found);
        Err(Stop::Broken)
    }

    /// Returns `true` if a tag means text; reports any other tag.
    fn tag(&mut self, tag: Option<&Tag>, span: Span) -> bool {
        let Some(tag) = tag else { return false };
        let text = tag.core_suffix() == Some("str");
        if !text {
            let name = quote(&format!("{}{}", tag.original_handle(), tag.suffix()));
            let finding =
                Diagnostic::new(Code::WrongType, span, format!("the tag `{name}` is not supported"));
            // `!443` is meant as all ports but one
            self.found.push(match tag.original_handle() == "!" && span.start == span.end {
                true => finding.help(ALL_BUT),
                false => finding.help("remove the tag; to make a value text, put it in quotes"),
            });
        }
        text
    }

    /// Reports a plain scalar that does not begin or end at the same place for all readers.
    fn disputed(&mut self, text: &str, span: Span) {
        let Some(first @ (':' | '?')) = text.chars().next() else { return };
        if span.start < span.end && self.open.iter().any(|open| open.flow) {
            let message =
                format!("YAML readers disagree about a value in brackets that begins with `{first}`");
            let finding = Diagnostic::new(Code::AmbiguousScalar, span, message);
            let fix = crate::syntax::field::in_quotes(text, span);
            self.found.push(finding.help(format!("write `\"{}\"`", quote(text))).fix(fix));
        }
    }

    /// Removes the line break that the parser adds to a block of text at the end of a file without one (YAML 1.2,
    /// section 8.1.1.2).
    fn without_added_break(&self, mut text: String, span: Span, style: ScalarStyle) -> String {
        let block = matches!(style, ScalarStyle::Literal | ScalarStyle::Folded);
        if block && span.end == self.text.len() && !self.text.ends_with(['\n', '\r']) && text.ends_with('\n')
        {
            text.pop();
        }
        text
    }

    /// Returns the place of a scalar without the line breaks and blanks after a block of text.
    fn trimmed(&self, span: Span, style: ScalarStyle) -> Span {
        if !matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            return span;
        }
        let text = self.text.get(span.start..span.end).unwrap_or("");
        Span { end: span.start + text.trim_end().len(), ..span }
    }
}

/// Returns the size of a tree.
fn size(node: &Node) -> Size {
    let inside = |sum: Size, value: &YamlValue, key: usize| {
        let inner = size(&value.node);
        Size {
            nodes: sum.nodes + inner.nodes + usize::from(key > 0),
            bytes: sum.bytes + inner.bytes + key,
            depth: sum.depth.max(inner.depth + 1),
        }
    };
    let one = Size { nodes: 1, bytes: 0, depth: 0 };
    match node {
        Node::Null | Node::Removed | Node::Unread => one,
        Node::Scalar { text, .. } => Size { bytes: text.len(), ..one },
        Node::Seq(items) => items.iter().fold(Size { depth: 1, ..one }, |sum, item| inside(sum, item, 0)),
        Node::Map(entries) => entries.iter().fold(Size { depth: 1, ..one }, |sum, entry| {
            inside(sum, &entry.value, entry.key.value.len().max(1))
        }),
    }
}
