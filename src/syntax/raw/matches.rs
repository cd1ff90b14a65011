//! `match`.

use super::forms::{NameOf, Several};
use super::{Many, Opt};
use crate::diag::Span;
use crate::terms::{Direction, Ecn, TcpKind};
use crate::units::{Address, Dscp, Family, LengthRange, Mark, PortRange, Protocol};

/// One alternative: all its keys must match, each with any of its values. By default it matches both directions and both families
// A key that is not given is an empty list or `None`.
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(rename = "Match", deny_unknown_fields, extend(
    "minProperties" = 1,
    "if" = { "anyOf": [{ "required": ["local_port"] }, { "required": ["remote_port"] }, { "required": ["port"] }] },
    "then" = { "anyOf": [{ "required": ["protocol"] }, { "required": ["tcp"] }] }
))]
pub struct RawMatch {
    /// The whole alternative, as far as the text shows it: from its first key to the end of its last value, braces
    /// included; of an alias, the `*name`
    #[schemars(skip)]
    pub span: Span,
    /// Names of hosts
    #[schemars(with = "Option<Several<NameOf>>")]
    pub host: Many<String>,
    /// Addresses on the LAN side
    #[schemars(with = "Option<Several<Address>>")]
    pub local: Many<Address>,
    /// Addresses on the internet side
    #[schemars(with = "Option<Several<Address>>")]
    pub remote: Many<Address>,
    /// Protocols, as names or numbers
    #[schemars(with = "Option<Several<Protocol>>")]
    pub protocol: Many<Protocol>,
    /// The place of the key `protocol`, where it is there
    #[schemars(skip)]
    pub protocol_key: Option<Span>,
    /// Ports on the LAN side; needs a `protocol` with ports
    #[schemars(with = "Option<Several<PortRange>>")]
    pub local_port: Many<PortRange>,
    /// Ports on the internet side; needs a `protocol` with ports
    #[schemars(with = "Option<Several<PortRange>>")]
    pub remote_port: Many<PortRange>,
    /// Ports on either side; needs a `protocol` with ports
    #[schemars(with = "Option<Several<PortRange>>")]
    pub port: Many<PortRange>,
    /// DSCPs; for downloads the DSCP that the LAN last sent on the connection, or with `link.trust_dscp` that of the packet
    #[schemars(with = "Option<Several<Dscp>>")]
    pub dscp: Many<Dscp>,
    /// ECN fields: `not-ect`, `ect0`, `ect1` or `ce`, or a list of them; for downloads the field of the packet
    #[schemars(with = "Option<Several<Ecn>>")]
    pub ecn: Many<Ecn>,
    /// Marks of your own firewall rules, with a mask of the bits to compare
    #[schemars(with = "Option<Several<Mark>>")]
    pub mark: Many<Mark>,
    /// Names of tunnels; other keys of the alternative then match the packets inside
    #[schemars(with = "Option<Several<NameOf>>")]
    pub tunnel: Many<String>,
    /// Names of devices in `link.devices`; only downloads come by them
    #[schemars(with = "Option<Several<NameOf>>")]
    pub device: Many<String>,
    /// `ipv4` or `ipv6`; both by default
    pub family: Opt<Family>,
    /// `up` for uploads or `down` for downloads; both by default
    pub direction: Opt<Direction>,
    /// Lengths of the IP packet in bytes
    #[schemars(with = "Option<Several<LengthRange>>")]
    pub length: Many<LengthRange>,
    /// TCP packets by their flags: `ack` (acknowledgements), `syn`, `fin` or `rst`, or a list of them
    #[schemars(with = "Option<Several<TcpKind>>")]
    pub tcp: Many<TcpKind>,
    /// The place of the key `tcp`, where it is there
    #[schemars(skip)]
    pub tcp_key: Option<Span>,
}
