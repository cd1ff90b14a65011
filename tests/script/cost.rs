//! Cost grows linearly with input: twice as much of anything takes twice as long. Without `QOSC_TIMES=yes`, only the
//! smaller input runs, and only the results are checked.
//!
//! The schema lists the keys that may hold many values. A new one without a generator here fails a test.

#![cfg(test)]

use crate::times;
use qosc_compiler::compile::{Compilation, Options};
use qosc_compiler::diag::{CheckedFile, Format, Printed, Together, render, render_together};
use qosc_compiler::model::PerDirection;
use qosc_import::{Wanted as Queues, fireqos, sqm, tc};
use qosc_preview::compare::{self, compare};
use qosc_preview::diff::Look;
use qosc_preview::explain::{Wanted, explain_for, human};
use qosc_preview::graph::{dot, draw, mermaid, svg};
use qosc_preview::live::Dump;
use qosc_preview::plan::{self, Call, plan};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Growth of the input between two measurements.
const GROWTH: u32 = 4;

/// Largest growth of the time, in percent. Linear growth gives 400, and sorting somewhat more. A quadratic part gives
/// 1600.
const MOST: u128 = 600;

/// Measurements of a generator until the shortest times are good enough. Other programs on the machine only ever make a
/// time longer.
const ATTEMPTS: u32 = 6;

/// Number of values in the larger of the two inputs, unless a limit of the compiler or the time of the test demands
/// less.
const USUAL: usize = 4000;

/// A file with about so many values in one key.
type Generator = Box<dyn Fn(usize) -> String>;

/// A file with about so many findings.
type Text = fn(usize) -> String;

/// Asserts that a call takes linear time, for an input of `most` values and for a smaller one.
#[expect(clippy::print_stdout, reason = "figures for people, with --nocapture")]
fn assert_linear(what: &str, most: usize, call: impl Fn(&str), text: impl Fn(usize) -> String) {
    let small = text(most / GROWTH as usize);
    if !times::asserted() {
        return call(&small);
    }
    let large = text(most);
    let (mut few, mut many) = (u128::MAX, u128::MAX);
    for attempt in 1..=ATTEMPTS {
        few = few.min(times::timed(|| call(&small)).1.as_micros());
        many = many.min(times::timed(|| call(&large)).1.as_micros());
        let growth = many * 100 / few.max(1);
        // Below this, the fixed cost of a call hides the rest.
        if growth <= MOST || many < 3000 {
            println!("{what}: {growth} %, {} ms for {most}, attempt {attempt}", many / 1000);
            return;
        }
    }
    panic!("{what}: {GROWTH} times as much input takes {few} us and then {many} us");
}

/// Compiles a text and prints all that follows from it. The codes of its errors must be these: an input that ends in a
/// limit would measure nothing.
fn whole(text: &str, errors: &[&str]) {
    let compiled = qosc_compiler::compile(text, &Options::of("many.yaml"));
    let found: BTreeSet<&str> = compiled.errors().map(|error| error.code.as_str()).collect();
    assert_eq!(found, errors.iter().copied().collect(), "errors in {}", text.get(..300).unwrap_or(text));
    if let Some(script) = compiled.script() {
        std::hint::black_box(script);
    }
    for format in [Format::Human { colour: false }, Format::Short, Format::Json] {
        std::hint::black_box(render(&compiled.findings, &compiled.sources, format));
    }
    std::hint::black_box(Printed::all(&compiled.findings, &compiled.sources));
}

const LINK: &str = "name: many\nlink: { device: eth0, profile: ethernet, up: 10gbit, down: 10gbit }\n";
const LAN: &str = "lan: { device: br-lan, networks: [10.0.0.0/8], nat: false }\n";
const REST: &str = "classes:\n  rest: { default: true }\n";

fn list(values: impl Iterator<Item = String>) -> String {
    format!("[{}]", values.collect::<Vec<_>>().join(", "))
}

/// A line for each number.
fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _infallible = writeln!(text, "  {}", line(number));
        text
    })
}

fn local(number: usize) -> String {
    format!("10.{}.{}.{}", number >> 16 & 255, number >> 8 & 255, number & 255)
}

fn remote(number: usize) -> String {
    format!("198.{}.{}.{}", 18 + (number >> 16 & 1), number >> 8 & 255, number & 255)
}

fn mac(number: usize) -> String {
    format!("02:00:5e:{:02x}:{:02x}:{:02x}", number >> 16 & 255, number >> 8 & 255, number & 255)
}

fn hosts(count: usize) -> String {
    format!("hosts:\n{}", lines(count, |number| format!("h{number}: {{ address: {} }}", local(number))))
}

fn tunnels(count: usize) -> String {
    let tunnel =
        |number| format!("t{number}: {{ kind: ipip, device: t{number}, remote: {} }}", remote(number));
    format!("tunnels:\n{}", lines(count, tunnel))
}

/// The link with this many devices beside the WAN device.
fn link_of(devices: usize) -> String {
    let all: Vec<String> = (0..devices).map(|number| format!("d{number}: {{}}")).collect();
    LINK.replace("device: eth0", &format!("device: eth0, devices: {{ {} }}", all.join(", ")))
}

/// A value of a key of a match, and what the file needs besides.
fn matched(key: &str, count: usize) -> Option<(String, String)> {
    let numbers = |value: fn(usize) -> String| list((0..count).map(value));
    let (values, besides) = match key {
        "host" => (numbers(|number| format!("h{number}")), hosts(count)),
        "tunnel" => (numbers(|number| format!("t{number}")), tunnels(count)),
        "local" => (numbers(local), String::new()),
        "remote" => (numbers(remote), String::new()),
        "protocol" => (numbers(|number| (number % 256).to_string()), String::new()),
        "local_port" | "remote_port" | "port" => {
            (numbers(|number| (1 + 2 * number % 65_000).to_string()), String::new())
        }
        "dscp" => (numbers(|number| (number % 64).to_string()), String::new()),
        "mark" => (numbers(|number| format!("{:#x}", number + 1)), String::new()),
        "length" => {
            (numbers(|number| format!("{}-{}", 40 + number % 1400, 41 + number % 1400)), String::new())
        }
        "app" => (numbers(|number| ["sip", "ssh", "rdp", "ntp"][number % 4].to_owned()), String::new()),
        "ecn" => (numbers(|number| ["not-ect", "ect1", "ect0", "ce"][number % 4].to_owned()), String::new()),
        "tcp" => (numbers(|number| ["ack", "syn", "fin", "rst"][number % 4].to_owned()), String::new()),
        _ => return None,
    };
    let protocol = if key.ends_with("port") { "protocol: udp, " } else { "" };
    Some((format!("{{ {protocol}{key}: {values} }}"), besides))
}

/// Returns a file with many values of a key. `None` if there is no generator for it.
fn generator(key: &str) -> Option<Generator> {
    let file = |rest: fn(usize) -> String| -> Option<Generator> {
        Some(Box::new(move |count| format!("{LINK}{}", rest(count))))
    };
    let of_class = key.strip_prefix("classes.*.match.").and_then(|key| key.strip_suffix("[]"));
    if let Some(of) = of_class.filter(|of| *of != "device") {
        let of = of.to_owned();
        matched(&of, 1)?;
        return Some(Box::new(move |count| {
            let (asked, besides) = matched(&of, count).unwrap_or_default();
            format!("{LINK}{LAN}{besides}{REST}  web: {{ match: [{asked}] }}\n")
        }));
    }
    if let Some(of) = key.strip_prefix("police.*.match.").and_then(|key| key.strip_suffix("[]")) {
        let of = of.to_owned();
        matched(&of, 1)?;
        return Some(Box::new(move |count| {
            let (asked, besides) = matched(&of, count).unwrap_or_default();
            format!(
                "{LINK}{LAN}{besides}{REST}police:\n  p: {{ direction: up, rate: 1mbit, match: [{asked}] }}\n"
            )
        }));
    }
    match key {
        "link.devices{*}" => Some(Box::new(|count| format!("{}{LAN}{REST}", link_of(count)))),
        "classes.*.match.device[]" => Some(Box::new(|count| {
            let asked = list((0..count).map(|number| format!("d{number}")));
            format!("{}{LAN}{REST}  web: {{ match: [{{ device: {asked} }}] }}\n", link_of(count))
        })),
        "lan.device[]" => {
            file(|count| format!("lan: {{ device: {} }}\n", list((0..count).map(|n| format!("lan{n}")))))
        }
        "script.calls[]" => file(|count| {
            let calls = list((0..count).map(|number| ["rate", "metrics"][number % 2].to_owned()));
            format!("script: {{ calls: {calls} }}\n")
        }),
        "lan.networks[]" => file(|count| {
            let networks = list((0..count).map(|number| format!("{}/32", local(2 * number))));
            format!("lan: {{ device: br-lan, networks: {networks} }}\n{}", hosts(count))
        }),
        "hosts{*}" => file(|count| {
            let host = |number| format!("h{number}: {{ address: {}, ceiling: 100mbit }}", local(number));
            format!("{LAN}{REST}hosts:\n{}", lines(count, host))
        }),
        "hosts.*.address[]" => file(|count| {
            format!(
                "{LAN}{REST}hosts:\n  h: {{ address: {}, ceiling: 5mbit }}\n",
                list((0..count).map(local))
            )
        }),
        "hosts.*.mac[]" => file(|count| {
            format!("{LAN}{REST}hosts:\n  h: {{ mac: {}, ceiling: 5mbit }}\n", list((0..count).map(mac)))
        }),
        "tunnels{*}" => file(|count| {
            let tunnel = |n| format!("t{n}: {{ kind: wireguard, device: wg{n}, remote: {} }}", remote(n));
            format!("{LAN}{REST}tunnels:\n{}", lines(count, tunnel))
        }),
        "tunnels.*.remote[]" => file(|count| {
            let remote = list((0..count).map(remote));
            format!(
                "{REST}  web: {{ match: {{ tunnel: t }} }}\ntunnels:\n  t: {{ kind: wireguard, remote: {remote} }}\n"
            )
        }),
        "tunnels.*.port[]" => file(|count| {
            let ports = list((0..count).map(|number| (1 + 2 * number % 65_000).to_string()));
            format!(
                "{REST}  web: {{ match: {{ tunnel: t }} }}\ntunnels:\n  t: {{ kind: wireguard, remote: 198.51.100.7, port: {ports} }}\n"
            )
        }),
        "templates{*}" => file(|count| {
            let class = |n| format!("c{n}: {{ template: t{n}, match: {{ remote: {} }} }}", remote(n));
            let template = |n| format!("t{n}: {{ priority: 5 }}");
            format!("{REST}{}templates:\n{}", lines(count, class), lines(count, template))
        }),
        "classes{*}" => file(|count| {
            format!("{REST}{}", lines(count, |n| format!("c{n}: {{ match: {{ remote: {} }} }}", remote(n))))
        }),
        "classes.*.classes{*}" => file(|count| {
            let children: Vec<String> = (0..count)
                .map(|number| format!("c{number}: {{ match: {{ remote: {} }} }}", remote(number)))
                .collect();
            format!(
                "{REST}  p: {{ match: {{ protocol: tcp }}, classes: {{ own: {{}}, {} }} }}\n",
                children.join(", ")
            )
        }),
        "classes.*.match[]" => file(|count| {
            let all = list((0..count).map(|number| format!("{{ remote: {} }}", remote(number))));
            format!("{REST}  web: {{ match: {all} }}\n")
        }),
        "police{*}" => file(|count| {
            let police = |number| {
                format!(
                    "p{number}: {{ direction: down, rate: 4mbit, match: {{ remote: {} }} }}",
                    remote(number)
                )
            };
            format!("{LAN}{REST}police:\n{}", lines(count, police))
        }),
        "police.*.match[]" => file(|count| {
            let all = list((0..count).map(|number| format!("{{ remote: {} }}", remote(number))));
            format!("{REST}police:\n  p: {{ direction: down, rate: 4mbit, match: {all} }}\n")
        }),
        "variants.*.days[]" => file(|count| {
            let days = list((0..count).map(|_| "mon".to_owned()));
            format!("{REST}variants:\n  night: {{ when: 1:00-2:00, days: {days}, set: {{}} }}\n")
        }),
        "expect[]" => file(|count| {
            format!(
                "{REST}expect:\n{}",
                lines(count, |_| "- { measure: ping, load: upload, p99: 25ms }".to_owned())
            )
        }),
        "{^x-}" => file(|count| {
            format!("{REST}{}", lines(count, |number| format!("x-{number}: 1")).replace("  x-", "x-"))
        }),
        _ => None,
    }
}

/// Adds the keys of a schema that may hold many values: `[]` marks a list, and `{...}` a mapping with free names.
fn keys(schema: &Value, node: &Value, path: &str, inside: &[&str], found: &mut BTreeSet<String>) {
    if let Some(name) = node["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
        // A class contains classes.
        if !inside.contains(&name) {
            keys(schema, &schema["definitions"][name], path, &[inside, &[name]].concat(), found);
        }
    }
    for several in ["allOf", "anyOf", "oneOf"] {
        for one in node[several].as_array().into_iter().flatten() {
            keys(schema, one, path, inside, found);
        }
    }
    if !node["items"].is_null() {
        found.insert(format!("{path}[]"));
        // A match may be a single alternative, which has the same keys.
        let each = if path.ends_with(".match") { path.to_owned() } else { format!("{path}[]") };
        keys(schema, &node["items"], &each, inside, found);
    }
    let below = |key: &str| if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") };
    for (key, value) in node["properties"].as_object().into_iter().flatten() {
        keys(schema, value, &below(key), inside, found);
    }
    for (pattern, value) in node["patternProperties"].as_object().into_iter().flatten() {
        found.insert(format!("{path}{{{pattern}}}"));
        keys(schema, value, &below("*"), inside, found);
    }
    if node["additionalProperties"].is_object() {
        found.insert(format!("{path}{{*}}"));
        keys(schema, &node["additionalProperties"], &below("*"), inside, found);
    }
}

/// Returns all keys of the schema that may hold many values.
fn all_keys() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("schema/qosc.schema.json");
    let schema: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    let mut found = BTreeSet::new();
    keys(&schema, &schema, "", &[], &mut found);
    // The keys of a link, of a template and of a variant are read by the functions of `link` and `classes`. Nobody may
    // include many files, or describe many links or variants. Bounds are two rates, and few addresses are pinged.
    found.retain(|key| !["links.*.", "templates.*.", "variants.*.set."].iter().any(|of| key.starts_with(of)));
    for few in ["include[]", "link.vary.up[]", "link.vary.down[]", "link.vary.probe[]"] {
        found.remove(few);
    }
    found.remove("links{*}");
    found.remove("variants{*}");
    // No policer can match a device.
    found.remove("police.*.match.device[]");
    assert!(found.len() > 30, "{found:?}");
    found
}

/// Returns the number of values in the larger input for a key. Lists that become filters one by one may have 4,000.
fn largest(key: &str) -> usize {
    let of_match = key.split_once(".match.").map(|(section, of)| (section.starts_with("police"), of));
    match (key, of_match) {
        // Both ends of a connection need a filter for each port.
        (_, Some((_, "port[]" | "length[]"))) => 1900,
        (_, Some((true, _))) => 3800,
        (_, Some((false, "host[]" | "local[]" | "remote[]" | "mark[]"))) => USUAL,
        (_, Some((false, _))) => 3800,
        ("tunnels.*.remote[]" | "tunnels.*.port[]" | "police.*.match[]", _) => 3800,
        // Short values cost little, which would hide a quadratic part for longer.
        (
            "lan.device[]" | "hosts.*.address[]" | "hosts.*.mac[]" | "expect[]" | "script.calls[]" | "{^x-}",
            _,
        ) => 4 * USUAL,
        ("tunnels{*}", _) => 4 * USUAL,
        _ => USUAL,
    }
}

/// Measures the keys whose place in the list has this remainder, so that several tests share the work.
fn measure_keys(part: usize) {
    for key in all_keys().iter().enumerate().filter(|(number, _)| number % 4 == part).map(|(_, key)| key) {
        let text = generator(key).unwrap_or_else(|| panic!("write a generator for the key {key}"));
        assert_linear(key, largest(key), |text| whole(text, &[]), &text);
    }
}

/// Classes with these values.
fn classes(count: usize, class: impl Fn(usize) -> String) -> String {
    format!("{REST}{}", lines(count, |number| format!("c{number}: {{ {} }}", class(number))))
}

fn match_remote(number: usize) -> String {
    format!("match: {{ remote: {} }}", remote(number))
}

fn tunnels_of(kind: &str, count: usize) -> String {
    tunnels(count).replace("kind: ipip", &format!("kind: {kind}"))
}

/// A name, the number of values, the codes of the errors that it ends in, and the file.
type Pair = (&'static str, usize, &'static [&'static str], Text);

/// Files with two long lists, of which each entry of one concerns the other list.
const PAIRS: [Pair; 15] = [
    ("a tunnel for each class", USUAL, &[], |count| {
        format!("{LINK}{}{}", tunnels(count), classes(count, |n| format!("match: {{ tunnel: t{n} }}")))
    }),
    ("a tunnel for each alternative", USUAL, &[], |count| {
        let all = list((0..count).map(|number| format!("{{ tunnel: t{number} }}")));
        format!("{LINK}{}{REST}  web: {{ match: {all} }}\n", tunnels(count))
    }),
    ("a tunnel for each policer", USUAL, &[], |count| {
        let police = |n| format!("p{n}: {{ direction: up, rate: 4mbit, match: {{ tunnel: t{n} }} }}");
        format!("{LINK}{}{REST}police:\n{}", tunnels(count), lines(count, police))
    }),
    ("classes beside decrypted tunnels", USUAL, &[], |count| {
        format!("{LINK}{}{}", tunnels_of("wireguard", count), classes(count, match_remote))
    }),
    ("classes beside tunnels of the other family", USUAL, &[], |count| {
        format!("{LINK}{}{}", tunnels_of("sit", count), classes(count, match_remote))
    }),
    ("classes inside all tunnels", 2 * USUAL, &["Q0106"], |count| {
        format!("{LINK}{}{}", tunnels(count / 4), classes(count / 4, match_remote))
    }),
    ("classes inside a class with as many alternatives", 2 * USUAL, &["Q0106"], |count| {
        let own = list((0..count).map(|number| format!("{{ remote: {} }}", remote(number))));
        let children: Vec<String> =
            (0..count).map(|number| format!("c{number}: {{ {} }}", match_remote(number))).collect();
        format!("{LINK}{REST}  p: {{ match: {own}, classes: {{ own: {{}}, {} }} }}\n", children.join(", "))
    }),
    ("hosts with classes, and alternatives", 2000, &[], |count| {
        let all = list((0..count).map(|number| format!("{{ remote: {} }}", remote(number))));
        let host = |number| format!("h{number}: {{ address: {}, class: web }}", local(number));
        format!("{LINK}{LAN}{REST}  web: {{ match: {all} }}\nhosts:\n{}", lines(count, host))
    }),
    ("a host for each class", USUAL, &[], |count| {
        let host = |number| format!("h{number}: {{ address: {}, class: c{number} }}", local(number));
        format!("{LINK}{LAN}{}hosts:\n{}", classes(count, match_remote), lines(count, host))
    }),
    ("prefixes with a class for each device", USUAL / 4, &[], |count| {
        let host =
            |n| format!("h{n}: {{ address: 10.{}.{}.0/30, each: {{ ceiling: 100mbit }} }}", n / 256, n % 256);
        format!("{LINK}{LAN}{REST}hosts:\n{}", lines(count, host))
    }),
    ("a match on a host for each class", USUAL, &[], |count| {
        format!("{LINK}{LAN}{}{}", hosts(count), classes(count, |n| format!("match: {{ host: h{n} }}")))
    }),
    ("an expectation for each class", USUAL, &[], |count| {
        let expect = |n| {
            let last = count - 1 - n;
            format!("- {{ measure: download, of: c{n}, load: download, class: c{last}, rate: 5kbit }}")
        };
        format!("{LINK}{}expect:\n{}", classes(count, match_remote), lines(count, expect))
    }),
    ("an expectation from each host", USUAL, &[], |count| {
        let expect = |n| format!("- {{ measure: ping, load: upload, from: h{n}, p99: 25ms }}");
        format!("{LINK}{LAN}{REST}{}expect:\n{}", hosts(count), lines(count, expect))
    }),
    ("a policer for each class", USUAL, &[], |count| {
        let police = |n| {
            let class = format!("exceed: {{ reclassify: c{} }}", count - 1 - n);
            format!("p{n}: {{ direction: up, rate: 4mbit, {}, {class} }}", match_remote(n))
        };
        format!("{LINK}{}police:\n{}", classes(count, match_remote), lines(count, police))
    }),
    ("guarantees that are too small", USUAL, &[], |count| {
        format!("{LINK}{}", classes(count, |n| format!("guarantee: 9kbit, {}", match_remote(n))))
    }),
];

#[test]
fn pairs_of_long_lists_cost_linear_time() {
    for (what, most, errors, text) in PAIRS {
        assert_linear(what, most, |text| whole(text, errors), text);
    }
}

/// Files with many findings, or with one that is about many places.
const FINDINGS: [Pair; 13] = [
    ("unknown keys", 4000, &["Q0102", "Q0106"], |count| {
        format!("{LINK}{}", lines(count, |n| format!("k{n}: 1")).replace("  k", "k"))
    }),
    ("a key given often", 4000, &["Q0104", "Q0106"], |count| {
        format!("{LINK}hosts:\n{}", lines(count, |_| "a: { address: 10.0.0.1 }".to_owned()))
    }),
    ("wrong values", 4000, &["Q0106", "Q0201"], |count| {
        format!("{LINK}{REST}{}", lines(count, |n| format!("c{n}: {{ guarantee: x }}")))
    }),
    ("wrong values in one line", 4000, &["Q0106", "Q0201"], |count| {
        let classes: Vec<String> = (0..count).map(|n| format!("c{n}: {{ guarantee: x }}")).collect();
        format!("{LINK}classes: {{ rest: {{ default: true }}, {} }}\n", classes.join(", "))
    }),
    ("devices of prefixes that are too many", 4000, &["Q0304"], |count| {
        let host =
            |n| format!("h{n}: {{ address: 10.{}.{}.0/22, each: {{ ceiling: 1mbit }} }}", n / 64, n % 64 * 4);
        format!("{LINK}{LAN}{REST}hosts:\n{}", lines(count, host))
    }),
    ("missing hosts", 4000, &["Q0301"], |count| {
        let named = list((0..count).map(|number| format!("g{number}")));
        format!("{LINK}{LAN}{}{REST}  web: {{ match: {{ host: {named} }} }}\n", hosts(count))
    }),
    ("one address for all hosts", 4000, &[], |count| {
        format!("{LINK}{LAN}{REST}hosts:\n{}", lines(count, |n| format!("h{n}: {{ address: 10.0.0.1 }}")))
    }),
    ("one id for all classes", 4000, &["Q0303"], |count| {
        format!("{LINK}{REST}{}", lines(count, |number| format!("c{number}: {{ id: 7 }}")))
    }),
    ("paths given twice", 3900, &["Q0302"], |count| {
        format!(
            "{LINK}{REST}{}",
            lines(count, |n| format!("p{n}: {{ classes: {{ a: {{}} }} }}\n  p{n}/a: {{}}"))
        )
    }),
    ("classes without packets", 4000, &[], |count| {
        format!("{LINK}{REST}{}", lines(count, |number| format!("c{number}: {{}}")))
    }),
    ("matches that lost their packets", 4000, &[], |count| {
        let class = |number| format!("c{number}: {{ match: {{ protocol: tcp, remote_port: 7 }} }}");
        format!("{LINK}{REST}{}", lines(count, class))
    }),
    ("a comment with many codes", 4 * USUAL, &[], |count| {
        let codes = ["Q0601", "Q06x1"].map(|code| vec![code; count].join(","));
        format!("{LINK}# qosc: allow({})\n# qosc: allow({})\n{REST}", codes[0], codes[1])
    }),
    ("many comments", 4 * USUAL, &[], |count| {
        format!("{LINK}{}{REST}", "# qosc: allow(Q0601)\n".repeat(count))
    }),
];

#[test]
fn many_findings_cost_linear_time() {
    for (what, most, errors, text) in FINDINGS {
        assert_linear(what, most, |text| whole(text, errors), text);
    }
}

/// Classes nested as deeply as HTB allows, each with its own match.
fn trees(count: usize) -> String {
    let chain = |tree: usize| {
        let open: String = (0..7)
            .map(|level| format!("t{tree}-{level}: {{ match: {{ remote: {} }}, classes: {{ ", remote(tree)))
            .collect();
        let closed = open.strip_suffix(", classes: { ").unwrap_or_default();
        format!("{closed}{}", " } }".repeat(6) + " }")
    };
    format!("{LINK}{REST}{}", lines(count / 7, chain))
}

#[test]
fn deep_trees_cost_linear_time() {
    assert_linear("deep trees", 2800, |text| whole(text, &[]), trees);
    let nested = |count: usize| format!("{LINK}x-deep: {}{}\n", "[".repeat(count), "]".repeat(count));
    assert_linear("brackets", 40_000, |text| whole(text, &["Q0106"]), nested);
}

/// Classes with a match each, and hosts with a class each.
fn both(count: usize) -> String {
    let class = |number| format!("c{number}: {{ match: {{ remote: {} }} }}", remote(number));
    let host = |number| format!("h{number}: {{ address: {}, ceiling: 100mbit }}", local(number));
    format!("{LINK}{LAN}{REST}{}hosts:\n{}", lines(count / 2, class), lines(count / 2, host))
}

/// A file as compiled.
fn compiled(text: &str) -> Compilation {
    let compiled = qosc_compiler::compile(text, &Options::of("many.yaml"));
    assert!(compiled.finished().is_some(), "{:?}", compiled.errors().next());
    compiled
}

/// Asserts that a result of compiled files takes linear time. `texts` returns the files for a number of values.
fn assert_linear_result<const N: usize>(
    what: &str,
    most: usize,
    texts: impl Fn(usize) -> [String; N],
    result: impl Fn(&[Compilation; N]),
) {
    let sizes = [most / GROWTH as usize, most];
    let sizes = if times::asserted() { &sizes[..] } else { &sizes[..1] };
    let files = |size: &usize| (size.to_string(), texts(*size).map(|text| compiled(&text)));
    let sizes: Vec<_> = sizes.iter().map(files).collect();
    let call = |size: &str| {
        let files = sizes.iter().find(|(own, _)| own == size).map(|(_, files)| files).unwrap();
        result(files);
    };
    assert_linear(what, most, call, |size| size.to_string());
}

/// The text of a pair.
fn pair(what: &str) -> Text {
    PAIRS.iter().find(|pair| pair.0 == what).unwrap().3
}

#[test]
fn every_result_costs_linear_time() {
    let with_hosts = "a host for each class";
    for what in ["both", with_hosts, "an expectation for each class", "a policer for each class"] {
        let text = if what == "both" { both } else { pair(what) };
        assert_linear_result(
            &format!("explain, {what}"),
            600,
            |count| [text(count)],
            |[file]| {
                let (model, program) = file.finished().unwrap();
                for class in [None, Some("c1")] {
                    let explained = explain_for(model, program, Wanted::default(), class);
                    std::hint::black_box(human(&explained, "many.yaml"));
                }
            },
        );
        assert_linear_result(
            &format!("graph, {what}"),
            4000,
            |count| [text(count)],
            |[file]| {
                let drawing = draw(file.finished().unwrap().0, &PerDirection { up: None, down: None });
                for print in [svg, dot, mermaid] {
                    std::hint::black_box(print(&drawing));
                }
            },
        );
    }
    assert_linear_result(
        "explain, decrypted tunnels",
        4 * USUAL,
        |count| [format!("{LINK}{}{REST}", tunnels_of("wireguard", count))],
        |[file]| {
            let (model, program) = file.finished().unwrap();
            std::hint::black_box(explain_for(model, program, Wanted::default(), None));
        },
    );
    let sarif = |text: &str| {
        let file = qosc_compiler::compile(text, &Options::of("many.yaml"));
        let found = Printed::all(&file.findings, &file.sources);
        let reports = vec![CheckedFile { file: "many.yaml".to_owned(), found, unread: None }; 10];
        std::hint::black_box(render_together(&reports, Together::Sarif(|_| None)));
        std::hint::black_box(render_together(&reports, Together::Junit));
    };
    assert_linear("SARIF", 1200, sarif, |count| {
        format!("{LINK}{REST}{}", lines(count, |number| format!("c{number}: {{}}")))
    });
}

#[test]
fn a_diff_costs_linear_time() {
    let plain = |count: usize| format!("{LINK}{}", classes(count, match_remote));
    // Many more pairs in another order end in a limit.
    let reversed = |count: usize| {
        let class = |number| {
            let number = if number < 100 { 99 - number } else { number };
            format!("c{number}: {{ {} }}", match_remote(number))
        };
        format!("{LINK}{REST}{}", lines(count, class))
    };
    let moved = |count: usize| format!("{LINK}{}", classes(count, |number| match_remote(count - 1 - number)));
    let seconds: [(&str, &dyn Fn(usize) -> String); 4] = [
        ("another rate", &|count| plain(count).replace("up: 10gbit", "up: 9gbit")),
        ("other names", &|count| plain(count).replace("  c", "  d")),
        ("some classes in the reverse order", &reversed),
        ("matches in the reverse order", &moved),
    ];
    for (what, second) in seconds {
        let both = |count| [plain(count), second(count)];
        assert_linear_result(&format!("diff, {what}"), 4000, both, |[old, new]| {
            let found = compare(old.finished().unwrap(), new.finished().unwrap());
            std::hint::black_box(compare::human(&found, Look { verbose: true, colour: false }));
        });
    }
}

/// A dump of a router that has classes of another tool in our tree.
fn dump(count: usize) -> String {
    let mut text = String::new();
    for dev in ["eth0", "ifb-many"] {
        let ids = || (0..count).map(|number| format!("{:x}", 0x1000 + number));
        let _infallible = writeln!(text, "==> tc -d qdisc show dev {dev}");
        text += "qdisc htb c05: root refcnt 2 r2q 10 default 0 direct_packets_stat 0 direct_qlen 1000\n";
        for id in ids() {
            let _infallible =
                writeln!(text, "qdisc fq_codel {id}: parent c05:{id} limit 1000p flows 1024 quantum 300");
        }
        let _infallible = writeln!(text, "==> tc -d class show dev {dev} parent c05:");
        for id in ids() {
            let _infallible =
                writeln!(text, "class htb c05:{id} parent c05:1 leaf {id}: prio 3 rate 1Mbit ceil 1Gbit");
        }
        let _infallible = writeln!(text, "==> tc -d filter show dev {dev} parent c05:");
        for (number, id) in ids().enumerate() {
            let fh = 0x800 + number % 2000;
            let _infallible = writeln!(
                text,
                "filter protocol ip pref {} u32 chain 0 fh 800::{fh:x} order {fh} key ht 800 bkt 0 *flowid c05:{id} not_in_hw\n  match {number:08x}/ffffffff at 16",
                10 + 2 * (number / 2000)
            );
        }
    }
    text
}

fn planned(file: &Compilation, dump: &str) {
    let (_, program) = file.finished().unwrap();
    let call = Call { device: None, take_over: false };
    let planned = plan(program, "many.yaml", &Dump::read(dump).unwrap(), call).unwrap();
    assert!(planned.differs);
    std::hint::black_box(plan::human(&planned, Look { verbose: true, colour: false }));
}

#[test]
fn a_plan_costs_linear_time() {
    let few = compiled(&both(10));
    assert_linear("a dump", 4000, |text| planned(&few, text), dump);
    let other = dump(4000);
    assert_linear_result(
        "a plan of many classes",
        4000,
        |count| [both(count)],
        |[file]| planned(file, &other),
    );
}

/// One interface with so many classes and matches.
fn fire_classes(count: usize) -> String {
    let class = |number| {
        format!(
            "class c{number} commit 10kbit\n match tcp port {} src {}",
            number % 65_000 + 1,
            remote(number)
        )
    };
    format!("interface46 eth0 w output rate 10gbit\n{}", lines(count, class))
}

/// So many uses of a variable, in one line and in many.
fn fire_words(count: usize) -> String {
    let uses = lines(count, |_| "class $V".to_owned());
    format!("V={}\ninterface46 eth0 w output rate 10gbit {}\n{uses}", "x".repeat(100), "$V ".repeat(count))
}

fn sqm_queues(count: usize) -> String {
    let queue = |number| {
        format!(
            "config queue 'q{number}'\n option enabled 1\n option interface eth0\n option script simple.qos\n option upload 9000\n option download 90000"
        )
    };
    lines(count, queue)
}

#[test]
fn an_import_costs_linear_time() {
    let drop = |import: qosc_import::Import| {
        std::hint::black_box(import);
    };
    assert_linear("queues of sqm", 2000, |text| drop(sqm(text, Queues::All, None)), sqm_queues);
    let options =
        |count| format!("config queue\n{}", lines(count, |number| format!("option o{number} {number}")));
    assert_linear("options of sqm", 20_000, |text| drop(sqm(text, Queues::First, None)), options);
    assert_linear("classes of FireQOS", 8000, |text| drop(fireqos(text, Queues::First)), fire_classes);
    assert_linear("words of FireQOS", 8000, |text| drop(fireqos(text, Queues::First)), fire_words);
    let devices = |count| lines(count, |number| format!("interface46 e{number} w output rate 1mbit"));
    assert_linear("devices of FireQOS", 4000, |text| drop(fireqos(text, Queues::First)), devices);
    assert_linear("a dump to import", 4000, |text| drop(tc(text, Queues::First, None)), dump);
    let marks = |count| {
        let filter = |number| {
            format!(
                "filter parent c05: protocol all pref 1 fw chain 0 handle {:#x} classid c05:1000",
                number + 1
            )
        };
        dump(1) + &lines(count, filter)
    };
    assert_linear("marks of tc", 8000, |text| drop(tc(text, Queues::First, None)), marks);
    let flowers = |count| {
        let filter = |number| {
            format!(
                "filter parent c05: protocol ip pref {} flower chain 0 handle 0x1 classid c05:1000\n  dst_ip {}",
                number + 10,
                remote(number)
            )
        };
        dump(1) + &lines(count, filter)
    };
    assert_linear("flower filters of tc", 8000, |text| drop(tc(text, Queues::First, None)), flowers);
    let shapers = |count| lines(count, |number| format!("qdisc tbf 1: dev e{number} root rate 2Mbit"));
    assert_linear("devices of tc", 8000, |text| drop(tc(text, Queues::First, None)), shapers);
}

#[test]
fn every_key_with_many_values_costs_linear_time_1() {
    measure_keys(0);
}

#[test]
fn every_key_with_many_values_costs_linear_time_2() {
    measure_keys(1);
}

#[test]
fn every_key_with_many_values_costs_linear_time_3() {
    measure_keys(2);
}

#[test]
fn every_key_with_many_values_costs_linear_time_4() {
    measure_keys(3);
}
