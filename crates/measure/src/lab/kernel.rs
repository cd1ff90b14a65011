//! Kernel of the lab: user-mode-linux, which runs as one ordinary process.

use super::folder::Folder;
use qosc_compiler::tc::Program;
use qosc_compiler::units::fnv1a64;
use serde::{Deserialize, Serialize};
use std::ffi::{OsStr, OsString};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// Folder with the modules of Debian's user-mode-linux.
const MODULES: &str = "/usr/lib/uml/modules";
/// Environment variable with another kernel: a program, or a folder made by `--prepare`.
const VARIABLE: &str = "QOSC_LAB_KERNEL";

/// Build configuration of the kernel for virtual time.
const CONFIG: &[u8] = include_bytes!("../../../../templates/lab/kernel.config");

/// Kind of a kernel's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Virtual time skips waiting and counts no time for computing, so the host's load does not change the figures.
    Virtual,
    /// Time of the host. The host's load shows in the figures.
    Real,
}

/// A kernel for the lab.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// Program of the kernel.
    pub program: PathBuf,
    /// Folder with the kernel's modules.
    pub modules: PathBuf,
    /// Kind of the kernel's clock.
    pub clock: Clock,
}

/// Returns the folder for files that the lab makes for itself: `$XDG_CACHE_HOME/qosc`, or `~/.cache/qosc`.
#[must_use]
pub fn cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    base.or_else(|| set("HOME").map(|home| home.join(".cache"))).map(|base| base.join("qosc"))
}

impl Kernel {
    /// Finds a kernel. These places are tried in order:
    ///
    /// 1. the named kernel,
    /// 2. the environment's `QOSC_LAB_KERNEL`,
    /// 3. the kernel that [`prepare`] built,
    /// 4. Debian's kernel on the path.
    ///
    /// # Errors
    /// Returns advice for the user if there is no kernel.
    pub fn find(named: Option<&Path>) -> Result<Kernel, String> {
        let variable = std::env::var_os(VARIABLE).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = named.map(Path::to_owned).or(variable) {
            return Kernel::at(&path);
        }
        let kept = cache().map(|cache| cache.join("kernel"));
        if let Some((path, kernel)) =
            kept.and_then(|path| Kernel::at(&path).ok().map(|kernel| (path, kernel)))
        {
            if std::fs::read(path.join("wanted")).is_ok_and(|wanted| wanted == CONFIG) {
                return Ok(kernel);
            }
            return Err(format!(
                "the lab's kernel in `{}` was built for another version of qosc: run `qosc lab --prepare` to rebuild it",
                path.display()
            ));
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|dir| dir.join("linux.uml")).find(|file| file.is_file());
        let program = found.ok_or_else(|| {
            "the lab needs user-mode-linux, a Linux kernel that runs as an ordinary process: build one for virtual time \
             with `qosc lab --prepare` (some minutes, without root), or install that of Debian as root with `apt-get install \
             user-mode-linux`"
                .to_owned()
        })?;
        Ok(Kernel { program, modules: MODULES.into(), clock: Clock::Real })
    }

    fn at(path: &Path) -> Result<Kernel, String> {
        let none = |what: &str| format!("`{}` is not a kernel for the lab: {what}", path.display());
        let path = path.canonicalize().map_err(|e| none(&e.to_string()))?;
        // The program in a folder of `--prepare` stands for the folder: it cannot boot in another way.
        let prepared = path.parent().filter(|folder| path.is_file() && folder.join("wanted").is_file());
        let path = prepared.map(Path::to_owned).unwrap_or(path);
        if path.is_file() {
            return Ok(Kernel { program: path, modules: MODULES.into(), clock: Clock::Real });
        }
        let program = path.join("linux");
        if !program.is_file() {
            return Err(none("there is no `linux` in that folder"));
        }
        Ok(Kernel { program, modules: path.join("lib/modules"), clock: Clock::Virtual })
    }

    /// Checks that the kernel can run a script.
    ///
    /// # Errors
    /// Returns advice for the user if the kernel lacks something.
    pub fn fits(&self, program: &Program) -> Result<(), String> {
        match program.has_table() && self.lacks("NF_TABLES_INET") {
            true => Err(format!(
                "the kernel `{}` lacks the family `inet` of nft, with which the script of this file marks packets\n  \
                 help: `qosc lab --prepare` builds a kernel that has it",
                self.program.display()
            )),
            false => Ok(()),
        }
    }

    /// True if the kernel was built without an option. Its program contains its configuration.
    pub(super) fn lacks(&self, option: &str) -> bool {
        let line = format!("# CONFIG_{option} is not set");
        let program = std::fs::read(&self.program);
        program.is_ok_and(|bytes| bytes.windows(line.len()).any(|part| part == line.as_bytes()))
    }

    /// Returns the command that boots the kernel with this work directory: `through`, and then the kernel's own words.
    /// The caller sets its input and output.
    ///
    /// # Errors
    /// Returns an error if the work directory is not writable.
    pub(super) fn command(
        &self,
        through: impl IntoIterator<Item = OsString>,
        work: &Path,
        memory: &Path,
    ) -> std::io::Result<Command> {
        let mut words = through.into_iter().chain([self.program.clone().into_os_string()]);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        let shown = work.display();
        // these names have no white space, which would split a kernel's command line and the loader's list
        std::os::unix::fs::symlink(&self.modules, work.join("modules"))?;
        command
            .arg("mem=512M")
            .args([
                "rootfstype=hostfs",
                "rootflags=/",
                "rw",
                "ifb.numifbs=0",
                "con=null",
                "con0=null,fd:1",
                "con1=fd:0,fd:2",
                "quiet",
            ])
            .args([format!("init={shown}/init.sh"), format!("WORK={shown}")])
            .args([format!("uml_dir={shown}/"), "umid=uml".to_owned()])
            .arg(format!("MODULES={shown}/modules"))
            .env("TMPDIR", memory);
        if self.clock == Clock::Virtual {
            // Virtual time starts at the host's time. Otherwise the modification times of all files would be in the
            // future.
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
            command.arg("time-travel=inf-cpu").arg(format!("time-travel-start={now}"));
        }
        if let Some(shim) = shim() {
            // A colon or white space would split the list. The work folder has none, but it may forbid execution.
            let splits =
                shim.to_str().is_none_or(|path| path.contains(|c: char| c == ':' || c.is_whitespace()));
            let listed = if splits { work.join("xstate.so") } else { shim.clone() };
            if splits {
                std::fs::copy(shim, &listed)?;
            }
            command.env("LD_PRELOAD", listed);
        }
        Ok(command)
    }
}

/// Library for processors with more registers than user-mode-linux knows. It is compiled once, if there is a compiler.
/// Without it the kernel stops with a message on such processors.
fn shim() -> Option<PathBuf> {
    const SOURCE: &str = include_str!("../../../../templates/lab/xstate.c");
    let folder = cache()?;
    // each version of the source has its own file
    let file = folder.join(format!("xstate-{:x}.so", fnv1a64(SOURCE.as_bytes())));
    if file.is_file() {
        return Some(file);
    }
    std::fs::create_dir_all(&folder).ok()?;
    let fresh = Folder::new(&folder, ".xstate-").ok()?;
    let (source, made) = (fresh.path().join("xstate.c"), fresh.path().join("xstate.so"));
    std::fs::write(&source, SOURCE).ok()?;
    let words: [&OsStr; 5] =
        ["-O2".as_ref(), "-shared".as_ref(), "-fPIC".as_ref(), "-o".as_ref(), made.as_ref()];
    let quiet = Stdio::null;
    let done = Command::new("cc").args(words).arg(&source).stdout(quiet()).stderr(quiet()).status().ok()?;
    (done.success() && std::fs::rename(&made, &file).is_ok()).then_some(file)
}

/// Builds a kernel for virtual time from the distribution's kernel source and keeps it in [`cache`]. This needs no root
/// rights and takes some minutes. The build's messages go to standard error.
///
/// # Errors
/// Returns the reason if a tool or file is missing, or the build fails.
pub fn prepare() -> Result<PathBuf, String> {
    let folder =
        cache().ok_or("there is no folder for the kernel: neither `HOME` nor `XDG_CACHE_HOME` is set")?;
    if folder.to_str().is_none_or(|path| path.contains([' ', '\t', ':'])) {
        return Err(format!(
            "cannot build a kernel in `{}`, because its path contains white space or a colon: set `XDG_CACHE_HOME` to another folder",
            folder.display()
        ));
    }
    let failed = |e: std::io::Error| format!("cannot prepare `{}`: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let fresh = Folder::new(&folder, ".prepare-").map_err(failed)?;
    let config = fresh.path().join("kernel.config");
    std::fs::write(&config, CONFIG).map_err(failed)?;
    let target = folder.join("kernel");
    let mut child = Command::new("sh")
        .arg("-s")
        .arg("--")
        .args([&target, &config])
        .stdin(Stdio::piped())
        .spawn()
        .map_err(failed)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(include_bytes!("../../../../scripts/virtual-kernel")).map_err(failed)?;
    }
    let done = child.wait().map_err(failed)?;
    if !done.success() {
        return Err("the kernel was not built: the lines above show the reason. The build needs Debian or a derivative, and \
                    these packages: `apt-get install gcc libc6-dev make flex bison bc patch xz-utils kmod`"
            .to_owned());
    }
    Ok(target)
}

#[cfg(test)]
#[path = "kernel_tests.rs"]
mod tests;
