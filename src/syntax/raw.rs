//! A configuration as written: every value with its place, nothing filled in, no name looked up.
//!
//! A field is `None` when the file does not give it. A value that could not be read is left out too; the finding that
//! says so is in the sink, and the key's place is in `keys` of the mapping where a later stage needs it.
//!
//! The JSON Schema is derived from these types, so that what is said of a field here is what an editor shows of its key.

mod class;
mod forms;
mod given;
mod link;
mod matches;
mod rest;
mod written;

pub use class::{RawClass, RawClasses, RawQueue};
pub use given::{Many, Opt, RawPerDirection};
pub use link::{RawLan, RawLink, RawLinkDevice, RawNetworks};
pub use matches::RawMatch;
pub use rest::{RawExceed, RawExpect, RawHost, RawPolice, RawTuning, RawTunnel};

pub use super::sections::FileSections;

use crate::units::LinkName;
use forms::{Named, OneOrMore};

/// The internet line of a household: its rates, and how traffic shares them. One file describes one line
#[derive(Debug, Clone, PartialEq, Eq, schemars::JsonSchema)]
#[schemars(title = "qosc", deny_unknown_fields, extend("patternProperties" = {
    "^x-": { "description": "Holds anchors for aliases elsewhere in the file; qosc ignores this key otherwise" }
}))]
pub struct Raw {
    /// The name of the link; by default the name of the file. The ifb device is called `ifb-NAME`, with a long name shortened
    pub name: Opt<LinkName>,
    /// The line: its device, its rates, and its overhead per packet
    // Always there when reading found no error.
    #[schemars(required)]
    pub link: Option<RawLink>,
    /// The LAN side of the router
    pub lan: Option<RawLan>,
    /// Hosts of the LAN by name, for matches; a host may have a class, a guarantee and a ceiling of its own
    #[schemars(with = "Option<Named<RawHost>>")]
    pub hosts: Vec<RawHost>,
    /// Tunnels by name, for matches
    #[schemars(with = "Option<Named<RawTunnel>>")]
    pub tunnels: Vec<RawTunnel>,
    /// Classes by name; their matches are tried in this order. By default the preset `home`, which `qosc profiles` shows
    pub classes: Option<RawClasses>,
    /// Policers by name: they limit traffic before shaping and without a queue
    #[schemars(with = "Option<Named<RawPolice>>")]
    pub police: Vec<RawPolice>,
    /// Settings of the router itself
    pub tuning: Option<RawTuning>,
    /// Expectations that `qosc lab` measures
    #[schemars(with = "Option<OneOrMore<RawExpect>>")]
    pub expect: Vec<RawExpect>,
    /// Where each of these stands.
    #[schemars(skip)]
    pub sections: FileSections,
}
