//! A kernel that knows only which objects exist: it takes the commands of a start, and refuses what a kernel refuses. In
//! the end, it has the described objects and no others.

use super::Case;
use qosc_preview::plan::Step;
use std::collections::{BTreeMap, BTreeSet};

/// Objects of a device, by their ids. A value is the command that made or changed an object; empty if none did.
#[derive(Default)]
struct Device {
    root: String,
    classes: BTreeMap<String, String>,
    /// The queues, by their classes.
    leaves: BTreeMap<String, String>,
    /// The filters of each chain, and the entries in chain 0 by their preferences.
    chains: BTreeMap<u32, Vec<String>>,
    entries: BTreeSet<u32>,
}

/// Returns the word after another one.
fn after<'l>(line: &'l str, name: &str) -> Option<&'l str> {
    let mut words = line.split_whitespace();
    words.find(|word| *word == name)?;
    words.next()
}

fn number(line: &str, name: &str) -> u32 {
    after(line, name).map_or(0, |word| word.parse().expect("a number"))
}

fn word(line: &str, at: usize) -> &str {
    line.split_whitespace().nth(at).unwrap_or_default()
}

/// Returns a text with the ids of slot a: their first digit is even.
fn in_slot_a(text: &str) -> String {
    let moved = |word: &str| {
        let digits = word.strip_prefix("c05:").or_else(|| word.strip_suffix(':'))?;
        let id = u16::from_str_radix(digits, 16).ok().filter(|id| *id >= 0x1000)?;
        Some(word.replace(digits, &format!("{:x}", id & !0x1000)))
    };
    let words = text.split(' ').map(|word| moved(word).unwrap_or_else(|| word.to_owned()));
    words.collect::<Vec<_>>().join(" ")
}

fn is_in_slot_b(id: &str) -> bool {
    id.strip_prefix("c05:")
        .is_some_and(|minor| minor.len() == 4 && minor.starts_with(['1', '3', '5', '7', '9', 'b', 'd', 'f']))
}

impl Device {
    /// Reads a line that tc shows.
    fn shows(&mut self, line: &str) {
        match word(line, 0) {
            "qdisc" if word(line, 3) == "root" => self.root = format!("{} {}", word(line, 1), word(line, 2)),
            "qdisc" if word(line, 4).starts_with("c05:") => {
                drop(self.leaves.insert(word(line, 4).to_owned(), String::new()))
            }
            "class" => drop(self.classes.insert(word(line, 2).to_owned(), String::new())),
            "filter" => match number(line, "chain") {
                0 => drop(self.entries.insert(number(line, "pref"))),
                chain if line.contains(" key ") => self.chains.entry(chain).or_default().push(String::new()),
                _ => {}
            },
            _ => {}
        }
    }

    /// Takes a command; `Err` says why a kernel would refuse it.
    fn take(&mut self, words: &str) -> Result<(), &'static str> {
        let words = &in_kernel(words);
        let id = after(words, if word(words, 0) == "class" { "classid" } else { "parent" })
            .unwrap_or_default()
            .to_owned();
        let known = |known: bool, why| if known { Ok(()) } else { Err(why) };
        match (word(words, 0), word(words, 1), word(words, 4)) {
            ("qdisc", verb, "root") => {
                if verb == "change" {
                    return known(self.root.ends_with(" c05:"), "there is no such root");
                }
                known(verb == "replace" || !self.root.is_empty(), "there is no root")?;
                *self = Device::default();
                if verb == "replace" {
                    self.root = format!(
                        "{} {}",
                        if words.contains(" cake ") { "cake" } else { "htb" },
                        after(words, "handle").unwrap_or("-")
                    );
                }
            }
            ("qdisc", verb, _) => {
                known(self.classes.contains_key(&id), "the queue has no class")?;
                known(self.leaves.contains_key(&id) == (verb == "change"), "the queue is there, or is not")?;
                self.leaves.insert(id, words.clone());
            }
            ("class", "del", _) => {
                known(self.classes.remove(&id).is_some(), "there is no such class")?;
                self.leaves.remove(&id);
            }
            ("class", verb, _) => {
                known(self.classes.contains_key(&id) == (verb == "change"), "the class is there, or is not")?;
                self.classes.insert(id, words.clone());
            }
            ("filter", "add", _) => {
                let to = after(words, "flowid").filter(|to| *to != "c05:");
                known(to.is_none_or(|to| self.classes.contains_key(to)), "the filter leads to no class")?;
                match number(words, "chain") {
                    0 => drop(self.entries.insert(number(words, "pref"))),
                    _ if words.contains(" goto chain ") => drop(self.entries.insert(number(words, "pref"))),
                    chain => self.chains.entry(chain).or_default().push(words.clone()),
                }
            }
            ("filter", "del", _) if words.contains(" chain ") => {
                known(self.chains.remove(&number(words, "chain")).is_some(), "there is no such chain")?;
            }
            ("filter", "del", _) => {
                known(self.entries.remove(&number(words, "pref")), "there is no such entry")?
            }
            _ => return Err("an unknown command"),
        }
        Ok(())
    }

    /// Compares the device with the description of a direction. `was` has the lines of the last start.
    fn is_as(&self, lines: &[&str], was: &BTreeSet<&str>, role: &str) {
        let ids: Vec<&String> = self.classes.keys().chain(self.leaves.keys()).collect();
        assert!(
            ids.iter().all(|id| is_in_slot_b(id)) || ids.iter().all(|id| !is_in_slot_b(id)),
            "two trees: {ids:?}"
        );
        let made = |made: &str, line: &str| {
            let same = |line: &str| line.replace(" change ", " add ");
            // `qdisc change` cannot set the number of flows.
            let flows = after(line, "flows")
                .filter(|_| made.starts_with("qdisc change") && made.contains(" fq_codel "))
                .map(|flows| format!(" flows {flows}"));
            let line = flows.map_or(line.to_owned(), |flows| line.replacen(&flows, "", 1));
            same(&in_slot_a(made)) == in_kernel(&same(&line)).replace(role, word(made, 3))
        };
        let of = |kind: &str| lines.iter().filter(|line| line.starts_with(kind)).copied().collect::<Vec<_>>();
        let (classes, leaves) = (of("class add"), of("qdisc add"));
        for (all, lines, at) in [(&self.classes, &classes, 7), (&self.leaves, &leaves, 5)] {
            let ids: BTreeSet<String> = all.keys().map(|id| in_slot_a(id)).collect();
            let wanted: BTreeSet<String> = lines.iter().map(|line| word(line, at).to_owned()).collect();
            assert_eq!(ids, wanted);
            for (id, command) in all {
                let line = lines.iter().find(|line| word(line, at) == in_slot_a(id)).expect("a line");
                assert!(
                    if command.is_empty() { was.contains(line) } else { made(command, line) },
                    "{line}\n{command}"
                );
            }
        }
        let filters = of("filter add");
        let chains: Vec<&Vec<String>> = self.chains.values().collect();
        match chains.as_slice() {
            [] => assert!(filters.is_empty(), "{filters:?}"),
            [own] if own.iter().all(String::is_empty) => {
                assert!(filters.iter().all(|line| was.contains(line)))
            }
            [own] => assert_eq!(own.len(), filters.len()),
            several => panic!("{} chains", several.len()),
        }
    }
}

/// A line without a comment, and with single blanks.
fn in_kernel(line: &str) -> String {
    line.split(" # ").next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Takes the steps of a start on a router, and compares the result with the description. Returns whether a kernel can show
/// what the router shows.
pub fn expect_described(router: &Case, steps: &[Step]) -> bool {
    let up = router.up();
    let there = Some(router.ifb.0).filter(|_| router.ifb.1 > 0);
    let last = Some("eth0").filter(|_| router.is_up_by_ifb);
    let shown_up = Some(up).filter(|_| !router.is_up_by_ifb || router.uploads_ifb.1 > 0);
    let mut names = shown_up.into_iter().chain(there).chain(last);
    let mut devices: BTreeMap<String, Device> = BTreeMap::new();
    let mut name = String::new();
    for line in router.shown.lines().take_while(|line| !line.starts_with("tunnel ")) {
        if word(line, 0) == "qdisc" && word(line, 3) == "root" {
            name = names.next().expect("a device").to_owned();
        }
        if !name.is_empty() {
            devices.entry(name.clone()).or_default().shows(line);
        }
    }
    // The cases leave out and add lines at random, but a kernel shows no queue without its class, or with classes below.
    let classes: Vec<&str> = router.shown.lines().filter(|line| line.starts_with("class ")).collect();
    let is_parent = |id: &String| classes.iter().any(|line| line.contains(&format!(" parent {id} ")));
    let is_queue = |own: &Device, id| own.classes.contains_key(id) && !is_parent(id);
    if devices.values().any(|own| own.leaves.keys().any(|id| !is_queue(own, id))) {
        return false;
    }
    for step in steps {
        let words = step.command.strip_prefix("tc ").unwrap_or_default();
        let (device, at) = (word(words, 3), word(words, 4));
        let is_at_root = ["root", "parent", "classid"].contains(&at);
        if !is_at_root || word(words, 5) == "ffff:" {
            continue;
        }
        let taken = devices.entry(device.to_owned()).or_default().take(words);
        taken.unwrap_or_else(|why| panic!("{}: {why}", step.command));
    }
    let was: BTreeSet<&str> = router.was.lines().filter_map(|line| line.split(" # ").next()).collect();
    for role in ["@wan", "@ifb"] {
        let lines = router.wanted.lines().filter_map(|line| line.split(" # ").next());
        let lines: Vec<&str> = lines
            .filter(|line| word(line, 3) == role && ["root", "parent"].contains(&word(line, 4)))
            .collect();
        let trees = devices.iter().filter(|(name, own)| {
            let is_of_role = if role == "@wan" {
                name.as_str() == up
            } else {
                name.starts_with("ifb-") || name.starts_with("ifb2-")
            };
            let is_left =
                steps.iter().any(|step| step.command.starts_with(&format!("ip link del dev {name}")));
            is_of_role && !is_left && own.root.ends_with(" c05:")
        });
        let trees: Vec<&Device> = trees.map(|(_, own)| own).collect();
        match (lines.is_empty(), trees.as_slice()) {
            (true, []) => {}
            (false, [tree]) => tree.is_as(&lines, &was, role),
            (_, trees) => panic!("{role}: {} trees", trees.len()),
        }
    }
    true
}
