#![doc = include_str!("../../../../docs/rules/Q0516.md")]

use super::of_classes;
use crate::diag::{Code, Diagnostic, ticked};
use crate::model::{Alternative, Direction, Model};

pub(super) fn find(model: &Model) -> Option<Diagnostic> {
    let trust = &model.link.trust_dscp;
    let place = trust.given_at().filter(|_| trust.value)?;
    let down = |alternative: &&&Alternative| {
        !alternative.dscp.is_empty() && alternative.direction != Some(Direction::Up)
    };
    // A match that names the servers does not trust strangers.
    let strangers =
        |alternative: &&&Alternative| alternative.remote.is_empty() && alternative.hosts.is_empty();
    let all = of_classes(model);
    let own = all.iter().filter(|alternative| alternative.span.is_own());
    let first = own.filter(down).find(strangers)?;
    Some(
        Diagnostic::new(Code::TrustedDscp, place, "any sender on the internet can choose its class")
            .label("trusts the DSCP of downloads")
            .also(first.span, format!("{} matches packets of any sender", ticked(&first.text)))
            .help("leave `trust_dscp` out; an alternative with `direction: down` then matches the DSCP that the LAN last sent on the connection")
            .help("or add `remote` to the match to name the trusted senders; many providers clear the DSCP, so check first what arrives"),
    )
}
