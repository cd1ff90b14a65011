//! Reads the lines of `tc` into records with places.

use crate::amounts::rate_of_tc;
use crate::proof::side::Id;
use crate::report::ImportReport;
use crate::text::{InputLine, Word, lines};
use indexmap::IndexMap;
use qosc_compiler::diag::{Span, ticked};
use qosc_compiler::tc::{FIRST_LIST_PREF, Handle, ROOT, TREE};
use qosc_compiler::units::{Family, Rate};
use qosc_preview::live::{Head, words};
use std::collections::HashMap;

/// Objects of a device.
#[derive(Debug, Default)]
pub(super) struct Device {
    pub(super) qdiscs: Vec<Qdisc>,
    pub(super) classes: Vec<HtbClass>,
    pub(super) filters: Vec<Filter>,
    /// MTU, if the text has the output of `ip link`.
    pub(super) mtu: Option<u32>,
}

/// A qdisc.
#[derive(Debug)]
pub(super) struct Qdisc {
    pub(super) kind: String,
    pub(super) id: Option<Id>,
    /// Class of the qdisc; `None` for the root.
    pub(super) parent: Option<Id>,
    /// Options.
    pub(super) words: Vec<Word>,
    /// Words of the line about its size table.
    pub(super) stab: Vec<Word>,
    pub(super) span: Span,
}

impl Qdisc {
    /// Returns `true` if the options have the word.
    pub(super) fn has(&self, text: &str) -> bool {
        self.words.iter().any(|word| word.text == text)
    }
}

/// A class of HTB.
#[derive(Debug)]
pub(super) struct HtbClass {
    pub(super) id: Id,
    pub(super) parent: Option<Id>,
    pub(super) rate: Rate,
    pub(super) ceil: Rate,
    pub(super) prio: Option<u8>,
    /// Words after its id.
    pub(super) words: Vec<Word>,
    pub(super) span: Span,
}

/// Where a filter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Place {
    Ingress,
    Egress,
    Class(Option<Id>),
}

/// A filter: its first line, and the words of all further lines.
#[derive(Debug, Clone)]
pub(super) struct Filter {
    pub(super) place: Place,
    pub(super) pref: u32,
    pub(super) protocol: String,
    pub(super) kind: String,
    pub(super) handle: Option<String>,
    pub(super) flowid: Option<Id>,
    /// Table of u32 that the filter is in.
    pub(super) table: Option<u32>,
    /// Hash table to which the filter leads.
    pub(super) link: Option<String>,
    pub(super) more: Vec<Vec<Word>>,
    pub(super) span: Span,
}

impl Filter {
    /// Returns `true` if one of the further lines has the word.
    pub(super) fn has(&self, text: &str) -> bool {
        self.more.iter().flatten().any(|word| word.text == text)
    }

    /// Returns the IP version of its packets, and `Some(None)` for a filter of all protocols.
    pub(super) fn family(&self) -> Option<Option<Family>> {
        match self.protocol.as_str() {
            "ip" => Some(Some(Family::Ipv4)),
            "ipv6" => Some(Some(Family::Ipv6)),
            "all" => Some(None),
            _ => None,
        }
    }
}

/// Output of a command.
enum CommandOutput {
    Tc(Place),
    IpLink,
    Other,
}

/// A text in devices.
#[derive(Default)]
pub(super) struct Text {
    /// Devices in the order of the text.
    pub(super) devices: IndexMap<String, Device>,
    /// First line of a dump.
    pub(super) head: Head,
}

/// Reads a handle or class id. Without a major number, that is 0.
pub(super) fn id(text: &str) -> Option<Id> {
    words::handle(&format!("0{text}")).map(|Handle { major, minor }| (major, minor))
}

/// Returns the word after `key`.
pub(super) fn after<'a>(words: &'a [Word], key: &str) -> Option<&'a str> {
    let at = words.iter().position(|word| word.text == key)?;
    words.get(at + 1).map(|word| word.text.as_str())
}

/// Reads a whole text.
pub(super) fn read(text: &str, report: &mut ImportReport) -> Text {
    let mut out = Text::default();
    let mut device = String::new();
    let mut output = CommandOutput::Tc(Place::Class(None));
    for line in lines(text).filter(|line| !line.text.trim().is_empty()) {
        if line.text.starts_with("# qosc dump ") {
            out.head = Head::read(line.text);
        } else if let Some((own, name)) = command(&line) {
            output = own;
            device = name.unwrap_or(device);
        } else {
            out.line(&line, &output, &mut device, report);
        }
    }
    out
}

/// Reads a line with a command: `==> tc -d qdisc show dev eth0`, also after a prompt.
fn command(line: &InputLine<'_>) -> Option<(CommandOutput, Option<String>)> {
    let text = line.text.trim_start_matches(['=', '>', '$', '#', '+', ' ']);
    let words = InputLine { text, ..*line }.plain();
    let has = |text: &str| words.iter().any(|word| word.text == text);
    let name = after(&words, "dev").map(str::to_owned);
    match words.first().map(|word| word.text.as_str()) {
        Some("tc") if has("show") => {
            let place = match words.last().map(|word| word.text.as_str()) {
                Some("ingress") => Place::Ingress,
                Some("egress") => Place::Egress,
                _ => after(&words, "parent").and_then(id).map_or(Place::Class(None), place),
            };
            Some((CommandOutput::Tc(place), name))
        }
        Some("ip") if has("link") => Some((CommandOutput::IpLink, name)),
        _ => line.text.starts_with("==>").then_some((CommandOutput::Other, None)),
    }
}

fn place(parent: Id) -> Place {
    match parent {
        (0xffff, 0 | 0xfff2) => Place::Ingress,
        (0xffff, 0xfff3) => Place::Egress,
        // The filters of our tree hang at its top class.
        (ROOT, TREE) => Place::Class(Some((ROOT, 0))),
        other => Place::Class(Some(other)),
    }
}

impl Text {
    fn line(
        &mut self,
        line: &InputLine<'_>,
        output: &CommandOutput,
        device: &mut String,
        report: &mut ImportReport,
    ) {
        let words = line.plain();
        let word = |at: usize| words.get(at).map_or("", |word| word.text.as_str());
        if let ("qdisc", CommandOutput::Tc(_), Some(name)) = (word(0), output, after(&words, "dev")) {
            name.clone_into(device);
        }
        let own = self.devices.entry(device.clone());
        let place = match output {
            CommandOutput::Other => return,
            CommandOutput::IpLink => {
                let mtu = after(&words, "mtu").and_then(|mtu| mtu.parse().ok());
                if mtu.is_some() && line.text.starts_with(|c: char| c.is_ascii_digit()) {
                    own.or_default().mtu = mtu;
                }
                return;
            }
            CommandOutput::Tc(place) => *place,
        };
        let own = own.or_default();
        match word(0) {
            "qdisc" => own.qdiscs.extend(qdisc(&words, line.span())),
            "class" => match (htb_class(&words, line.span()), word(1)) {
                (Some(class), _) => own.classes.push(class),
                (None, "cake" | "cake_mq" | "fq_codel" | "fq" | "tbf") => {}
                (None, _) => {
                    let said = format!("this class has no equivalent: {}", ticked(line.text.trim()));
                    report.lost(line.span(), said, "only classes of HTB are converted");
                }
            },
            "filter" => {
                let filter = filter(&words, place, line.span());
                // the head of a list of fw with handles
                let pref = filter.as_ref().filter(|own| own.handle.is_some()).map(|own| own.pref);
                own.filters
                    .pop_if(|last| last.kind == "fw" && last.handle.is_none() && Some(last.pref) == pref);
                own.filters.extend(filter);
            }
            "linklayer" => {
                if let Some(qdisc) = own.qdiscs.last_mut() {
                    qdisc.stab = words;
                }
            }
            _ => {
                if let Some(filter) = own.filters.last_mut() {
                    filter.more.push(words);
                }
            }
        }
    }
}

fn qdisc(words: &[Word], span: Span) -> Option<Qdisc> {
    let [_, kind, own, rest @ ..] = words else { return None };
    let parent = after(rest, "parent").and_then(id);
    let mut at = 0;
    // skips these words with their values
    while let Some(word) = rest.get(at) {
        at += match word.text.as_str() {
            "root" => 1,
            "dev" | "parent" | "refcnt" => 2,
            _ => break,
        };
    }
    let options = rest.get(at..).unwrap_or_default().to_vec();
    Some(Qdisc { kind: kind.text.clone(), id: id(&own.text), parent, words: options, stab: Vec::new(), span })
}

fn htb_class(words: &[Word], span: Span) -> Option<HtbClass> {
    let [_, kind, own, rest @ ..] = words else { return None };
    if kind.text != "htb" {
        return None;
    }
    Some(HtbClass {
        id: id(&own.text)?,
        parent: after(rest, "parent").and_then(id),
        rate: after(rest, "rate").and_then(rate_of_tc)?,
        ceil: after(rest, "ceil").and_then(rate_of_tc)?,
        prio: after(rest, "prio").and_then(|prio| prio.parse().ok()),
        words: rest.to_vec(),
        span,
    })
}

/// Reads the first line of a filter. `None` for the head of a preference, for a hash table, and for our entries of
/// slots and chains.
fn filter(words: &[Word], section: Place, span: Span) -> Option<Filter> {
    let at = words.iter().position(|word| word.text == "pref")?;
    let pref = words.get(at + 1)?.text.parse().ok()?;
    let kind = words.get(at + 2)?.text.clone();
    let handle = after(words, "handle").map(str::to_owned);
    let is_filter = match kind.as_str() {
        "u32" => after(words, "fh").is_some_and(|node| !node.ends_with(':')),
        // without handles, a filter of fw has only this line
        "matchall" | "fw" => true,
        _ => handle.is_some(),
    };
    if !is_filter {
        return None;
    }
    let named = words.iter().position(|word| word.text.ends_with("flowid") || word.text == "classid");
    let flowid =
        named.and_then(|at| id(&words.get(at + 1)?.text)).filter(|_| after(words, "terminal").is_none());
    let place = after(words, "parent").and_then(id).map_or(section, place);
    if place == Place::Class(Some((ROOT, 0))) && pref < u32::from(FIRST_LIST_PREF) {
        return None;
    }
    let protocol = after(words, "protocol").unwrap_or("all").to_owned();
    let table = after(words, "fh").and_then(|node| node.split_once(':'));
    let table = table.and_then(|(table, _)| u32::from_str_radix(table, 16).ok());
    let link = after(words, "link").map(|link| link.trim_end_matches(':').to_owned());
    Some(Filter { place, pref, protocol, kind, handle, flowid, table, link, more: Vec::new(), span })
}

/// Removes filters in hash tables of u32, and those at an unknown class: tc prints the filters of all classes with the
/// same preference together, and only the numbers of their tables differ.
pub(super) fn place_tables(device: &mut Device, report: &mut ImportReport) {
    // from 800 on, the tables are those of lists
    let is_list = |table: &u32| *table >= 0x800;
    let mut first: HashMap<(Place, u32), u32> = HashMap::new();
    for filter in &device.filters {
        if let Some(table) = filter.table.filter(is_list) {
            let own = first.entry((filter.place, filter.pref)).or_insert(table);
            *own = table.min(*own);
        }
    }
    device.filters.retain(|filter| {
        let is_known = filter.table.filter(is_list) == first.get(&(filter.place, filter.pref)).copied();
        if !is_known && filter.table.as_ref().is_some_and(is_list) {
            let said = "this filter stands at a class, and `tc filter` does not tell at which one";
            report.bad(filter.span, said, "before the dump, give the filters of each class their own `pref`");
        }
        is_known || filter.table.is_none()
    });
}
