//! Reads `match`.

use crate::diag::Code;
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::node::Node;
use crate::syntax::raw::{Many, RawMatch};
use crate::syntax::values::{Read, choice, many, text, unit};

/// Reads a list of alternatives; a single alternative counts as a list of one.
pub(super) fn matches(field: Field<'_>, found: &mut Findings<'_>) -> Option<Vec<RawMatch>> {
    match &field.value.node {
        Node::Seq(items) => {
            if items.is_empty() {
                found.push(
                    field
                        .finding(Code::CannotMatch, "an empty `match` matches no packet")
                        .help("write an alternative, such as `- dscp: ef`, or remove `match`"),
                );
            }
            Some(items.iter().filter_map(|item| alternative(field.item(item), found)).collect())
        }
        Node::Map(_) => Some(alternative(field, found).into_iter().collect()),
        _ => {
            field.wrong("a list of alternatives such as `- { protocol: udp, remote_port: 53 }`", found);
            None
        }
    }
}

/// Reads one alternative.
fn alternative(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawMatch> {
    let Node::Map(_) = field.value.node else {
        field.wrong("keys and values such as `{ protocol: udp, remote_port: 53 }`", found);
        return None;
    };
    let mut fields =
        Fields::new(field, "a match", "keys and values such as `{ protocol: udp, remote_port: 53 }`", found)?;
    if fields.is_empty() {
        found.push(
            field
                .finding(Code::WrongType, "an alternative without keys would match every packet")
                .help("write a key, such as `direction: up`, or remove the alternative"),
        );
    }
    let span = field.value.span;
    let protocol = fields.get("protocol");
    let mut alternative = RawMatch {
        span,
        protocol_key: protocol.map(|field| field.key_span),
        protocol: protocol.map_or_else(Vec::new, |field| many(field, unit, found)),
        host: list(&mut fields, "host", text, found),
        local: list(&mut fields, "local", unit, found),
        remote: list(&mut fields, "remote", unit, found),
        local_port: list(&mut fields, "local_port", unit, found),
        remote_port: list(&mut fields, "remote_port", unit, found),
        port: list(&mut fields, "port", unit, found),
        dscp: list(&mut fields, "dscp", unit, found),
        ecn: list(&mut fields, "ecn", choice, found),
        mark: list(&mut fields, "mark", unit, found),
        tunnel: list(&mut fields, "tunnel", text, found),
        device: list(&mut fields, "device", text, found),
        family: fields.get("family").and_then(|field| unit(field, found)),
        direction: fields.get("direction").and_then(|field| choice(field, found)),
        length: list(&mut fields, "length", unit, found),
        tcp_key: None,
        tcp: Vec::new(),
    };
    if let Some(tcp) = fields.get("tcp") {
        alternative.tcp_key = Some(tcp.key_span);
        alternative.tcp = many(tcp, choice, found);
    }
    fields.finish(found);
    Some(alternative)
}

/// Reads a key with a value or a list of values.
fn list<T>(fields: &mut Fields<'_>, key: &'static str, one: Read<T>, found: &mut Findings<'_>) -> Many<T> {
    fields.get(key).map_or_else(Vec::new, |field| many(field, one, found))
}
