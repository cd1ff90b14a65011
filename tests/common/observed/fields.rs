//! Field by field comparison of two objects with the same id, as far as tc's output can tell them apart.
//!
//! tc does not print a police's `mpu`, the priority and quantum of a parent class, or the action behind an index (a
//! police's own index is compared). Differences in these stay unnoticed. Values also count as equal if
//! `shown_rate`, `same_size`, `same_bucket` or `same_time` says so.

use super::shown::{same_bucket, same_size, same_time, shown_rate};
use qosc_compiler::tc::{
    Action, CakeOverhead, CakeShaper, Charge, Filter, HtbClass, Overhead, Police, QdiscKind, Word,
};
use qosc_compiler::units::{Bytes, Micros, Rate};
use std::fmt::Debug;

/// A field that differs: its name, the program's value, the kernel's value.
pub(super) type Field = (&'static str, String, String);

/// Collector of fields that differ.
#[derive(Default)]
struct Fields(Vec<Field>);

impl Fields {
    fn check(&mut self, name: &'static str, same: bool, asked: &impl Debug, held: &impl Debug) {
        if !same {
            self.0.push((name, text(asked), text(held)));
        }
    }

    fn equal<T: PartialEq + Debug>(&mut self, name: &'static str, asked: &T, held: &T) {
        self.check(name, asked == held, asked, held);
    }

    fn rate(&mut self, name: &'static str, asked: Rate, held: Rate) {
        self.check(name, shown_rate(asked) == held, &asked.bps(), &held.bps());
    }

    fn size(&mut self, name: &'static str, asked: Bytes, held: Bytes) {
        self.check(name, same_size(asked, held), &asked.get(), &held.get());
    }

    fn bucket(&mut self, name: &'static str, asked: Bytes, held: Bytes, rate: Rate) {
        self.check(name, same_bucket(asked, held, rate), &asked.get(), &held.get());
    }

    fn time(&mut self, name: &'static str, asked: Micros, held: Micros) {
        self.check(name, same_time(asked, held), &asked.us(), &held.us());
    }

    fn charge(&mut self, asked: Charge, held: Charge, mpu: bool) {
        self.check(
            "overhead",
            asked.overhead == held.overhead,
            &bytes(asked.overhead),
            &bytes(held.overhead),
        );
        self.equal("linklayer", &asked.linklayer, &held.linklayer);
        if mpu {
            self.equal("mpu", &asked.mpu, &held.mpu);
        }
    }
}

/// Returns the bytes of an overhead, without the layer from which they count.
const fn bytes(overhead: Overhead) -> u32 {
    match overhead {
        Overhead::AboveIp(bytes) | Overhead::Fixed(bytes) => bytes,
    }
}

/// Returns the bytes of a CAKE overhead, without the layer from which they count.
fn cake_bytes(overhead: CakeOverhead) -> i64 {
    match overhead {
        CakeOverhead::AboveIp(bytes) | CakeOverhead::AboveIpInLeaf(bytes) => bytes.into(),
        CakeOverhead::Fixed(bytes) => bytes.into(),
    }
}

fn text(value: &impl Debug) -> String {
    format!("{value:?}")
}

/// Returns the fields of a class that differ. `leaf` is true if the class has no children.
pub(super) fn class(asked: &HtbClass, held: &HtbClass, leaf: bool) -> Vec<Field> {
    let mut fields = Fields::default();
    fields.equal("parent", &asked.parent, &held.parent);
    fields.rate("rate", asked.rate, held.rate);
    fields.rate("ceil", asked.ceil, held.ceil);
    fields.bucket("burst", asked.burst, held.burst, asked.rate);
    fields.bucket("cburst", asked.cburst, held.cburst, asked.ceil);
    fields.charge(asked.charge, held.charge, true);
    if leaf {
        fields.equal("prio", &asked.prio, &held.prio);
        fields.equal("quantum", &asked.quantum, &held.quantum);
    }
    fields.0
}

/// Returns the options of a qdisc that differ.
pub(super) fn qdisc(asked: &QdiscKind, held: &QdiscKind) -> Vec<Field> {
    use QdiscKind::{Cake, FqCodel, Htb};
    let mut fields = Fields::default();
    match (asked, held) {
        (Htb { direct_qlen, stab }, Htb { direct_qlen: own_qlen, stab: own_stab }) => {
            fields.equal("direct_qlen", direct_qlen, own_qlen);
            fields.equal("stab", stab, own_stab);
        }
        (
            FqCodel { limit, flows, quantum, target, interval, memory, ecn },
            FqCodel {
                limit: own_limit,
                flows: own_flows,
                quantum: own_quantum,
                target: own_target,
                interval: own_interval,
                memory: own_memory,
                ecn: own_ecn,
            },
        ) => {
            fields.equal("limit", limit, own_limit);
            fields.equal("flows", flows, own_flows);
            fields.equal("quantum", quantum, own_quantum);
            fields.time("target", *target, *own_target);
            fields.time("interval", *interval, *own_interval);
            // Older versions of tc do not show it.
            if own_memory.get() > 0 {
                fields.size("memory", *memory, *own_memory);
            }
            fields.equal("ecn", ecn, own_ecn);
        }
        (
            Cake { shaper, rtt, tins, ack_filter, wash, isolation, nat, memory },
            Cake {
                shaper: own_shaper,
                rtt: own_rtt,
                tins: own_tins,
                ack_filter: own_ack_filter,
                wash: own_wash,
                isolation: own_isolation,
                nat: own_nat,
                memory: own_memory,
            },
        ) => {
            cake_shaper(&mut fields, shaper.as_ref(), own_shaper.as_ref());
            fields.time("rtt", *rtt, *own_rtt);
            fields.equal("tins", tins, own_tins);
            fields.equal("ack_filter", ack_filter, own_ack_filter);
            fields.equal("wash", wash, own_wash);
            fields.equal("isolation", isolation, own_isolation);
            fields.equal("nat", nat, own_nat);
            fields.size("memory", *memory, *own_memory);
        }
        // all other kinds have at most one field, and no field is common to two kinds
        (asked, held) => fields.equal("kind", asked, held),
    }
    fields.0
}

fn cake_shaper(fields: &mut Fields, asked: Option<&CakeShaper>, held: Option<&CakeShaper>) {
    let (Some(asked), Some(held)) = (asked, held) else {
        let rate = |shaper: Option<&CakeShaper>| {
            shaper.map_or_else(|| "unlimited".to_owned(), |shaper| shaper.rate.bps().to_string())
        };
        if asked.is_some() || held.is_some() {
            fields.0.push(("bandwidth", rate(asked), rate(held)));
        }
        return;
    };
    fields.rate("bandwidth", asked.rate, held.rate);
    let same = asked.overhead == held.overhead;
    fields.check("overhead", same, &cake_bytes(asked.overhead), &cake_bytes(held.overhead));
    fields.equal("mpu", &asked.mpu, &held.mpu);
    fields.equal("linklayer", &asked.linklayer, &held.linklayer);
    fields.equal("ingress", &asked.ingress, &held.ingress);
}

/// Returns the fields of a filter that differ.
pub(super) fn filter(asked: &Filter, held: &Filter) -> Vec<Field> {
    let mut fields = Fields::default();
    fields.equal("protocol", &asked.protocol, &held.protocol);
    fields.equal("classifier", &asked.classifier, &held.classifier);
    if asked.selector != held.selector {
        let words = |filter: &Filter| {
            let word = |word: &Word| format!("{:08x}/{:08x}", word.value, word.mask);
            let words = filter.selector.words.iter();
            let words = words.map(|(offset, own)| format!("{} at {offset}", word(own)));
            let mark = filter.selector.mark.iter().map(|mark| format!("mark {}", word(mark)));
            words.chain(mark).collect::<Vec<_>>().join(" ")
        };
        fields.0.push(("match", words(asked), words(held)));
    }
    fields.equal("flowid", &asked.flowid, &held.flowid);
    if asked.actions.len() != held.actions.len() {
        fields.equal("actions", &asked.actions, &held.actions);
    }
    for pair in asked.actions.iter().zip(&held.actions) {
        match pair {
            (Action::Police(asked), Action::Police(held)) => police(&mut fields, asked, held),
            (asked, held) => fields.equal("action", asked, held),
        }
    }
    fields.0
}

fn police(fields: &mut Fields, asked: &Police, held: &Police) {
    fields.equal("police index", &asked.index, &held.index);
    fields.rate("police rate", asked.rate, held.rate);
    fields.bucket("police burst", asked.burst, held.burst, asked.rate);
    fields.size("police mtu", Bytes::new(u64::from(asked.mtu)), Bytes::new(u64::from(held.mtu)));
    fields.charge(asked.charge, held.charge, false);
    fields.equal("police conform", &asked.conform, &held.conform);
    fields.equal("police exceed", &asked.exceed, &held.exceed);
}
