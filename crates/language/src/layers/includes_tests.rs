use super::path;
use crate::layers::fixture::{Texts, section, section_with};
use crate::syntax;

fn hosts(text: &str, files: &[(&str, &str)]) -> (String, Vec<String>) {
    section(text, None, files, "hosts")
}

#[test]
fn later_files_and_the_configuration_itself_win() {
    let files =
        [("a.yaml", "hosts: {x: {address: 1}, y: {address: 2}}"), ("b.yaml", "hosts: {y: {address: 3}}")];
    let text = "include: [a.yaml, b.yaml]\nhosts: {x: {mac: 4}}\n";
    assert_eq!(hosts(text, &files), ("{x: {address: 1, mac: 4}, y: {address: 3}}".to_owned(), vec![]));
    let other = text.replace("[a.yaml, b.yaml]", "[b.yaml, a.yaml]");
    assert_eq!(hosts(&other, &files).0, "{y: {address: 2}, x: {address: 1, mac: 4}}");
    let none = "include: a.yaml\nhosts: {x: null}\n";
    assert_eq!(hosts(none, &files).0, "{y: {address: 2}}");
}

#[test]
fn a_path_counts_from_the_folder_of_the_including_file() {
    let files = [
        ("shared/all.yaml", "include: [hosts/nas.yaml, ../more.yaml]"),
        ("shared/hosts/nas.yaml", "hosts: {nas: {}}"),
        ("more.yaml", "hosts: {more: {}}"),
    ];
    assert_eq!(hosts("include: ./shared//all.yaml\n", &files), ("{nas: {}, more: {}}".to_owned(), vec![]));
}

#[test]
fn a_file_may_be_included_twice() {
    let files = [
        ("a.yaml", "include: c.yaml\nhosts: {a: {}}"),
        ("b.yaml", "include: c.yaml\nhosts: {c: {mac: 1}}"),
        ("c.yaml", "hosts: {c: {}}"),
    ];
    assert_eq!(hosts("include: [a.yaml, b.yaml]\n", &files), ("{c: {mac: 1}, a: {}}".to_owned(), vec![]));
}

#[test]
fn every_error_has_its_place() {
    let files = [
        ("a.yaml", "hosts: {x: {}}\ninclude: [b.yaml, gone.yaml]"),
        ("b.yaml", "\ninclude: a.yaml\nname: other"),
        ("list.yaml", "[1, 2]"),
        ("bad.yaml", "a: 1\nb: [\n"),
    ];
    let text = "include:\n  - a.yaml\n  - list.yaml\n  - bad.yaml\n  - /etc/x.yaml\n  - ../y.yaml\n  - ''\n";
    let (hosts, found) = hosts(text, &files);
    assert_eq!(hosts, "{x: {}}");
    assert_eq!(
        found,
        [
            "b.yaml:3: an included file cannot have a `name`",
            "b.yaml:2: `a.yaml` includes itself, by way of `a.yaml` and `b.yaml`",
            "a.yaml:2: cannot read `gone.yaml`: there is no such file",
            "home.yaml:3: `list.yaml` is a list, not a mapping of sections",
            "bad.yaml:2: this bracket is never closed",
            "home.yaml:5: cannot include `/etc/x.yaml`: this is no path from the folder of the configuration",
            "home.yaml:6: cannot include `../y.yaml`: it is outside of the folder of the configuration",
            "home.yaml:7: cannot include ``: this is no name of a file",
        ]
    );
}

#[test]
fn the_number_the_depth_and_the_size_have_limits() {
    let chain: Vec<(String, String)> = (0..10)
        .map(|n| (format!("{n}.yaml"), format!("include: {}.yaml\nhosts: {{h{n}: {{}}}}", n + 1)))
        .collect();
    let texts = |all: &[(String, String)]| {
        all.iter().map(|(path, text)| (path.as_str().to_owned(), text.clone())).collect::<Vec<_>>()
    };
    let all = texts(&chain);
    let files = Texts(all.iter().map(|(path, text)| (path.as_str(), text.clone())).collect());
    let (_, found) = section_with("include: 0.yaml\n", None, &files, "hosts");
    assert_eq!(found, ["7.yaml:1: more than 8 files include each other in a chain"]);

    let list = ["1"; 10_000].join(", ");
    let file = [("0.yaml", format!("hosts: {{}}\nx-a: [{list}]\n"))];
    let files = Texts(file.into_iter().collect());
    let again = |count| format!("include: [{}]\n", vec!["0.yaml"; count].join(", "));
    assert_eq!(section_with(&again(70), None, &files, "hosts").1, [""; 0]);
    let (_, found) = section_with(&again(1000), None, &files, "hosts");
    assert_eq!(found.last().map(String::as_str), Some("beyond the budget"));

    let most = "#".repeat(syntax::MAX_BYTES);
    let large = format!("{most}#");
    assert_eq!(
        hosts("include: a.yaml\n", &[("a.yaml", &large)]).1,
        ["a.yaml:1: the file is larger than 4 MiB"]
    );
    assert_eq!(hosts("include: a.yaml\n", &[("a.yaml", &most)]).1.len(), 1, "no mapping");
}

#[test]
fn no_path_leads_out_of_the_folder() {
    for (name, from, expected) in [
        ("a.yaml", "", Some("a.yaml")),
        ("b/../a.yaml", "", Some("a.yaml")),
        ("../a.yaml", "b/c.yaml", Some("a.yaml")),
        ("../../a.yaml", "b/c.yaml", None),
        ("b/../../a.yaml", "", None),
        ("C:a.yaml", "", None),
        ("HEAD:a.yaml", "", None),
        ("b\\a.yaml", "", None),
        ("b/", "", None),
        ("a\n.yaml", "", None),
        (".env", "", None),
        (".git/config", "", None),
        ("../.env", "b/c.yaml", None),
    ] {
        assert_eq!(path(name, from).ok().as_deref(), expected, "{name:?} from {from:?}");
    }
}
