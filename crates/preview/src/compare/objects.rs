//! Checks the comparison against the kernel objects, so that no difference between them goes unreported.

use super::change::{At, Change, ChangeKind, Comparison};
use crate::diff::Price;
use qosc_compiler::model::FileSection;
use qosc_compiler::tc::{Decrypted, Filter, HtbClass, Program, Qdisc, Why};

/// Corrects the comparison by means of the kernel objects. If they are equal, every change gets the note that nothing
/// changes on the router. If they differ and no change was found, a change is recorded.
pub(super) fn hold(found: &mut Comparison, old: &Program, new: &Program) {
    let same_rest = without_origin(old) == without_origin(new);
    if same_rest && filters(old) == filters(new) {
        for change in &mut found.changes {
            change.price = Price::in_place("nothing changes on the router");
        }
    } else if !same_rest && !found.differs() {
        let place = At { area: FileSection::Link, name: "", line: None };
        let price = Price::in_place("existing objects are changed");
        let change = place.change(ChangeKind::Changed, price);
        found.changes.push(Change { field: "kernel objects".to_owned(), ..change });
    }
}

/// Returns the program without its filters and without the origins of its objects.
fn without_origin(program: &Program) -> Program {
    let classes = program.classes.iter().map(|class| HtbClass { why: Why::default(), ..class.clone() });
    let qdiscs = program.qdiscs.iter().map(|qdisc| Qdisc { why: Why::default(), ..qdisc.clone() });
    let mut bare = Program {
        files: Vec::new(),
        classes: classes.collect(),
        qdiscs: qdiscs.collect(),
        decrypted: program
            .decrypted
            .iter()
            .map(|own| Decrypted { why: Why::default(), ..own.clone() })
            .collect(),
        filters: Vec::new(),
        ..program.clone()
    };
    if let Some(marks) = &mut bare.marks {
        marks.why = Why::default();
        marks
            .lookups
            .iter_mut()
            .flat_map(|lookup| &mut lookup.elements)
            .for_each(|own| own.why = Why::default());
    }
    // Siblings have no order, neither in the kernel nor in the list of objects to scale.
    bare.classes.sort_unstable();
    bare.qdiscs.sort_unstable();
    bare.decrypted.sort_by(|one, other| one.device.cmp(&other.device));
    bare.settings.receivers.sort_unstable();
    for scale in [&mut bare.scale.up, &mut bare.scale.down] {
        scale.classes.sort_by_key(|class| class.id);
        scale.police.sort_by_key(|police| police.index);
        scale.aside.sort_by_key(|amount| format!("{amount:?}"));
    }
    bare
}

fn filters(program: &Program) -> Vec<Filter> {
    program.filters.iter().map(|filter| Filter { why: Why::default(), ..filter.clone() }).collect()
}
