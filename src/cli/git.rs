//! Files of git revisions.
//!
//! A repository may come from a stranger, and its configuration can name programs. `git show` and `git diff` would run them
//! for a diff, for a signature and for text conversion. The commands here only read objects. No object is fetched, because a
//! transport is a program, too. Versions of git before 2.45 ignore `GIT_NO_LAZY_FETCH`, but all know `GIT_ALLOW_PROTOCOL`,
//! which takes precedence over the repository's own settings.

use super::folder::{included, is_configuration};
use super::layers::Layers;
use super::output;
use qosc_compiler::budget::{self, Budget};
use qosc_compiler::diag::{count, for_terminal, ticked};
use qosc_compiler::layers::Files;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};

/// Largest file in bytes. Scripts may be much larger than their YAML: 12,000 classes need 16 MB.
pub(super) const MOST: usize = 64 << 20;
/// Bytes that are read of a file: one more.
const LIMIT: u64 = MOST as u64 + 1;
/// Words of git for a revision that is not there.
const UNKNOWN: &str = "Not a valid object name";
const SHALLOW: &str = "\n  help: a shallow clone lacks old revisions: run `git fetch --unshallow`, or write `fetch-depth: 0` for GitHub's checkout";
/// Largest number of symbolic links that lead to a file.
const MOST_LINKS: usize = 8;
/// Mode of a symbolic link.
const LINK: &str = "120000";

/// Reads the file of a revision, `REV:path`.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn file(name: &str) -> Result<Vec<u8>, String> {
    let failed = |words: &str| format!("cannot read `{}`: no such file, and {words}", for_terminal(name));
    // This must not become an option of git.
    if name.starts_with('-') {
        return Err(failed("a git revision does not begin with `-`"));
    }
    whole(name, git(["cat-file", "blob", name]).map_err(|words| failed(&words))?)
}

/// Returns a text that has at most [`MOST`] bytes.
fn whole(name: &str, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
    match bytes.len() > MOST {
        true => Err(format!("cannot read `{}`: it is larger than {} MiB", for_terminal(name), MOST >> 20)),
        false => Ok(bytes),
    }
}

/// Two revisions, as in `main..HEAD`.
pub(super) struct Range {
    pub(super) old: String,
    pub(super) new: String,
}

/// Returns the revisions that an argument names, or `None` if it is a path. As for git, an empty name means `HEAD`, and
/// `A...B` compares the common ancestor of both with B.
///
/// # Errors
/// Returns a message if a file has this name, or if the two revisions have no common ancestor.
pub(super) fn range(argument: &Path) -> Result<Option<Range>, String> {
    let text = argument.to_str().unwrap_or_default();
    let Some((old, new)) = text.split_once("..") else { return Ok(None) };
    // The two points can be the name of a folder. No revision has such slashes.
    let is_path = old.starts_with(['.', '/']) || old.ends_with('/') || new.starts_with('/') || text == "..";
    if is_path || text.contains(':') {
        return Ok(None);
    }
    let shown = for_terminal(text);
    if argument.symlink_metadata().is_ok() {
        return Err(format!(
            "`{shown}` can be two git revisions, and a file has this name\n  help: to name the file, write `./{shown}`"
        ));
    }
    let named = |name: &str| if name.is_empty() { "HEAD" } else { name }.to_owned();
    let common = new.strip_prefix('.');
    let (old, new) = (named(old), named(common.unwrap_or(new)));
    // These must not become options of git.
    if old.starts_with('-') || new.starts_with('-') {
        return Err(format!("cannot compare `{shown}`: a git revision does not begin with `-`"));
    }
    if common.is_none() {
        return Ok(Some(Range { old, new }));
    }
    let ancestor = git(["merge-base", &old, &new]).map_err(|words| match words.as_str() {
        SILENT => format!("cannot compare `{shown}`: the two revisions have no common ancestor{SHALLOW}"),
        words if words.contains(UNKNOWN) => format!("cannot compare `{shown}`: {words}{SHALLOW}"),
        words => format!("cannot compare `{shown}`: {words}"),
    })?;
    Ok(Some(Range { old: String::from_utf8_lossy(&ancestor).trim().to_owned(), new }))
}

/// A file of a revision.
pub(super) struct Blob {
    /// Path from the current folder.
    pub(super) path: PathBuf,
    is_link: bool,
    id: String,
}

/// A git that answers with the objects of a repository, one after the other.
pub(super) struct Objects {
    git: Mutex<Answers>,
    budget: Budget,
}

struct Answers {
    child: Child,
    asked: ChildStdin,
    told: BufReader<ChildStdout>,
    /// Contents by the name that was asked for.
    kept: BTreeMap<String, Vec<u8>>,
}

impl Drop for Answers {
    fn drop(&mut self) {
        let _gone = self.child.kill().and_then(|()| self.child.wait());
    }
}

impl Objects {
    /// Starts git. Reading charges this budget.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn new(budget: &Budget) -> Result<Arc<Self>, String> {
        let child = command(["cat-file", "--batch"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut child = child.map_err(|e| format!("git cannot be started: {e}"))?;
        let (asked, told) = child.stdin.take().zip(child.stdout.take()).ok_or("git cannot be read")?;
        let git = Answers { child, asked, told: BufReader::new(told), kept: BTreeMap::new() };
        Ok(Arc::new(Objects { git: Mutex::new(git), budget: budget.clone() }))
    }

    /// Returns the content of a file by its id or as `REV:path`, or one byte more than [`MOST`]. `None` if git cannot read
    /// it, or if the budget is used up.
    fn content(&self, name: &str) -> Option<Vec<u8>> {
        let mut git = self.git.lock().ok()?;
        if let Some(kept) = git.kept.get(name) {
            return Some(kept.clone());
        }
        // A line is a question.
        if name.contains('\n') || !self.budget.charge(1, budget::FILE) {
            return None;
        }
        writeln!(git.asked, "{name}").and_then(|()| git.asked.flush()).ok()?;
        let mut head = String::new();
        git.told.read_line(&mut head).ok()?;
        // ID KIND SIZE, or NAME and the reason why there is no such object.
        let (about, size) = head.trim_end().rsplit_once(' ')?;
        let size: usize = size.parse().ok()?;
        if !self.budget.charge(size / 16, budget::TEXT) {
            let _gone = git.child.kill();
            return None;
        }
        // A line break follows the content.
        let mut object = (&mut git.told).take(u64::try_from(size).ok()?.saturating_add(1));
        let mut bytes = Vec::new();
        object.by_ref().take(LIMIT).read_to_end(&mut bytes).ok()?;
        std::io::copy(&mut object, &mut std::io::sink()).ok()?;
        bytes.truncate(size);
        if !about.ends_with(" blob") {
            return None;
        }
        git.kept.insert(name.to_owned(), bytes.clone());
        Some(bytes)
    }
}

/// Configurations of a revision below a path, or the file at this path.
pub(super) struct Tree {
    objects: Arc<Objects>,
    revision: String,
    /// Path that was given.
    path: PathBuf,
    /// Files by their path below the given one. The path of the given file itself is empty.
    pub(super) files: BTreeMap<PathBuf, Blob>,
}

impl Tree {
    /// Lists the configurations of a revision below a path from the current folder. The list is empty if there is no such path.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn read(
        objects: &Arc<Objects>,
        revision: &str,
        path: &Path,
        layers: &Layers,
    ) -> Result<Tree, String> {
        let failed = |words: &str| {
            let help = if words.contains(UNKNOWN) { SHALLOW } else { "" };
            format!("cannot read the git revision `{}`: {words}{help}", for_terminal(revision))
        };
        if path.is_absolute() {
            return Err(format!(
                "`{}` must be a path from the current folder, because it is looked up in git revisions",
                output::name(path)
            ));
        }
        let below = Path::new(".").join(path);
        let arguments = ["ls-tree", "-r", "-z", revision, "--"].map(OsStr::new);
        let listed = git(arguments.into_iter().chain([below.as_os_str()])).map_err(|words| failed(&words))?;
        // A name that is not UTF-8 is shown as far as possible.
        let listed = String::from_utf8_lossy(&whole(revision, listed)?).into_owned();
        let given = normal(path);
        let files = listed.split_terminator('\0').filter_map(|line| {
            let (about, path) = line.split_once('\t')?;
            let mut about = about.split(' ');
            let is_link = about.next() == Some(LINK);
            let id = about.nth(1).filter(|_| !line.starts_with("160000 "))?.to_owned();
            let path = PathBuf::from(path);
            let below = path.strip_prefix(&given).unwrap_or(&path).to_owned();
            let is_wanted = below.as_os_str().is_empty() || is_configuration(&below);
            is_wanted.then_some((below, Blob { path, is_link, id }))
        });
        let files: BTreeMap<PathBuf, Blob> = files.collect();
        if !layers.budget.charge(files.len(), budget::FILE) {
            return Err(failed(&format!("{} are more than one run may read", count(files.len(), "file"))));
        }
        let (revision, path) = (revision.to_owned(), path.to_owned());
        let mut tree = Tree { objects: Arc::clone(objects), revision, path, files };
        tree.leave_out_pieces(layers);
        Ok(tree)
    }

    /// Removes the files without a link that other files include.
    fn leave_out_pieces(&mut self, layers: &Layers) {
        let blobs: BTreeMap<&Path, &Blob> =
            self.files.values().map(|blob| (blob.path.as_path(), blob)).collect();
        let text = |path: &Path| String::from_utf8(self.text(blobs.get(path)?).ok()?).ok();
        let files: Vec<&Path> = self.files.values().map(|blob| blob.path.as_path()).collect();
        let pieces = included(&files, layers, &text, &|path| Some(normal(path)));
        self.files.retain(|below, blob| below.as_os_str().is_empty() || !pieces.contains(&blob.path));
    }

    /// Returns the included files of a file.
    pub(super) fn included<'a>(&self, blob: &Blob, more: &'a [PathBuf]) -> Included<'a> {
        let folder = blob.path.parent().unwrap_or(Path::new(""));
        let folder = Path::new(".").join(folder).display().to_string();
        Included { objects: Arc::clone(&self.objects), revision: self.revision.clone(), folder, more }
    }

    /// Name of a file for messages: `REV:path`.
    pub(super) fn shown(&self, blob: &Blob) -> String {
        format!("{}:{}", self.revision, blob.path.display())
    }

    /// Message for a path that the revision does not have.
    pub(super) fn lacks_path(&self) -> String {
        let (path, revision) = (output::name(&self.path), for_terminal(&self.revision));
        format!("there is no `{path}` in the git revision `{revision}`")
    }

    /// Returns the content of a file. A symbolic link is followed within these files.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn text(&self, blob: &Blob) -> Result<Vec<u8>, String> {
        let shown = self.shown(blob);
        let failed = |words: &str| format!("cannot read `{}`: {words}", for_terminal(&shown));
        let mut blob = blob;
        for _ in 0..MOST_LINKS {
            let is_over = || self.objects.budget.is_used_up();
            let why =
                || if is_over() { "all files are more than one run may read" } else { "git cannot read it" };
            let bytes = self.objects.content(&blob.id).ok_or_else(|| failed(why()))?;
            if !blob.is_link {
                return whole(&shown, bytes);
            }
            let target = String::from_utf8_lossy(&bytes).into_owned();
            let target = normal(&blob.path.parent().unwrap_or(Path::new("")).join(target));
            let below = target.strip_prefix(normal(&self.path)).ok();
            blob = below.and_then(|below| self.files.get(below)).ok_or_else(|| {
                failed("it is a link to a file outside of the folder\n  help: name the file itself")
            })?;
        }
        Err(failed("it is a link to itself"))
    }
}

/// Included files of a revision.
pub(super) struct Included<'a> {
    objects: Arc<Objects>,
    revision: String,
    folder: String,
    more: &'a [PathBuf],
}

impl<'a> Included<'a> {
    /// Returns the files that a configuration in this folder of a revision can include.
    ///
    /// # Errors
    /// Returns a message for standard error.
    pub(super) fn new(revision: &str, folder: &str, layers: &'a Layers) -> Result<Self, String> {
        let (revision, folder) = (revision.to_owned(), folder.to_owned());
        Ok(Included { objects: Objects::new(&layers.budget)?, revision, folder, more: &layers.include_dir })
    }
}

impl Files for Included<'_> {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        let more = self.more.iter().filter_map(|folder| folder.to_str());
        // The folders of `--include-dir` count from the current one.
        let more = more.map(|folder| format!("./{folder}"));
        for folder in std::iter::once(self.folder.clone()).chain(more) {
            let slash = if folder.is_empty() { "" } else { "/" };
            let name = format!("{}:{folder}{slash}{path}", self.revision);
            if let Some(bytes) = self.objects.content(&name) {
                return Ok((name, bytes));
            }
        }
        Err(format!("there is no such file in the revision {}", ticked(&self.revision)))
    }
}

/// Returns a path without `.` and, as far as possible, without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(normal.components().next_back(), Some(Component::Normal(_))) => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal
}

/// Words about a git that fails without a message.
const SILENT: &str = "git says: ";

/// Returns what git prints, or one byte more than [`MOST`].
fn git<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Result<Vec<u8>, String> {
    let child = command(arguments).stdin(Stdio::null()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|e| format!("git cannot be started: {e}"))?;
    let mut bytes = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(LIMIT).read_to_end(&mut bytes).map_err(|e| format!("git cannot be read: {e}"))?;
    }
    if bytes.len() > MOST {
        let _gone = child.kill().and_then(|()| child.wait());
        return Ok(bytes);
    }
    let done = child.wait_with_output().map_err(|e| format!("git cannot be read: {e}"))?;
    if done.status.success() {
        return Ok(bytes);
    }
    let said = String::from_utf8_lossy(&done.stderr);
    let said: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    Err(format!("{SILENT}{}", said.join("; ")))
}

/// Returns a git that runs no program of the repository and fetches nothing.
fn command<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut git = Command::new("git");
    git.args([
        "--no-pager",
        "--no-optional-locks",
        "-c",
        "core.fsmonitor=false",
        "-c",
        "core.hooksPath=/dev/null",
    ])
    .args(arguments)
    .env("GIT_NO_LAZY_FETCH", "1")
    .env("GIT_ALLOW_PROTOCOL", "none")
    .env("GIT_TERMINAL_PROMPT", "0")
    .stdout(Stdio::piped());
    git
}
