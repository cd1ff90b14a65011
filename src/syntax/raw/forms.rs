//! What the JSON Schema must be told beyond the types: values that may be written in several ways.

use super::{RawClass, RawClasses, RawExceed, RawNetworks, RawPerDirection, RawQueue};
use crate::diag::Spanned;
use crate::syntax::limits::NAME;
use crate::units::{Address, Micros};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::marker::PhantomData;

/// A value, or a list of them with one at least.
pub(super) struct Several<T>(PhantomData<T>);
/// A thing, or a list of them.
pub(super) struct OneOrMore<T>(PhantomData<T>);
/// Things by name.
pub(super) struct Named<T>(PhantomData<T>);
/// The name of a thing that is somewhere else in the file.
pub(super) struct NameOf;
/// The name of a link profile; which there are, is filled in where the schema is put together.
pub(super) struct ProfileName;
/// The name of a class set; filled in likewise.
struct PresetName;
/// A queue in all the ways to write one.
pub(super) struct Queue;

/// TCP settings of the router itself
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is made of it")]
pub(super) struct Tcp {
    /// Round-trip time for which the socket buffers are sized
    rtt: Micros,
}

/// Schemas that stand where they are used.
macro_rules! inline {
    ($($t:ty $(where $g:ident)?, $generator:ident => $schema:expr;)+) => {
        $(impl$(<$g: JsonSchema>)? JsonSchema for $t {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> Cow<'static, str> {
                stringify!($t).into()
            }

            fn json_schema($generator: &mut SchemaGenerator) -> Schema {
                $schema
            }
        })+
    };
}

inline! {
    Spanned<T> where T, generator => generator.subschema_for::<T>();
    RawPerDirection<T> where T, generator => {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, {
            "description": "A value for each direction; a direction that is left out has the default",
            "type": "object",
            "properties": { "up": one, "down": one },
            "additionalProperties": false
        }] })
    };
    Several<T> where T, generator => {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    };
    OneOrMore<T> where T, generator => {
        let one = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "array", "items": one }, one] })
    };
    Named<T> where T, generator => json_schema!({
        "type": "object",
        "propertyNames": {
            "minLength": *NAME.start(),
            "maxLength": *NAME.end(),
            // what cannot be seen, as in `quote::is_hidden`
            "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2069\\ufeff]*$"
        },
        "additionalProperties": generator.subschema_for::<T>()
    });
    // a name of digits is a number to YAML
    NameOf, _g => json_schema!({ "type": ["string", "integer"], "minLength": *NAME.start(), "maxLength": *NAME.end() });
    RawNetworks, generator => {
        let one = generator.subschema_for::<Address>();
        json_schema!({ "anyOf": [
            { "description": "The prefixes of the LAN devices, read at run time", "const": "auto" },
            one,
            { "type": "array", "items": one, "minItems": 1 }
        ] })
    };
    RawClasses, generator => {
        let preset = generator.subschema_for::<PresetName>();
        let classes = generator.subschema_for::<Named<RawClass>>();
        json_schema!({ "anyOf": [classes, {
            "type": "object",
            "properties": { "preset": preset },
            "required": ["preset"],
            "additionalProperties": false
        }] })
    };
    RawExceed, generator => {
        let class = generator.subschema_for::<NameOf>();
        json_schema!({ "anyOf": [
            { "description": "Drops these packets", "const": "drop" },
            { "description": "Moves these packets to that class", "type": "string", "pattern": "^reclassify\\s+\\S" },
            {
                "description": "Moves these packets to that class",
                "type": "object",
                "properties": { "reclassify": class },
                "required": ["reclassify"],
                "additionalProperties": false
            }
        ] })
    };
}

/// Schemas with a name of their own, which what is filled in later goes by.
macro_rules! defined {
    ($($t:ident: $about:literal;)+) => {
        $(impl JsonSchema for $t {
            fn schema_name() -> Cow<'static, str> {
                stringify!($t).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                json_schema!({ "description": $about, "type": "string" })
            }
        })+
    };
}

defined! {
    ProfileName: "A link profile: a kind of line that `qosc profiles` lists";
    PresetName: "A class preset: `qosc profiles NAME` shows it";
}

impl JsonSchema for Queue {
    fn schema_name() -> Cow<'static, str> {
        "Queue".into()
    }

    /// From `{ KIND: options }` of each kind: that, the kind alone, `{ kind: KIND, options }`, and of fq_codel its options alone.
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let kinds = RawQueue::json_schema(generator).to_value();
        let kinds = kinds.get("oneOf").and_then(Value::as_array).cloned().unwrap_or_default();
        let (mut names, mut flat, mut nested) = (Vec::new(), Vec::new(), Vec::new());
        for kind in kinds {
            let Some((name, options)) = kind
                .get("properties")
                .and_then(Value::as_object)
                .and_then(|properties| properties.iter().next())
                .map(|(name, options)| (name.clone(), options.clone()))
            else {
                continue;
            };
            let about = kind.get("description").cloned().unwrap_or_default();
            names.push(json!({ "description": about, "const": name }));
            flat.push(with_kind(&name, &about, options));
            nested.push(kind);
        }
        names.append(&mut flat);
        names.append(&mut nested);
        json_schema!({ "anyOf": names })
    }
}

/// The options of a kind of queue beside its name, which only fq_codel does without.
fn with_kind(name: &str, about: &Value, mut options: Value) -> Value {
    let Some(fields) = options.as_object_mut() else { return options };
    let mut properties = Map::new();
    properties.insert("kind".to_owned(), json!({ "const": name }));
    if let Some(Value::Object(rest)) = fields.get("properties").cloned() {
        properties.extend(rest);
    }
    fields.insert("properties".to_owned(), Value::Object(properties));
    fields.insert("description".to_owned(), about.clone());
    if name != "fq_codel" {
        fields.insert("required".to_owned(), json!(["kind"]));
    }
    options
}
