//! The documents are true: their examples compile, and their outputs are those that qosc prints. Every key is
//! explained, and every link leads to a file. `QOSC_BLESS=1` writes the current outputs into the documents.

#[cfg(test)]
pub mod tests {
    use std::collections::BTreeMap;
    use std::path::{Path, PathBuf};
    use std::process::{Command, Output};
    use std::sync::Mutex;

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    fn read(file: &str) -> String {
        std::fs::read_to_string(root().join(file)).expect("a document")
    }

    /// Returns the first code block in this language, with its indentation.
    fn block<'a>(text: &'a str, language: &str) -> &'a str {
        let (_, rest) = text.split_once(&format!("```{language}\n")).expect("a code block");
        rest.split_once("```").expect("its end").0
    }

    /// Removes the indentation that all lines share, trailing spaces and blank lines.
    fn dedented(text: &str) -> String {
        let lines = || text.lines().filter(|line| !line.trim().is_empty());
        let indent = lines().map(|line| line.len() - line.trim_start().len()).min().unwrap_or_default();
        lines().map(|line| line.split_at(indent).1.trim_end().to_owned() + "\n").collect()
    }

    /// The example of the README.
    fn example() -> String {
        dedented(block(&read("README.md"), "yaml"))
    }

    fn qosc(arguments: &[&str], folder: &Path) -> Output {
        let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
        qosc.args(arguments).current_dir(folder).output().expect("qosc runs")
    }

    fn check(yaml: &str) -> Output {
        let dir = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(dir.path().join("home.yaml"), yaml).expect("a file");
        qosc(&["check", "home.yaml"], dir.path())
    }

    fn said(output: &Output) -> String {
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
    }

    /// Asserts that the first text block after this heading is the printed text. `QOSC_BLESS=1` updates the block.
    fn assert_shown(document: &str, heading: &str, printed: &str) {
        // Tests run at the same time, and several write to one document.
        static WRITING: Mutex<()> = Mutex::new(());
        let _writing = WRITING.lock();
        let text = read(document);
        let (before, after) = text.split_once(&format!("\n{heading}\n")).expect("the heading");
        let shown = block(after, "text");
        if shown != printed && std::env::var_os("QOSC_BLESS").is_some() {
            let fresh = after.replacen(shown, printed, 1);
            std::fs::write(root().join(document), format!("{before}\n{heading}\n{fresh}"))
                .expect("a document");
            return;
        }
        assert_eq!(shown, printed, "{document}, {heading}");
    }

    #[test]
    fn the_examples_compile_without_errors() {
        for yaml in [example(), dedented(block(&read("docs/start.md"), "yaml"))] {
            let output = check(&yaml);
            assert!(output.status.success(), "{yaml}{}", said(&output));
        }
    }

    /// The example has findings without its comments, and none with them.
    #[test]
    fn comments_of_the_example_suppress_its_findings() {
        let yaml = dedented(block(&read("docs/check.md"), "yaml"));
        assert_eq!(said(&check(&yaml)), "no findings\n");
        let bare: String =
            yaml.lines().map(|line| line.split('#').next().unwrap_or("").to_owned() + "\n").collect();
        let printed = said(&check(&bare));
        assert!(printed.contains("warning[Q0601]") && printed.contains("note[Q0413]"), "{printed}");
    }

    #[test]
    fn documented_findings_equal_the_output() {
        let printed = said(&check(&example().replacen("priority:", "prioritty:", 1)));
        for document in ["README.md", "docs/check.md"] {
            let shown = dedented(block(&read(document), "text"));
            assert!(printed.contains(&shown), "{document} shows\n{shown}\nand qosc prints\n{printed}");
        }
    }

    #[test]
    fn the_documented_diff_equals_the_output() {
        let old = example();
        let backup = "  backup:\n    priority: 6\n    match:\n      - { protocol: tcp, remote_port: 873 }\n  others:\n";
        let new = old.replace("6.5mbit", "8mbit").replace("400kbit", "500kbit").replace("  rest:\n", backup);
        let dir = tempfile::tempdir().expect("a temporary directory");
        std::fs::write(dir.path().join("old.yaml"), old).expect("a file");
        std::fs::write(dir.path().join("new.yaml"), new).expect("a file");
        let printed = said(&qosc(&["diff", "old.yaml", "new.yaml"], dir.path()));
        assert_shown("docs/preview.md", "## Compare two configurations", &printed);
    }

    /// The documents show the plans for dumps in `tests/plan`, which `tests/command/plan.rs` tests too.
    #[test]
    fn documented_plans_equal_the_output() {
        for (name, heading) in [
            ("class", "## See what `start` will do on a router"),
            ("drift", "### Find what others changed"),
            ("rebuilt", "### Find out how long uploads pass unshaped"),
        ] {
            let arguments = ["plan", &format!("{name}.yaml"), "--dump", &format!("{name}.dump")];
            let printed = said(&qosc(&arguments, &root().join("tests/plan")));
            assert_shown("docs/preview.md", heading, &printed);
        }
    }

    /// Runs the command lines `$ qosc explain ..`. A line `...` stands for lines that the document leaves out.
    #[test]
    fn documented_explanations_equal_the_output() {
        let text = read("docs/explain.md");
        let mut fresh = text.clone();
        let mut blocks = 0;
        for rest in text.split("```text\n$ qosc explain ").skip(1) {
            let (command, rest) = rest.split_once('\n').expect("a command line");
            let shown = rest.split_once("```").expect("its end").0;
            let mut arguments = vec!["explain"];
            // At most one argument has quotes.
            for (n, words) in command.split('\'').enumerate() {
                if n % 2 == 1 { arguments.push(words) } else { arguments.extend(words.split_whitespace()) }
            }
            let printed = said(&qosc(&arguments, root()));
            let whole = !shown.lines().any(|line| line == "...");
            if whole && std::env::var_os("QOSC_BLESS").is_some() {
                fresh = fresh.replacen(shown, &printed, 1);
            } else if whole {
                assert_eq!(shown, printed, "docs/explain.md, {command}");
            }
            let shown = if whole { &printed } else { shown };
            let mut left = printed.as_str();
            for piece in shown.split("...\n") {
                left = left.split_once(piece).unwrap_or_else(|| panic!("{command} prints no\n{piece}")).1;
            }
            blocks += 1;
        }
        assert_eq!(blocks, 4);
        if fresh != text {
            std::fs::write(root().join("docs/explain.md"), fresh).expect("a document");
        }
    }

    /// Every command that the program lists has a row in the README.
    #[test]
    fn the_readme_lists_every_command() {
        let readme = read("README.md");
        let help = said(&qosc(&["--help"], root()));
        let (_, commands) = help.split_once("Commands:\n").expect("the commands");
        let commands = commands.split_once("\n\n").expect("their end").0;
        let names = commands.lines().filter(|line| !line.starts_with("   "));
        let names: Vec<&str> = names.filter_map(|line| line.split_whitespace().next()).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names.into_iter().filter(|name| *name != "help") {
            assert!(readme.contains(&format!("\n| `{name}` | ")), "the README does not list `{name}`");
        }
    }

    #[test]
    fn the_documents_explain_every_key() {
        let pages = ["line", "hosts", "tunnels", "classes", "matches", "expect", "configuration"];
        let explained = pages.map(|page| read(&format!("docs/{page}.md"))).concat();
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
                    "no page of the configuration explains `{key}`"
                );
            }
        }
    }

    /// All Markdown files of the repository, except the pages of codes and the files of others.
    fn documents() -> Vec<String> {
        let mut documents = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(root().join(&folder)).expect("a folder") {
                let entry = entry.expect("an entry");
                let path = folder.join(entry.file_name());
                let name = path.to_string_lossy().into_owned();
                let left_out = ["target", ".git", "docs/rules", "templates/page/uplot"];
                if entry.file_type().expect("its type").is_dir() {
                    if !left_out.contains(&name.as_str()) {
                        folders.push(path);
                    }
                } else if name.ends_with(".md") {
                    documents.push(name);
                }
            }
        }
        documents.sort();
        for needed in ["README.md", "docs/README.md", "docs/configuration.md"] {
            assert!(documents.iter().any(|document| document == needed), "{documents:?}");
        }
        documents
    }

    /// The lines outside of code blocks, with their numbers.
    pub fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
        let mut code = false;
        (1..).zip(text.lines()).filter(move |(_, line)| {
            let fence = line.trim_start().starts_with("```");
            code ^= fence;
            !code && !fence
        })
    }

    /// The anchors of the headings, in the form that GitHub and GitLab give them.
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
    fn every_link_in_the_documents_has_a_target() {
        let mut documents = documents();
        documents.push("docs/rules/README.md".to_owned());
        let mut lost = Vec::new();
        for document in documents {
            let path = root().join(&document);
            let text = read(&document);
            let text: String = prose(&text).flat_map(|(_, line)| [line, "\n"]).collect();
            for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
                if link.starts_with("https://") {
                    continue;
                }
                let (file, anchor) = link.split_once('#').map_or((link, None), |(a, b)| (a, Some(b)));
                let target = match file {
                    "" => path.clone(),
                    _ => path.parent().expect("a folder").join(file),
                };
                let leads = target.exists()
                    && anchor.is_none_or(|anchor| {
                        let text = std::fs::read_to_string(&target).unwrap_or_default();
                        anchors(&text).iter().any(|there| there == anchor)
                    });
                if !leads {
                    lost.push(format!("{document}: {link} is not there"));
                }
            }
        }
        assert!(lost.is_empty(), "{lost:#?}");
    }

    /// The index of the documents lists every page below `docs/`.
    #[test]
    fn the_index_lists_every_document() {
        let index = read("docs/README.md");
        for document in documents() {
            let is_list = ["README.md", "SUMMARY.md"];
            let Some(page) = document.strip_prefix("docs/").filter(|page| !is_list.contains(page)) else {
                continue;
            };
            let linked = index.contains(&format!("]({page})"));
            assert!(linked, "docs/README.md does not link to {page}");
        }
    }

    /// The contents of the site list every page below `docs/` once. `scripts/site` adds the pages of the rules.
    #[test]
    fn the_contents_of_the_site_list_every_document() {
        let contents = read("docs/SUMMARY.md");
        for document in documents() {
            let Some(page) = document.strip_prefix("docs/").filter(|page| *page != "SUMMARY.md") else {
                continue;
            };
            let count = contents.matches(&format!("]({page})")).count();
            assert_eq!(count, 1, "docs/SUMMARY.md lists {page} {count} times");
        }
        assert!(contents.contains("](rules/README.md)"));
    }

    #[test]
    fn the_readme_has_at_most_200_lines() {
        let lines = read("README.md").lines().count();
        assert!(lines <= 200, "{lines} lines");
    }

    /// Lines have at most 100 columns. Tables and code blocks may be wider.
    #[test]
    fn documents_have_at_most_100_columns() {
        let mut wide = Vec::new();
        for document in documents() {
            let text = read(&document);
            let lines = prose(&text).filter(|(_, line)| !line.trim_start().starts_with('|'));
            let lines = lines.filter(|(_, line)| line.chars().count() > 100);
            wide.extend(lines.map(|(n, line)| format!("{document}:{n}: {} columns", line.chars().count())));
        }
        assert!(wide.is_empty(), "lines of more than 100 columns: {wide:#?}");
    }
}
