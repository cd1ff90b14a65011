//! Reads `link` and `lan`.

use crate::diag::Code;
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::limits::MTU;
use crate::syntax::node::{Node, Value};
use crate::syntax::raw::{Opt, RawLan, RawLink, RawNetworks};
use crate::syntax::values::{boolean, choice, each, many, number, rate, text, unit};
use crate::terms::limits::{MPU, OVERHEAD};

/// Reads `link`.
pub(super) fn link(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawLink> {
    let mut fields =
        Fields::new(field, "`link`", "keys such as `{ device: ppp0, up: 6mbit, down: 25mbit }`", found)?;
    let device = fields.need("device", "write the WAN device, such as `device: ppp0`");
    let profile = fields.get("profile");
    let up = fields.need("up", "write the upload rate of the line, such as `up: 6.5mbit`");
    let down = fields.need("down", "write the download rate of the line, such as `down: 25mbit`");
    let link = RawLink {
        key: field.key_span,
        device: device.and_then(|field| unit(field, found)),
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
