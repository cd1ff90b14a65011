//! The built-in profiles are read without a finding.

use qosc_compiler::syntax::profile;
use std::path::PathBuf;

fn files(folder: &str) -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .map(|path| {
            (
                path.file_stem().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(&path).unwrap(),
            )
        })
        .collect();
    files.sort();
    files
}

#[test]
fn every_link_profile_is_read() {
    let files = files("profiles/link");
    assert!(files.len() >= 20);
    for (name, text) in files {
        let profile = profile::read(&text).unwrap_or_else(|| panic!("{name}"));
        assert_eq!(profile.name, name);
        assert!(!profile.source.is_empty(), "{name} names no source");
    }
}

/// The parser can be replaced without a change elsewhere.
#[test]
fn only_one_folder_names_the_yaml_crate() {
    fn walk(folder: PathBuf, found: &mut Vec<PathBuf>) {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                walk(path, found);
            } else if std::fs::read_to_string(&path).unwrap().contains("serde_saphyr") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    for folder in ["src", "crates"] {
        walk(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(folder), &mut found);
    }
    assert!(
        !found.is_empty() && found.iter().all(|path| path.parent().unwrap().ends_with("syntax/yaml")),
        "{found:?}"
    );
}
