//! A configuration as written: every value with its place, nothing filled in, no name looked up.
//!
//! A field is `None` when the file does not give it. A value that could not be read is left out, too, and the sink
//! has the finding on it. If a later stage needs the place of a key, the mapping has a field for it.
//!
//! Each key is declared once, with its reader. The JSON Schema is derived from these types, so that what is said of a
//! field here is what an editor shows of its key.

mod class;
mod expect;
mod forms;
mod link;
mod matches;
mod names;
mod rest;
mod variants;
mod written;

pub use class::{RawClass, RawClasses, RawQueue};
pub use expect::RawExpect;
pub use link::{RawLan, RawLink, RawLinkDevice, RawNetworks};
pub use matches::RawMatch;
pub use rest::{RawEach, RawExceed, RawHost, RawPolice, RawScript, RawTuning, RawTunnel};
pub use variants::RawVariant;

pub(super) use class::classes;
pub(super) use matches::matches;

pub use super::given::{Each, Many, Opt};
pub use super::sections::FileSections;

use super::field::Field;
use super::fields::Fields;
use super::findings::Findings;
use super::keys::{get, keys};
use super::limits::SMALLEST_FILE_HELP;
use super::node::{Node, YamlValue};
use super::values::{many, text, unit};
use crate::diag::{Code, Diagnostic, Span, Spanned};
use crate::units::LinkName;
use forms::{FilePath, LinkOfSeveral, Named, OneOrMore, Several};

keys! {
    /// The internet line of a household: its rates, and how traffic shares them. One file describes one line
    #[schemars(title = "qosc", extend(
        "patternProperties" = {
            "^x-": { "description": "Holds anchors for aliases elsewhere in the file; qosc ignores this key otherwise" }
        },
        "anyOf" = [{ "required": ["link"] }, { "required": ["links"] }, { "required": ["include"] }]
    ))]
    pub struct Raw {
        @given
        /// Where each of these stands.
        sections: FileSections,
        /// The name of the link; by default the name of the file. The ifb device is called `ifb-NAME`, with a long name shortened
        name: Opt<LinkName> = get(unit),
        /// Other files whose sections this file extends and overrides, by their paths from the folder of this file
        #[schemars(with = "Option<Several<FilePath>>")]
        include: Many<String> = get(includes),
        /// The line: its device, its rates, and its overhead per packet
        link: Option<RawLink> = link_of_file,
        /// Several links by name, in place of `link`. Each has the keys of `link`, and sections such as `classes` that extend and override those of the file
        #[schemars(with = "Option<Named<LinkOfSeveral>>")]
        links: Vec<Spanned<String>> = get(link::links),
        /// The LAN side of the router
        lan: Option<RawLan> = get(link::lan),
        /// Hosts of the LAN by name, for matches; a host may have a class, a guarantee and a ceiling of its own
        #[schemars(with = "Option<Named<RawHost>>")]
        hosts: Vec<RawHost> = get(rest::hosts),
        /// Tunnels by name, for matches
        #[schemars(with = "Option<Named<RawTunnel>>")]
        tunnels: Vec<RawTunnel> = get(rest::tunnels),
        /// Classes by name; their matches are tried in this order. By default the preset `home`, which `qosc profiles` shows
        classes: Option<RawClasses> = get(class::classes_or_preset),
        /// Classes by name that other classes begin with: `template: NAME`
        #[schemars(with = "Option<Named<RawClass>>")]
        templates: Vec<RawClass> = get(classes),
        /// Policers by name: they limit traffic before shaping and without a queue
        #[schemars(with = "Option<Named<RawPolice>>")]
        police: Vec<RawPolice> = get(rest::police),
        /// Settings of the router itself
        tuning: Option<RawTuning> = get(rest::tuning),
        /// What the script has beside what every script has
        script: Option<RawScript> = get(rest::script),
        /// Variants by name: settings for a part of the day
        #[schemars(with = "Option<Named<RawVariant>>")]
        variants: Vec<RawVariant> = get(variants::variants),
        /// Expectations that `qosc lab` measures
        #[schemars(with = "Option<OneOrMore<RawExpect>>")]
        expect: Vec<RawExpect> = get(expect::expect),
    }
}

/// Reads `link`, which is required without `links`.
fn link_of_file(fields: &mut Fields<'_>, key: &'static str, found: &mut Findings<'_>) -> Option<RawLink> {
    let field = match fields.has(&["links"]) {
        true => fields.get(key),
        false => fields.need(key, SMALLEST_FILE_HELP),
    };
    link::link(field?, found)
}

/// Reads `include`.
fn includes(field: Field<'_>, found: &mut Findings<'_>) -> Many<String> {
    if let Node::Map(_) = field.value.node {
        field.wrong("a list of files, such as `include: [common.yaml]`", found);
        return Vec::new();
    }
    many(field, text, found)
}

/// Reads a whole file.
pub(super) fn file(root: &YamlValue, sections: FileSections, found: &mut Findings<'_>) -> Option<Raw> {
    let mut fields = document(root, found)?;
    // Keys for anchors that are used elsewhere, as in other YAML formats.
    fields.skip("x-");
    Some(fields.read(found, |fields, found| Raw::read(sections, fields, found)))
}

/// Returns the keys of a whole document; reports a document that has none.
pub(super) fn document<'a>(root: &'a YamlValue, found: &mut Findings<'_>) -> Option<Fields<'a>> {
    // Place of the first key, for findings about missing keys at the top.
    let start = match &root.node {
        Node::Map(entries) => {
            let own = entries.iter().find(|entry| entry.key.span.file == root.span.file);
            own.map_or(root.span, |entry| entry.key.span)
        }
        node => {
            if *node == Node::Unread {
                return None;
            }
            let message = format!("the file is {}, not a mapping of keys to values", node.kind());
            let start = Span { end: root.span.start, ..root.span };
            found.push(Diagnostic::new(Code::WrongType, start, message).help(SMALLEST_FILE_HELP));
            return None;
        }
    };
    Fields::new(
        Field { key: "the file", key_span: start, value: root, required: true, item: false },
        "the file",
        "keys",
        found,
    )
}
