//! `check --fix --yes` while another program writes the same files. Files are read ahead of the one to write.

use super::{Check, Outcome, Run, read};
use clap::{Args as _, Command, FromArgMatches as _};
use std::path::Path;

const GOOD: &str = "name: home\nlink: { device: eth0, profile: docsis, up: 10mbit, down: 100mbit }\n";
const BAD: &str = "name: home\nlink: { device: eth0, profil: docsis, up: 10mbit, down: 100mbit }\n";

fn options() -> Check {
    let command = Check::augment_args(Command::new("check"));
    let found = command.get_matches_from(["check", "--fix", "--yes", "home.yaml"]);
    Check::from_arg_matches(&found).expect("options")
}

/// Reads a file, lets another program change it, and fixes it. Returns the outcome and the text of the file after that.
fn changed(change: impl Fn(&Path)) -> (Outcome, Option<String>) {
    let dir = tempfile::tempdir().expect("a folder");
    let file = dir.path().join("home.yaml");
    std::fs::write(&file, BAD).expect("a file");
    let options = options();
    let mut run = Run::new(&options);
    let checked = read(&file, &options);
    change(&file);
    run.add(&file, checked);
    assert_eq!(run.unwritten, usize::from(run.outcome == Outcome::Unable));
    (run.finish(1), std::fs::read_to_string(&file).ok())
}

#[test]
fn a_file_that_was_changed_meanwhile_is_not_fixed() {
    let longer = format!("{BAD}# more\n");
    let write = |text: &str| {
        let text = text.to_owned();
        move |file: &Path| std::fs::write(file, &text).expect("a file")
    };
    assert_eq!(changed(write(&longer)), (Outcome::Unable, Some(longer)));
    // An editor that renames a new file, with a text of the same length and the same time.
    let other = BAD.replace("10mbit", "20mbit");
    let text = other.clone();
    let rename = move |file: &Path| {
        let time = file.metadata().and_then(|there| there.modified()).expect("a time");
        let new = file.with_extension("new");
        std::fs::write(&new, &text).expect("a file");
        std::fs::File::options()
            .write(true)
            .open(&new)
            .and_then(|new| new.set_modified(time))
            .expect("a time");
        std::fs::rename(&new, file).expect("a name");
    };
    assert_eq!(changed(rename), (Outcome::Unable, Some(other.clone())));
    // The same file, with a text of the same length at another time.
    let text = other.clone();
    let rewrite = move |file: &Path| {
        let later = file.metadata().and_then(|there| there.modified()).expect("a time");
        std::fs::write(file, &text).expect("a file");
        let open = std::fs::File::options().write(true).open(file).expect("a file");
        open.set_modified(later + std::time::Duration::from_nanos(1_000_000)).expect("a time");
    };
    assert_eq!(changed(rewrite), (Outcome::Unable, Some(other)));
    assert_eq!(changed(|file| std::fs::remove_file(file).expect("a file")), (Outcome::Unable, None));
    assert_eq!(changed(|_| ()), (Outcome::Fine, Some(GOOD.to_owned())));
}

#[test]
fn a_file_that_is_named_twice_is_fixed() {
    let dir = tempfile::tempdir().expect("a folder");
    let (file, link) = (dir.path().join("home.yaml"), dir.path().join("link.yaml"));
    std::fs::write(&file, BAD).expect("a file");
    std::os::unix::fs::symlink("home.yaml", &link).expect("a link");
    let options = options();
    let mut run = Run::new(&options);
    let both = [&file, &link].map(|path| (path, read(path, &options)));
    for (path, checked) in both {
        run.add(path, checked);
    }
    assert_eq!(run.finish(2), Outcome::Fine);
    assert_eq!(std::fs::read_to_string(&file).expect("a file"), GOOD);
}
