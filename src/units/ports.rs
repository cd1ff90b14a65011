//! Ports and sets of ports.

/// Ports from `first` to `last`, both included. Text: `53` or `5060-5061`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRange {
    /// The lowest port, 1 to 65535.
    pub first: u16,
    /// The highest port; never below `first`.
    pub last: u16,
}

/// A set of ports in normal form: sorted ranges that neither overlap nor touch. Text: ranges with commas between.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortSet(Vec<PortRange>);

impl PortSet {
    /// The ranges, lowest first.
    #[must_use]
    pub fn ranges(&self) -> &[PortRange] {
        &self.0
    }
}

impl FromIterator<PortRange> for PortSet {
    fn from_iter<I: IntoIterator<Item = PortRange>>(ranges: I) -> Self {
        let mut sorted: Vec<PortRange> = ranges.into_iter().collect();
        sorted.sort_unstable();
        let mut merged: Vec<PortRange> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match merged.last_mut() {
                Some(last) if u32::from(range.first) <= u32::from(last.last) + 1 => {
                    last.last = last.last.max(range.last)
                }
                _ => merged.push(range),
            }
        }
        PortSet(merged)
    }
}

impl std::fmt::Display for PortRange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

impl std::fmt::Display for PortSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}
