//! Methods of shaping on a line whose rate changes, compared in one run of one guest.
#![expect(
    clippy::float_arithmetic,
    reason = "microseconds and bits become the milliseconds and megabits of a chart"
)]

use super::human::Text;
use super::page::{POINT, averaged, capital, milliseconds, section};
use super::protocol::{Records, STEP, Sample, Scenario, What};
use super::report::KernelSaid;
use super::scenarios::{Draft, Pace, ScenarioBuilder, names};
use super::times::{Times, Window, rate};
use super::topology::{Topology, carries};
use super::trace::Trace;
use super::{Clock, Kernel, LabOptions, Progress, boot, played_in, roles, show, tables};
use crate::page::{Axis, Chart, Item, Page, Series, Table, html};
use qosc_compiler::model::{Direction, Load, Model, PerDirection};
use qosc_compiler::tc::Program;
use qosc_compiler::units::{Micros, Rate};
use serde::Serialize;

/// Methods of shaping, each with the shell command that begins it in the guest after the script's `start`. A command in
/// the background is killed at the end of each scenario.
const METHODS: [(&str, &str); 6] = [
    (NONE, ""),
    ("lower", "sh $WORK/router.sh rate $LOWER"),
    ("mean", "sh $WORK/router.sh rate $MEAN"),
    // `trace.sh` itself calls the script at each change of the line.
    (ORACLE, ""),
    ("autorate", "busybox awk -f $WORK/autorate.awk $LOWER $MEAN $UPPER $MARGIN &"),
    (FOLLOW, "sh $WORK/router.sh follow &"),
];
/// Method that needs `vary` in the file.
const FOLLOW: &str = "follow";
/// Method without the script.
const NONE: &str = "none";
/// Method to which the throughput of the others is compared.
const ORACLE: &str = "oracle";
/// Loads, each with its description and the index of its direction.
const LOADS: [(Load, &str, usize); 2] =
    [(Load::Download, "four bulk downloads", 1), (Load::Upload, "four bulk uploads", 0)];
/// Added delay in microseconds that people notice.
const LATE: u64 = 30_000;

/// Point of a chart.
type Point = (f64, Option<f64>);

/// Results of all methods.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct VaryingReport {
    /// Version of this program.
    pub version: String,
    /// Name of the link.
    pub link: String,
    /// Kernel of the guest.
    pub kernel: KernelSaid,
    /// The trace in words.
    pub line: String,
    /// Round trip time of an idle line in microseconds.
    pub rtt: u64,
    /// Steps of the trace: microseconds since the start, and the rates in bit/s, up and down. The last one is its end.
    pub steps: Vec<(u64, [u64; 2])>,
    /// Results of each method under each load.
    pub runs: Vec<Run>,
}

/// Result of a method under a load.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Run {
    /// Name of the method.
    pub method: &'static str,
    /// Load of the line.
    pub load: Load,
    /// Received data of the load in bit/s.
    pub rate: u64,
    /// The same in millionths of that of the method `oracle`.
    pub share: Option<u64>,
    /// Millionths of the pings that were lost, or took over 30 ms longer than on the idle line.
    pub late: Option<u64>,
    /// Median of the added delay in microseconds; `None` if it falls on a lost ping.
    pub p50: Option<u64>,
    /// 99th percentile of the added delay in microseconds; `None` if it falls on a lost ping.
    pub p99: Option<u64>,
    /// Pings of a host that does nothing else.
    pub ping: Vec<Sample>,
    /// Received data of the load in bit/s, in each step of 100 ms.
    pub rates: Vec<u64>,
}

/// Plays all methods on a line with the rates of a trace.
///
/// # Errors
/// Returns an error if the configuration cannot be tried, or if the guest fails.
pub fn varying(
    (model, program, script): (&Model, &Program, &str),
    kernel: &Kernel,
    (options, trace): (&LabOptions, &Trace),
    tell: &mut dyn FnMut(Progress<'_>),
) -> Result<VaryingReport, String> {
    if kernel.clock == Clock::Real {
        return Err("`--trace` needs a kernel for virtual time, because the rates change at exact times\n  help: run `qosc lab \
                    --prepare`"
            .to_owned());
    }
    let topology = Topology::of(model, options.rtt, super::STRANGERS)?;
    let finder = super::Finder { model, program, topology: &topology };
    let figures = Direction::BOTH.map(|direction| trace.figures(direction));
    let [[up, ..], [down, ..]] = figures;
    let pace = Pace { ping: 20_000, ..Pace::of((up.min(down), up.max(down)), true) };
    let builder = ScenarioBuilder { finder, pace, roles: roles(finder) };
    let window = Window { from: 0, to: trace.end.us() / 1000 };
    let bulk = builder.plain_tcp(builder.roles.loader)?;
    let mut played = Vec::new();
    for (method, (load, words, _)) in methods(model).flat_map(|(method, _)| LOADS.map(|load| (method, load)))
    {
        let mut draft = Draft::new();
        for _ in 0..4 {
            builder.add(&mut draft, names::LOAD, What::Bulk { up: load == Load::Upload }, &bulk, window);
        }
        builder.ping(&mut draft, names::PING, builder.roles.quiet, window);
        let (name, words) = (format!("{method}-{}", load.as_str()), format!("{method}: {words}"));
        let drawn = draft.scenario("", "", method != NONE, window.to + pace.rest);
        played.push((method, load, Scenario { name, words, ..drawn }));
    }
    let job = boot::Job {
        topology: &topology,
        script,
        other: None,
        scenarios: played.iter().map(|(.., scenario)| scenario).collect(),
        files: files(model, trace, &figures),
        limit: boot::limit(kernel.clock, 0),
        stop: &options.stop,
        console: None,
    };
    let done = played_in(kernel, &job, tell)?;
    let runs = played.iter().zip(&done.records);
    let runs = runs.map(|((method, load, _), records)| Run::of(method, *load, records, window, options.rtt));
    let mut runs: Vec<Run> = runs.collect();
    let oracle = runs.iter().filter(|run| run.method == ORACLE).map(|run| (run.load, run.rate));
    let oracle: Vec<(Load, u64)> = oracle.collect();
    for run in &mut runs {
        let best = oracle.iter().find(|(load, _)| *load == run.load);
        run.share = best.and_then(|(_, best)| (run.rate * 1_000_000).checked_div(*best));
    }
    let [up, down] = figures.map(|figures| {
        let [lower, mean, upper] = figures.map(|rate| show::rate(rate.bps()));
        format!("{lower} to {upper}, {mean} on average")
    });
    let last = trace.steps.last().map(|(_, rates)| (trace.end, *rates));
    let steps = trace.steps.iter().copied().chain(last);
    Ok(VaryingReport {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        link: model.name.value.as_str().to_owned(),
        kernel: KernelSaid { release: done.release, clock: kernel.clock },
        line: format!("up {up}; down {down}; for {}", trace.end),
        rtt: options.rtt.us(),
        steps: steps.map(|(time, rates)| (time.us(), [rates.up.bps(), rates.down.bps()])).collect(),
        runs,
    })
}

/// Returns the methods that a file allows.
fn methods(model: &Model) -> impl Iterator<Item = (&'static str, &'static str)> + use<> {
    let varies = model.link.vary.is_some();
    METHODS.into_iter().filter(move |(method, _)| varies || *method != FOLLOW)
}

/// Returns the files of the guest.
fn files(model: &Model, trace: &Trace, figures: &[[Rate; 3]; 2]) -> Vec<(String, String)> {
    let mut settings = String::new();
    let [up, down] = figures;
    for (name, (up, down)) in ["LOWER", "MEAN", "UPPER"].iter().zip(up.iter().zip(down)) {
        settings += &format!("{name}='{}bit {}bit'\n", up.bps(), down.bps());
    }
    // The call `rate` takes line rates, and subtracts the margin from them.
    let [up, down] =
        Direction::BOTH.map(|direction| model.link.margin(direction).map_or(0, |margin| margin.value.ppm()));
    settings += &format!("MARGIN='{up} {down}'\n");
    let step = |((_, rates), length): (&(Micros, PerDirection<Rate>), Micros)| {
        let [up, down] =
            Direction::BOTH.map(|direction| carries(model, direction, *rates.get(direction)).bps());
        let (whole, decimals) = (length.us() / 1_000_000, length.us() % 1_000_000);
        format!("{} {} {whole}.{decimals:06} {up} {down}\n", rates.up.bps(), rates.down.bps())
    };
    let files = [
        ("trace.env", settings),
        ("trace", trace.steps.iter().zip(trace.lengths()).map(step).collect()),
        ("methods", methods(model).map(|(name, command)| format!("{name} {command}\n")).collect()),
        ("trace.sh", include_str!("../../../../templates/lab/trace.sh").to_owned()),
        ("autorate.awk", include_str!("../../../../templates/lab/autorate.awk").to_owned()),
    ];
    files.map(|(name, text)| (name.to_owned(), text)).into()
}

impl Run {
    fn of(method: &'static str, load: Load, records: &Records, window: Window, rtt: Micros) -> Run {
        let [bulk, ping] =
            [names::LOAD, names::PING].map(|name| records.get(name).cloned().unwrap_or_default());
        let is_late = |sample: &&Sample| sample.took.is_none_or(|took| took > rtt.us() + LATE);
        let [late, all] =
            [ping.samples.iter().filter(is_late).count(), ping.samples.len()].map(u64::try_from);
        let added = |percent| Some(Times::of_all(&ping.samples, window, percent)?.saturating_sub(rtt.us()));
        Run {
            method,
            load,
            rate: rate(&bulk, window),
            share: None,
            late: late.ok().zip(all.ok()).and_then(|(late, all)| (late * 1_000_000).checked_div(all)),
            p50: added(50),
            p99: added(99),
            ping: ping.samples,
            rates: bulk.bytes.iter().map(|bytes| bytes * 8_000 / STEP).collect(),
        }
    }
}

impl VaryingReport {
    fn title(&self) -> String {
        format!("{}: methods of shaping on a line whose rate changes", self.link)
    }

    /// Returns the report for a terminal.
    #[must_use]
    pub fn human(&self, colour: bool) -> String {
        let mut out = Text::new(colour);
        out.heading(&self.title());
        out.wrapped("  kernel  ", &self.kernel.words(), 10);
        out.wrapped("  line    ", &self.line, 10);
        for (load, words, _) in LOADS {
            out.table(words, self.table(load));
        }
        out.out
    }

    fn runs(&self, load: Load) -> impl Iterator<Item = &Run> {
        self.runs.iter().filter(move |run| run.load == load)
    }

    fn table(&self, load: Load) -> Option<Table> {
        let share = |share: Option<u64>| tables::or_dash(share.map(show::share));
        let added = |time| show::time_or(time, "lost");
        let row = |run: &Run| {
            let rate = show::rate(run.rate);
            [run.method.to_owned(), rate, share(run.share), share(run.late), added(run.p50), added(run.p99)]
                .into()
        };
        let head = ["method", "throughput", "of oracle", "over 30 ms", "added p50", "added p99"];
        tables::table(head, self.runs(load).map(row))
    }

    /// Returns the report as one HTML file that needs no network.
    ///
    /// # Errors
    /// Returns an error if the page's frame cannot be filled.
    pub fn page(&self) -> Result<String, String> {
        let sections = LOADS.map(|(load, words, direction)| {
            let pairs = self.steps.iter().zip(self.steps.iter().skip(1));
            let line = pairs.flat_map(|((from, rates), (to, _))| {
                let rate = rates.get(direction).map(|rate| *rate as f64 / 1e6);
                [from, to].map(|time| (*time as f64 / 1e6, rate))
            });
            let line = Series { name: "line".to_owned(), colour: 6, dashed: true, data: line.collect() };
            let (title, axis) = ("Rate of the line and received data", Axis::linear("rate", "Mbit/s"));
            let end = self.steps.last().map_or(0, |(end, _)| end / 1000);
            let rates =
                self.chart(load, title, axis, |run| averaged(&run.rates, STEP, end).unwrap_or_default());
            let rates = Chart { series: [vec![line], rates.series].concat(), ..rates };
            let title = "Slowest ping of each half second, above the idle line";
            let delays = self.chart(load, title, Axis::log("added delay", "ms"), |run| self.delays(run));
            let items = self.table(load).map(Item::Table).into_iter().chain([rates, delays].map(Item::Chart));
            section(&capital(words), Vec::new(), items.collect())
        });
        let lead = vec![format!("The line: {}.", self.line), format!("Measured on {}.", self.kernel.words())];
        html(&Page { title: self.title(), lead, sections: sections.into() })
    }

    /// Returns the slowest ping of each half second, and `None` if one was lost.
    fn delays(&self, run: &Run) -> Vec<Point> {
        let number = |sample: &Sample| sample.at / (POINT * 1000);
        let parts = run.ping.chunk_by(|one, next| number(one) == number(next));
        let slowest = |part: &[Sample]| {
            let took: Option<Vec<u64>> = part.iter().map(|sample| sample.took).collect();
            took?.into_iter().max().map(|took| milliseconds(took.saturating_sub(self.rtt)))
        };
        parts.filter_map(|part| Some((part.first()?.at as f64 / 1e6, slowest(part)))).collect()
    }

    fn chart(&self, load: Load, title: &str, y: Axis, data: impl Fn(&Run) -> Vec<Point>) -> Chart {
        let series = self.runs(load).enumerate().map(|(colour, run)| Series {
            name: run.method.to_owned(),
            colour,
            dashed: false,
            data: data(run),
        });
        let x = Axis::linear("time", "s");
        Chart { title: title.to_owned(), x, y, series: series.collect(), points: false, shaded: Vec::new() }
    }
}
