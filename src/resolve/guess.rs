//! A link without a profile: what is assumed, and what a profile would give back.

use super::derive;
use super::profile::{self, LinkProfile};
use crate::diag::{Code, Diagnostic, Span, ticked};
use crate::model::{Layer, PerDirection, Val, Wire};
use crate::units::{Percent, Rate};

/// The fastest line that can be ADSL2+ (ITU-T G.992.5, with annex M for uploads).
const ADSL_DOWN: Rate = Rate::from_bps(25_000_000);
const ADSL_UP: Rate = Rate::from_bps(3_500_000);
/// Profiles that the warning compares with, the commonest of each kind of line.
const EXAMPLES: [&str; 4] = ["vdsl2-pppoe", "docsis", "fibre", "adsl-pppoe-llc"];
/// The packet that is compared: the largest that all of them carry.
const COMPARED: u64 = 1_492;

/// What is assumed of a line.
pub(super) struct Assumed {
    /// As a profile.
    pub profile: LinkProfile,
    /// How messages call it.
    pub source: String,
    /// Why.
    pub why: String,
}

/// What is assumed of a line with these rates: `conservative` where they are possible on ADSL, else an Ethernet-like
/// line with more overhead than any known one, and margins of 5 % and 10 %. `None` only where a built-in profile is
/// broken.
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

/// What a guess came to.
pub(super) struct Guess {
    /// What packets are charged.
    pub wire: Wire,
    /// The line rate down.
    pub down: Rate,
    /// What it is shaped to.
    pub shaped: Rate,
}

/// Payload of a line: what of `shaped` is left for IP when all packets are large.
fn payload(shaped: Rate, wire: Wire) -> Rate {
    shaped.scale(COMPARED, wire.bytes(COMPARED))
}

/// The warning: what was assumed, and what the likely profiles would give back.
pub(super) fn warning(guess: &Guess, source: &str, at: Span) -> Diagnostic {
    let now = payload(guess.shaped, guess.wire);
    let line = Val::default(guess.down, "");
    let adsl = guess.wire.layer == Layer::Atm;
    let mut gains = Vec::new();
    for name in EXAMPLES.iter().filter(|name| adsl || !name.starts_with("adsl")) {
        let Some(profile) = profile::find(name) else { continue };
        let shaped = derive::shaped(&line, profile.layer, profile.margin.down);
        let better = payload(shaped.value, profile.wire());
        if better > now {
            gains.push(format!("{} {}", ticked(name), rounded(better)));
        }
    }
    let message = "no link profile is given, so the line is taken to be a costly one";
    let mut finding = Diagnostic::new(Code::GuessedOverhead, at, message)
        .label(format!("{source}: {} bytes of overhead, {}", guess.wire.overhead, cells(guess.wire.layer)))
        .help("name the kind of line with `profile`: too little overhead brings the delay back, too much wastes rate");
    if !gains.is_empty() {
        finding = finding.help(format!(
            "of {} down, large packets get {} now; with {}",
            guess.down,
            rounded(now),
            gains.join(", ")
        ));
    }
    finding
}

const fn cells(layer: Layer) -> &'static str {
    match layer {
        Layer::Atm => "in ATM cells",
        Layer::Ptm => "64/65 encoding",
        Layer::Ethernet => "no cells",
    }
}

/// A rate to three digits, as people speak of it.
fn rounded(rate: Rate) -> Rate {
    let unit = 10u64.pow(rate.bps().max(1).ilog10().saturating_sub(2));
    Rate::from_bps(rate.bps() / unit * unit)
}
