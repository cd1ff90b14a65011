//! `qosc watch`.

mod viewer;

use super::args_watch::Watch as Arguments;
use super::outcome::{Done, Outcome, is_configuration, is_dash};
use super::output;
use super::output_file::{OutputFile, PLAIN};
use crate::deploy::shell;
use qosc_compiler::diag::ticked;
use qosc_compiler::units::Micros;
use qosc_measure::probe::utc;
use qosc_measure::watch::{Request, Source, View, page, plain};
use std::time::{SystemTime, UNIX_EPOCH};
use viewer::{Received, Viewer, outcome};

/// Limits of the interval. The router's clock has hundredths of a second, so rates over less time would be inexact.
const INTERVALS: [Micros; 2] = [Micros::from_ms(500), Micros::from_ms(3_600_000)];
/// Seconds after which a browser loads a page again, at least.
const LEAST_RELOAD: u64 = 1;

/// Checks the arguments, starts the shell and shows its samples.
pub(super) fn run(args: &Arguments) -> Done {
    let [least, most] = INTERVALS;
    if !(least..=most).contains(&args.interval) {
        return Err(format!(
            "the interval {} is not between {least} and {most}",
            ticked(&args.interval.to_string())
        ));
    }
    if args.host.as_deref().is_some_and(|host| host.trim().is_empty()) {
        return Err("the name of the router is empty\n  help: leave it out to watch this machine".to_owned());
    }
    if let Some(host) = args.host.as_deref().filter(|host| is_configuration(host)) {
        let host = ticked(host);
        return Err(format!(
            "{host} is a file, but `watch` takes the router\n  help: write its host, such as `root@router`, or nothing to watch this machine"
        ));
    }
    let file = match args.html.as_deref() {
        Some(path) if is_dash(path) => {
            return Err("a page cannot be written to standard output again and again\n  help: name a file, such as `--html watch.html`".to_owned());
        }
        Some(path) => Some(OutputFile::new(path, [])?),
        None => None,
    };
    // The first sample has no rates, so it is not one of those that the user counts.
    let count = args.count.map_or(0, |count| count.saturating_add(1));
    let request =
        Request { host: args.host.as_deref(), interval: args.interval, count, link: args.link.as_ref() };
    let mut viewer = Viewer::new(args, Source::start(&request, shell(request.host))?);
    match file {
        Some(file) => write(&mut viewer, args.interval, &file),
        None => print(&mut viewer),
    }
}

/// Prints each sample as lines.
fn print(viewer: &mut Viewer<'_>) -> Result<Outcome, String> {
    loop {
        match viewer.next()? {
            Received::View(view) if view.elapsed.is_some() => {
                // Nobody reads the rest, as after `| head`.
                if !output::is_read(&plain(&view))? {
                    return Ok(Outcome::Fine);
                }
            }
            Received::View(_) => {}
            Received::End(ended) => return outcome(ended),
        }
    }
}

/// Writes each sample to a page.
fn write(viewer: &mut Viewer<'_>, interval: Micros, file: &OutputFile<'_>) -> Result<Outcome, String> {
    // The page is loaded at once, too, so the first one has no rates yet.
    let seconds = (interval.us() / 1_000_000).max(LEAST_RELOAD);
    let mut last = None;
    loop {
        match viewer.next()? {
            Received::View(view) => {
                if last.is_none() {
                    output::say(&format!("writing to `{}`; Ctrl-C stops it", file.shown()));
                }
                draw(viewer, &view, Some(seconds), file)?;
                last = Some(view);
            }
            Received::End(ended) => {
                // The last page stays as it is, so it is not loaded again.
                if let Some(view) = &last {
                    draw(viewer, view, None, file)?;
                }
                return outcome(ended);
            }
        }
    }
}

fn draw(viewer: &Viewer<'_>, view: &View, reload: Option<u64>, file: &OutputFile<'_>) -> Done {
    file.write(page(view, &viewer.from(), &at(view), reload).as_bytes(), PLAIN)
}

/// Tells which sample this is, so that a page that is no longer written can be recognised.
fn at(view: &View) -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("Sample {}, {}", view.samples, utc(now.as_secs()))
}
