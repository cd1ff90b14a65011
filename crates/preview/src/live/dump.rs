//! Reads the output of a script's `dump`: one line about the script, then commands with their output.

use qosc_compiler::units::IfName;

/// Marks the line before the output of each command.
pub const MARK: &str = "==> ";

/// Beginning of every dump.
const FIRST: &str = "# qosc dump ";

/// The first line of a dump.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    /// Name of the link of the script that printed the dump.
    pub link: String,
    /// Digest of the script.
    pub script: String,
    /// Variant that is due on the router; empty for none.
    pub variant: String,
    /// Name of the WAN device.
    pub wan: String,
    /// Bytes above IP of packets on the WAN device.
    pub header: Option<u32>,
    /// `true` if the router has `ethtool`; `None` if the script is too old to say so.
    pub ethtool: Option<bool>,
}

impl Head {
    /// Reads the first line of a dump of any version.
    #[must_use]
    pub fn read(line: &str) -> Head {
        let mut head = Head::default();
        for part in line.strip_prefix(FIRST).unwrap_or_default().split(", ") {
            let (key, value) = part.split_once(' ').unwrap_or((part, ""));
            match key {
                "link" => value.clone_into(&mut head.link),
                "script" => value.clone_into(&mut head.script),
                "variant" => value.clone_into(&mut head.variant),
                "wan" => value.clone_into(&mut head.wan),
                "header" => head.header = value.parse().ok(),
                "ethtool" => head.ethtool = Some(value == "yes"),
                _ => {}
            }
        }
        head
    }
}

/// A command and its output.
#[derive(Debug, Clone)]
struct DumpSection<'a> {
    command: &'a str,
    lines: Vec<&'a str>,
}

/// A dump, split into its sections.
#[derive(Debug, Clone)]
pub struct Dump<'a> {
    /// Contents of the first line; empty if the dump was made by hand.
    pub head: Head,
    sections: Vec<DumpSection<'a>>,
}

impl<'a> Dump<'a> {
    /// Splits a text into its sections.
    ///
    /// # Errors
    /// Fails if there is no section, or if the format in the first line is unknown.
    pub fn read(text: &'a str) -> Result<Dump<'a>, String> {
        let mut lines = text.lines();
        let mut head = Head::default();
        if let Some(rest) = text.strip_prefix(FIRST) {
            let line = lines.next().unwrap_or_default();
            let version = rest.split([',', '\n']).next().unwrap_or_default();
            if version == "2" && !text.ends_with("\n==> end\n") {
                return Err("the dump is cut: it does not end with `==> end`".to_owned());
            }
            if !["1", "2"].contains(&version) {
                return Err(format!(
                    "this version of qosc does not know the format of the dump: {}",
                    qosc_compiler::diag::ticked(line)
                ));
            }
            head = Head::read(line);
        }
        let mut sections: Vec<DumpSection<'_>> = Vec::new();
        for line in lines {
            match (line.strip_prefix(MARK), sections.last_mut()) {
                (Some(command), _) => {
                    sections.push(DumpSection { command: command.trim(), lines: Vec::new() })
                }
                (None, Some(section)) => section.lines.push(line),
                (None, None) => {}
            }
        }
        if sections.is_empty() {
            let first = text.lines().find(|line| !line.is_empty() && !line.starts_with('#'));
            let said = first
                .map(|line| format!("; it begins with {}", qosc_compiler::diag::ticked(line)))
                .unwrap_or_default();
            return Err(format!(
                "this is not a dump: the output of a script's `dump` has lines that begin with `==>`{said}"
            ));
        }
        if sections.iter().flat_map(|section| &section.lines).any(|line| line.starts_with("[{")) {
            return Err("the dump has JSON: give the output of `tc -d`, without `-j`".to_owned());
        }
        Ok(Dump { head, sections })
    }

    fn section(&self, fits: impl Fn(&[&str]) -> bool) -> Option<&DumpSection<'a>> {
        self.sections.iter().find(|section| {
            let words: Vec<&str> = section.command.split_whitespace().collect();
            fits(&words)
        })
    }

    /// Returns the lines of all matching commands, also if a command appears more than once.
    pub(super) fn lines_of(&self, fits: impl Fn(&[&str]) -> bool) -> impl Iterator<Item = &'a str> {
        let asked = self.sections.iter().filter(move |section| {
            let words: Vec<&str> = section.command.split_whitespace().collect();
            fits(&words)
        });
        asked.flat_map(|section| section.lines.iter().copied())
    }

    /// Returns the text of a file of the script, by its name, or of a part of its record: `described`, `marks`, `state`
    /// (what was there after the last start), `rate` or `speed`. `None` if the dump does not contain it. In older dumps,
    /// each part is a file.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<String> {
        let Some(record) = self.printed("state").filter(|record| record.contains("\n== described\n")) else {
            return self.printed(name);
        };
        let parts = || {
            let (head, rest) = record.split_once("== described\n")?;
            let (described, shown) = rest.split_once("== shown\n")?;
            Some((head, described, shown.strip_suffix("== end\n")?))
        };
        let only = |text: &str, fits: &dyn Fn(&str) -> Option<String>| -> Option<String> {
            Some(text.lines().filter_map(fits).collect::<String>()).filter(|text| !text.is_empty())
        };
        let line = |line: &str| Some(format!("{line}\n"));
        let (head, described, shown) = match name {
            "described" | "marks" | "state" | "rate" | "speed" => parts()?,
            _ => return self.printed(name),
        };
        match name {
            "described" => only(described, &|own| line(own).filter(|_| !own.starts_with("mark "))),
            "marks" => only(described, &|own| line(own.strip_prefix("mark ")?)),
            "state" => Some(format!("{}\n{shown}", head.lines().next()?)),
            _ => only(head, &|own| line(own.strip_prefix(name)?.strip_prefix(' ')?)),
        }
    }

    /// Returns the output of `cat` for the file whose path ends with `/` and `end`; `None` if the dump does not contain
    /// it.
    fn printed(&self, end: &str) -> Option<String> {
        let section =
            self.section(|words| matches!(words, ["cat", path] if path.strip_suffix(end).is_some_and(|dir| dir.ends_with('/'))))?;
        Some(section.lines.iter().map(|line| format!("{line}\n")).collect())
    }

    /// Returns the paths of all printed files that begin with this text, in their order.
    pub fn files<'b>(&'b self, start: &'b str) -> impl Iterator<Item = &'a str> + use<'a, 'b> {
        let paths = self.sections.iter().filter_map(|section| section.command.strip_prefix("cat "));
        paths.filter(move |path| path.starts_with(start))
    }

    /// Returns a fact from the file `before`: the rest of the line that begins with these words.
    #[must_use]
    pub fn before(&self, words: &str) -> Option<String> {
        let file = self.file("before")?;
        file.lines().find_map(|line| line.strip_prefix(words)?.strip_prefix(' ')).map(str::to_owned)
    }

    /// Returns the rest of the command and the lines of the first section whose command begins with these words.
    #[must_use]
    pub fn asked(&self, words: &str) -> Option<(&'a str, &[&'a str])> {
        let section = self.sections.iter().find(|section| section.command.starts_with(words))?;
        Some((section.command.strip_prefix(words)?.trim(), &section.lines))
    }

    /// Returns the reasons for which `start` would refuse to run, besides objects of others.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        let lines = self.asked("refused").map_or(&[][..], |(_, lines)| lines);
        lines
            .iter()
            .map(|line| line.split_once(": error: ").map_or(*line, |(_, why)| why).to_owned())
            .collect()
    }

    /// Returns the output of `ip -d link show` for a device; `None` if the device does not exist.
    fn link(&self, device: &str) -> Option<&[&'a str]> {
        let section = self.section(|words| {
            words.first() == Some(&"ip") && words.contains(&"link") && words.last() == Some(&device)
        })?;
        // A missing device prints `Device "x" does not exist.`
        section.lines.first().filter(|line| line.starts_with(|c: char| c.is_ascii_digit()))?;
        Some(&section.lines)
    }

    /// Returns 0 if the device does not exist, 1 if it is down, 2 if it is up.
    #[must_use]
    pub fn upness(&self, device: &str) -> u8 {
        let Some(first) = self.link(device).and_then(|lines| lines.first()) else {
            // A dump made by hand may contain only the qdiscs.
            return if self.shows_qdiscs(device) { 2 } else { 0 };
        };
        let flags =
            first.split_once('<').and_then(|(_, rest)| rest.split_once('>')).map_or("", |(flags, _)| flags);
        if flags.split(',').any(|flag| flag == "UP") { 2 } else { 1 }
    }

    /// Returns the length of the device's transmit queue (`qlen`).
    #[must_use]
    pub fn txqueuelen(&self, device: &str) -> Option<&'a str> {
        let first = self.link(device)?.first()?;
        let mut words = first.split_whitespace();
        words.find(|word| *word == "qlen")?;
        words.next()
    }

    /// Returns `true` if the dump shows qdiscs of the device.
    #[must_use]
    pub fn shows_qdiscs(&self, device: &str) -> bool {
        self.section(|words| is_show(words, "qdisc", device))
            .is_some_and(|section| section.lines.iter().any(|line| line.contains("qdisc")))
    }

    /// Returns `true` if the device has Ethernet headers; `None` if the dump does not say.
    #[must_use]
    pub fn is_ethernet(&self, device: &str) -> Option<bool> {
        let lines = self.link(device)?;
        let link = lines.iter().find_map(|line| line.trim_start().strip_prefix("link/"))?;
        Some(link.split_whitespace().next() == Some("ether"))
    }

    /// Returns `true` if a PPPoE session of the router uses the device.
    #[must_use]
    pub fn carries_pppoe(&self, device: &str) -> bool {
        let section = self.section(|words| matches!(words, ["cat", "/proc/net/pppoe"]));
        section.is_some_and(|section| {
            section.lines.iter().any(|line| line.split_whitespace().nth(2) == Some(device))
        })
    }

    /// Returns what tc shows of these devices, in the order in which the script asks for it, and then the devices of
    /// tunnels. `up` has the tree of uploads: the WAN device or an ifb.
    #[must_use]
    pub fn shown(&self, wan: &IfName, up: &str, ifb: &str) -> String {
        let mut out = String::new();
        let mut add = |section: Option<&DumpSection<'a>>| {
            let lines = section.map_or(&[][..], |section| &section.lines);
            for line in lines.iter().filter(|line| !is_complaint(line)) {
                out.push_str(line);
                out.push('\n');
            }
        };
        for hook in ["ingress", "egress"] {
            add(self.section(|words| is_show(words, "filter", wan.as_str()) && words.last() == Some(&hook)));
        }
        for device in [up, ifb] {
            add(self.section(|words| is_show(words, "qdisc", device)));
            add(self.section(|words| is_show(words, "class", device) && words.last() == Some(&"c05:")));
            for parent in ["c05:", "c05:a000", "c05:b000"] {
                add(self.section(|words| is_show(words, "filter", device) && words.last() == Some(&parent)));
            }
        }
        // If the tree is elsewhere, the hook and an older tree are there.
        let wan = Some(wan.as_str()).filter(|wan| *wan != up);
        add(wan.and_then(|wan| self.section(|words| is_show(words, "qdisc", wan))));
        for line in self.tunnels().iter().filter(|line| !line.starts_with("through ")) {
            out.push_str(line);
            out.push('\n');
        }
        out
    }

    /// Returns the script's findings about the devices of tunnels in its normal form. A line `through ...` names a
    /// device on which the script would queue the downloads.
    #[must_use]
    pub fn tunnels(&self) -> &[&'a str] {
        self.section(|words| words == ["tunnels"]).map_or(&[], |section| &section.lines)
    }

    /// Returns the port on which a tunnel device listens, if the script would queue the tunnel's downloads after
    /// decryption.
    #[must_use]
    pub fn through(&self, device: &str) -> Option<u16> {
        let mut lines = self.tunnels().iter().filter_map(|line| line.strip_prefix("through "));
        lines.find_map(|line| line.strip_prefix(device)?.strip_prefix(':')?.split(':').next()?.parse().ok())
    }

    /// Returns `true` if the script inspected the device.
    #[must_use]
    pub fn asks_of_tunnels(&self, device: &str) -> bool {
        self.tunnels()
            .iter()
            .any(|line| line.strip_prefix("tunnel ").and_then(|rest| rest.split(' ').next()) == Some(device))
    }

    /// Returns the tunnel devices on which the last start created objects. Each entry has the name, the index in the
    /// kernel, and `true` if the start also created the hook.
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
}

/// Returns `true` for a message of tc. The script discards these messages.
fn is_complaint(line: &str) -> bool {
    const BEGINNINGS: [&str; 5] = [
        "Error: ",
        "RTNETLINK answers: ",
        "We have an error talking to the kernel",
        "Cannot find ",
        "Command failed ",
    ];
    BEGINNINGS.iter().any(|words| line.starts_with(words))
}

/// Returns `true` for `tc ... OBJECT show dev DEVICE ...`.
pub(super) fn is_show(words: &[&str], object: &str, device: &str) -> bool {
    let at = words.iter().position(|word| *word == object);
    let rest = at.and_then(|at| words.get(at..)).unwrap_or_default();
    words.first() == Some(&"tc") && matches!(rest, [_, "show", "dev", own, ..] if *own == device)
}

#[cfg(test)]
#[path = "dump_tests.rs"]
mod tests;
