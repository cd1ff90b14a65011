//! Reads the output of a script's `dump`: one line about the script, then commands with their output.

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

/// A dump, split into its sections.
#[derive(Debug, Clone)]
pub struct Dump<'a> {
    /// Contents of the first line; empty if the dump was made by hand.
    pub head: Head,
    /// The whole dump.
    pub text: &'a str,
    /// Commands without their options, and the lines of their output.
    sections: Vec<(String, Vec<&'a str>)>,
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
        let mut sections: Vec<(String, Vec<&str>)> = Vec::new();
        for line in lines {
            match (line.strip_prefix(MARK), sections.last_mut()) {
                (Some(command), _) => {
                    let words = command.split_whitespace().filter(|word| !word.starts_with('-'));
                    sections.push((words.collect::<Vec<_>>().join(" "), Vec::new()));
                }
                (None, Some((_, lines))) => lines.push(line),
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
        if sections.iter().flat_map(|(_, lines)| lines).any(|line| line.starts_with("[{")) {
            return Err("the dump has JSON: give the output of `tc -d`, without `-j`".to_owned());
        }
        Ok(Dump { head, text, sections })
    }

    /// Returns each section whose command, without options, begins with these words: the rest of the command, and the
    /// lines of the output.
    pub fn all<'b>(&'b self, words: &'b str) -> impl Iterator<Item = (&'b str, &'b [&'a str])> {
        self.sections.iter().filter_map(move |(command, lines)| {
            let rest = command.strip_prefix(words)?;
            (rest.is_empty() || rest.starts_with(' ')).then_some((rest.trim_start(), lines.as_slice()))
        })
    }

    /// Returns the lines of the first such section; none if there is none.
    #[must_use]
    pub fn lines(&self, words: &str) -> &[&'a str] {
        self.sections.iter().find(|(command, _)| command == words).map_or(&[], |(_, lines)| lines)
    }

    /// Returns the text of a file in the script's folder, by its name; empty if the dump does not contain it.
    #[must_use]
    pub fn file(&self, name: &str) -> String {
        let found =
            self.all("cat").find(|(path, _)| path.strip_suffix(name).is_some_and(|dir| dir.ends_with('/')));
        found.map_or(String::new(), |(_, lines)| lines.iter().map(|line| format!("{line}\n")).collect())
    }

    /// Returns the record of the last start: who made it, then the sections `described` and `shown`. Empty if that start
    /// did not complete. In older dumps, each section is a file.
    #[must_use]
    pub fn record(&self) -> String {
        let [state, described] = ["state", "described"].map(|name| self.file(name));
        match state.split_once('\n') {
            _ if state.contains("\n== described\n") => state,
            Some((who, shown)) if !described.is_empty() => {
                let marks =
                    self.file("marks").lines().map(|line| format!("mark {line}\n")).collect::<String>();
                format!("{who}\n== described\n{described}{marks}== shown\n{shown}== end\n")
            }
            _ => String::new(),
        }
    }

    /// Returns what the record says about `rate` or `speed`; empty if it says nothing. In older dumps, it is a file.
    #[must_use]
    pub fn recorded(&self, name: &str) -> String {
        let state = self.file("state");
        let head = state.split_once("\n== described\n").map(|(head, _)| head);
        let in_head = |head: &str| {
            head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')).map(str::to_owned)
        };
        head.map_or_else(|| Some(self.file(name)), in_head).unwrap_or_default()
    }

    /// Returns the reasons for which `start` would refuse to run, besides objects of others.
    #[must_use]
    pub fn refusals(&self) -> Vec<String> {
        let why = |line: &&str| line.split_once(": error: ").map_or(*line, |(_, why)| why).to_owned();
        self.lines("refused").iter().map(why).collect()
    }

    /// Returns the output of `ip -d link show` for a device; empty if the device does not exist.
    #[must_use]
    pub fn link(&self, device: &str) -> &[&'a str] {
        let lines = self.lines(&format!("ip link show dev {device}"));
        // A missing device prints `Device "x" does not exist.`
        if lines.first().is_some_and(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
            lines
        } else {
            &[]
        }
    }

    /// Returns 0 if the device does not exist, 1 if it is down, 2 if it is up.
    #[must_use]
    pub fn upness(&self, device: &str) -> u8 {
        let Some(first) = self.link(device).first() else {
            // A dump made by hand may contain only the qdiscs.
            return if self.shows_qdiscs(device) { 2 } else { 0 };
        };
        let flags = first.split(['<', '>']).nth(1).unwrap_or_default();
        if flags.split(',').any(|flag| flag == "UP") { 2 } else { 1 }
    }

    /// Returns `true` if the dump shows qdiscs of the device.
    #[must_use]
    pub fn shows_qdiscs(&self, device: &str) -> bool {
        self.lines(&format!("tc qdisc show dev {device}")).iter().any(|line| line.contains("qdisc"))
    }

    /// Returns `true` if the device has Ethernet headers; `None` if the dump does not say.
    #[must_use]
    pub fn is_ethernet(&self, device: &str) -> Option<bool> {
        let link = self.link(device).iter().find_map(|line| line.trim_start().strip_prefix("link/"))?;
        Some(link.split_whitespace().next() == Some("ether"))
    }

    /// Returns the port on which a tunnel device listens, if the script would queue the tunnel's downloads after
    /// decryption.
    #[must_use]
    pub fn through(&self, device: &str) -> Option<u16> {
        let mut lines = self.lines("tunnels").iter().filter_map(|line| line.strip_prefix("through "));
        lines.find_map(|line| line.strip_prefix(device)?.strip_prefix(':')?.split(':').next()?.parse().ok())
    }
}

#[cfg(test)]
#[path = "dump_tests.rs"]
mod tests;
