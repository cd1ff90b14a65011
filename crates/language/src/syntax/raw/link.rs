//! `link` and `lan`.

use super::forms::{BooleanOr, ByDevice, ProfileName, Several};
use super::names::named;
use crate::diag::{Code, Diagnostic, Span, Spanned};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::given::{Each, Many, Opt};
use crate::syntax::keys::{each, get, keys, list, need};
use crate::syntax::limits::MTU;
use crate::syntax::node::{Node, YamlValue};
use crate::syntax::values::{boolean, choice, many, number, number_in, rate, text, time_in, unit};
use crate::terms::limits::{ADDED_DELAY, MPU, OVERHEAD};
use crate::terms::{Engine, Frames, Ingress, Layer, Wash};
use crate::units::{Address, IfName, LinkName, Micros, Percent, Rate, UnitError};

keys! {
    /// The line: its device, its rates, and its overhead per packet
    #[schemars(rename = "Link", extend("allOf" = [
        {
            "$comment": "each direction has a line rate, a shaped rate or bounds",
            "anyOf": [
                { "required": ["up"] },
                { "required": ["shaped"], "properties": { "shaped": { "required": ["up"] } } },
                { "required": ["vary"], "properties": { "vary": { "required": ["up"] } } }
            ]
        },
        {
            "anyOf": [
                { "required": ["down"] },
                { "required": ["shaped"], "properties": { "shaped": { "required": ["down"] } } },
                { "required": ["vary"], "properties": { "vary": { "required": ["down"] } } }
            ]
        }
    ]))]
    #[derive(Default)]
    pub struct RawLink {
        @given
        /// The place of the key `link`
        key: Span,
        /// The WAN device; for PPPoE the `ppp` device, not the Ethernet device below it
        #[schemars(required)]
        device: Opt<IfName> = need(wan, "write the WAN device, such as `device: ppp0`"),
        /// Other devices that bring downloads over the same line, by their names, such as the VLAN of a television service
        #[schemars(with = "Option<ByDevice<RawLinkDevice>>")]
        devices: Vec<RawLinkDevice> = get(devices),
        /// The kind of line, which sets the overhead per packet; `qosc profiles` lists the kinds. By default a safe guess
        // A name, looked up later.
        #[schemars(with = "Option<ProfileName>")]
        profile: Opt<String> = get(text),
        /// Upload rate of the line, as the modem or the provider states it
        up: Opt<Rate> = line_rate("write the upload rate of the line, such as `up: 6.5mbit`"),
        /// Download rate of the line, as the modem or the provider states it
        down: Opt<Rate> = line_rate("write the download rate of the line, such as `down: 25mbit`"),
        /// Rate to shape to, instead of a `margin`; the line rate of that direction may then be left out
        #[schemars(with = "Option<Each<Rate>>")]
        shaped: Each<Rate> = each(rate),
        /// Bounds of a line whose rate varies; the line rate of that direction may then be left out
        vary: Option<RawVary> = get(vary),
        /// Overhead: bytes on the line in addition to each IP packet; by default that of the profile. The script subtracts the bytes that the kernel counts itself
        #[schemars(range(min = OVERHEAD.least, max = OVERHEAD.most), example = 30)]
        overhead: Opt<u32> = get(number_in(&OVERHEAD, "bytes")),
        /// Minimum size (mpu) that each packet is charged, in bytes; by default that of the profile
        #[schemars(range(min = MPU.least, max = MPU.most), example = 84)]
        mpu: Opt<u32> = get(number_in(&MPU, "bytes")),
        /// Link layer of the line; by default that of the profile
        layer: Opt<Layer> = get(choice),
        /// Part of the line rate that stays unused, so that the queue is in the router; by default that of the profile
        #[schemars(with = "Option<Each<Percent>>")]
        margin: Each<Percent> = each(unit),
        /// Largest IP packet in bytes; by default that of the profile
        #[schemars(range(min = *MTU.start(), max = *MTU.end()), example = 1492)]
        mtu: Opt<u32> = get(mtu),
        /// Treatment of downloads; `shape` by default
        ingress: Opt<Ingress> = get(choice),
        /// Scheduler, for both directions or for each; `htb` by default
        #[schemars(with = "Option<Each<Engine>>")]
        engine: Each<Engine> = each(choice),
        /// Frame type of the packets on the device, if the router cannot detect it; `auto` by default
        frames: Opt<Frames> = get(choice),
        /// Matches downloads by the DSCP of their sender, which any sender can set; `false` by default
        trust_dscp: Opt<bool> = get(boolean),
        /// Directions in which the DSCP is cleared after classification; the ECN bits stay. By default none
        wash: Opt<Wash> = get(choice),
    }
}

/// Reads a line rate, which is required without a shaped rate or bounds of the same direction.
fn line_rate(cure: &'static str) -> impl Fn(&mut Fields<'_>, &'static str, &mut Findings<'_>) -> Opt<Rate> {
    move |fields, key, found| match fields.has_for("shaped", key) || fields.has_for("vary", key) {
        true => get(rate)(fields, key, found),
        false => need(rate, cure)(fields, key, found),
    }
}

keys! {
    /// Bounds within which the script's call `follow` adapts the line rates to what the line carries
    #[schemars(rename = "Vary", extend("anyOf" = [{ "required": ["up"] }, { "required": ["down"] }]))]
    pub struct RawVary {
        @given
        /// The place of the key `vary`
        key: Span,
        /// Lowest and highest upload rate of the line; without it, the upload rate stays
        #[schemars(with = "Option<[Rate; 2]>")]
        up: Opt<[Rate; 2]> = get(bounds),
        /// Lowest and highest download rate of the line; without it, the download rate stays
        #[schemars(with = "Option<[Rate; 2]>")]
        down: Opt<[Rate; 2]> = get(bounds),
        /// Addresses that answer pings from behind the line; by default the provider's next router
        #[schemars(with = "Option<Several<Address>>")]
        probe: Many<Address> = list(unit),
        /// Delay that may be added to that of the idle line, from 5ms to 1s; `30ms` by default
        delay: Opt<Micros> = get(time_in(&ADDED_DELAY)),
    }
}

/// Reads `vary`.
fn vary(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawVary> {
    const EXAMPLE: &str = "bounds such as `{ up: [2mbit, 12mbit], down: [10mbit, 80mbit] }`";
    Fields::whole(field, "`vary`", EXAMPLE, found, |fields, found| {
        fields.need_either(["up", "down"], "write bounds, such as `down: [10mbit, 80mbit]`");
        RawVary::read(field.key_span, fields, found)
    })
}

/// Reads the lowest and the highest rate of a line.
fn bounds(field: Field<'_>, found: &mut Findings<'_>) -> Opt<[Rate; 2]> {
    match &field.value.node {
        Node::Seq(items) if items.len() == 2 => {
            let mut rates = items.iter().filter_map(|item| rate(field.item(item), found));
            let (low, high) = (rates.next()?.value, rates.next()?.value);
            Some(field.place([low, high]))
        }
        _ => {
            field.wrong("the lowest and the highest rate, such as `[10mbit, 80mbit]`", found);
            None
        }
    }
}

/// Reads `link`.
pub(super) fn link(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawLink> {
    const EXAMPLE: &str = "keys such as `{ device: ppp0, up: 6mbit, down: 25mbit }`";
    Fields::whole(field, "`link`", EXAMPLE, found, |fields, found| {
        RawLink::read(field.key_span, fields, found)
    })
}

/// Reads the names of `links`. The keys of a link are read as `link` when it is chosen.
pub(super) fn links(field: Field<'_>, found: &mut Findings<'_>) -> Vec<Spanned<String>> {
    const EXAMPLE: &str = "links by name, such as `dsl: { device: ppp0, up: 6mbit, down: 25mbit }`";
    let links = named(field, EXAMPLE, found);
    if matches!(&field.value.node, Node::Map(entries) if entries.is_empty()) {
        found.push(field.finding(Code::WrongType, "`links` has no link").help(format!("write {EXAMPLE}")));
    }
    for (name, link) in &links {
        link_name(name, found);
        if !matches!(link.value.node, Node::Map(_) | Node::Unread) {
            link.wrong("keys such as `{ device: ppp0, up: 6mbit, down: 25mbit }`", found);
        }
    }
    links.into_iter().map(|(name, _)| name).collect()
}

/// Checks a name that becomes part of the script.
pub(super) fn link_name(name: &Spanned<String>, found: &mut Findings<'_>) {
    if let Err(error) = name.value.parse::<LinkName>() {
        let finding = Diagnostic::new(Code::BadName, name.span, error.message);
        found.push(error.help.into_iter().map(|help| help.words).fold(finding, Diagnostic::help));
    }
}

/// Reads `device`. A list is a line with several devices.
fn wan(field: Field<'_>, found: &mut Findings<'_>) -> Opt<IfName> {
    let several =
        |text: &str| text.contains(',') && text.split(',').all(|name| name.trim().parse::<IfName>().is_ok());
    match &field.value.node {
        Node::Seq(_) => {}
        Node::Scalar { text, .. } if several(text) => {}
        _ => return unit(field, found),
    }
    let finding = field.finding(Code::WrongType, "`device` cannot be a list");
    found.push(finding.help("write one device, such as `device: ppp0`, and other devices of the same line in `devices`, such as `devices: { eth1.8: {} }`"));
    None
}

keys! {
    /// A device beside the WAN device, whose downloads come over the same line
    #[schemars(rename = "LinkDevice")]
    pub struct RawLinkDevice {
        @given
        /// Its name
        name: Spanned<IfName>,
        /// Rate of its uploads, which leave without a queue of the script: the classes for uploads share so much less; by default none
        up: Opt<Rate> = get(rate),
    }
}

/// Reads `devices`.
fn devices(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawLinkDevice> {
    let devices = named(field, "devices by name, such as `eth1.8: { up: 100kbit }`", found);
    devices.into_iter().filter_map(|(name, field)| device(&name, field, found)).collect()
}

fn device(name: &Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> Option<RawLinkDevice> {
    let example = "keys such as `{ up: 100kbit }`, or `{}`";
    Fields::whole(field, "a device", example, found, |fields, found| {
        let own = name.value.parse().map_err(|error: UnitError| {
            let finding = Diagnostic::new(Code::BadName, name.span, error.to_string());
            found.push(finding.help("write the name of a device, such as `eth1.8`"));
        });
        own.ok().map(|own| RawLinkDevice::read(Spanned { value: own, span: name.span }, fields, found))
    })?
}

/// Reads `mtu`.
pub(super) fn mtu(field: Field<'_>, found: &mut Findings<'_>) -> Opt<u32> {
    number(field, MTU, "bytes", found)
}

/// `lan.networks`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RawNetworks {
    /// `auto`: the prefixes that the LAN devices have, read at run time.
    Auto(Span),
    /// As listed.
    List(Many<Address>),
}

keys! {
    /// The LAN side of the router
    #[schemars(rename = "Lan")]
    pub struct RawLan {
        @given
        /// The place of the key `lan`
        key: Span,
        /// The LAN device, or a list of them
        #[schemars(with = "Option<Several<IfName>>")]
        device: Many<IfName> = list(unit),
        /// The prefixes of the LAN, or `auto` for those of the LAN devices; `auto` by default
        networks: Option<RawNetworks> = get(networks),
        /// The router uses NAT on the WAN device: for IPv4, or by family
        #[schemars(with = "Option<BooleanOr<RawNat>>")]
        nat: RawNat = get(nat),
        /// `false` lets packets to and from `networks` bypass the shaper on the WAN device; `true` by default
        shaped: Opt<bool> = get(boolean),
    }
}

keys! {
    /// NAT on the WAN device, by family
    #[schemars(rename = "Nat")]
    #[derive(Default)]
    pub struct RawNat {
        /// IPv4; `true` by default
        ipv4: Opt<bool> = get(boolean),
        /// IPv6, by masquerading or by another prefix (NPT, NETMAP); `false` by default
        ipv6: Opt<bool> = get(boolean),
    }
}

/// Reads `nat`. A single value is about IPv4.
fn nat(field: Field<'_>, found: &mut Findings<'_>) -> RawNat {
    let Node::Map(_) = field.value.node else {
        return RawNat { ipv4: boolean(field, found), ipv6: None };
    };
    Fields::whole(field, "`nat`", "`true`, `false`, or a value such as `{ ipv6: true }`", found, RawNat::read)
        .unwrap_or_default()
}

/// Reads `lan`.
pub(super) fn lan(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawLan> {
    Fields::whole(
        field,
        "`lan`",
        "keys such as `{ device: br-lan, networks: [192.168.1.0/24] }`",
        found,
        |fields, found| RawLan::read(field.key_span, fields, found),
    )
}

/// Reads `auto` or a list of prefixes.
fn networks(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawNetworks> {
    Some(match &field.value.node {
        Node::Scalar { text, .. } if text == "auto" => RawNetworks::Auto(field.value.span),
        Node::Seq(items) if items.iter().any(is_auto) => {
            let (auto, rest): (Vec<&YamlValue>, Vec<&YamlValue>) =
                items.iter().partition(|item| is_auto(item));
            for item in auto {
                found.push(
                    field.item(item).finding(Code::BadAddress, "`auto` cannot be an item of a list").help(
                        "write `networks: auto` for the prefixes of the LAN devices, or list prefixes only",
                    ),
                );
            }
            RawNetworks::List(rest.into_iter().filter_map(|item| network(field.item(item), found)).collect())
        }
        _ => RawNetworks::List(many(field, network, found)),
    })
}

/// Reads a prefix. One of IPv4 that ends with 0 and has no length can only mean a network.
fn network(field: Field<'_>, found: &mut Findings<'_>) -> Opt<Address> {
    let prefix = unit::<Address>(field, found)?;
    let is_bare = matches!(&field.value.node, Node::Scalar { text, .. } if !text.contains('/'));
    match prefix.value {
        Address::V4(net) if is_bare && net.addr().octets()[3] == 0 => {
            let message = format!("the network `{}` has no prefix length", net.addr());
            let help = format!("write its length, such as `{}/24`", net.addr());
            found.push(field.finding(Code::BadAddress, message).help(help));
            None
        }
        _ => Some(prefix),
    }
}

fn is_auto(value: &YamlValue) -> bool {
    matches!(&value.node, Node::Scalar { text, .. } if text == "auto")
}
