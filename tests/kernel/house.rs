//! A compiled configuration and the lab that it needs.

use crate::uml::{Guest, Machine};
use qosc_compiler::compile::{Included, Options};
use qosc_compiler::model::{Frames, Model};
use qosc_compiler::tc::{Facts, Program, QdiscKind};
use std::path::Path;
use std::process::Command;

/// Compiles a configuration into a model and a program, without its script.
pub fn compiled(stem: &str, text: &[u8]) -> (Model, Program) {
    let compiled = qosc_compiler::compile(text, &Options::of(format!("{stem}.yaml")));
    assert!(!compiled.has_errors(), "{stem}: {:?}", compiled.findings);
    compiled.into_finished().expect("a program")
}

/// Section of a file that asks for every call.
const CALLS: &str = "script: { calls: [rate, metrics] }\n";

/// A compiled configuration.
pub struct House {
    pub model: Model,
    pub program: Program,
    pub script: String,
}

impl House {
    /// Compiles a file; `None` if its first line says that it needs a feature that is not built yet.
    pub fn read(file: &Path) -> Option<House> {
        let text = std::fs::read(file).expect("a configuration");
        let stem = file.file_stem().expect("a name").to_string_lossy();
        (!text.starts_with(b"# needs:")).then(|| House::of(&stem, text))
    }

    /// The same house, whose script has every call.
    pub fn with_calls(self) -> House {
        let yaml = qosc_compiler::emit::carried(&self.script).expect("a script carries its file").yaml;
        let more = if yaml.contains("\nscript:") { "" } else { CALLS };
        House::of(self.model.name.value.as_str(), (yaml + more).into_bytes())
    }

    /// Compiles one of the cases.
    pub fn case(name: &str) -> House {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name).join("home.yaml");
        House::read(&file).expect("a case that compiles")
    }

    /// A line with ATM cells and less overhead than the header of its device, so that the root gets a size table.
    pub fn on_cells() -> House {
        let yaml = "name: cells\nlink: { device: eth0, profile: adsl-pppoa-vcmux, up: 448kbit, down: 8mbit }\n\
             lan: { device: br-lan }\n";
        House::of("cells", yaml.as_bytes().to_vec())
    }

    /// Compiles a text.
    pub fn of(stem: &str, text: Vec<u8>) -> House {
        House::layered(stem, &String::from_utf8(text).expect("a text"), None, None)
    }

    /// Compiles one of several links of a text, which includes files from this folder.
    pub fn layered(stem: &str, text: &str, link: Option<&str>, folder: Option<&Path>) -> House {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join(format!("{stem}.yaml"));
        std::fs::write(&path, text).expect("a file");
        let mut qosc = Command::new(env!("CARGO_BIN_EXE_qosc"));
        qosc.arg("compile").arg(&path);
        qosc.args(link.into_iter().flat_map(|link| ["--link", link]));
        folder.into_iter().for_each(|folder| {
            qosc.arg("--include-dir").arg(folder);
        });
        let run = qosc.output().expect("qosc runs");
        let findings = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{stem} does not compile\n{findings}");
        let script = String::from_utf8(run.stdout).expect("a script is UTF-8");
        let carried = qosc_compiler::emit::carried(&script).expect("a script carries its files");
        let files = Included::of_script(&carried, stem);
        let options = Options { link: carried.link, ..Options::of(path) };
        let compiled = qosc_compiler::compile_with(text, &options, &files);
        let (model, program) = compiled.into_finished().expect("a program");
        House { model, program, script }
    }

    /// The same house with the program that this kernel can hold. An old one drops the `mpu` of HTB.
    pub fn held_by(mut self, machine: Machine) -> House {
        if machine.ignores_mpu() {
            for class in &mut self.program.classes {
                class.charge.mpu = 0;
            }
        }
        self
    }

    /// The kind of WAN device that the lab makes. The device's name determines it, as is usual on Linux.
    pub fn kind(&self) -> &'static str {
        let name = self.program.wan.as_str();
        if name.starts_with("ppp") {
            "pppoe"
        } else if name.contains('.') {
            "vlan"
        } else if ["wwan", "tun", "wg"].iter().any(|raw| name.starts_with(raw)) {
            "raw"
        } else {
            "ethernet"
        }
    }

    /// The facts that the script must find out about the device.
    pub fn facts(&self) -> Facts {
        let header = match self.kind() {
            "ethernet" | "vlan" if self.program.frames == Frames::Pppoe => 22,
            "ethernet" | "vlan" => 14,
            _ => 0,
        };
        Facts { header, split_in_leaves: false }
    }

    /// True if a CAKE is at each transmit queue of a device.
    fn has_several_queues(&self) -> bool {
        let is_mq =
            |kind: &QdiscKind| matches!(kind, QdiscKind::Cake { shaper: Some(shaper), .. } if shaper.mq);
        self.program.qdiscs.iter().any(|qdisc| is_mq(&qdisc.kind))
    }

    /// Creates a guest in which the script is `router.sh`.
    pub fn guest(&self, name: &str) -> Guest {
        let lan: Vec<&str> = self.model.lan.devices.iter().map(|device| device.value.as_str()).collect();
        Guest::new(name)
            .file("router.sh", self.script.as_str())
            .variable("WAN", self.program.wan.as_str())
            .variable("WAN_KIND", self.kind())
            .variable("IFB", self.program.ifb.as_str())
            .variable("QUEUES", if self.has_several_queues() { "3" } else { "" })
            .variable("LAN", &lan.join(" "))
    }
}
