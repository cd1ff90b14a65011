//! `qosc ping`.

mod targets;

use super::args_measure::{Ping, RunFormat};
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::{OutputFile, PLAIN};
use super::progress::Progress;
use super::signals::Signals;
use qosc_compiler::diag::{count, for_terminal};
use qosc_compiler::harmless;
use qosc_compiler::units::Micros;
use qosc_measure::probe::{self, Load, Loaded, ProbeError, Run, Series, Session};
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use targets::{Target, targets};

/// Shortest interval: 1000 packets per second for each target and DSCP.
const LEAST: Micros = Micros::from_ms(1);
/// Largest number of requests to keep. Each takes 32 bytes, and an endless run must not fill the memory.
const MOST: u64 = 5_000_000;
/// Interval at which signals, the load and the time are checked.
const LOOK: Duration = Duration::from_millis(5);

/// Checks the arguments before anything is sent; then measures, writes and prints.
pub(super) fn run(args: &Ping) -> Done {
    let targets = targets(args)?;
    let most = MOST / targets.len().max(1) as u64;
    agree(args, most)?;
    if let Some(path) = args.output.as_deref().filter(|path| !is_dash(path)) {
        can_be_written(path, args.force)?;
    }
    let signals = Signals::listen()?;
    let echoes = targets.iter().map(|target| target.open(args.source)).collect::<Result<_, _>>()?;
    let interval = Duration::from_micros(args.interval.us());
    let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let session =
        Session::new(echoes, interval, args.size.into(), Some(args.count.unwrap_or(most).min(most)));
    let mut running =
        RunningPing { args, targets: &targets, session, load: Filling::Not, signals, loaded: None };
    running.watch()?;
    let RunningPing { session, loaded, .. } = running;
    if args.count.is_none() && session.asked().iter().any(|asked| asked.samples.len() as u64 >= most) {
        output::warn(&format!(
            "the measurement ended after {most} requests for each target and DSCP, the most that a run can hold"
        ));
    }
    let run = taken(args, &targets, &session, loaded, started);
    write_out(args, &run, &session)
}

/// Checks for options that contradict each other.
fn agree(args: &Ping, most: u64) -> Result<(), String> {
    if args.interval < LEAST {
        return Err(format!(
            "the interval {} is below the minimum of {LEAST}\n  help: write `--interval {LEAST}` or more: many routers limit their \
             answers per second, and unanswered requests look lost",
            args.interval
        ));
    }
    if args.count.is_some_and(|count| count > most) {
        return Err(format!(
            "a run holds {MOST} requests, {most} for each target and DSCP\n  help: write `--count {most}` or less, and measure in several runs"
        ));
    }
    let us = args.interval.us();
    let length = args.time.map(Micros::us).or(args.count.map(|count| count.saturating_mul(us)));
    match length {
        Some(length) if args.load.is_some() && args.load_after.us() >= length => Err(format!(
            "the load would start after the measurement, which lasts {}\n  help: write a smaller `--load-after`, or measure for longer",
            Micros::from_us(length)
        )),
        _ => Ok(()),
    }
}

/// Checks that the file can be written, before the measurement begins.
fn can_be_written(path: &Path, force: bool) -> Result<(), String> {
    let shown = output::name(path);
    OutputFile::new(path, [])?;
    let there = std::fs::metadata(path);
    if there.as_ref().is_ok_and(|there| there.is_file()) && !force {
        return Err(format!(
            "`{shown}` already exists\n  help: write another name, or `--force` to overwrite it"
        ));
    }
    if there.is_ok_and(|there| there.is_dir()) {
        return Err(format!("cannot write `{shown}`: it is a folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::tempfile_in(folder).map(|_| ()).map_err(|e| format!("cannot write `{shown}`: {e}"))
}

/// State of the load.
enum Filling {
    Not,
    Runs(Load),
    Over,
}

/// A running measurement.
struct RunningPing<'a> {
    args: &'a Ping,
    targets: &'a [Target],
    session: Session,
    load: Filling,
    signals: Signals,
    loaded: Option<Loaded>,
}

impl RunningPing<'_> {
    /// Measures until all requests are answered or timed out, or the user interrupts twice.
    fn watch(&mut self) -> Result<(), String> {
        let mut progress = Progress::new();
        let mut next = Instant::now();
        let wrong = |e: ProbeError| format!("{e}\n  help: {}", e.cure);
        while !self.session.is_over() {
            self.session.step(next).map_err(wrong)?;
            if Instant::now() < next {
                continue;
            }
            next = Instant::now() + LOOK;
            if self.signals.came() {
                if self.session.has_sent() {
                    self.session.forget_open();
                    break;
                }
                self.session.stop();
            }
            if self.args.time.is_some_and(|time| self.elapsed_us() >= time.us()) {
                self.session.stop();
            }
            self.fill(&mut progress)?;
            progress.show(|| self.words());
        }
        if let Filling::Runs(load) = std::mem::replace(&mut self.load, Filling::Over) {
            load.end();
        }
        progress.clear();
        Ok(())
    }

    fn elapsed_us(&self) -> u64 {
        us(self.session.elapsed())
    }

    /// Starts and ends the load at its times.
    fn fill(&mut self, progress: &mut Progress) -> Result<(), String> {
        let Some(command) = &self.args.load else { return Ok(()) };
        let now = self.elapsed_us();
        match &mut self.load {
            Filling::Not if now >= self.args.load_after.us() && !self.session.has_sent() => {
                let load = Load::start(command).map_err(|e| format!("cannot start the load: {e}"))?;
                self.load = Filling::Runs(load);
                let ended_us = u64::MAX;
                self.loaded = Some(Loaded { command: command.clone(), began_us: now, ended_us });
            }
            Filling::Runs(load) => {
                let Some(loaded) = &mut self.loaded else { return Ok(()) };
                let enough =
                    self.args.load_for.is_some_and(|time| now >= loaded.began_us.saturating_add(time.us()));
                let done = load.is_done();
                if done || enough || self.session.has_sent() {
                    loaded.ended_us = loaded.ended_us.min(now);
                    // a load that has ended by itself is not asked to end
                    if !done {
                        load.ask();
                    }
                }
                if done && let Filling::Runs(load) = std::mem::replace(&mut self.load, Filling::Over) {
                    let lasted = Micros::from_ms(now.saturating_sub(loaded.began_us) / 1000);
                    if let Some(ended) = load.end()
                        && let Some(failed) = ended.failed
                    {
                        progress.clear();
                        let words = for_terminal(&ended.words);
                        let words = if words.is_empty() { words } else { format!(": {words}") };
                        output::warn(&format!("the load ended after {lasted} with {failed}{words}"));
                    }
                }
            }
            Filling::Not | Filling::Over => {}
        }
        Ok(())
    }

    /// Text of the progress line: the medians of the last second.
    fn words(&self) -> String {
        let now = self.session.elapsed();
        let since = now.saturating_sub(Duration::from_secs(1));
        let mut words = format!("{} s", now.as_secs());
        if matches!(self.load, Filling::Runs(_)) {
            words += "  load";
        }
        let mut lost = 0;
        for (target, asked) in self.targets.iter().zip(self.session.asked()) {
            let last = asked.samples.iter().rev().take_while(|sample| sample.sent >= since);
            let stats = probe::stats(last.map(|sample| sample.round_trip.map(us)));
            let time = stats.times.map_or("-".to_owned(), |times| probe::ms(times.p50));
            words += &format!("  {} {} {time} ms", target.shown, target.dscp);
            lost += stats.lost;
        }
        if lost > 0 {
            words += &format!("  {lost} unanswered");
        }
        words
    }
}

fn us(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

/// Returns the measurement in the form of its file.
fn taken(args: &Ping, targets: &[Target], session: &Session, loaded: Option<Loaded>, started: u64) -> Run {
    let took_us = us(session.elapsed());
    let series = targets.iter().zip(session.asked()).map(|(target, asked)| Series {
        target: target.shown.clone(),
        address: target.address.ip().to_string(),
        dscp: target.dscp,
        doubles: asked.doubles,
        refused: asked.refused.as_ref().map_or(0, |(times, _)| *times),
        samples: asked.samples.iter().map(|sample| (us(sample.sent), sample.round_trip.map(us))).collect(),
    });
    Run {
        format: probe::FORMAT.to_owned(),
        label: args.label.clone(),
        started: probe::utc(started),
        took_us,
        interval_us: args.interval.us(),
        size: args.size.into(),
        load: loaded.map(|loaded| Loaded { ended_us: loaded.ended_us.min(took_us), ..loaded }),
        series: series.collect(),
    }
}

/// Writes the file, and prints the table and further remarks.
fn write_out(args: &Ping, run: &Run, session: &Session) -> Done {
    let mut outcome = Outcome::Fine;
    let table = probe::table(&[(String::new(), run)]);
    // The table is printed even if the file cannot be written.
    let written = args.output.as_deref().map_or(Ok(Outcome::Fine), |path| saved(args, run, path));
    if args.output.as_deref().is_some_and(is_dash) {
        output::say(table.trim_end());
    } else {
        output::text(&table)?;
    }
    for (series, asked) in run.series.iter().zip(session.asked()) {
        let who = format!("`{}` with {}", series.target, series.dscp);
        if let Some((times, why)) = &asked.refused {
            output::warn(&format!(
                "{who}: {} not sent: {why}",
                count(usize::try_from(*times).unwrap_or(usize::MAX), "request")
            ));
        }
        if asked.doubles > 0 {
            output::warn(&format!("{who}: {} arrived twice", asked.doubles));
        }
        if !series.samples.is_empty() && series.samples.iter().all(|(_, time)| time.is_none()) {
            output::warn(&format!("{who} never answered: not every host answers echo requests"));
            outcome = Outcome::Errors;
        }
    }
    written.map(|_| outcome)
}

/// Writes the result to a file, or to standard output.
fn saved(args: &Ping, run: &Run, path: &Path) -> Done {
    let text = match args.format {
        RunFormat::Json => harmless::json(run.json().map_err(|e| format!("cannot print as JSON: {e}"))?),
        RunFormat::Csv => run.csv(),
    };
    if is_dash(path) {
        return output::verbatim(&text);
    }
    OutputFile::new(path, [])?.write(text.as_bytes(), PLAIN)
}
