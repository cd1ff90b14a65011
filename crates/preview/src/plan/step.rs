//! A converge step.

use crate::diff::Price;
use qosc_compiler::tc::{Dev, Hook};
use serde::{Deserialize, Serialize};

qosc_compiler::choices! {
    /// Area of the router that an item belongs to.
    #[derive(Deserialize)]
    pub enum Area {
        /// The WAN device's root qdisc and everything below it.
        Uploads,
        /// The ifb, its root qdisc and everything below it.
        Downloads,
        /// Qdisc and filters at the hooks of the WAN device, and filters at the ingress of tunnel devices.
        Hooks,
        /// Settings outside the qdiscs.
        Settings,
    }
}

/// Program that runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// `tc`; all its commands run in one batch.
    Tc,
    /// `ip`.
    Ip,
}

/// Object of a step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Object {
    /// Root qdisc of a direction.
    Root {
        /// Device of the direction.
        dev: Dev,
    },
    /// A class.
    Class {
        /// Device of the class.
        dev: Dev,
        /// Id of the class, as tc writes it.
        id: String,
    },
    /// Queue of a class.
    Leaf {
        /// Device of the class.
        dev: Dev,
        /// Id of the class.
        id: String,
    },
    /// Filter list at one hook of a device.
    Filters {
        /// Device of the list.
        dev: Dev,
        /// Hook of the list.
        hook: Hook,
    },
    /// Filters and qdisc at the ingress of a tunnel's device.
    Tunnel {
        /// Name of the tunnel's device.
        device: String,
    },
    /// Clsact qdisc of the WAN device.
    Hooks,
    /// An ifb device.
    Ifb {
        /// Name of the ifb.
        name: String,
    },
    /// Length of the WAN device's own transmit queue.
    Txqueuelen,
}

/// Cause of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The file describes the object otherwise than at the last start.
    File,
    /// Others changed the object after the last start.
    Drift,
    /// Both the file and others changed the object.
    Both,
    /// The cause is unknown, because there is no record of a completed start.
    Unknown,
}

/// A changed value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[schemars(rename = "Value")]
pub struct ChangedValue {
    /// Name of the value, in tc's words.
    pub field: String,
    /// Value before the step; empty if there was none.
    pub old: String,
    /// Value after the step; empty if there is none.
    pub new: String,
}

/// A command that `start` would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Step {
    /// Area of the router in which people look for the object.
    #[serde(skip_serializing)]
    pub(super) area: Area,
    /// Rank of the object in the area.
    #[serde(skip_serializing)]
    pub(super) rank: u8,
    /// Name of the object for people.
    #[serde(skip_serializing)]
    pub(super) what: String,
    /// Program that runs the command.
    pub tool: Tool,
    /// Action of the command: `add`, `change`, `replace`, `del` or `set`.
    pub verb: String,
    /// Object that the command acts on.
    pub object: Object,
    /// Name in the YAML, with a remark if the step only serves another change.
    pub name: String,
    /// Place in the YAML, such as `home.yaml:28`.
    pub place: Option<String>,
    /// Whole line, including the comment that names the YAML: exactly as `print` shows it.
    pub command: String,
    /// Cost of the step.
    #[serde(flatten)]
    pub price: Price,
    /// Cause of the step.
    pub cause: Cause,
    /// Values that the file changes.
    pub values: Vec<ChangedValue>,
}

/// A setting that differs from the desired value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Setting {
    /// Name of the setting: a path below `/proc/sys` with dots, or a device and its feature.
    pub what: String,
    /// Current value; empty if the dump does not show it.
    pub old: String,
    /// Desired value.
    pub new: String,
    /// Cause of the difference.
    pub cause: Cause,
    /// Command as `print` shows it.
    pub command: String,
}
