//! The variants of a configuration: what changes in them, and what the switch to each of them costs.

use crate::compare::{Change, ChangeKind, Comparison, compare};
use crate::compile::Compilation;
use crate::diag::ticked;
use crate::diff::Price;
use crate::model::{FileSection, switches};

/// Returns the differences between two configurations and between their variants. `None` if one has errors.
pub(super) fn compared(old: &Compilation, new: &Compilation) -> Option<Comparison> {
    let mut found = compare(old.finished()?, new.finished()?);
    let (olds, news) = (&old.model.as_ref()?.variants, &new.model.as_ref()?.variants);
    let change = |name: &str, line| Change {
        area: FileSection::Variants,
        name: name.to_owned(),
        change: ChangeKind::Changed,
        field: "when".to_owned(),
        old: None,
        new: None,
        note: None,
        line,
        price: Price::in_place("it takes effect when it is due"),
    };
    let mut changes = Vec::new();
    for was in olds.iter().filter(|was| news.iter().all(|is| is.name != was.name)) {
        changes.push(Change { change: ChangeKind::Removed, field: String::new(), ..change(&was.name, None) });
    }
    for is in news {
        let base = change(&is.name, is.span.own_line());
        let Some(was) = olds.iter().find(|was| was.name == is.name) else {
            changes.push(Change {
                change: ChangeKind::Added,
                field: String::new(),
                new: Some(is.times()),
                ..base
            });
            continue;
        };
        if was.times() != is.times() {
            changes.push(Change { old: Some(was.times()), new: Some(is.times()), ..base.clone() });
        }
        let (was, is) = (of(old, Some(&was.name))?.finished()?, of(new, Some(&is.name))?.finished()?);
        let outside = |own: &Change| {
            found.changes.iter().any(|other| Change { line: own.line, ..other.clone() } == *own)
        };
        for own in compare(was, is).changes.into_iter().filter(|own| !outside(own)) {
            let words =
                [own.area.as_str(), &own.name, &own.field].into_iter().filter(|word| !word.is_empty());
            let field = words.collect::<Vec<_>>().join(" ");
            let (added, removed) = (own.change == ChangeKind::Added, own.change == ChangeKind::Removed);
            let new = if added { Some("added".to_owned()) } else { own.new };
            let old = if removed { Some("removed".to_owned()) } else { own.old };
            changes.push(Change { field, old, new, line: own.line, price: own.price, ..base.clone() });
        }
    }
    found.changes.extend(changes);
    Some(found)
}

/// Returns the compilation with a variant, or that without any.
fn of<'c>(compiled: &'c Compilation, name: Option<&str>) -> Option<&'c Compilation> {
    match name {
        Some(name) => compiled.variants.iter().find(|own| own.options.variant.as_deref() == Some(name)),
        None => Some(compiled),
    }
}

/// Returns what each switch between variants costs, in the order of the week.
pub(super) fn prices(compiled: &Compilation) -> Vec<String> {
    let said = |name: Option<&str>| {
        name.map_or_else(|| "no variant".to_owned(), |name| format!("variant {}", ticked(name)))
    };
    let Some(model) = &compiled.model else { return Vec::new() };
    let week: Vec<Option<&str>> = switches(&model.variants).into_iter().map(|(_, name)| name).collect();
    let last = week.len().saturating_sub(1);
    let mut found: Vec<String> = Vec::new();
    for (from, to) in week.iter().cycle().skip(last).zip(&week) {
        let both = of(compiled, *from).zip(of(compiled, *to));
        let Some((old, new)) = both.and_then(|(old, new)| old.finished().zip(new.finished())) else {
            continue;
        };
        let line =
            format!("the switch from {} to {}: {}", said(*from), said(*to), compare(old, new).summary());
        if from != to && !found.contains(&line) {
            found.push(line);
        }
    }
    found
}
