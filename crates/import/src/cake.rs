//! Options of CAKE, as in a command line and in the output of `tc`.

use super::amounts::{rate_of_tc, time_of_tc};
use super::config::{Class, Match, Queue, joined};
use super::report::ImportReport;
use super::text::Word;
use qosc_compiler::diag::{Span, ticked};
use qosc_compiler::profile::keywords::{self, TAG};
use qosc_compiler::terms::limits::ROUND_TRIP;
use qosc_compiler::terms::{Diffserv, Direction, Layer, PerDirection, Wire};
use qosc_compiler::units::{Dscp, Micros, Rate};

/// CAKE's own round trip time.
const RTT: Micros = Micros::from_ms(100);

/// Tins besides the default one: name and priority of the class, and code points for three and for four tins.
const TINS: [(&str, u8, &[u8], &[u8]); 3] = [
    // EF, VA, CS6, CS7, and TOS4 or CS4 and CS5 (tc-cake(8))
    ("voice", 1, &[46, 44, 48, 56, 4], &[46, 44, 48, 56, 40, 32]),
    // AF4x, AF3x, CS3, AF2x, CS2 and TOS4
    ("video", 2, &[], &[34, 36, 38, 26, 28, 30, 24, 18, 20, 22, 16, 4]),
    // CS1 and LE
    ("bulk", 5, &[8, 1], &[8, 1]),
];

/// Returns the tin of each code point as the kernel has it (`sch_cake.c`), as digits; 0 is the default tin.
pub(super) const fn kernel_tins(tins: Diffserv) -> &'static str {
    match tins {
        Diffserv::Besteffort => "",
        Diffserv::Diffserv3 => "0100200010000000000000000000000000000000000020202000000020000000",
        Diffserv::Diffserv4 | Diffserv::Diffserv8 => {
            "0100200010000000202020202020202030202020300030303000000030000000"
        }
    }
}

/// Options of one CAKE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) rate: Option<Rate>,
    pub(super) tins: Diffserv,
    pub(super) per_host: bool,
    pub(super) nat: Option<bool>,
    pub(super) wash: bool,
    pub(super) ack_filter: bool,
    pub(super) rtt: Option<Micros>,
    /// Bytes above IP. `None` if CAKE counts the device's own header and nothing else.
    pub(super) overhead: Option<i64>,
    pub(super) mpu: Option<u32>,
    pub(super) layer: Layer,
}

impl Options {
    /// Returns the options of a CAKE without words.
    pub(super) const fn new(tins: Diffserv) -> Options {
        Options {
            rate: None,
            tins,
            per_host: true,
            nat: None,
            wash: false,
            ack_filter: false,
            rtt: None,
            overhead: None,
            mpu: None,
            layer: Layer::Ethernet,
        }
    }
}

/// Round trip times of tc-cake(8) by keyword.
const TIMES: &[(&str, u64)] = &[
    ("datacentre", 100),
    ("lan", 1_000),
    ("metro", 10_000),
    ("regional", 30_000),
    ("internet", 100_000),
    ("oceanic", 300_000),
    ("satellite", 1_000_000),
];

/// End of the message about a word that is no number.
const BYTES: &str = "not a number of bytes";

/// Comment about CAKE with `nonat`.
pub(super) const NONAT: &str = "Does this router translate addresses (NAT)? CAKE had `nonat`, so it did not look behind it. If it does not translate, write `lan: { nat: false }`.";

/// Message about an option that only CAKE itself has.
pub(super) const AGGRESSIVE: &str =
    "`ack-filter-aggressive` has no equivalent; `ack_filter: true` replaces it";

/// Reads the words of one CAKE into `options`.
pub(super) fn read(words: &[Word], options: &mut Options, direction: Direction, report: &mut ImportReport) {
    let raw = words.iter().any(|word| word.text == "raw");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        // a word without its value stands for the value
        let mut value = || words.next().unwrap_or(word);
        if let Some(wire) = added(text) {
            options.overhead = Some(options.overhead.unwrap_or(0).saturating_add(wire.overhead.into()));
            if !matches!(text, "ethernet" | TAG) {
                options.layer = wire.layer;
            }
            options.mpu = Some(wire.mpu).filter(|mpu| *mpu > 0).or(options.mpu);
            continue;
        }
        if let Some((_, us)) = TIMES.iter().find(|(name, _)| *name == text) {
            options.rtt = Some(Micros::from_us(*us));
            continue;
        }
        let name = ticked(text);
        let mut lost = |said: String, help: &str| report.lost(word.span, said, help);
        match text {
            "bandwidth" => options.rate = rate_of_tc(&value().text),
            "unlimited" | "autorate-ingress" => {
                lost(format!("{name} has no equivalent"), "give the rates in `shaped`");
            }
            "besteffort" => options.tins = Diffserv::Besteffort,
            "diffserv3" => options.tins = Diffserv::Diffserv3,
            "diffserv4" => options.tins = Diffserv::Diffserv4,
            "diffserv8" | "precedence" => {
                options.tins = Diffserv::Diffserv4;
                let help = "add classes with `match: { dscp: .. }`";
                lost(format!("{name} has no equivalent; the classes of `diffserv4` replace it"), help);
            }
            "flows" => options.per_host = false,
            "triple-isolate" | "hosts" | "srchost" | "dsthost" | "dual-srchost" | "dual-dsthost" => {
                options.per_host = true;
                let of_house = if direction == Direction::Up { "dual-srchost" } else { "dual-dsthost" };
                if text != of_house && text != "triple-isolate" {
                    let said = format!("{name} has no equivalent: the hosts of the house get the same");
                    lost(said, "write `share: per-flow` in the default class if flows are to get the same");
                }
            }
            "nat" | "nonat" => options.nat = Some(text == "nat"),
            "wash" | "nowash" => options.wash = text == "wash",
            "ack-filter" | "no-ack-filter" => options.ack_filter = text == "ack-filter",
            "ack-filter-aggressive" => {
                options.ack_filter = true;
                lost(AGGRESSIVE.to_owned(), "");
            }
            "rtt" => {
                options.rtt = report.read(value(), "not a time", "write a time such as `50ms`", time_of_tc)
            }
            "overhead" => {
                let own = report.read(value(), BYTES, "write a number", |own| own.parse().ok());
                options.overhead = own.or(options.overhead);
            }
            "mpu" => {
                let own = report.read(value(), BYTES, "write a number", |own| own.parse().ok());
                options.mpu = own.or(options.mpu);
            }
            "atm" => options.layer = Layer::Atm,
            "ptm" => options.layer = Layer::Ptm,
            "noatm" | "raw" => options.layer = Layer::Ethernet,
            "conservative" => (options.overhead, options.layer) = (Some(48), Layer::Atm),
            "memlimit" => report_memory(word.span, &value().text, report),
            "refcnt" => {
                value();
            }
            "ingress" if direction == Direction::Down => {}
            "egress" | "split-gso" | "via-ethernet" => {}
            "fwmark" => {
                let said = format!("`fwmark {}` has no equivalent", value().text);
                lost(said, "write `match: { mark: VALUE/MASK }` in a class");
            }
            _ => report.unknown(word.span, "the CAKE option", text, ""),
        }
    }
    // tc prints `raw overhead 0`
    if raw {
        (options.overhead, options.mpu) = (None, None);
    }
}

/// Reports the memory of a CAKE.
pub(super) fn report_memory(span: Span, limit: &str, report: &mut ImportReport) {
    let said = format!("`memlimit {limit}` of CAKE has no equivalent");
    report.lost(span, said, "the compiler derives it from the rate");
}

/// Returns a round trip time that is not CAKE's own one as a file has it.
pub(super) fn own_rtt(rtt: Micros) -> Option<String> {
    (rtt != RTT && ROUND_TRIP.holds(rtt.us())).then(|| rtt.to_string())
}

/// Returns the options of CAKE that a class sets for one direction.
pub(super) fn settings(options: &Options) -> Option<Queue> {
    let rtt = options.rtt.and_then(own_rtt).map(|rtt| ("rtt", rtt));
    let filter = options.ack_filter.then(|| ("ack_filter", "true".to_owned()));
    let options: Vec<(&'static str, String)> = rtt.into_iter().chain(filter).collect();
    (!options.is_empty()).then_some(Queue { kind: "cake", options })
}

/// Returns what a keyword adds to the cost of packets. `conservative` replaces it instead.
fn added(keyword: &str) -> Option<Wire> {
    keywords::cost(keyword).filter(|_| keyword != "conservative")
}

/// Reports that the source gives a download the DSCP that another program stored for its connection.
pub(super) fn report_restored(span: Span, report: &mut ImportReport) {
    let said = "a download has the class of the DSCP that the house last sent on its connection, and keeps its own DSCP";
    let help = "let the program that sets the DSCP run before priority 99 of the hook `postrouting`";
    report.other(span, said, help);
}

/// Returns the value of `share`.
pub(super) const fn share(options: &Options) -> &'static str {
    if options.per_host { "per-host" } else { "per-flow" }
}

/// Returns the classes that do the same as the tins of both directions. A direction with fewer tins has no DSCP in its
/// matches. `restored` is true if a download has the DSCP that the house last sent on its connection.
pub(super) fn classes(options: &PerDirection<Options>, restored: bool) -> Vec<Class> {
    let normal = Class {
        default: true,
        share: PerDirection::from_fn(|one| Some(share(options.get(one)))),
        queue: PerDirection::from_fn(|one| settings(options.get(one))),
        ..Class::new("normal", 3)
    };
    let tin = |(name, priority, three, four): (&str, u8, &'static [u8], &'static [u8])| {
        let matches = by_dscp(PerDirection::from_fn(|one| match options.get(one).tins {
            Diffserv::Besteffort => &[][..],
            Diffserv::Diffserv3 => three,
            Diffserv::Diffserv4 | Diffserv::Diffserv8 => four,
        }));
        // Alone, a match for downloads reads the DSCP of the connection.
        let matches = if restored { matches } else { joined(matches) };
        (!matches.is_empty()).then(|| Class { matches, ..Class::new(name, priority) })
    };
    let mut classes: Vec<Class> = TINS.into_iter().filter_map(tin).chain([normal]).collect();
    classes.sort_by_key(|class| class.priority);
    classes
}

/// Returns a match for each direction that has code points.
pub(super) fn by_dscp(code_points: PerDirection<&[u8]>) -> Vec<Match> {
    let matches = Direction::BOTH.iter().map(|direction| {
        let dscp = code_points.get(*direction).iter().filter_map(|bits| Dscp::new(*bits)).collect();
        Match { dscp, direction: Some(*direction), ..Match::default() }
    });
    matches.filter(|one| !one.dscp.is_empty()).collect()
}
