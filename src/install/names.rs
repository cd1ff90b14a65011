//! Names that the templates contain.

use crate::emit::{comment, quote};
use crate::tc::Program;

/// Names of a link on the router.
pub(super) struct Names<'a> {
    /// Name of the link.
    pub(super) link: &'a str,
    /// WAN device.
    pub(super) device: &'a str,
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
    /// Only `@MADE@` and `@DEVICE@` can contain special characters. The first is a comment. The second is a quoted word
    /// of the shell. `@DEVICE_WORD@` is the bare name, which has no character that systemd or Nix would change.
    pub(super) fn fill(&self, template: &str) -> String {
        template
            .replace("@DEVICE@", &quote(self.device))
            .replace("@DEVICE_WORD@", self.device)
            .replace("@LINK@", self.link)
            .replace("@TAG@", &self.tag)
            .replace("@SCRIPT@", &self.script)
            .replace("@MADE@", &self.made)
    }
}
