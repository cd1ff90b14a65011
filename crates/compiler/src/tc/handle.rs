//! Names of kernel objects and of their origins.

use serde::Serialize;

qosc_language::choices! {
    /// A device that the script configures.
    #[derive(serde::Deserialize)]
    pub enum Dev {
        /// The WAN device, on which uploads leave.
        Wan,
        /// The ifb that serves the ingress of the WAN device.
        Ifb,
    }
}

/// A handle `major:minor` in hex, as tc prints it. A minor number of 0 is omitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// Major number, which identifies the qdisc.
    pub major: u16,
    /// Minor number, which identifies the class; 0 for the qdisc itself.
    pub minor: u16,
}

impl std::fmt::Display for Handle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.minor {
            0 => write!(f, "{:x}:", self.major),
            minor => write!(f, "{:x}:{minor:x}", self.major),
        }
    }
}

impl Serialize for Handle {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

/// Object that a qdisc or class is attached to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Parent {
    /// Root of the device.
    Root,
    /// The clsact qdisc of the device.
    Clsact,
    /// A class or a qdisc.
    At(Handle),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it")]
const fn is_own(file: &u16) -> bool {
    *file == 0
}

/// Origin of an object in the configuration. Comments in the script and explanations of kernel errors show it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Why {
    /// Name in the YAML, such as `voice`.
    pub name: String,
    /// Detail, such as `dscp ef, cs5`; may be empty.
    pub what: String,
    /// Line in the YAML; `None` if no line asks for the object.
    pub line: Option<u32>,
    /// File of the line: 0 for the configuration, or the place in [`Program::files`](super::Program::files), from 1.
    #[serde(skip_serializing_if = "is_own")]
    pub file: u16,
}

impl Why {
    /// Returns the line if it is in the configuration itself.
    #[must_use]
    pub fn own_line(&self) -> Option<u32> {
        self.line.filter(|_| self.file == 0)
    }
}
