//! Reads `link` and `lan`.

use super::names::named;
use crate::diag::{Code, Diagnostic, Spanned};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::limits::MTU;
use crate::syntax::node::{Node, Value};
use crate::syntax::raw::{Opt, RawLan, RawLink, RawLinkDevice, RawNetworks};
use crate::syntax::values::{boolean, choice, each, many, number, rate, text, unit};
use crate::terms::limits::{MPU, OVERHEAD};
use crate::units::IfName;

/// Reads `link`.
pub(super) fn link(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawLink> {
    let mut fields =
        Fields::new(field, "`link`", "keys such as `{ device: ppp0, up: 6mbit, down: 25mbit }`", found)?;
    let device = fields.need("device", "write the WAN device, such as `device: ppp0`");
    let devices = fields.get("devices").map_or_else(Vec::new, |field| devices(field, found));
    let profile = fields.get("profile");
    let up = fields.need("up", "write the upload rate of the line, such as `up: 6.5mbit`");
    let down = fields.need("down", "write the download rate of the line, such as `down: 25mbit`");
    let link = RawLink {
        key: field.key_span,
        device: device.and_then(|field| wan(field, found)),
        devices,
        profile: profile.and_then(|field| text(field, found)),
        up: up.and_then(|field| rate(field, found)),
        down: down.and_then(|field| rate(field, found)),
        overhead: fields.get("overhead").and_then(|field| number(field, OVERHEAD.range(), "bytes", found)),
        mpu: fields.get("mpu").and_then(|field| number(field, MPU.range(), "bytes", found)),
        layer: fields.get("layer").and_then(|field| choice(field, found)),
        margin: each(&mut fields, "margin", unit, found),
        mtu: fields.get("mtu").and_then(|field| mtu(field, found)),
        ingress: fields.get("ingress").and_then(|field| choice(field, found)),
        engine: each(&mut fields, "engine", choice, found),
        frames: fields.get("frames").and_then(|field| choice(field, found)),
        trust_dscp: fields.get("trust_dscp").and_then(|field| boolean(field, found)),
        wash: fields.get("wash").and_then(|field| choice(field, found)),
    };
    fields.finish(found);
    Some(link)
}

/// Reads `device`. A list is a line with several devices.
fn wan(field: Field<'_>, found: &mut Findings<'_>) -> Opt<IfName> {
    if !matches!(field.value.node, Node::Seq(_)) {
        return unit(field, found);
    }
    let finding = field.finding(Code::WrongType, "`device` cannot be a list");
    found.push(finding.help("write one device, such as `device: ppp0`, and other devices of the same line in `devices`, such as `devices: { eth1.8: {} }`"));
    None
}

/// Reads `devices`.
fn devices(field: Field<'_>, found: &mut Findings<'_>) -> Vec<RawLinkDevice> {
    let devices = named(field, "devices by name, such as `eth1.8: { up: 100kbit }`", found);
    devices.into_iter().filter_map(|(name, field)| device(name, field, found)).collect()
}

fn device(name: Spanned<String>, field: Field<'_>, found: &mut Findings<'_>) -> Option<RawLinkDevice> {
    let mut fields = Fields::new(field, "a device", "keys such as `{ up: 100kbit }`, or `{}`", found)?;
    let up = fields.get("up").and_then(|field| rate(field, found));
    fields.finish(found);
    match name.value.parse() {
        Ok(device) => Some(RawLinkDevice { name: Spanned { value: device, span: name.span }, up }),
        Err(error) => {
            let finding = Diagnostic::new(Code::BadName, name.span, error.to_string());
            found.push(finding.help("write the name of a device, such as `eth1.8`"));
            None
        }
    }
}

/// Reads `mtu`.
pub(super) fn mtu(field: Field<'_>, found: &mut Findings<'_>) -> Opt<u32> {
    number(field, MTU, "bytes", found)
}

/// Reads `lan`.
pub(super) fn lan(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawLan> {
    let mut fields = Fields::new(field, "`lan`", "keys such as `{ device: br-lan }`", found)?;
    let lan = RawLan {
        key: field.key_span,
        device: fields.get("device").map_or_else(Vec::new, |field| many(field, unit, found)),
        networks: fields.get("networks").map(|field| networks(field, found)),
        nat: fields.get("nat").and_then(|field| boolean(field, found)),
        shaped: fields.get("shaped").and_then(|field| boolean(field, found)),
    };
    fields.finish(found);
    Some(lan)
}

/// Reads `auto` or a list of prefixes.
fn networks(field: Field<'_>, found: &mut Findings<'_>) -> RawNetworks {
    match &field.value.node {
        Node::Scalar { text, .. } if text == "auto" => RawNetworks::Auto(field.value.span),
        Node::Seq(items) if items.iter().any(is_auto) => {
            let (auto, rest): (Vec<&Value>, Vec<&Value>) = items.iter().partition(|item| is_auto(item));
            for item in auto {
                found.push(
                    field.item(item).finding(Code::BadAddress, "`auto` cannot be an item of a list").help(
                        "write `networks: auto` for the prefixes of the LAN devices, or list prefixes only",
                    ),
                );
            }
            RawNetworks::List(rest.into_iter().filter_map(|item| unit(field.item(item), found)).collect())
        }
        _ => RawNetworks::List(many(field, unit, found)),
    }
}

fn is_auto(value: &Value) -> bool {
    matches!(&value.node, Node::Scalar { text, .. } if text == "auto")
}
