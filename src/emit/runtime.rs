//! Assembles the runtime of a script: the shell functions and awk programs of `templates/runtime/`, without the
//! functions that a configuration does not need.
//!
//! [`OPTIONAL`] lists, for each feature, the functions that only this feature calls. If a configuration does not use the
//! feature, these functions do nothing, and a function that only they call is left out.

use crate::tc::{Parent, Program, QdiscKind, QueueScale};
use std::collections::{BTreeMap, BTreeSet};

/// Shell code of the runtime, in the order of the script.
const SHELL: [&str; 14] = [
    include_str!("../../templates/runtime/begin.sh"),
    include_str!("../../templates/runtime/facts.sh"),
    include_str!("../../templates/runtime/look.sh"),
    include_str!("../../templates/runtime/before.sh"),
    include_str!("../../templates/runtime/offloads.sh"),
    include_str!("../../templates/runtime/marks.sh"),
    include_str!("../../templates/runtime/tunnels.sh"),
    include_str!("../../templates/runtime/batches.sh"),
    include_str!("../../templates/runtime/preflight.sh"),
    include_str!("../../templates/runtime/apply.sh"),
    include_str!("../../templates/runtime/trial.sh"),
    include_str!("../../templates/runtime/rate.sh"),
    include_str!("../../templates/runtime/status.sh"),
    include_str!("../../templates/runtime/calls.sh"),
];

/// The awk programs of the runtime. A line `@include NAME` of the shell code stands for the program with this name.
const PROGRAMS: [(&str, &str); 13] = [
    ("before.awk", include_str!("../../templates/runtime/before.awk")),
    ("engine.awk", include_str!("../../templates/runtime/engine.awk")),
    ("flowtables.awk", include_str!("../../templates/runtime/flowtables.awk")),
    ("hooks_left.awk", include_str!("../../templates/runtime/hooks_left.awk")),
    ("marks.awk", include_str!("../../templates/runtime/marks.awk")),
    ("objects.awk", include_str!("../../templates/runtime/objects.awk")),
    ("metrics.awk", include_str!("../../templates/runtime/metrics.awk")),
    ("observed.awk", include_str!("../../templates/runtime/observed.awk")),
    ("offloads.awk", include_str!("../../templates/runtime/offloads.awk")),
    ("scaled.awk", include_str!("../../templates/runtime/scaled.awk")),
    ("status.awk", include_str!("../../templates/runtime/status.awk")),
    ("steps.awk", include_str!("../../templates/runtime/steps.awk")),
    ("tunnels.awk", include_str!("../../templates/runtime/tunnels.awk")),
];

/// A feature that some configurations do not use.
struct Feature {
    is_used: fn(&Program) -> bool,
    /// Functions that do nothing in a script without the feature.
    functions: &'static [&'static str],
}

const OPTIONAL: [Feature; 11] = [
    Feature {
        is_used: |program| !program.decrypted.is_empty(),
        functions: &[
            "why_no_tunnels",
            "tunnels_now",
            "recall_tunnels",
            "try_tunnels",
            "warn_wrapped",
            "dump_tunnels",
            "tunnels_said",
            "read_tunnel",
            "choose_tunnels",
            "remember_tunnels",
            "read_tunnel_device",
            "tunnel_on",
            "tunnel_off",
            "with_tunnel",
        ],
    },
    Feature { is_used: |program| program.marks.is_some(), functions: &["warn_rules", "read_table"] },
    Feature {
        is_used: |program| program.settings.bql.is_some(),
        functions: &["queue_limits", "warn_queues"],
    },
    Feature { is_used: |program| program.charge.mpu > 0, functions: &["warn_mpu"] },
    Feature {
        is_used: has_tins,
        functions: &["tins", "read_tin", "read_tin_row", "print_tin", "print_tin_metrics", "scale_cake_root"],
    },
    Feature {
        is_used: |program| !program.policers().is_empty(),
        functions: &[
            "policers",
            "policer_hooks",
            "read_policer",
            "note_policers",
            "read_action",
            "read_policed",
            "print_policer_metrics",
        ],
    },
    Feature {
        is_used: |program| {
            [&program.scale.up, &program.scale.down].iter().any(|scale| !scale.police.is_empty())
        },
        functions: &["note_indexes", "scale_police"],
    },
    Feature {
        is_used: |program| scales(program, |queue| matches!(queue, QueueScale::FqCodel { .. })),
        functions: &["scale_fq_codel"],
    },
    Feature {
        is_used: |program| scales(program, |queue| matches!(queue, QueueScale::Cake { .. })),
        functions: &["scale_cake"],
    },
    Feature {
        is_used: |program| scales(program, |queue| matches!(queue, QueueScale::Pfifo { .. })),
        functions: &["scale_fifo"],
    },
    Feature {
        is_used: |program| program.qdiscs.iter().any(|qdisc| qdisc.instead.is_some()),
        functions: &["split_aggregates"],
    },
];

/// Returns true if CAKE schedules a whole direction.
fn has_tins(program: &Program) -> bool {
    program.qdiscs.iter().any(|q| q.parent == Parent::Root && matches!(q.kind, QdiscKind::Cake { .. }))
}

/// Returns true if `rate` scales a queue of this kind.
fn scales(program: &Program, is_kind: fn(&QueueScale) -> bool) -> bool {
    let classes = [&program.scale.up, &program.scale.down].into_iter().flat_map(|scale| &scale.classes);
    classes.filter_map(|class| class.queue.as_ref()).any(is_kind)
}

/// Returns the runtime of a program.
pub(super) fn runtime(program: &Program) -> String {
    let unused = OPTIONAL.iter().filter(|feature| !(feature.is_used)(program));
    without(&assembled(), &unused.flat_map(|feature| feature.functions).copied().collect())
}

/// Returns the whole runtime, with the awk programs in their places.
fn assembled() -> String {
    let mut text = String::new();
    for line in SHELL.join("\n").split_inclusive('\n') {
        let included = line.trim_end().strip_prefix("@include ");
        match included.and_then(|name| PROGRAMS.iter().find(|(own, _)| *own == name)) {
            Some((_, program)) => text.push_str(program),
            None => text.push_str(line),
        }
    }
    text
}

/// A function with the comment above it, or a line that belongs to none.
#[derive(Default)]
struct Piece<'a> {
    lines: Vec<&'a str>,
    /// Name of the function.
    name: Option<&'a str>,
}

impl<'a> Piece<'a> {
    /// Returns the first line of the function.
    fn head(&self) -> &'a str {
        self.lines.iter().find(|line| function_name(line).is_some()).copied().unwrap_or_default()
    }

    /// Returns the words of the code that may name functions.
    fn words(&self) -> impl Iterator<Item = &'a str> {
        let code = self.lines.iter().filter(|line| !line.trim_start().starts_with('#'));
        code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'))
    }

    /// Returns a function of the same name that does nothing.
    fn stub(&self) -> String {
        let body = if self.head().starts_with("function ") { "{ }" } else { "{ :; }" };
        format!("{} {body}\n", self.head().split(" {").next().unwrap_or_default())
    }
}

/// Returns the name of the function that begins in a line.
fn function_name(line: &str) -> Option<&str> {
    let (name, is_head) = match line.strip_prefix("function ") {
        Some(rest) => (rest.split('(').next()?, true),
        None => line.split_once("() {").map(|(name, _)| (name, true))?,
    };
    (is_head && name.bytes().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'_'))
        .then_some(name)
}

/// Splits the runtime into functions and other lines.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut all: Vec<Piece<'_>> = Vec::new();
    let mut comment: Vec<&str> = Vec::new();
    let mut open: Option<Piece<'_>> = None;
    for line in text.split_inclusive('\n') {
        let trimmed = line.trim_end();
        if let Some(mut piece) = open.take() {
            piece.lines.push(line);
            if trimmed == "}" { all.push(piece) } else { open = Some(piece) }
        } else if let Some(name) = function_name(line) {
            let mut piece = Piece { lines: std::mem::take(&mut comment), name: Some(name) };
            piece.lines.push(line);
            if trimmed.ends_with('}') { all.push(piece) } else { open = Some(piece) }
        } else if line.starts_with('#') {
            comment.push(line);
        } else {
            let lines = std::mem::take(&mut comment).into_iter().chain([line]);
            all.extend(lines.map(|line| Piece { lines: vec![line], name: None }));
        }
    }
    all.extend(comment.into_iter().map(|line| Piece { lines: vec![line], name: None }));
    all.extend(open);
    all
}

/// Returns the runtime without the body of some functions, and without the functions that only those call.
fn without(text: &str, empty: &BTreeSet<&str>) -> String {
    let pieces = pieces(text);
    let is_empty = |piece: &Piece<'_>| piece.name.is_some_and(|name| empty.contains(name));
    let mut callees: BTreeMap<&str, Vec<&Piece<'_>>> = BTreeMap::new();
    for piece in &pieces {
        if let Some(name) = piece.name {
            callees.entry(name).or_default().push(piece);
        }
    }
    let mut called: BTreeSet<&str> = BTreeSet::new();
    let mut next: Vec<&Piece<'_>> = pieces.iter().filter(|piece| piece.name.is_none()).collect();
    while let Some(piece) = next.pop() {
        for word in piece.words() {
            if let Some(found) = callees.get(word)
                && called.insert(word)
            {
                next.extend(found.iter().filter(|piece| !is_empty(piece)));
            }
        }
    }
    let (mut kept, mut after_stub) = (String::new(), None);
    for piece in &pieces {
        match piece.name {
            Some(name) if !called.contains(name) => {}
            Some(_) if is_empty(piece) => {
                // Functions that do nothing need no empty lines between them.
                if let Some(end) =
                    after_stub.filter(|end| kept.get(*end..).is_some_and(|s| s.trim().is_empty()))
                {
                    kept.truncate(end);
                }
                kept.push_str(&piece.stub());
                after_stub = Some(kept.len());
            }
            _ => kept.extend(piece.lines.iter().copied()),
        }
    }
    // A function that is left out leaves the empty line below it.
    while kept.contains("\n\n\n") {
        kept = kept.replace("\n\n\n", "\n\n");
    }
    kept
}

#[cfg(test)]
#[path = "runtime_tests.rs"]
mod tests;
