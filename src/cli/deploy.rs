//! `qosc deploy`.

use super::args_deploy::Deploy;
use super::countdown;
use super::front::{report, script};
use super::links::{Links, claims};
use super::outcome::{Done, Outcome, is_configuration};
use super::output;
use super::signals::Postponed;
use crate::deploy::{DeployReport, LOCAL, Order, User, deploy};
use crate::install::{System, install, never_called};
use crate::pool;
use qosc_compiler::check::same_router::Claims;
use qosc_compiler::compile::Compilation;
use qosc_compiler::diag::{Sources, for_terminal};
use qosc_compiler::model::minutes;
use qosc_compiler::tc::Program;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;
use strum::VariantArray as _;

pub(super) fn run(args: &Deploy) -> Done {
    if args.inventory.is_some() || !args.pairs.is_empty() {
        return Err("`--inventory` and `--host` name the hosts of a folder: write the hosts after the file"
            .to_owned());
    }
    if args.hosts.is_empty() {
        return Err("a host is required after the file, such as `root@router`".to_owned());
    }
    if let Some(file) = args.hosts.iter().find(|host| is_configuration(host)) {
        let file = for_terminal(file);
        return Err(format!(
            "`{file}` is a file\n  help: write the file before its hosts, as in `qosc deploy {file} root@router`"
        ));
    }
    let mut names = BTreeSet::new();
    if let Some(host) = args.hosts.iter().find(|host| !names.insert(host.as_str())) {
        return Err(format!("the host `{}` is given twice\n  help: remove one of them", for_terminal(host)));
    }
    let Some(prepared) = prepare(args, &args.file, "")? else { return Ok(Outcome::Errors) };
    let several = prepared.len() > 1;
    if several && args.device.is_some() {
        return Err("`--device` belongs to one link: choose it with `--link NAME`".to_owned());
    }
    let name = |link: &Prepared| several.then(|| link.order.link.clone());
    let names: Vec<Option<String>> = prepared.iter().map(name).collect();
    let orders = || names.iter().map(Option::as_deref).zip(prepared.iter().map(|link| &link.order)).collect();
    let jobs = args.hosts.iter().map(|host| Job { host, orders: orders() });
    let (outcome, _) = everywhere(args, &jobs.collect::<Vec<_>>());
    prepared.iter().for_each(|link| enable_by_hand(args, link));
    Ok(outcome)
}

/// A link that can be deployed.
pub(super) struct Prepared {
    /// What the link needs of its router, and the texts that findings on it point into.
    pub(super) claims: Option<Claims>,
    pub(super) sources: Sources,
    /// Name of the file, and that of a link of several.
    pub(super) shown: String,
    pub(super) order: Order,
    /// Commands that enable the files for the boot.
    typed: String,
}

/// Compiles all links of a file, or the chosen one. Returns `None` if one has errors, which are reported.
///
/// # Errors
/// Returns a message for standard error.
pub(super) fn prepare(args: &Deploy, file: &Path, name: &str) -> Result<Option<Vec<Prepared>>, String> {
    let mut links = Links::read(file, &args.layers, &args.levels)?;
    let prepared: Result<Vec<Prepared>, String> =
        links.each().filter_map(|link| link_of(args, link, name).transpose()).collect();
    let together = links.together();
    report(file, &together);
    Ok(if together.has_errors() { None } else { Some(prepared?) })
}

/// Prepares a link, if it has no errors.
fn link_of(args: &Deploy, compiled: &Compilation, name: &str) -> Result<Option<Prepared>, String> {
    let Some((model, program)) = compiled.finished() else { return Ok(None) };
    let script = script(compiled)?;
    let source = &compiled.options.file;
    let mut made = install(program, source, &script, &minutes(&model.variants), &args.system)?;
    never_called(program, &args.system).iter().for_each(|words| output::warn(words));
    if args.system.is_empty() {
        // The uninstaller belongs to the hooks.
        made.files.retain(|file| file.path != made.uninstaller);
    }
    let typed = made.enable.join("; ");
    // NixOS needs an import before its command makes sense.
    let commands = match args.system.contains(&System::Nixos) {
        true => Vec::new(),
        false => made.enable.into_iter().filter(|line| runs_alone(line)).collect(),
    };
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
    let shown = match &compiled.link {
        Some(link) => format!("{name} ({link})"),
        None => name.to_owned(),
    };
    let sources = compiled.sources.clone();
    Ok(Some(Prepared { claims: claims(compiled), sources, shown, order, typed }))
}

/// Says what to type on NixOS.
pub(super) fn enable_by_hand(args: &Deploy, prepared: &Prepared) {
    if args.system.contains(&System::Nixos) && !args.dry_run {
        output::say(&format!("to start it at boot, on each NixOS router: {}", prepared.typed));
    }
}

/// Returns the files that start the script at boot, on systems of any kind.
fn hooks(program: &Program, source: &str, script: &str) -> Vec<String> {
    let of = |system: &System| {
        let files = install(program, source, script, "", &[*system]).into_iter().flat_map(|made| made.files);
        files.map(|file| file.path).filter(|path| !path.ends_with(".sh"))
    };
    System::VARIANTS.iter().flat_map(of).collect()
}

/// Work for one host: its orders one after the other, each with the file that is named in its line.
pub(super) struct Job<'a> {
    pub(super) host: &'a str,
    pub(super) orders: Vec<(Option<&'a str>, &'a Order)>,
}

/// File, host and result of an order.
pub(super) type Deployment<'a> = (&'a str, &'a str, DeployReport);

/// Deploys to all hosts, and prints a line for each order. Returns each file with its host and the result.
pub(super) fn everywhere<'a>(args: &Deploy, jobs: &[Job<'a>]) -> (Outcome, Vec<Deployment<'a>>) {
    let signals = Postponed::begin();
    let (mut outcome, mut rows) = (Outcome::Fine, Vec::new());
    let stopped = || signals.came();
    let keeps = |end: Instant| {
        let host = jobs.first().map_or("", |job| job.host);
        let state = if host == LOCAL { "runs the change" } else { "answers" };
        output::say(&for_terminal(&format!("{host} {state}. Press Enter to keep the change.")));
        countdown::enter("Any other key, or none, returns to what was before:", end, &stopped)
    };
    let is_one = jobs.iter().map(|job| job.orders.len()).sum::<usize>() == 1;
    let asks = is_one && !args.yes && countdown::is_possible();
    let user = User { stopped: &stopped, keeps: asks.then_some(&keeps) };
    pool::in_order(
        jobs,
        args.jobs.into(),
        |job| {
            job.orders.iter().map(|(_, order)| deploy(job.host, order, &user)).collect::<Vec<DeployReport>>()
        },
        |job, reports| {
            for ((file, _), report) in job.orders.iter().zip(reports) {
                let of_file = file.map(|file| format!("{file}: ")).unwrap_or_default();
                let said = |line: &str| for_terminal(&format!("{}: {of_file}{line}", job.host));
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
                rows.push((file.unwrap_or_default(), job.host, report));
            }
        },
    );
    (outcome, rows)
}

/// Returns `true` for a command that the router can run without a question. A trial that succeeded has shown that the packages
/// are there.
fn runs_alone(line: &str) -> bool {
    !["apt-get ", "apk add ", "opkg ", "#"].iter().any(|start| line.starts_with(start))
}
