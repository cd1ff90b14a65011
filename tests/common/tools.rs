//! The tools that a test needs besides Rust and a C linker.
//!
//! If a tool is missing, its test says so and passes. Two variables change that:
//!
//! - `QOSC_REQUIRE` lists tools. If one of them is missing, its tests fail. `all` stands for every tool, but not for what
//!   a machine must permit.
//! - `QOSC_SKIP` lists tools whose tests are left out, even if the tool is here.
//!
//! `scripts/test` installs the tools and sets both variables.

#![allow(dead_code, reason = "every test program uses only some of these")]

use std::collections::BTreeSet;
use std::io::Write as _;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// Tools that our scripts keep below the target directory: the name, a file of the tool, and the script.
const KEPT: [(&str, &str, &str); 11] = [
    ("ansible", "ansible/complete", "scripts/ansible"),
    ("linux-image", "linux-image/complete", "scripts/debian-kernel"),
    ("mipsel-busybox", "mipsel-busybox/busybox", "scripts/mipsel-busybox"),
    ("openwrt-busybox", "openwrt-busybox/busybox", "scripts/openwrt-busybox"),
    ("newer", "other-kernels/newer/complete", "scripts/other-kernels"),
    ("newest", "other-kernels/newest/complete", "scripts/other-kernels"),
    ("older", "other-kernels/older/complete", "scripts/other-kernels"),
    ("playground", "playground/index.html", "scripts/playground"),
    ("pre-commit", "pre-commit/complete", "scripts/pre-commit"),
    ("site", "site/book/index.html", "scripts/site"),
    ("virtual-kernel", "virtual-kernel/linux", "scripts/virtual-kernel"),
];

/// The shells that our scripts support.
pub const SHELLS: [&str; 3] = ["dash", "bash", "busybox"];

/// What no package brings, because the machine must permit it.
const PERMITTED: [&str; 4] = ["echo-requests", "ipv6", "mounts", "network-namespaces"];

/// Returns true if all these tools are here. Otherwise the test must pass without an assertion.
///
/// A tool is a program, the name of a tool in [`KEPT`], or one of the other names in [`is_here`].
///
/// # Panics
///
/// If `QOSC_REQUIRE` lists a tool that is missing.
#[must_use]
pub fn found(tools: &[&str]) -> bool {
    tools.iter().all(|tool| {
        if lists("QOSC_SKIP", tool) {
            return false;
        }
        let is_here = is_here(tool);
        let is_permitted = PERMITTED.contains(tool);
        if !is_here {
            let cure = KEPT.iter().find(|kept| kept.0 == *tool).map_or("scripts/test", |kept| kept.2);
            let reason = match is_permitted {
                true => format!("this machine does not permit `{tool}`"),
                false => format!("`{tool}` is missing; {cure} gets it"),
            };
            let required = lists("QOSC_REQUIRE", tool) || lists("QOSC_REQUIRE", "all") && !is_permitted;
            assert!(!required, "{reason}");
            note(tool, &reason);
        }
        is_here
    })
}

/// Returns the path of a tool below the target directory. Unit tests do not know that directory and need no such tool.
pub fn kept(path: &str) -> PathBuf {
    let tmp = option_env!("CARGO_TARGET_TMPDIR").unwrap_or("target/tmp");
    Path::new(tmp).parent().expect("a target directory").join(path)
}

/// Returns the path of a program. The folders of administrators count, too.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain(["/usr/sbin".into(), "/sbin".into()]);
    folders.map(|folder| folder.join(name)).find(|file| file.is_file())
}

fn lists(variable: &str, tool: &str) -> bool {
    let list = std::env::var(variable).unwrap_or_default();
    list.split_whitespace().any(|word| word == tool)
}

/// Writes a reason to standard error once in a process. The output of `eprintln` would be hidden, because the test passes.
#[expect(clippy::disallowed_methods, reason = "only the macros of the standard library hide their output")]
pub fn note(tool: &str, reason: &str) {
    static NOTED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    if NOTED.lock().is_ok_and(|mut noted| noted.insert(tool.to_owned())) {
        let _ = writeln!(std::io::stderr(), "NOT TRIED: {reason}");
    }
}

fn is_here(tool: &str) -> bool {
    let runs = |program: &str, arguments: &[&str]| {
        Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success())
    };
    match tool {
        // Any kernel. The name exists so that `QOSC_SKIP` can leave out all tests that boot one.
        "kernel" => true,
        // A C compiler with the headers of the C library.
        "cc" => program("cc").is_some() && Path::new("/usr/include/stdio.h").exists(),
        // The library of Prometheus in Debian's Python.
        "prometheus_client" => runs("/usr/bin/python3", &["-c", "import prometheus_client"]),
        // Network namespaces of the user's own, with `ip` inside.
        "network-namespaces" => runs("unshare", &["-n", "ip", "link", "set", "lo", "up"]),
        // A mount of the user's own.
        "mounts" => runs("unshare", &["-rm", "mount", "-t", "tmpfs", "none", "/mnt"]),
        // An IPv6 address of this machine.
        "ipv6" => UdpSocket::bind("[::1]:0").is_ok(),
        // Echo requests, which need root or `net.ipv4.ping_group_range`.
        "echo-requests" => {
            let range = std::fs::read_to_string("/proc/sys/net/ipv4/ping_group_range").unwrap_or_default();
            let ends: Vec<u32> = range.split_whitespace().filter_map(|end| end.parse().ok()).collect();
            rustix::process::geteuid().is_root()
                || matches!(ends[..], [least, most] if (least..=most).contains(&rustix::process::getegid().as_raw()))
        }
        _ => match KEPT.iter().find(|kept| kept.0 == tool) {
            Some((_, file, _)) => kept(file).exists(),
            None => program(tool).is_some(),
        },
    }
}
