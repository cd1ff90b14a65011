//! Debian's own kernel in an emulated machine. Unlike user-mode-linux, it can have a second processor, and it is a
//! kernel that people run. All computation is far slower.
//!
//! Its root is the host's file system over 9p, as hostfs is for user-mode-linux. `templates/lab/init.sh` serves both.
//! Debian has 9p and overlays as modules, so an initramfs loads them. It contains busybox with its libraries, the
//! modules, and `INIT`.

use crate::tools;
use crate::uml::{Boots, compile};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const INIT: &str = r"#!/bin/busybox sh
PATH=/bin
busybox mount -t proc proc /proc
busybox mount -t devtmpfs dev /dev
for module in /modules/*; do
	busybox insmod $module
done
busybox mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,cache=loose host /root
busybox umount /dev
busybox umount /proc
exec busybox switch_root /root $WORK/init.sh
";

/// The modules that the initramfs must load to reach the host's files.
const MODULES: [&str; 3] = ["virtio_pci", "9pnet_virtio", "9p"];

/// The files and values that are needed to boot. Without `tsc=reliable`, two processors would read the time from an
/// emulated chip, which is slow.
pub struct Debian {
    program: PathBuf,
    image: PathBuf,
    modules: PathBuf,
    initrd: PathBuf,
    /// Frequency of the time-stamp counter.
    kilohertz: String,
}

impl Boots for Debian {
    fn command(&self, work: &Path, processors: u8, megabytes: u32) -> Command {
        let (work, modules) = (work.display(), self.modules.display());
        let clock = format!("tsc=reliable tsc_early_khz={}", self.kilohertz);
        let mut command = Command::new(&self.program);
        command
            .args(["-accel", "tcg", "-cpu", "max", "-no-reboot"])
            .args(["-m", &megabytes.max(512).to_string()])
            .args(["-smp", &processors.to_string()])
            .args(["-nodefaults", "-no-user-config", "-display", "none", "-serial", "stdio"])
            .args(["-virtfs", "local,path=/,mount_tag=host,security_model=none,multidevs=remap"])
            .arg("-kernel")
            .arg(&self.image)
            .arg("-initrd")
            .arg(&self.initrd)
            .arg("-append")
            .arg(format!(
                "console=ttyS0 quiet panic=-1 mitigations=off {clock} WORK={work} MODULES={modules}"
            ));
        command
    }
}

/// The machine, which is found and prepared once for all tests of this process.
pub fn debian() -> Option<&'static Debian> {
    static DEBIAN: OnceLock<Option<Debian>> = OnceLock::new();
    DEBIAN.get_or_init(find).as_ref()
}

fn find() -> Option<Debian> {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR"));
    if !tools::found(&["qemu-system-x86_64", "linux-image"]) {
        return None;
    }
    let program = tools::program("qemu-system-x86_64")?;
    let kernel = tools::kept("linux-image");
    let modules = kernel.join("lib/modules");
    let release = fs::read_dir(&modules).expect("modules").next().expect("a kernel").expect("its modules");
    let unpacked = kernel.join("boot/vmlinux");
    let image = if unpacked.exists() { unpacked } else { kernel.join("boot/vmlinuz") };
    let initrd = tmp.join("debian.initrd");
    let fresh = tmp.join(format!("debian.initrd.{}", std::process::id()));
    fs::write(&fresh, archive(&release.path())).expect("an initramfs");
    fs::rename(&fresh, &initrd).expect("an initramfs");
    let measured = Command::new(compile("tsc.c", "tsc", &[])).output().expect("tsc runs");
    let kilohertz = String::from_utf8_lossy(&measured.stdout).trim().to_owned();
    Some(Debian { program, image, modules, initrd, kilohertz })
}

/// Builds the initramfs for the kernel whose modules are in this folder.
fn archive(modules: &Path) -> Vec<u8> {
    let mut cpio = Cpio::default();
    for dir in ["dev", "proc", "root", "modules"] {
        cpio.dir(dir);
    }
    cpio.file("init", INIT.as_bytes());
    for (number, module) in in_order(modules).iter().enumerate() {
        let content = fs::read(modules.join(module)).expect("a module");
        let name = Path::new(module).file_name().expect("a file").to_string_lossy();
        cpio.file(&format!("modules/{number:02}-{name}"), &content);
    }
    cpio.program("bin/busybox");
    cpio.end()
}

/// The files of the modules and their dependencies, in loading order. In a line of depmod, the module to load first is
/// last.
fn in_order(modules: &Path) -> Vec<String> {
    let listed = fs::read_to_string(modules.join("modules.dep")).expect("what depmod wrote");
    let mut order: Vec<String> = Vec::new();
    for wanted in MODULES {
        let is_it = |file: &str| file.rsplit('/').next().and_then(|f| f.split('.').next()) == Some(wanted);
        let line = listed.lines().find(|line| line.split(':').next().is_some_and(is_it));
        // A module that is not listed is built in.
        for file in line.unwrap_or_default().replace(':', " ").split_whitespace().rev() {
            if !order.iter().any(|loaded| loaded == file) {
                order.push(file.to_owned());
            }
        }
    }
    order
}

/// A cpio archive as the kernel unpacks it.
#[derive(Default)]
struct Cpio {
    bytes: Vec<u8>,
    names: BTreeSet<String>,
}

impl Cpio {
    fn entry(&mut self, name: &str, mode: usize, content: &[u8]) {
        if !self.names.insert(name.to_owned()) {
            return;
        }
        let fields = [0, mode, 0, 0, 1, 0, content.len(), 0, 0, 0, 0, name.len() + 1, 0];
        self.bytes.extend(b"070701");
        for field in fields {
            self.bytes.extend(format!("{field:08x}").bytes());
        }
        self.bytes.extend(name.bytes().chain([0]));
        self.pad();
        self.bytes.extend(content);
        self.pad();
    }

    fn pad(&mut self) {
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
    }

    fn dir(&mut self, name: &str) {
        self.entry(name, 0o40755, &[]);
    }

    fn file(&mut self, name: &str, content: &[u8]) {
        for (at, _) in name.match_indices('/') {
            self.dir(name.get(..at).expect("a name"));
        }
        self.entry(name, 0o100_755, content);
    }

    /// Adds a program of the host, with the libraries that ldd lists.
    fn program(&mut self, name: &str) {
        let ldd = Command::new("ldd").arg(format!("/{name}")).output().expect("ldd runs");
        let needed = String::from_utf8_lossy(&ldd.stdout).into_owned();
        // A program without libraries is no failure: busybox may be linked statically.
        for file in needed.split_whitespace().filter(|word| word.starts_with('/')).chain([name]) {
            let content = fs::read(Path::new("/").join(file)).expect("a library");
            self.file(file.trim_start_matches('/'), &content);
        }
    }

    fn end(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }
}
