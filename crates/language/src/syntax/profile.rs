//! Reads the built-in profiles: link profiles, applications and class sets.

use super::field::Field;
use super::fields::Fields;
use super::findings::Findings;
use super::node::Node;
use super::raw::{Many, RawMatch, document, matches};
use super::values::{both, choice, many, number, text, unit};
use crate::diag::{Sink, Sources};
use crate::terms::{Layer, PerDirection};
use crate::units::Percent;

/// A link profile: a kind of line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkProfile {
    /// Name of the profile.
    pub name: String,
    /// One-line description.
    pub about: String,
    /// Encapsulation that carries packets on the line.
    pub layer: Layer,
    /// Bytes on the line above each IP packet.
    pub overhead: u32,
    /// Minimum charged size of a packet in bytes; 0 for none.
    pub mpu: u32,
    /// Largest IP packet in bytes.
    pub mtu: u32,
    /// Share of the line rate that stays unused.
    pub margin: PerDirection<Percent>,
    /// Parts of the overhead: bytes and a name. They add up to `overhead`.
    pub bytes: Vec<(u32, String)>,
    /// Equivalent keyword of tc-cake(8), if there is one.
    pub cake: Option<String>,
    /// Sources of the numbers.
    pub source: Vec<String>,
    /// Further notes.
    pub notes: Option<String>,
}

/// An application in the form of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawApp {
    /// `about`: one-line description.
    pub about: String,
    /// `source`: document that publishes the ports.
    pub source: String,
    /// `date` on which the source was read.
    pub date: String,
    /// `match`: protocols and ports.
    pub matches: Vec<RawMatch>,
}

/// Reads a built-in link profile; `None` if it has any error, which a test rules out.
#[must_use]
pub fn read(text: &str) -> Option<LinkProfile> {
    read_built_in(text, link_profile)
}

/// Reads a built-in application; `None` if it has any error, which a test rules out.
#[must_use]
pub fn read_app(text: &str) -> Option<RawApp> {
    read_built_in(text, |mut fields, found| {
        let app = RawApp {
            about: one(&mut fields, "about", found)?,
            source: one(&mut fields, "source", found)?,
            date: one(&mut fields, "date", found)?,
            matches: matches(fields.get("match")?, found)?,
        };
        fields.finish(found);
        Some(app)
    })
}

fn read_built_in<T>(text: &str, of: impl FnOnce(Fields<'_>, &mut Findings<'_>) -> Option<T>) -> Option<T> {
    let mut sources = Sources::default();
    let file = sources.add("a profile", text);
    let mut sink = Sink::default();
    let root = super::tree(&sources, file, &mut sink)?;
    let mut found = Findings::new(&mut sink);
    let profile = of(document(&root, &mut found)?, &mut found);
    if sink.has_errors() { None } else { profile }
}

/// Reads a text.
fn one(fields: &mut Fields<'_>, key: &'static str, found: &mut Findings<'_>) -> Option<String> {
    fields.get(key).and_then(|field| text(field, found)).map(|text| text.value)
}

fn link_profile(mut fields: Fields<'_>, found: &mut Findings<'_>) -> Option<LinkProfile> {
    let bytes = |fields: &mut Fields<'_>, key, found: &mut Findings<'_>| {
        fields.need(key, "give the bytes").and_then(|field| number(field, 0..=65535, "bytes", found))
    };
    let margin = fields.need("margin", "give the margins").map(|field| both::<Percent>(field, unit, found));
    let profile = LinkProfile {
        name: one(&mut fields, "name", found)?,
        about: one(&mut fields, "about", found)?,
        layer: fields.need("layer", "name the layer").and_then(|field| choice(field, found))?.value,
        overhead: bytes(&mut fields, "overhead", found)?.value,
        mpu: bytes(&mut fields, "mpu", found)?.value,
        mtu: bytes(&mut fields, "mtu", found)?.value,
        margin: margin
            .and_then(|margin| Some(PerDirection { up: margin.up?.value, down: margin.down?.value }))?,
        bytes: fields.get("bytes").map_or_else(Vec::new, |field| breakdown(field, found)),
        cake: one(&mut fields, "cake", found),
        source: texts(&mut fields, "source", found),
        notes: one(&mut fields, "notes", found),
    };
    fields.finish(found);
    Some(profile)
}

/// Reads the parts of the overhead.
fn breakdown(field: Field<'_>, found: &mut Findings<'_>) -> Vec<(u32, String)> {
    let Node::Seq(items) = &field.value.node else {
        field.wrong("a list of what the bytes are", found);
        return Vec::new();
    };
    let mut parts = Vec::with_capacity(items.len());
    for item in items {
        let Some(mut fields) = Fields::new(field.item(item), "a part of the overhead", "its keys", found)
        else {
            continue;
        };
        let bytes = fields.need("bytes", "say how many").and_then(|f| number(f, 0..=65535, "bytes", found));
        let what = fields.need("what", "say what they are").and_then(|f| text(f, found));
        fields.finish(found);
        parts.extend(bytes.zip(what).map(|(bytes, what)| (bytes.value, what.value)));
    }
    parts
}

fn texts(fields: &mut Fields<'_>, key: &'static str, found: &mut Findings<'_>) -> Vec<String> {
    let texts: Many<String> = fields.get(key).map_or_else(Vec::new, |field| many(field, text, found));
    texts.into_iter().map(|text| text.value).collect()
}
