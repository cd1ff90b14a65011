//! Limits of the rates of real lines.

use super::devices;
use crate::model::Link;
use crate::units::Rate;

/// One channel of ISDN. No line to the internet that is still in use is slower.
pub(in crate::check) const SLOWEST: Rate = Rate::from_bps(64_000);

/// Factor between the two directions that no line on sale reaches. Satellites come nearest, with about 100.
pub(in crate::check) const FACTOR: u64 = 200;

/// True if the upload rate is at least 1.5 times the download rate on a kind of line where it is never higher. A bad
/// line may fall a little below the usual rates; a factor beyond [`FACTOR`] is a wrong unit.
pub(in crate::check) fn are_swapped(link: &Link) -> bool {
    let profile = link.profile.value.as_str();
    let never = devices::is_dsl(profile) || profile == "docsis";
    let (up, down) = (link.line.up.value, link.line.down.value);
    never && up >= down.scale(3, 2) && down >= SLOWEST && up < down.scale(FACTOR, 1)
}
