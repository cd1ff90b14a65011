//! Boots a kernel, runs a case in it, and returns what the case wrote. Most cases run on user-mode-linux, which is one
//! process and starts at once, and most of those in virtual time. One runs on Debian's kernel; see `debian.rs`.
#![expect(clippy::print_stderr, reason = "a test's word to whoever runs it")]

use crate::debian::debian;
use crate::pin::Pin;
use crate::report::Report;
use crate::tools;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernel");
/// The folder of the files that `qosc lab` boots with, too.
const OURS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/templates/lab");

/// The programs that any guest needs. It sees the files of the host.
const TOOLS: [&str; 15] = [
    "kernel",
    "cc",
    "dash",
    "bash",
    "busybox",
    "ip",
    "tc",
    "nft",
    "ethtool",
    "modprobe",
    "pppd",
    "pppoe-server",
    "iptables-legacy",
    "conntrack",
    "taskset",
];

/// The kernel that runs a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Machine {
    /// user-mode-linux, built for virtual time: other work of the host disturbs no figure.
    Virtual,
    /// Debian's user-mode-linux, in real time and with modules.
    Uml,
    /// Debian's kernel in an emulated machine.
    Debian,
    /// The user-mode-linux of an older Debian, with its tc and ip, in real time.
    Older,
    /// The user-mode-linux of a newer Debian, with its tc and ip, in real time.
    Newer,
    /// The user-mode-linux of Debian's unstable suite, with its tc and ip, in real time.
    Newest,
}

impl Machine {
    /// True if the kernel has nft. Debian's user-mode-linux is built without parts of it that the scripts need.
    pub fn has_nft(self) -> bool {
        matches!(self, Machine::Virtual | Machine::Debian)
    }

    /// True if HTB charges small packets less than the `mpu`, as older kernels do.
    pub fn ignores_mpu(self) -> bool {
        self == Machine::Older
    }
}

/// A case that will run in a kernel of its own.
pub struct Guest {
    name: String,
    files: BTreeMap<String, Vec<u8>>,
    variables: BTreeMap<String, String>,
    limit: Duration,
    machine: Machine,
    processors: u8,
    memory: u32,
}

impl Guest {
    /// Creates a case. `name` identifies it in messages.
    pub fn new(name: &str) -> Self {
        Guest {
            name: name.to_owned(),
            files: BTreeMap::new(),
            variables: BTreeMap::new(),
            limit: Duration::from_secs(300),
            machine: Machine::Virtual,
            processors: 1,
            memory: 256,
        }
    }

    /// Adds a file to the work directory.
    pub fn file(mut self, path: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.insert(path.to_owned(), content.into());
        self
    }

    /// Sets a shell variable for the case.
    pub fn variable(mut self, name: &str, value: &str) -> Self {
        self.variables.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Sets how long the kernel may run; five minutes by default.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = limit;
        self
    }

    /// Chooses the kernel; the one for virtual time by default.
    pub fn on(mut self, machine: Machine) -> Self {
        self.machine = machine;
        self
    }

    /// Sets the number of processors for Debian's kernel. The default is one, which is twice as fast on a busy host.
    pub fn processors(mut self, processors: u8) -> Self {
        self.processors = processors;
        self
    }

    /// Sets the least memory in megabytes. The default is 256; Debian's kernel never has less than 512.
    pub fn memory(mut self, megabytes: u32) -> Self {
        self.memory = megabytes;
        self
    }

    /// Runs `tests/kernel/guest/CASE`, or the file with that path, in a fresh kernel. Returns `None` if the kernel is
    /// missing and that is no failure.
    pub fn run(self, case: &str) -> Option<Report> {
        if !tools::found(&TOOLS) {
            return None;
        }
        let kernel: &dyn Boots = match self.machine {
            Machine::Virtual => virtual_time()?,
            Machine::Uml => uml()?,
            Machine::Debian => debian()?,
            Machine::Older => older()?,
            Machine::Newer => newer()?,
            Machine::Newest => newest()?,
        };
        // Not below the target directory: the path of the kernel's control socket has at most 107 bytes, and its
        // command line takes no white space.
        let dir = tempfile::Builder::new().prefix("qosc-").tempdir().expect("a temporary directory");
        let report = Report::new(self.name, dir);
        for (path, content) in &self.files {
            report.write(path, content);
        }
        let init = fs::read(Path::new(OURS).join("init.sh")).expect("the first process");
        report.write("init.sh", &init);
        for path in [
            "lab.sh",
            "hosts.sh",
            "life.sh",
            "router_states.sh",
            "streams.sh",
            "tunnels.sh",
            "turns.sh",
            case,
        ] {
            let script =
                fs::read(Path::new(SOURCES).join("guest").join(path)).expect("a script of the guest's");
            report.write(if path == case { "run.sh" } else { path }, &script);
        }
        let mut start = format!("WORK={}\nexport WORK\n", report.dir().display());
        for (name, value) in &self.variables {
            let _ = writeln!(start, "{name}='{}'\nexport {name}", value.replace('\'', r"'\''"));
        }
        start.push_str("PATH=/usr/sbin:/usr/bin:/sbin:/bin\nexport PATH\n");
        if let Some(tools) = kernel.tools() {
            // Our scripts choose their own PATH, so these tools must take the places of the others.
            let _ = writeln!(
                start,
                "for tool in {}/*; do\n\t\
                 mount --bind \"$tool\" \"$(readlink -f \"$(command -v \"${{tool##*/}}\")\")\" || exit 1\ndone",
                tools.display()
            );
        }
        start.push_str("exec dash \"$WORK/run.sh\"\n");
        report.write("case.sh", start.as_bytes());
        if let Some(pppd) = std::env::var_os("QOSC_PPPD") {
            fs::copy(pppd, report.dir().join("pppd")).expect("a copy of pppd");
        }
        for helper in helpers() {
            fs::copy(helper, report.dir().join(helper.file_name().expect("a file"))).expect("the helper");
        }
        make_executable(&report.dir().join("init.sh"));

        let started = Instant::now();
        let command = kernel.command(report.dir(), self.processors, self.memory);
        if self.machine == Machine::Debian {
            boot(&report, command, self.limit);
        } else {
            let pin = Pin::new();
            boot(&report, pin.command(&command), self.limit);
        }
        eprintln!("{}: {:.1?} in the kernel", report.name(), started.elapsed());
        match report.text("code").trim() {
            "0" => Some(report),
            code => panic!("{}: the case ended with `{code}`\n{}", report.name(), report.console()),
        }
    }
}

fn boot(report: &Report, mut command: Command, limit: Duration) {
    let console = File::create(report.dir().join("console")).expect("the console");
    command
        .stdin(Stdio::null())
        .stderr(console.try_clone().expect("the console"))
        .stdout(console)
        .process_group(0);
    let mut child = command.spawn().expect("the kernel starts");
    let end = Instant::now() + limit;
    while child.try_wait().expect("the kernel can be waited for").is_none() {
        if Instant::now() > end {
            // The guest's processes are processes of the host, all in one process group.
            let group = format!("-{}", child.id());
            let _ = Command::new("kill").args(["-KILL", "--", &group]).status();
            let _ = child.wait();
            panic!("{}: not done after {limit:?}\n{}", report.name(), report.console());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A kernel that was found.
pub trait Boots {
    /// The command that boots a guest with this work directory and at least this much memory. `processors` counts only
    /// for a kernel that offers the choice.
    fn command(&self, work: &Path, processors: u8, megabytes: u32) -> Command;

    /// The folder of the tools that belong to this kernel. Without one, a guest uses the tools of the host.
    fn tools(&self) -> Option<&Path> {
        None
    }
}

struct Uml {
    program: PathBuf,
    shim: PathBuf,
    modules: PathBuf,
    /// More words for the kernel's command line.
    words: Vec<String>,
    tools: Option<PathBuf>,
}

impl Boots for Uml {
    fn command(&self, work: &Path, _: u8, megabytes: u32) -> Command {
        let mut command = Command::new(&self.program);
        let memory = memory(work);
        let work = work.display();
        command
            .arg(format!("mem={megabytes}M"))
            .args(["rootfstype=hostfs", "rootflags=/", "rw", "con=null", "con0=fd:0,fd:1", "quiet"])
            .args([format!("init={work}/init.sh"), format!("WORK={work}")])
            .args([format!("uml_dir={work}/"), "umid=uml".to_owned()])
            .arg(format!("MODULES={}", self.modules.display()))
            .args(&self.words)
            .env("TMPDIR", memory)
            .env("LD_PRELOAD", &self.shim);
        command
    }

    fn tools(&self) -> Option<&Path> {
        self.tools.as_deref()
    }
}

/// Finds user-mode-linux, once for all tests of this process.
fn uml() -> Option<&'static Uml> {
    static UML: OnceLock<Option<Uml>> = OnceLock::new();
    UML.get_or_init(find).as_ref()
}

fn find() -> Option<Uml> {
    if !tools::found(&["linux.uml"]) {
        return None;
    }
    let program = tools::program("linux.uml")?;
    Some(Uml {
        program,
        shim: shim(),
        modules: "/usr/lib/uml/modules".into(),
        words: Vec::new(),
        tools: None,
    })
}

/// Finds the pair of an older Debian, once for all tests of this process.
fn older() -> Option<&'static Uml> {
    static OLDER: OnceLock<Option<Uml>> = OnceLock::new();
    OLDER.get_or_init(|| find_pair("older")).as_ref()
}

/// Finds the pair of a newer Debian, once for all tests of this process.
fn newer() -> Option<&'static Uml> {
    static NEWER: OnceLock<Option<Uml>> = OnceLock::new();
    NEWER.get_or_init(|| find_pair("newer")).as_ref()
}

/// Finds the pair of Debian's unstable suite, once for all tests of this process.
fn newest() -> Option<&'static Uml> {
    static NEWEST: OnceLock<Option<Uml>> = OnceLock::new();
    NEWEST.get_or_init(find_newest).as_ref()
}

/// The unstable suite changes every day. So it is no failure if `scripts/other-kernels` could not make this pair.
fn find_newest() -> Option<Uml> {
    if let Ok(reason) = fs::read_to_string(tools::kept("other-kernels/newest.missing")) {
        tools::note("newest", &format!("the tests on the newest kernel: {}", reason.trim()));
        return None;
    }
    // With seccomp instead of ptrace, processes start in two thirds of the time.
    Some(Uml { words: vec!["seccomp=auto".to_owned()], ..find_pair("newest")? })
}

fn find_pair(name: &str) -> Option<Uml> {
    if !tools::found(&[name]) {
        return None;
    }
    let pair = tools::kept("other-kernels").join(name);
    let (program, modules) = (pair.join("linux"), pair.join("modules"));
    Some(Uml { program, shim: shim(), modules, words: Vec::new(), tools: Some(pair.join("tools")) })
}

fn shim() -> PathBuf {
    compile("../../templates/lab/xstate.c", "xstate.so", &["-shared", "-fPIC"])
}

/// Finds the kernel for virtual time, once for all tests of this process.
fn virtual_time() -> Option<&'static Uml> {
    static VIRTUAL: OnceLock<Option<Uml>> = OnceLock::new();
    VIRTUAL.get_or_init(find_virtual).as_ref()
}

fn find_virtual() -> Option<Uml> {
    if !tools::found(&["virtual-kernel"]) {
        return None;
    }
    let kernel = tools::kept("virtual-kernel");
    let program = kernel.join("linux");
    // Virtual time begins at the host's time; otherwise, every file would come from the future.
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_nanos();
    let words = ["time-travel=inf-cpu", "ifb.numifbs=0"].map(str::to_owned).into_iter();
    let words = words.chain([format!("time-travel-start={now}")]).collect();
    Some(Uml { program, shim: shim(), modules: kernel.join("lib/modules"), words, tools: None })
}

/// The programs for the guests, which are compiled once for all tests of this process.
fn helpers() -> &'static [PathBuf] {
    static HELPERS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    HELPERS.get_or_init(|| {
        vec![
            compile("packets.c", "packets", &[]),
            compile("acks.c", "acks", &[]),
            compile("stream.c", "stream", &[]),
            compile("load.c", "load", &[]),
            compile("conversations.c", "conversations", &[]),
            compile("burst.c", "burst", &[]),
            compile("spy.c", "spy", &["-static"]),
            compile("pace.c", "pace.so", &["-shared", "-fPIC"]),
        ]
    })
}

/// The folder for the file with the guest's memory, which is deleted at once. It is /dev/shm, or else the work
/// directory on disk. A container's /dev/shm may be too small for all guests that run at a time.
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

/// Compiles one of our helper programs, unless the program is newer than its source.
pub fn compile(source: &str, name: &str, options: &[&str]) -> PathBuf {
    // Two tests of this process may want the same program.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let target = dir.join(name);
    let source = format!("{SOURCES}/{source}");
    let changed = |path: &Path| fs::metadata(path).and_then(|file| file.modified()).ok();
    if changed(&target).is_some_and(|made| changed(Path::new(&source)).is_some_and(|source| source < made)) {
        return target;
    }
    // Another test process may compile the same file.
    let fresh = dir.join(format!("{name}.{}", std::process::id()));
    let status = Command::new("cc")
        .args(["-O2", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&fresh)
        .args(options)
        .arg(&source)
        .status();
    assert!(status.is_ok_and(|s| s.success()), "cc cannot compile {source}");
    fs::rename(&fresh, &target).expect("the compiled helper");
    target
}

fn make_executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("permissions");
}
