#![doc = include_str!("../../../../docs/rules/Q0706.md")]

use crate::diag::{Code, Diagnostic, Sink, ticked};
use crate::model::{Alternative, Direction, Exceed, Ingress, Model, Police};
use crate::units::{Address, Family, Rate};

/// Rate that any router still on sale can shape.
const EASY: Rate = Rate::from_bps(100_000_000);

pub(super) fn find(model: &Model, sink: &mut Sink) {
    let link = &model.link;
    let ingress = link.ingress.given_at().filter(|_| link.ingress.value == Ingress::Police);
    if let Some(place) = ingress.filter(|_| link.shaped.down.value <= EASY) {
        let message = "all downloads are policed, although a router can shape this rate";
        sink.push(
            Diagnostic::new(Code::PolicedLink, place, message)
                .label(format!(
                    "packets above {} are dropped, and classes have no effect",
                    link.shaped.down.value.rounded(4)
                ))
                .help("leave `ingress` out to shape downloads in classes"),
        );
    }
    for police in model.police.iter().filter(|police| takes_all(police) && police.exceed == Exceed::Drop) {
        let message = format!("police {} matches all {}", ticked(&police.name), police.direction.loads());
        sink.push(
            Diagnostic::new(Code::PolicedLink, police.span, message)
                .label(format!("packets above {} are dropped, whoever they are for", police.rate.value))
                .help("write the rate of the line in `link`, or a `ceiling` in the classes: they queue, and drop packets of the flows that send too much"),
        );
    }
}

/// True if it takes all packets of its direction.
fn takes_all(police: &Police) -> bool {
    let all =
        |family| police.matches.iter().any(|alternative| takes_family(alternative, police.direction, family));
    all(Family::Ipv4) && all(Family::Ipv6)
}

fn takes_family(alternative: &Alternative, direction: Direction, family: Family) -> bool {
    let whole = |address: &Address| match address {
        Address::V4(net) => family == Family::Ipv4 && net.prefix_len() == 0,
        Address::V6(net) => family == Family::Ipv6 && net.prefix_len() == 0,
        Address::V6Interface { .. } => false,
    };
    let anyone = |addresses: &[Address]| addresses.is_empty() || addresses.iter().any(whole);
    let Alternative { hosts, local, remote, family: only, direction: asked, .. } = alternative;
    let bare = Alternative {
        local: Vec::new(),
        remote: Vec::new(),
        family: None,
        direction: None,
        ..alternative.clone()
    };
    let here = only.is_none_or(|only| only == family) && asked.is_none_or(|asked| asked == direction);
    here && hosts.is_empty() && anyone(local) && anyone(remote) && bare.asks_only_hosts()
}
