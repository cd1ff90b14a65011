//! What a script's `dump` prints: a line about itself, and then commands with their output.

use super::normal;
use super::parse::MARK;
use super::survey::Survey;
use crate::units::IfName;

/// How a dump begins.
const FIRST: &str = "# qosc dump ";

/// The first line of a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// The link of the script that printed it.
    pub link: String,
    /// The script's digest.
    pub script: String,
    /// The WAN device.
    pub wan: String,
    /// Bytes that the WAN device's packets have above IP.
    pub header: Option<u32>,
    /// Whether the router has `ethtool`; `None` where the script was too old to say so.
    pub ethtool: Option<bool>,
}

/// Why a text is no dump that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DumpError(String);

impl std::fmt::Display for DumpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for DumpError {}

/// A command and what it printed.
#[derive(Debug, Clone)]
struct Section<'a> {
    command: &'a str,
    lines: Vec<&'a str>,
}

/// A dump, cut into its sections.
#[derive(Debug, Clone)]
pub struct Dump<'a> {
    /// What its first line says; empty where it was made by hand.
    pub head: Head,
    text: &'a str,
    sections: Vec<Section<'a>>,
}

impl<'a> Dump<'a> {
    /// Cuts a text into its sections.
    ///
    /// # Errors
    /// When there is no section at all, or the first line is of a format that is not known here.
    pub fn read(text: &'a str) -> Result<Dump<'a>, DumpError> {
        let mut lines = text.lines();
        let head = match text.strip_prefix(FIRST) {
            Some(_) => head(lines.next().unwrap_or_default())?,
            None => Head::default(),
        };
        let mut sections: Vec<Section<'_>> = Vec::new();
        for line in lines {
            match (line.strip_prefix(MARK), sections.last_mut()) {
                (Some(command), _) => sections.push(Section { command: command.trim(), lines: Vec::new() }),
                (None, Some(section)) => section.lines.push(line),
                (None, None) => {}
            }
        }
        if sections.is_empty() {
            let first = text.lines().find(|line| !line.is_empty() && !line.starts_with('#'));
            let said =
                first.map(|line| format!("; it says {}", crate::diag::ticked(line))).unwrap_or_default();
            return Err(DumpError(format!(
                "this is no dump: what a script's `dump` prints has lines that begin with `==>`{said}"
            )));
        }
        Ok(Dump { head, text, sections })
    }

    /// The text that was read.
    #[must_use]
    pub const fn text(&self) -> &'a str {
        self.text
    }

    fn section(&self, fits: impl Fn(&[&str]) -> bool) -> Option<&Section<'a>> {
        self.sections.iter().find(|section| {
            let words: Vec<&str> = section.command.split_whitespace().collect();
            fits(&words)
        })
    }

    /// The lines that a command printed, all times that it was asked.
    pub(super) fn lines_of(&self, fits: impl Fn(&[&str]) -> bool) -> impl Iterator<Item = &'a str> {
        let asked = self.sections.iter().filter(move |section| {
            let words: Vec<&str> = section.command.split_whitespace().collect();
            fits(&words)
        });
        asked.flat_map(|section| section.lines.iter().copied())
    }

    /// What `cat` of a file printed; the file by the end of its path. Nothing where the dump does not have it.
    #[must_use]
    pub fn file(&self, end: &str) -> Option<String> {
        let section =
            self.section(|words| matches!(words, ["cat", path] if path.strip_suffix(end).is_some_and(|dir| dir.ends_with('/'))))?;
        Some(section.lines.iter().map(|line| format!("{line}\n")).collect())
    }

    /// A fact of the record `before`: the rest of the line that begins with these words.
    #[must_use]
    pub fn before(&self, words: &str) -> Option<String> {
        let file = self.file("before")?;
        file.lines().find_map(|line| line.strip_prefix(words)?.strip_prefix(' ')).map(str::to_owned)
    }

    /// The lines of a section that begins with these words, and the rest of its command.
    #[must_use]
    pub fn asked(&self, words: &str) -> Option<(&'a str, &[&'a str])> {
        let section = self.sections.iter().find(|section| section.command.starts_with(words))?;
        Some((section.command.strip_prefix(words)?.trim(), &section.lines))
    }

    /// What `ip -d link show` printed of a device.
    fn link(&self, device: &str) -> Option<&[&'a str]> {
        let section = self.section(|words| {
            words.first() == Some(&"ip") && words.contains(&"link") && words.last() == Some(&device)
        })?;
        // `Device "x" does not exist.`
        section.lines.first().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))?;
        Some(&section.lines)
    }

    /// 0 where there is no such device, 1 where it is down, 2 where it is up.
    #[must_use]
    pub fn upness(&self, device: &str) -> u8 {
        let Some(first) = self.link(device).and_then(|lines| lines.first()) else {
            // A dump made by hand may have the qdiscs alone.
            return if self.shows_qdiscs(device) { 2 } else { 0 };
        };
        let flags =
            first.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(flags, _)| flags);
        if flags.split(',').any(|flag| flag == "UP") { 2 } else { 1 }
    }

    /// The length of a device's own queue.
    #[must_use]
    pub fn txqueuelen(&self, device: &str) -> Option<&'a str> {
        let first = self.link(device)?.first()?;
        let mut words = first.split_whitespace();
        words.find(|word| *word == "qlen")?;
        words.next()
    }

    /// Whether there are qdiscs of a device.
    #[must_use]
    pub fn shows_qdiscs(&self, device: &str) -> bool {
        self.section(|words| is_show(words, "qdisc", device))
            .is_some_and(|section| section.lines.iter().any(|line| line.contains("qdisc")))
    }

    /// Whether the device has Ethernet headers; `None` where the dump does not say.
    #[must_use]
    pub fn is_ethernet(&self, device: &str) -> Option<bool> {
        let lines = self.link(device)?;
        let link = lines.iter().find_map(|line| line.trim_start().strip_prefix("link/"))?;
        Some(link.split_whitespace().next() == Some("ether"))
    }

    /// Whether a PPPoE session of the router runs over a device.
    #[must_use]
    pub fn carries_pppoe(&self, device: &str) -> bool {
        let section = self.section(|words| matches!(words, ["cat", "/proc/net/pppoe"]));
        section.is_some_and(|section| {
            section.lines.iter().any(|line| line.split_whitespace().nth(2) == Some(device))
        })
    }

    /// What the kernel holds on these devices, in the normal form of the script.
    #[must_use]
    pub fn now(&self, wan: &IfName, ifbs: [&str; 2]) -> String {
        let mut out = String::new();
        let mut add = |section: Option<&Section<'a>>| {
            for line in section.map_or(&[][..], |section| &section.lines) {
                normal::line(line, &mut out);
            }
        };
        for hook in ["ingress", "egress"] {
            add(self.section(|words| is_show(words, "filter", wan.as_str()) && words.last() == Some(&hook)));
        }
        for device in [wan.as_str(), ifbs[0], ifbs[1]] {
            add(self.section(|words| is_show(words, "qdisc", device)));
            for object in ["class", "filter"] {
                add(self.section(|words| is_show(words, object, device) && words.last() == Some(&"c05:")));
            }
        }
        for line in self.tunnels().iter().filter(|line| !line.starts_with("through ")) {
            out.push_str(line);
            out.push('\n');
        }
        out
    }

    /// What the script found of the devices of tunnels, in its normal form; and those whose downloads it would queue there.
    #[must_use]
    pub fn tunnels(&self) -> &[&'a str] {
        self.section(|words| words == ["tunnels"]).map_or(&[], |section| &section.lines)
    }

    /// The port at which a tunnel's device listens whose downloads the script would queue after they were decrypted.
    #[must_use]
    pub fn through(&self, device: &str) -> Option<u16> {
        let mut lines = self.tunnels().iter().filter_map(|line| line.strip_prefix("through "));
        lines.find_map(|line| line.strip_prefix(device)?.strip_prefix(':')?.split(':').next()?.parse().ok())
    }

    /// Whether the script looked at a device.
    #[must_use]
    pub fn asks_of_tunnels(&self, device: &str) -> bool {
        self.tunnels()
            .iter()
            .any(|line| line.strip_prefix("tunnel ").and_then(|rest| rest.split(' ').next()) == Some(device))
    }

    /// The devices of tunnels at which the last start made something: name, number in the kernel, and whether the hook was made
    /// as well.
    #[must_use]
    pub fn recorded_tunnels(&self) -> Vec<(String, String, bool)> {
        let file = self.file("before").unwrap_or_default();
        let tunnel = |line: &str| match line.split(' ').collect::<Vec<&str>>().as_slice() {
            ["tunnel", device, index, hook] => {
                Some(((*device).to_owned(), (*index).to_owned(), *hook == "made"))
            }
            _ => None,
        };
        file.lines().filter_map(tunnel).collect()
    }

    /// What of it is ours, and what is not.
    #[must_use]
    pub fn survey(&self, now: &str, wan: &IfName, needs_egress: bool) -> Survey {
        Survey::of(now, wan, needs_egress)
    }
}

/// Whether words are `tc ... OBJECT show dev DEVICE ...`.
pub(super) fn is_show(words: &[&str], object: &str, device: &str) -> bool {
    let at = words.iter().position(|word| *word == object);
    let rest = at.and_then(|at| words.get(at..)).unwrap_or_default();
    words.first() == Some(&"tc") && matches!(rest, [_, "show", "dev", own, ..] if *own == device)
}

fn head(line: &str) -> Result<Head, DumpError> {
    let rest = line.strip_prefix(FIRST).unwrap_or_default();
    let mut parts = rest.split(", ");
    if parts.next() != Some("1") {
        return Err(DumpError(format!(
            "this dump is of a format that this qosc does not know: {}",
            crate::diag::ticked(line)
        )));
    }
    let mut head = Head::default();
    for part in parts {
        let (key, value) = part.split_once(' ').unwrap_or((part, ""));
        match key {
            "link" => value.clone_into(&mut head.link),
            "script" => value.clone_into(&mut head.script),
            "wan" => value.clone_into(&mut head.wan),
            "header" => head.header = value.parse().ok(),
            "ethtool" => head.ethtool = Some(value == "yes"),
            _ => {}
        }
    }
    Ok(head)
}

#[cfg(test)]
#[path = "dump_tests.rs"]
mod tests;
