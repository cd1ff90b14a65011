//! Conditions that every program satisfies, checked on every example and case, and on the largest trees.

#![cfg(test)]

use qosc_compiler::compile::Options;
use qosc_compiler::tc::{
    Action, CATCH_ALL_PREF, CakeTins, Dev, Facts, Filter, Handle, Hook, INGRESS_LAST_PREF, Parent, Program,
    QdiscKind, ROOT, Selector, TREE,
};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Lowers a configuration without errors.
fn lowered(stem: &str, text: &str) -> Program {
    let compiled = qosc_compiler::compile(text, &Options::of("home.yaml").stem(stem));
    assert!(!compiled.has_errors(), "{stem}: {:?}", compiled.findings);
    compiled.program.expect("a program")
}

/// Collects every configuration below a folder.
fn configurations(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            configurations(&path, found);
        } else if path.extension().is_some_and(|end| end == "yaml") {
            found.push(path);
        }
    }
}

#[test]
fn every_configuration_lowers_to_a_valid_program() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    configurations(&root.join("examples"), &mut files);
    configurations(&root.join("tests/cases"), &mut files);
    files.sort();
    let mut kept = 0;
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a configuration");
        if !text.starts_with("# needs:") {
            let stem = file.file_stem().expect("a name").to_string_lossy();
            keeps(&lowered(&stem, &text));
            kept += 1;
        }
    }
    assert!(kept >= 10, "{kept}");
}

#[test]
fn a_thousand_classes_lower_to_a_valid_program() {
    let mut text =
        String::from("link: { device: eth0, profile: ethernet, up: 1gbit, down: 1gbit }\nclasses:\n");
    for n in 0..1000 {
        text += &format!("  c{n}: {{ match: [{{ protocol: [tcp, udp], remote_port: {} }}] }}\n", 1000 + n);
    }
    text += "  rest: { default: true }\n";
    let program = lowered("large", &text);
    keeps(&program);
    assert_eq!(program.classes.len(), 2 * 1002);
    assert_eq!(program.filters.len(), 2 * (2 * 2000 + 1) + 1);
}

#[test]
fn the_deepest_tree_lowers_to_a_valid_program() {
    let mut text =
        String::from("link: { device: eth0, profile: ethernet, up: 100mbit, down: 100mbit }\nclasses:\n");
    for n in 1..=6 {
        let indent = "    ".repeat(n);
        text += &format!("{indent}c{n}:\n{indent}  match: [{{ remote: 0.0.0.0/{n} }}]\n{indent}  classes:\n");
    }
    let indent = "    ".repeat(7);
    text += &format!("{indent}c7: {{ match: [{{ protocol: udp }}] }}\n    rest: {{ default: true }}\n");
    let program = lowered("deep", &text);
    keeps(&program);
    let first = program.filters.first().expect("a filter");
    assert_eq!(first.why.name, "c7");
}

/// Checks the conditions that the kernel, the script and the comparison rely on.
fn keeps(program: &Program) {
    qdiscs(program);
    classes(program);
    for dev in [Dev::Wan, Dev::Ifb] {
        root_filters(program, dev);
    }
    hook_filters(program);
    places(program);
    for (header, split_in_leaves) in [(0, false), (14, true), (22, false)] {
        let on = program.on(Facts { header, split_in_leaves });
        assert_eq!(on, on.on(Facts { header: 14, split_in_leaves: true }), "what is told is not told again");
    }
}

fn leaves(program: &Program, dev: Dev) -> BTreeSet<Handle> {
    let of_dev = || program.classes.iter().filter(|class| class.dev == dev);
    let parents: BTreeSet<Parent> = of_dev().map(|class| class.parent).collect();
    of_dev().map(|class| class.id).filter(|id| !parents.contains(&Parent::At(*id))).collect()
}

fn qdiscs(program: &Program) {
    let is_leaf = |parent: &Parent| matches!(parent, Parent::At(_));
    let roots =
        program.qdiscs.iter().position(|qdisc| is_leaf(&qdisc.parent)).unwrap_or(program.qdiscs.len());
    assert!(program.qdiscs[roots..].iter().all(|qdisc| is_leaf(&qdisc.parent)), "roots before leaves");
    for dev in [Dev::Wan, Dev::Ifb] {
        let mut leaves = leaves(program, dev);
        for qdisc in program.qdiscs.iter().filter(|qdisc| qdisc.dev == dev) {
            match qdisc.parent {
                Parent::Root => assert_eq!(qdisc.handle, Handle { major: ROOT, minor: 0 }),
                Parent::Clsact => assert_eq!((dev, &qdisc.kind), (Dev::Wan, &QdiscKind::Clsact)),
                Parent::At(class) => {
                    assert!(leaves.remove(&class), "{class} is a leaf with one queue");
                    assert_eq!(qdisc.handle, Handle { major: class.minor, minor: 0 });
                    assert_ne!(qdisc.handle.major, ROOT);
                }
            }
        }
        assert_eq!(leaves, BTreeSet::new(), "every leaf has a queue");
    }
}

fn classes(program: &Program) {
    let mut known: BTreeMap<(Dev, Handle), usize> = BTreeMap::new();
    for class in &program.classes {
        let Parent::At(parent) = class.parent else { panic!("{} hangs nowhere", class.id) };
        let depth = match parent.minor {
            0 => 1,
            _ => known[&(class.dev, parent)] + 1,
        };
        assert!(depth <= 8, "{} is too deep", class.id);
        assert_eq!(parent.minor == 0, class.id.minor == TREE, "one class holds all");
        assert_eq!(known.insert((class.dev, class.id), depth), None, "{} is there twice", class.id);
        assert!(class.rate <= class.ceil && class.rate.bps() > 0 && class.quantum > 0);
    }
}

fn of_hook(program: &Program, dev: Dev, hook: Hook) -> Vec<&Filter> {
    let filters: Vec<&Filter> =
        program.filters.iter().filter(|filter| (filter.dev, filter.hook) == (dev, hook)).collect();
    assert!(filters.is_sorted_by_key(|filter| filter.pref), "first asked first");
    filters
}

/// The number of tins of a device on which CAKE schedules; `None` on other devices.
fn tins(program: &Program, dev: Dev) -> Option<u16> {
    let root = program.qdiscs.iter().find(|qdisc| (qdisc.dev, qdisc.parent) == (dev, Parent::Root))?;
    let QdiscKind::Cake { tins, shaper, .. } = &root.kind else { return None };
    assert!(shaper.is_some_and(|shaper| shaper.ingress == (dev == Dev::Ifb)));
    Some(match tins {
        CakeTins::Besteffort => 1,
        CakeTins::Diffserv3 => 3,
        CakeTins::Diffserv4 => 4,
        CakeTins::Diffserv8 => 8,
    })
}

fn root_filters(program: &Program, dev: Dev) {
    let filters = of_hook(program, dev, Hook::Root);
    let leaves = leaves(program, dev);
    if let Some(tins) = tins(program, dev) {
        let number = |filter: &&Filter| match (filter.flowid, filter.actions.as_slice()) {
            (None, [Action::Priority(tin)]) if tin.major == ROOT => tin.minor,
            _ => panic!("{filter:?} names no tin"),
        };
        assert!(filters.iter().map(number).all(|tin| (1..=tins).contains(&tin)));
        assert_eq!(filters.is_empty(), tins == 1, "one tin needs no filter");
        let last = filters.last().map(|filter| (filter.pref, &filter.selector));
        assert_eq!(
            last,
            (tins > 1).then_some((CATCH_ALL_PREF, &Selector::default())),
            "nothing is left over"
        );
        return;
    }
    for filter in &filters {
        assert!(leaves.contains(&filter.flowid.expect("a class")), "a filter names a leaf");
    }
    let last = filters.last().map(|filter| (filter.pref, &filter.selector));
    let has_root = program.qdiscs.iter().any(|qdisc| (qdisc.dev, qdisc.parent) == (dev, Parent::Root));
    assert_eq!(last, has_root.then_some((CATCH_ALL_PREF, &Selector::default())), "nothing is left over");
}

fn hook_filters(program: &Program) {
    let hooks = [of_hook(program, Dev::Wan, Hook::Ingress), of_hook(program, Dev::Wan, Hook::Egress)];
    let all = hooks.concat();
    assert!(all.iter().all(|filter| filter.flowid.is_none() && !filter.actions.is_empty()));
    let clsact = program.qdiscs.iter().any(|qdisc| qdisc.kind == QdiscKind::Clsact);
    assert_eq!(clsact, !all.is_empty());
    let [ingress, egress] = hooks.map(|filters| filters.iter().map(|own| own.pref).collect::<BTreeSet<_>>());
    assert!(ingress.is_disjoint(&egress), "tc shows both hooks in one list where they agree");
    let redirects = |filter: &Filter| filter.actions.contains(&Action::Redirect(Dev::Ifb));
    let to_ifb = program.filters.iter().rposition(redirects);
    let has_ifb = program.qdiscs.iter().any(|qdisc| qdisc.dev == Dev::Ifb);
    assert_eq!(to_ifb, has_ifb.then_some(program.filters.len() - 1), "the redirect comes last");
    assert!(!has_ifb || program.filters.last().is_some_and(|own| own.pref == INGRESS_LAST_PREF));
}

/// Checks that each preference has one protocol, and no more filters than u32 has handles for.
fn places(program: &Program) {
    let mut places = BTreeMap::new();
    for filter in &program.filters {
        let place = places.entry((filter.dev, filter.hook, filter.pref)).or_insert((filter.protocol, 0));
        assert_eq!(place.0, filter.protocol);
        place.1 += 1;
        assert!(place.1 <= 2000);
    }
}
