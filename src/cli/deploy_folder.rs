//! `qosc deploy` of a folder: each file to its own hosts.

use super::args_deploy::Deploy;
use super::deploy::{Job, Prepared, Row, enable_by_hand, everywhere, prepare};
use super::folder::within;
use super::inventory::{Hosted, hosted};
use super::outcome::{Done, Outcome};
use super::output;
use crate::diag::{count, for_terminal};
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
    problems.extend(same_links(&files, &prepared));
    problems.iter().for_each(|words| output::complain(words));
    if !problems.is_empty() {
        return Ok(Outcome::Unable);
    }
    if prepared.len() < files.len() {
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

/// Returns a message for each host that would get two files for one link.
fn same_links(files: &BTreeMap<String, Hosted>, prepared: &BTreeMap<&str, Vec<Prepared>>) -> Vec<String> {
    let mut first = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, of_file) in
        prepared.iter().flat_map(|(name, links)| links.iter().map(move |link| (name, link)))
    {
        for host in files.get(*name).into_iter().flat_map(|file| &file.hosts) {
            if let Some(other) = first.insert((host, &of_file.link), name) {
                let [host, link, name, other] = [host, of_file.link.as_str(), name, other].map(for_terminal);
                problems.push(format!(
                    "host `{host}` would get link `{link}` from `{other}` and from `{name}`\n  help: give one of the links another `name`, or one of the files another host"
                ));
            }
        }
    }
    problems
}

/// Returns a table with a line for each file and host, and a summary.
fn table(rows: &[Row<'_>]) -> String {
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
