#![doc = include_str!("../../../../docs/rules/Q0617.md")]

use super::shared::devices::{self, LikelyDevice};
use super::{missing_overhead, profile_device_mismatch};
use crate::diag::{Code, Diagnostic, Span, or_ticked, ticked};
use crate::model::{Frames, Layer, Link, Model};
use crate::profile::{self, LinkProfile};
use crate::units::Rate;

/// Most bytes that known encapsulations add to a packet on one hop, by the prefix of the profile's name.
const MOST: [(&str, u32); 3] = [
    // LLC/SNAP 8 + AAL5 8
    ("adsl-ipoa-", 16),
    // PPP 2 + LLC 4 + AAL5 8
    ("adsl-pppoa-", 14),
    // header 14 + check sequence 4 + two VLAN tags 8 + PTM 4 + PPPoE and PPP 8
    ("vdsl2-", 38),
];
/// Bytes of a VLAN tag (IEEE 802.1Q).
const TAG: u32 = 4;
/// Smallest overhead of an Ethernet frame in bytes: the header (IEEE 802.3).
const HEADER: u32 = 14;
/// Fastest ADSL2+ (ITU-T G.992.5, uploads with annex M) and fastest VDSL2 tariffs: download, upload.
const ADSL: (Rate, Rate) = (Rate::from_bps(25_000_000), Rate::from_bps(3_500_000));
const VDSL2: (Rate, Rate) = (Rate::from_bps(300_000_000), Rate::from_bps(60_000_000));

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let link = &model.link;
    let kind = devices::kind(link.device.value.as_str());
    let stated = link.profile.is_given() || link.overhead.is_given() && link.layer.is_given();
    let other_profile = !link.overhead.is_given()
        && (missing_overhead::find(model).is_some()
            || kind == LikelyDevice::Ppp && profile_device_mismatch::with_ppp(&link.profile.value).is_some());
    // Q0601, Q0609 and Q0610 name the profile to use. The overhead of a radio link is unknown (Q0613).
    if !stated || other_profile || kind == LikelyDevice::Radio || link.profile.value == "wireless" {
        return None;
    }
    let facts = LinkFacts::of(link, kind);
    wrong_layer(&facts).or_else(|| raw(&facts)).or_else(|| bytes(&facts, &facts.reference()?))
}

/// A link with the facts that its names tell.
struct LinkFacts<'a> {
    link: &'a Link,
    kind: LikelyDevice,
    /// Profile that states an encapsulation; `None` for `raw`, `conservative` or no profile.
    named: Option<&'a str>,
    /// True if packets are in a PPP session.
    ppp: bool,
}

impl<'a> LinkFacts<'a> {
    fn of(link: &'a Link, kind: LikelyDevice) -> LinkFacts<'a> {
        let name = link.profile.value.as_str();
        let states = link.profile.is_given() && !matches!(name, "raw" | "conservative");
        let ppp =
            devices::has_session(name) || kind == LikelyDevice::Ppp || link.frames.value == Frames::Pppoe;
        LinkFacts { link, kind, named: states.then_some(name), ppp }
    }

    fn is(&self, prefix: &str) -> bool {
        self.named.is_some_and(|name| name.starts_with(prefix))
    }

    /// Returns the profile that states the bytes of the encapsulation. Without one, it is the smallest one of the
    /// layer.
    fn reference(&self) -> Option<LinkProfile> {
        let name = self.named.unwrap_or(match self.link.layer.value {
            Layer::Ethernet => "fibre",
            Layer::Ptm => "vdsl2-bridged",
            Layer::Atm => "adsl-ipoa-vcmux",
        });
        let found = profile::find(name)?;
        Some(if self.ppp { found.with_ppp() } else { found })
    }

    /// Returns the largest overhead that can be right.
    ///
    /// Returns `None` if a tunnel may add more. This is possible on a device with an unknown name, or in a session that
    /// the profile does not name, such as L2TP.
    fn most(&self) -> Option<u32> {
        let whole = match self.kind {
            LikelyDevice::Ethernet | LikelyDevice::Dsl => true,
            LikelyDevice::Ppp => self.named.is_some_and(devices::has_session),
            LikelyDevice::Radio | LikelyDevice::Other => false,
        };
        let by_name = MOST.iter().find(|(prefix, _)| self.is(prefix)).map(|(_, most)| *most);
        whole.then(|| match self.link.layer.value {
            // `ethernet` with two VLAN tags and PPPoE
            Layer::Ethernet => 54,
            Layer::Ptm => by_name.unwrap_or(38),
            // `adsl-pppoe-llc` with a check sequence and two VLAN tags
            Layer::Atm => by_name.unwrap_or(52),
        })
    }

    /// Returns the most common profile of this kind of line, with or without PPP.
    const fn usual(&self, layer: Layer) -> &'static str {
        match (layer, self.ppp) {
            (Layer::Ethernet, true) => "fibre-pppoe",
            (Layer::Ethernet, false) => "fibre",
            (Layer::Ptm, true) => "vdsl2-pppoe",
            (Layer::Ptm, false) => "vdsl2-bridged",
            (Layer::Atm, true) => "adsl-pppoe-llc",
            (Layer::Atm, false) => "adsl-bridged-llc",
        }
    }

    /// True if the rates are possible on DSL. A PPP session makes DSL likely, so its rates need not be those of a
    /// tariff.
    fn has_dsl_rates(&self) -> bool {
        let (up, down) = (self.link.line.up.value, self.link.line.down.value);
        let within = |most: (Rate, Rate)| down <= most.0 && up <= most.1 && down > up.scale(2, 1);
        match self.kind {
            LikelyDevice::Dsl => true,
            LikelyDevice::Ppp => within(VDSL2),
            LikelyDevice::Ethernet => within(ADSL) || missing_overhead::is_dsl_tariff(&self.link.line),
            LikelyDevice::Radio | LikelyDevice::Other => false,
        }
    }
}

fn finding(at: Span, message: String) -> Diagnostic {
    Diagnostic::new(Code::OverheadMismatch, at, message)
}

/// Returns the finding on a layer that the technology of the profile does not have.
///
/// `layer: ethernet` is accepted for `vdsl2-*`, because the user may already have reduced the rate to 64/65.
fn wrong_layer(facts: &LinkFacts<'_>) -> Option<Diagnostic> {
    let (place, name) = (facts.link.layer.given_at()?, facts.named?);
    let layer = facts.link.layer.value;
    let why = match layer {
        Layer::Atm if facts.is("vdsl2-") => "VDSL2 carries packets in PTM, not in cells of 53 bytes",
        Layer::Ptm | Layer::Ethernet if facts.is("adsl-") => {
            "ADSL with this profile carries packets in ATM cells"
        }
        Layer::Atm | Layer::Ptm if !devices::is_dsl(name) => {
            "this profile is for a line that carries whole Ethernet frames"
        }
        _ => return None,
    };
    let other = match layer {
        Layer::Atm => "for ADSL",
        Layer::Ptm => "for VDSL2, or ADSL in PTM mode",
        Layer::Ethernet => "where the provider counts Ethernet frames",
    };
    let (own, usual) = (profile::find(name)?.layer.as_str(), facts.usual(layer));
    let rest = if facts.link.overhead.is_given() { "`layer` and `overhead`" } else { "`layer`" };
    Some(
        finding(place, format!("`layer: {}` does not fit profile {}", layer.as_str(), ticked(name)))
            .label(why)
            .also_at(facts.link.profile.given_at().map(|at| (at, format!("its layer is `{own}`"))))
            .help(format!("leave `layer` out: the profile has `{own}`"))
            .help(format!("{other}, write `profile: {usual}` without {rest}")),
    )
}

/// Returns the finding on `raw` with little or no overhead, if the rates are those of DSL.
fn raw(facts: &LinkFacts<'_>) -> Option<Diagnostic> {
    let link = facts.link;
    let place = link.profile.given_at().filter(|_| link.profile.value == "raw")?;
    if link.layer.value != Layer::Ethernet || link.overhead.value >= HEADER || !facts.has_dsl_rates() {
        return None;
    }
    let example = profile::find(facts.usual(Layer::Ptm))?;
    let slow = link.line.down.value <= ADSL.0 && link.line.up.value <= ADSL.1;
    let others = [("ADSL", Layer::Atm, slow), ("fibre", Layer::Ethernet, facts.kind != LikelyDevice::Dsl)];
    let others = others.into_iter().filter(|(.., applies)| *applies);
    let others = others.map(|(name, layer, _)| format!(", for {name} `profile: {}`", facts.usual(layer)));
    let without = if link.overhead.is_given() { ", each without `overhead`" } else { "" };
    let rates = link.line.down.span().map(|at| (at, "the rates are possible on DSL"));
    let (vdsl2, others) = (&example.name, others.collect::<String>());
    Some(
        finding(place, "profile `raw` counts none of the bytes that DSL adds to a packet".to_owned())
            .label(format!("VDSL2 adds {}", example.sum()))
            .also_at(rates)
            .help(format!("for VDSL2 write `profile: {vdsl2}`{others}{without}"))
            .help(format!("if the rates count bytes of IP packets alone, add {ALLOWED}")),
    )
}

/// Text that suppresses the finding on `raw`.
const ALLOWED: &str = "`# qosc: allow(Q0617)` at the end of that line";

/// Returns the finding on too small or too large an overhead. `reference` has the right bytes.
fn bytes(facts: &LinkFacts<'_>, reference: &LinkProfile) -> Option<Diagnostic> {
    let link = facts.link;
    let given = link.overhead.value;
    // with `raw`, any overhead may be the provider's, unless the file gives another layer
    let counted = link.profile.value == "raw" && link.layer.value == Layer::Ethernet;
    let place = link.overhead.given_at().or(link.layer.given_at())?;
    if given < reference.least(link.layer.value) && !counted {
        return Some(too_few(facts, reference, place));
    }
    if facts.is("vdsl2-") && tag_twice(facts) {
        return Some(second_tag(facts, reference, place));
    }
    let most = facts.most().filter(|most| link.overhead.is_given() && given > *most)?;
    let message = format!("an overhead of {given} bytes is too much for {}", facts.whose());
    let label = format!("{}, and {most} with every option", reference.sum());
    let finding = facts.cured(finding(place, message).label(label), reference);
    Some(facts.with_others(finding, reference))
}

impl LinkFacts<'_> {
    /// Name of the profile or layer that the overhead is compared with, for messages.
    fn whose(&self) -> String {
        self.named.map_or_else(
            || format!("`layer: {}`", self.link.layer.value.as_str()),
            |name| format!("profile {}", ticked(name)),
        )
    }

    /// Adds advice on the keys to write for the profile's own overhead.
    fn cured(&self, finding: Diagnostic, reference: &LinkProfile) -> Diagnostic {
        let Some(name) = self.named else {
            let names: Vec<&str> = match (self.link.layer.value, self.ppp) {
                (Layer::Ethernet, true) if self.has_dsl_rates() => vec!["vdsl2-pppoe", "fibre-pppoe"],
                (Layer::Ethernet, false) => vec!["fibre", "docsis", "ethernet"],
                (layer, _) => vec![self.usual(layer)],
            };
            let keys: Vec<String> = names.into_iter().map(|name| format!("profile: {name}")).collect();
            let keys = or_ticked(keys.iter().map(String::as_str));
            return finding.help(format!("instead of `overhead` and `layer`, write {keys}"));
        };
        let needs_session = self.ppp && !name.contains("ppp");
        let with = needs_session
            .then(|| profile_device_mismatch::with_ppp(name).unwrap_or_else(|| "fibre-pppoe".to_owned()));
        finding.help(match with {
            Some(with) => format!("for the PPP session, write `profile: {with}` without `overhead`"),
            None => format!("leave `overhead` out, or write `overhead: {}`", reference.overhead),
        })
    }

    /// Adds other profiles with exactly this overhead.
    fn with_others(&self, finding: Diagnostic, reference: &LinkProfile) -> Diagnostic {
        let given = self.link.overhead.value;
        let Some(name) = self.named else { return finding };
        // a provider may shape a VDSL2 line by its Ethernet frames
        let frames = (reference.layer == Layer::Ptm).then_some(Layer::Ethernet);
        let same = profile::all().filter(|other| {
            let fits = self.kind != LikelyDevice::Ppp || other.name.contains("ppp");
            let layer = other.layer == reference.layer || Some(other.layer) == frames;
            other.overhead == given && other.name != name && layer && fits
        });
        let names = or_ticked(same.map(|other| other.name).collect::<Vec<_>>().iter().map(String::as_str));
        if names.is_empty() {
            return finding;
        }
        finding.help(format!("if the line adds {given} bytes, write its profile without `overhead`: {names}"))
    }
}

fn too_few(facts: &LinkFacts<'_>, reference: &LinkProfile, place: Span) -> Diagnostic {
    let given = facts.link.overhead.value;
    let message = format!("an overhead of {given} bytes is too little for {}", facts.whose());
    let finding = facts.cured(finding(place, message).label(reference.sum()), reference);
    if given > 0 {
        return facts.with_others(finding, reference);
    }
    let allowed = if facts.has_dsl_rates() { format!(", and {ALLOWED}") } else { String::new() };
    finding.help(format!(
        "if the rates count bytes of IP packets alone, write `profile: raw` without `overhead` and `layer`{allowed}"
    ))
}

/// True if the overhead is that of a profile with a VLAN tag plus another tag.
///
/// `ethernet-vlan` is exempt: it is the usual way to write the second tag of an Ethernet port.
fn tag_twice(facts: &LinkFacts<'_>) -> bool {
    let own = facts.named.filter(|name| name.ends_with("-vlan")).and_then(profile::find);
    // in this case, the 4 further bytes belong to a session without the tag
    let bare_session = facts.ppp && !facts.link.profile.value.contains("ppp");
    own.is_some_and(|own| facts.link.overhead.value == own.overhead + TAG) && !bare_session
}

fn second_tag(facts: &LinkFacts<'_>, reference: &LinkProfile, place: Span) -> Diagnostic {
    let (given, usual) = (facts.link.overhead.value, reference.overhead);
    let name = facts.link.profile.value.as_str();
    let (one, whose) = (name.trim_end_matches("-vlan"), ticked(name));
    let message = format!("an overhead of {given} bytes counts a second VLAN tag on top of profile {whose}");
    let finding = finding(place, message)
        .label(reference.sum())
        .help(format!("leave `overhead` out, or write `overhead: {usual}`: the profile has one tag"))
        .help(format!("if there are two tags on the line, write `profile: {one}` and `overhead: {given}`"));
    facts.with_others(finding, reference)
}

#[cfg(test)]
#[path = "overhead_mismatch_tests.rs"]
mod tests;
