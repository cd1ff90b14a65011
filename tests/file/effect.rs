//! No setting is without effect: another value of it changes the script, or a finding names its place.

#![expect(clippy::string_slice, reason = "the places are those that the reader gives")]

use crate::split_mix::SplitMix;
use qosc_compiler::compile::{Compilation, Options, compile_with};
use qosc_compiler::diag::{Code, FileId, Sink, Sources, Span};
use qosc_compiler::emit::{self, Carried};
use qosc_compiler::layers::Files;
use qosc_compiler::model::{Direction, Model};
use qosc_compiler::syntax::{self, Node, YamlValue};
use qosc_compiler::tc::{Facts, Program};
use qosc_compiler::{schema, units};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

/// Keys whose values are names, or refer to names.
const NAMES: [&str; 9] =
    ["name", "device", "template", "preset", "class", "host", "before", "tunnel", "include"];

/// The largest product of a file's objects and settings. Of more settings, only some are tried.
const MOST: usize = 8_000;

/// A router of the most usual kind.
const FACTS: Facts = Facts { header: 14, split_in_leaves: false };

/// A scalar of a file.
struct Setting {
    /// Keys and numbers of items on the path to it.
    path: Vec<String>,
    /// Places of these keys and items.
    keys: Vec<Span>,
    text: String,
    span: Span,
}

impl Setting {
    /// True for a name, a reference to one, and what is expected of the lab.
    fn is_name(&self) -> bool {
        let key = self.path.iter().rfind(|key| key.parse::<usize>().is_err());
        key.is_some_and(|key| NAMES.contains(&key.as_str())) || self.path.iter().any(|key| key == "expect")
    }
}

/// Adds the scalars below a node, except those that stand for others.
fn settings(value: &YamlValue, path: &mut Vec<(String, Span)>, found: &mut BTreeMap<usize, Setting>) {
    if value.anchored.is_some() {
        return;
    }
    match &value.node {
        Node::Null | Node::Removed | Node::Unread => {}
        Node::Scalar { text, .. } => {
            let (path, keys) = path.iter().cloned().unzip();
            let own = Setting { path, keys, text: text.clone(), span: value.span };
            found.entry(value.span.start).or_insert(own);
        }
        Node::Seq(items) => {
            for (index, item) in items.iter().enumerate() {
                path.push((index.to_string(), item.span));
                settings(item, path, found);
                path.pop();
            }
        }
        Node::Map(entries) => {
            for entry in entries {
                path.push((entry.key.value.clone(), entry.key.span));
                settings(&entry.value, path, found);
                path.pop();
            }
        }
    }
}

/// Groups of words that can stand for each other.
fn choices() -> Vec<Vec<String>> {
    let schema: serde_json::Value = serde_json::from_str(schema::text()).expect("JSON");
    let of_key = |own: &serde_json::Value| {
        let words = own.get("oneOf").or_else(|| own.get("anyOf"))?.as_array()?.iter();
        Some(words.filter_map(|word| Some(word.get("const")?.as_str()?.to_owned())).collect())
    };
    let of_schema = schema["definitions"].as_object().expect("definitions").values().filter_map(of_key);
    let others: [&[&str]; 4] = [
        &["true", "false"],
        &["tcp", "udp", "icmp", "icmpv6", "sctp"],
        &["ipv4", "ipv6"],
        &["ef", "cs1", "af41", "cs5", "le", "cs0"],
    ];
    let others = others.map(|own| own.iter().copied().map(str::to_owned).collect());
    of_schema.chain(others).filter(|own: &Vec<String>| own.len() > 1).collect()
}

/// Returns other values of a scalar, some of which may be invalid at its place.
fn others(text: &str, choices: &[Vec<String>]) -> Vec<String> {
    let mut all = Vec::new();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, rest) = text.split_at(digits);
    if let Ok(number) = number.parse::<u64>() {
        let (decimals, unit) = match rest.strip_prefix('.') {
            Some(more) => more.split_at(more.find(|c: char| !c.is_ascii_digit()).unwrap_or(more.len())),
            None => ("", rest),
        };
        if rest.is_empty() {
            all.extend([number + 1, number.saturating_sub(1), number * 2, number / 2].map(|n| n.to_string()));
            // the first and the last priority
            all.extend(["0", "7"].map(str::to_owned));
        } else if unit.chars().all(|c| c.is_ascii_alphabetic() || "%/".contains(c)) {
            let exact = format!("{number}{decimals}").parse::<u64>().unwrap_or(number) * 100;
            let scale = 10_u64.pow(u32::try_from(decimals.len()).unwrap() + 2);
            if exact == 0 {
                all.extend([1, 5, 20].map(|number| format!("{number}{unit}")));
            }
            for percent in [90, 110, 50, 150, 200].into_iter().filter(|_| exact > 0) {
                let new = exact / 100 * percent;
                all.push(format!(
                    "{}.{:0width$}{unit}",
                    new / scale,
                    new % scale,
                    width = decimals.len() + 2
                ));
                all.push(format!("{}{unit}", new / scale));
            }
        } else if let Some(end) = rest.strip_prefix('-').and_then(|end| end.parse::<u64>().ok()) {
            all.extend([(number + 1, end + 1), (number, end + 1)].map(|(one, two)| format!("{one}-{two}")));
        }
    }
    if let Some((sign, Ok(number))) = text
        .rfind(['<', '>', '='])
        .map(|at| text.split_at(at + 1))
        .map(|(sign, rest)| (sign, rest.trim().parse::<u64>()))
    {
        all.extend([number + 8, number / 2, number / 3].map(|other| format!("{sign}{other}")));
    }
    if let Some(bits) = text.strip_prefix("0x") {
        let hex = |text: &str| u64::from_str_radix(text.trim_start_matches("0x"), 16);
        match bits.split_once('/') {
            Some((value, mask)) => {
                if let (Ok(value), Ok(mask)) = (hex(value), hex(mask)) {
                    let lowest = mask & mask.wrapping_neg();
                    all.extend([value ^ lowest, value << 1 & mask].map(|new| format!("{new:#x}/{mask:#x}")));
                }
            }
            None => all.extend(
                hex(bits).iter().flat_map(|bits| [bits << 1, bits >> 1]).map(|new| format!("{new:#x}")),
            ),
        }
    }
    if let Ok(units::Address::V4(net)) = text.parse() {
        let (first, size) = (u32::from(net.network()), 1_u64 << (32 - net.prefix_len()));
        let next = u32::try_from(u64::from(first) + size).unwrap_or(0).into();
        let next: std::net::Ipv4Addr = next;
        all.push(format!("{next}/{}", net.prefix_len()));
        all.push(format!("{}/{}", net.network(), net.prefix_len() + 1));
        all.push(format!("{}/32", std::net::Ipv4Addr::from(first ^ 1)));
    }
    if let Ok(units::Address::V6(net)) = text.parse() {
        let first = u128::from(net.network());
        let next = std::net::Ipv6Addr::from(first ^ 1_u128 << (128 - net.prefix_len()).min(127));
        all.push(format!("{next}/{}", net.prefix_len()));
        all.push(format!("{}/{}", net.network(), net.prefix_len() + 1));
    }
    if text.len() == 17 && text.matches(':').count() == 5 {
        let last = u8::from_str_radix(&text[15..], 16).map(|last| last.wrapping_add(1));
        all.extend(last.iter().map(|last| format!("{}{last:02x}", &text[..15])));
    }
    for own in choices {
        if let Some(at) = own.iter().position(|word| word == text) {
            all.extend(own.iter().cycle().skip(at + 1).take((own.len() - 1).min(8)).cloned());
        }
    }
    all.retain(|other| other != text);
    all.dedup();
    all
}

/// The files beside a configuration.
struct Folder(PathBuf);

impl Files for Folder {
    fn read(&self, path: &str) -> Result<(String, Vec<u8>), String> {
        let text = std::fs::read(self.0.join(path)).map_err(|error| error.to_string())?;
        Ok((path.to_owned(), text))
    }
}

/// The YAML files of the examples and tests.
fn files() -> Vec<PathBuf> {
    let mut folders =
        ["examples", "tests"].map(|own| Path::new(env!("CARGO_MANIFEST_DIR")).join(own)).to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|own| own == "yaml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Compiles a text once for each of its links; `None` if it has an error.
fn made(text: &str, path: &Path) -> Option<Vec<Compilation>> {
    let folder = Folder(path.parent()?.to_owned());
    let options = Options::of(path.file_name()?);
    let mut all = vec![compile_with(text, &options, &folder)];
    for link in all[0].links.clone().into_iter().skip(1) {
        all.push(compile_with(text, &Options { link: Some(link), ..options.clone() }, &folder));
    }
    all.iter().all(|one| one.finished().is_some()).then_some(all)
}

/// True if the scripts differ in more than comments.
fn differ(one: &Compilation, other: &Compilation) -> bool {
    // Most settings change these lines, which are printed much faster than a script.
    let lines = |of: &Compilation| {
        let described = emit::described(of.program.as_ref()?, FACTS, "");
        Some(described.lines().map(bare).collect::<Vec<_>>().join("\n"))
    };
    if lines(one) != lines(other) {
        return true;
    }
    let summary = |of: &Compilation| Some(of.summary(of.model.as_ref()?, Carried::default()));
    (&one.program, summary(one)) != (&other.program, summary(other)) && script(one) != script(other)
}

/// Returns the lines of a script before the runtime, without comments and its digest, and the headings of the runtime.
fn script(of: &Compilation) -> Option<Vec<String>> {
    let (model, program) = of.finished()?;
    let script = emit::script(program, &of.summary(model, Carried::default()));
    let lines = script.lines().take_while(|line| !line.starts_with("# ==== runtime"));
    let says = |line: &&str| !["#", "digest="].iter().any(|start| line.starts_with(start));
    let parts = script.lines().filter(|line| line.starts_with("# ==== "));
    Some(lines.filter(says).map(bare).chain(parts).map(str::to_owned).collect())
}

/// Returns a line without its comment. No word for tc contains a `#`.
fn bare(line: &str) -> &str {
    line.split_once(" # ").map_or(line, |(words, _)| words)
}

/// True if a finding points at a setting: at its value, or at a key or item that it belongs to.
fn named(of: &[Compilation], own: &Setting) -> bool {
    let labels = of.iter().flat_map(|one| &one.findings).flat_map(|finding| &finding.labels);
    labels.map(|label| label.span).filter(|at| at.file == FileId::OWN).any(|at| {
        let covers = |place: &Span| at.start <= place.start && place.end <= at.end;
        covers(&own.span) || own.keys.iter().any(covers)
    })
}

/// A kind of settings that may have no effect.
struct Idle {
    /// Keys on the path, of which `*` stands for any; further keys may follow.
    path: &'static str,
    /// Whether this file does not need the setting.
    holds: fn(&Compilation, &Model, &Setting) -> bool,
    #[expect(dead_code, reason = "for the reader of the table")]
    reason: &'static str,
}

const IDLE: &[Idle] = &[
    Idle {
        path: "lan/networks",
        holds: |_, model, _| model.lan.shaped.value,
        reason: "a fact about the house, which rules compare with hosts and matches",
    },
    Idle {
        path: "lan/nat",
        holds: |_, model, _| model.marks.is_none(),
        reason: "a fact about the house: no match asks for an address behind NAT",
    },
    Idle {
        path: "link/up",
        holds: |_, model, _| model.link.shaped.up.is_given(),
        reason: "`shaped` replaces it: it only bounds `shaped`",
    },
    Idle {
        path: "link/down",
        holds: |_, model, _| model.link.shaped.down.is_given(),
        reason: "`shaped` replaces it: it only bounds `shaped`",
    },
    Idle {
        path: "link/trust_dscp",
        holds: |_, model, _| {
            model.alternatives().iter().all(|(only, own)| own.dscp.is_empty() || *only == Some(Direction::Up))
        },
        reason: "it allows what no match asks for: downloads by their DSCP",
    },
    Idle { path: "tunnels/*/remote", holds: is_outside_unmatched, reason: OUTSIDE },
    Idle { path: "tunnels/*/port", holds: is_outside_unmatched, reason: OUTSIDE },
    Idle {
        path: "hosts/*/address",
        holds: |_, model, own| {
            let index = model.hosts.iter().position(|host| host.name == own.path[1]);
            model.expect.iter().any(|expect| [expect.from, expect.on].contains(&index))
        },
        reason: "an expectation names the host, which nothing else uses",
    },
    Idle {
        path: "hosts/*/address",
        holds: |of, model, _| {
            model.hosts.len() > 8 && of.findings.iter().any(|finding| finding.code == Code::UnusedHost)
        },
        reason: "one finding at the first host stands for more than eight unused ones",
    },
    Idle {
        path: "tuning/mark_mask",
        holds: |_, model, _| model.marks.is_none(),
        reason: "a limit for the bits of marks: nothing needs one",
    },
    Idle {
        path: "tuning/offloads",
        holds: |_, model, _| !model.tuning.split.up.value && !model.tuning.split.down.value,
        reason: "`keep` only refuses what `auto` might do: here it does nothing",
    },
];

const OUTSIDE: &str = "tells the outer packets apart, which no match asks for";

/// True if no match reads outer packets of the setting's tunnel.
fn is_outside_unmatched(_: &Compilation, model: &Model, own: &Setting) -> bool {
    let Some(index) = model.tunnels.iter().position(|tunnel| tunnel.name == own.path[1]) else {
        return false;
    };
    let outside = |direction: &Direction| model.tunnels[index].seen_at_device(*direction).is_none();
    !model.alternatives().iter().any(|(only, alternative)| {
        let here = Direction::BOTH.iter().filter(|direction| only.is_none_or(|only| only == **direction));
        alternative.tunnels.contains(&index) && here.filter(|direction| outside(direction)).count() > 0
    })
}

impl Idle {
    fn excuses(&self, own: &Setting, all: &[Compilation]) -> bool {
        let keys: Vec<&str> = self.path.split('/').collect();
        let same = |(key, given): (&&str, &String)| *key == "*" || key == given;
        own.path.len() >= keys.len()
            && keys.iter().zip(&own.path).all(same)
            && all.iter().all(|one| one.model.as_ref().is_some_and(|model| (self.holds)(one, model, own)))
    }
}

/// The results so far.
#[derive(Default)]
struct Counts {
    files: usize,
    tried: usize,
    without_other: usize,
    /// For each row of `IDLE`, how many settings it excuses.
    excused: [usize; IDLE.len()],
    silent: Vec<String>,
}

/// Tries settings of a file; `None` if it does not compile. In files with many objects, tries only some.
fn of_file(path: &Path, choices: &[Vec<String>], counts: &Mutex<Counts>) -> Option<()> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut sources = Sources::default();
    let file = sources.add("home.yaml", &text);
    let root = syntax::tree(&sources, file, &mut Sink::default())?;
    let whole = made(&text, path)?;
    let mut all = BTreeMap::new();
    settings(&root, &mut Vec::new(), &mut all);
    let mut all: Vec<Setting> = all.into_values().filter(|own| !own.is_name()).collect();
    let objects = |own: &Program| own.filters.len() + own.classes.len() + own.qdiscs.len();
    let objects: usize = whole.iter().filter_map(|own| own.program.as_ref()).map(objects).sum();
    let mut random = SplitMix(units::fnv1a64(text.as_bytes()));
    while all.len() > MOST / objects.max(1) {
        all.swap_remove(usize::try_from(random.next() % all.len() as u64).unwrap());
    }
    counts.lock().unwrap().files += 1;
    for own in &all {
        let quote = text[own.span.start..].chars().next().filter(|c| "'\"".contains(*c));
        let quote = quote.map(String::from).unwrap_or_default();
        let mut valid = None;
        let mut has_effect = false;
        for other in others(&own.text, choices) {
            let new = [&text[..own.span.start], &quote, &other, &quote, &text[own.span.end..]].concat();
            let Some(changed) = made(&new, path) else { continue };
            has_effect = whole.len() != changed.len()
                || whole.iter().zip(&changed).any(|(one, other)| differ(one, other))
                || named(&whole, own)
                || named(&changed, own);
            valid = Some((other, changed));
            if has_effect {
                break;
            }
        }
        let mut counts = counts.lock().unwrap();
        let Some((other, changed)) = valid else {
            counts.without_other += 1;
            continue;
        };
        counts.tried += 1;
        if !has_effect {
            let excused = |idle: &Idle| idle.excuses(own, &whole) && idle.excuses(own, &changed);
            match IDLE.iter().position(excused) {
                Some(row) => counts.excused[row] += 1,
                None => counts.silent.push(format!(
                    "{}:{}: {}: {} -> {other}",
                    path.display(),
                    own.span.line,
                    own.path.join("/"),
                    own.text
                )),
            }
        }
    }
    Some(())
}

#[test]
#[expect(clippy::print_stderr, reason = "figures for people")]
fn every_setting_has_an_effect_or_a_finding() {
    let choices = choices();
    let work = Mutex::new(files());
    let counts: Mutex<Counts> = Mutex::default();
    let run = || {
        loop {
            let Some(path) = work.lock().unwrap().pop() else { return };
            of_file(&path, &choices, &counts);
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(run))));
    let Counts { files, tried, without_other, excused, mut silent } = counts.into_inner().unwrap();
    silent.sort();
    eprintln!(
        "{tried} settings in {files} files: {} without effect for a known reason, {} silent; {without_other} have no other value",
        excused.iter().sum::<usize>(),
        silent.len()
    );
    assert!(
        silent.is_empty(),
        "{} settings have no effect and no finding:\n{}",
        silent.len(),
        silent.join("\n")
    );
    assert!(tried >= 1500, "{tried}");
    for (idle, excused) in IDLE.iter().zip(excused) {
        assert!(excused > 0, "no setting needs the row of {}", idle.path);
    }
}
