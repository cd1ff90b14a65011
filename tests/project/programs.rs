//! The test programs: every file in `tests/` belongs to one, and those that only run `qosc` link no library.

use crate::files::below;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// Programs that link no library.
const ONLY_RUN: [&str; 2] = ["command", "project"];

/// Adds a file of a program, and the modules that it declares.
fn follow(file: &Path, found: &mut BTreeSet<PathBuf>) {
    let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    assert!(found.insert(file.to_owned()), "two programs have {}", file.display());
    let folder = file.parent().expect("a folder");
    let stem = file.file_stem().expect("a name");
    let inner = if stem == "main" || stem == "mod" { folder.to_owned() } else { folder.join(stem) };
    let mut path = None;
    for line in text.lines().map(str::trim) {
        if let Some(named) = line.strip_prefix("#[path = \"").and_then(|rest| rest.strip_suffix("\"]")) {
            path = Some(named.to_owned());
        }
        let module = line.strip_prefix("pub ").unwrap_or(line).strip_prefix("mod ");
        let Some(name) = module.and_then(|rest| rest.strip_suffix(';')) else { continue };
        match path.take() {
            // A folder of helpers may serve several programs. Other files above are not this program's own.
            Some(named) => {
                let helper = match named.strip_prefix("../common/") {
                    Some(name) if name.ends_with("/mod.rs") => Some(tests().join("common").join(name)),
                    None if !named.contains('/') => Some(folder.join(named)),
                    _ => None,
                };
                if let Some(helper) = helper.filter(|helper| !found.contains(helper)) {
                    follow(&helper, found);
                }
            }
            None => {
                let single = inner.join(format!("{name}.rs"));
                follow(&if single.exists() { single } else { inner.join(name).join("mod.rs") }, found);
            }
        }
    }
}

#[test]
fn every_file_belongs_to_a_program() {
    let files = below(&tests());
    let with = |end: &'static str| {
        files.iter().filter(move |path| path.extension().is_some_and(|own| own == end)).cloned()
    };
    let mut found = BTreeSet::new();
    for main in with("rs").filter(|path| path.ends_with("main.rs")) {
        follow(&main, &mut found);
    }
    let text = |path: &PathBuf| std::fs::read_to_string(path).expect("a text");
    let own: String = found.iter().map(text).collect();
    for file in with("rs").filter(|file| !found.contains(file)) {
        let helper = file.strip_prefix(tests()).expect("below tests").to_str().expect("UTF-8");
        assert!(own.contains(&format!("#[path = \"../{helper}\"]")), "no program has {}", file.display());
    }
    // The guests' scripts and programs are named by a test or by another script.
    let named: String = own + &with("sh").map(|path| text(&path)).collect::<String>();
    for file in with("sh").chain(with("c")) {
        let name = file.file_name().expect("a name").to_str().expect("UTF-8");
        assert!(
            ["\"", "/"].iter().any(|before| named.contains(&format!("{before}{name}\""))),
            "nothing names {name}"
        );
    }
    // A folder without a program has data that some test names.
    for entry in std::fs::read_dir(tests()).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_str().expect("UTF-8");
        let is_named =
            [format!("tests/{name}"), format!("../{name}")].iter().any(|words| named.contains(words));
        assert!(!path.is_dir() || path.join("main.rs").exists() || is_named, "no test names tests/{name}");
    }
}

#[test]
fn programs_that_only_run_qosc_link_no_library() {
    for program in ONLY_RUN {
        let mut found = BTreeSet::new();
        follow(&tests().join(program).join("main.rs"), &mut found);
        for file in found.iter().filter(|file| !file.ends_with("programs.rs")) {
            let text = std::fs::read_to_string(file).expect("a text");
            let libraries =
                ["qosc::", "qosc_compiler::", "qosc_import::", "qosc_measure::", "qosc_preview::"];
            let links = libraries.iter().any(|library| text.contains(library));
            assert!(!links, "{} uses a library", file.display());
        }
    }
}
