//! JSON for people, with a line for each object of a list.

use serde_json::{Map, Value};

/// Prints a value. An object that contains a list of objects has a line for each key, and such a list has a line for
/// each object. All other values stay on one line.
#[must_use]
pub fn lines(value: &Value) -> String {
    let mut text = String::new();
    print(value, 0, &mut text);
    text.push('\n');
    text
}

/// Prints an object in the same form, with a line for each key. `list` returns the elements of a key whose list is left
/// out of the object. Only one of them is in memory at a time.
#[must_use]
pub fn lines_with<'a>(
    fields: &Map<String, Value>,
    list: impl Fn(&str) -> Option<Box<dyn Iterator<Item = Value> + 'a>>,
) -> String {
    let mut text = String::new();
    separated('{', '}', fields, Some(0), &mut text, |(key, value), text| {
        print_key(key, text);
        let mut items = list(key).into_iter().flatten().peekable();
        if items.peek().is_some() {
            separated('[', ']', items, Some(1), text, |value, text| print_inline(&value, text));
        } else {
            print(value, 1, text);
        }
    });
    text.push('\n');
    text
}

fn is_list_of_objects(value: &Value) -> bool {
    matches!(value, Value::Array(items) if items.iter().any(Value::is_object))
}

fn has_list_of_objects(fields: &Map<String, Value>) -> bool {
    fields.values().any(|value| match value {
        Value::Object(fields) => has_list_of_objects(fields),
        other => is_list_of_objects(other),
    })
}

fn print(value: &Value, depth: usize, text: &mut String) {
    match value {
        Value::Object(fields) if has_list_of_objects(fields) => {
            separated('{', '}', fields, Some(depth), text, |(key, value), text| {
                print_key(key, text);
                print(value, depth + 1, text);
            });
        }
        Value::Array(items) if is_list_of_objects(value) => {
            separated('[', ']', items, Some(depth), text, print_inline);
        }
        other => print_inline(other, text),
    }
}

fn print_inline(value: &Value, text: &mut String) {
    match value {
        Value::Object(fields) => separated('{', '}', fields, None, text, |(key, value), text| {
            print_key(key, text);
            print_inline(value, text);
        }),
        Value::Array(items) => separated('[', ']', items, None, text, print_inline),
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn print_key(key: &str, text: &mut String) {
    text.push_str(&Value::from(key).to_string());
    text.push_str(": ");
}

/// Prints elements between brackets. If `depth` is given, each element has its own line; otherwise all share one line.
fn separated<T>(
    open: char,
    close: char,
    elements: impl IntoIterator<Item = T>,
    depth: Option<usize>,
    text: &mut String,
    mut element: impl FnMut(T, &mut String),
) {
    let new_line = |depth: usize, text: &mut String| {
        text.push('\n');
        text.push_str(&"  ".repeat(depth));
    };
    text.push(open);
    for (number, one) in elements.into_iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        match depth {
            Some(depth) => new_line(depth + 1, text),
            None if number > 0 => text.push(' '),
            None => {}
        }
        element(one, text);
    }
    if let Some(depth) = depth {
        new_line(depth, text);
    }
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::{lines, lines_with};
    use serde_json::{Value, json};

    #[test]
    fn each_object_of_a_list_is_on_one_line() {
        let value = json!({
            "link": "home",
            "charge": { "mpu": 64, "names": ["a", "b"] },
            "classes": [{ "id": "c05:1", "of": [{ "deep": true }] }, { "id": "c05:2", "of": [] }],
            "scale": { "up": { "police": [{ "index": 1 }] }, "down": {} },
        });
        let expected = r#"{
  "link": "home",
  "charge": {"mpu": 64, "names": ["a", "b"]},
  "classes": [
    {"id": "c05:1", "of": [{"deep": true}]},
    {"id": "c05:2", "of": []}
  ],
  "scale": {
    "up": {
      "police": [
        {"index": 1}
      ]
    },
    "down": {}
  }
}
"#;
        assert_eq!(lines(&value), expected);
    }

    #[test]
    fn a_list_that_was_left_out_is_printed_at_its_place() {
        let mut value =
            json!({ "link": "home", "classes": [{ "id": 1, "of": [{}] }, { "id": 2 }], "more": [] });
        let whole = lines(&value);
        let list = value["classes"].take();
        let classes = |key: &str| match key {
            "classes" => {
                Some(Box::new(list.as_array()?.clone().into_iter()) as Box<dyn Iterator<Item = Value>>)
            }
            _ => None,
        };
        assert_eq!(lines_with(value.as_object().unwrap(), classes), whole);
    }

    #[test]
    fn formatting_keeps_the_content() {
        let odd = json!(["\u{7f}\n\"\\ é", null, -1, 1.5, [], {}, [[{}]], { "": { "a b": [{ "\t": 0 }] } }]);
        for value in [odd, json!(7), json!("text"), json!([]), json!({}), json!({ "a": [1, { "b": 2 }] })] {
            assert_eq!(serde_json::from_str::<Value>(&lines(&value)).unwrap(), value);
        }
    }
}
