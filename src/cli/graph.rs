//! `qosc graph`.

use super::args::{Graph, GraphFormat};
use super::front;
use super::input::input;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::Target;
use qosc_compiler::diag::{for_terminal, ticked};
use qosc_compiler::model::{Direction, Model, PerDirection};
use qosc_compiler::tc::{IngressMode, Program};
use qosc_preview::graph::{Drawing, dot, draw, mermaid, svg};
use qosc_preview::live::{Counted, Dump, Subject, counters_of, dump_of};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Time between two readings of the counters for a live picture; the rates are those of this period.
const LOOK: Duration = Duration::from_secs(1);

pub(super) fn run(args: &Graph) -> Done {
    if is_dash(&args.file) && args.dump.as_deref().is_some_and(is_dash) {
        return Err("only one of FILE and DUMP can be standard input".to_owned());
    }
    let inputs = std::iter::once(&args.file).chain(&args.dump).map(PathBuf::as_path);
    let target = Target::new(&args.to, inputs)?;
    let input = input(&args.file, None, &args.layers)?;
    let compiled = &input.compiled;
    front::report(&args.file, compiled);
    let Some(made) = compiled.finished() else { return Ok(Outcome::Errors) };
    let looked = match (&args.dump, args.live) {
        #[cfg(unix)]
        (Some(path), _) => dumped(made.1, args, &output::name(path), &super::plan::read(path)?)?,
        #[cfg(unix)]
        (None, true) => live(made.1, args, &front::script(compiled)?)?,
        (None, false) => Looked::default(),
        #[cfg(not(unix))]
        _ => return Err("there are no counters without a router".to_owned()),
    };
    let mut drawing = drawn(made.0, looked);
    if let Some(variant) = &args.layers.variant {
        drawing.name = format!("{}, variant {variant}", drawing.name);
    } else if !made.0.variants.is_empty() {
        drawing.name.push_str(", while no variant holds");
    }
    target.put(&printed(&drawing, args.format), output::verbatim)
}

fn printed(drawing: &Drawing, format: GraphFormat) -> String {
    match format {
        GraphFormat::Dot if cfg!(unix) => dot(drawing),
        GraphFormat::Mermaid if cfg!(unix) => mermaid(drawing),
        _ => svg(drawing),
    }
}

/// Counters of a kernel.
#[derive(Default)]
struct Looked {
    counted: Option<PerDirection<Option<Counted>>>,
    /// Remark on the counters.
    words: Option<String>,
}

fn drawn(model: &Model, looked: Looked) -> Drawing {
    let counted = looked.counted.unwrap_or(PerDirection { up: None, down: None });
    Drawing { counters: looked.words, ..draw(model, &counted) }
}

/// Counters of both directions.
fn trees(program: &Program, wan: &str, dump: &Dump<'_>) -> PerDirection<Option<Counted>> {
    PerDirection {
        up: Counted::of(dump, program.uploads_ifb().as_deref().unwrap_or(wan)),
        down: Counted::of(dump, program.ifb.as_str()),
    }
}

fn counts(counted: &PerDirection<Option<Counted>>) -> bool {
    Direction::BOTH.iter().any(|direction| {
        counted.get(*direction).as_ref().is_some_and(|counted| counted.get(Subject::Total).counts())
    })
}

/// Names the directions without counters.
fn without(counted: &PerDirection<Option<Counted>>, shaped_down: bool) -> Option<String> {
    let missing = |direction: &Direction| {
        counted.get(*direction).is_none() && (*direction == Direction::Up || shaped_down)
    };
    let directions: Vec<&str> = Direction::BOTH
        .iter()
        .filter(|direction| missing(direction))
        .map(|direction| direction.loads())
        .collect();
    (!directions.is_empty()).then(|| format!("No tree of qosc for {} exists.", directions.join(" and ")))
}

/// Reads the counters from a dump.
fn dumped(program: &Program, args: &Graph, name: &str, text: &str) -> Result<Looked, String> {
    let dump = Dump::read(text).map_err(|e| format!("`{name}`: {e}"))?;
    let (own, other) = (program.link.as_str(), dump.head.link.as_str());
    if !other.is_empty() && other != own {
        return Err(format!(
            "`{name}`: the dump is of link {}, but the file describes link `{own}`",
            ticked(&for_terminal(other))
        ));
    }
    let wan = wan(program, args, &dump);
    let counted = trees(program, &wan, &dump);
    let mut words: Vec<String> = without(&counted, program.ingress == IngressMode::Ifb).into_iter().collect();
    if !counts(&counted) {
        words.push(
            "The dump has no counters, because a script's `dump` does not print them; `--live` on the router shows them."
                .to_owned(),
        );
    }
    Ok(Looked { counted: Some(counted), words: (!words.is_empty()).then(|| words.join(" ")) })
}

fn wan(program: &Program, args: &Graph, dump: &Dump<'_>) -> String {
    match &args.device {
        Some(device) => device.as_str().to_owned(),
        None if !dump.head.wan.is_empty() => dump.head.wan.clone(),
        None => program.wan.as_str().to_owned(),
    }
}

/// Reads the counters of this router. The script's own `dump` names the devices, and `tc -s` reads their counters
/// twice.
fn live(program: &Program, args: &Graph, script: &str) -> Result<Looked, String> {
    let text = dump_of(script, args.device.as_ref(), &program.wan)?;
    let dump = Dump::read(&text).map_err(|e| format!("this router: {e}"))?;
    let wan = wan(program, args, &dump);
    let up = program.uploads_ifb().unwrap_or_else(|| wan.clone());
    let devices = [up.as_str(), program.ifb.as_str()];
    let look = || -> Result<(PerDirection<Option<Counted>>, Instant), String> {
        let text = counters_of(&devices)?;
        let at = Instant::now();
        let dump = Dump::read(&text).map_err(|e| format!("this router: {e}"))?;
        Ok((trees(program, &wan, &dump), at))
    };
    let (before, then) = look()?;
    std::thread::sleep(LOOK);
    let (mut counted, now) = look()?;
    let us = u64::try_from(now.duration_since(then).as_micros()).unwrap_or(u64::MAX);
    for direction in Direction::BOTH {
        if let (Some(now), Some(before)) = (counted.get_mut(direction), before.get(direction)) {
            now.since(before, us);
        }
    }
    let missing = without(&counted, program.ingress == IngressMode::Ifb);
    let words = missing.or_else(|| {
        let time = qosc_compiler::units::Micros::from_us(us).for_people();
        Some(format!("Counters since the classes were created; rates over {time}."))
    });
    Ok(Looked { counted: Some(counted), words })
}
