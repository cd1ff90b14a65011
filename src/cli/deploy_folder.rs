//! `qosc deploy` of a folder: each file to its own hosts.

use super::args_deploy::Deploy;
use super::deploy::{Deployment, Job, Prepared, enable_by_hand, everywhere, prepare};
use super::inside::within;
use super::inventory::{Hosted, hosted};
use super::links::is_error;
use super::outcome::{Done, Outcome};
use super::output;
use qosc_compiler::check::same_router::conflicts;
use qosc_compiler::diag::{Diagnostic, count, for_terminal};
use std::collections::BTreeMap;
use std::fmt::Write as _;

pub(super) fn run(args: &Deploy) -> Done {
    if !args.hosts.is_empty() {
        return Err(
            "the files of a folder have hosts of their own: name them with `--inventory` or `--host`"
                .to_owned(),
        );
    }
    if args.device.is_some() {
        return Err("`--device` belongs to one file: deploy that file alone".to_owned());
    }
    let (files, mut problems) = hosted(args)?;
    // All files are compiled first, so that a file with errors stops the others, too.
    let mut prepared = BTreeMap::new();
    for (name, file) in &files {
        match within(&args.file, &file.path).and_then(|()| prepare(args, &file.path, name)) {
            Ok(Some(of_file)) => _ = prepared.insert(name.as_str(), of_file),
            Ok(None) => {}
            Err(words) => problems.push(words),
        }
    }
    let fit = fit_together(&files, &prepared);
    problems.iter().for_each(|words| output::complain(words));
    if !problems.is_empty() {
        return Ok(Outcome::Unable);
    }
    if prepared.len() < files.len() || !fit {
        return Ok(Outcome::Errors);
    }
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for (name, of_file) in &prepared {
        for host in files.get(*name).into_iter().flat_map(|file| &file.hosts) {
            let orders = of_file.iter().map(|link| (Some(link.shown.as_str()), &link.order));
            match jobs.iter_mut().find(|job| job.host == host) {
                Some(job) => job.orders.extend(orders),
                None => jobs.push(Job { host, orders: orders.collect() }),
            }
        }
    }
    let (outcome, mut rows) = everywhere(args, &jobs);
    rows.sort_by_key(|(file, ..)| *file);
    prepared.values().flatten().for_each(|of_file| enable_by_hand(args, of_file));
    Ok(match output::text(&table(&rows))? {
        Outcome::Fine => outcome,
        failed => failed,
    })
}

/// Reports what the files of each host cannot have together on one router. Returns `true` if nothing is an error.
fn fit_together(files: &BTreeMap<String, Hosted>, prepared: &BTreeMap<&str, Vec<Prepared>>) -> bool {
    let mut on_host: BTreeMap<&String, Vec<(&str, &Prepared)>> = BTreeMap::new();
    for (name, links) in prepared {
        for host in files.get(*name).into_iter().flat_map(|file| &file.hosts) {
            on_host.entry(host).or_default().extend(links.iter().map(|link| (*name, link)));
        }
    }
    let mut fine = true;
    for (host, links) in on_host {
        for (number, (name, second)) in links.iter().enumerate() {
            // Links of one file are compared when it is read.
            let earlier = links.iter().take(number).filter(|(other, _)| other != name);
            let mut sources = second.sources.clone();
            let pairs = earlier.filter_map(|(_, first)| first.claims.as_ref().zip(second.claims.as_ref()));
            let found: Vec<Diagnostic> =
                pairs.flat_map(|(first, second)| conflicts(first, second, &mut sources)).collect();
            if !found.is_empty() {
                output::say(&format!("on host `{}`:", for_terminal(host)));
                output::findings(&found, &sources);
            }
            fine &= !found.iter().any(is_error);
        }
    }
    fine
}

/// Returns a table with a line for each file and host, and a summary.
fn table(rows: &[Deployment<'_>]) -> String {
    let width = |text: &str| for_terminal(text).chars().count();
    let files = rows.iter().map(|(file, ..)| width(file)).max().unwrap_or_default();
    let hosts = rows.iter().map(|(_, host, _)| width(host)).max().unwrap_or_default();
    let mut out = "\n".to_owned();
    for (file, host, report) in rows {
        let [file, host, line] = [file, host, report.line.as_str()].map(for_terminal);
        let _infallible = writeln!(out, "{file:files$}  {host:hosts$}  {line}");
    }
    let succeeded = rows.iter().filter(|(.., report)| report.succeeded).count();
    let (all, failed) = (count(rows.len(), "deployment"), rows.len() - succeeded);
    let _infallible = writeln!(out, "\n{all}: {succeeded} succeeded, {failed} failed");
    out
}
