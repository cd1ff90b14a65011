//! Boots the guest and follows its output.

use super::console::Console;
use super::folder::Folder;
use super::kernel::{Clock, Kernel};
use super::other_script::{OtherScript, TIMEOUT};
use super::protocol::{Records, Scenario};
use super::topology::Topology;
use rustix::fs::StatVfsMountFlags;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process_group, set_parent_process_death_signal, waitid,
};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::collections::{BTreeSet, VecDeque};
use std::ffi::OsString;
use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::net::IpAddr;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Prefix of the line with which the guest announces the scenario that it begins.
pub(super) const SCENE: &str = "@scene ";
/// Beginning of the line with which the kernel's process announces that it cannot become the kernel.
pub const NO_START: &str = "the kernel does not start";
/// Memory that the guest may need, in bytes. It is a file that is deleted at once.
const ROOM: u64 = 640 << 20;

/// Number of the guest's last lines to keep for an error message.
const LAST: usize = 12;
/// Interval at which we check if the user wants to stop.
const LOOK: Duration = Duration::from_millis(100);

/// Task for a guest.
pub struct Job<'a> {
    /// Topology that the guest builds.
    pub topology: &'a Topology,
    /// Script of the router, which takes `start` and `stop`.
    pub script: &'a str,
    /// Script that the router's script runs in place of the compiled script.
    pub other: Option<&'a OtherScript>,
    /// Scenarios to play: those without the script come first.
    pub scenarios: Vec<&'a Scenario>,
    /// Names and texts of the files with which the guest plays a trace, one scenario after the other.
    pub files: Vec<(String, String)>,
    /// Longest time that the guest may take.
    pub limit: Duration,
    /// Set by the caller to stop the guest.
    pub stop: &'a AtomicBool,
    /// Console for a user, if the guest runs a shell in place of the scenarios.
    pub console: Option<&'a Console>,
}

/// Result of a guest.
pub struct Done {
    /// Release of the kernel, such as `6.1.176`.
    pub release: String,
    /// Output of the script's `start`, or the exit code of the shell.
    pub said: String,
    /// Records of the scenarios, in their order.
    pub records: Vec<Records>,
}

/// Plays all scenarios in a guest. `tell` gets the number of each scenario as it begins.
///
/// # Errors
/// Returns an error if the guest cannot be booted, or with the guest's own words if one of its commands fails.
pub fn play(kernel: &Kernel, job: &Job<'_>, tell: &mut dyn FnMut(usize)) -> Result<Done, String> {
    tools(kernel, job.topology.nat())?;
    // The path of the kernel's control socket has at most 107 bytes, and its command line splits at white space.
    let base = std::env::temp_dir();
    let base = if fits(&base) { base } else { PathBuf::from("/tmp") };
    let folder = Folder::new(&base, "qosc-lab-");
    let folder = folder.map_err(|e| failed("cannot create a working folder", &e))?;
    let work = folder.path();
    lay(work, job).map_err(|e| failed("cannot write the files of the guest", &e))?;
    let mut child = boot(kernel, work, job.console.is_some()).map_err(|e| failed(NO_START, &e))?;
    let session = job.console.map(|console| console.connect(&mut child));
    let said = watch(&mut child, job, tell);
    let _ended = session.map(|session| session.join());
    let done = std::fs::read_to_string(work.join("code")).unwrap_or_default();
    let release = std::fs::read_to_string(work.join("out/release")).unwrap_or_default();
    if done.trim() != "0" {
        return Err(why(work, &done, &said?, kernel, job.other));
    }
    said?;
    let records = job.scenarios.iter().map(|scenario| record(work, scenario)).collect::<Result<_, _>>()?;
    // A script may write any bytes.
    let said = std::fs::read(work.join("out/start.said")).unwrap_or_default();
    let said = ending(&String::from_utf8_lossy(&said));
    Ok(Done { release: release.trim().to_owned(), said, records })
}

/// Checks that this machine has the programs that the guest needs.
fn tools(kernel: &Kernel, nat: bool) -> Result<(), String> {
    let there = |name: &str| {
        ["/usr/sbin", "/usr/bin", "/sbin", "/bin"].iter().any(|dir| Path::new(dir).join(name).exists())
    };
    let busybox = Path::new("/bin/busybox").exists();
    let nat = match nat && kernel.lacks("NF_TABLES_IPV4") {
        true => ("iptables-legacy", "iptables", there("iptables-legacy")),
        false => ("nft", "nftables", !nat || there("nft") || there("iptables-legacy")),
    };
    let all =
        [("busybox", "busybox", busybox), ("ip", "iproute2", there("ip")), ("tc", "iproute2", there("tc"))];
    match all.into_iter().chain([("modprobe", "kmod", there("modprobe")), nat]).find(|(.., there)| !there) {
        None => Ok(()),
        Some((name, package, _)) => Err(format!(
            "the lab needs the command `{name}` on this machine: as root, run `apt-get install {package}`"
        )),
    }
}

fn fits(base: &Path) -> bool {
    base.to_str().is_some_and(|path| path.len() < 60 && !path.contains(char::is_whitespace))
}

fn failed(what: &str, error: &dyn std::fmt::Display) -> String {
    format!("{what}: {error}")
}

/// Writes all files of the guest.
fn lay(work: &Path, job: &Job<'_>) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let write = |name: &str, text: &[u8]| std::fs::write(work.join(name), text);
    let remotes: BTreeSet<IpAddr> =
        job.scenarios.iter().flat_map(|scenario| &scenario.flows).map(|flow| flow.net.address).collect();
    for (name, text) in job.topology.files(&remotes) {
        write(name, text.as_bytes())?;
    }
    for (name, text) in &job.files {
        write(name, text.as_bytes())?;
    }
    for scenario in job.scenarios.iter().filter(|_| !job.files.is_empty()) {
        write(&format!("{}.scenario", scenario.name), &serde_json::to_vec(&[scenario])?)?;
    }
    write("init.sh", include_bytes!("../../../../templates/lab/init.sh"))?;
    std::fs::set_permissions(work.join("init.sh"), std::fs::Permissions::from_mode(0o755))?;
    write("topology.sh", include_bytes!("../../../../templates/lab/topology.sh"))?;
    write("run.sh", include_bytes!("../../../../templates/lab/run.sh"))?;
    write("router.sh", job.script.as_bytes())?;
    for (name, shaped) in [("unshaped.json", false), ("shaped.json", true)] {
        let scenarios: Vec<&Scenario> =
            job.scenarios.iter().filter(|scenario| scenario.shaped == shaped).copied().collect();
        write(name, &serde_json::to_vec(&scenarios)?)?;
    }
    // The guest sees this machine's files, including this program.
    let program = std::env::current_exe()?;
    std::fs::hard_link(&program, work.join("qosc"))
        .or_else(|_| std::fs::copy(&program, work.join("qosc")).map(drop))?;
    let shown = work.display();
    let start = format!(
        "WORK={shown}\nQOSC={shown}/qosc\nexport WORK QOSC\nPATH=/usr/sbin:/usr/bin:/sbin:/bin exec sh \"$WORK/run.sh\"\n"
    );
    write("case.sh", start.as_bytes())
}

/// Starts the kernel on one processor. user-mode-linux traces its processes, and they take turns thousands of times a
/// second, which is slower across processors.
fn boot(kernel: &Kernel, work: &Path, has_user: bool) -> std::io::Result<Child> {
    let own = std::process::id().to_string();
    // The kernel must not survive this program, and a program can only ask for its own end.
    let through = [itself()?.into_os_string(), "lab-kernel".into(), own.into(), "--".into()];
    let mut command = kernel.command(through, work, memory(work))?;
    let user = || if has_user { Stdio::piped() } else { Stdio::null() };
    command.stdin(user()).stdout(Stdio::piped()).stderr(user()).process_group(0);
    let before = sched_getaffinity(None).ok();
    if let Some(one) = before.as_ref().and_then(last) {
        let _slower = sched_setaffinity(None, &one);
    }
    let child = command.spawn();
    if let Some(before) = before {
        let _slower = sched_setaffinity(None, &before);
    }
    child
}

/// Returns this program. The work folder has it too, but perhaps on a file system whose programs cannot be executed.
fn itself() -> std::io::Result<PathBuf> {
    // This stays the same program even if its file is replaced.
    let own = Path::new("/proc/self/exe");
    if own.exists() { Ok(own.to_owned()) } else { std::env::current_exe() }
}

/// Turns this process into the kernel of a lab, which ends as soon as the process `parent` ends, even if that is killed.
/// The processes of the guest end with their kernel.
///
/// # Errors
/// Returns only if this fails, with the reason.
#[must_use]
pub fn become_kernel(parent: u32, command: &[OsString]) -> std::io::Error {
    if let Err(e) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return e.into();
    }
    // It may have ended before.
    if std::os::unix::process::parent_id() != parent {
        return std::io::Error::other("the lab is gone");
    }
    let [program, arguments @ ..] = command else { return std::io::ErrorKind::InvalidInput.into() };
    if is_foreign(Path::new(program)) {
        return rustix::io::Errno::NOEXEC.into();
    }
    Command::new(program).args(arguments).exec()
}

/// True if Linux cannot execute a file here. The exec(3) of glibc would give such a file to the shell, which reports
/// something else.
fn is_foreign(program: &Path) -> bool {
    // A file that can be executed may be unreadable.
    let (Some(head), Some(own)) = (head(program), head(Path::new("/proc/self/exe"))) else { return false };
    !head.starts_with(b"#!")
        && machine(&head).is_none_or(|machine_there| Some(machine_there) != machine(&own))
}

/// Returns the first bytes of a file.
fn head(file: &Path) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(file).ok()?.take(20).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns the byte order and the machine in the ELF header of a program.
fn machine(head: &[u8]) -> Option<(u8, u16)> {
    const I386: u16 = 3;
    const X86_64: u16 = 62;
    let (order, machine) = match head {
        [0x7f, b'E', b'L', b'F', _, order, .., low, high] if head.len() == 20 => (*order, [*low, *high]),
        _ => return None,
    };
    let machine = u16::from_ne_bytes(machine);
    // A processor of the second executes programs of the first, too.
    Some((order, if machine == I386 { X86_64 } else { machine }))
}

/// Returns the last processor of a set.
fn last(set: &CpuSet) -> Option<CpuSet> {
    let cpu = (0..CpuSet::MAX_CPU).rev().find(|cpu| set.is_set(*cpu))?;
    let mut one = CpuSet::new();
    one.set(cpu);
    Some(one)
}

/// Returns the folder for the guest's memory: in memory, or on disk if that is too small.
fn memory(work: &Path) -> &Path {
    let shm = Path::new("/dev/shm");
    // the kernel also executes pages of that file
    let room = rustix::fs::statvfs(shm).map_or(0, |fs| {
        let runs = !fs.f_flag.contains(StatVfsMountFlags::NOEXEC);
        if runs { fs.f_bavail.saturating_mul(fs.f_frsize) } else { 0 }
    });
    if room > ROOM { shm } else { work }
}

/// Follows the guest's output until it ends. Returns its last lines that are not for us.
fn watch(child: &mut Child, job: &Job<'_>, tell: &mut dyn FnMut(usize)) -> Result<String, String> {
    let output = child.stdout.take();
    let (lines, heard) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let Some(output) = output else { return };
        for line in BufReader::new(output).split(b'\n').map_while(Result::ok) {
            if lines.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                return;
            }
        }
    });
    let end = Instant::now() + job.limit;
    let mut said: VecDeque<String> = VecDeque::new();
    let mut ended = false;
    loop {
        if job.stop.load(Ordering::Relaxed) || Instant::now() > end {
            stop(child);
            let _gone = child.wait();
            let late = format!("the lab did not finish within {} s", job.limit.as_secs());
            let stopped = job.stop.load(Ordering::Relaxed);
            return Err(if stopped { "stopped".to_owned() } else { late });
        }
        match heard.recv_timeout(LOOK) {
            Ok(line) => match line.strip_prefix(SCENE) {
                Some(name) => {
                    if let Some(number) = job.scenarios.iter().position(|scenario| scenario.name == name) {
                        tell(number);
                    }
                }
                None => {
                    said.push_back(line);
                    if said.len() > LAST {
                        said.pop_front();
                    }
                }
            },
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) if ended => break,
            // a killed guest may leave processes that hold its output open
            Err(RecvTimeoutError::Timeout) => ended = has_ended(child),
        }
    }
    stop(child);
    let _gone = child.wait();
    Ok(Vec::from(said).join("\n"))
}

/// True if the guest has ended. It stays a zombie until we wait for it, so no other process group can get its number.
fn has_ended(child: &Child) -> bool {
    let how = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let id = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    id.is_some_and(|id| !matches!(waitid(WaitId::Pid(id), how), Ok(None)))
}

/// Kills the guest and its processes, which are one process group of this machine.
fn stop(child: &Child) {
    if let Some(group) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) {
        let _gone = kill_process_group(group, Signal::KILL);
    }
}

fn why(work: &Path, code: &str, said: &str, kernel: &Kernel, other: Option<&OtherScript>) -> String {
    if let Some(line) = said.lines().find(|line| line.starts_with(NO_START)) {
        return line.to_owned();
    }
    let own = std::fs::read(work.join("out/failed")).unwrap_or_default();
    let own = String::from_utf8_lossy(&own);
    let start = own.strip_prefix("start: exit ").and_then(|rest| rest.split_once('\n'));
    if let Some((other, (status, words))) = other.zip(start) {
        return script_failed(other, status.trim(), &ending(words));
    }
    let topology = std::fs::read_to_string(work.join("out/stand.said")).unwrap_or_default();
    let words = [own.trim(), topology.trim(), said.trim()].into_iter().find(|words| !words.is_empty());
    let words = words.unwrap_or("no output");
    let mut text = match code.trim() {
        "" => format!("the kernel `{}` stopped: {words}", kernel.program.display()),
        code @ ("120" | "121" | "122" | "123" | "124" | "125" | "126" | "127") => {
            format!("the guest cannot create its root file system (step {code} of its `init.sh`): {words}")
        }
        _ => format!("a command in the guest failed: {words}"),
    };
    if said.contains("ptrace set fp regs failed") {
        text.push_str("; this processor has more registers than the kernel knows: install gcc, and qosc compiles a workaround");
    }
    text
}

/// Reason if a script of the user fails. `timeout` of busybox ends it with SIGTERM.
fn script_failed(other: &OtherScript, status: &str, words: &str) -> String {
    let (end, words) = if status == "143" {
        // The shell adds this word for a process that a signal ended.
        let words = words.strip_suffix("Terminated").unwrap_or(words).trim_end();
        (format!("did not end within {TIMEOUT} s"), words)
    } else {
        (format!("ended with exit status {status}"), words)
    };
    let words = if words.is_empty() { "it printed nothing" } else { words };
    format!("the script `{}` {end}: {words}", other.name())
}

/// Returns the last lines of an output.
fn ending(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().collect();
    lines.get(lines.len().saturating_sub(LAST)..).unwrap_or_default().join("\n")
}

fn record(work: &Path, scenario: &Scenario) -> Result<Records, String> {
    let path = work.join("out").join(format!("{}.json", scenario.name));
    let text = std::fs::read(path).map_err(|e| failed(&format!("{}: no record", scenario.name), &e))?;
    serde_json::from_slice(&text).map_err(|e| failed(&scenario.name, &e))
}

/// Longest time for scenarios of this many milliseconds in total. A real-time clock allows 1.5 times their length and
/// two minutes more.
#[must_use]
pub fn limit(clock: Clock, milliseconds: u64) -> Duration {
    match clock {
        Clock::Real => Duration::from_millis(milliseconds * 3 / 2 + 120_000),
        // here the time depends on the number of packets, which is high on a fast line
        Clock::Virtual => Duration::from_secs(3 * 3600),
    }
}
