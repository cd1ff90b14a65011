//! Presets and templates of classes.

use super::merge::merge;
use super::tree::{entry, entry_mut, name_at};
use crate::budget;
use crate::diag::{Code, Diagnostic, Sink, Sources, Span, Spanned, some_ticked, ticked, undefined};
use crate::profile::sets;
use crate::syntax::{self, Entry, Node, YamlValue};
use std::collections::BTreeMap;

/// Class set for a file without `classes`.
const DEFAULT: &str = "home";
/// Number of names that a message lists.
const LISTED: usize = 8;
/// Largest number of templates inside each other.
const DEEPEST: usize = 8;

/// Lays the classes of a file on top of the preset and the templates that they name.
pub(super) fn expand(root: &mut YamlValue, sources: &mut Sources, sink: &mut Sink) {
    // The templates stay where they are, apart from the time of their use.
    let taken = entry_mut(root, "templates").map(|own| {
        let empty = YamlValue { node: Node::Null, span: own.value.span, anchored: None };
        std::mem::replace(&mut own.value, empty)
    });
    let templates = taken.as_ref().map_or(&[][..], entries);
    lay(root, by_name(templates, |entry| &entry.value), sources, sink);
    if let (Some(own), Some(taken)) = (entry_mut(root, "templates"), taken) {
        own.value = taken;
    }
}

fn lay(root: &mut YamlValue, templates: Templates<'_>, sources: &mut Sources, sink: &mut Sink) {
    let classes = entry(root, "classes").map_or(&[][..], |classes| entries(&classes.value));
    let class_names = by_name(classes, |entry| entry.key.span).into_iter();
    let class_names = class_names.map(|(name, span)| (name.to_owned(), span)).collect();
    let names = templates.keys().copied().collect();
    let mut expander = Expander { templates, names, class_names, sources, sink };
    let at = entry(root, "link").map_or(Span { end: root.span.start, ..root.span }, |link| link.key.span);
    let Node::Map(entries) = &mut root.node else { return };
    // Classes that a layer removed are as good as none.
    entries.retain(|entry| entry.key.value != "classes" || entry.value.node != Node::Removed);
    match entries.iter_mut().find(|entry| entry.key.value == "classes") {
        Some(classes) => expander.set(&mut classes.value),
        None => {
            let Some(value) = expander.built_in(DEFAULT) else { return };
            let key = Spanned::new("classes".to_owned(), at);
            entries.push(Entry::new(key, false, value));
        }
    }
}

/// Templates by their names.
type Templates<'a> = BTreeMap<&'a str, &'a YamlValue>;

struct Expander<'a> {
    templates: Templates<'a>,
    /// Names of the templates.
    names: Vec<&'a str>,
    /// Places of the classes at the top by their names.
    class_names: BTreeMap<String, Span>,
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
        if !self.templates.contains_key(name) {
            return self.built_in(name).or_else(|| {
                unknown("class preset", name, at, &sets::names(), self.sink);
                self.built_in(DEFAULT)
            });
        }
        let template = self.named(name, at, &[]);
        let classes = template.as_ref().and_then(|template| entry(template, "classes"));
        // The reader tells of classes that stand in a template directly.
        let is_set = |own: &YamlValue| entries(own).iter().all(|own| matches!(own.value.node, Node::Map(_)));
        if let (Some(own), None) = (&template, classes)
            && !is_set(own)
        {
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
        let Some(template) = self.templates.get(name).copied() else {
            if self.templates.is_empty() {
                let message = format!("there is no template {}", ticked(name));
                let help = format!("define it: `templates: {{ {name}: {{ classes: {{ ... }} }} }}`");
                let class = self.class_names.get(name).map(|span| (*span, "this is a class"));
                self.sink.push(Diagnostic::new(Code::UndefinedName, at, message).also_at(class).help(help));
                return None;
            }
            unknown("template", name, at, &self.names, self.sink);
            return None;
        };
        if !self.sink.charge(template.count(), budget::NODE) {
            return None;
        }
        let template = template.clone();
        let Some((further, at)) = name_at(&template, "template") else { return Some(template) };
        let open: Vec<String> = open.iter().cloned().chain([name.to_owned()]).collect();
        Some(match self.named(&further, at, &open) {
            Some(base) => merge(base, template),
            None => template,
        })
    }

    /// Returns the classes of a built-in set.
    fn built_in(&mut self, name: &str) -> Option<YamlValue> {
        let file = self.sources.add_built_in(format!("profiles/classes/{name}.yaml"), sets::text(name)?);
        let root = syntax::tree(self.sources, file, self.sink)?;
        Some(entry(&root, "classes")?.value.clone())
    }
}

fn unknown(noun: &str, name: &str, at: Span, known: &[&str], sink: &mut Sink) {
    let listed = || format!("the {noun}s are {}", some_ticked(known, LISTED));
    // Without known names, nothing is compared.
    let compared = if sink.may_suggest(name, known.iter().copied()) { known } else { &[] };
    sink.push(undefined(noun, &Spanned::new(name.to_owned(), at), compared, listed));
}

fn entries(value: &YamlValue) -> &[Entry] {
    if let Node::Map(entries) = &value.node { entries } else { &[] }
}

/// Returns something about each entry that no layer removed, by its name.
fn by_name<'e, T>(entries: &'e [Entry], about: impl Fn(&'e Entry) -> T) -> BTreeMap<&'e str, T> {
    let there = entries.iter().filter(|entry| entry.value.node != Node::Removed);
    there.map(|entry| (entry.key.value.as_str(), about(entry))).collect()
}

#[cfg(test)]
#[path = "classes_tests.rs"]
mod tests;
