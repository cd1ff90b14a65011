//! Settings for downloads that are not shaped.

use super::classes::flatten;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned};
use crate::model::{Direction, Ingress, Link};
use crate::syntax::Raw;
use crate::syntax::raw::{Each, Opt, RawQueue};
use crate::terms::Wash;

/// Largest number of places in the finding.
const POINTED_AT: usize = 100;

/// Reports the settings that only downloads use, if downloads have no classes.
pub(super) fn check(raw: &Raw, link: &Link, sink: &mut Sink) {
    if link.shapes(Direction::Down) || sink.has_errors() {
        return;
    }
    let mut places: Vec<Span> = Vec::new();
    for class in raw.classes.iter().flat_map(|set| flatten(&set.list)) {
        let rates = [only_down(&class.guarantee), only_down(&class.ceiling)];
        places.extend(rates.into_iter().chain([only_down(&class.share), only_down(&class.queue)]).flatten());
        if let Some(Spanned { value: RawQueue::FqCodel { ecn, .. }, .. }) = &class.queue.up {
            places.extend(only_down(ecn));
        }
        let matches = class.matches.iter().flatten().filter(|own| is_down(own.direction));
        places.extend(matches.map(|own| own.span));
    }
    for host in &raw.hosts {
        let each = host.each.iter().flat_map(|each| [&each.guarantee, &each.ceiling]);
        places.extend([&host.guarantee, &host.ceiling].into_iter().chain(each).filter_map(only_down));
    }
    let policed = raw.police.iter().filter(|own| is_down(own.direction));
    let by_dscp = policed.flat_map(|own| own.matches.iter().flatten()).any(|own| !own.dscp.is_empty());
    if let Some(line) = &raw.link {
        places.extend(line.wash.filter(|own| own.value == Wash::Down).map(|own| own.span));
        places.extend(line.trust_dscp.filter(|own| own.value && !by_dscp).map(|own| own.span));
    }
    places.retain(|place| place.is_own());
    places.sort_unstable();
    let Some((first, others)) = places.split_first() else { return };
    let holds = match link.ingress.value {
        Ingress::Police => {
            format!("downloads are policed as a whole at {}", link.tree.down.value.for_people())
        }
        _ => "downloads are not shaped".to_owned(),
    };
    let message = match others.len() {
        0 => "a setting for downloads has no effect".to_owned(),
        more => format!("{} settings for downloads have no effect", more + 1),
    };
    sink.push(
        Diagnostic::new(Code::DownloadsUnshaped, *first, message)
            .label(holds)
            .also_at(others.iter().take(POINTED_AT).map(|place| (*place, "has no effect either")))
            .also_at(link.ingress.span().map(|span| (span, "turns the classes of downloads off")))
            .help("leave `ingress` out to shape downloads in classes, or remove what is for downloads only")
            .help("to limit some downloads without classes, use `police`"),
    );
}

fn is_down(direction: Opt<Direction>) -> bool {
    direction.is_some_and(|own| own.value == Direction::Down)
}

/// Returns the place of a value for downloads, if uploads do not use it, too.
fn only_down<T>(each: &Each<T>) -> Option<Span> {
    let down = each.down.as_ref()?.span;
    each.up.as_ref().is_none_or(|up| up.span != down).then_some(down)
}
