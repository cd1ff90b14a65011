//! `match`.

use super::forms::{AppName, NameOf, Several};
use crate::diag::{Code, Span, Spanned};
use crate::syntax::field::Field;
use crate::syntax::fields::Fields;
use crate::syntax::findings::Findings;
use crate::syntax::given::{Many, Opt};
use crate::syntax::keys::{get, keys, list};
use crate::syntax::node::Node;
use crate::syntax::quote::quote;
use crate::syntax::values::{choice, text, unit};
use crate::terms::{Direction, Ecn, TcpKind};
use crate::units::{Address, Dscp, Family, LengthRange, Mark, PortRange, Protocol};

keys! {
    /// One alternative: all its keys must match, each with any of its values. By default it matches both directions and both families
    // A key that is not given is an empty list or `None`.
    #[schemars(rename = "Match", extend(
        "minProperties" = 1,
        "if" = { "anyOf": [{ "required": ["local_port"] }, { "required": ["remote_port"] }, { "required": ["port"] }] },
        "then" = { "anyOf": [{ "required": ["protocol"] }, { "required": ["tcp"] }] }
    ))]
    pub struct RawMatch {
        @given
        /// The whole alternative, as far as the text shows it: from its first key to the end of its last value, braces
        /// included; of an alias, the `*name`
        span: Span,
        @given
        /// The place of the key `protocol`, where it is there
        protocol_key: Option<Span>,
        @given
        /// The place of the key `tcp`, where it is there
        tcp_key: Option<Span>,
        @given
        /// The place of the key `app`, where it is there
        app_key: Option<Span>,
        /// Applications with published ports: `qosc profiles` lists them
        #[schemars(with = "Option<Several<AppName>>")]
        app: Many<String> = list(text),
        /// Protocols, as names or numbers
        #[schemars(with = "Option<Several<Protocol>>")]
        protocol: Many<Protocol> = list(unit),
        /// Names of hosts
        #[schemars(with = "Option<Several<NameOf>>")]
        host: Many<String> = list(text),
        /// Addresses on the LAN side
        #[schemars(with = "Option<Several<Address>>")]
        local: Many<Address> = list(unit),
        /// Addresses on the internet side
        #[schemars(with = "Option<Several<Address>>")]
        remote: Many<Address> = list(unit),
        /// Ports on the LAN side; needs a `protocol` with ports
        #[schemars(with = "Option<Several<PortRange>>")]
        local_port: Many<PortRange> = list(unit),
        /// Ports on the internet side; needs a `protocol` with ports
        #[schemars(with = "Option<Several<PortRange>>")]
        remote_port: Many<PortRange> = list(unit),
        /// Ports on either side; needs a `protocol` with ports
        #[schemars(with = "Option<Several<PortRange>>")]
        port: Many<PortRange> = list(unit),
        /// DSCPs; for downloads the DSCP that the LAN last sent on the connection, or with `link.trust_dscp` that of the packet
        #[schemars(with = "Option<Several<Dscp>>")]
        dscp: Many<Dscp> = list(unit),
        /// ECN fields: `not-ect`, `ect0`, `ect1` or `ce`, or a list of them; for downloads the field of the packet
        #[schemars(with = "Option<Several<Ecn>>")]
        ecn: Many<Ecn> = list(choice),
        /// Marks of your own firewall rules, with a mask of the bits to compare
        #[schemars(with = "Option<Several<Mark>>")]
        mark: Many<Mark> = list(unit),
        /// Names of tunnels; other keys of the alternative then match the packets inside
        #[schemars(with = "Option<Several<NameOf>>")]
        tunnel: Many<String> = list(text),
        /// Names of devices in `link.devices`; only downloads come by them
        #[schemars(with = "Option<Several<NameOf>>")]
        device: Many<String> = list(text),
        /// `ipv4` or `ipv6`; both by default
        family: Opt<Family> = get(unit),
        /// `up` for uploads or `down` for downloads; both by default
        direction: Opt<Direction> = get(choice),
        /// Lengths of the IP packet in bytes
        #[schemars(with = "Option<Several<LengthRange>>")]
        length: Many<LengthRange> = list(unit),
        /// TCP packets by their flags: `ack` (acknowledgements), `syn`, `fin` or `rst`, or a list of them
        #[schemars(with = "Option<Several<TcpKind>>")]
        tcp: Many<TcpKind> = list(choice),
    }
}

impl RawMatch {
    /// Returns the keys with ports, each with its values.
    #[must_use]
    pub fn ports(&self) -> [(&'static str, &Many<PortRange>); 3] {
        [("local_port", &self.local_port), ("remote_port", &self.remote_port), ("port", &self.port)]
    }

    /// Returns the first port with its key.
    #[must_use]
    pub fn first_port(&self) -> Option<(&'static str, &Spanned<PortRange>)> {
        self.ports().into_iter().find_map(|(key, ports)| Some((key, ports.first()?)))
    }
}

/// Reads a list of alternatives; a single alternative counts as a list of one.
pub(in crate::syntax) fn matches(field: Field<'_>, found: &mut Findings<'_>) -> Option<Vec<RawMatch>> {
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
        Node::Scalar { text, .. } if text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-') => {
            let message = "`match` is a mapping or a list of mappings";
            let help = match quote(text).as_str() {
                "all" | "any" | "default" | "everything" | "rest" => {
                    "write `default: true` in place of it: the class then gets what no match takes".to_owned()
                }
                text if text.parse::<Protocol>().is_ok() => format!("write `match: {{ protocol: {text} }}`"),
                text => format!("if `{text}` is an application, write `match: {{ app: {text} }}`"),
            };
            found.push(
                field
                    .finding(Code::WrongType, message)
                    .help(help)
                    .help("for other packets, write a list of alternatives such as `- { protocol: udp, remote_port: 53 }`"),
            );
            None
        }
        _ => {
            field.wrong("a list of alternatives such as `- { protocol: udp, remote_port: 53 }`", found);
            None
        }
    }
}

/// Reads one alternative.
fn alternative(field: Field<'_>, found: &mut Findings<'_>) -> Option<RawMatch> {
    const EXAMPLE: &str = "keys and values such as `{ protocol: udp, remote_port: 53 }`";
    Fields::whole(field, "a match", EXAMPLE, found, |fields, found| {
        if fields.is_empty() {
            found.push(
                field
                    .finding(Code::WrongType, "an alternative without keys would match every packet")
                    .help("write a key, such as `direction: up`, or remove the alternative"),
            );
        }
        let [protocol, tcp, app] = [["protocol"], ["tcp"], ["app"]].map(|key| fields.place(&key));
        RawMatch::read(field.value.span, protocol, tcp, app, fields, found)
    })
}
