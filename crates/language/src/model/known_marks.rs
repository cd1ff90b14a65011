//! Mark bits that other programs on routers use by default.

/// Bits and program. Sources: `mmx_mask` of mwan3, `fw_mask` of OpenWrt's pbr, the mask of Tailscale, the `KUBE-MARK`
/// chains of kube-proxy, wg-quick(8).
const KNOWN: &[(u32, &str)] = &[
    (0x0000_3f00, "mwan3"),
    (0x00ff_0000, "pbr"),
    (0x00ff_0000, "Tailscale"),
    (0x0000_c000, "Kubernetes"),
    (0x0000_ffff, "wg-quick"),
];

/// Returns the programs that use any of these bits.
#[must_use]
pub fn mark_users(bits: u32) -> Vec<&'static str> {
    KNOWN.iter().filter(|(own, _)| own & bits != 0).map(|(_, program)| *program).collect()
}
