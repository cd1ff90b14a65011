//! Packages that a configuration needs.

use qosc_compiler::tc::{Action, Program, QdiscKind};

/// A tool or kernel module, and the packages with it.
struct Need {
    /// True if a configuration needs it.
    needed: fn(&Program) -> bool,
    /// Package of Debian, and with the same name of Alpine and nixpkgs; empty if it is in the kernel package.
    debian: &'static str,
    /// Packages of OpenWrt.
    openwrt: &'static [&'static str],
}

/// All needs. The messages of `templates/runtime/` name the same packages, and a test compares them. `start` tries an ifb
/// on every router.
const NEEDS: [Need; 10] = [
    Need {
        needed: |_| true,
        debian: "iproute2",
        openwrt: &["tc-tiny", "ip-tiny", "kmod-ifb", "kmod-sched-core"],
    },
    Need {
        needed: |program| program.settings.split.up || program.settings.split.down,
        debian: "ethtool",
        openwrt: &["ethtool"],
    },
    Need {
        needed: |program| program.marks.is_some() || program.is_up_by_ifb,
        debian: "nftables",
        openwrt: &["nftables"],
    },
    Need { needed: |program| program.is_up_by_ifb, debian: "", openwrt: &["kmod-nft-netdev"] },
    Need {
        needed: |program| acts(program, |action| matches!(action, Action::Restore { .. })),
        debian: "",
        openwrt: &["kmod-sched-ctinfo"],
    },
    Need {
        needed: |program| program.qdiscs.iter().any(|qdisc| matches!(qdisc.kind, QdiscKind::Cake { .. })),
        debian: "",
        openwrt: &["kmod-sched-cake"],
    },
    Need {
        needed: |program| acts(program, |action| matches!(action, Action::Police(_))),
        debian: "",
        openwrt: &["kmod-sched-act-police"],
    },
    Need {
        needed: |program| {
            acts(program, |action| matches!(action, Action::SetDscp { .. } | Action::ClearLabel))
        },
        debian: "",
        openwrt: &["kmod-sched"],
    },
    Need {
        needed: |program| program.decrypted.iter().any(|tunnel| tunnel.port.is_none()),
        debian: "wireguard-tools",
        openwrt: &["wireguard-tools"],
    },
    Need {
        needed: |program| program.decrypted.iter().any(|own| own.more.is_some()),
        debian: "",
        openwrt: &["kmod-sched-act-vlan"],
    },
];

fn acts(program: &Program, is: fn(&Action) -> bool) -> bool {
    program.filters.iter().flat_map(|filter| &filter.actions).any(is)
}

fn needed(program: &Program) -> impl Iterator<Item = &'static Need> {
    NEEDS.iter().filter(|need| (need.needed)(program))
}

/// Returns the packages of OpenWrt, separated by spaces.
pub(super) fn openwrt(program: &Program) -> String {
    needed(program).flat_map(|need| need.openwrt).copied().collect::<Vec<_>>().join(" ")
}

/// Returns the packages of Debian, Alpine and nixpkgs, separated by spaces.
pub(super) fn debian(program: &Program) -> String {
    let names: Vec<_> = needed(program).map(|need| need.debian).filter(|name| !name.is_empty()).collect();
    names.join(" ")
}

#[cfg(test)]
#[path = "packages_tests.rs"]
mod tests;
