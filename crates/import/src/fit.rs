//! Makes rates and names fit the rules of the file.

use super::amounts::rate_of;
use super::config::{Class, Config, NOTHING};
use super::device::header_note;
use super::report::ImportReport;
use qosc_compiler::terms::limits::RATE;
use qosc_compiler::terms::{Amount, Direction, PerDirection};
use qosc_compiler::units::Rate;
use std::collections::HashSet;

/// Longest name of a class.
const LONGEST: usize = 64;

/// Adds the comment above the rates that `tool` has, and reports uploads that it does not shape. `header` says whether
/// the overhead includes the header of the device.
pub(super) fn about_rates(
    config: &mut Config,
    tool: &str,
    is_shaped: bool,
    header: bool,
    report: &mut ImportReport,
) {
    let about = &mut config.about_rates;
    about.push(format!("{tool} shaped rates, not those of the line, and `shaped` has them. Better: give the line's own rates in `up` and `down` and its profile (`qosc profiles`), and remove `shaped` and any `overhead`, `mpu` and `layer`."));
    if !is_shaped {
        let help = "write the rate of uploads in `shaped`; until then, `1gbit` limits only faster lines";
        report.lost(None, "the source does not shape uploads, and a file always does", help);
        about.push("The source does not shape uploads: replace their rate in `shaped`.".to_owned());
    }
    about.extend(header.then(|| header_note(&config.device)));
}

/// Reduces guarantees above the parent's, removes ceilings above the parent's, and makes names unique.
pub(super) fn fit(config: &mut Config, report: &mut ImportReport) {
    let mut names = HashSet::new();
    rename(&mut config.classes, "", &mut names);
    for direction in Direction::BOTH {
        let rate = *config.rates.get(direction);
        rates(&mut config.classes, (rate, rate), direction, report);
    }
}

/// Renames one level, and then the levels inside, so that outer classes keep their names.
fn rename(classes: &mut [Class], parent: &str, names: &mut HashSet<String>) {
    for class in classes.iter_mut() {
        let mut name: String = class.name.chars().filter(|c| !c.is_control()).take(LONGEST / 2).collect();
        if name.trim().is_empty() {
            "class".clone_into(&mut name);
        }
        let longer = if parent.is_empty() { name.clone() } else { format!("{parent}-{name}") };
        let longer: String = longer.chars().take(LONGEST - 12).collect();
        if names.contains(&name) {
            name.clone_from(&longer);
        }
        // the number of names so far is nearly always free
        let mut number = names.len();
        while names.contains(&name) {
            name = format!("{longer}-{number}");
            number += 1;
        }
        names.insert(name.clone());
        class.name = name;
    }
    for class in classes {
        let own = class.name.clone();
        rename(&mut class.classes, &own, names);
    }
}

/// Fits the classes of one parent, which has a guarantee and a ceiling.
fn rates(
    classes: &mut [Class],
    (guarantee, ceiling): (Rate, Rate),
    direction: Direction,
    report: &mut ImportReport,
) {
    let slot = |of: &PerDirection<Option<Amount>>, whole: Rate| {
        of.get(direction).map(|amount| rate_of(amount, whole))
    };
    for class in classes.iter_mut() {
        if slot(&class.ceiling, ceiling).is_some_and(|own| own >= ceiling) {
            *class.ceiling.get_mut(direction) = None;
        }
        let most = slot(&class.ceiling, ceiling).unwrap_or(ceiling);
        let Some(own) = slot(&class.guarantee, guarantee) else { continue };
        if own > most {
            *class.guarantee.get_mut(direction) = Some(Amount::Rate(most));
        }
        if own.bps() < RATE.least {
            let least = Rate::from_bps(RATE.least);
            // the default class cannot only borrow
            let is_needed = class.any(&|class| class.default);
            *class.guarantee.get_mut(direction) = Some(if is_needed { Amount::Rate(least) } else { NOTHING });
        }
    }
    reduce(classes, guarantee, direction, report);
    for class in classes.iter_mut().filter(|class| !class.classes.is_empty()) {
        let own = slot(&class.guarantee, guarantee).unwrap_or(guarantee);
        let most = slot(&class.ceiling, ceiling).unwrap_or(ceiling);
        rates(&mut class.classes, (own, most), direction, report);
    }
}

/// Reduces guarantees that add up to more than that of the parent. A class without a guarantee needs something to be
/// left, and so does the default class.
fn reduce(classes: &mut [Class], guarantee: Rate, direction: Direction, report: &mut ImportReport) {
    let given = |class: &Class| class.guarantee.get(direction).map(|amount| rate_of(amount, guarantee));
    let sum: Rate = classes.iter().filter_map(given).sum();
    let missing = classes.iter().filter(|class| given(class).is_none()).count();
    let missing = u64::try_from(missing).unwrap_or(u64::MAX);
    // at most half for all of them
    let hundredth = guarantee.scale(1, missing.saturating_mul(2).max(100));
    let needed = hundredth.bps().saturating_mul(missing);
    if sum.bps().saturating_add(needed) <= guarantee.bps() {
        return;
    }
    if sum > guarantee {
        let span = classes.iter().find_map(|class| class.span);
        let loads = direction.loads();
        let said = format!("the guarantees of {loads} add up to {sum}, and their parent has {guarantee}");
        report.other(span, said, "they are reduced in proportion");
    }
    let left = guarantee.bps().saturating_sub(needed);
    for class in classes {
        let less = given(class).map_or(hundredth, |own| own.scale(left, sum.bps().max(1)).min(own));
        // the default class cannot only borrow
        let less = if class.default { less.max(Rate::from_bps(RATE.least)) } else { less };
        let less = if less.bps() < RATE.least { NOTHING } else { Amount::Rate(less) };
        *class.guarantee.get_mut(direction) = Some(less);
    }
}
