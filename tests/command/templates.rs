//! `qosc compile --templates`: templates of users, and the promise about their values in `docs/templates.md`.

#![cfg(test)]

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

const HOME: &str = "tests/templates/home.yaml";
const LINE: &str = "examples/vdsl2-home.yaml";

fn qosc(arguments: &[&str]) -> Output {
    let root = env!("CARGO_MANIFEST_DIR");
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(root).output().unwrap()
}

fn printed(arguments: &[&str]) -> String {
    let output = qosc(arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// The types and the values of each field of `--emit context`.
fn fields() -> BTreeMap<String, (BTreeSet<&'static str>, Vec<String>)> {
    fn walk(value: &Value, path: String, all: &mut BTreeMap<String, (BTreeSet<&'static str>, Vec<String>)>) {
        let kind = match value {
            Value::Object(fields) => {
                let dot = if path.is_empty() { "" } else { "." };
                return fields
                    .iter()
                    .for_each(|(name, value)| walk(value, format!("{path}{dot}{name}"), all));
            }
            Value::Array(list) => return list.iter().for_each(|value| walk(value, format!("{path}[]"), all)),
            Value::Bool(_) => "true or false",
            Value::Number(_) => "number",
            Value::String(_) => "text",
            Value::Null => "nothing",
        };
        let field = all.entry(path).or_default();
        field.0.insert(kind);
        field.1.push(value.as_str().map_or_else(|| value.to_string(), str::to_owned));
    }
    let mut all = BTreeMap::new();
    let mut police = tempfile::NamedTempFile::with_suffix(".yaml").unwrap();
    std::io::Write::write_all(
        &mut police,
        read(HOME).replace("25mbit", "25mbit, ingress: none").replace(", bql: 3000", "").as_bytes(),
    )
    .unwrap();
    for file in [HOME, police.path().to_str().unwrap()] {
        walk(
            &serde_json::from_str(&printed(&["compile", "--emit", "context", file])).unwrap(),
            String::new(),
            &mut all,
        );
    }
    all
}

#[test]
fn the_page_lists_the_fields_with_their_types_and_examples() {
    let page = read("docs/templates.md");
    let table = page.split_once("<!-- values -->").unwrap().1.split_once("<!-- end of values -->").unwrap().0;
    let mut fields = fields();
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let (name, example) = (cells[0].trim_matches('`'), cells[3].trim_matches(['`', '|', ' ']));
        let (kinds, values) = fields.remove(name).unwrap_or_else(|| panic!("there is no field {name}"));
        let kinds: Vec<&str> = kinds.into_iter().rev().collect();
        assert_eq!(kinds.join(" or "), cells[1], "{name}");
        assert!(
            example.is_empty() || values.iter().any(|v| v == example),
            "{name}: {example} is none of {values:?}"
        );
    }
    assert!(fields.is_empty(), "the page lacks {:?}", fields.keys());
}

/// `tests/templates/context-N.txt` lists what version N promised. A field that is removed or has another type is refused:
/// raise `VERSION` in `crates/compiler/src/emit/values.rs`, and write a new list. With QOSC_BLESS=1, new fields are added.
#[test]
fn a_version_of_the_values_keeps_its_fields() {
    let fields = fields();
    let version = &fields["context_version"].1[0];
    let now: BTreeSet<String> = fields
        .iter()
        .map(|(name, (kinds, _))| format!("{name}: {}", kinds.iter().copied().collect::<Vec<_>>().join(", ")))
        .collect();
    let list = format!("tests/templates/context-{version}.txt");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&list);
    let promised = std::fs::read_to_string(&path).unwrap_or_default();
    let promised: BTreeSet<String> = promised.lines().map(str::to_owned).collect();
    let broken: Vec<_> = promised.difference(&now).collect();
    assert!(broken.is_empty(), "version {version} of the values promises {broken:#?}: raise the version");
    if std::env::var_os("QOSC_BLESS").is_some() {
        let lines: Vec<_> = now.iter().cloned().collect();
        std::fs::write(path, lines.join("\n") + "\n").unwrap();
        return;
    }
    let new: Vec<_> = now.difference(&promised).collect();
    assert!(new.is_empty(), "{list} lacks {new:#?}; QOSC_BLESS=1 adds them");
}

#[test]
fn the_examples_of_the_page_work() {
    let page = read("docs/templates.md");
    let block = |name: &str| {
        let after = page.split_once(&format!("<!-- {name} -->")).unwrap().1;
        after.split_once("```text\n").unwrap().1.split_once("```").unwrap().0.to_owned()
    };
    let wiki = "tests/templates/wiki";
    assert_eq!(block("classes.md.tera"), read("tests/templates/wiki/classes.md.tera"));
    assert_eq!(block("script.sh.tera").trim_end(), read("tests/templates/wiki/script.sh.tera"));
    assert_eq!(
        block("classes.md"),
        printed(&["compile", LINE, "--templates", wiki, "--template", "classes.md"])
    );

    let noted = printed(&["compile", LINE, "--templates", wiki]);
    let plain = printed(&["compile", LINE]);
    let without = noted.replace("# Asset 4711, owner: network team\n", "");
    assert_ne!(noted, without);
    let bare =
        |script: &str| script.lines().filter(|l| !l.starts_with("digest=")).collect::<Vec<_>>().join("\n");
    assert_eq!(bare(&without), bare(&plain));
    // The digest belongs to the script: another note is another script.
    let digest = |script: &str| script.lines().find(|l| l.starts_with("digest=")).unwrap().to_owned();
    assert_ne!(digest(&noted), digest(&plain));
    // `diff` reads the script of a user's frame.
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("home.sh");
    std::fs::write(&file, &noted).unwrap();
    assert_eq!(qosc(&["diff", file.to_str().unwrap(), LINE]).status.code(), Some(0));
    assert!(Command::new("sh").arg("-n").arg(&file).status().unwrap().success());
}

/// The message for a folder with these templates.
fn refused(templates: &[(&str, &str)], more: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in templates {
        std::fs::write(dir.path().join(name), text).unwrap();
    }
    let folder = dir.path().to_str().unwrap();
    let output = qosc(&[&["compile", LINE, "--templates", folder], more].concat());
    assert_eq!(output.status.code(), Some(2), "{templates:?}");
    assert!(output.stdout.is_empty());
    String::from_utf8(output.stderr).unwrap().replace(folder, "DIR")
}

#[test]
fn an_error_names_file_line_and_reason() {
    let bad = |text: &str| refused(&[("a.tera", text)], &["--template", "a"]);
    let known = "the variables are classes, context_version, device, engine, hosts, layer, line, link, mpu, overhead, profile, script, shaped, source, tunnels, version";
    for (text, message) in [
        ("\n{{ linc }}", format!("DIR/a.tera:2:4: variable `linc` is not defined; {known}")),
        ("{{ line.upp }}", "DIR/a.tera:1:9: field `upp` is not defined; the fields are down, up".to_owned()),
        (
            "{% include '/etc/passwd' %}",
            "DIR/a.tera:1:12: unknown template `/etc/passwd`; the templates are `a.tera`, `qosc/script.sh.tera`, `qosc/plain.sh.tera`, `script.sh.tera`, `plain.sh.tera`".to_owned(),
        ),
        (
            "\n{% extends 'nope' %}",
            "DIR/a.tera:2:13: unknown template `nope`; the templates are `a.tera`, `qosc/script.sh.tera`, `qosc/plain.sh.tera`, `script.sh.tera`, `plain.sh.tera`".to_owned(),
        ),
        (
            "{% extends 'qosc/script.sh.tera' %}{% block haed %}{% endblock %}",
            "DIR/a.tera:1:45: block `haed` is not defined in any parent template; the block of `qosc/script.sh.tera` is `head`".to_owned(),
        ),
        (
            "{{ link | nope }}",
            "DIR/a.tera:1:11: unknown filter `nope`; the filters are `rate` and those of Tera".to_owned(),
        ),
        (
            "hots {% for c in clases %}{% endfor %}",
            "DIR/a.tera:1:18: iteration not possible on type `undefined`; `clases` is not defined; did you mean `classes`?".to_owned(),
        ),
        (
            "{% for c in line.upp %}{% endfor %}",
            "DIR/a.tera:1:13: iteration not possible on type `undefined`; `line.upp` is not defined; the fields are `up`, `down`".to_owned(),
        ),
        (
            "{% for c in classes %}{{ c.ceiling.no | rate }}{% endfor %}",
            "DIR/a.tera:1:26: invalid type for the value, expected a whole number but got `undefined`; a name in this line is not defined: see `--emit context`".to_owned(),
        ),
        (
            "{% if clases | length > 0 %}{% endif %}",
            "DIR/a.tera:1:16: value of type undefined has no length; `clases` is not defined; did you mean `classes`?".to_owned(),
        ),
        (
            "{% for c in classes %}",
            "DIR/a.tera:1:23: unexpected end of input; a tag such as `{% endfor %}`, `{% endif %}` or `{% endblock %}` is missing".to_owned(),
        ),
        (
            "{% for c in classes %}{% endif %}",
            "DIR/a.tera:1:26: unknown tag; end each block with its own tag, such as `{% endfor %}` for `{% for %}`".to_owned(),
        ),
        (
            "{{ link | rate }}",
            "DIR/a.tera:1:4: invalid type for the value, expected a whole number but got `string`".to_owned(),
        ),
        ("{{ throw(message='\u{1b}[2JAs I like') }}", "DIR/a.tera:1:4: \u{fffd}[2JAs I like".to_owned()),
        (
            "{% for i in range(end=99999) %}{{ script.runtime }}{% endfor %}",
            "DIR/a.tera: the result is larger than 64 MiB".to_owned(),
        ),
    ] {
        assert_eq!(bad(text), format!("error: {message}\n"));
    }
    assert!(bad("{% if %}").starts_with("error: DIR/a.tera:1:7: found `%}` but expected one of"));
    assert!(bad("{% include 'a.tera' %}").contains("circular include"));
    assert_eq!(
        refused(&[("list.tera", "")], &["--template", "lits"]),
        "error: there is no template `lits` in `DIR`; did you mean `list`?\n"
    );
    assert_eq!(refused(&[], &[]), "error: there is no template (`*.tera`) in `DIR`\n");
    assert!(refused(&[("a.tera", "")], &["--emit", "ir"]).contains("changes only the scripts"));
}

#[test]
fn a_frame_that_leaves_out_something_is_refused() {
    let built_in = read("templates/script.sh.tera");
    for (gone, lacks) in [
        ("{{ link }}", "the first two lines of the built-in frame"),
        ("{{ s.name }}={{ s.value }}", "a line `NAME=VALUE` for each of `script.settings`"),
        ("digest='{{ script.digest }}'", "the line `digest='{{ script.digest }}'`"),
        ("{{ t.name }}='", "the lines of each of `script.texts`, in quotes"),
        ("{{ script.runtime }}", "`{{ script.runtime }}`"),
        ("{{ script.carried }}", "`{{ script.carried }}` at its end"),
    ] {
        let frame = built_in.replacen(gone, "", 1);
        assert_ne!(frame, built_in);
        let message = refused(&[("script.sh.tera", &frame)], &[]);
        assert_eq!(message, format!("error: DIR/script.sh.tera: the script does not work without {lacks}\n"));
    }
    let frame = read("templates/plain.sh.tera").replace("in plain.objects", "in plain.links");
    let message = refused(&[("plain.sh.tera", &frame)], &["--emit", "plain"]);
    assert!(message.contains("does not work without the lines of `plain.objects`"), "{message}");
}

#[test]
fn no_file_outside_of_the_folder_is_read_and_sizes_are_limited() {
    let dir = tempfile::tempdir().unwrap();
    let folder = dir.path().join("templates");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(dir.path().join("secret"), "secret").unwrap();
    let call = || {
        let output = qosc(&["compile", LINE, "--templates", folder.to_str().unwrap(), "--template", "a"]);
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    std::os::unix::fs::symlink("../secret", folder.join("a.tera")).unwrap();
    assert!(call().ends_with("it is a link to a file outside of the folder\n"));
    std::fs::remove_file(folder.join("a.tera")).unwrap();
    std::fs::write(folder.join("a.tera"), "x".repeat(3 << 20)).unwrap();
    std::fs::write(folder.join("b.tera"), "x".repeat(3 << 20)).unwrap();
    assert!(call().ends_with("b.tera`: the templates of the folder are larger than 4 MiB\n"));
    std::fs::remove_file(folder.join("b.tera")).unwrap();
    for number in 0..100 {
        std::fs::write(folder.join(format!("{number}.tera")), "").unwrap();
    }
    assert!(call().ends_with("it has more than 100 templates\n"));
}

#[test]
fn markup_is_escaped_by_the_name_of_the_template() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["a.html", "a.txt"] {
        std::fs::write(dir.path().join(format!("{name}.tera")), "{{ '<b>' }}").unwrap();
    }
    let folder = dir.path().to_str().unwrap();
    assert_eq!(printed(&["compile", LINE, "--templates", folder, "--template", "a.html"]), "&lt;b&gt;");
    assert_eq!(printed(&["compile", LINE, "--templates", folder, "--template", "a.txt"]), "<b>");
}
