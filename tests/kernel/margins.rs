//! The frontier of margins: how much of a line is in use under each margin, and how long a ping of a quiet host waits.
//! Both are measured in the steady state, and when many flows begin at once. `scripts/bench margins` draws the result.

use crate::house::House;
use crate::share::shared;
use crate::uml::Guest;
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

/// Rates of the line in Mbit/s, up and down.
const LINE: (u32, u32) = (10, 25);
/// Margins in percent.
const MARGINS: [u32; 7] = [1, 2, 3, 4, 5, 6, 8];
/// Margins of the less important cases.
const FEW: [u32; 3] = [2, 3, 5];
/// Sets of cases. Each has all pairs of a round trip time in milliseconds and a number of flows. Then come the congestion
/// control, and true if the set is played with all margins.
const SETS: [(&[u32], &[u32], &str, bool); 4] = [
    (&[20], &[1, 4, 24, 64], "cubic", true),
    (&[100], &[4, 24], "cubic", true),
    (&[10, 50, 200], &[4, 24], "cubic", false),
    (&[20, 100], &[4, 24], "bbr", false),
];
/// The queues of a leaf class, each with the `share` that has it.
const LEAVES: [(&str, &str); 2] = [("fq_codel", "per-flow"), ("cake", "per-host")];
/// Bytes of a packet on the line besides those that the guest's devices count: those of the profile `ethernet`.
const CHARGE: &str = "overhead 24 mpu 84 linklayer ethernet mtu 2047 tsize 2048";
/// Times that a burst is repeated: two bursts are never the same.
const REPEATS: usize = 4;

/// Flows that begin at once.
struct Case {
    leaf: &'static str,
    margin: u32,
    /// Round trip time in milliseconds.
    rtt: u32,
    direction: &'static str,
    flows: u32,
    control: &'static str,
    /// True if only the burst is of interest.
    short: bool,
}

impl Case {
    fn script(&self) -> String {
        format!("{}-{}", self.leaf, self.margin)
    }
}

/// All cases. Those with the same script are neighbours.
fn cases() -> Vec<Case> {
    let mut all = Vec::new();
    for (leaf, _) in LEAVES {
        for margin in MARGINS {
            let few = FEW.contains(&margin);
            for direction in ["down", "up"] {
                let case =
                    |rtt, flows, control| Case { leaf, margin, rtt, direction, flows, control, short: false };
                for (rtts, counts, control, everywhere) in SETS {
                    let wanted = rtts.iter().filter(|_| everywhere || few);
                    all.extend(wanted.flat_map(|rtt| counts.iter().map(|flows| case(*rtt, *flows, control))));
                }
                all.extend((1..REPEATS).map(|_| Case { short: true, ..case(20, 24, "cubic") }));
            }
        }
    }
    all
}

/// The compiled script for a case.
fn house(case: &Case) -> House {
    let share = LEAVES.iter().find(|(leaf, _)| *leaf == case.leaf).expect("a leaf").1;
    let ((up, down), margin) = (LINE, case.margin);
    let yaml = format!(
        "name: margins\n\
         link: {{ device: eth0, profile: ethernet, up: {up}mbit, down: {down}mbit, margin: {margin}% }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n\
         classes:\n  all: {{ default: true, share: {share} }}\n"
    );
    House::of("margins", yaml.into_bytes())
}

/// Writes a line for each case into the file `QOSC_RESULTS`. It has the words of the case, the rate of the line in bit/s,
/// the overhead in bytes, the steady time in seconds, and the output of `burst.c`. Last come the bytes and packets of the
/// shaper, before and after the steady time. `QOSC_SHARE` takes a tenth of the cases.
#[test]
#[ignore = "measures for a quarter of an hour; `scripts/bench margins`"]
fn margins() {
    let results = std::env::var("QOSC_RESULTS").expect("QOSC_RESULTS, the file for the results");
    let cases = shared(cases());
    let topology = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates/lab/topology.sh");
    let mut guest = Guest::new("margins").memory(512).limit(Duration::from_secs(3 * 3600));
    guest = guest.file("topology.sh", std::fs::read(topology).expect("the topology"));
    let ((up, down), mut list, mut ifb) = (LINE, String::new(), None);
    for case in &cases {
        let script = case.script();
        if !list.contains(&format!("{script} ")) {
            let house = house(case);
            guest = guest.file(&format!("{script}.sh"), house.script.as_str());
            ifb = Some(house.program.ifb.as_str().to_owned());
        }
        let Case { rtt, direction, flows, control, .. } = case;
        // A long round trip takes longer to fill the line.
        let (steady, length) = match rtt {
            _ if case.short => (3, 3),
            ..50 => (4, 10),
            _ => (8, 16),
        };
        let _ = writeln!(list, "{script} {rtt} {direction} {flows} {control} {steady} {length}");
    }
    let settings = format!(
        "WAN=eth0\nRAW=no\nMTU=1500\nLAN=br-lan\nOTHERS=\nUP={up}000000\nDOWN={down}000000\nCHARGE='{CHARGE}'\n\
         HALF=10000\nNAT=no\nIFB={}\n",
        ifb.expect("a device")
    );
    let hosts = "loader - 192.168.77.10 192.168.77.1 - -\nquiet - 192.168.77.11 192.168.77.1 - -\n";
    let guest = guest
        .file("topology.env", settings)
        .file("networks", "192.168.77.1 192.168.77.0/24 yes\n")
        .file("hosts", hosts)
        .file("remotes", "addr add 203.0.113.1/32 dev lo\n")
        .file("cases", list);
    let Some(report) = guest.run("margins.sh") else { return };
    std::fs::write(results, report.text("out/results")).expect("the results");
}
