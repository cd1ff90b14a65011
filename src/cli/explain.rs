//! `qosc explain`.

use super::args::{Explain, ExplainFormat};
use super::front::reported;
use super::outcome::{Done, Outcome};
use super::output;
use super::output_file::Target;
use qosc_compiler::diag::{Levels, count, for_terminal};
use qosc_compiler::model::{Class, Direction, Leaf, Model};
use qosc_compiler::tc::Program;
use qosc_preview::explain::packet::{self, Packet};
use qosc_preview::explain::{PACKET_SIZE, Wanted, brief, explain_for, human};

/// Returns the name of the class with this path, or the text itself.
fn name_of<'a>(model: &'a Model, path: &'a str) -> &'a str {
    model.classes().into_iter().find(|class| class.path == path).map_or(path, |class| &class.name)
}

/// Largest number of classes and policers in one explanation.
const MOST: usize = 2000;

pub(super) fn run(args: &Explain) -> Done {
    let target = Target::new(&args.to, [args.file.as_path()])?;
    let compiled = reported(&args.file, &args.layers, &Levels::default())?;
    let Some((model, program)) = compiled.finished() else { return Ok(Outcome::Errors) };
    if let Some(text) = &args.packet {
        return meets(model, program, text, args.format, &target);
    }
    let wanted = Wanted { rtt: args.rtt, packet_size: args.packet_size };
    let (classes, policers) = (classes(model), model.police.len());
    if args.class.is_none() && classes + policers > MOST {
        return Err(format!(
            "`explain` shows at most {MOST} classes and policers, and this file has {} and {}, host classes included: name a class with `--class`",
            count(classes, "class"),
            count(policers, "policer"),
        ));
    }
    let named = args.class.as_deref().map(|class| name_of(model, class));
    let explanation = explain_for(model, program, wanted, named);
    let explanation = match named {
        None => explanation,
        Some(class) => explanation
            .only(class)
            .ok_or_else(|| output::no_such("class", class, explanation.classes(), None))?,
    };
    // The plain words lack most of the numbers that these options change.
    let is_changed = args.rtt.is_some() || args.packet_size != PACKET_SIZE;
    match args.format {
        ExplainFormat::Json if cfg!(unix) => target.put(&output::json(&explanation)?, output::verbatim),
        _ => {
            let text = if args.verbose || args.class.is_some() || is_changed {
                human(&explanation, &for_terminal(&compiled.options.file))
            } else {
                brief(model, &explanation)
            };
            target.put(&text, output::text)
        }
    }
}

/// Returns the number of classes, host classes included.
fn classes(model: &Model) -> usize {
    let hosts = |leaf: &Leaf| Direction::BOTH.map(|direction| leaf.host_classes(direction).count());
    let hosts =
        model.leaves().into_iter().filter_map(Class::leaf).filter_map(|leaf| hosts(leaf).into_iter().max());
    model.classes().len() + hosts.sum::<usize>()
}

/// Prints the paths of a packet and of its answer.
fn meets(model: &Model, program: &Program, text: &str, format: ExplainFormat, target: &Target<'_>) -> Done {
    let packet = Packet::read(text, model).map_err(|words| format!("`--packet`: {words}"))?;
    let meetings = [&packet, &packet::answer(&packet)].map(|packet| packet::meet(model, program, packet));
    match format {
        ExplainFormat::Json if cfg!(unix) => target.put(&output::json(&meetings)?, output::verbatim),
        _ => {
            let [there, back] = meetings;
            let described = text.split_whitespace().collect::<Vec<_>>().join(" ");
            let both = [packet::human(&there, &described), packet::human(&back, "its answer")];
            target.put(&both.join("\n"), output::text)
        }
    }
}
