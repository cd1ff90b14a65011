//! Selection of the runtime's functions.

use super::*;

const TEXT: &str = "\
set -u

# Starts.
start() {
    helper
    tunnels_now
}

# Helps.
helper() { echo; }

# Shows tunnels.
tunnels_now() {
    lower
}

lower() {
    echo
}
awk '
section { read_tunnel($1); next }

# Reads a tunnel.
function read_tunnel(line,    i) {
    end_tunnel()
}

function end_tunnel() { print }
'
start
";

#[test]
fn everything_that_is_called_stays() {
    assert_eq!(without(TEXT, &BTreeSet::new()), TEXT);
}

#[test]
fn a_function_that_only_an_unused_feature_calls_is_left_out() {
    let kept = without(TEXT, &["tunnels_now", "read_tunnel"].into());
    assert!(kept.contains("\ntunnels_now() { :; }\n"), "{kept}");
    assert!(kept.contains("\nfunction read_tunnel(line,    i) { }\n"), "{kept}");
    for gone in ["lower", "end_tunnel", "# Shows tunnels", "# Reads a tunnel", "\n\n\n"] {
        assert!(!kept.contains(gone), "{gone:?} in {kept}");
    }
    assert!(kept.contains("# Helps.\nhelper() { echo; }\n"), "{kept}");
}

/// A misspelt name would leave out nothing.
#[test]
fn every_function_of_a_feature_exists() {
    let text = assembled();
    let names: BTreeSet<&str> = pieces(&text).iter().filter_map(|piece| piece.name).collect();
    for name in OPTIONAL.iter().flat_map(|feature| feature.functions) {
        assert!(names.contains(name), "{name}");
    }
}

/// Nothing in the runtime is dead code.
#[test]
fn every_function_is_called() {
    let text = assembled();
    let kept = without(&text, &BTreeSet::new());
    for name in pieces(&text).iter().filter_map(|piece| piece.name) {
        assert!(pieces(&kept).iter().any(|piece| piece.name == Some(name)), "{name} is never called");
    }
}

#[test]
fn no_line_has_more_than_120_columns() {
    for line in assembled().lines() {
        assert!(line.chars().count() <= 120, "{line}");
    }
}
