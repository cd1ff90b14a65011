//! Advice for a key that belongs elsewhere in the file. The JSON Schema says which keys a mapping has.

use crate::diag::{Code, Diagnostic, Span, and_ticked, ticked};
use crate::schema;
use crate::syntax::{Entry, Node, YamlValue};
use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::LazyLock;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| serde_json::from_str(schema::text()).unwrap_or_default());

/// Largest number of characters of a value that an advice repeats.
const LONGEST: usize = 40;
/// Most steps from a mapping down to the place where a key belongs.
const DEEPEST: usize = 3;

/// Adds to each finding on an unknown key where the key belongs. What follows from such a key is no finding of its own.
pub(super) fn advise(root: &YamlValue, findings: &mut Vec<Diagnostic>) {
    let is_unknown = |own: &Diagnostic| {
        own.code == Code::UnknownKey && own.labels.first().is_some_and(|label| label.text.is_empty())
    };
    let place = |own: &Diagnostic| own.labels.first().map(|label| label.span);
    let mut wanted: HashMap<Span, Option<Advice>> =
        findings.iter().filter(|own| is_unknown(own)).filter_map(place).map(|span| (span, None)).collect();
    if wanted.is_empty() {
        return;
    }
    Walk { wanted: &mut wanted, path: Vec::new() }.inside(root);
    // Several keys of one mapping that are misplaced for one reason are one finding.
    let mut first_of: HashMap<(Option<Span>, String), usize> = HashMap::new();
    let mut gone = Vec::new();
    for at in 0..findings.len() {
        let Some(own) = findings.get(at).filter(|own| is_unknown(own)) else { continue };
        let Some(Some(advice)) = place(own).map(|span| wanted.remove(&span).flatten()) else { continue };
        let first = *first_of.entry((advice.parent, advice.group.clone())).or_insert(at);
        if first != at && !advice.group.is_empty() {
            gone.push(at);
            if let (Some(span), Some(first)) = (place(own), findings.get_mut(first)) {
                *first = std::mem::replace(first, Diagnostic::new(Code::UnknownKey, span, ""))
                    .also(span, "this too");
            }
            continue;
        }
        if let Some(own) = findings.get_mut(at) {
            // Advice on the word itself says more than another place where the word is a key.
            let says_more = own.help.len() > 1;
            own.help.splice(0..0, advice.help.into_iter().filter(|_| !says_more));
        }
        let follows = |other: &Diagnostic| {
            other.code == Code::MissingKey
                && place(other) == advice.parent
                && advice.gives.iter().any(|key| other.message.contains(&ticked(key)))
        };
        gone.extend(findings.iter().enumerate().filter(|(_, other)| follows(other)).map(|(at, _)| at));
    }
    let mut at = 0..;
    findings.retain(|_| at.next().is_none_or(|at| !gone.contains(&at)));
}

/// Advice for one key.
#[derive(Debug, Default)]
struct Advice {
    help: Vec<String>,
    /// Place of the key that has the mapping.
    parent: Option<Span>,
    /// Keys of the same mapping with this text have one finding. It is empty for a finding of its own.
    group: String,
    /// Keys that the mapping has once the advice is followed.
    gives: Vec<String>,
}

/// What the schema says about a value that is a mapping: one of its forms.
#[derive(Clone, Copy)]
struct Kind {
    /// Name of the definition.
    title: Option<&'static str>,
    /// Keys and their schemas.
    keys: Option<&'static Map<String, Value>>,
    /// Schema of the values of a mapping from names.
    named: Option<&'static Value>,
}

impl Kind {
    fn of(schema: &'static Value, title: Option<&'static str>) -> Kind {
        let keys = schema.get("properties").and_then(Value::as_object);
        Kind { title, keys, named: schema.get("additionalProperties").filter(|named| named.is_object()) }
    }

    fn get(&self, key: &str) -> Option<&'static Value> {
        self.keys.and_then(|keys| keys.get(key))
    }

    fn has_all(&self, keys: &[Entry]) -> bool {
        !keys.is_empty() && keys.iter().all(|entry| self.get(&entry.key.value).is_some())
    }
}

/// Adds the forms that a value can have, also as an item of a list.
fn forms(schema: &'static Value, title: Option<&'static str>, into: &mut Vec<Kind>) {
    let definition =
        schema.get("$ref").and_then(Value::as_str).and_then(|path| path.strip_prefix("#/definitions/"));
    if let Some((name, inner)) =
        definition.and_then(|name| Some((name, SCHEMA.get("definitions")?.get(name)?)))
    {
        return forms(inner, Some(name), into);
    }
    if schema.get("properties").is_some() || schema.get("additionalProperties").is_some_and(Value::is_object)
    {
        into.push(Kind::of(schema, title));
    }
    for key in ["anyOf", "oneOf", "allOf"] {
        let choices = schema.get(key).and_then(Value::as_array);
        // A mapping with keys can demand one of several.
        let choices = choices.filter(|_| schema.get("properties").is_none());
        choices.into_iter().flatten().for_each(|choice| forms(choice, title, into));
    }
    schema.get("items").into_iter().for_each(|items| forms(items, title, into));
}

/// Returns the forms of the value of a key, and whether the key is a name that the user chose.
fn step(kinds: &[Kind], key: &str) -> (Vec<Kind>, bool) {
    let mut found = Vec::new();
    kinds.iter().filter_map(|kind| kind.get(key)).for_each(|schema| forms(schema, None, &mut found));
    let named = found.is_empty();
    if named {
        kinds.iter().filter_map(|kind| kind.named).for_each(|schema| forms(schema, None, &mut found));
    }
    (found, named)
}

/// True if a key of these mappings can have such a value.
fn accepts(kinds: &[Kind], entry: &Entry) -> bool {
    kinds.iter().filter_map(|kind| kind.get(&entry.key.value)).any(|schema| {
        let mut found = Vec::new();
        forms(schema, None, &mut found);
        match &entry.value.node {
            Node::Map(_) => !found.is_empty(),
            Node::Scalar { .. } => found.is_empty() || schema.get("anyOf").is_some(),
            _ => true,
        }
    })
}

/// A mapping on the path to the key.
struct Above<'t> {
    /// Key that has the mapping; the file has none.
    key: Option<&'t Entry>,
    /// True if the user chose the key.
    named: bool,
    kinds: Vec<Kind>,
}

/// Finds the wanted keys in a tree.
struct Walk<'t, 'w> {
    wanted: &'w mut HashMap<Span, Option<Advice>>,
    /// Keys on the path.
    path: Vec<&'t Entry>,
}

impl<'t> Walk<'t, '_> {
    fn inside(&mut self, value: &'t YamlValue) {
        match &value.node {
            Node::Seq(items) => items.iter().for_each(|item| self.inside(item)),
            Node::Map(entries) => {
                for (at, entry) in entries.iter().enumerate() {
                    match self.wanted.get(&entry.key.span) {
                        Some(None) => {
                            let advice =
                                Place::of(&self.path).advice(entry, entries.get(..at).unwrap_or_default());
                            self.wanted.insert(entry.key.span, Some(advice.unwrap_or_default()));
                        }
                        // A template has the same key at each use.
                        Some(Some(_)) => {}
                        None => {
                            self.path.push(entry);
                            self.inside(&entry.value);
                            self.path.pop();
                        }
                    }
                }
            }
            _ => {}
        }
    }
}

/// Mappings on the path to a key, from the file on.
struct Place<'t> {
    above: Vec<Above<'t>>,
}

impl<'t> Place<'t> {
    fn of(path: &[&'t Entry]) -> Self {
        let mut above = vec![Above { key: None, named: false, kinds: vec![Kind::of(&SCHEMA, None)] }];
        for key in path {
            let (kinds, named) =
                above.last().map(|last| step(&last.kinds, &key.key.value)).unwrap_or_default();
            above.push(Above { key: Some(key), named, kinds });
        }
        Place { above }
    }

    fn advice(&self, entry: &Entry, before: &[Entry]) -> Option<Advice> {
        let (last, outer) = self.above.split_last()?;
        let parent = last.key.map(|key| key.key.span);
        let advice = |help, group, gives| Some(Advice { help, parent, group, gives });
        let key = ticked(&entry.key.value);
        let inner = if let Node::Map(inner) = &entry.value.node { inner.as_slice() } else { &[] };
        let (mut alike, mut group) = (Vec::new(), String::new());
        for (path, kind) in below(&last.kinds, |kind, named| named && kind.has_all(inner)) {
            let Some(noun) = kind.title.map(spoken) else { continue };
            group = path.join(": ");
            let above = before.iter().rfind(|other| Some(&other.key.value) == path.first());
            alike.push(match (above, outer) {
                (Some(above), []) if above.lowest == entry.lowest => below_lines(&key, above),
                _ => format!("if {key} is a {noun}, write {}", block(&path, entry)),
            });
        }
        // At the top of the file, each key is indented for itself.
        let group = if parent.is_some() { group } else { String::new() };
        let noun = last.kinds.first().filter(|_| last.named).and_then(|kind| kind.title).map(spoken);
        let beside = noun.zip(parent_name(last)).map(|(noun, own)| {
            format!("if {key} is a {noun}, write it beside {own}, with the same indentation")
        });
        let is_alike = last.kinds.iter().any(|kind| kind.has_all(inner));
        alike.extend(beside.clone().filter(|_| is_alike));
        if !alike.is_empty() {
            return advice(alike, group, Vec::new());
        }
        if is_alike && !outer.is_empty() {
            let keys = and_ticked(inner.iter().map(|own| own.key.value.as_str()));
            let help = format!("write {keys} one level higher, without {key}");
            let gives = inner.iter().map(|own| own.key.value.clone()).collect();
            return advice(vec![help], String::new(), gives);
        }
        if let Some((help, gives)) = self.elsewhere(entry) {
            return advice(vec![help], String::new(), gives);
        }
        // A line without a value, whose lines below have lost their indentation.
        let is_open = matches!(entry.value.node, Node::Map(_) | Node::Null);
        let above = before.last().filter(|_| outer.is_empty()).map(|above| below_lines(&key, above));
        advice(above.or(beside).filter(|_| is_open).into_iter().collect(), String::new(), Vec::new())
    }

    /// Returns the advice for a key that another mapping has: one below, one above, or one beside.
    fn elsewhere(&self, entry: &Entry) -> Option<(String, Vec<String>)> {
        let key = ticked(&entry.key.value);
        let has = |kind: &Kind, _| accepts(std::slice::from_ref(kind), entry);
        let (last, outer) = self.above.split_last()?;
        if let Some((path, kind)) = below(&last.kinds, has).into_iter().next() {
            let block = block(&path, entry);
            let gives = path.first().cloned().into_iter().collect();
            return Some((format!("{key} is a key of {}: write {block}", noun(kind, &path)), gives));
        }
        for (at, above) in outer.iter().enumerate().rev() {
            let beside = parent_name(self.above.get(at + 1)?)?;
            if accepts(&above.kinds, entry) {
                return Some((
                    match at {
                        0 => format!("{key} is a section of the file: write it without spaces before it"),
                        _ => format!("{key} belongs beside {beside}, not inside it"),
                    },
                    Vec::new(),
                ));
            }
            if let Some((path, kind)) = below(&above.kinds, has).into_iter().next() {
                let (noun, block) = (noun(kind, &path), block(&path, entry));
                return Some((
                    match at {
                        0 => format!("{key} is a key of {noun}: write {block} without spaces before it"),
                        _ => format!("{key} is a key of {noun}: write {block} beside {beside}"),
                    },
                    Vec::new(),
                ));
            }
        }
        None
    }
}

/// Returns the advice to indent a key like the lines of the one above it.
fn below_lines(key: &str, above: &Entry) -> String {
    let above = ticked(&above.key.value);
    format!("if {key} belongs to {above} above it, indent it like the lines of {above}")
}

/// Returns the name of the key that has a mapping, in ticks.
fn parent_name(above: &Above<'_>) -> Option<String> {
    above.key.map(|key| ticked(&key.key.value))
}

/// Returns the nearest forms below a mapping that are wanted, each with the keys that lead to it.
fn below(kinds: &[Kind], wanted: impl Fn(&Kind, bool) -> bool) -> Vec<(Vec<String>, Kind)> {
    let mut level: Vec<(Vec<String>, Kind)> = kinds.iter().map(|kind| (Vec::new(), *kind)).collect();
    for _ in 0..DEEPEST {
        let mut next = Vec::new();
        let mut found: Vec<(Vec<String>, Kind)> = Vec::new();
        for (path, kind) in level {
            let keys = kind.keys.into_iter().flatten().map(|(key, schema)| (key.clone(), schema, false));
            let named = kind.named.map(|schema| ("NAME".to_owned(), schema, true));
            for (key, schema, named) in keys.chain(named) {
                let mut inner = Vec::new();
                forms(schema, None, &mut inner);
                for kind in inner {
                    let mut longer = path.clone();
                    longer.push(key.clone());
                    if wanted(&kind, named) && found.iter().all(|(_, other)| other.title != kind.title) {
                        found.push((longer.clone(), kind));
                    }
                    next.push((longer, kind));
                }
            }
        }
        if !found.is_empty() {
            return found;
        }
        level = next;
    }
    Vec::new()
}

/// Returns the noun for a mapping to which these keys lead.
fn noun(kind: Kind, path: &[String]) -> String {
    match (path.last(), kind.title) {
        (Some(last), Some(title)) if last == "NAME" => format!("a {}", spoken(title)),
        (Some(last), _) => ticked(last),
        (None, _) => "the file".to_owned(),
    }
}

/// Returns the noun for a definition of the schema: the link of `LinkOfSeveral`.
fn spoken(title: &str) -> String {
    let end = title.char_indices().skip(1).find(|(_, c)| c.is_uppercase()).map_or(title.len(), |(at, _)| at);
    title.get(..end).unwrap_or(title).to_lowercase()
}

/// Returns a key and its value inside the mappings that these keys have.
fn block(path: &[String], entry: &Entry) -> String {
    let own = if path.last().is_some_and(|last| last == "NAME") && matches!(entry.value.node, Node::Map(_)) {
        path.split_last().map_or(&[][..], |(_, rest)| rest)
    } else {
        path
    };
    let mut text = format!("{}: {}", entry.key.value, short(&entry.value, LONGEST));
    for key in own.iter().rev() {
        text = format!("{key}: {{ {text} }}");
    }
    ticked(&text)
}

/// Returns a value in one line; `...` stands for what is too long.
fn short(value: &YamlValue, most: usize) -> String {
    let text = match &value.node {
        Node::Scalar { text, .. } => text.chars().take(most + 1).collect(),
        Node::Seq(items) if items.len() < 8 => {
            format!("[{}]", items.iter().map(|item| short(item, most)).collect::<Vec<_>>().join(", "))
        }
        Node::Map(entries) if entries.len() < 8 => {
            let entry = |entry: &Entry| format!("{}: {}", entry.key.value, short(&entry.value, most));
            format!("{{ {} }}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        _ => "...".to_owned(),
    };
    match (&value.node, text.chars().count() <= most) {
        (_, true) => text,
        (Node::Map(_), false) => "{ ... }".to_owned(),
        _ => "...".to_owned(),
    }
}

#[cfg(test)]
#[path = "misplaced_tests.rs"]
mod tests;
