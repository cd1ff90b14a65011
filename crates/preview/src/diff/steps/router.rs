//! Input of the steps.

/// A router and a configuration.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Router {
    /// Name of the link.
    pub link: String,
    /// Name of the WAN device.
    pub wan: String,
    /// The ifb of downloads with its state: 0 if the device does not exist, 1 if it is down, 2 if it is up.
    pub ifb: (String, u8),
    /// A second one, which older scripts had.
    pub second_ifb: (String, u8),
    /// The ifb that uploads pass if a tunnel's are queued before they are encrypted, with its state as above.
    pub uploads_ifb: (String, u8),
    /// True if uploads shall pass it.
    pub is_up_by_ifb: bool,
    /// Length of the WAN device's own queue; empty if it is unknown.
    pub queue: String,
    /// Desired length; empty if the file does not set it.
    pub txqueuelen: String,
    /// True if the configuration has filters at the hooks.
    pub needs_hook: bool,
    /// True if some of them are at the egress.
    pub needs_egress: bool,
    /// True if `start` removes the objects of others.
    pub take_over: bool,
    /// State before the first start: the script's file `before`.
    pub before: String,
    /// Description of the last completed start; empty if there is no record.
    pub was: String,
    /// State of the kernel after that start; empty if there is no record.
    pub held: String,
    /// Description of the configuration.
    pub wanted: String,
    /// Present output of tc, in the order in which the script asks for it.
    pub shown: String,
}

impl Router {
    /// Returns the device with the tree of uploads.
    pub(super) fn up(&self) -> &str {
        if self.is_up_by_ifb { &self.uploads_ifb.0 } else { &self.wan }
    }

    /// Returns true if there is a record of a completed start.
    pub(super) const fn is_recorded(&self) -> bool {
        !self.was.is_empty() && !self.held.is_empty()
    }
}
