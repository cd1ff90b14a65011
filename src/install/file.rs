//! A file for a router.

/// A file for a router.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Path on the router, which begins with `/`.
    pub path: String,
    /// Content.
    pub text: String,
    /// `true` if the system executes the file.
    pub executable: bool,
}
