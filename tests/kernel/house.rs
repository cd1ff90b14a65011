//! A configuration, compiled, and the lab that it belongs into.

use crate::uml::Guest;
use qosc::diag::{Sink, Sources};
use qosc::model::{Frames, Model};
use qosc::tc::{Facts, Program};
use std::path::Path;
use std::process::Command;

/// A configuration, compiled.
pub struct House {
    pub model: Model,
    pub program: Program,
    pub script: String,
}

impl House {
    /// From a file below the root of the project.
    pub fn read(file: &str) -> House {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
        let text = std::fs::read(&path).expect("a configuration");
        let stem = path.file_stem().expect("a name").to_string_lossy();
        House::of(&stem, text)
    }

    /// From its text.
    pub fn of(stem: &str, text: Vec<u8>) -> House {
        let dir = tempfile::tempdir().expect("a temporary directory");
        let path = dir.path().join(format!("{stem}.yaml"));
        std::fs::write(&path, &text).expect("a file");
        let compiled =
            Command::new(env!("CARGO_BIN_EXE_qosc")).arg("compile").arg(&path).output().expect("qosc runs");
        let findings = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{stem} does not compile\n{findings}");
        let script = String::from_utf8(compiled.stdout).expect("a script is UTF-8");

        let (mut sources, mut sink) = (Sources::default(), Sink::default());
        let file = qosc::syntax::load(&mut sources, &format!("{stem}.yaml"), &text, &mut sink).expect("text");
        let raw = qosc::syntax::read(&sources, file, &mut sink).expect("YAML");
        let model = qosc::resolve::resolve(&raw, stem, &mut sources, file, &mut sink).expect("a model");
        let program = qosc::lower::lower(&model, &mut sink).expect("a program");
        House { model, program, script }
    }

    /// How the lab makes the WAN device, told by its name as everywhere on Linux.
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

    /// What the script must find out about that device.
    pub fn facts(&self) -> Facts {
        let header = match self.kind() {
            "ethernet" | "vlan" if self.program.frames == Frames::Pppoe => 22,
            "ethernet" | "vlan" => 14,
            _ => 0,
        };
        Facts { header, split_in_leaves: false }
    }

    /// A guest in which the script is `router.sh`.
    pub fn guest(&self, name: &str) -> Guest {
        let lan: Vec<&str> = self.model.lan.devices.iter().map(|device| device.value.as_str()).collect();
        Guest::new(name)
            .file("router.sh", self.script.as_str())
            .variable("WAN", self.program.wan.as_str())
            .variable("WAN_KIND", self.kind())
            .variable("IFB", self.program.ifb.as_str())
            .variable("LAN", &lan.join(" "))
    }
}

/// Every configuration that compiles: the examples that need nothing that is not built yet, and the cases.
pub fn compiled() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let names = |dir: &str| {
        let entries = std::fs::read_dir(root.join(dir)).expect("a folder");
        entries.map(|e| e.expect("an entry").file_name().to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let examples = names("examples").into_iter().map(|name| format!("examples/{name}"));
    let cases = names("tests/cases").into_iter().map(|name| format!("tests/cases/{name}/home.yaml"));
    let mut files: Vec<String> = examples.chain(cases).collect();
    files.retain(|file| {
        let text = std::fs::read_to_string(root.join(file)).expect("a configuration");
        !text.starts_with("# needs:")
    });
    files.sort();
    files
}
