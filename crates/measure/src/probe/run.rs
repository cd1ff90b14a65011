//! Measurement and its file.

use super::stats::{Stats, stats};
use qosc_compiler::units::Dscp;
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt::Write as _;

/// Value of the first key of a run.
pub const FORMAT: &str = "qosc-run 1";

/// A measurement: every target with every code point, at the same time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Run {
    /// Always `qosc-run 1`; another number stands for another format.
    pub format: String,
    /// Label given by the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Start in UTC, as `2026-01-31T23:59:59Z`.
    pub started: String,
    /// Duration in µs.
    pub took_us: u64,
    /// Time between two requests of a series, in µs.
    pub interval_us: u64,
    /// Bytes of the IP packet of each request.
    pub size: u64,
    /// Load during the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<Loaded>,
    /// Series, each of one target with one code point.
    pub series: Vec<Series>,
}

/// A command that filled the line, and its period.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Loaded {
    /// Command for `sh -c`.
    pub command: String,
    /// Start in µs since the start of the run.
    pub began_us: u64,
    /// End in µs since the start of the run.
    pub ended_us: u64,
}

/// Results of one target with one code point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Series {
    /// Target as the user named it.
    pub target: String,
    /// Address of the target.
    pub address: String,
    /// Code point as a name or a number, such as `ef` or `3`.
    #[serde(deserialize_with = "dscp")]
    #[schemars(with = "String")]
    pub dscp: Dscp,
    /// Number of repeated answers.
    #[serde(default)]
    pub doubles: u64,
    /// Number of requests that the kernel refused. They count as lost samples.
    #[serde(default)]
    pub refused: u64,
    /// Samples in the order of sending: the time in µs since the start of the run, and the round trip time in µs,
    /// `None` if lost.
    pub samples: Vec<(u64, Option<u64>)>,
}

/// Phase of a request relative to the load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Phase {
    /// Before the load began.
    Before,
    /// While the load ran.
    Load,
    /// After the load had ended.
    After,
}

impl Phase {
    /// All phases in the order of time.
    pub const ALL: [Phase; 3] = [Phase::Before, Phase::Load, Phase::After];

    /// Returns the name for the column `load` of a table.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Phase::Before => "before",
            Phase::Load => "under",
            Phase::After => "after",
        }
    }
}

impl Loaded {
    /// Returns the phase of a request that was sent at this time.
    #[must_use]
    pub fn phase(&self, sent_us: u64) -> Phase {
        match sent_us {
            us if us < self.began_us => Phase::Before,
            us if us < self.ended_us => Phase::Load,
            _ => Phase::After,
        }
    }
}

impl Run {
    /// Returns the statistics of a series: as a whole, or if there was a load, of each phase with samples.
    #[must_use]
    pub fn stats(&self, series: &Series) -> Vec<(Option<Phase>, Stats)> {
        let of = |phase: Option<Phase>| {
            let within = |sent: u64| match (&self.load, phase) {
                (Some(load), Some(phase)) => load.phase(sent) == phase,
                _ => true,
            };
            let samples = series.samples.iter().filter(|(sent, _)| within(*sent));
            (phase, stats(samples.map(|(_, time)| *time)))
        };
        match self.load {
            None => vec![of(None)],
            Some(_) => {
                let phases = Phase::ALL.map(|phase| of(Some(phase)));
                phases.into_iter().filter(|(_, stats)| stats.sent > 0).collect()
            }
        }
    }

    /// Returns the file: JSON with a few samples per line, so that people can read a long one.
    ///
    /// # Errors
    /// Returns an error if a value cannot be written as JSON, which does not happen.
    pub fn json(&self) -> serde_json::Result<String> {
        // the samples are written one by one, because a copy of them could be large
        let head = Run {
            format: self.format.clone(),
            label: self.label.clone(),
            started: self.started.clone(),
            load: self.load.clone(),
            series: Vec::new(),
            ..*self
        };
        let mut out = serde_json::to_string_pretty(&head)?;
        // the empty list of series, and the end
        out.truncate(out.len().saturating_sub("[]\n}".len()));
        out.push('[');
        for (at, series) in self.series.iter().enumerate() {
            let head = Series {
                target: series.target.clone(),
                address: series.address.clone(),
                samples: Vec::new(),
                ..*series
            };
            let mut head = serde_json::to_string(&head)?;
            head.truncate(head.len().saturating_sub("[]}".len()));
            let _ = write!(out, "{}\n    {head}[", if at > 0 { "," } else { "" });
            for (at, (sent, time)) in series.samples.iter().enumerate() {
                let gap = match at {
                    0 => "\n      ",
                    at if at % 8 == 0 => ",\n      ",
                    _ => ", ",
                };
                let time = time.map_or("null".to_owned(), |time| time.to_string());
                let _ = write!(out, "{gap}[{sent}, {time}]");
            }
            out.push_str("\n    ]}");
        }
        out.push_str("\n  ]\n}\n");
        Ok(out)
    }

    /// Returns the samples as comma-separated values for other programs. Lost ones have no round trip time.
    #[must_use]
    pub fn csv(&self) -> String {
        let mut out = "target,address,dscp,sent_us,rtt_us\n".to_owned();
        for series in &self.series {
            let target = quoted(&series.target);
            let (address, dscp) = (&series.address, series.dscp);
            for (sent, time) in &series.samples {
                let time = time.map(|time| time.to_string()).unwrap_or_default();
                let _ = writeln!(out, "{target},{address},{dscp},{sent},{time}");
            }
        }
        out
    }

    /// Reads a file of this format.
    ///
    /// # Errors
    /// Returns the problem, without the name of the file, if the file is damaged or is not a run.
    pub fn read(text: &str) -> Result<Run, String> {
        /// Key that is read first. Files of other formats may differ in everything else.
        #[derive(Deserialize)]
        struct FormatKey {
            format: Option<serde_json::Value>,
        }
        if text.trim().is_empty() {
            return Err("it is empty".to_owned());
        }
        if !text.trim_start().starts_with('{') {
            return Err(no_run());
        }
        let kind: FormatKey = serde_json::from_str(text).map_err(|e| wrong(&e))?;
        match kind.format.as_ref().and_then(|format| format.as_str()) {
            Some(FORMAT) => {}
            Some(other) if other.starts_with("qosc-run ") => {
                return Err(format!(
                    "it has the format `{other}`, but this version reads `{FORMAT}`: a newer version wrote it"
                ));
            }
            _ => return Err(no_run()),
        }
        let run: Run = serde_json::from_str(text).map_err(|e| wrong(&e))?;
        for series in &run.series {
            let pairs = series.samples.iter().zip(series.samples.iter().skip(1));
            if let Some(((_, _), (sent, _))) = pairs.into_iter().find(|((one, _), (next, _))| next < one) {
                let (target, dscp) = (&series.target, series.dscp);
                return Err(format!(
                    "the samples of `{target}` with {dscp} are not in chronological order at {sent} µs"
                ));
            }
        }
        Ok(run)
    }
}

fn no_run() -> String {
    format!(
        "it is not a run: it lacks `\"format\": \"{FORMAT}\"`; `qosc ping -o RUN.json TARGET` writes runs"
    )
}

/// Returns a field of the table, quoted if necessary.
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text.to_owned()
    }
}

/// Describes a problem in words for people who do not know the parser.
fn wrong(error: &serde_json::Error) -> String {
    use serde_json::error::Category;
    let place = format!("line {}, column {}", error.line(), error.column());
    let said = error.to_string();
    let said = said.split(" at line ").next().unwrap_or_default();
    match error.classify() {
        Category::Eof => "it is cut off: its end is missing".to_owned(),
        Category::Syntax | Category::Io => format!("{place}: this is not JSON"),
        Category::Data => match said.strip_prefix("missing field ") {
            Some(key) => format!("{place}: {key} is missing"),
            None if said.starts_with("invalid length") => {
                format!("{place}: a sample is a pair, such as `[20000, 12345]`")
            }
            None => format!("{place}: {} is not allowed here", found(said)),
        },
    }
}

/// Returns the value that was found, from a message such as "invalid type: string "x", expected u64".
fn found(said: &str) -> String {
    let found = said.split(", expected ").next().unwrap_or_default();
    let found = found.split_once(": ").map_or(found, |(_, found)| found);
    let names = [
        ("integer ", ""),
        ("floating point ", ""),
        ("boolean ", ""),
        ("string ", "the text "),
        ("sequence", "a list"),
        ("map", "keys with values"),
        ("null", "`null`"),
    ];
    match names.iter().find_map(|(theirs, ours)| Some((found.strip_prefix(theirs)?, ours))) {
        Some((rest, ours)) => format!("{ours}{rest}"),
        None => found.to_owned(),
    }
}

/// Reads a code point in its printed form.
fn dscp<'a, D: Deserializer<'a>>(from: D) -> Result<Dscp, D::Error> {
    let text = String::deserialize(from)?;
    text.parse().map_err(|_| serde::de::Error::custom(format!("no DSCP: `{text}`")))
}

#[cfg(test)]
#[path = "run_tests.rs"]
mod tests;
