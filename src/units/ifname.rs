//! Names of devices and links.

use super::UnitError;
#[cfg(feature = "schema")]
use super::written::{Written, written};
use crate::diag::ticked;
use std::str::FromStr;

/// A network device's name as the kernel takes it: 1 to 15 bytes, no `/`, no white space, not `.` or `..`.
///
/// We take less than the kernel does: ASCII letters, digits, `.`, `-`, `_`, `+` and `^`, and no `-` at the beginning: no
/// device has others, and a name goes into a shell script. Refused with the rest is `@`, since `ip link` prints
/// `eth0.2@eth0` for the device `eth0.2`.
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

/// The longest device name the kernel takes: IFNAMSIZ less the closing zero.
const IFNAME_MAX: usize = 15;

/// The longest link name: a device name less `ifb-`, and one to spare.
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
                // Nothing of such a name is on any router yet: small letters are the same name, where they make one.
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

/// Whether a device name may have this character.
fn allowed(c: char) -> bool {
    c.is_ascii_alphanumeric() || "+-.^_".contains(c)
}

/// The link name most like `text`, where there is one.
fn link_name_like(text: &str) -> Option<LinkName> {
    let mapped = text.to_ascii_lowercase().replace(['_', '.', ' '], "-");
    let kept = mapped.chars().filter(|c| matches!(c, 'a'..='z' | '0'..='9' | '-'));
    let name: String = kept.skip_while(|c| !c.is_ascii_lowercase()).take(LINK_NAME_MAX).collect();
    let name = name.trim_end_matches('-');
    if name.is_empty() { None } else { Some(LinkName(name.to_owned())) }
}

/// A character that a name may not have, for a message.
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
