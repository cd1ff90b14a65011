//! `variants`.

use super::forms::{Several, VariantSet};
use super::link::link_name;
use super::names::named;
use crate::diag::{Code, Diagnostic, Span, Spanned};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::given::{Many, Opt};
use crate::syntax::keys::{keys, list, need};
use crate::syntax::node::{Entry, Node, YamlValue};
use crate::syntax::values::unit;
use crate::terms::FileSection;
use crate::units::{DayPart, Days};

keys! {
    /// Settings for a part of the day
    #[schemars(rename = "Variant")]
    pub struct RawVariant {
        @given
        /// Its name
        name: Spanned<String>,
        /// Part of the day by the router's clock; past midnight, it ends on the next day
        #[schemars(required)]
        when: Opt<DayPart> = need(unit, "write a part of the day, such as `when: \"23:00-06:00\"`"),
        /// Days on which the part of the day begins; by default all
        #[schemars(with = "Option<Several<Days>>")]
        days: Many<Days> = list(unit),
        /// Sections that lie on top of those of the file
        #[schemars(required, with = "VariantSet")]
        set: Option<Span> = need(set, "write what changes, such as `set: { classes: { bulk: { ceiling: 100% } } }`"),
    }
}

/// Reads `variants`.
pub(super) fn variants(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawVariant> {
    const EXAMPLE: &str =
        "keys such as `{ when: \"23:00-06:00\", set: { classes: { bulk: { ceiling: 100% } } } }`";
    let variants =
        named(field, "variants by name, such as `night: { when: \"23:00-06:00\", set: {} }`", found);
    let variant = |(name, field): (Spanned<String>, _)| {
        link_name(&name, found);
        Fields::whole(field, "a variant", EXAMPLE, found, |fields, found| {
            RawVariant::read(name, fields, found)
        })
    };
    variants.into_iter().filter_map(variant).collect()
}

/// Returns true for the sections that a variant can set. The others belong to the router or name what the script keeps.
pub(super) const fn can_be_set(section: FileSection) -> bool {
    use FileSection::{Classes, Expect, Hosts, Link, Police, Tuning};
    matches!(section, Link | Hosts | Classes | Police | Tuning | Expect)
}

/// Reads the keys of `set`. What they hold is read in the configuration of the variant.
fn set(field: Field<'_>, found: &mut Findings<'_>) -> Option<Span> {
    let entries = match &field.value.node {
        Node::Map(entries) => entries,
        Node::Unread => return None,
        _ => {
            field.wrong("sections such as `{ classes: { bulk: { ceiling: 100% } } }`", found);
            return None;
        }
    };
    for entry in entries {
        let section = FileSection::from_key(&entry.key.value);
        let is_link = section == Some(FileSection::Link);
        let of_file = matches!(entry.key.value.as_str(), "include" | "links" | "templates");
        // Another key is unknown, as in the configuration of the variant.
        if of_file || section.is_some_and(|own| !can_be_set(own)) || is_link && entry.value.node.is_null() {
            refuse(entry, "", found);
        }
        if is_link {
            let device = |own: &&Entry| own.key.value.starts_with("device");
            inside(&entry.value).filter(device).for_each(|own| refuse(own, "link.", found));
        }
    }
    Some(field.value.span)
}

fn inside(value: &YamlValue) -> impl Iterator<Item = &Entry> {
    match &value.node {
        Node::Map(entries) => entries.iter(),
        _ => [].iter(),
    }
}

fn refuse(entry: &Entry, of: &str, found: &mut Findings<'_>) {
    let message = format!("a variant cannot set `{of}{}`", entry.key.value);
    let help =
        "a variant can set `link` without its devices, `hosts`, `classes`, `police`, `tuning` and `expect`";
    found.push(Diagnostic::new(Code::BadVariant, entry.key.span, message).help(help));
}
