//! The pages about moving from another tool are true: the old file converts to the shown YAML, and the improved files have
//! no findings. `QOSC_BLESS=1` writes the YAML into the pages.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn document(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs").join(name)
}

/// The blocks in this language, in order.
fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let parts = text.split("```").skip(1).step_by(2);
    parts.filter_map(|block| block.strip_prefix(language)?.strip_prefix('\n')).collect()
}

fn qosc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc")).args(arguments).current_dir(folder).output().unwrap()
}

/// Checks a page about a tool. The first YAML is the result of the import, and each other one is better.
fn judge(page: &str, tool: &str, codes: &[&str]) {
    let text = std::fs::read_to_string(document(page)).unwrap();
    let (old, files) = (blocks(&text, "text")[0], blocks(&text, "yaml"));
    assert!(files.len() > 1, "{page}");
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("old"), old).unwrap();
    let import = qosc(dir.path(), &["import", tool, "old"]);
    assert_eq!(import.status.code(), Some(0), "{}", String::from_utf8_lossy(&import.stderr));
    let yaml = String::from_utf8(import.stdout).unwrap();
    if files[0] != yaml && std::env::var_os("QOSC_BLESS").is_some() {
        std::fs::write(document(page), text.replacen(files[0], &yaml, 1)).unwrap();
        return;
    }
    assert_eq!(files[0], yaml, "docs/{page}");

    std::fs::write(dir.path().join("new.yaml"), &yaml).unwrap();
    let check = qosc(dir.path(), &["check", "--format", "short", "new.yaml"]);
    let said = String::from_utf8(check.stdout).unwrap();
    for code in codes {
        assert!(said.contains(code), "docs/{page} says that {code} is reported, and it is not\n{said}");
    }
    for better in files.into_iter().skip(1) {
        std::fs::write(dir.path().join("new.yaml"), better).unwrap();
        let check = qosc(dir.path(), &["check", "new.yaml"]);
        let said = String::from_utf8_lossy(&check.stderr).into_owned();
        assert!(check.status.success() && said == "no findings\n", "{better}{said}");
    }
}

#[test]
fn the_page_about_sqm_is_true() {
    judge("from-sqm.md", "sqm", &[]);
}

#[test]
fn the_page_about_a_cable_line_is_true() {
    judge("cable.md", "sqm", &[]);
}

#[test]
fn the_page_about_fireqos_is_true() {
    judge("from-fireqos.md", "fireqos", &["Q0423", "Q0515", "Q0413", "Q0608"]);
}
