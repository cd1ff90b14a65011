//! A step of a change.

use crate::diff::cost::Price;
use crate::tc::{Dev, Hook};
use serde::Serialize;

/// What runs a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Tool {
    /// `tc`, with all others of its kind in one batch.
    Tc,
    /// `ip`.
    Ip,
}

/// What a step is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Object {
    /// The root qdisc of a direction.
    Root {
        /// Its device.
        dev: Dev,
    },
    /// A class.
    Class {
        /// Its device.
        dev: Dev,
        /// Its id, as tc writes it.
        id: String,
    },
    /// The queue of a class.
    Leaf {
        /// Its device.
        dev: Dev,
        /// The class's id.
        id: String,
    },
    /// The filters of one place.
    Filters {
        /// Their device.
        dev: Dev,
        /// Where they hang.
        hook: Hook,
    },
    /// What stands at the ingress of a tunnel's device.
    Tunnel {
        /// Its name.
        device: String,
    },
    /// The clsact of the WAN device.
    Hooks,
    /// An ifb.
    Ifb {
        /// Its name.
        name: String,
    },
    /// The length of the WAN device's own queue.
    Txqueuelen,
}

/// Why something must be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The file asks for something else than at the last start.
    File,
    /// The kernel holds something else than after the last start: others changed it.
    Drift,
    /// Both.
    Both,
    /// There is no record of a completed start, so nobody knows.
    Unknown,
}

/// A value that becomes another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Value {
    /// What it is the value of, in tc's word.
    pub field: String,
    /// Before; empty where there was none.
    pub old: String,
    /// After; empty where there is none.
    pub new: String,
}

/// A command that `start` would run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// What runs it.
    pub tool: Tool,
    /// What it does: `add`, `change`, `replace`, `del` or `set`.
    pub verb: String,
    /// What it does that to.
    pub object: Object,
    /// The name in the YAML; with a remark where the step is a means to an end.
    pub name: String,
    /// Where in the YAML: `home.yaml:28`.
    pub place: Option<String>,
    /// The whole line, with the comment that names the YAML: exactly as `print` shows it.
    pub command: String,
    /// What it costs.
    #[serde(flatten)]
    pub price: Price,
    /// Why it must be done.
    pub cause: Cause,
    /// What the file changes, as far as it can be told in values.
    pub values: Vec<Value>,
    /// What others had changed.
    pub drift: Vec<Value>,
}
