//! Kinds of systems.

/// A system whose events call the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::VariantArray, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub enum System {
    /// OpenWrt with procd and netifd.
    Openwrt,
    /// Debian and others with ifupdown.
    Debian,
    /// systemd, which follows the device.
    Systemd,
    /// The dispatcher of NetworkManager.
    Networkmanager,
    /// networkd-dispatcher, for systemd-networkd.
    NetworkdDispatcher,
    /// pppd with the folders ip-up.d and ip-down.d.
    Ppp,
    /// Alpine with OpenRC and ifupdown.
    Alpine,
    /// NixOS.
    Nixos,
}

named!(System);

impl System {
    /// Returns a line about the files.
    #[must_use]
    pub const fn about(self) -> &'static str {
        match self {
            System::Openwrt => "init script of procd, hotplug script, list of files that sysupgrade keeps",
            System::Debian => "hooks of ifupdown, for devices in /etc/network/interfaces",
            System::Systemd => "unit that follows the device; needs no network manager",
            System::Networkmanager => "dispatcher script of NetworkManager",
            System::NetworkdDispatcher => "hooks of networkd-dispatcher, for systemd-networkd",
            System::Ppp => "hooks of pppd, for PPPoE, PPPoA and modems",
            System::Alpine => "init script of OpenRC, and hooks of ifupdown",
            System::Nixos => "module for configuration.nix",
        }
    }
}
