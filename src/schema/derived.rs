//! The JSON Schema, derived from the types that a file is read into.

use crate::profile::{self, keywords};
use crate::resolve::presets;
use crate::syntax::Raw;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

/// Derives the schema.
#[must_use]
pub fn schema() -> Value {
    let settings = SchemaSettings::draft07();
    let mut schema = settings.into_generator().into_root_schema_for::<Raw>();
    NoNull.transform(&mut schema);
    let links = profile::all().map(|link| json!({ "const": link.name, "description": link.about }));
    let keywords = keywords::all().map(|(keyword, name)| {
        json!({ "const": keyword, "description": format!("CAKE's keyword for the profile {name}") })
    });
    let links = links.chain(keywords).collect();
    fill(&mut schema, "ProfileName", "oneOf", links);
    let sets = presets::names().into_iter().map(|name| json!(name)).collect();
    fill(&mut schema, "PresetName", "enum", sets);
    let Value::Object(mut rest) = schema.to_value() else { return Value::Null };
    let first = ["$schema", "title", "description"];
    let mut ordered: Map<String, Value> =
        first.into_iter().filter_map(|key| Some((key.to_owned(), rest.shift_remove(key)?))).collect();
    ordered.extend(rest);
    Value::Object(ordered)
}

/// Puts the names that there are into a definition.
fn fill(schema: &mut Schema, name: &str, keyword: &str, names: Vec<Value>) {
    if let Some(Value::Object(definition)) = schema.pointer_mut(&format!("/definitions/{name}")) {
        definition.insert(keyword.to_owned(), Value::Array(names));
    }
}

/// A key that may be left out may not stand there without a value; and widths of integers are nothing to an editor.
struct NoNull;

impl Transform for NoNull {
    fn transform(&mut self, schema: &mut Schema) {
        transform_subschemas(self, schema);
        let Some(object) = schema.as_object_mut() else { return };
        object.remove("format");
        if let Some(Value::Array(kinds)) = object.get_mut("type") {
            kinds.retain(|kind| kind != "null");
            if let [only] = kinds.as_slice() {
                let only = only.clone();
                object.insert("type".to_owned(), only);
            }
        }
        if let Some(Value::Array(values)) = object.get_mut("enum") {
            values.retain(|value| !value.is_null());
        }
        let Some(Value::Array(forms)) = object.get_mut("anyOf") else { return };
        forms.retain(|form| *form != json!({ "type": "null" }));
        if let [Value::Object(only)] = forms.as_slice() {
            let only = only.clone();
            object.remove("anyOf");
            // what stands beside a reference counts for nothing in draft-07
            if only.contains_key("$ref") && !object.is_empty() {
                object.insert("allOf".to_owned(), json!([only]));
            } else {
                object.extend(only);
            }
        }
    }
}
