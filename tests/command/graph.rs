//! `qosc graph`: its three formats, and names that try to break out of their quotes.

#![cfg(test)]

use crate::golden;
use std::path::PathBuf;
use std::process::{Command, Output};

const FORMATS: [&str; 3] = ["svg", "dot", "mermaid"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn qosc(arguments: &[&str]) -> Output {
    let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
    qosc.arg("graph").args(arguments).current_dir(root()).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = qosc(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn files() -> Vec<String> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(root().join("examples")).unwrap() {
        files.push(entry.unwrap().path());
    }
    for entry in std::fs::read_dir(root().join("tests/cases")).unwrap() {
        files.push(entry.unwrap().path().join("home.yaml"));
    }
    files.push(root().join("tests/resolve/memory.yaml"));
    files.sort();
    files.into_iter().map(|path| path.to_str().unwrap().to_owned()).collect()
}

/// Writes a file with these lines below `classes`, followed by the rest of the text.
fn file(dir: &tempfile::TempDir, classes: &str, rest: &str) -> String {
    let link = "name: walk\nlink: { device: eth0, profile: docsis, up: 20mbit, down: 200mbit }\nlan: { nat: false }\n";
    let path = dir.path().join("home.yaml");
    std::fs::write(&path, format!("{link}classes:\n{classes}{rest}")).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn graphs_of_examples_match_the_snapshots() {
    for name in ["vdsl2-home", "office-vpn", "tenants"] {
        for format in FORMATS {
            let text = printed(&[&format!("examples/{name}.yaml"), "--format", format]);
            insta::with_settings!({ snapshot_path => "../graph", prepend_module_to_snapshot => false, omit_expression => true }, {
                golden::assert_golden!(format!("{name}.{format}"), text);
            });
        }
    }
}

#[test]
fn a_picture_names_its_variant() {
    let with = |more: &[&str]| printed(&[&["examples/night.yaml"], more].concat());
    assert!(with(&[]).contains("<title>night, while no variant holds: "));
    assert!(with(&["--variant", "evening"]).contains("<title>night, variant evening: "));
}

/// Checks that the picture is well-formed, needs no other file, has a title and a description for screen readers, and
/// stays within the page.
#[expect(clippy::float_arithmetic, reason = "places in a picture are added up")]
fn check_svg(name: &str, text: &str) {
    let svg = roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{name}: {e}"));
    let page = svg.root_element();
    assert_eq!(page.tag_name().namespace(), Some("http://www.w3.org/2000/svg"), "{name}");
    let number = |node: roxmltree::Node<'_, '_>, key: &str| -> f64 {
        node.attribute(key).map_or(0.0, |value| value.parse().unwrap_or_else(|_| panic!("{name}: {value}")))
    };
    let (width, height) = (number(page, "width"), number(page, "height"));
    let first: Vec<&str> = page.children().filter(|n| n.is_element()).map(|n| n.tag_name().name()).collect();
    assert_eq!(first[..2], ["title", "desc"], "{name}");
    for node in page.descendants().filter(roxmltree::Node::is_element) {
        let tag = node.tag_name().name();
        let known = ["svg", "title", "desc", "style", "g", "text", "rect", "line", "path", "circle"];
        assert!(known.contains(&tag), "{name}: {tag}");
        assert!(node.attributes().all(|a| !a.name().starts_with("on") && a.name() != "href"), "{name}");
        let (right, bottom) = match tag {
            "text" => (number(node, "x"), number(node, "y")),
            "rect" => (number(node, "x") + number(node, "width"), number(node, "y") + number(node, "height")),
            "line" => (number(node, "x2"), number(node, "y2")),
            _ => continue,
        };
        assert!(right <= width && bottom <= height, "{name}: a {tag} at {right}, {bottom}");
    }
    let style = text.split_once("<style>").unwrap().1.split_once("</style>").unwrap().0;
    assert!(!style.contains("url") && !style.contains('@'), "{name}: nothing is fetched");
}

/// Checks that quotes open and close on one line, and that everything outside of them is our own text.
fn check_dot(name: &str, text: &str) {
    assert!(text.starts_with("digraph qosc {\n") && text.ends_with("}\n"), "{name}");
    for line in text.lines().filter(|line| line.contains("label=")) {
        let (mut quoted, mut escaped, mut outside) = (false, false, String::new());
        for c in line.chars() {
            match (quoted, escaped, c) {
                (true, true, _) => escaped = false,
                (true, false, '\\') => escaped = true,
                (_, false, '"') => quoted = !quoted,
                (false, ..) => outside.push(c),
                (true, ..) => {}
            }
        }
        assert!(!quoted && !escaped, "{name}: {line}");
        let plain = |c: char| c.is_ascii_alphanumeric() || " =,;[]".contains(c);
        assert!(outside.chars().all(plain), "{name}: {outside}");
    }
}

/// Checks that a label contains only text, numbered characters and line breaks.
fn check_mermaid(name: &str, text: &str) {
    assert!(text.starts_with("flowchart LR\n"), "{name}");
    for line in text.lines().filter(|line| line.contains('"')) {
        let parts: Vec<&str> = line.split('"').collect();
        assert_eq!(parts.len(), 3, "{name}: {line}");
        let label = parts[1].replace("<br/>", "");
        assert!(!label.contains(['<', '>', '`', '%', '{', '}', '[', ']', '&', '\\', '(']), "{name}: {line}");
        for numbered in label.split('#').skip(1) {
            let number = numbered.split_once(';').unwrap_or_else(|| panic!("{name}: {line}")).0;
            assert!(number.parse::<u32>().is_ok(), "{name}: {line}");
        }
    }
}

#[test]
fn every_file_gives_a_valid_graph() {
    for file in files() {
        for format in FORMATS {
            let text = printed(&[&file, "--format", format]);
            assert_eq!(text, printed(&[&file, "--format", format]), "{file}: the same again");
            match format {
                "svg" => check_svg(&file, &text),
                "dot" => check_dot(&file, &text),
                _ => check_mermaid(&file, &text),
            }
            assert!(text.len() < 64_000, "{file}: {} bytes of {format}", text.len());
        }
    }
}

#[test]
fn many_hosts_are_replaced_by_their_number() {
    let text = printed(&["tests/resolve/memory.yaml", "--format", "dot"]);
    assert!(text.contains("and 393 more\\l"), "{text}");
    assert!(text.lines().count() < 40, "{text}");
}

#[test]
fn long_lists_are_cut_with_their_number() {
    let dir = tempfile::tempdir().unwrap();
    let ports: String =
        (1..=40).map(|n| format!("      - {{ protocol: udp, remote_port: {n} }}\n")).collect();
    let file = file(&dir, &format!("  many:\n    match:\n{ports}  rest: {{ default: true }}\n"), "");
    let text = printed(&[&file]);
    assert!(text.contains("udp remote_port 8<") && text.contains("and 32 more"), "{text}");
    assert!(!text.contains("remote_port 9<"), "{text}");
}

const HOSTILE: &str = r##"  "]]>": { match: [{ host: "</text>" }] }
  "\"><script>alert(1)</script>": { match: [{ protocol: udp, remote_port: 1 }] }
  "&amp; &lt; #quot; #35;": { match: [{ protocol: udp, remote_port: 2 }] }
  "\\l \\N \\": { match: [{ protocol: udp, remote_port: 3 }] }
  "%%{init: {}}%% `x` end": { match: [{ protocol: udp, remote_port: 4 }] }
  "שלום": { match: [{ protocol: udp, remote_port: 6 }] }
  "a] --> b[c": { match: [{ protocol: udp, remote_port: 8 }] }
  "rest": { default: true }
"##;

#[test]
fn hostile_names_are_escaped_in_graphs() {
    let dir = tempfile::tempdir().unwrap();
    let hosts = "hosts: { \"</text>\": { address: 10.1.0.5 } }\npolice: { \"'<&>\\\"\": { direction: up, match: [{ protocol: udp, remote_port: 9 }], rate: 1mbit } }\n";
    let file = file(&dir, HOSTILE, hosts);
    let svg = printed(&[&file]);
    check_svg("hostile", &svg);
    let parsed = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = parsed
        .descendants()
        .filter(|n| n.has_tag_name(("http://www.w3.org/2000/svg", "text")))
        .filter_map(|n| n.text())
        .collect();
    let names = [
        "]]>",
        "host </text>",
        "\"><script>alert(1)</script>",
        "&amp; &lt; #quot; #35;",
        "\\l \\N \\",
        "%%{init: {}}%% `x` end",
        "שלום",
        "a] --> b[c",
        "'<&>\"",
    ];
    for name in names {
        assert!(texts.contains(&name), "{name}: {texts:?}");
    }
    check_dot("hostile", &printed(&[&file, "--format", "dot"]));
    check_mermaid("hostile", &printed(&[&file, "--format", "mermaid"]));
}

/// The picture in the README. `QOSC_BLESS=1` updates it.
#[test]
fn the_picture_in_the_readme_is_up_to_date() {
    let text = printed(&["examples/vdsl2-home.yaml"]);
    let path = root().join("docs/pictures/graph.svg");
    if std::env::var_os("QOSC_BLESS").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == text, "docs/pictures/graph.svg is of an older qosc: QOSC_BLESS=1 writes it anew");
    assert!(
        std::fs::read_to_string(root().join("README.md")).unwrap().contains("](docs/pictures/graph.svg)")
    );
}

/// A dump in the form that the script prints: the picture shows which classes exist, and says that there are no
/// counters.
#[test]
fn a_dump_without_counters_shows_which_classes_exist() {
    let text = printed(&["tests/plan/same.yaml", "--dump", "tests/plan/same.dump", "--format", "dot"]);
    assert!(text.contains("The dump has no counters"), "{text}");
    assert!(!text.contains("not in the kernel"), "{text}");
    let text = printed(&["tests/plan/class.yaml", "--dump", "tests/plan/class.dump"]);
    check_svg("class", &text);
    assert!(text.contains(">not in the kernel<"), "{text}");
}

/// The same dump with the counters that `tc -s` adds.
#[test]
fn the_counters_of_a_dump_are_drawn() {
    let dump = std::fs::read_to_string(root().join("tests/plan/same.dump")).unwrap();
    let mut counted = String::new();
    for line in dump.lines() {
        counted += line;
        counted.push('\n');
        if line.starts_with("class htb") || line.starts_with("qdisc ") {
            counted += " Sent 1234567 bytes 1000 pkt (dropped 17, overlimits 3 requeues 0) \n backlog 3028b 2p requeues 0\n";
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("walk.dump");
    std::fs::write(&path, counted).unwrap();
    for format in FORMATS {
        let text = printed(&["tests/plan/same.yaml", "--dump", path.to_str().unwrap(), "--format", format]);
        for words in ["sent 1.18 MiB", "dropped 17, backlog 2 packets, 3028 bytes"] {
            assert!(text.contains(words), "{format}: {text}");
        }
        assert!(!text.contains("no counters"), "{format}: {text}");
    }
}

#[test]
fn invalid_input_is_rejected_without_output() {
    let said = |arguments: &[&str]| {
        let output = qosc(arguments);
        assert!(output.stdout.is_empty(), "{arguments:?}");
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, words) = said(&["tests/resolve/link_missing.yaml"]);
    assert!(code == 1 && words.contains("error["), "{words}");
    let (code, words) = said(&["tests/plan/none.yaml"]);
    assert!(code == 2 && words.contains("cannot read"), "{words}");
    let (code, words) = said(&["examples/cable.yaml", "--dump", "tests/plan/same.dump"]);
    assert!(code == 2 && words.contains("the dump is of link `walk`"), "{words}");
    let (code, words) = said(&["examples/cable.yaml", "--dump", "examples/cable.yaml"]);
    assert!(code == 2 && words.contains("this is not a dump"), "{words}");
    assert_eq!(said(&["-", "--dump", "-"]).0, 2);
    assert_eq!(said(&["examples/cable.yaml", "--format", "png"]).0, 2);
}

/// `--live` runs the script first. Here the device does not exist.
#[test]
fn live_passes_on_the_error_of_the_script() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("home.yaml");
    std::fs::write(&path, "link: { device: nosuchdev0, profile: docsis, up: 1mbit, down: 9mbit }\n").unwrap();
    let output = qosc(&[path.to_str().unwrap(), "--live"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no device nosuchdev0"));
}
