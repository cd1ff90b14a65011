//! Compares scripts by the objects that they create, without comments and the surrounding shell.

/// Functions of a script that contain objects. A missing function counts as empty.
const FUNCTIONS: [&str; 12] = [
    "up_tree",
    "up_leaves_whole",
    "up_leaves_splitting",
    "up_filters",
    "down_tree",
    "down_leaves_whole",
    "down_leaves_splitting",
    "down_filters",
    "hook_filters",
    "marks",
    "shares",
    "sysctls",
];

/// Settings of a script that determine further objects.
const SETTINGS: [&str; 10] = [
    "default_dev",
    "ifb1",
    "receivers",
    "above_ip",
    "mpu",
    "frames",
    "split_up",
    "split_down",
    "has_marks",
    "txqueuelen",
];

/// Returns `true` if two scripts create the same kernel objects on the same devices. Comments, names and shell code may
/// differ.
#[must_use]
pub fn same_objects(one: &str, other: &str) -> bool {
    objects(one) == objects(other)
}

/// Returns everything that a script creates: lines of functions, and settings, without comments.
fn objects(script: &str) -> Vec<(&'static str, Vec<&str>)> {
    let bare = |line| bare(line);
    let function = |name: &'static str| {
        let lines = script.split('\n').skip_while(|line| line.strip_suffix("() {") != Some(name)).skip(1);
        (name, lines.take_while(|line| *line != "}").map(bare).collect())
    };
    let setting = |name: &'static str| {
        let value = script.split('\n').find(|line| line.split_once('=').is_some_and(|(own, _)| own == name));
        (name, value.into_iter().map(bare).collect())
    };
    FUNCTIONS.map(function).into_iter().chain(SETTINGS.map(setting)).collect()
}

/// Returns a line without its comment. No word for tc contains a `#`.
fn bare(line: &str) -> &str {
    line.split_once(" # ").map_or(line, |(words, _)| words)
}

#[cfg(test)]
mod tests {
    use super::{FUNCTIONS, SETTINGS, objects, same_objects};
    use crate::compile::{Options, compile};

    /// A script in which no function and no setting is empty.
    fn script() -> String {
        let yaml = include_str!("../../tests/cases/every-police/home.yaml");
        compile(yaml, &Options::of("home.yaml")).script().unwrap().unwrap()
    }

    #[test]
    fn every_compared_part_is_found_in_a_script() {
        let script = script();
        let found = objects(&script);
        assert_eq!(found.len(), FUNCTIONS.len() + SETTINGS.len());
        for (name, lines) in found {
            assert!(!lines.is_empty(), "no script has `{name}`: is it called something else now?");
        }
    }

    #[test]
    fn only_words_outside_comments_are_compared() {
        let script = script();
        assert!(same_objects(&script, &script.replace("home.yaml", "other.yaml")));
        assert!(!same_objects(&script, &script.replace("htb rate ", "htb rate 1")));
        assert!(!same_objects(&script, &script.replace("default_dev='", "default_dev='x")));
    }
}
