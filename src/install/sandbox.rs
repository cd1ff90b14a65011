//! Settings that keep a systemd unit from everything that a script does not need.

use crate::tc::Program;

/// Returns the settings of the section `[Service]`.
///
/// `ProtectProc` is missing on purpose: it would hide processes with more capabilities. The script could not see that
/// the watchdog of a trial is alive.
pub(super) fn settings(program: &Program) -> Vec<(&'static str, &'static str)> {
    // The unit may write below /proc/sys and /sys only if the configuration changes a setting there.
    let untouched = program.settings.sysctls.is_empty() && program.settings.bql.is_none();
    let tunables = if untouched { "yes" } else { "no" };
    vec![
        ("CapabilityBoundingSet", "CAP_NET_ADMIN"),
        ("NoNewPrivileges", "yes"),
        ("ProtectSystem", "strict"),
        ("RuntimeDirectory", "qosc"),
        ("RuntimeDirectoryPreserve", "yes"),
        ("ProtectHome", "yes"),
        ("PrivateTmp", "yes"),
        ("PrivateDevices", "yes"),
        ("ProtectClock", "yes"),
        ("ProtectControlGroups", "yes"),
        ("ProtectHostname", "yes"),
        ("ProtectKernelLogs", "yes"),
        ("ProtectKernelModules", "yes"),
        ("ProtectKernelTunables", tunables),
        ("LockPersonality", "yes"),
        ("MemoryDenyWriteExecute", "yes"),
        ("RestrictAddressFamilies", "AF_INET AF_INET6 AF_NETLINK AF_UNIX"),
        ("RestrictNamespaces", "yes"),
        ("RestrictRealtime", "yes"),
        ("RestrictSUIDSGID", "yes"),
        ("SystemCallArchitectures", "native"),
        ("SystemCallFilter", "@system-service"),
    ]
}
