//! The modules of the crate, their imports, and the paths that their code names. Code for tests is left out.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::tokens::{Token, tokens};

/// A path that a file names, as written: `["super", "rates", "Room"]`.
#[derive(Debug)]
pub(crate) struct Mention {
    pub(crate) path: Vec<String>,
    pub(crate) line: usize,
    /// A `pub use` of a name of a module below, which the file itself does not use.
    pub(crate) passes_on: bool,
}

/// A module that is compiled without `cfg(test)`.
#[derive(Debug, Default)]
pub(crate) struct Module {
    /// Its file, relative to `src`. A module inside a file has the file of its parent.
    pub(crate) file: PathBuf,
    pub(crate) mentions: Vec<Mention>,
    /// Imported names and their paths.
    imports: BTreeMap<String, Vec<String>>,
    /// Names that it passes on, and the places of their mentions.
    public_imports: Vec<(String, usize)>,
    /// Words of its code, without imports.
    words: BTreeSet<String>,
}

/// All modules by their path from the root of the crate, which has an empty path.
#[derive(Debug, Default)]
pub(crate) struct Modules(pub(crate) BTreeMap<Vec<String>, Module>);

impl Modules {
    /// Reads the modules of the crate whose root is this file in this folder.
    pub(crate) fn read(folder: &Path, root: &str) -> Self {
        let mut modules = Self::default();
        modules.read_file(folder, Path::new(root), Vec::new());
        modules
    }

    fn read_file(&mut self, folder: &Path, file: &Path, path: Vec<String>) {
        let source = std::fs::read_to_string(folder.join(file)).expect("a file of a module");
        self.read_module(folder, file, path, &tokens(&source));
    }

    fn read_module(&mut self, folder: &Path, file: &Path, path: Vec<String>, tokens: &[Token]) {
        let mut module = Module { file: file.to_owned(), ..Module::default() };
        let mut walk = Walk { tokens, at: 0 };
        while let Some(token) = walk.peek(0) {
            if token.is("#") {
                let attributes = walk.attributes();
                if attributes.is_test {
                    walk.skip_item();
                } else if let Some(given) = attributes.path {
                    assert!(walk.peek(0).is_some_and(|next| next.is("mod")), "a path without `mod`");
                    let name = walk.peek(1).expect("a name").text.clone();
                    self.read_file(folder, &file.with_file_name(given), joined(&path, &name));
                }
            } else if token.is("pub") && walk.peek(1).is_some_and(|next| next.is("(")) {
                walk.at += 1;
                walk.skip_group();
                if walk.peek(0).is_some_and(|next| next.is("use")) {
                    module.import(&mut walk, true);
                }
            } else if token.is("use") && walk.peek(1).is_some_and(|next| next.is_word() || next.is("{")) {
                let public = walk.at > 0 && tokens[walk.at - 1].is("pub");
                module.import(&mut walk, public);
            } else if token.is("mod") && walk.peek(2).is_some_and(|next| next.is(";") || next.is("{")) {
                let name = walk.peek(1).expect("a name").text.clone();
                walk.at += 2;
                let child = joined(&path, &name);
                if walk.peek(0).is_some_and(|next| next.is("{")) {
                    let start = walk.at;
                    walk.skip_group();
                    self.read_module(folder, file, child, &tokens[start + 1..walk.at - 1]);
                } else if !self.0.contains_key(&child) {
                    self.read_file(folder, &file_of(folder, file, &name), child);
                }
            } else {
                module.name(&mut walk);
            }
        }
        for (name, mention) in std::mem::take(&mut module.public_imports) {
            let mention = &mut module.mentions[mention];
            let is_below = !["crate", "super"].contains(&mention.path[0].as_str());
            mention.passes_on = is_below && !module.words.contains(&name);
        }
        self.0.insert(path, module);
    }

    /// The room that a mention names in so many words, without following imports of other files. A crate may pass on the
    /// rooms of another one.
    pub(crate) fn named_room(&self, from: &[String], mention: &Mention) -> Option<String> {
        let (start, rest) = self.start(from, &mention.path)?;
        let full: Vec<String> = start.into_iter().chain(rest.iter().cloned()).collect();
        let passed_on = |room: &String| {
            self.0[&Vec::new()].imports.get(room).is_some_and(|path| path[0].starts_with("qosc_"))
        };
        full.first()
            .filter(|room| self.0.contains_key(std::slice::from_ref(*room)) || passed_on(room))
            .cloned()
    }

    /// The file's module through which a path goes, even if this module only passes the item on. `None` is another crate's,
    /// a module above, or a folder's `mod.rs`, which passes on the items of its files.
    pub(crate) fn passed(&self, from: &[String], path: &[String]) -> Option<Vec<String>> {
        let (mut module, rest) = self.start(from, path)?;
        for name in rest {
            let child = joined(&module, name);
            if !self.0.contains_key(&child) {
                break;
            }
            module = child;
        }
        let is_facade = ["mod.rs", "lib.rs"].iter().any(|name| self.0[&module].file.ends_with(name));
        (!is_facade && !from.starts_with(&module)).then_some(module)
    }

    /// The module that defines what this path names. Imports are followed. `None` is another crate's.
    pub(crate) fn definition(&self, from: &[String], path: &[String]) -> Option<Vec<String>> {
        self.follow(from, path, 0)
    }

    fn follow(&self, from: &[String], path: &[String], depth: usize) -> Option<Vec<String>> {
        if depth > 16 {
            return None;
        }
        if let Some((mut module, rest)) = self.start(from, path) {
            for (index, name) in rest.iter().enumerate() {
                let child = joined(&module, name);
                if self.0.contains_key(&child) {
                    module = child;
                } else if let Some(import) = self.0.get(&module)?.imports.get(name) {
                    let further: Vec<String> = import.iter().chain(&rest[index + 1..]).cloned().collect();
                    return self.follow(&module, &further, depth + 1);
                } else {
                    break;
                }
            }
            return Some(module);
        }
        let (first, rest) = path.split_first()?;
        let import = self.0.get(from)?.imports.get(first).filter(|import| import.first() != Some(first))?;
        let further: Vec<String> = import.iter().chain(rest).cloned().collect();
        self.follow(from, &further, depth + 1)
    }

    /// The module where a path starts, and its names from there. `None` if the path starts with an import.
    fn start<'a>(&self, from: &[String], path: &'a [String]) -> Option<(Vec<String>, &'a [String])> {
        let (first, rest) = path.split_first()?;
        match first.as_str() {
            "crate" => Some((Vec::new(), rest)),
            "self" => Some((from.to_vec(), rest)),
            "super" => {
                let mut module = from.split_last()?.1.to_vec();
                let mut rest = rest;
                while let Some(("super", further)) =
                    rest.split_first().map(|(name, all)| (name.as_str(), all))
                {
                    module.pop();
                    rest = further;
                }
                Some((module, rest))
            }
            _ => self.0.contains_key(&joined(from, first)).then(|| (from.to_vec(), path)),
        }
    }
}

/// The room of a module: its first name below the root.
pub(crate) fn room(path: &[String]) -> Option<&str> {
    path.first().map(String::as_str)
}

impl Module {
    /// Reads `use a::{b, c as d};`.
    fn import(&mut self, walk: &mut Walk<'_>, public: bool) {
        walk.at += 1;
        let mut found = Vec::new();
        walk.use_tree(&[], &mut found);
        for (name, path, line) in found {
            if public {
                self.public_imports.push((name.clone(), self.mentions.len()));
            }
            self.mentions.push(Mention { path: path.clone(), line, passes_on: false });
            self.imports.insert(name, path);
        }
    }

    /// Reads one token, or a path such as `a::b::C`.
    fn name(&mut self, walk: &mut Walk<'_>) {
        let first = walk.tokens[walk.at].clone();
        let qualified = walk.at > 0 && matches!(walk.tokens[walk.at - 1].text.as_str(), "::" | ".");
        walk.at += 1;
        if !first.is_word() || qualified {
            return;
        }
        let mut path = vec![first.text.clone()];
        while walk.peek(0).is_some_and(|next| next.is("::")) && walk.peek(1).is_some_and(Token::is_word) {
            path.push(walk.tokens[walk.at + 1].text.clone());
            walk.at += 2;
        }
        self.words.insert(first.text);
        let opens = |token: &Token| ["(", "[", "{"].iter().any(|bracket| token.is(bracket));
        let is_macro = walk.peek(0).is_some_and(|next| next.is("!")) && walk.peek(1).is_some_and(opens);
        if path.len() > 1 && !is_macro {
            self.mentions.push(Mention { path, line: first.line, passes_on: false });
        }
    }
}

/// A place in the tokens of a module.
struct Walk<'a> {
    tokens: &'a [Token],
    at: usize,
}

#[derive(Default)]
struct Attributes {
    is_test: bool,
    path: Option<String>,
}

impl Walk<'_> {
    fn peek(&self, ahead: usize) -> Option<&Token> {
        self.tokens.get(self.at + ahead)
    }

    /// Skips all attributes that stand here.
    fn attributes(&mut self) -> Attributes {
        let mut attributes = Attributes::default();
        while self.peek(0).is_some_and(|token| token.is("#")) {
            self.at += 1;
            if self.peek(0).is_some_and(|token| token.is("!")) {
                self.at += 1;
            }
            let start = self.at;
            self.skip_group();
            let texts: Vec<&str> =
                self.tokens[start..self.at].iter().map(|token| token.text.as_str()).collect();
            match texts.as_slice() {
                ["[", "cfg", "(", "test", ")", "]"] => attributes.is_test = true,
                ["[", "path", "=", path, "]"] => attributes.path = Some(path.trim_matches('"').to_owned()),
                _ => {}
            }
        }
        attributes
    }

    /// Skips a group in brackets, from its first bracket to its last one.
    fn skip_group(&mut self) {
        let mut depth = 0_usize;
        while let Some(token) = self.peek(0) {
            match token.text.as_str() {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }

    /// Skips an item: to its semicolon, or to the end of its block.
    fn skip_item(&mut self) {
        let imports = (0..6)
            .map_while(|ahead| self.peek(ahead).filter(|token| !token.is("{")))
            .any(|token| token.is("use"));
        while let Some(token) = self.peek(0) {
            match token.text.as_str() {
                ";" => {
                    self.at += 1;
                    return;
                }
                "{" if !imports => return self.skip_group(),
                "(" | "[" | "{" => self.skip_group(),
                _ => self.at += 1,
            }
        }
    }

    /// Reads a tree of imports up to its end: name, path and line of each.
    fn use_tree(&mut self, prefix: &[String], found: &mut Vec<(String, Vec<String>, usize)>) {
        let mut path = prefix.to_vec();
        while let Some(token) = self.peek(0).cloned() {
            match token.text.as_str() {
                "{" => {
                    self.at += 1;
                    while self.peek(0).is_some_and(|next| !next.is("}")) {
                        self.use_tree(&path, found);
                        match self.peek(0) {
                            Some(next) if next.is(",") => self.at += 1,
                            next => assert!(next.is_some_and(|next| next.is("}")), "imports end: {next:?}"),
                        }
                    }
                    self.at += 1;
                    return;
                }
                ";" | "," | "}" => break,
                "as" => {
                    let name = self.peek(1).expect("a name").text.clone();
                    found.push((name, path, token.line));
                    self.at += 2;
                    return;
                }
                "::" => self.at += 1,
                "self" if !path.is_empty() => self.at += 1,
                _ => {
                    path.push(token.text);
                    self.at += 1;
                }
            }
        }
        let line = self.tokens[self.at.saturating_sub(1)].line;
        if let Some(name) = path.last().cloned() {
            found.push((name, path, line));
        }
    }
}

fn joined(path: &[String], name: &str) -> Vec<String> {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

/// The file of a module that this file declares.
fn file_of(folder: &Path, file: &Path, name: &str) -> PathBuf {
    let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let below = if matches!(stem, "mod" | "lib" | "main") {
        file.with_file_name("")
    } else {
        file.with_extension("")
    };
    let flat = below.join(format!("{name}.rs"));
    if folder.join(&flat).exists() { flat } else { below.join(name).join("mod.rs") }
}
