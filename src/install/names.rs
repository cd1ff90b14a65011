//! Names that the templates contain.

use crate::emit::{comment, quote};
use crate::tc::Program;

/// Names of a link on the router.
pub(super) struct Names<'a> {
    /// Name of the link.
    pub(super) link: &'a str,
    /// WAN device.
    pub(super) device: &'a str,
    /// Devices of tunnels. `start` must run again each time that one of them is made.
    pub(super) tunnels: Vec<&'a str>,
    /// Name of services and hooks.
    pub(super) tag: String,
    /// Path of the script on the router.
    pub(super) script: String,
    /// First comment of every file.
    made: String,
}

impl<'a> Names<'a> {
    pub(super) fn new(program: &'a Program, source: &str) -> Names<'a> {
        let link = program.link.as_str();
        let version = env!("CARGO_PKG_VERSION");
        Names {
            link,
            device: program.wan.as_str(),
            tunnels: program.decrypted.iter().map(|tunnel| tunnel.device.as_str()).collect(),
            tag: format!("qosc-{link}"),
            script: format!("/etc/qosc/{link}.sh"),
            made: format!(
                "{link}: made by `qosc install-files` {version} from {}. Run that again rather than change this file.",
                comment(source)
            ),
        }
    }

    /// Returns a template with these names in place of its words between `@`.
    ///
    /// Only `@MADE@`, `@DEVICE@` and `@TUNNELS@` can contain special characters. The first is a comment. The others are
    /// quoted words of the shell. `@DEVICE_WORD@` is the bare name, which has no character that systemd or Nix would
    /// change. Lines with `@TUNNELS@` are left out if there are no tunnels.
    pub(super) fn fill(&self, template: &str) -> String {
        let tunnels = self.tunnels.iter().map(|device| quote(device)).collect::<Vec<_>>().join(" | ");
        let kept = |line: &&str| !tunnels.is_empty() || !line.contains("@TUNNELS@");
        let template: String = template.split_inclusive('\n').filter(kept).collect();
        template
            .replace("@TUNNELS@", &tunnels)
            .replace("@DEVICE@", &quote(self.device))
            .replace("@DEVICE_WORD@", self.device)
            .replace("@LINK@", self.link)
            .replace("@TAG@", &self.tag)
            .replace("@SCRIPT@", &self.script)
            .replace("@MADE@", &self.made)
    }
}
