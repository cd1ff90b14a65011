//! The steps of `docs/guide.md`, read from the page itself.

/// One step of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    /// A command line, to be typed in a shell.
    Run(String),
    /// Lines to add at the end of a file.
    Append { file: String, text: String },
    /// The content of a new file.
    Save { file: String, text: String },
}

/// Reads the steps of a page in order. In `sh` blocks, each line is a command. A `yaml` block follows a sentence that ends
/// with "Append this to `FILE`:" or "Save this as `FILE`:".
pub(crate) fn steps(page: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut above = "";
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            if !line.is_empty() {
                above = line;
            }
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text: String = block.iter().map(|line| format!("{line}\n")).collect();
        let file = |sentence: &str| Some(above.split_once(sentence)?.1.strip_suffix("`:")?.to_owned());
        match language {
            "sh" => steps.extend(block.into_iter().map(|line| Step::Run(line.to_owned()))),
            "yaml" => steps.push(match (file("Append this to `"), file("Save this as `")) {
                (Some(file), _) => Step::Append { file, text },
                (None, Some(file)) => Step::Save { file, text },
                (None, None) => panic!("no file is named above\n{text}"),
            }),
            other => panic!("unexpected language `{other}`"),
        }
    }
    steps
}

/// Writes the file of a step below a folder. Does nothing for a command.
pub(crate) fn write(step: &Step, folder: &std::path::Path) {
    let (file, old, text) = match step {
        Step::Run(_) => return,
        Step::Append { file, text } => {
            (file, std::fs::read_to_string(folder.join(file)).expect("a file of an earlier step"), text)
        }
        Step::Save { file, text } => (file, String::new(), text),
    };
    let path = folder.join(file);
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, old + text).expect("a file");
}
