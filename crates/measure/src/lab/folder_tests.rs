use super::{Folder, MARKER, MODE};
use std::fs::Permissions;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

/// A folder with a file, as a killed program leaves it.
fn left(base: &Path, name: &str) -> PathBuf {
    let folder = base.join(name);
    std::fs::create_dir_all(folder.join("out")).unwrap();
    std::fs::write(folder.join("out/file"), "").unwrap();
    std::fs::write(folder.join(MARKER), "").unwrap();
    std::fs::set_permissions(&folder, Permissions::from_mode(MODE)).unwrap();
    folder
}

#[test]
fn folders_of_dead_programs_are_removed() {
    let base = tempfile::tempdir().unwrap();
    let dead = left(base.path(), "lab-aB3xYz");
    let first = Folder::new(base.path(), "lab-").unwrap();
    assert!(!dead.exists());
    let second = Folder::new(base.path(), "lab-").unwrap();
    assert!(first.path().is_dir() && second.path().is_dir());
    // A folder that was really made, and whose lock has ended.
    let path = second.path().to_owned();
    let Folder { dir, _lock: lock } = second;
    let _kept = dir.keep();
    drop(lock);
    assert!(path.is_dir());
    let third = Folder::new(base.path(), "lab-").unwrap();
    assert!(!path.exists() && first.path().is_dir());
    let names = [first.path().to_owned(), third.path().to_owned()];
    drop((first, third));
    assert!(names.iter().all(|name| !name.exists()));
}

#[test]
fn all_other_folders_stay() {
    let base = tempfile::tempdir().unwrap();
    let path = |name: &str| base.path().join(name);
    let mut kept = Vec::new();
    for name in
        ["lab-results", "lab-dead", "lab-aB3xY", "lab-aB3xYz7", "lab-aB3x.z", "lab-", "other", "aB3xYz"]
    {
        kept.push(left(base.path(), name).join("out/file"));
    }
    // A user's folder may have a name of this form.
    for name in ["lab-report", "lab-linked", "lab-folder"] {
        let folder = left(base.path(), name);
        std::fs::remove_file(folder.join(MARKER)).unwrap();
        kept.push(folder.join("out/file"));
    }
    symlink("out/file", path("lab-linked").join(MARKER)).unwrap();
    std::fs::create_dir(path("lab-folder").join(MARKER)).unwrap();
    for (name, mode) in [("lab-public", 0o755), ("lab-sticky", 0o1700), ("lab-closed", 0o500)] {
        let folder = left(base.path(), name);
        std::fs::set_permissions(&folder, Permissions::from_mode(mode)).unwrap();
        kept.push(folder.join("out/file"));
    }
    std::fs::write(path("lab-a_file"), "").unwrap();
    std::fs::write(path("lab-aafile"), "").unwrap();
    symlink("other", path("lab-aalink")).unwrap();
    kept.extend([path("lab-a_file"), path("lab-aafile"), path("lab-aalink")]);
    if rustix::process::geteuid().is_root() {
        let folder = left(base.path(), "lab-theirs");
        std::os::unix::fs::chown(&folder, Some(65534), None).unwrap();
        kept.push(folder.join("out/file"));
        let folder = left(base.path(), "lab-marked");
        std::os::unix::fs::chown(folder.join(MARKER), Some(65534), None).unwrap();
        kept.push(folder.join("out/file"));
    }
    let folder = Folder::new(base.path(), "lab-").unwrap();
    for file in kept {
        assert!(file.exists(), "{}", file.display());
    }
    drop(folder);
}
