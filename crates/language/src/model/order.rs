//! Order in which the matches of a class tree are tried. Filters and rules use the same one.

use super::{Alternative, Class, Leaf, Shape};

/// A leaf with the packets that its matches select. `T` is how the caller describes packets.
pub struct Matched<'a, T> {
    /// The class of the leaf.
    pub class: &'a Class,
    /// The leaf itself.
    pub leaf: &'a Leaf,
    /// Packets that meet the matches of the leaf and of all its parents.
    pub packets: T,
}

/// Returns the leaves that some match reaches, in the order in which their matches are tried: that of the file. A leaf
/// without matches gets the rest of its parent's match, so it comes after all other leaves inside that match.
///
/// `narrow` returns the packets of a class: those that meet its matches and are among the packets of its parents, if a
/// parent has matches. It is called once for each class with matches, parents before children.
pub fn in_match_order<'a, T: Clone>(
    classes: &'a [Class],
    narrow: &mut impl FnMut(&'a Class, &'a [Alternative], Option<&T>) -> T,
) -> Vec<Matched<'a, T>> {
    walk(classes, None, narrow).matched
}

/// Leaves below one class.
struct Below<'a, T> {
    matched: Vec<Matched<'a, T>>,
    /// Leaves that get the rest of the innermost match around them.
    rest: Vec<Matched<'a, T>>,
}

fn walk<'a, T: Clone>(
    classes: &'a [Class],
    outer: Option<&T>,
    narrow: &mut impl FnMut(&'a Class, &'a [Alternative], Option<&T>) -> T,
) -> Below<'a, T> {
    let mut below = Below { matched: Vec::new(), rest: Vec::new() };
    for class in classes {
        let own = class.matches.as_ref().map(|matches| narrow(class, matches, outer));
        match (&class.shape, own) {
            (Shape::Leaf(leaf), Some(packets)) => below.matched.push(Matched { class, leaf, packets }),
            // outside all matches only the default class gets packets
            (Shape::Leaf(leaf), None) => {
                below.rest.extend(outer.map(|outer| Matched { class, leaf, packets: outer.clone() }));
            }
            (Shape::Inner(children), Some(packets)) => {
                let inside = walk(children, Some(&packets), narrow);
                below.matched.extend(inside.matched);
                below.matched.extend(inside.rest);
            }
            (Shape::Inner(children), None) => {
                let inside = walk(children, outer, narrow);
                below.matched.extend(inside.matched);
                below.rest.extend(inside.rest);
            }
        }
    }
    below
}
