//! Trees that come back from the output of `tc`: the objects of a configuration as text, imported, and compiled again.

use crate::observed::compare;
use crate::observed::parse;
use qosc_compiler::compile::Options;
use qosc_compiler::tc::{
    Action, CakeOverhead, Classifier, Dev, Facts, Filter, FilterProtocol, Hook, LinkLayer, Overhead, Parent,
    Program, Qdisc, QdiscKind, Selector, Stab,
};
use qosc_compiler::units::Family;
use qosc_import::{Wanted, tc};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Header of an Ethernet device.
const HEADER: u32 = 14;

fn compiled(text: &str, file: &str) -> Program {
    let compiled = qosc_compiler::compile(text, &Options::of(file));
    let errors: Vec<&str> = compiled.errors().map(|error| error.message.as_str()).collect();
    assert!(errors.is_empty(), "{file}: {errors:?}\n{text}");
    compiled.program.expect("a program")
}

/// The objects on a router with an Ethernet device.
fn on(program: &Program) -> Program {
    program.on(Facts { header: HEADER, split_in_leaves: false })
}

fn parent(parent: Parent) -> String {
    match parent {
        Parent::Root => "root".to_owned(),
        Parent::Clsact => "parent ffff:fff1".to_owned(),
        Parent::At(handle) => format!("parent {handle}"),
    }
}

fn qdisc(one: &Qdisc) -> String {
    let line =
        |kind: &str, options: &str| format!("qdisc {kind} {} {} {options}\n", one.handle, parent(one.parent));
    match &one.kind {
        QdiscKind::Htb { direct_qlen, stab } => {
            let root = line(
                "htb",
                &format!(
                    "refcnt 2 r2q 10 default 0 direct_packets_stat 0 ver 3.17 direct_qlen {direct_qlen}"
                ),
            );
            match stab {
                Stab::Fixed(bytes) => format!("{root} linklayer ethernet overhead {bytes}\n"),
                _ => root,
            }
        }
        QdiscKind::FqCodel { limit, flows, quantum, target, interval, memory, ecn } => {
            let ecn = if *ecn { " ecn" } else { "" };
            line(
                "fq_codel",
                &format!(
                    "limit {limit}p flows {flows} quantum {quantum} target {}us interval {}us memory_limit {}b{ecn} drop_batch 64",
                    target.us(),
                    interval.us(),
                    memory.get()
                ),
            )
        }
        QdiscKind::Cake { shaper, rtt, tins, isolation, nat, ack_filter, wash, memory } => {
            let rate = shaper.map_or_else(|| "unlimited".to_owned(), |own| format!("{}bit", own.rate.bps()));
            let word = |on: bool, word: &'static str, off: &'static str| if on { word } else { off };
            let mut text = format!(
                "bandwidth {rate} {} {} {} {} {} split-gso rtt {}us",
                tins.as_str(),
                isolation.as_str(),
                word(*nat, "nat", "nonat"),
                word(*wash, "wash", "nowash"),
                word(*ack_filter, "ack-filter", "no-ack-filter"),
                rtt.us()
            );
            if let Some(own) = shaper {
                let bytes = match own.overhead {
                    CakeOverhead::Fixed(bytes) => bytes,
                    other => panic!("{other:?}"),
                };
                let atm = if own.linklayer == LinkLayer::Atm { "atm" } else { "noatm" };
                let ingress = if own.ingress { "ingress " } else { "" };
                let _infallible = write!(text, " {ingress}{atm} overhead {bytes} mpu {}", own.mpu);
            } else {
                text.push_str(" raw overhead 0");
            }
            line("cake", &format!("{text} memlimit {}b", memory.get()))
        }
        QdiscKind::Pfifo { limit } => line("pfifo", &format!("limit {limit}p")),
        QdiscKind::Clsact => line("clsact", ""),
    }
}

fn class(program: &Program, dev: Dev) -> String {
    let mut out = String::new();
    for one in program.classes.iter().filter(|class| class.dev == dev) {
        let inner =
            program.classes.iter().any(|other| other.dev == dev && other.parent == Parent::At(one.id));
        let place = match one.parent {
            Parent::At(handle) if handle.minor != 0 => format!("parent {handle}"),
            _ => "root".to_owned(),
        };
        let leaf =
            if inner { String::new() } else { format!("leaf 1: prio {} quantum {} ", one.prio, one.quantum) };
        let Overhead::Fixed(overhead) = one.charge.overhead else { panic!("{one:?}") };
        let _infallible = writeln!(
            out,
            "class htb {} {place} {leaf}rate {}bit overhead {overhead} ceil {}bit linklayer {} burst {}b/1mpu {}b cburst {}b/1mpu {}b level 0",
            one.id,
            one.rate.bps(),
            one.ceil.bps(),
            one.charge.linklayer.as_str(),
            one.burst.get(),
            one.charge.mpu,
            one.cburst.get(),
            one.charge.mpu
        );
    }
    out
}

fn filters(program: &Program, dev: Dev, hook: Hook, ifb: &str) -> String {
    let mut out = String::new();
    let own = program.filters.iter().filter(|filter| filter.dev == dev && filter.hook == hook);
    for (number, one) in (0x800..).zip(own) {
        let protocol = match one.protocol {
            FilterProtocol::Ip => "ip",
            FilterProtocol::Ipv6 => "ipv6",
            FilterProtocol::Pppoe => "ppp_ses",
            FilterProtocol::All => "all",
        };
        let flowid = one.flowid.map(|id| format!(" *flowid {id}")).unwrap_or_default();
        let head = format!("filter protocol {protocol} pref {}", one.pref);
        match one.classifier {
            Classifier::U32 | Classifier::Hash => {
                let _infallible = writeln!(
                    out,
                    "{head} u32 chain 0 fh 800::{number:x} order {number} key ht 800 bkt 0{flowid} not_in_hw"
                );
            }
            Classifier::Fw => {
                let mark = one.selector.mark.expect("a mark");
                let class = flowid.replace("*flowid", "classid");
                let _infallible =
                    writeln!(out, "{head} fw chain 0 handle {:#x}/{:#x}{class}", mark.value, mark.mask);
            }
        }
        out.push_str(&conditions(one));
        for action in &one.actions {
            let words = match action {
                Action::Redirect(_) => format!("mirred (Egress Redirect to device {ifb}) stolen"),
                Action::Priority(class) => format!("skbedit priority {class} pipe"),
                Action::Police(own) => {
                    format!("police 0x1 rate {}bit burst {}b", own.rate.bps(), own.burst.get())
                }
                Action::Pass => "gact action pass".to_owned(),
                Action::Restore { .. } => "ctinfo zone 0 pipe".to_owned(),
                Action::SetDscp { family: Family::Ipv4, dscp } => {
                    format!(
                        "pedit action pipe keys 1\n\t key #0  at ipv4+0: val {:08x} mask ff03ffff",
                        u32::from(dscp.bits()) << 18
                    )
                }
                Action::SetDscp { family: Family::Ipv6, dscp } => {
                    format!(
                        "pedit action pass keys 1\n\t key #0  at ipv6+0: val {:08x} mask f03fffff",
                        u32::from(dscp.bits()) << 22
                    )
                }
                Action::ClearLabel => "pedit action continue keys 1".to_owned(),
            };
            let _infallible = writeln!(out, "\taction order 1:  {words}");
        }
    }
    out
}

fn conditions(one: &Filter) -> String {
    let mut out = String::new();
    let Selector { words, mark, came_by } = &one.selector;
    if one.classifier == Classifier::Fw {
        return out;
    }
    if let Some(mark) = mark {
        let _infallible = writeln!(out, "  mark {:#x} {:#x} (success 0)", mark.value, mark.mask);
    }
    for (at, word) in words {
        let _infallible = writeln!(out, "  match {:08x}/{:08x} at {at}", word.value, word.mask);
    }
    if let Some(device) = came_by {
        let _infallible = writeln!(out, "  input dev {device}");
    }
    if words.is_empty() && mark.is_none() {
        out.push_str("  match 00000000/00000000 at 0\n");
    }
    out
}

/// The output of a script's `dump` for these objects.
fn dump(program: &Program, mtu: u32) -> String {
    let (wan, ifb) = (program.wan.as_str(), program.ifb.as_str());
    let mut out = format!(
        "# qosc dump 1, link {}, script 0, wan {wan}, ifb {ifb}, header {HEADER}, ethtool yes\n",
        program.link
    );
    let _infallible = write!(
        out,
        "==> ip -d link show dev {wan}\n2: {wan}: <BROADCAST,UP> mtu {mtu} qdisc htb state UP qlen 1000\n"
    );
    for (dev, name) in [(Dev::Wan, wan), (Dev::Ifb, ifb)] {
        let own = program.qdiscs.iter().filter(|own| own.dev == dev);
        let qdiscs: String = own.map(qdisc).collect();
        let _infallible = write!(out, "==> tc -d qdisc show dev {name}\n{qdiscs}");
        let _infallible = write!(out, "==> tc -d class show dev {name} parent c05:\n{}", class(program, dev));
        let root = filters(program, dev, Hook::Root, ifb);
        let _infallible = write!(out, "==> tc -d filter show dev {name} parent c05:\n{root}");
        if dev == Dev::Wan {
            let ingress = filters(program, dev, Hook::Ingress, ifb);
            let _infallible = write!(out, "==> tc -d filter show dev {name} ingress\n{ingress}");
        }
    }
    out
}

/// The objects of a tree, one per line, without the preferences of filters and without their order inside a class.
fn objects(program: &Program) -> BTreeSet<String> {
    let mut out = BTreeSet::new();
    for one in &program.qdiscs {
        out.insert(format!("{} {}", one.dev.as_str(), qdisc(one).trim_end()));
    }
    for dev in [Dev::Wan, Dev::Ifb] {
        for line in class(program, dev).lines() {
            out.insert(format!("{} {line}", dev.as_str()));
        }
    }
    for one in program.filters.iter().filter(|filter| filter.hook == Hook::Root) {
        let flowid = one.flowid.map(|id| id.to_string()).unwrap_or_default();
        let text = conditions(&Filter { classifier: Classifier::U32, ..one.clone() }).replace('\n', ",");
        out.insert(format!("{} filter {:?} {flowid}{text}{:?}", one.dev.as_str(), one.protocol, one.actions));
    }
    out
}

/// The objects that only one of two trees has.
fn differences(old: &Program, new: &Program) -> Vec<String> {
    let (old, new) = (objects(&on(old)), objects(&on(new)));
    let lost = old.difference(&new).map(|line| format!("- {line}"));
    lost.chain(new.difference(&old).map(|line| format!("+ {line}"))).collect()
}

/// Returns the objects that differ after an import.
fn round_trip(text: &str, file: &str) -> Vec<String> {
    let first = qosc_compiler::compile(text, &Options::of(file));
    let mtu = first.model.as_ref().expect("a model").link.mtu.value;
    let program = compiled(text, file);
    let import = tc(&dump(&on(&program), mtu), Wanted::First, None);
    let [result] = import.results.as_slice() else { panic!("{file}: {:?}", import.findings) };
    differences(&program, &compiled(&result.yaml, "imported.yaml"))
}

/// A line without the quantum of a class to which aggregated packets come. Without a margin, `start` splits them.
fn without_aggregates(line: &str) -> String {
    let Some((before, after)) = line.split_once(" quantum ").filter(|_| line.contains(" class htb ")) else {
        return line.to_owned();
    };
    format!("{before}{}", after.split_once(' ').map_or("", |(_, rest)| rest))
}

/// Number of objects that differ, for each configuration with such objects.
const DIFFERENT: &[(&str, usize, &str)] = &[
    ("examples/dslite.yaml", 24, "matches inside a tunnel"),
    ("examples/fibre.yaml", 16, "a DSCP that filters set"),
    ("examples/iptv-vlan.yaml", 4, "packets of another device"),
    ("examples/subnet.yaml", 24, "a DSCP that filters clear"),
    ("examples/vdsl2-home.yaml", 32, "filters that a later one of the same class covers"),
    ("tests/cases/all-bits/home.yaml", 8, "marks beside our own bits"),
    ("tests/cases/cake/home.yaml", 122, "filters that choose the tins of CAKE"),
    ("tests/cases/cakedown/home.yaml", 4, "CAKE in one direction only"),
    ("tests/cases/colours/home.yaml", 48, "a DSCP that filters clear"),
    ("tests/cases/decrypted/home.yaml", 39, "packets of a tunnel, queued after decryption"),
    ("tests/cases/every-mark/home.yaml", 20, "a DSCP that filters set"),
    ("tests/cases/every-match/home.yaml", 6, "tunnels behind an option of IPv6"),
    ("tests/cases/frames/home.yaml", 14, "packets in PPPoE frames"),
    ("tests/cases/inside/home.yaml", 24, "matches inside a tunnel"),
];

#[test]
fn trees_come_back_from_the_output_of_tc() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (mut seen, mut shown) = (Vec::new(), String::new());
    let mut files = yaml_files(&root.join("examples"));
    for folder in std::fs::read_dir(root.join("tests/cases")).unwrap() {
        files.extend(yaml_files(&folder.unwrap().path()));
    }
    files.sort();
    for file in files {
        let name = file.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).unwrap();
        if text.starts_with("# needs:") {
            continue;
        }
        let differences = round_trip(&text, &name);
        let (lost, new): (Vec<&String>, Vec<&String>) =
            differences.iter().partition(|line| line.starts_with('-'));
        let plain = |lines: &[&String]| -> BTreeSet<String> {
            lines.iter().map(|line| without_aggregates(line.trim_start_matches(['-', '+', ' ']))).collect()
        };
        let (lost, new) = (plain(&lost), plain(&new));
        let differ: Vec<&String> = lost.symmetric_difference(&new).collect();
        if !differ.is_empty() {
            seen.push((name.clone(), differ.len()));
            let lines = differ.iter().take(6).map(|line| format!("  {line}\n"));
            shown += &format!("{name}\n{}", lines.collect::<String>());
        }
    }
    let expected: Vec<(String, usize)> =
        DIFFERENT.iter().map(|(name, count, _)| ((*name).to_owned(), *count)).collect();
    assert!(seen == expected, "{seen:?}\n{shown}");
}

fn yaml_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let paths = entries.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect()
}

/// The dumps of real kernels, from the tests of `plan`.
#[test]
fn dumps_of_a_kernel_come_back() {
    for name in ["class", "same", "numbers"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let dump = std::fs::read_to_string(root.join(format!("tests/plan/{name}.dump"))).unwrap();
        let import = tc(&dump, Wanted::First, None);
        let program = compiled(&import.results[0].yaml, "imported.yaml");
        let held = parse(&program.wan, &program.ifb, &dump);
        let differences: Vec<String> =
            compare(&on(&program), &held).iter().map(ToString::to_string).collect();
        assert!(differences.is_empty(), "{name}: {differences:#?}\n{}", import.results[0].yaml);
    }
}

/// The script that made hash tables carries its file, so nobody needs them back.
#[test]
fn hash_tables_are_an_error() {
    for name in ["ports", "order"] {
        let dump = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/plan/{name}.dump"));
        let import = tc(&std::fs::read_to_string(dump).unwrap(), Wanted::First, None);
        assert!(
            import.findings.iter().any(|finding| finding.message.contains("hash table of u32")),
            "{name}"
        );
        assert_eq!(import.results[0].compared, None, "{name}");
    }
}
