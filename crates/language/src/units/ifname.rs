//! Names of devices and links.

use super::written::{Written, written};
use super::{UnitError, fnv1a64};
use crate::diag::ticked;
use std::str::FromStr;

/// Name of a network device, as the kernel accepts it: 1 to 15 bytes, no `/`, no white space, not `.` or `..`.
///
/// This type accepts fewer names than the kernel: ASCII letters, digits, `.`, `-`, `_`, `+` and `^`, without a leading
/// `-`. No real device needs others, and names become part of a shell script. The character `@` is rejected because
/// `ip link` prints `eth0.2@eth0` for the device `eth0.2`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IfName(String);

impl IfName {
    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A link's name: `[a-z][a-z0-9-]*`, at most 32 characters. Text may have capitals and `_`, as names of files do: they
/// are read as small letters and `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkName(String);

impl LinkName {
    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name as it stands in the names of the link's own devices, such as `ifb-NAME`: at most 10 characters.
    ///
    /// A longer name is cut to 5 characters, and `_` and four hexadecimal digits of its hash follow: `berlin-office-3` gives
    /// `berli_fec8`. No link name has a `_`, so a cut name is never the whole name of another link. Two cut names can be equal.
    #[must_use]
    pub fn in_devices(&self) -> String {
        if self.0.len() <= IN_DEVICES_MAX {
            return self.0.clone();
        }
        let begin: String = self.0.chars().take(CUT).collect();
        let hash = fnv1a64(self.0.as_bytes());
        format!("{}_{:04x}", begin.trim_end_matches('-'), hash & 0xffff)
    }
}

/// Longest device name in bytes that the kernel accepts: IFNAMSIZ minus the terminating zero.
const IFNAME_MAX: usize = 15;

/// The longest link name.
const LINK_NAME_MAX: usize = 32;

/// The longest link name that device names hold as a whole: a device name less `ifb2-`, the longest prefix.
const IN_DEVICES_MAX: usize = 10;

/// The characters that are kept of a longer one, before `_` and four digits.
const CUT: usize = 5;

impl std::fmt::Display for IfName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::fmt::Display for LinkName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for IfName {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let refuse = |why: &str| UnitError::new(format!("the device name {} {why}", ticked(text)));
        if text.is_empty() {
            return Err(UnitError::new("the device name is empty")
                .help("write a device that `ip link` lists, such as `eth0`"));
        }
        if text == "." || text == ".." {
            return Err(refuse("is not possible: the kernel refuses it")
                .help("write a device that `ip link` lists, such as `eth0`"));
        }
        if let Some((name, parent)) = text.split_once('@')
            && ![name, parent].iter().any(|part| part.is_empty() || part.contains(|c| !allowed(c)))
        {
            return Err(
                refuse("ends with the parent device, which `ip link` prints after `@`").write(text, name)
            );
        }
        if let Some(c) = text.chars().find(|c| !allowed(*c)) {
            // Quotes of a text processor are no quotes of YAML.
            let inside =
                text.trim_matches(|c| "\u{201c}\u{201d}\u{201e}\u{2018}\u{2019}\u{ab}\u{bb}".contains(c));
            if inside != text && inside.parse::<IfName>().is_ok() {
                return Err(refuse("is in quotes that are letters to YAML").write(text, inside));
            }
            return Err(refuse(&format!("contains {}", character(c)))
                .help("write letters, digits, `.`, `-`, `_`, `+` and `^` only"));
        }
        if text.starts_with('-') {
            return Err(refuse("begins with `-`, which programs read as an option")
                .help("write a device that `ip link` lists, such as `eth0`"));
        }
        if text.len() > IFNAME_MAX {
            return Err(refuse(&format!(
                "has {} characters, but the kernel allows at most {IFNAME_MAX}",
                text.len()
            ))
            .help("write a device that `ip link` lists, such as `eth0`"));
        }
        Ok(IfName(text.to_owned()))
    }
}

impl LinkName {
    /// Returns the link name that is most like `text`, if there is one.
    #[must_use]
    pub fn like(text: &str) -> Option<LinkName> {
        let mapped = text.to_ascii_lowercase().replace(['_', '.', ' '], "-");
        let kept: String = mapped.chars().filter(|c| matches!(c, 'a'..='z' | '0'..='9' | '-')).collect();
        let kept = kept.trim_start_matches('-');
        let first = if kept.starts_with(|c: char| c.is_ascii_digit()) { "link-" } else { "" };
        let name: String = format!("{first}{kept}").chars().take(LINK_NAME_MAX).collect();
        let name = name.trim_end_matches('-');
        if name.is_empty() { None } else { Some(LinkName(name.to_owned())) }
    }

    /// Returns the name of a link after the name of its file: `Our Home.2` becomes `our-home-2`, and `300-30` becomes
    /// `link-300-30`.
    ///
    /// # Errors
    /// Fails if the name has other characters or is too long.
    pub fn of_file(stem: &str) -> Result<LinkName, UnitError> {
        let is_plain = stem.chars().all(|c| c.is_ascii_alphanumeric() || "-_. ".contains(c));
        let like = LinkName::like(stem)
            .filter(|like| is_plain && like.0.len() >= stem.trim_matches(['-', '_', '.', ' ']).len());
        like.map_or_else(|| stem.parse(), Ok)
    }
}

impl FromStr for LinkName {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let refuse = |why: &str| {
            let cause = format!("the link name {} {why}", ticked(text));
            let error = UnitError::new(cause);
            match LinkName::like(text) {
                Some(name) => error.help(format!("write a name such as `{name}`")),
                None => error.help("write a name that begins with a letter, such as `home`"),
            }
        };
        if text.is_empty() {
            return Err(UnitError::new("the link name is empty")
                .help("write a name that begins with a letter, such as `home`"));
        }
        let name = text.to_ascii_lowercase().replace('_', "-");
        if let Some(c) = name.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-')) {
            return Err(refuse(&format!(
                "contains {}; allowed are the letters a to z, digits, `-` and `_`",
                character(c)
            )));
        }
        if !name.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err(refuse("does not begin with a letter"));
        }
        if text.len() > LINK_NAME_MAX {
            return Err(refuse(&format!(
                "has {} characters, but at most {LINK_NAME_MAX} are allowed",
                text.len()
            )));
        }
        Ok(LinkName(name))
    }
}

/// Returns `true` if a device name may contain this character.
fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+-.^_".contains(c)
}

/// Returns a forbidden character for a message.
fn character(c: char) -> String {
    match c {
        ' ' => "a space".to_owned(),
        '\t' => "a tab".to_owned(),
        '\n' | '\r' => "a line break".to_owned(),
        '`' => "a backquote".to_owned(),
        c if c.is_control() || c.is_whitespace() => format!("the character U+{:04X}", u32::from(c)),
        c => format!("`{c}`"),
    }
}

written!(
    IfName,
    "Device",
    Written {
        about: "The name of a network device, as `ip link` lists it: at most 15 characters",
        numbers: Some((0, 999_999_999_999_999)),
        pattern: "[A-Za-z0-9+^_][-A-Za-z0-9+.^_]{0,14}|\\.[-A-Za-z0-9+^_][-A-Za-z0-9+.^_]{0,13}|\\.\\.[-A-Za-z0-9+.^_]{1,13}".to_owned(),
        trimmed: false,
        examples: vec!["ppp0", "eth0.7", "pppoe-wan"],
    }
);

written!(
    LinkName,
    "LinkName",
    Written {
        about: "The name of a link: the letters `a` to `z`, digits and `-`, with a letter first; at most 32 characters. Capitals become small letters, and `_` becomes `-`",
        numbers: None,
        pattern: "[A-Za-z][A-Za-z0-9_-]{0,31}".to_owned(),
        trimmed: false,
        examples: vec!["home"],
    }
);

#[cfg(test)]
mod tests {
    use super::LinkName;

    #[test]
    fn device_names_contain_the_link_name_cut_if_too_long() {
        let in_devices = |name: &str| name.parse::<LinkName>().unwrap().in_devices();
        assert_eq!(in_devices("home"), "home");
        assert_eq!(in_devices("abcdefghij"), "abcdefghij");
        assert_eq!(in_devices("berlin-office-3"), "berli_fec8");
        assert_ne!(in_devices("berlin-office-3"), in_devices("berlin-office-4"));
        // A cut name has a character that no link name has.
        assert_eq!("Berli_FEC8".parse::<LinkName>().unwrap().as_str(), "berli-fec8");
        assert!(in_devices("work-in-the-north").starts_with("work_"));
    }
}
