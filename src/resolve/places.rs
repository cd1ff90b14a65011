//! Places for names, from a hash of each: so their order in the file does not matter, and a name that comes or goes moves none
//! but those that share a place with it.

use crate::units::fnv1a64;

/// A name and its place.
pub(super) struct Placed<'a> {
    pub name: &'a str,
    /// The place that its hash wants.
    pub wanted: usize,
    /// The place that it has.
    pub place: usize,
}

/// The place that a name wants; `None` where there is none at all.
pub(super) fn wish(name: &str, places: usize) -> Option<usize> {
    let place = fnv1a64(name.as_bytes()).checked_rem(places as u64)?;
    usize::try_from(place).ok()
}

/// Gives names one of so many places each: a place goes to the first name that wants it, in the order of the alphabet; then the
/// names that are left get the next one that is free. `take` takes a place, and says whether it was free. Names for which there is
/// no place are left out.
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
