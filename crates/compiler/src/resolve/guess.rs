//! Makes assumptions for a link without a profile, and shows the rates that a profile would regain.

use crate::derive;
use crate::diag::{Code, Diagnostic, Span, ticked};
use crate::model::{Layer, PerDirection, Val, Wire};
use crate::profile::{self, LinkProfile};
use crate::units::{Percent, Rate};

/// Highest rates of ADSL2+ (ITU-T G.992.5, with annex M for uploads).
const ADSL_DOWN: Rate = Rate::from_bps(25_000_000);
const ADSL_UP: Rate = Rate::from_bps(3_500_000);
/// Profiles that the warning compares with: the most common one of each kind of line.
const EXAMPLES: [&str; 4] = ["vdsl2-pppoe", "docsis", "fibre", "adsl-pppoe-llc"];
/// Length in bytes of the IP packet for the comparison: the largest one that all these lines carry.
const COMPARED: u64 = 1_492;

/// Assumptions about a line.
pub(super) struct Assumed {
    /// Assumed values in the form of a profile.
    pub profile: LinkProfile,
    /// Name of the assumption in messages.
    pub source: String,
    /// Reason for the assumption.
    pub why: String,
}

/// Returns the assumptions for a line with these rates. If ADSL could have the rates, they are profile `conservative`.
/// Otherwise they are an Ethernet-like line with more overhead than any known line and margins of 5 % and 10 %. `None`
/// is only possible if a built-in profile is broken.
pub(super) fn for_rates(line: &PerDirection<Val<Rate>>) -> Option<Assumed> {
    let conservative = profile::find("conservative")?;
    if line.down.value <= ADSL_DOWN && line.up.value <= ADSL_UP {
        let why = "no profile is given, and the rates are possible on ADSL".to_owned();
        return Some(Assumed { profile: conservative, source: "profile `conservative`".to_owned(), why });
    }
    let margin = PerDirection { up: Percent::from_ppm(50_000), down: Percent::from_ppm(100_000) };
    let profile = LinkProfile {
        name: "none".to_owned(),
        layer: Layer::Ethernet,
        overhead: 44,
        mpu: 84,
        margin,
        ..conservative
    };
    let why = "no profile is given, and the rates are beyond ADSL".to_owned();
    Some(Assumed { profile, source: "an unknown line beyond ADSL".to_owned(), why })
}

/// Result of a guess.
pub(super) struct Guess {
    /// Cost of packets on the line.
    pub wire: Wire,
    /// Line rate for downloads; `None` if the file gives their shaped rate.
    pub line: Option<Rate>,
    /// Shaped rate for downloads.
    pub shaped: Rate,
}

/// Returns the rate that remains for IP when all packets have [`COMPARED`] bytes.
fn payload(shaped: Rate, wire: Wire) -> Rate {
    shaped.scale(COMPARED, wire.bytes(COMPARED))
}

/// Significant digits of the rates that the warning compares.
const DIGITS: u32 = 3;

/// Returns the warning: the assumptions and the rates that likely profiles would give.
pub(super) fn warning(guess: &Guess, source: &str, at: Span) -> Diagnostic {
    let now = payload(guess.shaped, guess.wire);
    let adsl = guess.wire.layer == Layer::Atm;
    let mut gains = Vec::new();
    for name in EXAMPLES.iter().filter(|name| adsl || !name.starts_with("adsl")) {
        let Some(profile) = profile::find(name) else { continue };
        let of_line = |line| derive::shaped(&Val::default(line, ""), profile.layer, profile.margin.down);
        let shaped = guess.line.map_or(guess.shaped, |line| of_line(line).value);
        let better = payload(shaped, profile.wire());
        if better > now {
            gains.push(format!("{} with {}", better.rounded(DIGITS), ticked(name)));
        }
    }
    let overhead = guess.wire.overhead;
    let message =
        format!("no link profile: assuming {overhead} bytes of overhead per packet, the safe choice");
    let mut finding = Diagnostic::new(Code::GuessedOverhead, at, message)
        .label(format!("assumed: {source}, {}", cells(guess.wire.layer)))
        .help(
            "write the profile of the line, such as `profile: vdsl2-pppoe`: too little overhead brings delay back, too much wastes rate",
        );
    if !gains.is_empty() {
        finding = finding.help(format!(
            "large packets now get {} of {} down; they would get {}",
            now.rounded(DIGITS),
            guess.line.unwrap_or(guess.shaped),
            gains.join(", ")
        ));
    }
    finding
}

const fn cells(layer: Layer) -> &'static str {
    match layer {
        Layer::Atm => "in ATM cells",
        Layer::Ptm => "with 64/65 encoding",
        Layer::Ethernet => "without cells",
    }
}
