//! Names of devices and links.

/// A network device's name as the kernel takes it: 1 to 15 bytes, no `/`, no white space, not `.` or `..`.
///
/// We take less than the kernel does: printable ASCII without quotes, `$`, backquote, backslash, `;`, `&`, `|`, `<`,
/// `>`, `*`, `?`, `[`, `]`, `(`, `)`, `{`, `}`, `#`, `!`, `~`, `%`, `=`, `,`, `:`: no device has them, and a name goes
/// into a shell script.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IfName(String);

impl IfName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A link's name: `[a-z][a-z0-9-]*`, at most 10 characters, so that `ifb-NAME` is a device name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkName(String);

impl LinkName {
    /// The name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for IfName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::fmt::Display for LinkName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
