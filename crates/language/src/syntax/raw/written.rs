//! Schemas of the values of a file that may be written in several ways.

use super::forms::{LinkOfSeveral, NameOf, Named, PresetName, Queue, VariantSet, inline_schemas};
use super::variants::can_be_set;
use super::{Raw, RawClass, RawClasses, RawExceed, RawLink, RawNetworks, RawQueue};
use crate::terms::FileSection;
use crate::units::Address;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value, json};
use std::borrow::Cow;

inline_schemas! {
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
        let template = generator.subschema_for::<NameOf>();
        let classes = generator.subschema_for::<Named<RawClass>>();
        let class = classes.get("additionalProperties").cloned().unwrap_or_default();
        json_schema!({ "anyOf": [classes, {
            "type": "object",
            "properties": { "preset": { "anyOf": [preset, template] } },
            "required": ["preset"],
            "additionalProperties": class
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

impl JsonSchema for VariantSet {
    fn schema_name() -> Cow<'static, str> {
        "VariantSet".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let sections = Raw::json_schema(generator).to_value();
        let mut keys = sections.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        keys.retain(|key, _| FileSection::from_key(key).is_some_and(can_be_set));
        let mut link = RawLink::json_schema(generator);
        // The file gives what is required.
        link.remove("required");
        link.remove("allOf");
        keys.insert("link".to_owned(), link.to_value());
        json_schema!({ "type": "object", "properties": keys, "additionalProperties": false })
    }
}

impl JsonSchema for LinkOfSeveral {
    fn schema_name() -> Cow<'static, str> {
        "LinkOfSeveral".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut link = RawLink::json_schema(generator);
        let sections = Raw::json_schema(generator).to_value();
        // A section of the file can give what is required.
        link.remove("required");
        if let (Some(Value::Object(keys)), Some(Value::Object(sections))) =
            (link.get_mut("properties"), sections.get("properties").cloned())
        {
            let of_links = |key: &str| FileSection::from_key(key).is_some_and(FileSection::is_of_links);
            keys.extend(sections.into_iter().filter(|(key, _)| of_links(key)));
        }
        link
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
