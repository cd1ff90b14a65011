//! The line, and the settings in `tuning`.

use super::Config;
use std::fmt::Write as _;

impl Config {
    /// Writes `link`.
    pub(super) fn link(&self, device: &str, out: &mut String) {
        let (mut rates, mut wire, mut extras) = (self.part(1), self.part(2), self.part(3));
        let (up, down) = (rates.within(4000, 4500), rates.within(4000, 4500));
        let _ = write!(out, "link: {{ device: {device}, up: {up}kbit, down: {down}kbit");
        if wire.chance(50) {
            let profile = wire.pick(&["docsis", "ethernet", "ethernet-vlan", "fibre", "vdsl2-pppoe", "raw"]);
            let _ = write!(out, ", profile: {profile}");
        } else {
            // An overhead below 14 needs a size table at the root, so such a step rebuilds the tree.
            let overhead = if wire.chance(12) { wire.within(0, 13) } else { wire.within(14, 48) };
            let layer = wire.pick(&["ethernet", "ethernet", "ptm", "atm"]);
            let mpu = wire.pick(&[0, 0, 64, 84]);
            let _ = write!(out, ", overhead: {overhead}, layer: {layer}, mpu: {mpu}");
        }
        if extras.chance(50) {
            let _ =
                write!(out, ", margin: {{ up: {}%, down: {}% }}", extras.within(0, 8), extras.within(0, 8));
        } else if extras.chance(30) {
            let _ = write!(out, ", shaped: {{ up: {}kbit, down: {}kbit }}", extras.within(3500, 4000), down);
        }
        if extras.chance(30) {
            let _ = write!(out, ", wash: {}", extras.pick(&["up", "down", "both"]));
        }
        let _ = writeln!(out, ", trust_dscp: {} }}", self.trusts_dscp());
    }

    /// Writes `tuning`, if there are any settings.
    pub(super) fn tuning(&self, out: &mut String) {
        let mut random = self.part(5);
        let mut words = Vec::new();
        if random.chance(30) {
            words.push(format!("offloads: {}", random.pick(&["auto", "keep"])));
        }
        if random.chance(30) {
            words.push(format!("txqueuelen: {}", random.within(100, 2000)));
        }
        if random.chance(20) {
            words.push(format!("bql: {}", random.within(3000, 60_000)));
        }
        if random.chance(30) {
            words.push(format!("tcp: {{ rtt: {}ms }}", random.within(10, 100)));
        }
        if random.chance(20) {
            words.push(format!("ecn: {}", random.pick(&["true", "false"])));
        }
        if !words.is_empty() {
            let _ = writeln!(out, "tuning: {{ {} }}", words.join(", "));
        }
        if random.chance(20) {
            let _ = writeln!(
                out,
                "script: {{ calls: [{}] }}",
                random.pick(&["rate", "metrics", "rate, metrics"])
            );
        }
    }
}
