//! The JSON Schema, derived from the types that a file is read into. `QOSC_BLESS=1 cargo test --lib schema` writes it to
//! `schema/`. `tests/file/schema.rs` compares it with the reader.

use crate::made_files::assert_made;
use crate::profile::sets;
use crate::profile::{self, apps, keywords};
use crate::syntax::Raw;
use schemars::Schema;
use schemars::generate::SchemaSettings;
use schemars::transform::{Transform, transform_subschemas};
use serde_json::{Map, Value, json};

#[test]
fn the_checked_in_schema_is_up_to_date() {
    assert_made("../../schema/qosc.schema.json", &format!("{:#}\n", schema()), "cargo test --lib schema");
}

/// Derives the schema.
fn schema() -> Value {
    let settings = SchemaSettings::draft07();
    let mut schema = settings.into_generator().into_root_schema_for::<Raw>();
    ForEditors.transform(&mut schema);
    let links = profile::all().map(|link| json!({ "const": link.name, "description": link.about }));
    let keywords = keywords::all().map(|(keyword, name)| {
        json!({ "const": keyword, "description": format!("CAKE's keyword for the profile {name}") })
    });
    let links = links.chain(keywords).collect();
    fill(&mut schema, "ProfileName", "oneOf", links);
    let apps = apps::names()
        .into_iter()
        .filter_map(|name| Some(json!({ "const": name, "description": apps::find(name)?.about })));
    let apps = apps.collect();
    fill(&mut schema, "AppName", "oneOf", apps);
    let sets = sets::names().into_iter().map(|name| json!(name)).collect();
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

/// Returns a pattern for the decimal numbers from `least` to `most`.
fn between(least: u64, most: u64) -> String {
    let (mut from, mut parts) = (least, Vec::new());
    while from <= most {
        // Numbers that only differ in their last digits, and in one digit before these.
        let (mut size, mut digits) = (1, 0);
        while from > 0 && from.is_multiple_of(size * 10) && from + size * 10 - 1 <= most {
            (size, digits) = (size * 10, digits + 1);
        }
        let (before, digit) = (from / size / 10, from / size % 10);
        let last = (digit + (most + 1 - from) / size - 1).min(9);
        let before = if before > 0 { before.to_string() } else { String::new() };
        let one = if digit == last { digit.to_string() } else { format!("[{digit}-{last}]") };
        let rest = if digits > 0 { format!("[0-9]{{{digits}}}") } else { String::new() };
        parts.push(format!("{before}{one}{rest}"));
        from += (last - digit + 1) * size;
    }
    parts.join("|")
}

/// A number may be in quotes; a key that may be left out may not stand there without a value; and widths of integers are
/// nothing to an editor.
struct ForEditors;

impl Transform for ForEditors {
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
        let number = |key: &str| object.get(key).and_then(Value::as_u64);
        let range = number("minimum")
            .zip(number("maximum"))
            .filter(|_| object.get("type") == Some(&json!("integer")));
        if let Some((least, most)) = range {
            object.insert("type".to_owned(), json!(["integer", "string"]));
            object.insert("pattern".to_owned(), json!(format!("^({})$", between(least, most))));
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
