use crate::compile::{Options, compile};
use crate::schema;
use serde_json::Value;

const LINK: &str = "link: { device: ppp0, profile: vdsl2-pppoe, up: 6.5mbit, down: 25mbit }\n";

/// Returns the message and the first help of each error of a text.
fn said(text: &str) -> Vec<(String, String)> {
    let compiled = compile(text, &Options::of("home.yaml"));
    let first = |help: &[String]| help.first().cloned().unwrap_or_default();
    compiled.errors().map(|own| (own.message.clone(), first(&own.help))).collect()
}

/// Returns the first help of the only error.
fn help(text: &str) -> String {
    let mut all = said(&format!("{LINK}{text}"));
    assert_eq!(all.len(), 1, "{text}: {all:?}");
    all.pop().unwrap().1
}

#[test]
fn a_key_below_above_and_beside_is_told_where_it_belongs() {
    for (text, expected) in [
        (
            "hosts: { tv: { address: 192.0.2.1 } }\nclasses: { a: { host: tv }, r: { default: true } }",
            "`host` is a key of `match`: write `match: { host: tv }`",
        ),
        ("preset: home", "`preset` is a key of `classes`: write `classes: { preset: home }`"),
        ("offloads: keep", "`offloads` is a key of `tuning`: write `tuning: { offloads: keep }`"),
        (
            "lan: { device: br-lan, offloads: keep }",
            "`offloads` is a key of `tuning`: write `tuning: { offloads: keep }` without spaces before it",
        ),
        (
            "classes: { a: { match: { app: sip, guarantee: 5% } }, r: { default: true } }",
            "`guarantee` belongs beside `match`, not inside it",
        ),
        (
            "variants: { night: { when: \"22:00-06:00\", classes: { bulk: { ceiling: 50% } } } }",
            "`classes` is a key of `set`: write `set: { classes: { bulk: { ceiling: 50% } } }`",
        ),
        (
            "variants: { night: { when: \"22:00-06:00\", set: { up: 5mbit } } }",
            "`up` is a key of `link`: write `link: { up: 5mbit }`",
        ),
        (
            "tunnels: { a: { kind: other, remote: 192.0.2.1, tunnels: { b: { kind: gre } } } }",
            "`tunnels` is a section of the file: write it without spaces before it",
        ),
        (
            "templates: { t: { calls: { match: { app: sip } }, r: { default: true } } }\nclasses: { preset: t }",
            "if `calls` is a class, write `classes: { calls: { match: { app: sip } } }`",
        ),
        (
            "classes:\n  r: { default: true }\nvoice: { priority: 0, match: { app: sip } }",
            "if `voice` belongs to `classes` above it, indent it like the lines of `classes`",
        ),
        ("tv: { address: 192.0.2.1 }", "if `tv` is a host, write `hosts: { tv: { address: 192.0.2.1 } }`"),
    ] {
        assert_eq!(help(text), expected, "{text}");
    }
}

#[test]
fn a_mapping_too_many_is_told_and_its_keys_are_not_missing() {
    let text = "links: { a: { link: { device: ppp0, profile: vdsl2-pppoe, up: 6mbit, down: 25mbit } } }\n";
    let all = said(text);
    assert_eq!(all.len(), 1, "{all:?}");
    assert_eq!(all[0].1, "write `device`, `profile`, `up` and `down` one level higher, without `link`");
}

#[test]
fn every_key_of_the_file_is_told_its_place_from_the_top() {
    let schema: Value = serde_json::from_str(schema::text()).unwrap();
    let top = |key: &str| schema["properties"].get(key).is_some();
    let mut told = 0;
    for kind in ["Link", "Lan", "Tuning", "Vary", "Match", "Class", "Host", "Tunnel", "Policer"] {
        for key in schema["definitions"][kind]["properties"].as_object().unwrap().keys() {
            // These keys are also words for something else at the top.
            if top(key) {
                continue;
            }
            let text = format!("{LINK}{key}: 1\n");
            let all = said(&text);
            let own = all
                .iter()
                .find(|(message, _)| message.starts_with(&format!("`{key}` is not a key")))
                .expect(key);
            told += usize::from(own.1.contains(&format!("`{key}` is a key of ")));
        }
    }
    assert!(told > 40, "{told}");
}
