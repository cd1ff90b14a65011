//! Texts and comparisons that several sections need.

use super::change::{At, Comparison, Group};
use super::written::word;
use crate::model::{Direction, Scheduling, Tunnel};

pub(super) const FILTERS: &str = "the filters are replaced";

pub(super) const MARKS: &str =
    "the nft table is replaced; existing connections follow with their next upload packet";

/// Returns `None` for the text of an empty list.
pub(super) fn some(text: String) -> Option<String> {
    (!text.is_empty()).then_some(text)
}

/// Returns the fields of a tunnel as text.
pub(super) fn tunnel_fields(tunnel: &Tunnel) -> Vec<(&'static str, Option<String>)> {
    let mut remote: Vec<String> = tunnel.remote.iter().map(|address| address.value.to_string()).collect();
    remote.sort_unstable();
    vec![
        ("kind", Some(word(&tunnel.kind))),
        ("device", tunnel.device.as_ref().map(|device| device.value.to_string())),
        ("remote", some(remote.join(", "))),
        ("port", tunnel.port.as_ref().map(ToString::to_string)),
        ("mtu", tunnel.mtu.as_ref().map(|mtu| mtu.value.to_string())),
        ("inner", Some(word(&tunnel.inner.value))),
        ("nat", tunnel.nat.value.then(|| "true".to_owned())),
    ]
}

/// Records bursts and quanta, which are always derived.
pub(super) fn scheduling(
    found: &mut Comparison,
    place: &At<'_>,
    direction: Direction,
    old: &Scheduling,
    new: &Scheduling,
) {
    let values = [
        ("burst", old.burst.value.to_string(), new.burst.value.to_string()),
        ("cburst", old.cburst.value.to_string(), new.cburst.value.to_string()),
        ("quantum", old.quantum.value.to_string(), new.quantum.value.to_string()),
    ];
    for (field, old, new) in values {
        found.follow(place, Group::Bursts, &format!("{field} {}", direction.as_str()), old, new);
    }
}
