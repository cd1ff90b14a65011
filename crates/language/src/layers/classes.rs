//! Presets and templates of classes.

use super::merge::merge;
use super::tree::{entry, entry_mut, name_at};
use crate::diag::{Code, Diagnostic, Sink, Sources, Span, Spanned, or_ticked, ticked, undefined};
use crate::profile::sets;
use crate::syntax::{self, Entry, Node, YamlValue};

/// Class set for a file without `classes`.
const DEFAULT: &str = "home";
/// Largest number of templates inside each other.
const DEEPEST: usize = 8;
/// Largest number of nodes that templates add to a tree.
const MOST: usize = 100_000;

/// Lays the classes of a file on top of the preset and the templates that they name.
pub(super) fn expand(root: &mut YamlValue, sources: &mut Sources, sink: &mut Sink) {
    let templates = entry(root, "templates").map(|templates| templates.value.clone());
    let class_names = entry(root, "classes").map_or_else(Vec::new, |classes| keys(&classes.value));
    let mut expander = Expander { templates, class_names, left: MOST, sources, sink };
    let at = entry(root, "link").map_or(Span { end: root.span.start, ..root.span }, |link| link.key.span);
    let Node::Map(entries) = &mut root.node else { return };
    // Classes that a layer removed are as good as none.
    entries.retain(|entry| entry.key.value != "classes" || entry.value.node != Node::Removed);
    match entries.iter_mut().find(|entry| entry.key.value == "classes") {
        Some(classes) => expander.set(&mut classes.value),
        None => {
            let Some(value) = expander.built_in(DEFAULT) else { return };
            let key = Spanned::new("classes".to_owned(), at);
            entries.push(Entry { key, quoted: false, value });
        }
    }
}

struct Expander<'a> {
    templates: Option<YamlValue>,
    /// Names of the classes at the top, and their places.
    class_names: Vec<(String, Span)>,
    /// Number of nodes that templates may still add.
    left: usize,
    sources: &'a mut Sources,
    sink: &'a mut Sink,
}

impl Expander<'_> {
    /// Expands the value of `classes` at the top.
    fn set(&mut self, classes: &mut YamlValue) {
        // A class may have the name `preset`. Its value is then a mapping.
        if let Some((name, at)) = name_at(classes, "preset")
            && let Some(base) = self.preset(&name, at)
        {
            *classes = merge(base, classes.clone());
        }
        self.classes(classes, &mut Vec::new());
    }

    /// Returns the classes of a template or of a built-in set. After an error, it returns those of the default set.
    fn preset(&mut self, name: &str, at: Span) -> Option<YamlValue> {
        if self.template(name).is_none() {
            return self.built_in(name).or_else(|| {
                self.unknown("class preset", name, at, &sets::names());
                self.built_in(DEFAULT)
            });
        }
        let template = self.named(name, at, &[]);
        let classes = template.as_ref().and_then(|template| entry(template, "classes"));
        if let (Some(_), None) = (&template, classes) {
            let message = format!("the template {} has no `classes`, so it is no preset", ticked(name));
            let help = format!("write `template: {name}` in a class, or `classes` in the template");
            self.sink.push(Diagnostic::new(Code::BadTemplate, at, message).help(help));
        }
        classes.map(|classes| classes.value.clone()).or_else(|| self.built_in(DEFAULT))
    }

    /// Expands the templates of classes, which `open` templates contain.
    fn classes(&mut self, classes: &mut YamlValue, open: &mut Vec<String>) {
        let Node::Map(entries) = &mut classes.node else { return };
        for class in entries {
            self.class(&mut class.value, open);
        }
    }

    fn class(&mut self, class: &mut YamlValue, open: &mut Vec<String>) {
        let name = name_at(class, "template");
        let depth = open.len();
        if let Some((name, at)) = name
            && let Some(template) = self.named(&name, at, open)
        {
            let own = std::mem::replace(&mut class.node, Node::Null);
            let own = YamlValue { node: own, span: class.span, anchored: class.anchored.take() };
            *class = merge(template, own);
            open.push(name);
        }
        if let Some(inner) = entry_mut(class, "classes") {
            self.classes(&mut inner.value, open);
        }
        open.truncate(depth);
    }

    /// Returns a template whose own `template` is expanded.
    fn named(&mut self, name: &str, at: Span, open: &[String]) -> Option<YamlValue> {
        if open.iter().any(|open| open == name) || open.len() == DEEPEST {
            let chain: Vec<String> = open.iter().map(|open| ticked(open)).collect();
            let message = match open.iter().any(|open| open == name) {
                true => format!(
                    "the template {} contains itself, by way of {}",
                    ticked(name),
                    chain.join(" and ")
                ),
                false => format!("templates are nested deeper than {DEEPEST}"),
            };
            self.sink.push(
                Diagnostic::new(Code::BadTemplate, at, message).help("write the classes themselves here"),
            );
            return None;
        }
        let Some(template) = self.template(name) else {
            let Some(known) = self.templates.as_ref().map(keys).filter(|known| !known.is_empty()) else {
                let message = format!("there is no template {}", ticked(name));
                let help = format!("define it: `templates: {{ {name}: {{ classes: {{ ... }} }} }}`");
                let class = self.class_names.iter().find(|(own, _)| own == name);
                let class = class.map(|(_, span)| (*span, "this is a class"));
                self.sink.push(Diagnostic::new(Code::UndefinedName, at, message).also_at(class).help(help));
                return None;
            };
            let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
            self.unknown("template", name, at, &known);
            return None;
        };
        let (nodes, template) = (nodes(template), template.clone());
        let Some(left) = self.left.checked_sub(nodes) else {
            if std::mem::take(&mut self.left) > 0 {
                let message = "the templates of this file make too many classes";
                self.sink.push(
                    Diagnostic::new(Code::TooLarge, at, message)
                        .help("use fewer templates inside each other"),
                );
            }
            return None;
        };
        self.left = left;
        let Some((further, at)) = name_at(&template, "template") else { return Some(template) };
        let open: Vec<String> = open.iter().cloned().chain([name.to_owned()]).collect();
        Some(match self.named(&further, at, &open) {
            Some(base) => merge(base, template),
            None => template,
        })
    }

    fn template(&self, name: &str) -> Option<&YamlValue> {
        let template = &entry(self.templates.as_ref()?, name)?.value;
        (template.node != Node::Removed).then_some(template)
    }

    /// Returns the classes of a built-in set.
    fn built_in(&mut self, name: &str) -> Option<YamlValue> {
        let file = self.sources.add_built_in(format!("profiles/classes/{name}.yaml"), sets::text(name)?);
        let root = syntax::tree(self.sources, file, self.sink)?;
        Some(entry(&root, "classes")?.value.clone())
    }

    fn unknown(&mut self, noun: &str, name: &str, at: Span, known: &[&str]) {
        let listed = || format!("the {noun}s are {}", or_ticked(known.iter().copied()));
        self.sink.push(undefined(noun, &Spanned::new(name.to_owned(), at), known, listed));
    }
}

fn keys(value: &YamlValue) -> Vec<(String, Span)> {
    match &value.node {
        Node::Map(entries) => {
            let there = entries.iter().filter(|entry| entry.value.node != Node::Removed);
            there.map(|entry| (entry.key.value.clone(), entry.key.span)).collect()
        }
        _ => Vec::new(),
    }
}

/// Returns the number of nodes of a tree.
fn nodes(value: &YamlValue) -> usize {
    match &value.node {
        Node::Map(entries) => 1 + entries.iter().map(|entry| nodes(&entry.value)).sum::<usize>(),
        Node::Seq(items) => 1 + items.iter().map(nodes).sum::<usize>(),
        _ => 1,
    }
}

#[cfg(test)]
#[path = "classes_tests.rs"]
mod tests;
