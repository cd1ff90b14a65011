//! The fate of numbered packets, and tc's events meanwhile, from the reports of `stream.c` and `tc monitor`.

use crate::house::House;
use crate::observed::Held;
use crate::report::Report;
use qosc_compiler::tc::{EGRESS_END_PREF, EGRESS_PREF, FIRST_LIST_PREF, HOOK_BANK, INGRESS_PREF};
use qosc_preview::live::MARK;
use std::collections::{BTreeMap, BTreeSet};

/// Microseconds since midnight.
pub type Time = i64;

/// The packets of one flow that were sent in one step.
#[derive(Debug, Clone, Default)]
pub struct FlowStep {
    pub sent: u64,
    pub lost: u64,
    pub reordered: u64,
    pub doubled: u64,
    /// The longest time without a packet, in microseconds.
    pub gap: i64,
    /// The longest time that a packet took, in microseconds.
    pub late: i64,
    /// The time at which the first lost packet was sent; meaningless if none was lost.
    pub from: Time,
    /// The time at which the last lost packet was sent.
    pub to: Time,
    /// The number of packets sent from the first lost one to the last lost one.
    pub run: u64,
}

/// All flows, step by step.
#[derive(Debug, Default)]
pub struct Streams {
    pub began: BTreeMap<usize, Time>,
    pub flows: BTreeMap<String, BTreeMap<usize, FlowStep>>,
}

impl Streams {
    /// Reads the report of a leg whose case called `streams`.
    #[track_caller]
    pub fn of(report: &Report, leg: &str) -> Streams {
        let text = report.text(&format!("out/{leg}/streams"));
        report.expect_code_of(&format!("out/{leg}/streams"), 0);
        let mut streams = Streams::default();
        for line in text.lines() {
            let words: Vec<&str> = line.split_whitespace().collect();
            let number = |word: &str| -> i64 {
                let value = words.iter().skip_while(|own| **own != word).nth(1).expect("a word");
                value.parse().expect("a number")
            };
            let count = |word: &str| u64::try_from(number(word)).expect("a count");
            let step = usize::try_from(number("step")).expect("a step");
            if words[0] == "step" {
                streams.began.insert(step, number("at"));
                continue;
            }
            let part = FlowStep {
                sent: count("sent"),
                lost: count("lost"),
                reordered: count("reordered"),
                doubled: count("doubled"),
                gap: number("gap"),
                late: number("late"),
                from: number("from"),
                to: number("to"),
                run: count("run"),
            };
            streams.flows.entry(words[1].to_owned()).or_default().insert(step, part);
        }
        streams
    }

    /// The packets of a flow that a step lost, and those that it reordered or doubled. If the last packets before a
    /// step are lost, the step lost them: they were still in a queue.
    pub fn cost(&self, flow: &str, step: usize) -> (u64, u64) {
        let parts = &self.flows[flow];
        let own = parts.get(&step).cloned().unwrap_or_default();
        let mut lost = if self.is_of_next(&own, step) { 0 } else { own.lost };
        if step > 0
            && let Some(before) = parts.get(&(step - 1))
            && self.is_of_next(before, step - 1)
        {
            lost += before.lost;
        }
        (lost, own.reordered + own.doubled)
    }

    fn is_of_next(&self, part: &FlowStep, step: usize) -> bool {
        part.lost > 0 && self.began.get(&(step + 1)).is_some_and(|next| part.from > next - 100_000)
    }
}

/// An event of `tc -tshort monitor`.
#[derive(Debug, Clone)]
pub struct Event {
    pub at: Time,
    pub gone: bool,
    /// `qdisc`, `class` or `filter`.
    pub object: String,
    pub dev: String,
    /// The whole text, including the lines of details.
    pub text: String,
}

impl Event {
    fn after(&self, word: &str) -> Option<&str> {
        self.text.split_whitespace().skip_while(|own| *own != word).nth(1)
    }

    fn pref(&self) -> Option<u16> {
        self.after("pref")?.parse().ok()
    }

    /// Returns true for an event of our root qdisc.
    fn is_root(&self) -> bool {
        self.object == "qdisc" && self.text.contains(" htb c05: ") && self.text.contains(" root ")
    }

    fn is_at(&self, hook: &str) -> bool {
        self.text.split_whitespace().any(|word| word == hook)
    }
}

/// Reads all events of a leg.
pub fn events(report: &Report, leg: &str) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    for line in report.text(&format!("out/{leg}/monitor")).lines() {
        let Some((stamp, rest)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else {
            assert!(!line.contains("rror"), "tc monitor could not follow: {line}");
            if let Some(last) = events.last_mut() {
                last.text.push('\n');
                last.text.push_str(line);
            }
            continue;
        };
        let rest = rest.trim();
        let gone = rest.starts_with("deleted ");
        let rest = ["deleted ", "added ", "replaced ", "changed "]
            .iter()
            .fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        let words: Vec<&str> = rest.split_whitespace().collect();
        let dev = words.iter().skip_while(|word| **word != "dev").nth(1).copied().unwrap_or_default();
        events.push(Event {
            at: time(stamp),
            gone,
            object: words.first().copied().unwrap_or_default().to_owned(),
            dev: dev.to_owned(),
            text: format!("{rest} "),
        });
    }
    events
}

/// Parses a time such as `2026-11-21T05:14:12.123456`, without its day.
fn time(stamp: &str) -> Time {
    let (_, clock) = stamp.split_once('T').expect("a time");
    let mut parts = clock.split([':', '.']).map(|part| part.parse::<i64>().expect("a number"));
    let mut next = || parts.next().expect("hours, minutes, seconds, microseconds");
    ((next() * 60 + next()) * 60 + next()) * 1_000_000 + next()
}

/// The periods in which packets of each direction met no shaper: their start, and their length in microseconds. In such
/// a period, our root was missing, or its entry, or the entry of its filters, or the redirect to the ifb.
#[derive(Debug, Default)]
pub struct Unshaped {
    pub up: Vec<(Time, i64)>,
    pub down: Vec<(Time, i64)>,
}

/// The last filter at one place, in either bank, or an entry. It existed before the listening began.
#[derive(Default)]
struct Last {
    banks: BTreeSet<u16>,
    heard: bool,
    missing: Option<Time>,
}

impl Last {
    fn add(&mut self, pref: u16, at: Time, found: &mut Vec<(Time, i64)>) {
        self.heard = true;
        self.banks.insert(pref);
        if let Some(since) = self.missing.take() {
            found.push((since, at - since));
        }
    }

    fn remove(&mut self, pref: u16, at: Time) {
        let known = self.banks.remove(&pref);
        // If a deletion is the first event, the filter existed before.
        if self.banks.is_empty() && (known || !self.heard) {
            self.missing = self.missing.or(Some(at));
        }
    }

    fn remove_all(&mut self, at: Time) {
        self.banks.clear();
        self.missing = self.missing.or(Some(at));
    }
}

/// The entries of a tree: that of the slot, which has preference 1 or 2, and that of its filters.
#[derive(Default)]
struct Tree {
    slot: Last,
    list: Last,
}

impl Tree {
    fn last(&mut self, pref: u16) -> &mut Last {
        if pref <= 2 { &mut self.slot } else { &mut self.list }
    }

    fn missing(&self) -> Option<Time> {
        self.slot.missing.or(self.list.missing)
    }

    fn remove_all(&mut self, at: Time) {
        self.slot.remove_all(at);
        self.list.remove_all(at);
    }
}

/// Finds these periods in the events after the first start, which used the first ifb.
pub fn unshaped(house: &House, events: &[Event]) -> Unshaped {
    let wan = house.program.wan.as_str();
    let mut ifb = house.program.ifb.as_str().to_owned();
    let mut found = Unshaped::default();
    let (mut root, mut redirect) = (Tree::default(), Last::default());
    let mut behind: BTreeMap<String, Tree> = BTreeMap::new();
    for event in events {
        let pref = event.pref().unwrap_or_default();
        let is_filter = event.object == "filter";
        let is_at_root = is_filter && !event.is_at("ingress") && !event.is_at("egress");
        let is_entry = is_at_root && pref < FIRST_LIST_PREF;
        if event.dev == wan {
            if event.is_root() && event.gone {
                root.remove_all(event.at);
            } else if is_entry && event.gone {
                root.last(pref).remove(pref, event.at);
            } else if is_entry {
                root.last(pref).add(pref, event.at, &mut found.up);
            }
            let last = EGRESS_PREF - 1;
            if is_filter && event.is_at("ingress") && [last, last + HOOK_BANK].contains(&pref) {
                if event.gone {
                    redirect.remove(pref, event.at);
                } else {
                    redirect.add(pref, event.at, &mut found.down);
                    if let Some((_, after)) = event.text.split_once("Redirect to device ") {
                        ifb = after.split(')').next().unwrap_or_default().to_owned();
                    }
                }
            }
        } else if event.dev.starts_with("ifb-") || event.dev.starts_with("ifb2-") {
            // The queues after the redirect: the ifb that is not in use may be made and deleted.
            let of = behind.entry(event.dev.clone()).or_default();
            let in_force = event.dev == ifb;
            if event.is_root() && event.gone {
                of.remove_all(event.at);
            } else if is_entry && event.gone {
                of.last(pref).remove(pref, event.at);
            } else if is_entry {
                of.last(pref).add(pref, event.at, &mut Vec::new());
            }
            if in_force && of.missing() == Some(event.at) {
                found.down.push((event.at, 0));
            }
            if !in_force {
                (of.slot.missing, of.list.missing) = (None, None);
            }
        }
    }
    assert!(root.missing().is_none() && redirect.missing.is_none(), "left without a shaper");
    found
}

/// Parses the output of `held` in streams.sh. `qosc_preview::live` needs it in the form of a dump.
pub fn held(house: &House, text: &str) -> Held {
    let ifb = house.program.ifb.as_str();
    let second = ifb.replacen("ifb-", "ifb2-", 1);
    let devices = [house.program.wan.as_str(), ifb, "more"];
    let mut dump: BTreeMap<(usize, String), String> = BTreeMap::new();
    let mut device = 0;
    let mut object = String::new();
    let mut roots = 0;
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["qdisc", ..] => {
                object = "qdisc".to_owned();
                if words.contains(&"root") {
                    roots += 1;
                    device = roots - 1;
                }
            }
            ["class", ..] => object = "class".to_owned(),
            ["filter", ..] => {
                let pref =
                    words.iter().skip_while(|word| **word != "pref").nth(1).and_then(|w| w.parse().ok());
                let hook = if roots > 0 { "parent c05:" } else { hook_of(pref.unwrap_or(0)) };
                object = format!("filter {hook}");
            }
            _ => {}
        }
        let section = dump.entry((device.min(2), object.clone())).or_default();
        section.push_str(line);
        section.push('\n');
    }
    let mut whole = String::new();
    for ((device, object), lines) in dump {
        let name = devices[device];
        let command = match object.split_once(' ') {
            Some((_, place)) => format!("tc -d filter show dev {name} {place}"),
            None => format!("tc -d {object} show dev {name}"),
        };
        whole += &format!("{MARK}{command}\n{lines}");
    }
    assert!(roots <= 2, "more than one ifb is left\n{text}");
    crate::observed::parse(&house.program.wan, &house.program.ifb, &whole.replace(&second, ifb))
}

fn hook_of(pref: u16) -> &'static str {
    let one = |pref: u16| (EGRESS_PREF..EGRESS_END_PREF).contains(&pref);
    if one(pref) || (pref >= INGRESS_PREF + HOOK_BANK && one(pref - HOOK_BANK)) {
        "egress"
    } else {
        "ingress"
    }
}

/// Checks that the kernel's state matches the program.
#[track_caller]
pub fn expect_exactly(house: &House, report: &Report, step: &str) {
    let text = report.text(&format!("out/{step}.held"));
    assert!(!text.is_empty(), "nothing was read back at {step}\n{}", report.console());
    let held = held(house, &text);
    let differences = crate::observed::compare(&house.program.on(house.facts()), &held);
    let lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
    assert!(
        lines.is_empty(),
        "{} {step}: the kernel does not hold the program\n{}\n{text}",
        report.name(),
        lines.join("\n")
    );
}
