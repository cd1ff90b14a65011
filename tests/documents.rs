//! What the documents say: the README's example compiles, its finding is the one that is printed, every key is explained,
//! every link leads somewhere.

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;
    use std::process::{Command, Output};

    fn read(file: &str) -> String {
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(file)).expect("a document")
    }

    /// The first code block of this language.
    fn block<'a>(text: &'a str, language: &str) -> &'a str {
        let (_, rest) = text.split_once(&format!("```{language}\n")).expect("a code block");
        rest.split_once("```").expect("its end").0
    }

    fn check(yaml: &str) -> Output {
        let dir = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(dir.path().join("home.yaml"), yaml).expect("a file");
        let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
        qosc.args(["check", "home.yaml"]).current_dir(dir.path()).output().expect("qosc runs")
    }

    fn said(output: &Output) -> String {
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    #[test]
    fn the_readmes_example_is_right() {
        let readme = read("README.md");
        let output = check(block(&readme, "yaml"));
        assert!(output.status.success(), "{}", said(&output));
    }

    #[test]
    fn the_readmes_finding_is_what_is_printed() {
        let readme = read("README.md");
        let wrong = block(&readme, "yaml").replacen("priority:", "prioritty:", 1);
        let printed = said(&check(&wrong));
        let shown: Vec<&str> =
            block(&readme, "text").lines().filter(|line| !line.trim().is_empty()).collect();
        let indent = shown.iter().map(|l| l.len() - l.trim_start().len()).min().unwrap_or_default();
        let shown: String =
            shown.iter().map(|line| line.split_at(indent).1.trim_end().to_owned() + "\n").collect();
        assert!(printed.contains(&shown), "the README shows\n{shown}\nand qosc prints\n{printed}");
    }

    #[test]
    fn the_readmes_diff_is_what_is_printed() {
        let readme = read("README.md");
        let old = block(&readme, "yaml");
        let backup = "  backup:\n    priority: 6\n    match:\n      - { protocol: tcp, remote_port: 873 }\n  others:\n";
        let new = old.replace("6.5mbit", "8mbit").replace("400kbit", "500kbit").replace("  rest:\n", backup);
        let dir = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(dir.path().join("old.yaml"), old).expect("a file");
        std::fs::write(dir.path().join("new.yaml"), new).expect("a file");
        let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
        let output =
            qosc.args(["diff", "old.yaml", "new.yaml"]).current_dir(dir.path()).output().expect("qosc runs");
        let (_, after) = readme.split_once("## Before a change").expect("the section");
        assert_eq!(block(after, "text"), said(&output));
    }

    /// The README's plans are of dumps that `tests/plan.rs` plans.
    #[test]
    fn the_readmes_plans_are_what_is_printed() {
        let readme = read("README.md");
        for name in ["class", "drift", "rebuilt"] {
            let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
            let arguments = ["plan", &format!("{name}.yaml"), "--dump", &format!("{name}.dump")];
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plan");
            let output = qosc.args(arguments).current_dir(folder).output().expect("qosc runs");
            let shown = format!("```text\n{}```", said(&output));
            assert!(readme.contains(&shown), "the README does not show\n{shown}");
        }
    }

    #[test]
    fn every_key_is_explained() {
        let explained = read("docs/configuration.md");
        let smallest = "link: { device: ppp0, up: 6mbit, down: 25mbit";
        let places = [
            format!("{smallest} }}\nx: 1\n"),
            format!("{smallest}, x: 1 }}\n"),
            format!("{smallest} }}\nlan: {{ x: 1 }}\n"),
            format!("{smallest} }}\nhosts: {{ h: {{ address: 10.0.0.1, x: 1 }} }}\n"),
            format!("{smallest} }}\ntunnels: {{ t: {{ kind: gre, x: 1 }} }}\n"),
            format!("{smallest} }}\nclasses: {{ c: {{ default: true, x: 1 }} }}\n"),
            format!("{smallest} }}\nclasses: {{ c: {{ default: true, match: [{{ x: 1 }}] }} }}\n"),
            format!(
                "{smallest} }}\nclasses: {{ c: {{ default: true, queue: {{ fq_codel: {{ x: 1 }} }} }} }}\n"
            ),
            format!("{smallest} }}\nclasses: {{ c: {{ default: true, queue: {{ cake: {{ x: 1 }} }} }} }}\n"),
            format!("{smallest} }}\nclasses: {{ c: {{ default: true, queue: {{ fifo: {{ x: 1 }} }} }} }}\n"),
            format!("{smallest} }}\npolice: {{ p: {{ direction: up, match: [], rate: 1mbit, x: 1 }} }}\n"),
            format!("{smallest} }}\ntuning: {{ x: 1 }}\n"),
            format!("{smallest} }}\nexpect: {{ measure: ping, p99: 25ms, x: 1 }}\n"),
        ];
        for place in places {
            let printed = said(&check(&place));
            let keys = printed
                .lines()
                .find_map(|line| {
                    line.split_once("the keys here are ").or_else(|| line.split_once("the key here is "))
                })
                .unwrap_or_else(|| panic!("no keys are named for\n{place}{printed}"))
                .1;
            for key in keys.split('`').skip(1).step_by(2) {
                let known = [format!("`{key}`"), format!(" {key} "), format!("`{key} "), format!(" {key}`")];
                assert!(
                    known.iter().any(|word| explained.contains(word.as_str())),
                    "docs/configuration.md does not explain `{key}`"
                );
            }
        }
    }

    /// The lines outside of code blocks, with their numbers.
    fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
        let mut code = false;
        (1..).zip(text.lines()).filter(move |(_, line)| {
            let fence = line.trim_start().starts_with("```");
            code ^= fence;
            !code && !fence
        })
    }

    /// The anchors of the headings, as GitHub and GitLab make them.
    fn anchors(text: &str) -> Vec<String> {
        let mut seen = BTreeMap::new();
        let headings = prose(text).filter_map(|(_, line)| line.split_once("# "));
        let headings = headings.filter(|(level, _)| level.chars().all(|c| c == '#'));
        headings
            .map(|(_, heading)| {
                let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
                let anchor: String = kept.flat_map(char::to_lowercase).collect::<String>().replace(' ', "-");
                let before = seen.entry(anchor.clone()).or_insert(0);
                *before += 1;
                if *before == 1 { anchor } else { format!("{anchor}-{}", *before - 1) }
            })
            .collect()
    }

    #[test]
    fn every_link_leads_somewhere() {
        for document in [
            "README.md",
            "ARCHITECTURE.md",
            "CONTRIBUTING.md",
            "docs/configuration.md",
            "docs/fit.md",
            "docs/formats.md",
            "docs/ping.md",
            "docs/script.md",
            "docs/kernel-facts.md",
            "docs/rules/README.md",
        ] {
            let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
            let text = read(document);
            let text: String = prose(&text).flat_map(|(_, line)| [line, "\n"]).collect();
            for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                let (file, anchor) = link.split_once('#').map_or((link, None), |(a, b)| (a, Some(b)));
                let target = match file {
                    "" => path.clone(),
                    _ => path.parent().expect("a folder").join(file),
                };
                let leads = link.starts_with("https://")
                    || target.exists()
                        && anchor.is_none_or(|anchor| {
                            let text = std::fs::read_to_string(&target).unwrap_or_default();
                            anchors(&text).iter().any(|there| there == anchor)
                        });
                assert!(leads, "{document}: {link} is not there");
            }
        }
    }
}
