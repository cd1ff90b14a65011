//! Assigns places to names from a hash of each name. The order in the file therefore does not matter. A name that comes
//! or goes only moves names that share a place with it.

use crate::units::fnv1a64;

/// A name and its place.
pub(super) struct Placed<'a> {
    pub name: &'a str,
    /// Place that the hash of the name selects.
    pub wanted: usize,
    /// Place that the name got.
    pub place: usize,
}

/// Returns the place that a name wants; `None` if there are no places.
pub(super) fn wish(name: &str, places: usize) -> Option<usize> {
    let place = fnv1a64(name.as_bytes()).checked_rem(places as u64)?;
    usize::try_from(place).ok()
}

/// Assigns each name one of `places` places. Each place goes to the alphabetically first name that wants it. The
/// remaining names then get the next free place. `take` marks a place as used and returns `true` if it was free. Names
/// for which no place is left are omitted.
pub(super) fn deal<'a>(
    names: impl Iterator<Item = &'a str>,
    places: usize,
    mut take: impl FnMut(usize) -> bool,
) -> Vec<Placed<'a>> {
    let mut wishes: Vec<(usize, &str)> = names.filter_map(|name| Some((wish(name, places)?, name))).collect();
    wishes.sort_unstable();
    wishes.dedup();
    let mut placed = Vec::with_capacity(wishes.len());
    wishes.retain(|(wanted, name)| {
        let free = take(*wanted);
        if free {
            placed.push(Placed { name, wanted: *wanted, place: *wanted });
        }
        !free
    });
    for (wanted, name) in wishes {
        let next = (0..places).map(|step| (wanted + step) % places).find(|place| take(*place));
        placed.extend(next.map(|place| Placed { name, wanted, place }));
    }
    placed
}
