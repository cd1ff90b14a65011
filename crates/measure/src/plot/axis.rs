//! Axes: positions of values, and round values for ticks.

/// An axis: values from `from` to `to` are at pixels from `start` to `end`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Axis {
    /// Value at the start.
    pub(super) from: f64,
    /// Value at the end.
    pub(super) to: f64,
    /// Start in pixels from the left or from the top.
    pub(super) start: f64,
    /// End in pixels. It is less than `start` if the axis goes upwards.
    pub(super) end: f64,
    /// True if the axis is logarithmic; `from` is then above zero.
    pub(super) is_log: bool,
}

impl Axis {
    /// Returns the position of a value in pixels. A value outside the range is outside the axis.
    pub(super) fn at(&self, value: f64) -> f64 {
        let part = |v: f64| if self.is_log { v.ln() } else { v };
        let share = (part(value) - part(self.from)) / (part(self.to) - part(self.from));
        self.start + share * (self.end - self.start)
    }

    /// Returns the position of a value in pixels. A value outside the range is at the nearer end.
    pub(super) fn within(&self, value: f64) -> f64 {
        // zero and negative values have no logarithm
        let at = if self.is_log && value <= 0.0 { self.start } else { self.at(value) };
        at.clamp(self.start.min(self.end), self.start.max(self.end))
    }

    /// Returns round values for ticks: 1, 2 and 5 of each power of ten, or steps of one of those.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let within = |tick: &f64| *tick >= self.from * 0.9999 && *tick <= self.to * 1.0001;
        if self.is_log {
            let decades = (-9..=15).map(|power| 10f64.powi(power));
            return decades
                .flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * decade))
                .filter(within)
                .collect();
        }
        let rough = (self.to - self.from) / 8.0;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * decade).into_iter().find(|step| *step >= rough);
        let step = step.unwrap_or(rough);
        (0..200).map(|n| f64::from(n) * step).filter(within).collect()
    }
}

/// Formats a tick's value without digits from floating-point errors.
pub(super) fn tick(value: f64) -> String {
    let text = format!("{value:.9}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Axis, tick};

    fn axis(from: f64, to: f64, is_log: bool) -> Axis {
        Axis { from, to, start: 100.0, end: 0.0, is_log }
    }

    #[test]
    fn axes_place_values_on_their_scale() {
        let linear = axis(0.0, 50.0, false);
        assert_eq!([0.0, 25.0, 50.0].map(|value| linear.at(value)), [100.0, 50.0, 0.0]);
        assert_eq!([-1.0, 51.0].map(|value| linear.within(value)), [100.0, 0.0]);
        let log = axis(1.0, 100.0, true);
        assert!((log.at(10.0) - 50.0).abs() < 1e-9);
        assert_eq!([0.0, 0.5, 1000.0].map(|value| log.within(value)), [100.0, 100.0, 0.0]);
    }

    #[test]
    fn ticks_have_round_values() {
        let words = |axis: Axis| axis.ticks().into_iter().map(tick).collect::<Vec<_>>().join(" ");
        assert_eq!(words(axis(0.0, 0.7, false)), "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7");
        assert_eq!(words(axis(0.0, 1234.0, false)), "0 200 400 600 800 1000 1200");
        assert_eq!(words(axis(0.02, 30.0, true)), "0.02 0.05 0.1 0.2 0.5 1 2 5 10 20");
    }
}
