//! Selectors of the matched packets, by direction and family.

use super::hashed::Comparisons;
use super::intersect::SelectorIndex;
use super::limits::{COMPARED, MOST, TooLarge};
use super::selectors;
use crate::model::{Direction, Tunnel};
use crate::tc::Selector;
use crate::units::Family;

/// All combinations of direction and family.
pub(super) const DIRECTIONS_AND_FAMILIES: [(Direction, Family); 4] = [
    (Direction::Up, Family::Ipv4),
    (Direction::Up, Family::Ipv6),
    (Direction::Down, Family::Ipv4),
    (Direction::Down, Family::Ipv6),
];

/// Selectors of the matched packets, by direction and family. An empty list matches nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct MatchSet(pub(super) [Vec<Selector>; 4]);

impl MatchSet {
    /// Returns the match set of all packets of these tunnels, whatever they carry.
    pub(super) fn outside<'t>(tunnels: impl Iterator<Item = &'t Tunnel>) -> MatchSet {
        let mut match_set = MatchSet::default();
        for tunnel in tunnels {
            for ((direction, family), slot) in DIRECTIONS_AND_FAMILIES.into_iter().zip(&mut match_set.0) {
                slot.extend(selectors::tunnel(tunnel, direction, family));
            }
        }
        match_set
    }

    /// Returns the intersection of both match sets.
    pub(super) fn and(&self, other: &MatchSet) -> Result<MatchSet, TooLarge> {
        self.indices(other.longest()).and(other)
    }

    /// Returns the largest number of selectors for a direction and family.
    pub(super) fn longest(&self) -> usize {
        self.0.iter().map(Vec::len).max().unwrap_or_default()
    }

    /// Returns an index for intersections with up to `others` selectors per direction and family.
    pub(super) fn indices(&self, others: usize) -> MatchSetIndex<'_> {
        MatchSetIndex(self.0.each_ref().map(|taken| SelectorIndex::new(taken, others)))
    }

    /// Returns the selectors for a direction and family.
    pub(super) fn get(&self, direction: Direction, family: Family) -> &[Selector] {
        let directions = DIRECTIONS_AND_FAMILIES.iter().zip(&self.0);
        directions
            .filter(|(of, _)| **of == (direction, family))
            .map(|(_, taken)| taken.as_slice())
            .next()
            .unwrap_or(&[])
    }

    /// Returns the number of selectors in all directions and families.
    pub(super) fn len(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    /// Returns `true` if no packet matches; only looks at one direction if one is given.
    pub(super) fn is_nothing(&self, direction: Option<Direction>) -> bool {
        let directions = DIRECTIONS_AND_FAMILIES.iter().zip(&self.0);
        directions
            .filter(|((of, _), _)| direction.is_none_or(|only| only == *of))
            .all(|(_, taken)| taken.is_empty())
    }
}

/// A match set with an index for many intersections.
#[derive(Debug)]
pub(super) struct MatchSetIndex<'t>([SelectorIndex<'t>; 4]);

impl MatchSetIndex<'_> {
    /// Returns the cost of the intersection with `other` in the unit of [`SelectorIndex::cost`].
    pub(super) fn cost(&self, other: &MatchSet) -> usize {
        self.0.iter().zip(&other.0).map(|(own, theirs)| own.cost(theirs.len())).sum()
    }

    /// Returns the intersection of both match sets.
    pub(super) fn and(&self, other: &MatchSet) -> Result<MatchSet, TooLarge> {
        let mut both = MatchSet::default();
        for ((own, theirs), slot) in self.0.iter().zip(&other.0).zip(&mut both.0) {
            *slot = own.product(theirs)?;
        }
        Ok(both)
    }
}

/// Number of filters and comparisons for several alternatives, by direction and family.
#[derive(Debug, Default)]
pub(super) struct Needed([(usize, Comparisons); 4]);

impl Needed {
    /// Adds the filters and comparisons of a match set. Fails if the total is too large for the alternatives of one
    /// match.
    pub(super) fn add(&mut self, match_set: &MatchSet) -> Result<(), TooLarge> {
        self.count(match_set);
        let too_large =
            |(filters, compared): &(usize, Comparisons)| *filters > MOST || compared.sum() > COMPARED;
        if self.0.iter().any(too_large) { Err(TooLarge) } else { Ok(()) }
    }

    /// Adds the filters and comparisons of a match set.
    pub(super) fn count(&mut self, match_set: &MatchSet) {
        for (taken, (filters, compared)) in match_set.0.iter().zip(&mut self.0) {
            *filters += taken.len();
            compared.add(taken);
        }
    }

    /// Returns the number of filters in all directions and families.
    pub(super) fn filters(&self) -> usize {
        self.0.iter().map(|(filters, _)| filters).sum()
    }

    /// Returns the number of comparisons in all directions and families.
    pub(super) fn compared(&self) -> usize {
        self.0.iter().map(|(_, compared)| compared.sum()).sum()
    }
}
