//! `qosc deploy` of a folder: each file to its own hosts.

use super::args_deploy::Deploy;
use super::deploy::{Job, Prepared, Row, enable_by_hand, everywhere, prepare};
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
    let files = match hosted(args) {
        Ok(files) => files,
        Err(problems) => return Ok(refused(&problems)),
    };
    // All files are compiled first, so that a file with errors stops the others, too.
    let (mut prepared, mut outcome) = (BTreeMap::new(), Outcome::Fine);
    for (name, file) in &files {
        match prepare(args, &file.path) {
            Ok(Some(of_file)) => _ = prepared.insert(name.as_str(), of_file),
            Ok(None) if outcome == Outcome::Fine => outcome = Outcome::Errors,
            Ok(None) => {}
            Err(words) => outcome = refused(&[words]),
        }
    }
    let problems = same_links(&files, &prepared);
    if outcome != Outcome::Fine || !problems.is_empty() {
        return Ok(if problems.is_empty() { outcome } else { refused(&problems) });
    }
    let mut jobs: Vec<Job<'_>> = Vec::new();
    for (name, of_file) in &prepared {
        for host in files.get(*name).into_iter().flat_map(|file| &file.hosts) {
            let order = (Some(*name), &of_file.order);
            match jobs.iter_mut().find(|job| job.host == *host) {
                Some(job) => job.orders.push(order),
                None => jobs.push(Job { host: host.clone(), orders: vec![order] }),
            }
        }
    }
    let (outcome, mut rows) = everywhere(args, &jobs);
    rows.sort_by(|a, b| a.file.cmp(&b.file));
    prepared.values().for_each(|of_file| enable_by_hand(args, of_file));
    Ok(match output::text(&table(&rows))? {
        Outcome::Fine => outcome,
        failed => failed,
    })
}

/// Prints problems. Nothing was deployed.
fn refused(problems: &[String]) -> Outcome {
    problems.iter().for_each(|words| output::complain(words));
    Outcome::Unable
}

/// Returns a message for each host that would get two files for one link.
fn same_links(files: &BTreeMap<String, Hosted>, prepared: &BTreeMap<&str, Prepared>) -> Vec<String> {
    let mut first = BTreeMap::new();
    let mut problems = Vec::new();
    for (name, of_file) in prepared {
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
fn table(rows: &[Row]) -> String {
    let width =
        |column: fn(&Row) -> &str| rows.iter().map(|row| for_terminal(column(row)).chars().count()).max();
    let files = width(|row| &row.file).unwrap_or_default();
    let hosts = width(|row| &row.host).unwrap_or_default();
    let mut out = "\n".to_owned();
    for row in rows {
        let [file, host, line] = [&row.file, &row.host, &row.line].map(|text| for_terminal(text));
        let _infallible = writeln!(out, "{file:files$}  {host:hosts$}  {line}");
    }
    let failed = rows.iter().filter(|row| !row.succeeded).count();
    let _infallible = writeln!(
        out,
        "\n{}: {} succeeded, {failed} failed",
        count(rows.len(), "deployment"),
        rows.len() - failed
    );
    out
}
