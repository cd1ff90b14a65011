//! Creates the head of a script, and the names that its `status` prints.

use crate::derive::borrows;
use crate::emit::{Carried, Summary};
use crate::model::{Class, Direction, Engine, Model, Shape, Val, switches};
use crate::tc::class_minor;
use crate::units::{DAY, Rate};

/// Returns the head of a script and the names that its `status` prints, for [`emit::script`](crate::emit::script()).
///
/// `file` is the name of the YAML file without its folder. The script carries the texts of `carried`.
#[must_use]
pub fn summary(model: &Model, file: &str, carried: Carried) -> Summary {
    let link = &model.link;
    let (up, down) = (link.shaped.up.value.for_people(), link.shaped.down.value.for_people());
    let mut lines = vec![
        format!(
            "profile {}: {} bytes of overhead above each IP packet",
            link.profile.value, link.overhead.value
        ),
        format!("up    {}", shaped(&link.shaped.up)),
        format!("down  {}", shaped(&link.shaped.down)),
        String::new(),
    ];
    name(model, &model.classes, 0, &mut lines);
    // cake_mq has one class, whose counters are those of the direction
    let in_tins = Direction::BOTH.into_iter().filter(|one| model.link.engine.get(*one).value == Engine::Cake);
    let tins = in_tins.flat_map(|one| {
        let tins = model.cake.get(one).iter().flat_map(|cake| &cake.tins);
        tins.filter_map(move |tin| Some((one.as_str(), tin.number, model.leaf(tin.class)?.name.clone())))
    });
    let tins = tins.collect();
    let [rate_up, rate_down] = Direction::BOTH.map(|direction| match link.margin(direction) {
        Some(_) => link.line.get(direction).value.bps(),
        None => link.shaped.get(direction).value.bps(),
    });
    let rates = format!("{rate_up}bit {rate_down}bit");
    let vary = link.vary.as_ref();
    let bounds = vary.map(|vary| {
        let of = |own: &Option<Val<[Rate; 2]>>, rate: u64| {
            own.as_ref().map_or([rate; 2], |own| own.value.map(Rate::bps))
        };
        let ([a, b], [c, d]) = (of(&vary.bounds.up, rate_up), of(&vary.bounds.down, rate_down));
        format!("{a} {b} {c} {d}")
    });
    let probes =
        vary.map(|vary| vary.probe.iter().map(|own| own.value.to_string()).collect::<Vec<_>>().join(" "));
    lines.extend(model.variants.iter().map(|own| format!("variant {}: {}", own.name, own.times())));
    let clock = |(minute, name): (u16, Option<&str>)| {
        let (day, hour) = (minute / DAY + 1, minute % DAY / 60);
        format!("{day}{hour:02}{:02}:{}", minute % 60, name.unwrap_or_default())
    };
    let switches = switches(&model.variants).into_iter().map(clock).collect::<Vec<_>>().join(" ");
    Summary {
        source: file.to_owned(),
        lines,
        up,
        down,
        rates,
        bounds: bounds.unwrap_or_default(),
        probes: probes.unwrap_or_default(),
        delay: vary.map_or(0, |vary| vary.delay.value.us()),
        tins,
        calls: model.calls.iter().map(|call| call.value).collect(),
        switches,
        variants: Vec::new(),
        carried,
    }
}

/// Returns a shaped rate with its formula, if it has one, such as `6.5mbit x 64/65 x 98% = 6.272mbit`.
fn shaped(rate: &Val<Rate>) -> String {
    match rate.formula() {
        Some(formula) => format!("{formula} = {}", rate.value.for_people()),
        None => format!("{}, given as `shaped`", rate.value.for_people()),
    }
}

fn name(model: &Model, tree: &[Class], depth: usize, lines: &mut Vec<String>) {
    for class in tree {
        let id = class_minor(class.id.value.0);
        lines.push(format!(
            "{:indent$}{}: c05:{id:x}, priority {}, {}",
            "",
            class.name,
            class.priority.value,
            rates(model, class),
            indent = 2 * depth,
        ));
        if let Shape::Inner(children) = &class.shape {
            name(model, children, depth + 1, lines);
        }
    }
}

/// Returns the rates of a class in both directions as text.
fn rates(model: &Model, class: &Class) -> String {
    let (guarantee, ceiling) = (&class.guarantee, &class.ceiling);
    if model.cake.up.is_none() && model.cake.down.is_none() {
        let (up, down) = (guarantee.up.value, guarantee.down.value);
        let least = match borrows(up) && borrows(down) {
            true => "borrows only".to_owned(),
            false => format!("guarantee {} up and {} down", spoken(up), spoken(down)),
        };
        let [up, down] = [ceiling.up.value, ceiling.down.value].map(Rate::for_people);
        return format!("{least}, ceiling {up} up and {down} down");
    }
    let one = |direction: Direction| match model.cake.get(direction) {
        Some(cake) => {
            let tin = cake.tin(class.id.value);
            let tin = tin.map_or_else(|| "no class".to_owned(), |tin| format!("CAKE tin `{}`", tin.name));
            format!("{tin} {}", direction.as_str())
        }
        None => {
            let (least, most) = (guarantee.get(direction).value, ceiling.get(direction).value);
            format!("guarantee {} and ceiling {} {}", spoken(least), most.for_people(), direction.as_str())
        }
    };
    format!("{}, {}", one(Direction::Up), one(Direction::Down))
}

/// A guarantee in words: `none` for a class that only borrows.
fn spoken(guarantee: Rate) -> String {
    if borrows(guarantee) { "none".to_owned() } else { guarantee.for_people() }
}
