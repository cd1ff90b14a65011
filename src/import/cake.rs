//! Options of CAKE, as in a command line and in the output of `tc`.

use super::amounts::{rate_of_tc, time_of_tc};
use super::config::{Class, Match, Queue, joined};
use super::report::Report;
use super::text::Word;
use crate::diag::{Span, ticked};
use crate::profile::keywords::{self, TAG};
use crate::terms::limits::ROUND_TRIP;
use crate::terms::{Direction, Layer, PerDirection, Wire};
use crate::units::{Dscp, Micros, Rate};

/// CAKE's own round trip time.
const RTT: Micros = Micros::from_ms(100);

/// Order of tins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tins {
    Besteffort,
    Diffserv3,
    Diffserv4,
}

/// Options of one CAKE.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) rate: Option<Rate>,
    pub(super) tins: Tins,
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
    pub(super) const fn new(tins: Tins) -> Options {
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

/// Reads the words of one CAKE into `options`.
pub(super) fn read(words: &[Word], options: &mut Options, direction: Direction, report: &mut Report) {
    let raw = words.iter().any(|word| word.text == "raw");
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.text.as_str();
        let mut number = || words.next().map(|word| word.text.clone()).unwrap_or_default();
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
        match text {
            "bandwidth" => options.rate = rate_of_tc(&number()),
            "unlimited" | "autorate-ingress" => {
                report.lost(
                    word.span,
                    format!("{} has no equivalent", ticked(text)),
                    "give the rates in `up` and `down`",
                );
            }
            "besteffort" => options.tins = Tins::Besteffort,
            "diffserv3" => options.tins = Tins::Diffserv3,
            "diffserv4" => options.tins = Tins::Diffserv4,
            "diffserv8" | "precedence" => {
                options.tins = Tins::Diffserv4;
                report.lost(
                    word.span,
                    format!("{} has no equivalent; the four classes of `diffserv4` replace it", ticked(text)),
                    "add classes with `match: { dscp: .. }`: with five before the default class, CAKE uses eight tins",
                );
            }
            "flows" => options.per_host = false,
            "dual-srchost" if direction == Direction::Up => options.per_host = true,
            "dual-dsthost" if direction == Direction::Down => options.per_host = true,
            "triple-isolate" => options.per_host = true,
            "hosts" | "srchost" | "dsthost" | "dual-srchost" | "dual-dsthost" => {
                options.per_host = true;
                report.lost(
                    word.span,
                    format!(
                        "{} has no equivalent: hosts of the house get the same, and then the flows of each",
                        ticked(text)
                    ),
                    "write `share: per-flow` in the default class if only flows are to get the same",
                );
            }
            "nat" => options.nat = Some(true),
            "nonat" => options.nat = Some(false),
            "wash" => options.wash = true,
            "nowash" => options.wash = false,
            "ack-filter" => options.ack_filter = true,
            "ack-filter-aggressive" => {
                options.ack_filter = true;
                report.lost(
                    word.span,
                    "`ack-filter-aggressive` has no equivalent; `ack_filter: true` replaces it",
                    "",
                );
            }
            "no-ack-filter" => options.ack_filter = false,
            "rtt" => {
                let value = number();
                options.rtt = time_of_tc(&value);
                if options.rtt.is_none() {
                    report.bad(
                        word.span,
                        format!("{} is not a time", ticked(&value)),
                        "write a time such as `50ms`",
                    );
                }
            }
            "overhead" | "mpu" => {
                let value = number();
                let bytes = value.parse::<i64>().ok();
                match (text, bytes, bytes.and_then(|bytes| u32::try_from(bytes).ok())) {
                    ("overhead", Some(bytes), _) => options.overhead = Some(bytes),
                    ("mpu", _, Some(bytes)) => options.mpu = Some(bytes),
                    _ => report.bad(
                        word.span,
                        format!("{} is not a number of bytes", ticked(&value)),
                        &format!("write a number such as `{text} 44`"),
                    ),
                }
            }
            "atm" => options.layer = Layer::Atm,
            "ptm" => options.layer = Layer::Ptm,
            "noatm" => options.layer = Layer::Ethernet,
            "conservative" => (options.overhead, options.layer) = (Some(48), Layer::Atm),
            "raw" => options.layer = Layer::Ethernet,
            "memlimit" => {
                number();
            }
            "ingress" if direction == Direction::Down => {}
            "egress" | "split-gso" | "via-ethernet" | "refcnt" if text != "refcnt" => {}
            "refcnt" => {
                number();
            }
            "fwmark" => {
                let mask = number();
                report.lost(
                    word.span,
                    format!("`fwmark {mask}` has no equivalent: the tin does not follow from a mark"),
                    "write `match: { mark: VALUE/MASK }` in a class",
                );
            }
            _ => report.lost(word.span, format!("the CAKE option {} has no equivalent", ticked(text)), ""),
        }
    }
    // tc prints `raw overhead 0`
    if raw {
        (options.overhead, options.mpu) = (None, None);
    }
}

/// Returns the options of CAKE that a class sets for both directions.
pub(super) fn settings(options: &PerDirection<Options>) -> Option<Queue> {
    let rtt = options.up.rtt.or(options.down.rtt).filter(|rtt| *rtt != RTT && ROUND_TRIP.holds(rtt.us()));
    let rtt = rtt.map(|rtt| ("rtt", rtt.to_string()));
    let filter = options.up.ack_filter || options.down.ack_filter;
    let filter = filter.then(|| ("ack_filter", "true".to_owned()));
    let options: Vec<(&'static str, String)> = rtt.into_iter().chain(filter).collect();
    (!options.is_empty()).then_some(Queue { kind: "cake", options })
}

/// Returns `true` for a word that sets or replaces the overhead of a line.
pub(super) fn is_overhead(word: &str) -> bool {
    word == "overhead" || (word != TAG && added(word).is_some())
}

/// Returns what a keyword adds to the cost of packets. `conservative` replaces it instead.
fn added(keyword: &str) -> Option<Wire> {
    keywords::cost(keyword).filter(|_| keyword != "conservative")
}

/// Reports options that differ between the directions, and that a class has once for both.
pub(super) fn report_differences(options: &PerDirection<Options>, span: Span, report: &mut Report) {
    let PerDirection { up, down } = options;
    let all = [
        ("the sharing between hosts", "share", up.per_host != down.per_host),
        ("the round trip time", "rtt", up.rtt != down.rtt),
        ("the ACK filter", "ack_filter", up.ack_filter != down.ack_filter),
    ];
    for (what, key, _) in all.into_iter().filter(|(.., differs)| *differs) {
        let said =
            format!("{what} differs between uploads and downloads, and a file has one `{key}` for both");
        report.lost(span, said, &format!("check `{key}` of the class `normal`"));
    }
}

/// Reports that the source gives a download the DSCP that another program stored for its connection.
pub(super) fn report_restored(span: Span, report: &mut Report) {
    report.other(
        span,
        "the stored DSCP of a connection is restored on downloads; here a download has the class of the DSCP that the house last sent on its connection",
        "let the program that sets the DSCP run before priority 99 of the hook `postrouting`; the download itself keeps the DSCP of its sender",
    );
}

/// Returns the value of `share`.
pub(super) const fn share(options: &PerDirection<Options>) -> &'static str {
    if options.up.per_host || options.down.per_host { "per-host" } else { "per-flow" }
}

/// Returns the classes that do the same as the tins of both directions. A direction with fewer tins has no DSCP in its
/// matches. `restored` is true if a download has the DSCP that the house last sent on its connection.
pub(super) fn classes(options: &PerDirection<Options>, restored: bool) -> Vec<Class> {
    let mut normal = Class::new("normal", 3);
    normal.default = true;
    normal.share = Some(share(options));
    normal.queue = settings(options);
    let tin = |name: &str, priority: u8, of: fn(Tins) -> &'static [u8]| {
        let matches = Direction::BOTH.iter().filter_map(|direction| {
            let code_points = of(options.get(*direction).tins);
            let dscp: Vec<Dscp> = code_points.iter().filter_map(|bits| Dscp::new(*bits)).collect();
            (!dscp.is_empty()).then(|| Match { dscp, direction: Some(*direction), ..Match::default() })
        });
        // Alone, a match for downloads reads the DSCP of the connection.
        let matches = if restored { matches.collect() } else { joined(matches.collect()) };
        (!matches.is_empty()).then(|| Class { matches, ..Class::new(name, priority) })
    };
    let voice = tin("voice", 1, voice);
    let video = tin("video", 2, video);
    let bulk = tin("bulk", 5, bulk);
    voice.into_iter().chain(video).chain([normal]).chain(bulk).collect()
}

/// Code points of the first tin (tc-cake(8)): EF, VA, CS6, CS7, and TOS4 or CS4 and CS5.
const fn voice(tins: Tins) -> &'static [u8] {
    match tins {
        Tins::Besteffort => &[],
        Tins::Diffserv3 => &[46, 44, 48, 56, 4],
        Tins::Diffserv4 => &[46, 44, 48, 56, 40, 32],
    }
}

/// Code points of the second of four tins: AF4x, AF3x, CS3, AF2x, CS2 and TOS4.
const fn video(tins: Tins) -> &'static [u8] {
    match tins {
        Tins::Besteffort | Tins::Diffserv3 => &[],
        Tins::Diffserv4 => &[34, 36, 38, 26, 28, 30, 24, 18, 20, 22, 16, 4],
    }
}

/// Code points of the last tin: CS1 and LE.
const fn bulk(tins: Tins) -> &'static [u8] {
    match tins {
        Tins::Besteffort => &[],
        Tins::Diffserv3 | Tins::Diffserv4 => &[8, 1],
    }
}
