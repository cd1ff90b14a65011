//! Cost grows linearly with input: twice as much of anything takes twice as long.
//!
//! The schema lists the keys that may hold many values. A new one without a generator here fails a test.

#![cfg(test)]

use qosc::compare::{self, compare};
use qosc::compile::{Compilation, Options};
use qosc::diag::{Format, Report, Together, Told, render, render_together};
use qosc::diff::Look;
use qosc::explain::{Depth, Wanted, explain_for, human};
use qosc::graph::{dot, draw, mermaid, svg};
use qosc::live::{Dump, as_text};
use qosc::model::PerDirection;
use qosc::plan::{self, Call, plan};
use rustix::time::{ClockId, clock_gettime};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;

/// Growth of the input between two measurements.
const GROWTH: u32 = 4;

/// Largest growth of the time, in percent. Linear growth gives 400, and a quadratic part soon gives 1600.
const MOST: u128 = 700;

/// Measurements of a generator until one of them is good enough. Other programs on the machine only ever make one
/// worse.
const ATTEMPTS: u32 = 4;

/// A file with about so many values in one key.
type Generator = Box<dyn Fn(usize) -> String>;

/// A file with about so many findings.
type Text = fn(usize) -> String;

/// Processor time of this thread for a call, in microseconds.
fn time<T>(call: impl FnOnce() -> T) -> u128 {
    let now = || clock_gettime(ClockId::ThreadCPUTime);
    let start = now();
    std::hint::black_box(call());
    let end = now();
    let nanoseconds = i128::from(end.tv_sec - start.tv_sec) * 1_000_000_000 + i128::from(end.tv_nsec)
        - i128::from(start.tv_nsec);
    u128::try_from(nanoseconds / 1000).unwrap()
}

/// Asserts that a call takes linear time for inputs of this size and larger ones.
fn assert_linear(what: &str, size: usize, call: impl Fn(&str), text: impl Fn(usize) -> String) {
    let (small, large) = (text(size), text(size * GROWTH as usize));
    let mut growths = Vec::new();
    for _ in 0..ATTEMPTS {
        let (few, many) = (time(|| call(&small)), time(|| call(&large)));
        growths.push(many * 100 / few.max(1));
        // Below this, the fixed cost of a call hides the rest.
        if growths.last().is_some_and(|growth| *growth <= MOST) || many < 3000 {
            return;
        }
    }
    panic!("{what}: {GROWTH} times as much input takes {growths:?} % of the time");
}

/// Compiles a text and prints all that follows from it.
fn whole(text: &str) {
    let compiled = qosc::compile(text, &Options::of("many.yaml"));
    if let Some(script) = compiled.script() {
        std::hint::black_box(script.unwrap());
    }
    for format in [Format::Human { colour: false }, Format::Short, Format::Json] {
        std::hint::black_box(render(&compiled.findings, &compiled.sources, format));
    }
    std::hint::black_box(Told::all(&compiled.findings, &compiled.sources));
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
    if let Some(of) = key.strip_prefix("classes.*.match.").and_then(|key| key.strip_suffix("[]")) {
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
        "lan.device[]" => {
            file(|count| format!("lan: {{ device: {} }}\n", list((0..count).map(|n| format!("lan{n}")))))
        }
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
    assert!(found.len() > 30, "{found:?}");
    found
}

/// Measures the keys whose place in the list has this remainder, so that several tests share the work.
fn measure_keys(part: usize) {
    for key in all_keys().iter().enumerate().filter(|(number, _)| number % 4 == part).map(|(_, key)| key) {
        let text = generator(key).unwrap_or_else(|| panic!("write a generator for the key {key}"));
        // Short values outside of matches cost little, which would hide a quadratic part for longer.
        let short = !key.contains(".match") && text(1000).len() < 15_000;
        for size in [1000, 8000].into_iter().take(if short { 2 } else { 1 }) {
            assert_linear(key, size, whole, &text);
        }
    }
}

/// Files with many findings, or with one that is about many places.
const FINDINGS: [(&str, Text); 12] = [
    ("unknown keys", |count| format!("{LINK}{}", lines(count, |n| format!("k{n}: 1")).replace("  k", "k"))),
    ("a key given often", |count| {
        format!("{LINK}hosts:\n{}", lines(count, |_| "a: { address: 10.0.0.1 }".to_owned()))
    }),
    ("wrong values", |count| {
        format!("{LINK}{REST}{}", lines(count, |n| format!("c{n}: {{ guarantee: x }}")))
    }),
    ("wrong values in one line", |count| {
        let classes: Vec<String> = (0..count).map(|n| format!("c{n}: {{ guarantee: x }}")).collect();
        format!("{LINK}classes: {{ rest: {{ default: true }}, {} }}\n", classes.join(", "))
    }),
    ("missing hosts", |count| {
        let named = list((0..count).map(|number| format!("g{number}")));
        format!("{LINK}{LAN}{}{REST}  web: {{ match: {{ host: {named} }} }}\n", hosts(count))
    }),
    ("one address for all hosts", |count| {
        format!("{LINK}{LAN}{REST}hosts:\n{}", lines(count, |n| format!("h{n}: {{ address: 10.0.0.1 }}")))
    }),
    ("one id for all classes", |count| {
        format!("{LINK}{REST}{}", lines(count, |number| format!("c{number}: {{ id: 7 }}")))
    }),
    ("names given twice", |count| {
        format!("{LINK}{REST}{}", lines(count, |n| format!("p{n}: {{ classes: {{ a: {{}}, b: {{}} }} }}")))
    }),
    ("classes without packets", |count| {
        format!("{LINK}{REST}{}", lines(count, |number| format!("c{number}: {{}}")))
    }),
    ("matches that lost their packets", |count| {
        let class = |number| format!("c{number}: {{ match: {{ protocol: tcp, remote_port: 7 }} }}");
        format!("{LINK}{REST}{}", lines(count, class))
    }),
    ("a comment with many codes", |count| {
        let codes = ["Q0601", "Q06x1"].map(|code| vec![code; count].join(","));
        format!("{LINK}# qosc: allow({})\n# qosc: allow({})\n{REST}", codes[0], codes[1])
    }),
    ("many comments", |count| format!("{LINK}{}{REST}", "# qosc: allow(Q0601)\n".repeat(count))),
];

#[test]
fn many_findings_cost_linear_time() {
    for (what, text) in FINDINGS {
        assert_linear(what, 1000, whole, text);
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
    assert_linear("deep trees", 700, whole, trees);
    let nested = |count: usize| format!("{LINK}x-deep: {}{}\n", "[".repeat(count), "]".repeat(count));
    assert_linear("brackets", 10_000, whole, nested);
}

/// Classes with a match each, and hosts with a class each.
fn both(count: usize) -> String {
    let class = |number| format!("c{number}: {{ match: {{ remote: {} }} }}", remote(number));
    let host = |number| format!("h{number}: {{ address: {}, ceiling: 100mbit }}", local(number));
    format!("{LINK}{LAN}{REST}{}hosts:\n{}", lines(count / 2, class), lines(count / 2, host))
}

/// A text that makes a file, the file as compiled, and the same line with another rate.
fn compiled(text: &str) -> [Compilation; 2] {
    [text.to_owned(), text.replace("up: 10gbit", "up: 9gbit")].map(|text| {
        let compiled = qosc::compile(text, &Options::of("many.yaml"));
        assert!(compiled.finished().is_some(), "{:?}", compiled.errors().next());
        compiled
    })
}

/// Asserts that a result of two compiled files takes linear time.
fn assert_linear_result(what: &str, size: usize, result: impl Fn(&[Compilation; 2])) {
    let sizes = [size, size * GROWTH as usize].map(|size| (size.to_string(), compiled(&both(size))));
    let call = |size: &str| {
        let files = sizes.iter().find(|(own, _)| own == size).map(|(_, files)| files).unwrap();
        result(files);
    };
    assert_linear(what, size, call, |size| size.to_string());
}

#[test]
fn every_result_costs_linear_time() {
    assert_linear_result("explain", 200, |[file, _]| {
        let (model, program) = file.finished().unwrap();
        for class in [None, Some("c1"), Some("rest/h1")] {
            let explained = explain_for(model, program, Wanted::default(), class);
            std::hint::black_box(human(&explained, "many.yaml", Depth::Full));
            std::hint::black_box(human(&explained, "many.yaml", Depth::Short));
        }
    });
    assert_linear_result("graph", 1000, |[file, _]| {
        let drawing = draw(file.finished().unwrap().0, &PerDirection { up: None, down: None });
        for print in [svg, dot, mermaid] {
            std::hint::black_box(print(&drawing));
        }
    });
    assert_linear_result("diff", 500, |[old, new]| {
        let found = compare(old.finished().unwrap(), new.finished().unwrap());
        std::hint::black_box(compare::human(&found, Look { verbose: true, colour: false }));
    });
    let sarif = |text: &str| {
        let file = qosc::compile(text, &Options::of("many.yaml"));
        let found = Told::all(&file.findings, &file.sources);
        let reports = vec![Report { file: "many.yaml".to_owned(), found, unread: None }; 10];
        std::hint::black_box(render_together(&reports, Together::Sarif(|_| None)));
        std::hint::black_box(render_together(&reports, Together::Junit));
    };
    assert_linear("SARIF", 500, sarif, |count| {
        format!("{LINK}{REST}{}", lines(count, |number| format!("c{number}: {{}}")))
    });
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

#[test]
fn a_plan_costs_linear_time() {
    let [file, _] = compiled(&both(10));
    let (_, program) = file.finished().unwrap();
    let call = |text: &str| {
        let call = Call { device: None, take_over: false };
        let planned = plan(program, "many.yaml", &Dump::read(&as_text(text)).unwrap(), call).unwrap();
        assert!(planned.differs);
        std::hint::black_box(plan::human(&planned, Look { verbose: true, colour: false }));
    };
    assert_linear("a dump", 1000, call, dump);
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
