//! `qosc deploy`.

use super::args_deploy::Deploy;
use super::countdown;
use super::front::{reported, script};
use super::outcome::{Done, Outcome};
use super::output;
use super::signals::Postponed;
use crate::deploy::{LOCAL, Order, User, deploy};
use crate::diag::for_terminal;
use crate::install::{System, install, never_called};
use crate::pool;
use crate::tc::Program;
use std::collections::BTreeSet;
use std::time::Instant;
use strum::VariantArray as _;

pub(super) fn run(args: &Deploy) -> Done {
    let mut names = BTreeSet::new();
    if let Some(host) = args.hosts.iter().find(|host| !names.insert(host.as_str())) {
        return Err(format!("the host `{}` is given twice\n  help: remove one of them", for_terminal(host)));
    }
    let compiled = reported(&args.file, &args.layers, &args.levels)?;
    let Some((_, program)) = compiled.finished() else { return Ok(Outcome::Errors) };
    let script = script(&compiled)?;
    let source = &compiled.options.file;
    let mut made = install(program, source, &script, &args.system)?;
    never_called(program, &args.system).iter().for_each(|words| output::warn(words));
    if args.system.is_empty() {
        // The uninstaller belongs to the hooks.
        made.files.retain(|file| file.path != made.uninstaller);
    }
    let nixos = args.system.contains(&System::Nixos);
    let typed = made.enable.join("; ");
    // NixOS needs an import before its command makes sense.
    let commands =
        if nixos { Vec::new() } else { made.enable.into_iter().filter(|line| runs_alone(line)).collect() };
    let order = Order {
        link: program.link.as_str().to_owned(),
        trial: args.trial,
        device: args.device.as_ref().map(|device| device.as_str().to_owned()),
        take_over: args.take_over,
        dry_run: args.dry_run,
        undo: args.undo,
        place: made.script,
        before: made.before,
        files: made.files,
        commands,
        hooks: hooks(program, source, &script),
        script,
    };
    let outcome = everywhere(args, &order);
    if nixos && !args.dry_run {
        output::say(&format!("to start it at boot, on each NixOS router: {typed}"));
    }
    Ok(outcome)
}

/// Returns the files that start the script at boot, on systems of any kind.
fn hooks(program: &Program, source: &str, script: &str) -> Vec<String> {
    let of = |system: &System| {
        let files = install(program, source, script, &[*system]).into_iter().flat_map(|made| made.files);
        files.map(|file| file.path).filter(|path| !path.ends_with(".sh"))
    };
    System::VARIANTS.iter().flat_map(of).collect()
}

/// Deploys to all hosts, and prints a line for each.
fn everywhere(args: &Deploy, order: &Order) -> Outcome {
    let signals = Postponed::begin();
    let mut outcome = Outcome::Fine;
    let stopped = || signals.came();
    let keeps = |end: Instant| {
        let host = args.hosts.first().map_or("", String::as_str);
        let state = if host == LOCAL { "runs the change" } else { "answers" };
        output::say(&for_terminal(&format!("{host} {state}. Press Enter to keep the change.")));
        countdown::enter("Any other key, or none, returns to what was before:", end, &stopped)
    };
    let asks = args.hosts.len() == 1 && !args.yes && countdown::is_possible();
    let user = User { stopped: &stopped, keeps: asks.then_some(&keeps) };
    pool::in_order(
        &args.hosts,
        args.jobs.into(),
        |host| deploy(host, order, &user),
        |host, report| {
            let said = |line: &str| for_terminal(&format!("{host}: {line}"));
            for line in &report.warnings {
                output::say(&said(line));
            }
            if let Err(words) = output::text(&format!("{}\n", said(&report.line))) {
                output::complain(&words);
                outcome = Outcome::Unable;
            }
            if !report.succeeded {
                outcome = Outcome::Unable;
            }
        },
    );
    outcome
}

/// Returns `true` for a command that the router can run without a question. A trial that succeeded has shown that the packages
/// are there.
fn runs_alone(line: &str) -> bool {
    !["apt-get ", "apk add ", "opkg ", "#"].iter().any(|start| line.starts_with(start))
}
