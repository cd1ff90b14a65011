//! Dependencies: rooms use each other as `ARCHITECTURE.md` says, and the files of a room form no cycle. Cargo allows only
//! the dependencies between crates that their `Cargo.toml` names; these tests are stricter.
//!
//! A *room* is a top-level module of a crate, or a whole crate. A file *uses* another file if its code names an item that the other file defines. An
//! import or a path counts; declarations (`mod x;`) do not, and neither do macros. These rules decide doubtful cases:
//!
//! - Paths are followed through imports: if `mod.rs` has `pub use x::Item`, then `super::Item` uses `x.rs`, not `mod.rs`.
//!   A file with another name that passes an item on is used, too.
//! - `pub use` of a module below is no use. It becomes one if the same file also names the item in its code.
//! - Everything under `#[cfg(test)]` is left out.

#[cfg(test)]
mod modules;
#[cfg(test)]
mod tokens;

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write as _;
    use std::path::Path;

    use super::modules::{Modules, room};

    fn root() -> &'static Path {
        Path::new(env!("CARGO_MANIFEST_DIR"))
    }

    /// A crate: its folder with sources, relative to the repository, the name of its library, and its room if it is one.
    struct Crate {
        folder: String,
        library: String,
        only_room: Option<String>,
    }

    impl Crate {
        /// Reads the modules below each of its roots.
        fn modules(&self) -> impl Iterator<Item = (&'static str, Modules)> {
            let folder = root().join(&self.folder);
            let roots = ["lib.rs", "main.rs"].into_iter().filter(move |file| folder.join(file).exists());
            roots.map(|file| (file, Modules::read(&root().join(&self.folder), file)))
        }
    }

    /// All crates of the workspace.
    fn crates(table: &BTreeMap<String, Row>) -> Vec<Crate> {
        let entries = std::fs::read_dir(root().join("crates")).expect("the folder of crates");
        let names = entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"));
        let below = |name: String| {
            let folder = format!("crates/{name}/src");
            let is_one_room = table.get(&name).is_some_and(|row| row.folder == folder);
            Crate { folder, library: format!("qosc_{name}"), only_room: is_one_room.then_some(name) }
        };
        let program = Crate { folder: "src".to_owned(), library: "qosc".to_owned(), only_room: None };
        names.map(below).chain([program]).collect()
    }

    /// A row of the tables in `ARCHITECTURE.md`: the crate's folder, and the rooms that the room may use.
    struct Row {
        folder: String,
        may: BTreeSet<String>,
    }

    /// The rooms of the tables in `ARCHITECTURE.md`. A crate with the row `src/` is one room with the crate's name.
    fn table() -> BTreeMap<String, Row> {
        let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the document");
        let mut table = BTreeMap::new();
        let mut folder = String::new();
        for line in text.lines() {
            if let Some(heading) = line.strip_prefix("### ") {
                folder = heading.split('`').nth(1).unwrap_or_default().trim_end_matches('/').to_owned();
            }
            if !folder.ends_with("src") || !line.starts_with("| `") {
                continue;
            }
            let columns: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            assert_eq!(columns.len(), 5, "five columns: {line}");
            let room = columns[0].trim_matches('`').trim_end_matches('/').trim_end_matches(".rs");
            let room = if room == "src" { folder.rsplit('/').nth(1).expect("a crate") } else { room };
            let may = columns[4].split('`').skip(1).step_by(2).map(str::to_owned).collect();
            let row = Row { folder: folder.clone(), may };
            assert!(table.insert(room.to_owned(), row).is_none(), "two rows: {line}");
        }
        table
    }

    /// For each room the rooms that it uses, with the places.
    fn used(table: &BTreeMap<String, Row>) -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
        let crates = crates(table);
        let mut used: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for krate in &crates {
            for (file, modules) in krate.modules() {
                for (path, module) in &modules.0 {
                    let whole = krate.only_room.clone();
                    let whole = whole.or_else(|| (file == "main.rs").then(|| "main".to_owned()));
                    let Some(own) = whole.or_else(|| room(path).map(str::to_owned)) else { continue };
                    let of_room = used.entry(own.clone()).or_default();
                    for mention in &module.mentions {
                        let other = crates.iter().find(|other| mention.path.first() == Some(&other.library));
                        let named = match other {
                            Some(other) => other.only_room.clone().or_else(|| mention.path.get(1).cloned()),
                            None if krate.only_room.is_some() => None,
                            None => modules.named_room(path, mention),
                        };
                        if let Some(named) = named.filter(|named| *named != own) {
                            let place =
                                format!("{}/{}:{}", krate.folder, module.file.display(), mention.line);
                            of_room.entry(named).or_default().push(place);
                        }
                    }
                }
            }
        }
        used
    }

    #[test]
    fn rooms_use_exactly_the_rooms_that_the_table_allows() {
        let table = table();
        let used = used(&table);
        let mut wrong = String::new();
        for room in used.keys().filter(|room| !table.contains_key(*room)) {
            let _ = writeln!(wrong, "the table has no row for `{room}`");
        }
        for (room, Row { may, .. }) in &table {
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
        let cycles = cycles(&table().into_iter().map(|(room, row)| (room, row.may)).collect());
        assert!(cycles.is_empty(), "{cycles:?}");
    }

    #[test]
    fn files_of_a_room_form_no_cycles() {
        let mut uses: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        let mut places: BTreeMap<(String, String), String> = BTreeMap::new();
        for krate in crates(&table()) {
            let (_, modules) = krate.modules().next().expect("a library");
            let name =
                |module: &Vec<String>| format!("{}/{}", krate.folder, modules.0[module].file.display());
            for (path, module) in modules.0.iter().filter(|(path, _)| !path.is_empty()) {
                let own = name(path);
                for mention in module.mentions.iter().filter(|mention| !mention.passes_on) {
                    let defined = modules.definition(path, &mention.path);
                    let passed = modules.passed(path, &mention.path);
                    for target in defined.into_iter().chain(passed) {
                        let other = name(&target);
                        if (krate.only_room.is_some() || room(&target) == room(path)) && other != own {
                            let place = format!("{own}:{}: {}", mention.line, mention.path.join("::"));
                            places.entry((own.clone(), other.clone())).or_insert(place);
                            uses.entry(own.clone()).or_default().insert(other);
                        }
                    }
                }
            }
        }
        let mut wrong = String::new();
        for cycle in cycles(&uses) {
            let _ =
                writeln!(wrong, "these files use each other: {}", Vec::from_iter(cycle.clone()).join(" "));
            for ((_, to), place) in places.iter().filter(|((from, _), _)| cycle.contains(from)) {
                if cycle.contains(to) {
                    let _ = writeln!(wrong, "    {place} is in {to}");
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
