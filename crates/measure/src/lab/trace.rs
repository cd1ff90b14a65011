//! Rates of a line over time, from a text file.

use super::topology::can_model;
use qosc_compiler::diag::ticked;
use qosc_compiler::model::{Direction, PerDirection};
use qosc_compiler::units::{Micros, Rate, UnitError};

/// Longest trace.
const MOST: Micros = Micros::from_ms(3_600_000);

/// Rates of a line over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trace {
    /// Times since the start, and the rates from then on.
    pub steps: Vec<(Micros, PerDirection<Rate>)>,
    /// End of the last step.
    pub end: Micros,
}

impl Trace {
    /// Reads a trace: lines `SECONDS UP DOWN`, and `SECONDS end` at last.
    ///
    /// # Errors
    /// Returns the number of the faulty line, the problem and the cure.
    pub fn read(text: &str) -> Result<Trace, String> {
        let (mut steps, mut end) = (Vec::new(), None);
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            let last = steps.last().map(|(time, _)| *time);
            let read = match *words {
                [] => continue,
                _ if end.is_some() => {
                    Err("no line can follow `SECONDS end`\n  help: remove this line".to_owned())
                }
                [seconds, "end"] => time(seconds, last).map(|time| end = Some(time)),
                [seconds, up, down] => time(seconds, last).and_then(|time| {
                    steps.push((time, PerDirection { up: rate(up)?, down: rate(down)? }));
                    Ok(())
                }),
                _ => Err(format!(
                    "{} is not a step of a trace\n  help: write `SECONDS UP DOWN`, such as `0.2 6.5mbit 25mbit`, or `SECONDS end`",
                    ticked(line.trim())
                )),
            };
            read.map_err(|why| format!("line {}: {why}", number + 1))?;
        }
        let end = end.ok_or("the last line is missing\n  help: write `SECONDS end`, such as `60 end`")?;
        if steps.is_empty() {
            Err("it has no rates before its end".to_owned())
        } else {
            Ok(Trace { steps, end })
        }
    }

    /// Returns the length of each step.
    pub(super) fn lengths(&self) -> impl Iterator<Item = Micros> {
        let ends = self.steps.iter().skip(1).map(|(time, _)| time).chain([&self.end]);
        ends.zip(&self.steps).map(|(end, (time, _))| Micros::from_us(end.us().saturating_sub(time.us())))
    }

    /// Returns the lowest rate of a direction, the mean over time, and the highest rate.
    pub(super) fn figures(&self, direction: Direction) -> [Rate; 3] {
        let rates = || self.steps.iter().map(|(_, rates)| *rates.get(direction));
        let parts = rates().zip(self.lengths()).map(|(rate, length)| rate.scale(length.us(), self.end.us()));
        let mean = parts.sum();
        [rates().min().unwrap_or(mean), mean, rates().max().unwrap_or(mean)]
    }
}

fn rate(text: &str) -> Result<Rate, String> {
    let rate = text.parse().map_err(|UnitError { message, help, .. }| {
        let help: Vec<String> = help.into_iter().map(|help| help.words).collect();
        format!("{message}\n  help: {}", help.join("; or "))
    })?;
    can_model(rate).map(|()| rate)
}

/// Reads the time of a line. The line before it has the time `before`.
fn time(text: &str, before: Option<Micros>) -> Result<Micros, String> {
    let time: Micros = format!("{text}s").parse().map_err(|_| {
        format!(
            "{} is not a number of seconds\n  help: write a number without a unit, such as `0.2`",
            ticked(text)
        )
    })?;
    match before {
        None if time.us() > 0 => Err(format!("the trace begins at {time}\n  help: begin at `0`")),
        Some(before) if time <= before => {
            Err(format!("the time {time} is not after {before}, the time before it"))
        }
        _ if time > MOST => Err(format!("the time {time} is beyond {MOST}, the most that a trace can have")),
        _ => Ok(time),
    }
}

#[cfg(test)]
#[path = "trace_tests.rs"]
mod tests;
