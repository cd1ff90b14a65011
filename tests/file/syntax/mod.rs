//! From the text of a file to its values: the tree, the shape, the profiles and the limits.

#[cfg(test)]
pub mod agreement;
#[cfg(test)]
mod hostile;
#[cfg(test)]
mod profiles;
#[cfg(test)]
mod second_reader;
#[cfg(test)]
mod shape;
#[cfg(test)]
mod tree;

#[cfg(test)]
mod read {
    use qosc_compiler::diag::{Diagnostic, Sink, Sources, Span};
    use qosc_compiler::syntax::{self, Entry, Node, Raw, YamlValue};

    /// The tree of a text, and the findings.
    pub fn tree(text: &str) -> (Option<YamlValue>, Vec<Diagnostic>) {
        let mut sources = Sources::default();
        let file = sources.add("test.yaml", text);
        let mut sink = Sink::default();
        let tree = syntax::tree(&sources, file, &mut sink);
        (tree, sink.into_sorted())
    }

    /// A tree in one line, such as `{a: [1, "2"]}`, with quoted scalars in quotes.
    pub fn flat(value: &YamlValue) -> String {
        match &value.node {
            Node::Null | Node::Removed => "-".to_owned(),
            Node::Unread => "?".to_owned(),
            Node::Scalar { text, quoted: true } => format!("{text:?}"),
            Node::Scalar { text, .. } => text.clone(),
            Node::Seq(items) => format!("[{}]", items.iter().map(flat).collect::<Vec<_>>().join(", ")),
            Node::Map(entries) => {
                let entry = |e: &Entry| format!("{}: {}", e.key.value, flat(&e.value));
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        }
    }

    /// The values of a text, and the findings.
    pub fn raw(text: &str) -> (Option<Raw>, Vec<Diagnostic>) {
        let mut sources = Sources::default();
        let file = sources.add("test.yaml", text);
        let mut sink = Sink::default();
        let raw = syntax::read(&sources, file, &mut sink);
        (raw, sink.into_sorted())
    }

    /// The values of a text without findings.
    pub fn good(text: &str) -> Raw {
        let (raw, found) = raw(text);
        assert_eq!(found, [], "{text}");
        raw.unwrap()
    }

    /// The text of a span.
    pub fn piece(text: &str, span: Span) -> &str {
        text.get(span.start..span.end).unwrap()
    }

    /// The findings, each as a line `Q0102 3:5 the message`.
    pub fn lines(found: &[Diagnostic]) -> Vec<String> {
        found
            .iter()
            .map(|d| {
                let span = d.labels[0].span;
                format!("{} {}:{} {}", d.code, span.line, span.column, d.message)
            })
            .collect()
    }
}
