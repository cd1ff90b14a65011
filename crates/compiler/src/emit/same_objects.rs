//! Compares scripts by the objects that they create, without comments and the surrounding shell.

/// Texts of a script that contain objects. A missing text counts as empty.
const TEXTS: [&str; 4] = ["objects", "marks_table", "share_list", "sysctl_list"];

/// Settings of a script that determine further objects.
const SETTINGS: [&str; 17] = [
    "needs_hook",
    "needs_egress",
    "mark_bits",
    "mark_flag",
    "tunnels",
    "default_dev",
    "instead",
    "ifb1",
    "receivers",
    "above_ip",
    "mpu",
    "frames",
    "split_up",
    "split_down",
    "has_marks",
    "txqueuelen",
    "bql",
];

/// Returns `true` if two scripts create the same kernel objects on the same devices. Comments, names and shell code may
/// differ.
#[must_use]
pub fn same_objects(one: &str, other: &str) -> bool {
    objects(one) == objects(other)
}

/// Returns everything that a script creates: lines of texts, and settings, without comments.
fn objects(script: &str) -> Vec<(&'static str, Vec<&str>)> {
    let bare = |line| bare(line);
    let text = |name: &'static str| {
        let lines = script.split('\n').skip_while(|line| line.strip_suffix("='") != Some(name)).skip(1);
        let lines = lines.take_while(|line| *line != "'").filter(|line| !line.starts_with('#'));
        (name, lines.map(bare).collect())
    };
    let setting = |name: &'static str| {
        let value = script.split('\n').find(|line| line.split_once('=').is_some_and(|(own, _)| own == name));
        (name, value.into_iter().map(bare).collect())
    };
    TEXTS.map(text).into_iter().chain(SETTINGS.map(setting)).collect()
}

/// Returns a line without its comment. No word for tc contains a `#`.
fn bare(line: &str) -> &str {
    line.split_once(" # ").map_or(line, |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::{SETTINGS, TEXTS, objects, same_objects};
    use crate::compile::{Options, compile};

    fn script(yaml: &str) -> String {
        compile(yaml, &Options::of("home.yaml")).script().unwrap()
    }

    #[test]
    fn every_compared_part_is_found_in_a_script() {
        let scripts = [
            script(include_str!("../../../../tests/cases/every-police/home.yaml")),
            script(include_str!("../../../../tests/cases/all-bits/home.yaml")),
            script(include_str!("../../../../tests/cases/inside/home.yaml")),
            script(include_str!("../../../../tests/cases/decrypted/home.yaml")),
            script(include_str!("../../../../tests/cases/uponly/home.yaml")),
        ];
        let found: Vec<_> = scripts.iter().map(|script| objects(script)).collect();
        for (part, name) in TEXTS.iter().chain(&SETTINGS).enumerate() {
            let is_there = found.iter().any(|parts| !parts[part].1.is_empty());
            assert!(is_there, "no script has `{name}`: is it called something else now?");
        }
    }

    #[test]
    fn only_words_outside_comments_are_compared() {
        let script = script(include_str!("../../../../tests/cases/every-police/home.yaml"));
        assert!(same_objects(&script, &script.replace("home.yaml", "other.yaml")));
        assert!(!same_objects(&script, &script.replace("htb rate ", "htb rate 1")));
        assert!(!same_objects(&script, &script.replace("default_dev='", "default_dev='x")));
    }
}
