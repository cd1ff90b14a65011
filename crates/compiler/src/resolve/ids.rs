//! Derives class ids from class names.

use super::places::Placed;
use crate::diag::{Code, Diagnostic, Sink, Span, Spanned, ticked};
use crate::model::{ClassId, Val};
use crate::tc::CLASS_NUMBERS;
use crate::terms::limits::CLASS_ID;
use std::collections::BTreeMap;

/// Largest number of classes in one link. With more, a compilation could take more than 2 s or 300 MB.
pub const MOST: usize = 12_000;

/// Largest number of names whose ids all begin with the same digit, so that the two slots of a tree are easy to tell apart.
const FEW: usize = 2_000;

/// Lowest id that is derived from a name; lower ids can only be pinned.
const FIRST: u16 = 0x10;

/// Returns the number of ids for this many names. It is so large that few names want the same id. It never changes,
/// because the id of a name depends on it.
const fn places(names: usize) -> usize {
    let end = if names <= FEW { 0x1000 } else { CLASS_NUMBERS };
    (end - FIRST) as usize
}

/// A class that needs an id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// Name of the class.
    pub name: &'a Spanned<String>,
    /// Value of `id`, if given.
    pub pinned: Option<Spanned<u16>>,
}

/// Returns the id of one of the places for names. Ids ascend with the places.
fn id_at(place: usize) -> u16 {
    FIRST.saturating_add(u16::try_from(place).unwrap_or(u16::MAX))
}

/// Set of ids that are in use.
struct Taken(Vec<bool>);

impl Taken {
    /// Marks an id as used; returns `false` if it was used before.
    fn reserve(&mut self, id: u16) -> bool {
        self.0.get_mut(usize::from(id)).is_some_and(|taken| !std::mem::replace(taken, true))
    }
}

/// Assigns every name an id. Pinned ids come first. Each place then goes to the alphabetically first name whose hash
/// selects it, and every remaining name gets the next free place.
///
/// The order in the file therefore never matters. A name that comes or goes only moves names that share a place with
/// it.
pub(super) fn assign(wanted: &[Wanted<'_>], at: Span, sink: &mut Sink) -> BTreeMap<String, Val<ClassId>> {
    let mut ids = BTreeMap::new();
    if wanted.len() > MOST {
        let message = format!("{} classes are too many: a link can have at most {MOST}", wanted.len());
        sink.push(
            Diagnostic::new(Code::TooMany, at, message)
                .help("remove classes, or merge classes that are treated alike"),
        );
        return ids;
    }
    let mut taken = pin(wanted, &mut ids, sink);

    let unpinned = wanted.iter().filter(|class| class.pinned.is_none());
    let names = unpinned.map(|class| class.name.value.as_str());
    deal(names, places(wanted.len()), &mut taken, &mut ids);
    ids
}

/// Assigns ids to more names from the unused ones. Ids in `before` never change.
pub(super) fn assign_more(
    names: &[String],
    before: &BTreeMap<String, Val<ClassId>>,
    at: Span,
    sink: &mut Sink,
) -> BTreeMap<String, Val<ClassId>> {
    let mut ids = BTreeMap::new();
    let all = names.len() + before.len();
    if all > MOST {
        let message =
            format!("{all} classes, those of hosts included, are too many: a link can have at most {MOST}");
        let help = "write `guarantee` or `ceiling` for fewer hosts; hosts of one network can be one entry with a prefix";
        sink.push(Diagnostic::new(Code::TooMany, at, message).help(help));
        return ids;
    }
    let mut taken = Taken(vec![false; usize::from(u16::MAX) + 1]);
    for id in before.values() {
        taken.reserve(id.value.0);
    }
    deal(names.iter().map(String::as_str), places(all), &mut taken, &mut ids);
    ids
}

/// Assigns unused ids.
fn deal<'a>(
    names: impl Iterator<Item = &'a str>,
    places: usize,
    taken: &mut Taken,
    ids: &mut BTreeMap<String, Val<ClassId>>,
) {
    for Placed { name, wanted, place } in
        super::places::deal(names, places, |place| taken.reserve(id_at(place)))
    {
        let shown = ticked(name);
        let formula = match place == wanted {
            true => format!("0x{FIRST:x} + fnv1a64({shown}) mod {places}"),
            false => format!("the next free after 0x{:x}, the place of {shown}", id_at(wanted)),
        };
        ids.insert(name.to_owned(), Val::derived(ClassId(id_at(place)), formula, None));
    }
}

/// Assigns the pinned ids and reports those that are used twice.
fn pin(wanted: &[Wanted<'_>], ids: &mut BTreeMap<String, Val<ClassId>>, sink: &mut Sink) -> Taken {
    let mut holders: BTreeMap<u16, &Spanned<String>> = BTreeMap::new();
    for class in wanted {
        let Some(pinned) = class.pinned else { continue };
        let id = pinned.value;
        let name = ticked(&class.name.value);
        if !CLASS_ID.holds(id.into()) {
            let message = format!("class {name} cannot have the id {id} (0x{id:x})");
            let (least, most) = (CLASS_ID.least, CLASS_ID.most);
            let help =
                format!("write an id from {least} to {most}, or remove `id`: then it follows from the name");
            sink.push(Diagnostic::new(Code::TakenId, pinned.span, message).help(help));
        } else if let Some(holder) = holders.get(&id) {
            let message = format!("class {name} has the same id as class {}: {id}", ticked(&holder.value));
            sink.push(
                Diagnostic::new(Code::TakenId, pinned.span, message)
                    .also(holder.span, "this class has the id, too")
                    .help("write another `id`, or remove it: then it follows from the name"),
            );
        } else {
            holders.insert(id, class.name);
        }
        ids.insert(class.name.value.clone(), Val::given(ClassId(id), pinned.span));
    }
    let mut taken = Taken(vec![false; usize::from(u16::MAX) + 1]);
    for id in holders.into_keys() {
        taken.reserve(id);
    }
    taken
}

#[cfg(test)]
#[path = "ids_tests.rs"]
mod tests;
