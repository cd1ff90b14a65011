use super::{Carried, Made, carried, made_by};
use proptest::prelude::*;

fn one(yaml: &str) -> Carried {
    Carried { yaml: yaml.to_owned(), ..Carried::default() }
}

fn carry(yaml: &str) -> String {
    super::carry(&one(yaml))
}

/// Returns a script that carries the YAML; words that look like the first line's separator come before it.
fn script(yaml: &str) -> String {
    format!(
        "#!/bin/sh\n# home: made by qosc 1.0.0 from a from b.yaml. Change the YAML and compile again.\necho hi\n{}",
        carry(yaml)
    )
}

#[test]
fn included_files_and_the_link_are_read_back() {
    let files = ["", "\n", "hosts: {}\n", "a", "a\n\u{2028}", "# --- included: b ---"].map(str::to_owned);
    let named = files.iter().cloned().enumerate();
    let whole = Carried {
        yaml: "include: [0.yaml]".to_owned(),
        link: Some("lte".to_owned()),
        files: named.map(|(number, text)| (format!("shared/{number}.yaml"), text)).collect(),
    };
    let start = script("");
    let (start, _) = start.split_once("# ---").unwrap();
    let text = format!("{start}{}", super::carry(&whole));
    assert_eq!(carried(&text), Some(whole));
    // the link stands above all texts, once
    assert_eq!(carried(&text.replace("---\n# |", "---\n# --- of its links: dsl ---\n# |")), None);
}

#[test]
fn the_yaml_in_a_script_is_read_back() {
    for yaml in [
        "",
        "\n",
        "a",
        "a\n",
        "a\n\n",
        "\n\na\n b",
        " ",
        "a\r\nb\r\n",
        "a\rb",
        "\r",
        "\0",
        "a\u{2028}b\\n\u{85}c",
        "\\u{d}\r\\\\",
        "\u{feff}link: {}\n",
        "# | a\n# \\ b\n",
        "# --- without a line feed at its end ---\n",
        "# --- without a line feed at its end ---",
        "\u{202e}x\t\n",
        "###[a\\ ##[b ##vso[c ## [\n",
    ] {
        assert_eq!(carried(&script(yaml)), Some(one(yaml)), "{yaml:?}");
        // a script can carry another script
        assert_eq!(carried(&script(&script(yaml))), Some(one(&script(yaml))));
    }
}

#[test]
fn the_yaml_is_carried_as_comments() {
    assert!(carry("a\n\n b\n").ends_with("---\n# | a\n# |\n# |  b\n"));
    assert!(
        carry("a\\\r\nb")
            .ends_with("---\n# \\ a\\\\\\u{d}\n# | b\n# --- without a line feed at its end ---\n")
    );
    assert!(carry("a: ##[error]\n").ends_with("---\n# \\ a: \\u{23}#[error]\n"));
}

#[test]
fn a_cut_or_edited_script_carries_no_yaml() {
    let whole = script("a: 1\n");
    assert_eq!(carried(&whole.replace("# | a", "a")), None);
    assert_eq!(carried(&(whole.clone() + "echo more\n")), None);
    assert_eq!(carried("#!/bin/sh\n"), None);
    assert_eq!(carried(&script("a\r").replace("u{d}", "u{110000}")), None);
    assert_eq!(carried(&script("a\r").replace("u{d}", "n")), None);
    assert_eq!(carried(&(script("a") + "# | more\n")), None);
    assert_eq!(carried(&whole.replace("# | ", "# |")), None);
}

#[test]
fn a_script_states_its_link_version_and_source() {
    let made = Made { link: "home", version: "1.0.0", source: "a from b.yaml" };
    assert_eq!(made_by(&script("")), Some(made));
    for other in
        ["", "#!/bin/sh\n", "#!/bin/sh\n# made by hand\n", "link: {}\n", " #!/bin/sh\n# home: made by qosc 1"]
    {
        assert_eq!(made_by(other), None, "{other}");
    }
}

proptest! {
    #[test]
    fn any_text_in_a_script_is_read_back(yaml in any::<String>()) {
        let script = script(&yaml);
        prop_assert_eq!(carried(&script), Some(one(&yaml)));
    }

    #[test]
    fn any_line_ends_in_a_script_are_read_back(yaml in "([\\\\u{}d|#a\r \t\u{2028}]|\n)*") {
        prop_assert_eq!(carried(&script(&yaml)), Some(one(&yaml)));
    }

    #[test]
    fn no_carried_text_ends_its_comment(yaml in any::<String>()) {
        let comments = carry(&yaml);
        let unfit = comments.contains(['\r', '\0', '\u{1b}', '\u{2028}']);
        let all = comments.split_terminator('\n').all(|line| line.starts_with('#'));
        prop_assert!(all && !unfit);
    }

    #[test]
    fn reading_any_script_never_panics(script in any::<String>()) {
        let _ = (carried(&script), made_by(&script));
    }
}
