//! Dependencies in `src`: rooms use each other as `ARCHITECTURE.md` says, and the files of a room form no cycle.
//!
//! A *room* is a top-level module. A file *uses* another file if its code names an item that the other file defines. An
//! import or a path counts; declarations (`mod x;`) do not, and neither do macros. These rules decide doubtful cases:
//!
//! - Paths are followed through imports: if `mod.rs` has `pub use x::Item`, then `super::Item` uses `x.rs`, not `mod.rs`.
//! - `pub use` alone is no use. It becomes one if the same file also names the item in its code.
//! - Everything under `#[cfg(test)]` is left out.

#[cfg(test)]
mod modules;
#[cfg(test)]
mod tokens;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write as _;
    use std::path::{Path, PathBuf};

    use super::modules::{Modules, room};

    fn source() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
    }

    /// The rooms of the table in `ARCHITECTURE.md`, each with the rooms that it may use.
    fn table() -> BTreeMap<String, BTreeSet<String>> {
        let text = std::fs::read_to_string(source().join("../ARCHITECTURE.md")).expect("the document");
        let mut table = BTreeMap::new();
        for line in text.lines().filter(|line| line.starts_with("| `src/")) {
            let columns: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(columns.len(), 5, "five columns: {line}");
            let room = columns[0].trim_matches('`').trim_start_matches("src/").trim_end_matches('/');
            let room = room.trim_end_matches(".rs").to_owned();
            let may = columns[4].split('`').skip(1).step_by(2).map(str::to_owned).collect();
            assert!(table.insert(room, may).is_none(), "two rows: {line}");
        }
        table
    }

    /// For each room the rooms that it uses, with the places.
    fn used() -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
        let mut used: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for root in ["lib.rs", "main.rs"] {
            let modules = Modules::read(&source(), root);
            for (path, module) in &modules.0 {
                let Some(own) = room(path).or((root == "main.rs").then_some("main")) else { continue };
                let of_room = used.entry(own.to_owned()).or_default();
                for mention in &module.mentions {
                    let named = match mention.path.as_slice() {
                        [library, named, ..] if library == "qosc" => Some(named.clone()),
                        _ => modules.named_room(path, mention),
                    };
                    if let Some(named) = named.filter(|named| named != own) {
                        let place = format!("src/{}:{}", module.file.display(), mention.line);
                        of_room.entry(named).or_default().push(place);
                    }
                }
            }
        }
        used
    }

    #[test]
    fn rooms_use_exactly_the_rooms_that_the_table_allows() {
        let (table, used) = (table(), used());
        let mut wrong = String::new();
        for room in used.keys().filter(|room| !table.contains_key(*room)) {
            let _ = writeln!(wrong, "the table has no row for `{room}`");
        }
        for (room, may) in &table {
            let Some(uses) = used.get(room) else {
                let _ = writeln!(wrong, "the table has a row for `{room}`, which does not exist");
                continue;
            };
            for (other, places) in uses.iter().filter(|(other, _)| !may.contains(*other)) {
                for place in places {
                    let _ = writeln!(wrong, "{place}: `{room}` may not use `{other}`");
                }
            }
            for other in may.iter().filter(|other| !uses.contains_key(*other)) {
                let _ = writeln!(wrong, "`{room}` may use `{other}`, and does not: remove it from the table");
            }
        }
        assert!(wrong.is_empty(), "ARCHITECTURE.md, table of rooms:\n{wrong}");
    }

    #[test]
    fn no_room_depends_on_itself_through_others() {
        let cycles = cycles(&table());
        assert!(cycles.is_empty(), "{cycles:?}");
    }

    #[test]
    fn files_of_a_room_form_no_cycles() {
        let modules = Modules::read(&source(), "lib.rs");
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut places: BTreeMap<(String, String), String> = BTreeMap::new();
        for (path, module) in modules.0.iter().filter(|(path, _)| !path.is_empty()) {
            let own = module.file.display().to_string();
            for mention in module.mentions.iter().filter(|mention| !mention.passes_on) {
                let Some(target) = modules.definition(path, &mention.path) else { continue };
                let other = modules.0[&target].file.display().to_string();
                if room(&target) == room(path) && other != own {
                    let place = format!("src/{own}:{}: {}", mention.line, mention.path.join("::"));
                    places.entry((own.clone(), other.clone())).or_insert(place);
                    uses.entry(own.clone()).or_default().insert(other);
                }
            }
        }
        let mut wrong = String::new();
        for cycle in cycles(&uses) {
            let _ =
                writeln!(wrong, "these files use each other: {}", Vec::from_iter(cycle.clone()).join(" "));
            for ((_, to), place) in places.iter().filter(|((from, _), _)| cycle.contains(from)) {
                if cycle.contains(to) {
                    let _ = writeln!(wrong, "    {place} is in src/{to}");
                }
            }
        }
        assert!(wrong.is_empty(), "move what these files share into a file of its own:\n{wrong}");
    }

    /// The sets of nodes that reach each other.
    fn cycles(uses: &BTreeMap<String, BTreeSet<String>>) -> BTreeSet<BTreeSet<String>> {
        let reach = |from: &str| {
            let mut seen = BTreeSet::new();
            let mut todo = vec![from.to_owned()];
            while let Some(node) = todo.pop() {
                todo.extend(
                    uses.get(&node).into_iter().flatten().filter(|to| seen.insert((*to).clone())).cloned(),
                );
            }
            seen
        };
        let reached: BTreeMap<&String, BTreeSet<String>> =
            uses.keys().map(|node| (node, reach(node))).collect();
        let cyclic = reached.iter().filter(|(node, seen)| seen.contains(**node));
        let mutual = |node: &String, seen: &BTreeSet<String>| -> BTreeSet<String> {
            seen.iter()
                .filter(|other| reached.get(other).is_some_and(|seen| seen.contains(node)))
                .cloned()
                .collect()
        };
        cyclic.map(|(node, seen)| mutual(node, seen)).collect()
    }

    #[test]
    fn module_paths_are_resolved_as_rust_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            let file = folder.path().join(name);
            std::fs::create_dir_all(file.parent().expect("a parent")).expect("a folder");
            std::fs::write(file, text).expect("a file");
        };
        write("lib.rs", "mod a; #[cfg(test)] mod c; #[cfg(test)] mod d { use x::y; } mod b;");
        write("a/mod.rs", "mod x; mod y; pub use x::Item; pub(super) use y::One; fn f(one: One) {}");
        write("a/x.rs", "use super::{y::Two, Item as Own}; // crate::b::No\nconst T: &str = \"crate::b\";");
        write(
            "a/y.rs",
            "pub struct One<'a>(&'a str, char); const C: char = '\"'; fn f() -> impl A + use<'_> { super::Item }",
        );
        write("b.rs", "use crate::a::{self, Item};\nfn f() -> r#crate { a::One(r#\"crate::b\"#) }");
        let modules = Modules::read(folder.path(), "lib.rs");
        let path = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
        let uses = |from: &str| -> Vec<String> {
            let mentions = modules.0[&path(from)].mentions.iter().filter(|mention| !mention.passes_on);
            let defined = mentions.filter_map(|mention| modules.definition(&path(from), &mention.path));
            defined.map(|module| module.join("::")).collect()
        };
        assert_eq!(modules.0.len(), 5, "no module of a test");
        assert_eq!(uses("a"), ["a::y"]);
        assert_eq!(uses("a::x"), ["a::y", "a::x"]);
        assert_eq!(uses("a::y"), ["a::x"]);
        assert_eq!(uses("b"), ["a", "a::x", "a::y"]);
        let lines: Vec<usize> = modules.0[&path("b")].mentions.iter().map(|mention| mention.line).collect();
        assert_eq!(lines, [1, 1, 2]);
    }
}
