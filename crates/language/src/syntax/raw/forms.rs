//! What the JSON Schema must be told beyond the types: values that may be written in several ways.

use crate::diag::Spanned;
use crate::syntax::given::Opt;
use crate::syntax::limits::NAME;
use crate::terms::PerDirection;
use crate::units::{IfName, Micros};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use std::borrow::Cow;
use std::marker::PhantomData;

/// A value, or a list of them with one at least.
pub(super) struct Several<T>(PhantomData<T>);
/// `true` or `false`, or a thing.
pub(super) struct BooleanOr<T>(PhantomData<T>);
/// A thing, or a list of them.
pub(super) struct OneOrMore<T>(PhantomData<T>);
/// Things by name.
pub(super) struct Named<T>(PhantomData<T>);
/// Things by the name of a device.
pub(super) struct ByDevice<T>(PhantomData<T>);
/// The name of a thing that is somewhere else in the file.
pub(super) struct NameOf;
/// The name of a link profile; which there are, is filled in where the schema is put together.
pub(super) struct ProfileName;
/// The name of a class set; filled in likewise.
pub(super) struct PresetName;
/// The name of an application; filled in likewise.
pub(super) struct AppName;
/// A queue in all the ways to write one.
pub(super) struct Queue;
/// `true`, in words or as a value.
pub(super) struct AlwaysTrue;
/// The path of an included file.
pub(super) struct FilePath;
/// A link of `links`: the keys of `link`, and the sections that it extends and overrides.
pub(super) struct LinkOfSeveral;
/// What a variant sets: the keys of `link` in `link`, and other sections.
pub(super) struct VariantSet;

/// TCP settings of the router itself
#[derive(JsonSchema)]
#[schemars(deny_unknown_fields)]
#[expect(dead_code, reason = "only the schema is made of it")]
pub(super) struct Tcp {
    /// Round-trip time for which the socket buffers are sized
    rtt: Micros,
}

/// Schemas that stand where they are used.
macro_rules! inline_schemas {
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

pub(super) use inline_schemas;

inline_schemas! {
    Spanned<T> where T, generator => generator.subschema_for::<T>();
    PerDirection<Opt<T>> where T, generator => {
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
    BooleanOr<T> where T, generator => {
        let thing = generator.subschema_for::<T>();
        json_schema!({ "anyOf": [{ "type": "boolean" }, thing] })
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
            // Hidden characters as in `harmless::is_hidden`, but only up to U+FFFF. Beyond, the expressions of some
            // editors differ.
            "pattern": "^[^\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]*$"
        },
        // `null` removes what another layer defines
        "additionalProperties": { "anyOf": [generator.subschema_for::<T>(), { "const": null }] }
    });
    ByDevice<T> where T, generator => json_schema!({
        "type": "object",
        "propertyNames": generator.subschema_for::<IfName>(),
        "additionalProperties": generator.subschema_for::<T>()
    });
    AlwaysTrue, _g => json_schema!({ "const": true });
    // a name of digits is a number to YAML
    FilePath, _g => json_schema!({ "type": ["string", "integer"] });
    NameOf, _g => json_schema!({ "type": ["string", "integer"], "minLength": *NAME.start(), "maxLength": *NAME.end() });
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
    AppName: "An application with published ports: `qosc profiles NAME` shows them";
    PresetName: "A class preset: `qosc profiles NAME` shows it";
}
