//! Sections of a configuration file.

use strum::VariantArray;

choices! {
    /// Section of a file: a top-level key and its content.
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
        /// `script`
        Script,
        /// `expect`
        Expect,
        /// `variants`
        Variants,
    }
}

impl FileSection {
    /// Returns `true` for a section that a link of several can extend and override.
    #[must_use]
    pub const fn is_of_links(self) -> bool {
        !matches!(self, FileSection::Name | FileSection::Link)
    }

    /// Returns the section of a top-level key.
    #[must_use]
    pub fn from_key(key: &str) -> Option<FileSection> {
        FileSection::VARIANTS.iter().copied().find(|section| section.as_str() == key)
    }
}
