//! Kinds of systems, and the files and commands of each.

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

qosc_compiler::named!(System);

/// Files and commands of a system. All texts are templates with [`Words`](super::words::Words).
pub(super) struct Template {
    /// Line about the files, for the help.
    about: &'static str,
    /// Files that the system executes, and files that it reads: path and text. A file whose template has no text is left out.
    pub(super) programs: &'static [(&'static str, &'static str)],
    pub(super) plain: &'static [(&'static str, &'static str)],
    /// Commands that the user types after the files are there.
    pub(super) enable: &'static [&'static str],
    /// Commands of the uninstaller before the files are removed.
    pub(super) disable: &'static [&'static str],
    /// Commands of the uninstaller after the files are removed.
    pub(super) afterwards: &'static [&'static str],
}

macro_rules! text {
    ($name:literal) => {
        include_str!(concat!("../../templates/install/", $name))
    };
}

/// Commands that install all that the script needs on Debian, and start it on trial.
const ON_DEBIAN: [&str; 2] = ["apt-get install @PACKAGES@", TRY];
/// Command that starts the script on trial.
const TRY: &str = "@SCRIPT@ try 60   # if all works, within 60 s: @SCRIPT@ confirm";

/// Units of systemd for variants.
const SWITCH: [(&str, &str); 2] = [
    ("/etc/systemd/system/@TAG@-switch.service", "@SWITCH_SERVICE@"),
    ("/etc/systemd/system/@TAG@-switch.timer", "@SWITCH_TIMER@"),
];

/// Unit of systemd for a line that varies.
const FOLLOW: (&str, &str) = ("/etc/systemd/system/@TAG@-follow.service", "@FOLLOW_SERVICE@");

/// Commands for the line of cron for variants. An older file may have had one, where there is none now.
const CRON_OFF: &str = r"[ ! -e /etc/crontabs/root ] || sed -i '\#@SCRIPT@ switch$#d' /etc/crontabs/root";
const CRON_ON: &str = r"touch /etc/crontabs/root && sed -i '\#@SCRIPT@ switch$#d' /etc/crontabs/root && echo '@MINUTES@ * * * * @SCRIPT@ switch' >>/etc/crontabs/root";

/// System of which only hooks start the script.
const HOOKS: Template = Template {
    about: "",
    programs: &[],
    plain: &[SWITCH[0], SWITCH[1], FOLLOW],
    enable: &[ON_DEBIAN[0], ON_DEBIAN[1], "systemctl daemon-reload && systemctl enable --now @UNITS@"],
    disable: &["systemctl disable --now @UNITS@"],
    afterwards: &[],
};

impl System {
    /// Returns a line about the files.
    #[must_use]
    pub const fn about(self) -> &'static str {
        self.template().about
    }

    /// Returns the files and commands.
    pub(super) const fn template(self) -> Template {
        match self {
            System::Openwrt => Template {
                about: "init script of procd, hotplug script, list of files that sysupgrade keeps",
                programs: &[("/etc/init.d/@TAG@", text!("openwrt-init.sh"))],
                plain: &[("/etc/hotplug.d/iface/95-@TAG@", text!("openwrt-hotplug.sh"))],
                enable: &[
                    "opkg update && opkg install @OPENWRT_PACKAGES@   # since OpenWrt 25.12: apk add",
                    TRY,
                    "/etc/init.d/@TAG@ enable && /etc/init.d/@TAG@ start",
                    CRON_ON,
                    "/etc/init.d/cron enable && /etc/init.d/cron restart   # for minute @MINUTES@",
                ],
                disable: &["/etc/init.d/@TAG@ stop", "/etc/init.d/@TAG@ disable", CRON_OFF],
                afterwards: &["rm -rf /var/run/@TAG@"],
            },
            System::Debian => Template {
                about: "hooks of ifupdown, for devices in /etc/network/interfaces",
                programs: &[
                    ("/etc/network/if-up.d/@TAG@", text!("ifup.sh")),
                    ("/etc/network/if-post-down.d/@TAG@", text!("ifdown.sh")),
                ],
                ..HOOKS
            },
            System::Systemd => Template {
                about: "unit that follows the device; needs no network manager",
                programs: &[],
                plain: &[
                    ("/etc/systemd/system/@TAG@.service", text!("unit.service")),
                    ("/etc/modules-load.d/@TAG@.conf", text!("modules-load.conf")),
                    ("/etc/modprobe.d/@TAG@.conf", text!("modprobe.conf")),
                    ("/etc/systemd/system/@TAG@-tunnels.service", "@TUNNELS_SERVICE@"),
                    SWITCH[0],
                    SWITCH[1],
                    FOLLOW,
                ],
                enable: &[
                    ON_DEBIAN[0],
                    ON_DEBIAN[1],
                    "systemctl daemon-reload && systemctl enable --now @SERVICES@",
                ],
                disable: &["systemctl disable --now @SERVICES@"],
                afterwards: &["systemctl daemon-reload"],
            },
            System::Networkmanager => Template {
                about: "dispatcher script of NetworkManager",
                programs: &[("/etc/NetworkManager/dispatcher.d/90-@TAG@", text!("networkmanager.sh"))],
                ..HOOKS
            },
            System::NetworkdDispatcher => Template {
                about: "hooks of networkd-dispatcher, for systemd-networkd",
                programs: &[
                    ("/etc/networkd-dispatcher/routable.d/90-@TAG@", text!("routable.sh")),
                    ("/etc/networkd-dispatcher/off.d/90-@TAG@", text!("off.sh")),
                ],
                ..HOOKS
            },
            // A session without IPv4 runs only the hooks of IPv6.
            System::Ppp => Template {
                about: "hooks of pppd, for PPPoE, PPPoA and modems",
                programs: &[
                    ("/etc/ppp/ip-up.d/@TAG@", text!("ppp-up.sh")),
                    ("/etc/ppp/ip-down.d/@TAG@", text!("ppp-down.sh")),
                    ("/etc/ppp/ipv6-up.d/@TAG@", text!("ppp-up.sh")),
                    ("/etc/ppp/ipv6-down.d/@TAG@", text!("ppp-down.sh")),
                ],
                ..HOOKS
            },
            System::Alpine => Template {
                about: "init script of OpenRC, and hooks of ifupdown",
                programs: &[
                    ("/etc/init.d/@TAG@", text!("openrc.sh")),
                    ("/etc/init.d/@TAG@-follow", "@FOLLOW_OPENRC@"),
                    ("/etc/network/if-up.d/@TAG@", text!("ifup.sh")),
                    ("/etc/network/if-post-down.d/@TAG@", text!("ifdown.sh")),
                ],
                plain: &[],
                enable: &[
                    "apk add @PACKAGES@",
                    TRY,
                    "rc-update add @TAG@ default && rc-service @TAG@ start",
                    "rc-update add @TAG@-@FOLLOW@ default && rc-service @TAG@-@FOLLOW@ start",
                    CRON_ON,
                    "rc-update add crond default; rc-service crond restart   # for minute @MINUTES@",
                ],
                disable: &[
                    "rc-service @TAG@-@FOLLOW@ stop",
                    "rc-update del @TAG@-@FOLLOW@ default",
                    "rc-service @TAG@ stop",
                    "rc-update del @TAG@ default",
                    CRON_OFF,
                ],
                afterwards: &[],
            },
            // The shell and the tools in `path` are all that a script of NixOS finds.
            System::Nixos => Template {
                about: "module for configuration.nix",
                programs: &[],
                plain: &[("/etc/nixos/@TAG@.nix", text!("module.nix"))],
                enable: &[
                    "# add ./@TAG@.nix to `imports` in /etc/nixos/configuration.nix",
                    "nixos-rebuild switch",
                ],
                disable: &[],
                afterwards: &[
                    "echo 'Remove ./@TAG@.nix from imports in configuration.nix, and run nixos-rebuild switch.'",
                ],
            },
        }
    }
}
