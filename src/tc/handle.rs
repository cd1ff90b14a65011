//! Names of kernel objects, and of what they came from.

use serde::Serialize;

/// A device of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Dev {
    /// The WAN device: uploads leave by it.
    Wan,
    /// The ifb that stands for its ingress.
    Ifb,
}

impl Dev {
    /// As differences, plans and explanations call it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Dev::Wan => "wan",
            Dev::Ifb => "ifb",
        }
    }
}

/// `major:minor` in hex, as tc prints it; minor 0 is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Handle {
    /// The qdisc.
    pub major: u16,
    /// The class in it; 0 for the qdisc itself.
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

/// What a qdisc or class hangs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Parent {
    /// The device's root.
    Root,
    /// The device's clsact.
    Clsact,
    /// A class, or a qdisc.
    At(Handle),
}

/// What an object came from: rides on it into the script's comments and the kernel's refusals.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Why {
    /// The name in the YAML, such as `voice`.
    pub name: String,
    /// What of it, such as `dscp ef, cs5`; may be empty.
    pub what: String,
    /// The line in the YAML; `None` where no line asked for it.
    pub line: Option<u32>,
}
