//! The variants of a configuration: what changes in them, and what the switch to each of them costs.

use qosc_compiler::compile::Compilation;
use qosc_compiler::diag::ticked;
use qosc_compiler::model::{FileSection, Model, switches};
use qosc_compiler::tc::Program;
use qosc_preview::compare::{Change, ChangeKind, Comparison, compare};
use qosc_preview::diff::Price;

/// Returns the differences between two configurations and between their variants. `None` if one has errors.
pub(super) fn compared(old: &Compilation, new: &Compilation) -> Option<Comparison> {
    let mut found = compare(old.finished()?, new.finished()?);
    let (olds, news) = (&old.model.as_ref()?.variants, &new.model.as_ref()?.variants);
    let change = |change, (name, line): (&str, Option<u32>), field: &str, old, new| Change {
        area: FileSection::Variants,
        name: name.to_owned(),
        change,
        field: field.to_owned(),
        old,
        new,
        note: None,
        line,
        price: Price::in_place("it takes effect when it is due"),
    };
    let mut changes = Vec::new();
    for was in olds.iter().filter(|was| news.iter().all(|is| is.name != was.name)) {
        changes.push(change(ChangeKind::Removed, (&was.name, None), "", None, None));
    }
    for is in news {
        let at = (is.name.as_str(), is.span.own_line());
        let Some(was) = olds.iter().find(|was| was.name == is.name) else {
            changes.push(change(ChangeKind::Added, at, "", None, Some(is.times())));
            continue;
        };
        if was.times() != is.times() {
            changes.push(change(ChangeKind::Changed, at, "when", Some(was.times()), Some(is.times())));
        }
        let Some((was, is)) = of(old, Some(&was.name)).zip(of(new, Some(&is.name))) else { continue };
        let outside = |own: &Change| {
            found.changes.iter().any(|other| Change { line: own.line, ..other.clone() } == *own)
        };
        for own in compare(was, is).changes.into_iter().filter(|own| !outside(own)) {
            let what = match own.change {
                ChangeKind::Added => "added",
                ChangeKind::Removed => "removed",
                _ => &own.field,
            };
            let words = [own.area.as_str(), &own.name, what].into_iter().filter(|word| !word.is_empty());
            let field = words.collect::<Vec<_>>().join(" ");
            let (line, price) = (own.line, own.price);
            changes.push(Change { line, price, ..change(ChangeKind::Changed, at, &field, own.old, own.new) });
        }
    }
    found.changes.extend(changes);
    Some(found)
}

/// Returns the results with a variant, or those without any. There is none if a variant was chosen.
fn of<'c>(compiled: &'c Compilation, name: Option<&str>) -> Option<(&'c Model, &'c Program)> {
    match name {
        Some(name) => compiled.variants.iter().find(|own| own.options.variant.as_deref() == Some(name)),
        None => Some(compiled),
    }?
    .finished()
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
        let Some((old, new)) = of(compiled, *from).zip(of(compiled, *to)) else { continue };
        let line =
            format!("the switch from {} to {}: {}", said(*from), said(*to), compare(old, new).summary());
        if from != to && !found.contains(&line) {
            found.push(line);
        }
    }
    found
}
