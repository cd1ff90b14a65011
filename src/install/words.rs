//! Words that the templates contain.

use super::packages;
use qosc_compiler::emit::{comment, quote};
use qosc_compiler::tc::Program;
use std::fmt::Write as _;

/// Settings that keep a systemd unit from everything that a script does not need.
///
/// `ProtectProc` is missing on purpose: it would hide processes with more capabilities. The script could not see that
/// the watchdog of a trial is alive.
const SANDBOX: &str = include_str!("../../templates/install/sandbox.conf");

/// Words between `@` and their values for a link.
pub(super) struct Words(Vec<(&'static str, String)>);

impl Words {
    /// Returns the words for the link of a program. `source` is the name of the YAML file, and `minutes` are those of an hour
    /// at which variants begin or end, such as `0,30`; empty without variants. `varies` is true if the script can follow the
    /// line.
    ///
    /// Only `@MADE@`, `@DEVICE@` and `@TUNNELS@` can contain special characters. The first is a comment. The others are
    /// quoted words of the shell. `@DEVICE_WORD@` is the bare name, which has no character that systemd or Nix would
    /// change.
    pub(super) fn new(program: &Program, source: &str, minutes: &str, varies: bool) -> Words {
        let (link, device) = (program.link.as_str(), program.wan.as_str());
        let tunnels: Vec<&str> = program.decrypted.iter().map(|tunnel| tunnel.device.as_str()).collect();
        let each = |of: &dyn Fn(&str) -> String, between: &str| {
            tunnels.iter().map(|device| of(device)).collect::<Vec<_>>().join(between)
        };
        let with_tunnels = |text: &str| if tunnels.is_empty() { String::new() } else { text.to_owned() };
        let with_variants = |text: &str| if minutes.is_empty() { String::new() } else { text.to_owned() };
        let if_varies = |text: &str| if varies { text.to_owned() } else { String::new() };
        // The unit may write below /proc/sys and /sys only if the configuration changes a setting there.
        let is_untouched = program.settings.sysctls.is_empty() && program.settings.bql.is_none();
        let sandbox = SANDBOX.trim_end().replace("@TUNABLES@", if is_untouched { "yes" } else { "no" });
        let settings = sandbox.lines().filter_map(|line| line.split_once('='));
        let nix_sandbox: Vec<_> =
            settings.map(|(key, value)| format!("      {key} = \"{value}\";")).collect();
        let made = format!(
            "{link}: made by `qosc install-files` {} from {}. Run that again rather than change this file.",
            env!("CARGO_PKG_VERSION"),
            comment(source)
        );
        // A value may contain words that follow it.
        Words(vec![
            (
                "@SERVICES@",
                "@TAG@.service".to_owned()
                    + &with_tunnels(" @TAG@-tunnels.service")
                    + &with_variants(" @TAG@-switch.timer")
                    + &if_varies(" @TAG@-follow.service"),
            ),
            (
                "@UNITS@",
                (with_variants("@TAG@-switch.timer ") + &if_varies("@TAG@-follow.service"))
                    .trim_end()
                    .to_owned(),
            ),
            ("@FOLLOW_SERVICE@", if_varies(include_str!("../../templates/install/follow.service"))),
            ("@FOLLOW_OPENRC@", if_varies(include_str!("../../templates/install/follow.openrc.sh"))),
            ("@NIX_FOLLOW@", if_varies(include_str!("../../templates/install/follow.nix").trim_end())),
            ("@FOLLOW@", if_varies("follow")),
            ("@SWITCH_SERVICE@", with_variants(include_str!("../../templates/install/switch.service"))),
            ("@SWITCH_TIMER@", with_variants(include_str!("../../templates/install/switch.timer"))),
            ("@NIX_SWITCH@", with_variants(include_str!("../../templates/install/switch.nix").trim_end())),
            ("@MINUTES@", minutes.to_owned()),
            ("@TUNNELS_SERVICE@", with_tunnels(include_str!("../../templates/install/tunnels.service"))),
            ("@NIX_TUNNELS@", with_tunnels(include_str!("../../templates/install/tunnels.nix").trim_end())),
            ("@SANDBOX@", sandbox.clone()),
            ("@NIX_SANDBOX@", nix_sandbox.join("\n")),
            ("@PACKAGES@", packages::debian(program)),
            ("@OPENWRT_PACKAGES@", packages::openwrt(program)),
            ("@UNIT@", device_unit(device)),
            ("@NIX_UNIT@", nix_unit(device)),
            ("@TUNNEL_UNITS@", each(&device_unit, " ")),
            ("@NIX_TUNNEL_UNITS@", each(&nix_unit, " ")),
            ("@TUNNELS@", each(&quote, " | ")),
            ("@DEVICE@", quote(device)),
            ("@DEVICE_WORD@", device.to_owned()),
            ("@LINK@", link.to_owned()),
            ("@TAG@", format!("qosc-{link}")),
            ("@SCRIPT@", format!("/etc/qosc/{link}.sh")),
            ("@MADE@", made),
        ])
    }

    /// Sets the value of a word, which may contain all other words.
    pub(super) fn set(&mut self, word: &'static str, value: &str) {
        self.0.retain(|(other, _)| *other != word);
        self.0.insert(0, (word, value.to_owned()));
    }

    /// Returns a template with the values in place of its words. Lines with a word that has no value are left out.
    pub(super) fn fill(&self, template: &str) -> String {
        let is_missing =
            |line: &str| self.0.iter().any(|(word, value)| value.is_empty() && line.contains(word));
        let kept: String = template.split_inclusive('\n').filter(|line| !is_missing(line)).collect();
        self.0.iter().fold(kept, |text, (word, value)| text.replace(word, value))
    }
}

/// Returns the name of the unit that stands for a network device, as `systemd-escape` writes it.
fn device_unit(device: &str) -> String {
    let mut unit = "sys-subsystem-net-devices-".to_owned();
    for byte in device.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'.') {
            unit.push(char::from(byte));
        } else {
            let _ = write!(unit, "\\x{byte:02x}");
        }
    }
    unit + ".device"
}

/// Returns the same name as a string of Nix.
fn nix_unit(device: &str) -> String {
    format!("\"{}\"", device_unit(device).replace('\\', r"\\"))
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
