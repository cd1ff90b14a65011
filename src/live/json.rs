//! Converts the output of `tc -j` into the lines that tc prints without `-j`, so that one reader serves both.
//!
//! Some information is missing in this output (iproute2 6.1). Classes are plain text in spite of `-j`. A policer has no
//! rate and no bucket. A filter with several matches has several members of the same name, and most JSON readers keep
//! only one of them.

use super::held::MARK;
use crate::tc::shown_rate;
use crate::units::Rate;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::borrow::Cow;

/// A JSON value. An object keeps all its members, including those with the same name.
enum Json {
    Word(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

/// Returns a dump in which every section is text.
#[must_use]
pub fn as_text(dump: &str) -> Cow<'_, str> {
    if !dump.lines().any(|line| line.trim_start().starts_with('[')) {
        return Cow::Borrowed(dump);
    }
    let mut out = String::with_capacity(dump.len());
    let mut section: Vec<&str> = Vec::new();
    let close = |section: &mut Vec<&str>, out: &mut String| {
        match lines(section) {
            Some(lines) => lines.iter().for_each(|line| out.extend([line, "\n"])),
            None => section.iter().for_each(|line| out.extend([*line, "\n"])),
        }
        section.clear();
    };
    for line in dump.lines() {
        if line.starts_with(MARK) {
            close(&mut section, &mut out);
            out.extend([line, "\n"]);
        } else {
            section.push(line);
        }
    }
    close(&mut section, &mut out);
    Cow::Owned(out)
}

/// Converts a section to lines; `None` if it is not JSON and therefore text already.
fn lines(text: &[&str]) -> Option<Vec<String>> {
    let first = text.iter().find(|line| !line.trim().is_empty())?;
    // JSON starts with `[ {`, an array of objects. With `-p` it spans many lines.
    if !first.trim_start().starts_with('[') {
        return None;
    }
    let Ok(Json::List(objects)) = serde_json::from_str::<Json>(&text.join("\n")) else { return None };
    let mut lines = Vec::new();
    for object in &objects {
        match object.word("pref") {
            Some(pref) => filter(object, pref, &mut lines),
            None => qdisc(object, &mut lines),
        }
    }
    Some(lines)
}

impl Json {
    fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().find(|(own, _)| own == name).map(|(_, value)| value),
            Json::Word(_) | Json::List(_) => None,
        }
    }

    fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Json> {
        let members = if let Json::Object(members) = self { members.as_slice() } else { &[] };
        members.iter().filter(move |(own, _)| own == name).map(|(_, value)| value)
    }

    fn word(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Json::Word(word) => Some(word),
            Json::List(_) | Json::Object(_) => None,
        }
    }
}

fn qdisc(object: &Json, out: &mut Vec<String>) {
    let (Some(kind), Some(handle)) = (object.word("kind"), object.word("handle")) else { return };
    let place = match object.word("parent") {
        Some(parent) => format!("parent {parent}"),
        None => "root".to_owned(),
    };
    let mut line = format!("qdisc {kind} {handle} {place}");
    if let Some(Json::Object(options)) = object.get("options") {
        for (name, value) in options {
            if let Json::Word(word) = value {
                line.push_str(&option(kind, name, word));
            }
        }
    }
    out.push(line);
    if let Some(stab) = object.get("stab") {
        let told = |name| stab.word(name).unwrap_or_default();
        out.push(format!(" linklayer {} overhead {}", told("linklayer"), told("overhead")));
    }
}

/// Formats an option with a leading space and adds the unit that the text output has.
fn option(kind: &str, name: &str, word: &str) -> String {
    match (kind, name, word) {
        ("fq_codel" | "pfifo", "limit", _) => format!(" limit {word}p"),
        (_, "target" | "interval" | "rtt", _) => format!(" {name} {word}us"),
        (_, "memory_limit" | "memlimit", _) => format!(" {name} {word}b"),
        // The text output of CAKE renames or omits some options. The rate in JSON counts bytes per second and is not
        // rounded.
        ("cake", "bandwidth", _) => match word.parse::<u64>() {
            Ok(bytes) => {
                format!(" bandwidth {}bit", shown_rate(Rate::from_bps(bytes.saturating_mul(8))).bps())
            }
            Err(_) => format!(" bandwidth {word}"),
        },
        ("cake", "atm", _) => format!(" {word}"),
        ("cake", "diffserv" | "flowmode", _) => format!(" {word}"),
        ("cake", "ack-filter", "enabled") => " ack-filter".to_owned(),
        ("cake", "ack-filter", "disabled") => " no-ack-filter".to_owned(),
        ("cake", "split_gso", "true") => " split-gso".to_owned(),
        ("cake", "fwmark", _) | (_, "ingress" | "offloaded", "false") => String::new(),
        (_, _, "true") => format!(" {name}"),
        ("cake", "nat" | "wash", "false") => format!(" no{name}"),
        (_, _, "false") => String::new(),
        _ => format!(" {name} {word}"),
    }
}

fn filter(object: &Json, pref: &str, out: &mut Vec<String>) {
    let word = |name| object.word(name).unwrap_or_default();
    let head =
        format!("filter protocol {} pref {pref} {} chain {}", word("protocol"), word("kind"), word("chain"));
    let Some(options) = object.get("options") else { return out.push(head) };
    let told = |name| options.word(name).unwrap_or_default();
    let fh = told("fh");
    if let Some(divisor) = options.word("ht_divisor") {
        return out.push(format!("{head} fh {fh} ht divisor {divisor}"));
    }
    let flowid = match options.word("flowid") {
        Some(class) => format!("*flowid {class}"),
        None => "terminal flowid".to_owned(),
    };
    out.push(format!(
        "{head} fh {fh} order {} key ht {} bkt {} {flowid}",
        told("order"),
        told("key_ht"),
        told("bkt")
    ));
    if let (Some(value), Some(mask)) = (options.word("fwmark_value"), options.word("fwmark_mask")) {
        out.push(format!("  mark {value} {mask}"));
    }
    for matched in options.all("match") {
        let told = |name| matched.word(name).unwrap_or_default();
        out.push(format!("  match {:0>8}/{:0>8} at {}", told("value"), told("mask"), told("off")));
    }
    for actions in options.all("actions") {
        if let Json::List(actions) = actions {
            actions.iter().for_each(|one| action(one, out));
        }
    }
}

fn action(object: &Json, out: &mut Vec<String>) {
    let word = |name| object.word(name).unwrap_or_default();
    let order = word("order");
    let control = object.get("control_action").and_then(|control| control.word("type")).unwrap_or_default();
    out.push(match word("kind") {
        "mirred" => {
            format!("\taction order {order}: mirred (Egress Redirect to device {}) {control}", word("to_dev"))
        }
        "csum" => format!("\taction order {order}: csum ({}) action {control}", word("csum")),
        "pedit" => format!("\taction order {order}:  pedit action {control} keys {}", word("nkeys")),
        "skbedit" => format!("\taction order {order}: skbedit priority {} {control}", word("priority")),
        // JSON lacks the policer's rate, so the line is written in a form that the reader reports as foreign.
        kind => format!("\taction order {order}: {kind} of tc -j"),
    });
    if let Some(Json::List(keys)) = object.get("keys") {
        for (number, key) in keys.iter().enumerate() {
            let told = |name| key.word(name).unwrap_or_default();
            let (kind, at) = (told("htype"), told("offset"));
            out.push(format!(
                "\t key #{number}  at {kind}+{at}: val {:0>8} mask {:0>8}",
                told("val"),
                told("mask")
            ));
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Json;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Word(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Word(value.to_string()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Word(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Word(value.to_string()))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Word(value.to_owned()))
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Word(String::new()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = access.next_element()? {
            list.push(value);
        }
        Ok(Json::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = access.next_entry()? {
            members.push(member);
        }
        Ok(Json::Object(members))
    }
}

#[cfg(test)]
#[path = "json_tests.rs"]
mod tests;
