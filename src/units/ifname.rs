//! Names of devices and links.

use super::UnitError;
#[cfg(feature = "schema")]
use super::written::{Written, written};
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

/// Name of a link: `[a-z][a-z0-9-]*` with at most 10 characters, so that `ifb-NAME` is a valid device name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkName(String);

impl LinkName {
    /// Returns the name.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Longest device name in bytes that the kernel accepts: IFNAMSIZ minus the terminating zero.
const IFNAME_MAX: usize = 15;

/// Longest link name: a device name minus `ifb-`, with one character to spare.
const LINK_NAME_MAX: usize = 10;

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
            return Err(UnitError::new("the device name is empty").help("`ip link` lists the devices"));
        }
        if text == "." || text == ".." {
            return Err(
                refuse("is a directory, which the kernel refuses").help("`ip link` lists the devices")
            );
        }
        if let Some((name, parent)) = text.split_once('@')
            && ![name, parent].iter().any(|part| part.is_empty() || part.contains(|c| !allowed(c)))
        {
            return Err(refuse("has its parent behind it, as `ip link` prints it").write(text, name));
        }
        if let Some(c) = text.chars().find(|c| !allowed(*c)) {
            return Err(refuse(&format!("has {} in it", character(c)))
                .help("a device name has letters, digits, `.`, `-`, `_`, `+` and `^`"));
        }
        if text.starts_with('-') {
            return Err(
                refuse("begins with `-`, which tools take for an option").help("`ip link` lists the devices")
            );
        }
        if text.len() > IFNAME_MAX {
            return Err(refuse(&format!("has {} characters, and the kernel takes {IFNAME_MAX}", text.len()))
                .help("`ip link` lists the devices"));
        }
        Ok(IfName(text.to_owned()))
    }
}

impl FromStr for LinkName {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, UnitError> {
        let refuse = |why: &str| {
            let cause = format!("the link name {} {why}", ticked(text));
            let error = UnitError::new(cause);
            match link_name_like(text) {
                Some(name) => error.help(format!("write `{name}`, say")),
                None => error.help("a link name begins with a letter, such as `home`"),
            }
        };
        if text.is_empty() {
            return Err(UnitError::new("the link name is empty")
                .help("a link name begins with a letter, such as `home`"));
        }
        if let Some(c) = text.chars().find(|c| !matches!(c, 'a'..='z' | '0'..='9' | '-')) {
            return Err(match c {
                // No router has anything under this name yet, so the name in small letters is the same if it is valid.
                'A'..='Z' => match text.to_ascii_lowercase() {
                    name if name.parse::<LinkName>().is_ok() => {
                        refuse("has capitals in it").certain(text, name)
                    }
                    _ => refuse("has capitals in it"),
                },
                c => {
                    refuse(&format!("has {} in it; letters a to z, digits and `-` are allowed", character(c)))
                }
            });
        }
        if !text.starts_with(|c: char| c.is_ascii_lowercase()) {
            return Err(refuse("does not begin with a letter"));
        }
        if text.len() > LINK_NAME_MAX {
            return Err(refuse(&format!(
                "has {} characters, and {LINK_NAME_MAX} fit into the device name `ifb-NAME`",
                text.len()
            )));
        }
        Ok(LinkName(text.to_owned()))
    }
}

/// Returns `true` if a device name may contain this character.
fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+-.^_".contains(c)
}

/// Returns the link name that is most like `text`, if there is one.
fn link_name_like(text: &str) -> Option<LinkName> {
    let mapped = text.to_ascii_lowercase().replace(['_', '.', ' '], "-");
    let kept = mapped.chars().filter(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'));
    let name: String = kept.skip_while(|c| !c.is_ascii_lowercase()).take(LINK_NAME_MAX).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { None } else { Some(LinkName(name.to_owned())) }
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

#[cfg(feature = "schema")]
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

#[cfg(feature = "schema")]
written!(
    LinkName,
    "LinkName",
    Written {
        about: "The name of a link: `a` to `z`, digits and `-`, a letter first, at most 10 characters",
        numbers: None,
        pattern: "[a-z][a-z0-9-]{0,9}".to_owned(),
        trimmed: false,
        examples: vec!["home"],
    }
);
