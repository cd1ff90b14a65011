//! Resolves `link`, the line and the WAN device.

use super::aside::Aside;
use super::guess::{self, Guess};
use super::{given_rates, shares, vary};
use crate::derive::{self, LEAST_RATE, Packet};
use crate::diag::{
    Code, Diagnostic, Fix, Sink, Span, Spanned, and_ticked, did_you_mean, nearest, or_ticked, surely, ticked,
};
use crate::model::{Direction, Engine, Frames, Ingress, Layer, Link, LinkDevice, PerDirection, Val, Wire};
use crate::profile::{self, LinkProfile, keywords};
use crate::syntax::raw::{Each, Opt, RawLink};
use crate::terms::Wash;
use crate::units::{IfName, Percent, Rate};

/// Placeholder for a missing or unreadable line rate. It exceeds every other rate, so that the remaining checks can
/// run.
const PLACEHOLDER: Rate = Rate::from_bps(1 << 53);

/// A link before its classes. Rates that are set aside, and the numbers that depend on aggregated packets, are
/// added later.
#[derive(Debug)]
pub(super) struct Draft {
    /// All values that follow from `link` alone.
    pub link: Link,
}

impl Draft {
    /// How the rate of each direction follows from its line rate, for a message.
    pub fn of_line(&self, aside: &PerDirection<Vec<Aside>>) -> PerDirection<String> {
        PerDirection::from_fn(|direction| {
            let (line, shaped) = (self.link.line.get(direction).value, self.link.shaped.get(direction).value);
            let mut less = Vec::new();
            let whole = match self.link.margin(direction) {
                None if aside.get(direction).is_empty() => "given as `shaped`".to_owned(),
                None => format!("the shaped rate of {shaped}"),
                Some(margin) => {
                    let encoding = "the 64/65 encoding of PTM".to_owned();
                    less.extend((self.link.layer.value == Layer::Ptm).then_some(encoding));
                    let margin = margin.value;
                    less.extend((margin.ppm() > 0).then(|| format!("a margin of {margin}")));
                    let vary = self.link.vary.as_ref().and_then(|vary| vary.bounds.get(direction).as_ref());
                    match vary.is_some_and(|own| own.span() == self.link.line.get(direction).span()) {
                        true => format!("the lower bound of `vary`, {line},"),
                        false => format!("the line rate of {line}"),
                    }
                }
            };
            let of_other = |own: &Aside| format!("{} for {} {}", own.rate, own.what, ticked(&own.name));
            less.extend(aside.get(direction).iter().map(of_other));
            let less = match less.split_last() {
                None => String::new(),
                Some((only, [])) => format!(" less {only}"),
                Some((last, others)) => format!(" less {} and {last}", others.join(", ")),
            };
            let rate = self.link.tree.get(direction).value.rounded(shares::DIGITS);
            format!("{rate} {} is {whole}{less}", direction.as_str())
        })
    }

    /// Returns the cost of packets on the line.
    pub fn packet(&self) -> Packet {
        Packet::of(&self.link)
    }

    /// Completes the link with the rates that are set aside.
    pub fn finish(&mut self, aside: &PerDirection<Vec<Aside>>) {
        let packet = self.packet();
        let link = &mut self.link;
        link.tree = PerDirection::from_fn(|d| {
            let less = aside.get(d).iter().map(|own| (own.name.as_str(), own.rate));
            derive::tree(link.shaped.get(d), &less.collect::<Vec<_>>())
        });
        link.ingress_burst = derive::police_burst(packet, link.tree.down.value);
    }
}

/// Resolves `link`. The reader has already reported missing values; placeholders replace them.
pub(super) fn resolve(raw: &RawLink, sink: &mut Sink) -> Option<Draft> {
    let vary = vary::resolve(raw, sink);
    let lowest = |d| vary.as_ref()?.bounds.get(d).as_ref().and_then(|own| Some((own.value[0], own.span()?)));
    let rates = PerDirection { up: raw.up, down: raw.down };
    // Without a line rate, the lowest one holds until `follow` knows a better one.
    let rates = PerDirection::from_fn(|d| {
        rates.get(d).or_else(|| lowest(d).map(|(value, span)| Spanned { value, span }))
    });
    let has_rate = |d| rates.get(d).or(*raw.shaped.get(d)).is_some();
    let complete = raw.device.is_some() && Direction::BOTH.into_iter().all(has_rate);
    let device = match &raw.device {
        Some(device) => Val::given(device.value.clone(), device.span),
        None => Val::default("missing".parse::<IfName>().ok()?, "missing"),
    };
    let devices = devices(raw, sink);
    let line = PerDirection::from_fn(|d| line_rate(*rates.get(d), *raw.shaped.get(d)));
    let base = base(raw, &line, complete, sink)?;
    let from = |what: &str| format!("{what} of {}", base.source);

    let overhead = number(raw.overhead, base.profile.overhead, &from("the overhead"));
    let mpu = match (raw.mpu, raw.overhead.is_some() && raw.profile.is_none()) {
        (None, true) => Val::default(0, "none, as `overhead` is given and no profile"),
        (given, _) => number(given, base.profile.mpu, &from("the least size")),
    };
    let layer = raw.layer.map_or_else(
        || Val::default(base.profile.layer, from("the layer")),
        |layer| Val::given(layer.value, layer.span),
    );
    let mtu = number(raw.mtu, base.profile.mtu, &from("the mtu"));
    let margin = PerDirection::from_fn(|d| match (raw.shaped.get(d), rates.get(d)) {
        (Some(shaped), Some(line)) => derive::margin(line.value, layer.value, shaped.value, shaped.span),
        (Some(_), None) => Val::default(Percent::from_ppm(0), "unknown without a line rate"),
        (None, _) if lowest(d).is_some() => {
            margin(*raw.margin.get(d), vary::MARGIN, "the default of a direction with `vary`")
        }
        (None, _) => {
            let default = *base.profile.margin.get(d);
            margin(*raw.margin.get(d), default, &from(&format!("the margin {}", d.as_str())))
        }
    });

    let shaped = PerDirection::from_fn(|d| match raw.shaped.get(d) {
        Some(shaped) => Val::given(shaped.value, shaped.span),
        None => derive::shaped(line.get(d), layer.value, margin.get(d).value),
    });
    given_rates::check(raw, sink);
    check_shaped(&line, &shaped, &margin, sink);
    let wire = Wire { layer: layer.value, overhead: overhead.value, mpu: mpu.value };
    if complete && base.guessed && (raw.overhead.is_none() || raw.layer.is_none()) {
        let line = raw.shaped.down.is_none().then_some(line.down.value);
        let guess = Guess { wire, line, shaped: shaped.down.value };
        sink.push(guess::warning(&guess, &base.source, raw.key));
    }

    let packet = Packet { wire, mtu: mtu.value };
    let link = Link {
        device,
        devices,
        profile: base.name,
        scheduling: PerDirection::from_fn(|d| {
            let rate = shaped.get(d).value;
            derive::scheduling(packet, rate, rate, true)
        }),
        tree: shaped.clone(),
        basis: PerDirection::from_fn(|d| {
            let derived = raw.shaped.get(d).is_none();
            derive::basis(packet, derived.then(|| margin.get(d).value), true)
        }),
        ingress_burst: derive::police_burst(packet, shaped.down.value),
        line,
        vary,
        margin,
        shaped,
        overhead,
        mpu,
        layer,
        mtu,
        ingress: choice(raw.ingress, Ingress::Shape),
        engine: engines(&raw.engine),
        frames: choice(raw.frames, Frames::Auto),
        trust_dscp: choice(raw.trust_dscp, false),
        wash: wash(raw.wash),
    };
    Some(Draft { link })
}

/// Resolves `devices`. The WAN device among them is reported and omitted.
fn devices(raw: &RawLink, sink: &mut Sink) -> Vec<LinkDevice> {
    let mut found = Vec::new();
    for own in &raw.devices {
        if let Some(wan) = raw.device.as_ref().filter(|wan| wan.value == own.name.value) {
            let message = format!("{} is already the `device` of the link", ticked(wan.value.as_str()));
            let finding = Diagnostic::new(Code::DuplicateName, own.name.span, message);
            sink.push(finding.also(wan.span, "the WAN device").help(
                "remove it from `devices`, which lists the other devices of the same line, such as `eth1.8`",
            ));
            continue;
        }
        found.push(LinkDevice {
            device: Val::given(own.name.value.clone(), own.name.span),
            up: own.up.map(|up| Val::given(up.value, up.span)),
        });
    }
    found
}

/// Source of values for fields that are not given.
struct Base {
    profile: LinkProfile,
    /// Name of the profile in the model.
    name: Val<String>,
    /// Name of the profile in messages.
    source: String,
    /// `true` if nobody chose the profile.
    guessed: bool,
}

fn base(raw: &RawLink, line: &PerDirection<Val<Rate>>, complete: bool, sink: &mut Sink) -> Option<Base> {
    let Some(name) = &raw.profile else {
        let guessed = guess::for_rates(line)?;
        let source = guessed.source.clone();
        let name = Val::default(guessed.profile.name.clone(), guessed.why);
        return Some(Base { profile: guessed.profile, name, source, guessed: complete });
    };
    let profile = match profile::find(&name.value) {
        Some(profile) => profile,
        None => {
            sink.push(unknown_profile(name));
            guess::for_rates(line)?.profile
        }
    };
    let source = format!("profile {}", ticked(&profile.name));
    Some(Base { name: Val::given(profile.name.clone(), name.span), profile, source, guessed: false })
}

fn unknown_profile(name: &Spanned<String>) -> Diagnostic {
    if let Some(finding) = keywords::without_profile(name) {
        return finding;
    }
    let names = profile::names();
    let keywords = || keywords::all().map(|(keyword, _)| keyword);
    let message = format!("there is no link profile {}", ticked(&name.value));
    let fix = surely(&name.value, names.iter().copied()).or_else(|| surely(&name.value, keywords()));
    let fix = fix.map(|meant| Fix::name(meant, name.span));
    let finding = Diagnostic::new(Code::UndefinedName, name.span, message).fix(fix);
    let alike = profile::alike(&name.value);
    if let Some(near) = did_you_mean(&name.value, names.iter().copied().chain(keywords())) {
        let profile = if names.contains(&near) { Some(near) } else { keywords::profile_of(near) };
        if alike.is_empty() || profile.is_some_and(|profile| alike.contains(&profile)) {
            return finding.help(match profile.filter(|profile| *profile != near) {
                Some(profile) => {
                    format!("did you mean CAKE's keyword {}, the profile `{profile}`?", ticked(near))
                }
                None => format!("did you mean {}?", ticked(near)),
            });
        }
    }
    let finding = match alike.as_slice() {
        [] => finding,
        [one] => finding.help(format!("did you mean {}?", ticked(one))),
        several => {
            let shown = or_ticked(several.iter().copied().take(ALIKE));
            finding.help(format!("did you mean one of these: {shown}?"))
        }
    };
    match alike.is_empty() {
        true => finding
            .help(format!(
                "the nearest names are {}; `qosc profiles` lists and explains all",
                and_ticked(nearest(&name.value, names))
            ))
            .help("the overhead keywords of tc-cake(8) are names of profiles, too, such as `pppoe-ptm`"),
        false => finding.help("`qosc profiles` lists all profiles"),
    }
}

/// As many names as a question proposes.
const ALIKE: usize = 4;

/// Returns the line rate of a direction. The shaped rate stands for it if it is not given.
fn line_rate(given: Opt<Rate>, shaped: Opt<Rate>) -> Val<Rate> {
    match (given, shaped) {
        (Some(rate), _) => Val::given(rate.value, rate.span),
        (None, Some(shaped)) => Val::derived(shaped.value, "unknown: the shaped rate", Some(shaped.span)),
        (None, None) => Val::default(PLACEHOLDER, "missing"),
    }
}

fn number(given: Opt<u32>, default: u32, why: &str) -> Val<u32> {
    given.map_or_else(|| Val::default(default, why.to_owned()), |given| Val::given(given.value, given.span))
}

fn margin(given: Opt<Percent>, default: Percent, why: &str) -> Val<Percent> {
    given.map_or_else(|| Val::default(default, why.to_owned()), |given| Val::given(given.value, given.span))
}

/// Returns the given value, or the program's own default.
pub(super) fn choice<T: Copy>(given: Opt<T>, default: T) -> Val<T> {
    given.map_or_else(|| Val::default(default, "the default"), |given| Val::given(given.value, given.span))
}

fn engines(raw: &Each<Engine>) -> PerDirection<Val<Engine>> {
    PerDirection { up: choice(raw.up, Engine::Htb), down: choice(raw.down, Engine::Htb) }
}

fn wash(raw: Opt<Wash>) -> PerDirection<bool> {
    let which = raw.map(|wash| wash.value);
    PerDirection {
        up: matches!(which, Some(Wash::Up | Wash::Both)),
        down: matches!(which, Some(Wash::Down | Wash::Both)),
    }
}

fn check_shaped(
    line: &PerDirection<Val<Rate>>,
    shaped: &PerDirection<Val<Rate>>,
    margin: &PerDirection<Val<Percent>>,
    sink: &mut Sink,
) {
    let mut said = None;
    for direction in Direction::BOTH {
        let (line, shaped, margin) = (line.get(direction), shaped.get(direction), margin.get(direction));
        let Some(span) = shaped.span().filter(|_| shaped.value < LEAST_RATE) else { continue };
        if said == Some(span) {
            continue;
        }
        said = Some(span);
        let message = if shaped.is_given() {
            format!("a shaped rate of {} is too low", shaped.value)
        } else if line.value < LEAST_RATE {
            format!("a line rate of {} is too low to shape", line.value)
        } else {
            format!("a line rate of {} less a margin of {} is too low to shape", line.value, margin.value)
        };
        let label = match shaped.value.bps() {
            0 => "nothing is left".to_owned(),
            _ => format!("{} is left", shaped.value),
        };
        let finding = Diagnostic::new(Code::RateTooLow, span, message);
        let mut finding = if shaped.is_given() { finding } else { finding.label(label) };
        if let Some(span) = margin.given_at() {
            finding = finding.also(span, "the margin");
        }
        if margin.given_at().is_some() && line.value >= LEAST_RATE {
            finding = finding.help("write a smaller `margin`");
        }
        sink.push(finding.help(derive::too_low_help()));
    }
}

/// Returns the place for findings about the whole link.
pub(super) fn place(raw: Option<&RawLink>, file: crate::diag::FileId) -> Span {
    raw.map_or(Span { file, start: 0, end: 0, line: 1, column: 1 }, |link| link.key)
}

#[cfg(test)]
#[path = "link_tests.rs"]
mod tests;
