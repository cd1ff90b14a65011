//! Names that only a link or a variant has. Most of them are misspelt names of a lower layer.

use super::tree::{entry, text};
use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::syntax::{Entry, LayerKind, Node, YamlValue};

/// Sections with names that users choose, and the noun for what they name.
const SECTIONS: [(&str, &str); 4] =
    [("classes", "class"), ("hosts", "host"), ("police", "policer"), ("tunnels", "tunnel")];

/// Reports each name of a link or a variant that no lower layer has and that does not say `new: true`. Also reports
/// each `null` that removes nothing.
pub(super) fn report(root: &mut YamlValue, link: Option<&str>, variant: Option<&str>, sink: &mut Sink) {
    let Node::Map(entries) = &mut root.node else { return };
    for section in entries {
        let key = section.key.value.as_str();
        if let Some((_, noun)) = SECTIONS.iter().find(|(own, _)| *own == key) {
            Reporter { noun, link, variant }.section(section, sink);
        }
    }
}

#[derive(Clone, Copy)]
struct Reporter<'a> {
    /// What the section names.
    noun: &'static str,
    link: Option<&'a str>,
    variant: Option<&'a str>,
}

impl Reporter<'_> {
    fn section(self, section: &mut Entry, sink: &mut Sink) {
        let lowest = section.lowest;
        let Node::Map(entries) = &mut section.value.node else { return };
        let found: Vec<(usize, Diagnostic)> = entries
            .iter()
            .enumerate()
            .filter(|(_, own)| own.value.node.is_null() || own.lowest > lowest && !is_new(own))
            .map(|(at, own)| (at, self.finding(own, entries, sink)))
            .collect();
        for (at, finding) in found {
            sink.push(finding);
            let nothing = entries.get_mut(at).filter(|own| own.value.node.is_null());
            nothing.into_iter().for_each(|own| own.value.node = Node::Removed);
        }
        for class in entries.iter_mut().filter(|own| self.noun == "class" && own.lowest == lowest) {
            let Node::Map(keys) = &mut class.value.node else { continue };
            keys.iter_mut().filter(|key| key.key.value == "classes").for_each(|key| self.section(key, sink));
        }
    }

    fn finding(self, own: &Entry, beside: &[Entry], sink: &mut Sink) -> Diagnostic {
        let Reporter { noun, link, variant } = self;
        let name = ticked(&own.key.value);
        let of_layer = match own.lowest {
            LayerKind::Variant => variant.map(|variant| format!("variant {}", ticked(variant))),
            _ => link.map(|link| format!("link {}", ticked(link))),
        };
        let of_layer = of_layer.unwrap_or_default();
        let lower = beside.iter().filter(|other| other.lowest < own.lowest.max(LayerKind::Link));
        let lower = lower.filter(|other| !matches!(other.value.node, Node::Removed) && other.key != own.key);
        let lower = lower.map(|other| other.key.value.as_str());
        // Other short names are near by chance.
        let near = sink.near(&own.key.value, lower).filter(|_| own.key.value.len() > 2);
        let near = near.map(|near| format!("did you mean {}?", ticked(near)));
        if own.value.node.is_null() {
            let message = format!("there is no {noun} {name} to remove");
            let otherwise = || "`null` removes what a lower layer has: remove this line".to_owned();
            return Diagnostic::new(Code::UndefinedName, own.key.span, message)
                .help(near.unwrap_or_else(otherwise));
        }
        if own.fresh {
            let message = format!("{of_layer} names {noun} {name}, which a lower layer removed");
            let skip = link.zip(variant).filter(|_| own.lowest == LayerKind::Variant);
            let skip = skip.map(|(link, variant)| {
                format!(
                    "to leave the variant out of this link, write `variants: {{ {variant}: null }}` in {}",
                    ticked(link)
                )
            });
            let finding = Diagnostic::new(Code::NewInLayer, own.key.span, message);
            return skip
                .into_iter()
                .fold(finding, Diagnostic::help)
                .help("to add it again without the keys that it had, write `new: true` in it");
        }
        let message = format!("{of_layer} names {noun} {name}, which no lower layer has");
        let layer = if own.lowest == LayerKind::Variant { "variant" } else { "link" };
        let finding = Diagnostic::new(Code::NewInLayer, own.key.span, message);
        near.into_iter()
            .fold(finding, Diagnostic::help)
            .help(format!("if {name} is only for this {layer}, write `new: true` in it"))
    }
}

/// Returns `true` if an object says that it is new in its layer.
fn is_new(own: &Entry) -> bool {
    own.value.node == Node::Removed
        || entry(&own.value, "new").is_some_and(|new| text(&new.value) == Some("true"))
}

#[cfg(test)]
#[path = "new_names_tests.rs"]
mod tests;
