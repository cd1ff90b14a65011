#![doc = include_str!("../../../../docs/rules/Q0622.md")]

use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Direction, Ingress, PerDirection, Val, Vary};
use crate::syntax::raw::RawLink;
use crate::units::{Micros, Percent};

/// Margin of a direction that varies: `follow` measures what the line carries, so nothing else is set aside.
pub(super) const MARGIN: Percent = Percent::from_ppm(50_000);
/// Delay that the line may add.
const DELAY: Micros = Micros::from_us(30_000);

/// Resolves `vary`.
pub(super) fn resolve(raw: &RawLink, sink: &mut Sink) -> Option<Vary> {
    let own = raw.vary.as_ref()?;
    let (lines, bounds) =
        (PerDirection { up: raw.up, down: raw.down }, PerDirection { up: own.up, down: own.down });
    let misfit = |span, message: String| Diagnostic::new(Code::VaryMisfit, span, message);
    for direction in Direction::BOTH {
        let Some(of) = bounds.get(direction) else { continue };
        let (name, [low, high]) = (direction.as_str(), of.value);
        if low >= high {
            let message = format!("the rate {name} cannot vary from {low} to {high}");
            let help = match low == high {
                true => format!("write two rates, or the line rate `{name}: {low}` beside `vary`"),
                false => format!("write the lowest rate first: `[{high}, {low}]`"),
            };
            sink.push(misfit(of.span, message).help(help));
        }
        if let Some(line) =
            lines.get(direction).filter(|line| low < high && !(low..=high).contains(&line.value))
        {
            let message = format!("the line rate {} is not within the bounds of `vary`", line.value);
            let finding = misfit(line.span, message).also(of.span, format!("from {low} to {high}"));
            sink.push(finding.help(format!("remove `{name}`, or write a rate within the bounds")));
        }
        if let Some(shaped) = raw.shaped.get(direction) {
            let finding = misfit(shaped.span, "`shaped` cannot stand beside `vary`".to_owned());
            sink.push(finding.also(of.span, "`follow` sets the shaped rate").help("remove one of the two"));
        }
    }
    if let Some(ingress) = raw.ingress.filter(|own| own.value != Ingress::Shape && bounds.down.is_some()) {
        let finding = misfit(
            ingress.span,
            format!("with `ingress: {}`, downloads have no rate to adapt", ingress.value.as_str()),
        );
        sink.push(finding.also(own.key, "this varies it").help("remove `ingress`, or `down` of `vary`"));
    }
    for probe in own.probe.iter().filter(|probe| !probe.value.is_single()) {
        let message = format!("{} is not the address of one machine", ticked(&probe.value.to_string()));
        sink.push(
            misfit(probe.span, message)
                .help("write an address that answers pings, such as that of the provider's DNS server"),
        );
    }
    let given = |given: &crate::diag::Spanned<[crate::units::Rate; 2]>| Val::given(given.value, given.span);
    Some(Vary {
        bounds: PerDirection::from_fn(|d| bounds.get(d).as_ref().map(given)),
        probe: own.probe.iter().map(|probe| Val::given(probe.value, probe.span)).collect(),
        delay: own
            .delay
            .map_or_else(|| Val::default(DELAY, "the default"), |own| Val::given(own.value, own.span)),
    })
}
