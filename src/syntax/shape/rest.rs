//! Reads `hosts`, `tunnels`, `police` and `tuning`.

use super::names::named;
use super::{link, matches};
use crate::diag::{Code, Spanned};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::node::Node;
use crate::syntax::quote::quote;
use crate::syntax::raw::{Opt, RawExceed, RawHost, RawPerDirection, RawPolice, RawTuning, RawTunnel};
use crate::syntax::values::{amount, boolean, choice, each, many, number, text, unit};
use crate::terms::Limit;
use crate::terms::limits::{BYTE_QUEUE, ROUND_TRIP, TRANSMIT_QUEUE};
use crate::units::{Bytes, Micros};

/// Reads `hosts`.
pub(super) fn hosts(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawHost> {
    let hosts = named(field, "hosts by name, such as `desk: { address: 192.168.1.10 }`", found);
    hosts.into_iter().map(|(name, field)| host(name, field, found)).collect()
}

/// Reads a host. A host with an unreadable value keeps its name, so that references to it are not reported as well.
fn host(name: Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> RawHost {
    let keys = "keys such as `{ address: 192.168.1.10 }`";
    let Some(mut fields) = Fields::new(field, "a host", keys, found) else {
        let neither = || RawPerDirection { up: None, down: None };
        let (address, mac) = (Vec::new(), Vec::new());
        return RawHost { name, address, mac, class: None, guarantee: neither(), ceiling: neither() };
    };
    let [address, mac] = fields.need_either(
        ["address", "mac"],
        "write the host's address, such as `address: 192.168.1.10`; if its addresses change, write `mac: 02:00:5e:10:00:77`",
    );
    let host = RawHost {
        name,
        address: address.map_or_else(Vec::new, |field| many(field, unit, found)),
        mac: mac.map_or_else(Vec::new, |field| many(field, unit, found)),
        class: fields.get("class").and_then(|field| text(field, found)),
        guarantee: each(&mut fields, "guarantee", amount, found),
        ceiling: each(&mut fields, "ceiling", amount, found),
    };
    fields.finish(found);
    host
}

/// Reads `tunnels`.
pub(super) fn tunnels(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawTunnel> {
    let tunnels =
        named(field, "tunnels by name, such as `vps: { kind: wireguard, remote: 198.51.100.7 }`", found);
    tunnels.into_iter().map(|(name, field)| tunnel(name, field, found)).collect()
}

/// Reads a tunnel; like a host, it always keeps its name.
fn tunnel(name: Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> RawTunnel {
    let keys = "keys such as `{ kind: wireguard, remote: 198.51.100.7 }`";
    let Some(mut fields) = Fields::new(field, "a tunnel", keys, found) else {
        let (remote, port) = (Vec::new(), Vec::new());
        return RawTunnel { name, kind: None, device: None, remote, port, mtu: None, inner: None, nat: None };
    };
    let kind = fields.need("kind", "write the kind of tunnel, such as `kind: wireguard` or `kind: other`");
    let tunnel = RawTunnel {
        name,
        kind: kind.and_then(|field| choice(field, found)),
        device: fields.get("device").and_then(|field| unit(field, found)),
        remote: fields.get("remote").map_or_else(Vec::new, |field| many(field, unit, found)),
        port: fields.get("port").map_or_else(Vec::new, |field| many(field, unit, found)),
        mtu: fields.get("mtu").and_then(|field| link::mtu(field, found)),
        inner: fields.get("inner").and_then(|field| choice(field, found)),
        nat: fields.get("nat").and_then(|field| boolean(field, found)),
    };
    fields.finish(found);
    tunnel
}

/// Reads `police`.
pub(super) fn police(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawPolice> {
    let police = named(
        field,
        "policers by name, such as `guests: { direction: down, match: [{ host: guests }], rate: 4mbit }`",
        found,
    );
    police.into_iter().filter_map(|(name, field)| policer(name, field, found)).collect()
}

fn policer(name: Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> Option<RawPolice> {
    let mut fields = Fields::new(
        field,
        "a policer",
        "keys such as `{ direction: down, match: [{ host: guests }], rate: 4mbit }`",
        found,
    )?;
    let direction = fields.need("direction", "write `direction: up` or `direction: down`");
    let matches =
        fields.need("match", "write which packets are policed, such as `match: [{ host: guests }]`");
    let rate = fields.need("rate", "write the highest rate, such as `rate: 4mbit`");
    let policer = RawPolice {
        name,
        direction: direction.and_then(|field| choice(field, found)),
        matches: matches.and_then(|field| matches::matches(field, found)),
        rate: rate.and_then(|field| one_rate(field, found)),
        burst: fields.get("burst").and_then(|field| unit(field, found)),
        exceed: fields.get("exceed").and_then(|field| exceed(field, found)),
        bypass: fields.get("bypass").and_then(|field| boolean(field, found)),
    };
    fields.finish(found);
    Some(policer)
}

/// Reads the rate of a policer, which only works in one direction.
fn one_rate(field: Field<'_>, found: &mut Findings<'_>) -> Opt<crate::terms::Amount> {
    if let Node::Map(_) = field.value.node {
        found.push(
            field
                .finding(Code::WrongType, "a policer has one rate, because it works in one direction")
                .help("write one policer for each direction"),
        );
        return None;
    }
    amount(field, found)
}

const EXCEED: &str = "`drop` or `reclassify CLASS`";

/// Reads `drop`, `reclassify CLASS` or `{ reclassify: CLASS }`.
fn exceed(field: Field<'_>, found: &mut Findings<'_>) -> Opt<RawExceed> {
    if let Node::Map(_) = field.value.node {
        let mut fields = Fields::new(field, "`exceed`", "`drop` or `reclassify CLASS`", found)?;
        let class = fields.need("reclassify", "write `reclassify: CLASS` with the name of a class");
        let class = class.and_then(|field| text(field, found));
        fields.finish(found);
        return class.map(|class| field.place(RawExceed::Reclassify(class.value)));
    }
    let (text, _) = field.scalar(EXCEED, found)?;
    if text == "drop" {
        return Some(field.place(RawExceed::Drop));
    }
    match text.strip_prefix("reclassify").map(|class| (class.trim(), class.starts_with(char::is_whitespace)))
    {
        Some((class, true)) if !class.is_empty() => {
            Some(field.place(RawExceed::Reclassify(class.to_owned())))
        }
        Some(("", _)) => {
            let finding = field.finding(Code::BadChoice, "`reclassify` needs the name of a class");
            found.push(finding.help("write `reclassify CLASS` with the name of a class"));
            None
        }
        _ => {
            let message = format!("`{}` is not an action for packets above the rate", quote(text));
            found.push(field.finding(Code::BadChoice, message).help(format!("write {EXCEED}")));
            None
        }
    }
}

/// Reads `tuning`.
pub(super) fn tuning(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawTuning> {
    let mut fields = Fields::new(field, "`tuning`", "keys such as `{ offloads: auto }`", found)?;
    let tuning = RawTuning {
        offloads: fields.get("offloads").and_then(|field| choice(field, found)),
        txqueuelen: fields
            .get("txqueuelen")
            .and_then(|field| number(field, TRANSMIT_QUEUE.range(), "packets", found)),
        bql: fields.get("bql").and_then(|field| size(field, &BYTE_QUEUE, found)),
        tcp_rtt: fields.get("tcp").and_then(|field| tcp(field, found)),
        ecn: fields.get("ecn").and_then(|field| boolean(field, found)),
        mark_mask: fields.get("mark_mask").and_then(|field| unit(field, found)),
    };
    fields.finish(found);
    Some(tuning)
}

fn tcp(field: Field<'_>, found: &mut Findings<'_>) -> Opt<Micros> {
    let mut fields = Fields::new(field, "`tcp`", "its key such as `{ rtt: 40ms }`", found)?;
    let rtt = fields.need("rtt", "write the round-trip time for the buffer sizes, such as `rtt: 40ms`");
    let rtt = rtt.and_then(|field| time(field, &ROUND_TRIP, found));
    fields.finish(found);
    rtt
}

/// Reads a size within a limit.
pub(super) fn size(field: Field<'_>, limit: &Limit, found: &mut Findings<'_>) -> Opt<Bytes> {
    let size = unit::<Bytes>(field, found)?;
    if limit.holds(size.value.get()) {
        return Some(size);
    }
    let least = match limit.least {
        1 => "one byte".to_owned(),
        bytes => format!("`{}`", Bytes::new(bytes)),
    };
    let most = Bytes::new(limit.most);
    field.out_of_range(Code::BadSize, &format!("a size from {least} to `{most}`"), found);
    None
}

/// Reads a time within a limit.
pub(super) fn time(field: Field<'_>, limit: &Limit, found: &mut Findings<'_>) -> Opt<Micros> {
    let time = unit::<Micros>(field, found)?;
    if limit.holds(time.value.us()) {
        return Some(time);
    }
    let (least, most) = (Micros::from_us(limit.least), Micros::from_us(limit.most));
    field.out_of_range(Code::BadTime, &format!("a time from `{least}` to `{most}`"), found);
    None
}
