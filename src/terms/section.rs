//! Sections of a configuration file.

/// Section of a file: a top-level key and its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileSection {
    /// `name`
    Name,
    /// `link`
    Link,
    /// `lan`
    Lan,
    /// `hosts`
    Hosts,
    /// `tunnels`
    Tunnels,
    /// `classes`
    Classes,
    /// `police`
    Police,
    /// `tuning`
    Tuning,
    /// `expect`
    Expect,
}

impl FileSection {
    /// Every section with its key, in the order of the documentation.
    pub const ALL: [(&'static str, FileSection); 9] = [
        ("name", FileSection::Name),
        ("link", FileSection::Link),
        ("lan", FileSection::Lan),
        ("hosts", FileSection::Hosts),
        ("tunnels", FileSection::Tunnels),
        ("classes", FileSection::Classes),
        ("police", FileSection::Police),
        ("tuning", FileSection::Tuning),
        ("expect", FileSection::Expect),
    ];

    /// Returns the section of a top-level key.
    #[must_use]
    pub fn of(key: &str) -> Option<FileSection> {
        FileSection::ALL.into_iter().find(|(name, _)| *name == key).map(|(_, section)| section)
    }
}
