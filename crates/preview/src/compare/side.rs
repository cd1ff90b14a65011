//! One of the two configurations, with the names that its objects have in the new file.

use super::fact::text;
use qosc_compiler::model::{Alternative, Class, ClassId, Model, Shape};
use serde_json::Value;
use std::collections::BTreeMap;

/// Old names of renamed objects, mapped to the new ones.
pub(super) type Renamed<'a> = BTreeMap<&'a str, &'a str>;

/// Returns the new name of an old object.
pub(super) fn now<'a>(renamed: &Renamed<'a>, old: &'a str) -> &'a str {
    renamed.get(old).copied().unwrap_or(old)
}

/// A configuration and its renamed objects. The new configuration has none.
#[derive(Debug)]
pub(super) struct Side<'a> {
    pub(super) model: &'a Model,
    pub(super) hosts: Renamed<'a>,
    pub(super) tunnels: Renamed<'a>,
    pub(super) classes: Renamed<'a>,
    class_names: BTreeMap<ClassId, &'a str>,
    /// Names of classes, with those of their parents.
    parents: BTreeMap<&'a str, &'a str>,
}

impl<'a> Side<'a> {
    pub(super) fn of(model: &'a Model) -> Side<'a> {
        let classes = model.classes();
        let of = |class: &'a Class| {
            let children = match &class.shape {
                Shape::Inner(children) => children.as_slice(),
                Shape::Leaf(_) => &[],
            };
            children.iter().map(|child| (child.name.as_str(), class.name.as_str()))
        };
        Side {
            model,
            hosts: Renamed::new(),
            tunnels: Renamed::new(),
            classes: Renamed::new(),
            class_names: classes.iter().map(|class| (class.id.value, class.name.as_str())).collect(),
            parents: classes.into_iter().flat_map(of).collect(),
        }
    }

    /// Returns the new name of a class.
    pub(super) fn class(&self, id: ClassId) -> &'a str {
        now(&self.classes, self.class_names.get(&id).copied().unwrap_or_default())
    }

    /// Returns the new name of a class's parent class.
    pub(super) fn parent(&self, class: &str, renamed: &Renamed<'a>) -> Option<&'a str> {
        self.parents.get(class).map(|parent| now(renamed, parent))
    }

    /// Returns the new name of a host.
    pub(super) fn host(&self, index: usize) -> Option<&'a str> {
        self.model.hosts.get(index).map(|host| now(&self.hosts, &host.name))
    }

    /// Returns an alternative in normal form: its conditions with new names, in a fixed order and spelling.
    pub(super) fn normal(&self, alternative: &Alternative) -> String {
        let names = |indexes: &[usize], name: &dyn Fn(usize) -> Option<&'a str>| -> Value {
            indexes.iter().filter_map(|index| name(*index)).collect()
        };
        let tunnel = |index: usize| self.model.tunnels.get(index).map(|own| now(&self.tunnels, &own.name));
        let device = |index: usize| self.model.link.devices.get(index).map(|own| own.device.value.as_str());
        let Ok(Value::Object(mut fields)) = serde_json::to_value(alternative) else { return String::new() };
        for (key, names) in [
            ("hosts", names(&alternative.hosts, &|index| self.host(index))),
            ("tunnels", names(&alternative.tunnels, &tunnel)),
            ("devices", names(&alternative.devices, &device)),
        ] {
            fields.insert(key.to_owned(), names);
        }
        let asked = fields.iter();
        let asked = asked.filter(|(key, _)| !["span", "text"].contains(&key.as_str()));
        asked.filter_map(|(key, value)| Some(format!("{key} {};", text(value)?))).collect()
    }

    /// Returns the alternatives of a match in normal form. Their order has no meaning.
    pub(super) fn normal_matches(&self, matches: &[Alternative]) -> Vec<String> {
        let mut all: Vec<String> = matches.iter().map(|alternative| self.normal(alternative)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}
