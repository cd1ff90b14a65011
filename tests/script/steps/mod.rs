//! `plan` gives the engine what the script gives it: it takes the steps that the script takes with each of this machine's
//! awks, byte for byte. So are the reasons for new trees.
//! The test covers hundreds of pairs of configurations. In some, others changed the kernel's state, a killed start left it
//! half-built, or it is empty.

#![cfg(test)]

mod applied;
mod household;
mod kernel;
use crate::runtime;
use crate::tools;
use household::{Dice, household};
use kernel::Kernel;
use qosc_compiler::compile::Options;
use qosc_compiler::diag::Code;
use qosc_compiler::tc::{Dev, Facts, Program, QdiscKind};
use qosc_preview::diff::Cost;
use qosc_preview::plan::{Cause, Found, Object, Router, Step, steps};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const CASES: u64 = 320;

/// Compiles a text. A random household may ask more of CAKE than it can do. A rule refuses that, but the objects exist,
/// and the steps between them must also agree.
fn program(yaml: &str, stem: &str) -> Option<Program> {
    let compiled = qosc_compiler::compile(yaml, &Options::of("home.yaml").stem(stem));
    let fine = compiled.errors().all(|error| error.code == Code::CakeEngineUnsupported);
    compiled.program.filter(|_| fine)
}

fn examples() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases =
        std::fs::read_dir(root.join("tests/cases")).unwrap().map(|e| e.unwrap().path().join("home.yaml"));
    let examples = std::fs::read_dir(root.join("examples")).unwrap().map(|e| e.unwrap().path());
    let mut files: Vec<_> = cases.chain(examples).filter(|file| file.is_file()).collect();
    files.sort();
    let texts = files.iter().map(|file| std::fs::read_to_string(file).unwrap());
    let found: Vec<Program> = texts.filter_map(|text| program(&text, "home")).collect();
    assert!(found.len() > 12, "only {} examples", found.len());
    found
}

fn facts(dice: &mut Dice) -> Facts {
    Facts { header: *dice.pick(&[14, 14, 22, 0]), split_in_leaves: dice.one_in(6) }
}

/// A router with its recorded and observed state, and a configuration.
#[derive(Debug, Clone, Default)]
struct Case {
    /// The ifbs with their state: 0 if the device does not exist, 1 if it is down, 2 if it is up.
    ifb: (&'static str, u8),
    second_ifb: (&'static str, u8),
    uploads_ifb: (&'static str, u8),
    /// True if uploads pass an ifb.
    is_up_by_ifb: bool,
    /// Present and desired length of the WAN device's own queue.
    queue: &'static str,
    txqueuelen: &'static str,
    needs_hook: bool,
    needs_egress: bool,
    take_over: bool,
    before: String,
    /// Description of the last start, and what tc showed after it.
    was: String,
    held: String,
    wanted: String,
    shown: String,
    /// True if nobody but the script has changed the router since its last start.
    is_untouched: bool,
}

impl Case {
    fn up(&self) -> &'static str {
        if self.is_up_by_ifb { self.uploads_ifb.0 } else { "eth0" }
    }

    /// Returns what the engine gets.
    fn router(&self) -> Router {
        let yes = |on: bool| if on { "yes" } else { "no" };
        let mut files = vec![
            ("wanted".to_owned(), format!("== described\n{}", self.wanted)),
            ("before".to_owned(), self.before.clone()),
            ("sys/class/net/eth0/tx_queue_len".to_owned(), format!("{}\n", self.queue)),
        ];
        if !self.was.is_empty() && !self.held.is_empty() {
            let record = format!("by\n== described\n{}== shown\n{}== end\n", self.was, self.held);
            files.push(("state".to_owned(), record));
        }
        for (name, up) in [self.ifb, self.second_ifb, self.uploads_ifb] {
            let flags = ["", "0x1002\n", "0x1003\n"][usize::from(up)];
            files.push((format!("sys/class/net/{name}/flags"), flags.to_owned()));
        }
        let variables = [
            ("link", "home"),
            ("dev", "eth0"),
            ("up", self.up()),
            ("ifb1", self.ifb.0),
            ("ifb2", self.second_ifb.0),
            ("ifbu", self.uploads_ifb.0),
            ("txqueuelen", self.txqueuelen),
            ("needs_hook", yes(self.needs_hook)),
            ("needs_egress", yes(self.needs_egress)),
            ("take_over", yes(self.take_over)),
        ];
        let variables = variables.map(|(name, value)| (name, value.to_owned())).to_vec();
        Router { variables, files, input: format!("== tc\n{}\n== shown\n", self.shown) }
    }
}

fn case(dice: &mut Dice, examples: &[Program]) -> Case {
    let some = |dice: &mut Dice| {
        let by_ifb = examples.iter().find(|program| program.is_up_by_ifb).expect("such an example");
        if dice.one_in(6) {
            by_ifb.clone()
        } else if dice.one_in(4) {
            dice.pick(examples).clone()
        } else {
            program(&household(dice), "home").expect("a household")
        }
    };
    // For each tunnel, the router can either queue decrypted downloads, or lacks something.
    let some = |dice: &mut Dice| {
        let program = some(dice);
        let lacking = dice.below(5);
        program.with_tunnels(|tunnel| (tunnel.device.as_str().len() != lacking + 3).then_some(51820))
    };
    let old = some(dice);
    let new = if dice.one_in(4) { old.clone() } else { some(dice) };
    let old_facts = facts(dice);
    let new_facts = if dice.one_in(3) { facts(dice) } else { old_facts };
    let recorded = !dice.one_in(5);
    let mut kernel = Kernel::of(&old, old_facts, dice);
    let held = kernel.text(old.is_up_by_ifb);
    let is_meddled = dice.one_in(2);
    if is_meddled {
        kernel.meddle(dice, &new, new_facts);
    }
    let is_forgotten = dice.one_in(8);
    if is_forgotten {
        kernel.forget_everything();
    }
    kernel.with_devices(&new);
    let mut router = Case {
        was: if recorded {
            qosc_compiler::emit::described(&old, old_facts, "old.yaml")
        } else {
            String::new()
        },
        held: if recorded && !dice.one_in(8) { held } else { String::new() },
        wanted: qosc_compiler::emit::described(&new, new_facts, "home.yaml"),
        ifb: ("ifb-home", kernel.ifb_up),
        second_ifb: ("ifb2-home", kernel.second_up),
        needs_hook: new.qdiscs.iter().any(|q| q.kind == QdiscKind::Clsact),
        needs_egress: dice.one_in(3),
        uploads_ifb: ("ifbu-home", kernel.uploads_up),
        is_up_by_ifb: new.is_up_by_ifb,
        ..Case::default()
    };
    // Others have a filter at the hooks.
    router.take_over = dice.one_in(20) && !kernel.hooked.is_empty();
    let is_recorded = !router.was.is_empty() && !router.held.is_empty();
    // Only an older script has left the second ifb.
    router.is_untouched =
        is_recorded && !is_meddled && !is_forgotten && !router.take_over && kernel.second_up == 0;
    let foreign = if router.take_over { "filter protocol all pref 5 u32 chain 0\n" } else { "" };
    let hook = match kernel.hooked.as_str() {
        "" => String::new(),
        kind => format!("qdisc {kind} ffff: parent ffff:fff1\n"),
    };
    let text = kernel.text(new.is_up_by_ifb);
    let rest = text.lines().filter(|line| !line.contains(" ffff: parent ")).map(raw);
    let (hooks, trees): (Vec<String>, Vec<String>) = {
        let lines: Vec<String> = rest.map(|line| line + "\n").collect();
        let first = lines.iter().position(|line| line.starts_with("qdisc ")).unwrap_or(lines.len());
        (lines[..first].to_vec(), lines[first..].to_vec())
    };
    router.shown = format!("{foreign}{}{hook}{}", hooks.concat(), trees.concat());
    let tunnels = kernel.made(dice).into_iter().map(|(name, index)| format!("tunnel {name} {index} made\n"));
    router.before = tunnels.collect();
    router.before.insert_str(0, if dice.one_in(2) { "hook made\n" } else { "hook shared\n" });
    (router.queue, router.txqueuelen) =
        *dice.pick(&[("", ""), ("1000", "1000"), ("1000", "300"), ("1000", "")]);
    if dice.one_in(4) {
        router.before += "txqueuelen 500\n";
    }
    router.before += if dice.one_in(2) { "root default\n" } else { "root handle 1: fq limit 100\n" };
    router
}

/// A line as tc prints it: with counters and numbers that the kernel assigns.
fn raw(line: &str) -> String {
    match line.split_whitespace().next() {
        Some("qdisc") => {
            line.replace(" root ", " root refcnt 2 ").replace(" ver ", " direct_packets_stat 7 ver ") + " "
        }
        Some("filter") if line.contains(" key ") => format!("{line} not_in_hw "),
        Some("action") => format!("{line}\n\tindex 3 ref 1 bind 1"),
        _ => line.to_owned(),
    }
}

/// The awks of this machine, each as a command.
fn awks() -> Vec<Vec<&'static str>> {
    let is_here = |awk: &&str| tools::program(awk).is_some();
    let found = ["mawk", "gawk", "original-awk"].into_iter().filter(is_here).map(|awk| vec![awk]);
    found.chain(Some(vec!["busybox", "awk"])).collect()
}

/// Runs the script's own engine with an awk for every case in a folder. The shell has no other code of the script.
fn by_the_script(dir: &Path, awk: &[&str], count: usize) {
    let library = runtime::source("tunnels.sh") + &runtime::source("look.sh");
    let settings = format!(
        "ingress_pref={} egress_pref={} hook_pref_end={} hook_bank={}",
        qosc_compiler::tc::INGRESS_PREF,
        qosc_compiler::tc::EGRESS_PREF,
        qosc_compiler::tc::EGRESS_END_PREF,
        qosc_compiler::tc::HOOK_BANK
    );
    let script = format!(
        "{library}\n{settings}\n\
         has() {{ return 1; }}\n\
         awk() {{ {} \"$@\"; }}\n\
         n=0\n\
         while [ $n -lt {count} ]; do\n\
         state={dir}/$n sys=$state/sys given=$state/wanted; . \"$state/vars\"\n\
         engine steps <\"$state/input\" >\"$state/steps\"; n=$((n + 1))\n\
         done\n",
        awk.join(" "),
        dir = dir.display()
    );
    std::fs::write(dir.join("all.sh"), script).unwrap();
    let ran = Command::new("dash").arg(dir.join("all.sh")).output().unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// Writes what the engine reads, and the variables of the shell.
fn lay(dir: &Path, router: &Router) {
    let vars = router.variables.iter().map(|(name, value)| format!("{name}='{value}'\n")).collect();
    let own = [("vars".to_owned(), vars), ("input".to_owned(), router.input.clone())];
    for (name, text) in router.files.iter().chain(&own) {
        let file = dir.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    }
}

/// The lines that `print` shows: which direction gets a new tree, and each command.
fn lines(steps: &[Step]) -> String {
    let mut text = String::new();
    for (dev, name) in [(Dev::Ifb, "downloads"), (Dev::Wan, "uploads")] {
        let of_tree = |step: &&Step| step.object == Object::Root { dev } && step.price.cost == Cost::Swap;
        if let Some(step) = steps.iter().find(of_tree) {
            let _infallible = writeln!(text, "# {name} get a new tree: {}", step.price.reason);
        }
    }
    for step in steps {
        let _infallible = writeln!(text, "{}", step.command);
    }
    text
}

#[test]
fn plan_and_every_awk_take_the_same_converge_steps() {
    if !tools::found(&["dash", "busybox"]) {
        return;
    }
    let examples = examples();
    let dir = tempfile::tempdir().unwrap();
    let mut dice = Dice::new(0x51ee_d5f1);
    let cases: Vec<Case> = (0..CASES).map(|_| case(&mut dice, &examples)).collect();
    let found: Vec<Found> = cases.iter().map(|case| steps(&case.router()).unwrap()).collect();
    let mut moved = 0;
    for (case, found) in cases.iter().zip(&found).filter(|(case, _)| case.is_untouched) {
        let blamed: Vec<&Step> = found.steps.iter().filter(|step| step.cause != Cause::File).collect();
        assert!(blamed.is_empty(), "{blamed:#?}");
        if case.held.contains("\nifbu-home up\n") != case.is_up_by_ifb {
            assert!(found.drift.is_empty(), "{:?}", found.drift);
            moved += 1;
        }
    }
    assert!(moved > 5, "uploads move to an ifb or away from it in {moved} cases");
    let taken: Vec<Vec<Step>> = found.into_iter().map(|found| found.steps).collect();
    let applied = cases.iter().zip(&taken).filter(|(router, taken)| applied::expect_described(router, taken));
    let applied = applied.count();
    assert!(applied * 2 > cases.len(), "{applied}");
    for (number, router) in cases.iter().enumerate() {
        lay(&dir.path().join(number.to_string()), &router.router());
    }
    for awk in awks() {
        by_the_script(dir.path(), &awk, cases.len());
        for (number, taken) in taken.iter().enumerate() {
            let own = dir.path().join(number.to_string());
            let ours = lines(taken);
            if ours != std::fs::read_to_string(own.join("steps")).unwrap() {
                let kept = std::env::temp_dir().join(format!("qosc-steps-{number}"));
                let _ = std::fs::remove_dir_all(&kept);
                std::fs::rename(own, &kept).unwrap();
                std::fs::write(kept.join("ours"), &ours).unwrap();
                panic!("case {number}, {awk:?}: `diff {0}/ours {0}/steps`", kept.display());
            }
        }
    }
    let (mut all, mut swaps, mut rebuilt, mut none, mut cakes, mut tunnels) = (0, 0, 0, 0, 0, [0; 3]);
    for taken in &taken {
        let ours = lines(taken);
        all += taken.len();
        swaps += usize::from(ours.starts_with("# "));
        rebuilt += usize::from(ours.contains("qdisc replace"));
        for (words, number) in
            ["tc filter add dev wg", "tc filter del dev wg", "tc qdisc del dev wg"].iter().zip(&mut tunnels)
        {
            *number += usize::from(ours.contains(words));
        }
        none += usize::from(taken.is_empty());
        cakes += usize::from(
            ours.lines().any(|line| line.starts_with("tc qdisc change ") && line.contains(" root ")),
        );
    }
    // The random cases cover all kinds of steps.
    assert!(tunnels.iter().all(|number| *number > 10), "{tunnels:?}");
    assert!(
        all > 2000 && swaps > 50 && rebuilt > 50 && none > 2 && cakes > 3,
        "{all} {swaps} {rebuilt} {none} {cakes}"
    );
}

/// The desired state that a script's engine prints is the text that Rust computes.
#[test]
fn script_and_rust_describe_the_same_desired_state() {
    if !tools::found(&["dash"]) {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let cases =
        std::fs::read_dir(root.join("tests/cases")).unwrap().map(|e| e.unwrap().path().join("home.yaml"));
    let examples = std::fs::read_dir(root.join("examples")).unwrap().map(|e| e.unwrap().path());
    for file in cases.chain(examples).filter(|file| file.is_file()) {
        let yaml = std::fs::read_to_string(&file).unwrap();
        let Some(program) = program(&yaml, &file.file_stem().unwrap().to_string_lossy())
            .filter(|_| !yaml.starts_with("# needs:"))
        else {
            continue;
        };
        let script = dir.path().join("a.sh");
        let compiled = Command::new(env!("CARGO_BIN_EXE_qosc"))
            .arg("compile")
            .arg(&file)
            .arg("-o")
            .arg(&script)
            .output()
            .unwrap();
        assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
        let text = std::fs::read_to_string(&script).unwrap();
        let (library, _) =
            text.split_once("\n# A shell parses this line").expect("where the script begins to run");
        let base = file.file_name().unwrap().to_string_lossy().into_owned();
        for (header, split) in [(14, false), (22, true), (0, false)] {
            // The code of `read_facts` after it has found the header.
            let facts = "cake_overhead=$((header > 14 ? above_ip - (header - 14) : above_ip))
                ingress_overhead=$((header > 14 ? above_ip - (header - 14) : above_ip))
                [ \"$ingress_overhead\" -ge 0 ] || ingress_overhead=0
                cake_leaf_overhead=$cake_overhead; overhead=$((above_ip - header)); stab=''
                if [ \"$overhead\" -lt 0 ]; then
                    stab=\"stab overhead $overhead linklayer ethernet\" overhead=0 cake_leaf_overhead=14
                fi";
            let leaves = if split { "splitting" } else { "whole" };
            // A router that can do it for all tunnels.
            let tunnels =
                program.decrypted.iter().map(|tunnel| format!("tunnel {} 7 51820\n", tunnel.device));
            let tunnels: String = tunnels.collect();
            std::fs::write(
                &script,
                format!(
                    "{library}\nheader={header} leaves={leaves} ethtool=yes ifindex=2 boot=b take_over=no given='' anew='' sys=/nothing\n\
                     {facts}\nwg() {{ :; }}\n\
                     {{ echo '== sysctls'; sysctls; printf '== tunnels\\n%s' '{tunnels}'; description; }} | engine described\n"
                ),
            )
            .unwrap();
            let ran = Command::new("dash").arg(&script).output().unwrap();
            let program = program.with_tunnels(|_| Some(51820));
            let ours =
                qosc_compiler::emit::described(&program, Facts { header, split_in_leaves: split }, &base);
            let theirs = String::from_utf8(ran.stdout).unwrap();
            // If the shell has nothing to insert for `$stab`, two spaces remain.
            assert_eq!(ours, theirs.replace(":  htb", ": htb"), "{} {header} {split}", file.display());
        }
    }
}
