use super::Folder;

#[test]
fn folders_of_dead_programs_are_removed_and_all_others_stay() {
    let base = tempfile::tempdir().unwrap();
    let path = |name: &str| base.path().join(name);
    // Nobody has locked these.
    std::fs::create_dir_all(path("lab-dead/out")).unwrap();
    std::fs::write(path("lab-dead/out/file"), "").unwrap();
    std::fs::create_dir(path("other")).unwrap();
    std::fs::write(path("lab-file"), "").unwrap();
    std::os::unix::fs::symlink("other", path("lab-link")).unwrap();
    let first = Folder::new(base.path(), "lab-").unwrap();
    let second = Folder::new(base.path(), "lab-").unwrap();
    assert!(first.path().is_dir() && second.path().is_dir());
    assert!(!path("lab-dead").exists());
    for name in ["other", "lab-file", "lab-link"] {
        assert!(path(name).exists(), "{name}");
    }
    let names = [first.path().to_owned(), second.path().to_owned()];
    drop((first, second));
    assert!(names.iter().all(|name| !name.exists()));
}
