//! Boots a kernel, runs a case in it, and hands back what the case wrote.
#![expect(clippy::print_stderr, reason = "a test's word to whoever runs it")]

use crate::report::Report;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernel");

/// A case to be run in a kernel of its own.
pub struct Guest {
    name: String,
    files: BTreeMap<String, Vec<u8>>,
    variables: BTreeMap<String, String>,
    limit: Duration,
}

impl Guest {
    /// `name` is for people: it names the work directory.
    pub fn new(name: &str) -> Self {
        Guest {
            name: name.to_owned(),
            files: BTreeMap::new(),
            variables: BTreeMap::new(),
            limit: Duration::from_secs(300),
        }
    }

    /// A file in the work directory.
    pub fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), content.into());
        self
    }

    /// A shell variable for the case.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// How long the kernel may run; five minutes by default.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Runs `tests/kernel/guest/CASE` in a fresh kernel. `None` where there is none and that is no failure.
    pub fn run(self, case: &str) -> Option<Report> {
        let kernel = kernel()?;
        // Not below the target directory: the kernel's control socket has a path of at most 107 bytes, and its command
        // line takes no white space.
        let dir = tempfile::Builder::new().prefix("qosc-").tempdir().expect("a temporary directory");
        let report = Report::new(self.name, dir);
        for (path, content) in &self.files {
            report.write(path, content);
        }
        for path in ["init.sh", "lab.sh", "states_of.sh", "streams.sh", case] {
            let script = fs::read(format!("{SOURCES}/guest/{path}")).expect("a script of the guest's");
            report.write(if path == case { "run.sh" } else { path }, &script);
        }
        let mut start = format!("WORK={}\nexport WORK\n", report.dir().display());
        for (name, value) in &self.variables {
            let _ = writeln!(start, "{name}='{}'\nexport {name}", value.replace('\'', r"'\''"));
        }
        start.push_str("PATH=/usr/sbin:/usr/bin:/sbin:/bin exec dash \"$WORK/run.sh\"\n");
        report.write("case.sh", start.as_bytes());
        if let Some(pppd) = std::env::var_os("QOSC_PPPD") {
            fs::copy(pppd, report.dir().join("pppd")).expect("a copy of pppd");
        }
        for helper in &kernel.helpers {
            fs::copy(helper, report.dir().join(helper.file_name().expect("a file"))).expect("the helper");
        }
        make_executable(&report.dir().join("init.sh"));

        let started = Instant::now();
        boot(&report, kernel, self.limit);
        eprintln!("{}: {:.1?} in the kernel", report.name(), started.elapsed());
        match report.text("code").trim() {
            "0" => Some(report),
            code => panic!("{}: the case ended with `{code}`\n{}", report.name(), report.console()),
        }
    }
}

fn boot(report: &Report, kernel: &Kernel, limit: Duration) {
    let work = report.dir().display();
    let console = File::create(report.dir().join("console")).expect("the console");
    let mut command = Command::new(&kernel.program);
    command
        .args(["mem=256M", "rootfstype=hostfs", "rootflags=/", "rw", "con=null", "con0=fd:0,fd:1", "quiet"])
        .args([format!("init={work}/init.sh"), format!("WORK={work}")])
        .args([format!("uml_dir={work}/"), "umid=uml".to_owned()])
        .stdin(Stdio::null())
        .stderr(console.try_clone().expect("the console"))
        .stdout(console)
        .env("TMPDIR", memory(report.dir()))
        .process_group(0);
    if let Some(shim) = &kernel.shim {
        command.env("LD_PRELOAD", shim);
    }
    let mut child = command.spawn().expect("linux.uml starts");
    let end = Instant::now() + limit;
    while child.try_wait().expect("linux.uml can be waited for").is_none() {
        if Instant::now() > end {
            // The guest's processes are processes of ours, all of one group.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.wait();
            panic!("{}: not done after {limit:?}\n{}", report.name(), report.console());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

struct Kernel {
    program: PathBuf,
    shim: Option<PathBuf>,
    helpers: Vec<PathBuf>,
}

/// The kernel and the helpers that are compiled for it, once for all tests of this process.
fn kernel() -> Option<&'static Kernel> {
    static KERNEL: OnceLock<Option<Kernel>> = OnceLock::new();
    KERNEL.get_or_init(find_kernel).as_ref()
}

fn find_kernel() -> Option<Kernel> {
    let wish = std::env::var("QOSC_KERNEL").unwrap_or_default();
    if wish == "skip" {
        return None;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let program = std::env::split_paths(&path).map(|dir| dir.join("linux.uml")).find(|file| file.exists());
    let Some(program) = program else {
        assert!(wish != "require", "linux.uml is not installed; scripts/test installs it");
        eprintln!("NOT TRIED: linux.uml is not installed; scripts/test installs it");
        return None;
    };
    let shim = compile("xstate.c", "xstate.so", &["-shared", "-fPIC"]);
    let helpers = vec![
        compile("packets.c", "packets", &[]),
        compile("stream.c", "stream", &[]),
        compile("spy.c", "spy", &["-static"]),
    ];
    Some(Kernel { program, shim: Some(shim), helpers })
}

/// Where the guest's memory is kept, which is a file that is deleted at once: in memory, or else on disk. A container's
/// /dev/shm may be too small for the guests that run at a time.
fn memory(otherwise: &Path) -> &Path {
    static ROOM: OnceLock<bool> = OnceLock::new();
    let shm = Path::new("/dev/shm");
    let room = ROOM.get_or_init(|| {
        let df = Command::new("df").args(["-k", "--output=avail"]).arg(shm).output();
        let said = df.map(|df| String::from_utf8_lossy(&df.stdout).into_owned()).unwrap_or_default();
        said.lines().nth(1).and_then(|line| line.trim().parse().ok()).is_some_and(|kib: u64| kib > 2 << 20)
    });
    if *room { shm } else { otherwise }
}

fn compile(source: &str, name: &str, options: &[&str]) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = dir.join(name);
    // Another test process may be at the same.
    let fresh = dir.join(format!("{name}.{}", std::process::id()));
    let status = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&fresh)
        .args(options)
        .arg(format!("{SOURCES}/{source}"))
        .status();
    assert!(status.is_ok_and(|s| s.success()), "cc cannot compile tests/kernel/{source}");
    fs::rename(&fresh, &target).expect("the compiled helper");
    target
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}
