//! The Ansible collection without a router: its package, its documentation, and errors that need no router.
//!
//! `scripts/ansible` puts Ansible into `target/ansible`.

#![cfg(test)]

use crate::tools;
use serde_yaml::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex, PoisonError, Weak};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder in which the collection is installed.
struct Controller {
    dir: tempfile::TempDir,
}

impl Controller {
    /// The folder that all tests share, which the last of them removes.
    fn shared() -> Arc<Controller> {
        static SHARED: Mutex<Weak<Controller>> = Mutex::new(Weak::new());
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        shared.upgrade().unwrap_or_else(|| {
            let new = Arc::new(Controller::new());
            *shared = Arc::downgrade(&new);
            new
        })
    }

    /// Builds the collection and installs the package.
    fn new() -> Controller {
        let controller = Controller { dir: tempfile::tempdir().unwrap() };
        let folder = controller.dir.path();
        let built = controller
            .run("ansible-galaxy")
            .args(["collection", "build", "--output-path"])
            .arg(folder)
            .arg(root().join("ansible"))
            .output();
        expect(&built.unwrap());
        let package = folder.join(format!("qosc-qosc-{}.tar.gz", env!("CARGO_PKG_VERSION")));
        let installed = controller
            .run("ansible-galaxy")
            .args(["collection", "install", "--offline", "-p"])
            .args([folder.join("collections"), package])
            .output();
        expect(&installed.unwrap());
        controller
    }

    fn run(&self, program: &str) -> Command {
        let mut command = Command::new(tools::kept("ansible/bin").join(program));
        let folder = self.dir.path();
        command
            .current_dir(folder)
            .env("HOME", folder)
            .env("ANSIBLE_HOME", folder.join("home"))
            .env("ANSIBLE_COLLECTIONS_PATH", folder.join("collections"))
            .env("ANSIBLE_NOCOLOR", "1")
            .env("LC_ALL", "C.UTF-8");
        command
    }

    fn documentation(&self, kind: &str, name: &str) -> serde_json::Value {
        let shown = self.run("ansible-doc").args(["--json", "-t", kind, name]).output().unwrap();
        expect(&shown);
        serde_json::from_slice::<serde_json::Value>(&shown.stdout).unwrap()[name].clone()
    }

    /// Runs the action with these options on this machine, where it must fail before it reaches a router.
    fn failure(&self, options: &str) -> String {
        let qosc = env!("CARGO_BIN_EXE_qosc");
        let words = format!("program={qosc} {options}");
        let run = self
            .run("ansible")
            .args(["localhost", "-i", "localhost,", "-c", "local", "-m", "qosc.qosc.qosc", "-a", &words])
            .output()
            .unwrap();
        assert_eq!(run.status.code(), Some(2), "{}", said(&run));
        said(&run)
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[track_caller]
fn expect(output: &Output) {
    assert!(output.status.success(), "{}", said(output));
}

fn yaml(path: &str) -> Value {
    serde_yaml::from_str(&std::fs::read_to_string(root().join(path)).unwrap()).expect(path)
}

/// The keys of a JSON or YAML mapping, sorted.
fn keys(value: &serde_json::Value) -> Vec<String> {
    let mut keys: Vec<String> = value.as_object().unwrap().keys().cloned().collect();
    keys.sort();
    keys
}

#[test]
fn the_package_has_documentation_of_every_option() {
    if !tools::found(&["ansible"]) {
        return;
    }
    let controller = Controller::shared();
    let module = controller.documentation("module", "qosc.qosc.qosc");
    let options = keys(&module["doc"]["options"]);
    let plugin = std::fs::read_to_string(root().join("ansible/plugins/action/qosc.py")).unwrap();
    for option in &options {
        assert!(plugin.contains(&format!("\"{option}\": {{\"type\"")), "the plugin does not take `{option}`");
    }
    assert_eq!(plugin.matches(": {\"type\"").count(), options.len(), "an option is not documented");
    assert!(module["examples"].as_str().unwrap().contains("qosc.qosc.qosc:"));
    assert!(module["return"]["plan"].is_object());

    // The role has the same options, with a prefix.
    let role = controller.documentation("role", "qosc.qosc.router");
    let prefixed: Vec<String> = options.iter().map(|option| format!("qosc_{option}")).collect();
    assert_eq!(keys(&role["entry_points"]["main"]["options"]), prefixed);
}

#[test]
fn the_files_of_the_collection_agree() {
    let galaxy = yaml("ansible/galaxy.yml");
    assert_eq!(galaxy["version"], env!("CARGO_PKG_VERSION"), "galaxy.yml has the version of qosc");
    let changelog = std::fs::read_to_string(root().join("ansible/CHANGELOG.md")).unwrap();
    assert!(changelog.contains(&format!("## {}\n", env!("CARGO_PKG_VERSION"))));
    assert!(yaml("ansible/meta/runtime.yml")["requires_ansible"].is_string());
    // The defaults of the role are those of its argument specification.
    let defaults = yaml("ansible/roles/router/defaults/main.yml");
    let spec = yaml("ansible/roles/router/meta/argument_specs.yml");
    let options = spec["argument_specs"]["main"]["options"].as_mapping().unwrap();
    for (name, option) in options {
        assert_eq!(defaults.get(name), option.get("default"), "{name:?}");
    }
    let task = &yaml("ansible/roles/router/tasks/main.yml")[0]["qosc.qosc.qosc"];
    assert_eq!(task.as_mapping().unwrap().len(), options.len());
}

#[test]
fn each_problem_on_the_controller_has_one_clear_message() {
    if !tools::found(&["ansible"]) {
        return;
    }
    let controller = Controller::shared();
    let file: PathBuf = controller.dir.path().join("bad.yaml");
    std::fs::write(&file, "link: { device: eth0, profile: docsis, up: 6500, down: 25mbit }\n").unwrap();
    let good = root().join("examples/vdsl2-home.yaml");
    let (bad, good) = (file.display(), good.display());
    for (options, words) in [
        (format!("src={bad}"), "the rate `6500` has no unit"),
        ("src=missing.yaml".to_owned(), "missing.yaml"),
        (format!("src={good} system=toaster"), "invalid value 'toaster'"),
        (format!("src={good} system=nixos"), "system: nixos is not supported"),
        (format!("src={good} trial=0"), "trial: 0 is not from 1 to 99999"),
        ("state=absent name=../x".to_owned(), "name: '../x' is not the name of a link"),
        ("state=absent".to_owned(), "state is absent but any of the following are missing: src, name"),
        (String::new(), "state is present but all of the following are missing: src"),
        (format!("src={good} program=/missing/qosc"), "cannot run /missing/qosc on the controller"),
    ] {
        let said = controller.failure(&options);
        assert!(said.contains(words), "{options}: no `{words}`\n{said}");
        assert!(!said.contains("Traceback"), "{said}");
    }
}
