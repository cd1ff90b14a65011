//! Folders of strangers: links and names in them lead to no other file, whoever runs the program.

#![cfg(test)]

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The user and the group `nobody`.
const NOBODY: u32 = 65534;
/// A word of a file that no output may contain.
const SECRET: &str = "hunter2";
const LINK: &str = "device: eth0, profile: docsis, up: 10mbit, down: 100mbit";

/// Makes a folder, and calls `test` with it as this user, and as nobody if this user is root.
fn as_each_user(make: impl Fn(&Path), test: impl Fn(&Path, &dyn Fn(&[&str]) -> (Option<i32>, String))) {
    let users = if rustix::process::geteuid().is_root() { vec![None, Some(NOBODY)] } else { vec![None] };
    for user in users {
        let dir = tempfile::tempdir().unwrap();
        // The program may be in a folder that only its owner can enter.
        let program = dir.path().join("qosc");
        std::fs::copy(env!("CARGO_BIN_EXE_qosc"), &program).unwrap();
        make(dir.path());
        for path in [dir.path().to_owned()].into_iter().chain(all_below(dir.path())) {
            if let Some(user) = user {
                std::os::unix::fs::lchown(&path, Some(user), Some(user)).unwrap();
            }
        }
        std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
        let run = |arguments: &[&str]| {
            let mut qosc = Command::new(&program);
            if let Some(user) = user {
                qosc.uid(user).gid(user);
            }
            let output = qosc.args(arguments).current_dir(dir.path()).output().unwrap();
            let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
            assert!(!said.contains(SECRET), "{user:?} {arguments:?}: {said}");
            (output.status.code(), said)
        };
        test(dir.path(), &run);
    }
}

/// Returns everything below a folder, without following links.
fn all_below(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let all = entries.flat_map(|entry| {
        let below = if entry.file_type().unwrap().is_dir() { all_below(&entry.path()) } else { Vec::new() };
        below.into_iter().chain([entry.path()])
    });
    all.collect()
}

fn write(dir: &Path, name: &str, text: &str) {
    let path = dir.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

#[test]
fn deploy_reads_no_inventory_outside_of_the_folder() {
    let make = |dir: &Path| {
        write(dir, "routers/north.yaml", &format!("link: {{ {LINK} }}\n"));
        write(dir, "private/key", &format!("{SECRET} more words\n"));
        symlink("../private/key", dir.join("routers/hosts")).unwrap();
    };
    as_each_user(make, |_, run| {
        let (code, said) = run(&["deploy", "routers"]);
        assert!(code == Some(2) && said.contains("a link to a file outside of the folder"), "{said}");
    });
}

#[test]
fn no_hidden_file_is_included() {
    let make = |dir: &Path| {
        write(dir, ".git/config", &format!("[remote]\n  token: {SECRET}\n"));
        write(dir, ".env", &format!("- {SECRET}\n"));
        write(dir, "home.yaml", &format!("include: [.git/config, .env]\nlink: {{ {LINK} }}\n"));
    };
    as_each_user(make, |_, run| {
        let (code, said) = run(&["check", "home.yaml"]);
        assert!(code == Some(1) && said.matches("a hidden file is not included").count() == 2, "{said}");
    });
}

#[test]
fn a_folder_for_results_has_no_way_out() {
    let make = |dir: &Path| {
        write(dir, "many.yaml", &format!("name: many\nlinks:\n  a: {{ {LINK} }}\n"));
        write(dir, "home.yaml", &format!("name: home\nlink: {{ {LINK} }}\n"));
        write(dir, "victim", "as before\n");
        std::fs::create_dir_all(dir.join("out")).unwrap();
        std::fs::create_dir_all(dir.join("files")).unwrap();
        std::fs::create_dir_all(dir.join("other")).unwrap();
        symlink("../victim", dir.join("out/many-a.sh")).unwrap();
        symlink("../other", dir.join("files/etc")).unwrap();
    };
    as_each_user(make, |dir, run| {
        let (code, said) = run(&["compile", "many.yaml", "-o", "out"]);
        assert!(code == Some(2) && said.contains("a place outside of the folder"), "{said}");
        assert_eq!(std::fs::read_to_string(dir.join("victim")).unwrap(), "as before\n");
        let (code, said) = run(&["install-files", "--system", "debian", "-o", "files", "home.yaml"]);
        assert!(code == Some(2) && said.contains("a place outside of the folder"), "{said}");
        assert_eq!(std::fs::read_dir(dir.join("other")).unwrap().count(), 0);
        // A link to a file that is missing would make one.
        std::fs::remove_file(dir.join("victim")).unwrap();
        assert_eq!(run(&["compile", "many.yaml", "-o", "out"]).0, Some(2));
        assert!(!dir.join("victim").exists());
    });
}
