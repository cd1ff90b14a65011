//! Parameters of interfaces and classes.

use crate::amounts::{amount, rate_of};
use crate::config::Queue;
use crate::device::{LAYERS, layer_of};
use crate::fq_codel;
use crate::report::ImportReport;
use crate::text::Word;
use qosc_compiler::diag::{Span, ticked};
use qosc_compiler::terms::limits::{MTU, RATE};
use qosc_compiler::terms::{Amount, Direction, Layer, PerDirection};
use qosc_compiler::units::{Percent, Rate};

/// FireQOS's default for `minrate`.
const HUNDREDTH: Amount = Amount::Share(Percent::from_ppm(10_000));

/// A speed in each direction.
type Amounts = PerDirection<Option<Amount>>;

/// `prio` of a class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Prio {
    /// The next number after the last one given.
    #[default]
    Next,
    /// That of the class before.
    Keep,
    /// A number.
    Fixed(u8),
}

/// Parameters of an interface or a class.
#[derive(Debug, Clone, Default)]
pub(super) struct Params {
    pub(super) rate: Amounts,
    pub(super) ceil: Amounts,
    pub(super) minrate: Amounts,
    pub(super) prio: Prio,
    /// Every class inside has the same priority; `None` for what the parent says.
    pub(super) balanced: Option<bool>,
    /// Queue of the classes inside.
    pub(super) queue: Option<Queue>,
    /// Profile of the words after `adsl`.
    pub(super) profile: Option<&'static str>,
    pub(super) layer: Option<Layer>,
    pub(super) overhead: Option<i64>,
    pub(super) mpu: Option<i64>,
    pub(super) mtu: Option<u32>,
}

/// Returns the profile of an encapsulation such as `pppoe-llcsnap` or `IPoA-VC/Mux`.
fn profile(name: &str) -> Option<&'static str> {
    let lower = name.to_ascii_lowercase();
    let (kind, end) = lower.split_once('-')?;
    let end = match end {
        "vcmux" | "vc" | "mux" | "vc/mux" => "vcmux",
        "llcsnap" | "llc" | "snap" | "llc/snap" => "llc",
        _ => return None,
    };
    let name = format!("adsl-{kind}-{end}");
    qosc_compiler::profile::names().into_iter().find(|known| *known == name)
}

/// Reads a speed: a share, or a number that is kbit/s without a unit. `kbps` counts 1024 bytes, as in FireQOS.
fn speed(text: &str) -> Option<Amount> {
    if text.ends_with('%') {
        let ppm = amount(text, |unit| (unit == "%").then_some(10_000))?;
        return Some(Amount::Share(Percent::from_ppm(u32::try_from(ppm).ok()?)));
    }
    let scale = |unit: &str| match unit {
        "bit" => Some(1),
        "" | "kbit" => Some(1_000),
        "mbit" => Some(1_000_000),
        "gbit" => Some(1_000_000_000),
        "bps" => Some(8),
        "kbps" => Some(8 << 10),
        "mbps" => Some(8 << 20),
        "gbps" => Some(8 << 30),
        _ => None,
    };
    amount(text, scale).filter(|bps| *bps <= RATE.most).map(|bps| Amount::Rate(Rate::from_bps(bps)))
}

/// Returns the queue with a name of FireQOS.
pub(super) fn queue_of(name: &str, span: Span, report: &mut ImportReport) -> Queue {
    let kind = match name {
        "fq_codel" => "fq_codel",
        "pfifo" | "bfifo" | "none" | "default" | "pfifo_fast" => "fifo",
        "cake" => {
            let said = "CAKE shares between flows here; in FireQOS it also sorts by the DSCP and shares between hosts";
            report.other(span, said, "write `share: per-host` to share between hosts");
            "cake"
        }
        other => {
            report.other(span, fq_codel::instead_of(other), "");
            "fq_codel"
        }
    };
    Queue { kind, options: Vec::new() }
}

impl Params {
    /// Returns the smallest guarantee in a direction of an interface with the rate `whole`: as a class of the interface
    /// states it, and as a rate. A class without a guarantee has it.
    pub(super) fn least(&self, direction: Direction, whole: Rate) -> (Amount, Rate) {
        let written = self.minrate.get(direction).unwrap_or(HUNDREDTH);
        let rate = rate_of(written, whole);
        // FireQOS gives no class less than a full packet per second.
        let packet = Rate::from_bps(u64::from(self.mtu.unwrap_or(1500)) * 8 / 1000 * 1000);
        if rate < packet { (Amount::Rate(packet), packet) } else { (written, rate) }
    }

    /// Returns `true` if a parameter describes the line and not a class.
    pub(super) fn is_of_link(&self) -> bool {
        let bytes = self.overhead.or(self.mpu).or(self.mtu.map(i64::from));
        self.layer.is_some() || bytes.is_some() || self.minrate != PerDirection::default()
    }

    /// Reads the words of an interface or a class.
    pub(super) fn read(&mut self, words: &[Word], report: &mut ImportReport) {
        let mut words = words.iter();
        let mut directions: &[Direction] = &Direction::BOTH;
        while let Some(word) = words.next() {
            // a word without its value stands for the value
            let mut value = || words.next().unwrap_or(word);
            match word.text.as_str() {
                "input" => directions = &[Direction::Down],
                "output" => directions = &[Direction::Up],
                "rate" | "commit" | "min" => set(&mut self.rate, directions, value(), report),
                "ceil" | "max" => set(&mut self.ceil, directions, value(), report),
                "minrate" => set(&mut self.minrate, directions, value(), report),
                "prio" => {
                    let value = value();
                    let number = |text: &str| text.parse::<i64>().ok();
                    let fixed = |own: i64| Prio::Fixed(u8::try_from(own.clamp(0, 7)).unwrap_or(7));
                    self.prio = match value.text.as_str() {
                        "keep" | "last" => Prio::Keep,
                        _ => report
                            .read(value, "no priority", "write 0 to 7", number)
                            .map_or(Prio::Next, fixed),
                    };
                }
                "balanced" | "priority" => self.balanced = Some(word.text == "balanced"),
                "qdisc" | "pfifo" | "bfifo" | "sfq" | "fq_codel" | "codel" | "none" => {
                    let name = if word.text == "qdisc" { value() } else { word };
                    self.queue = Some(queue_of(&name.text, name.span, report));
                }
                "options" => match &mut self.queue {
                    Some(queue) if queue.kind == "fq_codel" => {
                        let mut own = fq_codel::Options::default();
                        fq_codel::read(&value().parts().collect::<Vec<_>>(), &mut own, report);
                        queue.options = fq_codel::queue(&own).map(|own| own.options).unwrap_or_default();
                    }
                    _ => report.unknown(word.span, "the parameter", &value().text, ""),
                },
                "ethernet" | "atm" | "linklayer" => {
                    let value = if word.text == "linklayer" { value() } else { word };
                    self.layer = layer_of(&value.text);
                    if self.layer.is_none() {
                        report.unknown(value.span, "the link layer", &value.text, LAYERS);
                    }
                }
                "adsl" => {
                    let (end, kind) = (value(), value());
                    self.profile = profile(&kind.text);
                    self.layer = Some(Layer::Atm);
                    if self.profile.is_none() || !matches!(end.text.as_str(), "local" | "remote") {
                        let said = format!("{} is no encapsulation of ADSL", ticked(&kind.text));
                        report.bad(kind.span, said, "write it as in `adsl local pppoe-llc`");
                    }
                }
                "overhead" => self.overhead = bytes(value(), report),
                "mpu" => self.mpu = bytes(value(), report),
                "mtu" => {
                    let mtu = bytes(value(), report).and_then(|mtu| u32::try_from(mtu).ok());
                    self.mtu = mtu.filter(|mtu| MTU.contains(mtu));
                }
                key @ ("r2q" | "burst" | "cburst" | "quantum" | "tsize") => {
                    value();
                    report.unknown(word.span, "the parameter", key, "the compiler derives it from the rates");
                }
                other => report.unknown(word.span, "the parameter", other, ""),
            }
        }
    }
}

fn set(slot: &mut Amounts, directions: &[Direction], word: &Word, report: &mut ImportReport) {
    let help = "write a number and `kbit`, `mbit`, `gbit` or `%`";
    let value = report.read(word, "no speed", help, speed);
    directions.iter().for_each(|direction| *slot.get_mut(*direction) = value);
}

fn bytes(word: &Word, report: &mut ImportReport) -> Option<i64> {
    report.read(word, "no number of bytes", "write digits only", |text| text.parse().ok())
}
