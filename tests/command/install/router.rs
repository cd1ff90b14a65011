//! A folder with the files of a system, in which stand-ins replace all that they call.

use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

pub const SYSTEMS: [&str; 8] =
    ["openwrt", "debian", "systemd", "networkmanager", "networkd-dispatcher", "ppp", "alpine", "nixos"];

pub const SHELLS: [&[&str]; 3] = [&["dash"], &["busybox", "ash"], &["bash"]];

/// Runs `qosc install-files` in the root folder of the repository.
pub fn install(file: &str, system: &str, folder: &Path, more: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_qosc"))
        .args(["install-files", file, "--system", system, "-o"])
        .arg(folder)
        .args(more)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap()
}

/// Returns the paths of all files below a folder, relative to it and sorted.
pub fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => open.push(path),
                false => found.push(path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned()),
            }
        }
    }
    found.sort();
    found
}

/// A router with the files of one system for `ppp0` and the link `home`.
pub struct Router {
    dir: tempfile::TempDir,
    shell: &'static [&'static str],
}

impl Router {
    /// Installs the files. Their paths lead into the folder of this router.
    pub fn new(system: &str, shell: &'static [&'static str]) -> Router {
        Router::of("examples/vdsl2-home.yaml", system, shell)
    }

    /// Installs the files of another YAML file for `ppp0` and the link `home`.
    pub fn of(file: &str, system: &str, shell: &'static [&'static str]) -> Router {
        let dir = tempfile::tempdir().unwrap();
        let router = Router { dir, shell };
        let output = install(file, system, &router.path("root"), &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let root = router.path("root").display().to_string();
        for name in files(&router.path("root")) {
            let path = router.path("root").join(&name);
            let mut text = std::fs::read_to_string(&path).unwrap();
            for folder in ["/etc/", "/sys/", "/var/", "/lib/", "/run/"] {
                // A path begins after a space, a quote, `=` or `>`, or at the beginning of a line.
                for before in [" ", "\"", "=", ">", "\n"] {
                    text = text.replace(&format!("{before}{folder}"), &format!("{before}{root}{folder}"));
                }
            }
            // A process in the background says when it ends. Writing keeps the mode.
            let text = text.replace("} </dev/null", "echo ended >>\"$ROUTER/ended\"; } </dev/null");
            std::fs::write(&path, text).unwrap();
        }
        router.program(
            "root/etc/qosc/home.sh",
            "echo \"$*\" >>\"$CALLS\"\n[ ! -e \"$ROUTER/fails\" ] || { echo 'home: it failed' >&2; exit 1; }\n\
             echo 'home: up to date'\n\
             [ \"$1\" != check ] || [ -e \"$ROUTER/started\" ] || exit 3\n",
        );
        router.program("bin/logger", "sed \"s/^/$*: /\" >>\"$ROUTER/log\"\n");
        // Time passes only when a test says so.
        router.program("bin/sleep", "until rm \"$ROUTER/tick\" 2>/dev/null; do /bin/sleep 0.02; done\n");
        std::fs::create_dir_all(router.path("root/sys/class/net")).unwrap();
        router
    }

    /// Lets the init system start the script: a link of OpenRC, and the answer of OpenWrt's rc.common to `enabled`.
    pub fn enable(&self) {
        self.set("root/etc/runlevels/default/qosc-home", true);
        self.program("root/etc/rc.common", "[ \"$2\" = enabled ]\n");
    }

    /// Ends one `sleep` of a process in the background.
    pub fn tick(&self) {
        std::fs::write(self.path("tick"), "").unwrap();
        self.wait(|| !self.path("tick").exists());
    }

    /// Lets time pass until the process in the background has ended, whether it sleeps once more or not.
    pub fn finish_background(&self) {
        std::fs::write(self.path("tick"), "").unwrap();
        self.wait(|| std::fs::remove_file(self.path("ended")).is_ok());
        let _ = std::fs::remove_file(self.path("tick"));
    }

    fn wait(&self, until: impl Fn() -> bool) {
        let end = Instant::now() + Duration::from_secs(120);
        while !until() {
            assert!(Instant::now() < end, "nothing happened in {}", self.dir.path().display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes a program for the shell of this router.
    pub fn program(&self, name: &str, text: &str) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\n{text}")).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Makes a file or folder, or removes it.
    pub fn set(&self, name: &str, there: bool) {
        let path = self.path(name);
        if there {
            std::fs::create_dir_all(&path).unwrap();
        } else {
            std::fs::remove_dir_all(&path).unwrap();
        }
    }

    /// Runs a command with these variables, and with no others except PATH.
    pub fn run(&self, words: &[&str], variables: &[(&str, &str)]) -> Output {
        let path = std::env::var("PATH").unwrap() + ":/usr/sbin:/sbin";
        Command::new(words[0])
            .args(&words[1..])
            .current_dir(self.dir.path())
            .env_clear()
            .env("PATH", format!("{}:{path}", self.path("bin").display()))
            .env("CALLS", self.path("calls"))
            .env("ROUTER", self.dir.path())
            .envs(variables.iter().copied())
            .output()
            .unwrap()
    }

    /// Runs a hook with the shell of this router. The hook must neither fail nor print anything.
    #[track_caller]
    pub fn hook(&self, file: &str, arguments: &[&str], variables: &[(&str, &str)]) {
        let file = self.path("root").join(file).display().to_string();
        let words = [self.shell, &[file.as_str()], arguments].concat();
        silent(&self.run(&words, variables));
    }

    /// Returns a command that runs a text with the shell of this router.
    pub fn shell(&self, text: &str, variables: &[(&str, &str)]) -> Output {
        self.run(&[self.shell, &["-c", text]].concat(), variables)
    }

    /// Returns the calls of the script since the last time, separated by commas.
    pub fn calls(&self) -> String {
        let text = std::fs::read_to_string(self.path("calls")).unwrap_or_default();
        let _ = std::fs::remove_file(self.path("calls"));
        text.trim_end().replace('\n', ", ")
    }

    /// Returns the lines that the hooks logged.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.path("log")).unwrap_or_default()
    }
}

/// Asserts that a hook succeeded and printed nothing.
#[track_caller]
pub fn silent(output: &Output) {
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    let _ = write!(said, "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.is_empty(), "{}: {said}", output.status);
}
