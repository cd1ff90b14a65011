//! `hosts`, `tunnels`, `police`, `tuning` and `script`.

use super::forms::{AlwaysTrue, NameOf, Several, Tcp};
use super::link::mtu;
use super::matches::{RawMatch, matches};
use super::names::named;
use crate::diag::{Code, Span, Spanned};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::given::{Each, Many, Opt};
use crate::syntax::keys::{each, get, keys, list, list_unless, need};
use crate::syntax::limits::MTU;
use crate::syntax::node::{Node, YamlValue};
use crate::syntax::quote::quote;
use crate::syntax::values::{amount, boolean, choice, number_in, size_in, text, time_in, unit};
use crate::terms::limits::{BYTE_QUEUE, ROUND_TRIP, TRANSMIT_QUEUE};
use crate::terms::{Amount, Direction, Inner, Offloads, ScriptCall, TunnelKind};
use crate::units::{Address, Bytes, IfName, Mac, MarkMask, Micros, PortRange};

keys! {
    /// A host of the LAN, or several that count as one
    #[schemars(rename = "Host", extend("anyOf" = [{ "required": ["address"] }, { "required": ["mac"] }, { "required": ["self"] }]))]
    pub struct RawHost {
        @given
        /// Its name
        name: Spanned<String>,
        @given
        /// Index of the prefix that it is a device of
        of: Option<usize>,
        /// Its addresses; not needed with `mac`
        #[schemars(with = "Option<Several<Address>>")]
        address: Many<Address> = list_unless("mac", unit),
        /// Its MAC addresses, for a host whose addresses change
        #[schemars(with = "Option<Several<Mac>>")]
        mac: Many<Mac> = list_unless("address", unit),
        /// The router itself: what its own programs send and receive on this line; `true` instead of an address
        #[schemars(with = "Option<AlwaysTrue>")]
        itself as "self": Option<Span> = get(itself),
        /// Home class of its packets that no `match` takes; by default that of a match on it alone, or the default class
        #[schemars(with = "Option<NameOf>")]
        class: Opt<String> = get(text),
        /// Rate in its home class when all hosts want more; by default what other hosts leave. `0%` to only borrow
        #[schemars(with = "Option<Each<Amount>>")]
        guarantee: Each<Amount> = each(amount),
        /// Rate that it gets at most in its home class; by default the ceiling of that class
        #[schemars(with = "Option<Each<Amount>>")]
        ceiling: Each<Amount> = each(amount),
        /// Rates of each device in the prefixes of `address`, which may have at most 1022 addresses
        each as "each": Option<RawEach> = get(of_each),
        /// `true` if no lower layer has this name: a link or a variant adds it
        new: Opt<bool> = get(boolean),
    }
}

keys! {
    /// Rates that every device of a prefix gets
    #[schemars(rename = "EachDevice", extend("anyOf" = [{ "required": ["guarantee"] }, { "required": ["ceiling"] }]))]
    pub struct RawEach {
        @given
        /// The place of the key `each`
        key: Span,
        /// Rate of each device in its home class when all hosts want more; by default what other hosts leave
        #[schemars(with = "Option<Each<Amount>>")]
        guarantee: Each<Amount> = each(amount),
        /// Rate that each device gets at most in its home class; by default the ceiling of that class
        #[schemars(with = "Option<Each<Amount>>")]
        ceiling: Each<Amount> = each(amount),
    }
}

/// Reads `self`.
fn itself(field: Field<'_>, found: &mut Findings<'_>) -> Option<Span> {
    let given = boolean(field, found)?;
    if !given.value {
        let message = "`self: false` says nothing";
        found.push(
            field.finding(Code::BadChoice, message).help("remove it: only `self: true` means the router"),
        );
    }
    Some(given.span)
}

/// Reads `each`.
fn of_each(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawEach> {
    const CURE: &str =
        "write `each: { ceiling: 4mbit }`, or `ceiling: 100%` for a queue without a limit of its own";
    Fields::whole(field, "`each`", "keys such as `{ ceiling: 4mbit }`", found, |fields, found| {
        fields.need_either(["guarantee", "ceiling"], CURE);
        RawEach::read(field.key_span, fields, found)
    })
}

/// Reads `hosts`. A host that cannot be read keeps its name, so that references to it are not reported as well.
pub(super) fn hosts(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawHost> {
    const CURE: &str = "write the host's address, such as `address: 192.168.1.10`; if its addresses change, write `mac: 02:00:5e:10:00:77`";
    let hosts = named(field, "hosts by name, such as `desk: { address: 192.168.1.10 }`", found);
    let host = |(name, field): (Spanned<String>, Field<'_>)| {
        let text = |value: &YamlValue| match &value.node {
            Node::Scalar { text, .. } if text.parse::<Address>().is_ok() => Some(text.clone()),
            _ => None,
        };
        let own = match &field.value.node {
            Node::Seq(items) => {
                let addresses = items.iter().map(text).collect::<Option<Vec<_>>>();
                addresses.map(|addresses| format!("[{}]", addresses.join(", ")))
            }
            _ => text(field.value),
        };
        let address = own.as_deref().unwrap_or("192.168.1.10");
        let example = format!("keys such as `{{ address: {address} }}`");
        Fields::whole_or_empty(field, "a host", &example, found, |fields, found| {
            if !fields.has(&["self"]) {
                fields.need_either(["address", "mac"], CURE);
            }
            RawHost::read(name, None, fields, found)
        })
    };
    hosts.into_iter().map(host).collect()
}

keys! {
    /// A tunnel over this line
    #[schemars(rename = "Tunnel")]
    pub struct RawTunnel {
        @given
        /// Its name
        name: Spanned<String>,
        /// Kind of tunnel
        #[schemars(required)]
        kind: Opt<TunnelKind> =
            need(choice, "write the kind of tunnel, such as `kind: wireguard` or `kind: other`"),
        /// Its device
        device: Opt<IfName> = get(unit),
        /// Addresses of the other end
        #[schemars(with = "Option<Several<Address>>")]
        remote: Many<Address> = list(unit),
        /// Port of the other end, if the kind has ports; by default the usual port of the kind
        #[schemars(with = "Option<Several<PortRange>>")]
        port: Many<PortRange> = list(unit),
        /// Largest IP packet inside, in bytes
        #[schemars(range(min = *MTU.start(), max = *MTU.end()))]
        mtu: Opt<u32> = get(mtu),
        /// How much the classes see of the packets inside; by default as much as works with the kind
        inner: Opt<Inner> = get(choice),
        /// Whether the router translates IPv4 addresses at the tunnel's device; `false` by default
        nat: Opt<bool> = get(boolean),
        /// `true` if no lower layer has this name: a link or a variant adds it
        new: Opt<bool> = get(boolean),
    }
}

/// Reads `tunnels`; like a host, each keeps its name.
pub(super) fn tunnels(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawTunnel> {
    let what = "tunnels by name, such as `vps: { kind: wireguard, remote: 198.51.100.7 }`";
    let example = "keys such as `{ kind: wireguard, remote: 198.51.100.7 }`";
    let tunnels = named(field, what, found);
    let tunnel = |(name, field): (Spanned<String>, _)| {
        Fields::whole_or_empty(field, "a tunnel", example, found, |fields, found| {
            RawTunnel::read(name, fields, found)
        })
    };
    tunnels.into_iter().map(tunnel).collect()
}

/// `police.*.exceed`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawExceed {
    /// `drop`.
    Drop,
    /// `reclassify CLASS`: what is too much goes into that class.
    Reclassify(String),
}

keys! {
    /// A policer: a rate limit without a queue
    #[schemars(rename = "Policer")]
    pub struct RawPolice {
        @given
        /// Its name
        name: Spanned<String>,
        /// `up` for uploads or `down` for downloads
        #[schemars(required)]
        direction: Opt<Direction> = need(choice, "write `direction: up` or `direction: down`"),
        /// Packets to police: alternatives, of which one must match
        #[schemars(with = "Several<RawMatch>")]
        matches as "match": Option<Vec<RawMatch>> =
            need(matches, "write which packets are policed, such as `match: [{ host: guests }]`"),
        /// Rate that these packets get at most
        #[schemars(required)]
        rate: Opt<Amount> = need(one_rate, "write the highest rate, such as `rate: 4mbit`"),
        /// Burst: bytes that may pass at once; by default derived from the rate, usually 250 ms of it
        burst: Opt<Bytes> = get(unit),
        /// Action for packets above the rate; `drop` by default
        exceed: Opt<RawExceed> = get(exceed),
        /// Lets packets below the rate bypass the shaper, and subtracts the rate from that of the classes; `false` by default
        bypass: Opt<bool> = get(boolean),
        /// `true` if no lower layer has this name: a link or a variant adds it
        new: Opt<bool> = get(boolean),
    }
}

/// Reads `police`.
pub(super) fn police(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawPolice> {
    let example = "keys such as `{ direction: down, match: [{ host: guests }], rate: 4mbit }`";
    let what =
        "policers by name, such as `guests: { direction: down, match: [{ host: guests }], rate: 4mbit }`";
    let police = named(field, what, found);
    let policer = |(name, field): (Spanned<String>, _)| {
        Fields::whole(field, "a policer", example, found, |fields, found| {
            RawPolice::read(name, fields, found)
        })
    };
    police.into_iter().filter_map(policer).collect()
}

/// Reads the rate of a policer, which only works in one direction.
fn one_rate(field: Field<'_>, found: &mut Findings<'_>) -> Opt<Amount> {
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
        let cure = "write `reclassify: CLASS` with the name of a class";
        let class = Fields::whole(field, "`exceed`", EXCEED, found, |fields, found| {
            need(text, cure)(fields, "reclassify", found)
        });
        return class?.map(|class| field.place(RawExceed::Reclassify(class.value)));
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

keys! {
    /// Settings of the router itself
    #[schemars(rename = "Tuning")]
    pub struct RawTuning {
        /// Treatment of offloads (GRO, GSO, TSO), which aggregate packets; `auto` by default
        offloads: Opt<Offloads> = get(choice),
        /// Length of the transmit queue of the WAN device, in packets; unchanged by default
        #[schemars(range(min = TRANSMIT_QUEUE.least, max = TRANSMIT_QUEUE.most))]
        txqueuelen: Opt<u32> = get(number_in(&TRANSMIT_QUEUE, "packets")),
        /// Bytes that each transmit queue of the WAN device may hold (BQL), such as `6000`; unchanged by default
        #[schemars(extend("minimum" = BYTE_QUEUE.least))]
        bql: Opt<Bytes> = get(size_in(&BYTE_QUEUE)),
        /// Sizes the socket buffers of the router itself; unchanged by default
        #[schemars(with = "Option<Tcp>")]
        tcp_rtt as "tcp": Opt<Micros> = get(tcp),
        /// TCP of the router itself asks for ECN; unchanged by default
        ecn: Opt<bool> = get(boolean),
        /// Bits of the firewall mark that qosc may use; by default as many as it needs, from bit 24 on
        mark_mask: Opt<MarkMask> = get(unit),
    }
}

/// Reads `tuning`.
pub(super) fn tuning(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawTuning> {
    Fields::whole(field, "`tuning`", "keys such as `{ offloads: auto }`", found, RawTuning::read)
}

fn tcp(field: Field<'_>, found: &mut Findings<'_>) -> Opt<Micros> {
    let cure = "write the round-trip time for the buffer sizes, such as `rtt: 40ms`";
    Fields::whole(field, "`tcp`", "its key such as `{ rtt: 40ms }`", found, |fields, found| {
        need(time_in(&ROUND_TRIP), cure)(fields, "rtt", found)
    })?
}

keys! {
    /// What the script has beside what every script has
    #[schemars(rename = "Script")]
    pub struct RawScript {
        /// Calls that only some scripts have: `rate` scales the tree to other line rates, and `metrics` is `status --metrics` for Prometheus; none by default
        #[schemars(with = "Option<Several<ScriptCall>>")]
        calls: Many<ScriptCall> = list(choice),
    }
}

/// Reads `script`.
pub(super) fn script(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawScript> {
    Fields::whole(field, "`script`", "keys such as `{ calls: [rate] }`", found, RawScript::read)
}
