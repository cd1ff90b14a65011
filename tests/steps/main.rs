//! The steps of a start that Rust computes are those of the script's own awk, byte for byte. The test covers hundreds
//! of pairs of configurations. In some, others changed the kernel's state, a killed start left it half-built, or it is
//! empty.

#![cfg(test)]

mod household;
mod kernel;
#[path = "../common/runtime.rs"]
mod runtime;

use household::{Dice, household};
use kernel::Kernel;
use qosc::compile::Options;
use qosc::diag::Code;
use qosc::diff::steps::{Before, Texts, steps};
use qosc::tc::{Facts, Program, QdiscKind};
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

const CASES: u64 = 320;

/// Compiles a text. A random household may ask more of CAKE than it can do. A rule refuses that, but the objects exist,
/// and the steps between them must also agree.
fn program(yaml: &str, stem: &str) -> Option<Program> {
    let compiled = qosc::compile(yaml, &Options::of("home.yaml").stem(stem));
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

/// A pair: the recorded description and state, the observed state, and the desired state.
struct Case {
    was: String,
    held: String,
    now: String,
    wanted: String,
    before: Before,
}

fn facts(dice: &mut Dice) -> Facts {
    Facts { header: *dice.pick(&[14, 14, 22, 0]), split_in_leaves: dice.one_in(6) }
}

fn case(dice: &mut Dice, examples: &[Program]) -> Case {
    let some = |dice: &mut Dice| {
        if dice.one_in(4) {
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
    let new = if dice.one_in(8) { old.clone() } else { some(dice) };
    let old_facts = facts(dice);
    let new_facts = if dice.one_in(3) { facts(dice) } else { old_facts };
    let recorded = !dice.one_in(5);
    let mut kernel = Kernel::of(&old, old_facts, dice);
    let held = kernel.text();
    if dice.one_in(2) {
        kernel.meddle(dice, &new, new_facts);
    }
    if dice.one_in(8) {
        kernel.forget_everything();
    }
    kernel.with_devices(&new);
    Case {
        was: if recorded { qosc::emit::described(&old, old_facts, "old.yaml") } else { String::new() },
        held: if recorded && !dice.one_in(8) { held } else { String::new() },
        now: kernel.text(),
        wanted: qosc::emit::described(&new, new_facts, "home.yaml"),
        before: Before {
            link: "home".to_owned(),
            wan: "eth0".to_owned(),
            ifbs: [("ifb-home".to_owned(), kernel.ups[0]), ("ifb2-home".to_owned(), kernel.ups[1])],
            evict_hook: dice.one_in(20) && !kernel.hooked.is_empty(),
            hooked: kernel.hooked.clone(),
            tunnels_made: kernel.made(dice),
            hook_made: dice.one_in(2),
            needs_hook: new.qdiscs.iter().any(|q| q.kind == QdiscKind::Clsact),
            queue: pair(*dice.pick(&[("", ""), ("1000", "1000"), ("1000", "300")])),
        },
    }
}

fn pair((one, two): (&str, &str)) -> (String, String) {
    (one.to_owned(), two.to_owned())
}

/// Runs the script's own engine for every case in a folder. The shell has no other code of the script.
fn by_the_script(dir: &Path, shell: &[&str], count: usize) {
    let library = runtime::source("look.sh");
    let settings = format!(
        "link=home dev=eth0 ifb1=ifb-home ifb2=ifb2-home ingress_pref={} egress_pref={} hook_pref_end={} hook_bank={} root_bank={}",
        qosc::tc::INGRESS_PREF,
        qosc::tc::EGRESS_PREF,
        qosc::tc::EGRESS_END_PREF,
        qosc::tc::HOOK_BANK,
        qosc::tc::ROOT_BANK
    );
    let script = format!(
        "{library}\n{settings}\n\
         why_no_tunnels() {{ :; }}\n\
         n=0\n\
         while [ $n -lt {count} ]; do\n\
         state={dir}/$n sys=$state/sys given=$state/wanted; . \"$state/vars\"\n\
         {{ echo '== tc'; cat \"$state/now\"; }} | engine steps >\"$state/steps\"; n=$((n + 1))\n\
         done\n",
        dir = dir.display()
    );
    std::fs::write(dir.join("all.sh"), script).unwrap();
    let ran = Command::new(shell[0]).args(&shell[1..]).arg(dir.join("all.sh")).output().unwrap();
    assert!(ran.status.success() && ran.stderr.is_empty(), "{}", String::from_utf8_lossy(&ran.stderr));
}

fn lay(dir: &Path, case: &Case) {
    std::fs::create_dir(dir).unwrap();
    let write = |name: &str, text: &str| {
        let file = dir.join(name);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    if !case.was.is_empty() {
        write("described", &case.was);
    }
    if !case.held.is_empty() {
        write("state", &case.held);
    }
    write("wanted", &case.wanted);
    let before = &case.before;
    let foreign = if before.evict_hook { "filter protocol all pref 5 u32 chain 0\n" } else { "" };
    let hook = match before.hooked.as_str() {
        "" => String::new(),
        kind => format!("qdisc {kind} ffff: parent ffff:fff1\n"),
    };
    let rest = case.now.lines().filter(|line| !line.contains(" ffff: parent "));
    write("now", &format!("{foreign}{hook}{}\n", rest.collect::<Vec<_>>().join("\n")));
    for (name, up) in &before.ifbs {
        if *up > 0 {
            write(&format!("sys/class/net/{name}/flags"), if *up == 2 { "0x1003\n" } else { "0x1002\n" });
        }
    }
    write("sys/class/net/eth0/tx_queue_len", &format!("{}\n", before.queue.0));
    let tunnels = before.tunnels_made.iter().map(|(name, index)| format!("tunnel {name} {index} made\n"));
    let hook = if before.hook_made { "hook made\n" } else { "hook shared\n" };
    write("before", &format!("{hook}{}", tunnels.collect::<String>()));
    let yes = |on: bool| if on { "yes" } else { "no" };
    write(
        "vars",
        &format!(
            "take_over={} needs_hook={} txqueuelen='{}'\n",
            yes(before.evict_hook),
            yes(before.needs_hook),
            before.queue.1
        ),
    );
}

#[test]
fn script_and_rust_compute_the_same_converge_steps() {
    let examples = examples();
    let dir = tempfile::tempdir().unwrap();
    let mut dice = Dice::new(0x51ee_d5f1);
    let cases: Vec<Case> = (0..CASES).map(|_| case(&mut dice, &examples)).collect();
    for (number, case) in cases.iter().enumerate() {
        lay(&dir.path().join(number.to_string()), case);
    }
    by_the_script(dir.path(), &["dash"], cases.len());
    let (mut all, mut detours, mut rebuilt, mut none, mut cakes, mut tunnels) = (0, 0, 0, 0, 0, [0; 3]);
    for (number, case) in cases.iter().enumerate() {
        let script = std::fs::read_to_string(dir.path().join(number.to_string()).join("steps")).unwrap();
        let Case { was, held, now, wanted, before } = case;
        let taken = steps(Texts { was, held, now, wanted }, before);
        let mut ours = String::new();
        for step in &taken {
            let _infallible = writeln!(ours, "{}", step.command);
        }
        if ours != script {
            let kept = std::env::temp_dir().join(format!("qosc-steps-{number}"));
            let _ = std::fs::remove_dir_all(&kept);
            let _ = std::fs::rename(dir.path().join(number.to_string()), &kept);
            std::fs::write(kept.join("ours"), &ours).unwrap();
            panic!("case {number}: `diff {0}/ours {0}/steps`", kept.display());
        }
        all += taken.len();
        detours += usize::from(ours.contains("while classes move"));
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
        all > 2000 && detours > 30 && rebuilt > 50 && none > 2 && cakes > 3,
        "{all} {detours} {rebuilt} {none} {cakes}"
    );
}

/// The desired state that a script's engine prints is the text that Rust computes.
#[test]
fn script_and_rust_describe_the_same_desired_state() {
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
        let (library, _) = text.split_once("\ntake_over=no\n").expect("where the arguments are read");
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
                    "{library}\nheader={header} leaves={leaves} ethtool=yes ifindex=2 boot=b take_over=no given='' trial=''\n\
                     {facts}\nwg() {{ :; }}\n\
                     {{ echo '== sysctls'; sysctls; printf '== tunnels\\n%s' '{tunnels}'; description; }} | engine described\n"
                ),
            )
            .unwrap();
            let ran = Command::new("dash").arg(&script).output().unwrap();
            let program = program.with_tunnels(|_| Some(51820));
            let ours = qosc::emit::described(&program, Facts { header, split_in_leaves: split }, &base);
            let theirs = String::from_utf8(ran.stdout).unwrap();
            // If the shell has nothing to insert for `$stab`, two spaces remain.
            assert_eq!(ours, theirs.replace(":  htb", ": htb"), "{} {header} {split}", file.display());
        }
    }
}
