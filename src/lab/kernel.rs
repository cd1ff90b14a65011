//! Which kernel the lab boots: user-mode-linux, which is one ordinary process.

use crate::units::fnv1a64;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

/// Where Debian keeps the modules of its user-mode-linux.
const MODULES: &str = "/usr/lib/uml/modules";
/// What names another kernel, a file or a folder that `--prepare` made.
const VARIABLE: &str = "QOSC_LAB_KERNEL";

/// What a kernel for virtual time is made of.
const CONFIG: &[u8] = include_bytes!("../../templates/lab/kernel.config");

/// How a kernel's clock goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Waiting is skipped and computing takes no time: no figure depends on how busy the host is.
    Virtual,
    /// That of the host: what the host does meanwhile, the figures show.
    Real,
}

/// A kernel that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel {
    /// The program.
    pub program: PathBuf,
    /// Where its modules are.
    pub modules: PathBuf,
    /// How its clock goes.
    pub clock: Clock,
}

/// The folder in which what the lab makes for itself is kept: `$XDG_CACHE_HOME/qosc`, or `~/.cache/qosc`.
#[must_use]
pub fn cache() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let base = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
    base.or_else(|| set("HOME").map(|home| home.join(".cache"))).map(|base| base.join("qosc"))
}

impl Kernel {
    /// The kernel that is named; else that of the environment's `QOSC_LAB_KERNEL`; else the one that [`prepare`] built; else
    /// Debian's, on the path.
    ///
    /// # Errors
    /// When there is none: what to do about it.
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
                "the lab's kernel in `{}` was built for another version of qosc; `qosc lab --prepare` builds it anew",
                path.display()
            ));
        }
        let path = std::env::var_os("PATH").unwrap_or_default();
        let found = std::env::split_paths(&path).map(|dir| dir.join("linux.uml")).find(|file| file.is_file());
        let program = found.ok_or_else(|| {
            "the lab needs user-mode-linux, a Linux kernel that runs as an ordinary process: build one for virtual time \
             with `qosc lab --prepare` (some minutes, no root), or install Debian's, as root: `apt-get install \
             user-mode-linux`"
                .to_owned()
        })?;
        Ok(Kernel { program, modules: MODULES.into(), clock: Clock::Real })
    }

    fn at(path: &Path) -> Result<Kernel, String> {
        let none = |what: &str| format!("`{}` is no kernel for the lab: {what}", path.display());
        let path = path.canonicalize().map_err(|e| none(&e.to_string()))?;
        if path.is_file() {
            return Ok(Kernel { program: path, modules: MODULES.into(), clock: Clock::Real });
        }
        let program = path.join("linux");
        if !program.is_file() {
            return Err(none("there is no `linux` in that folder"));
        }
        Ok(Kernel { program, modules: path.join("lib/modules"), clock: Clock::Virtual })
    }

    /// The command that boots it with this work directory, without what is the caller's: where it reads and prints.
    ///
    /// # Errors
    /// When the work directory cannot be written to.
    pub(super) fn command(&self, work: &Path, memory: &Path) -> std::io::Result<Command> {
        let mut command = Command::new(&self.program);
        let shown = work.display();
        // by names without white space, which neither a kernel's command line nor the loader takes
        std::os::unix::fs::symlink(&self.modules, work.join("modules"))?;
        command
            .arg("mem=512M")
            .args(["rootfstype=hostfs", "rootflags=/", "rw", "con=null", "con0=fd:0,fd:1", "quiet"])
            .args([format!("init={shown}/init.sh"), format!("WORK={shown}")])
            .args([format!("uml_dir={shown}/"), "umid=uml".to_owned()])
            .arg(format!("MODULES={shown}/modules"))
            .env("TMPDIR", memory);
        if self.clock == Clock::Virtual {
            // Virtual time begins at the host's, or every file would come from the future.
            let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
            command.args(["time-travel=inf-cpu", "ifb.numifbs=0"]).arg(format!("time-travel-start={now}"));
        }
        if let Some(shim) = shim() {
            let own = work.join("xstate.so");
            std::fs::copy(shim, &own)?;
            command.env("LD_PRELOAD", own);
        }
        Ok(command)
    }
}

/// What lets user-mode-linux run on processors with more registers than it knows; compiled once, where there is a compiler.
/// Without it the kernel stops on such processors, and says so.
fn shim() -> Option<PathBuf> {
    const SOURCE: &str = include_str!("../../templates/lab/xstate.c");
    let folder = cache()?;
    // another version of the source is another file
    let file = folder.join(format!("xstate-{:x}.so", fnv1a64(SOURCE.as_bytes())));
    if file.is_file() {
        return Some(file);
    }
    std::fs::create_dir_all(&folder).ok()?;
    let fresh = tempfile::Builder::new().prefix(".xstate-").tempdir_in(&folder).ok()?;
    let (source, made) = (fresh.path().join("xstate.c"), fresh.path().join("xstate.so"));
    std::fs::write(&source, SOURCE).ok()?;
    let words: [&OsStr; 5] =
        ["-O2".as_ref(), "-shared".as_ref(), "-fPIC".as_ref(), "-o".as_ref(), made.as_ref()];
    let quiet = Stdio::null;
    let done = Command::new("cc").args(words).arg(&source).stdout(quiet()).stderr(quiet()).status().ok()?;
    (done.success() && std::fs::rename(&made, &file).is_ok()).then_some(file)
}

/// Builds a kernel for virtual time from the distribution's source of its kernel, and keeps it in [`cache`]. No root is needed; it
/// takes some minutes, and what it prints goes to standard error.
///
/// # Errors
/// When something is missing, or does not build: what it was.
pub fn prepare() -> Result<PathBuf, String> {
    let folder =
        cache().ok_or("there is no folder to keep it in: neither `HOME` nor `XDG_CACHE_HOME` is set")?;
    if folder.to_str().is_none_or(|path| path.contains([' ', '\t', ':'])) {
        return Err(format!(
            "a kernel cannot be built in `{}`, for its name has white space or a colon in it; set `XDG_CACHE_HOME` to another folder",
            folder.display()
        ));
    }
    let failed = |e: std::io::Error| format!("cannot prepare `{}`: {e}", folder.display());
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let fresh = tempfile::Builder::new().prefix(".prepare-").tempdir_in(&folder).map_err(failed)?;
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
        input.write_all(include_bytes!("../../scripts/virtual-kernel")).map_err(failed)?;
    }
    let done = child.wait().map_err(failed)?;
    if !done.success() {
        let mut words = "the kernel was not built; what is said above is why".to_owned();
        let _infallible = write!(
            words,
            ". It takes Debian or a distribution made from it, and as root: `apt-get install gcc libc6-dev make flex bison bc patch \
             xz-utils kmod`"
        );
        return Err(words);
    }
    Ok(target)
}
