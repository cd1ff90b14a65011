//! Configurations with one number at a limit of the kernel, for every limit of a number that the file gives.

use qosc_compiler::terms::Limit;
use qosc_compiler::terms::limits::{
    BUCKET_TIME, BURST, BYTE_QUEUE, CLASS_ID, CODEL_TIME, FLOWS, MARK, MEMORY, MPU, OVERHEAD, PACKETS,
    PRIORITY, QUANTUM, RATE, ROUND_TRIP, TRANSMIT_QUEUE,
};

/// A place in a file for one number.
pub struct Sample {
    /// The limit of the number.
    pub limit: Limit,
    /// Smallest and largest number in the unit of the file.
    pub ends: (u64, u64),
    /// Section of the file: `link`, `classes`, `police` or `tuning`.
    pub section: &'static str,
    /// Entry of the section. `@` stands for the number, and `#` for a name that no other sample has.
    pub entry: &'static str,
    /// Codes of the finding about a number below and above the limits; no code if the type has no such number.
    pub codes: (&'static str, &'static str),
}

/// Every place for a number that reaches the kernel.
pub fn samples() -> Vec<Sample> {
    const fn sample(limit: Limit, section: &'static str, entry: &'static str, code: &'static str) -> Sample {
        Sample { limit, ends: (limit.least, limit.most), section, entry, codes: (code, code) }
    }
    let number = |limit, section, entry| sample(limit, section, entry, "Q0211");
    let rate = |section, entry| Sample { codes: ("Q0602", "Q0201"), ..sample(RATE, section, entry, "") };
    let burst = |limit, ends, entry| Sample { ends, ..sample(limit, "police", entry, "Q0204") };
    vec![
        rate("link", "up: @bit"),
        rate("link", "down: @bit"),
        rate("police", "#: { direction: down, match: { protocol: 200 }, rate: @bit }"),
        Sample {
            codes: ("Q0602", "Q0201"),
            ..rate("classes", "#: { guarantee: 0%, ceiling: @bit, match: { protocol: 201 } }")
        },
        number(OVERHEAD, "link", "overhead: @"),
        number(MPU, "link", "mpu: @"),
        number(PRIORITY, "classes", "#: { priority: @, match: { protocol: 202 } }"),
        number(CLASS_ID, "classes", "#: { id: @, match: { protocol: 203 } }"),
        number(PACKETS, "classes", "#: { queue: { fq_codel: { limit: @ } }, match: { protocol: 204 } }"),
        number(PACKETS, "classes", "#: { queue: { fifo: { limit: @ } }, match: { protocol: 205 } }"),
        number(FLOWS, "classes", "#: { queue: { fq_codel: { flows: @ } }, match: { protocol: 206 } }"),
        number(QUANTUM, "classes", "#: { queue: { fq_codel: { quantum: @ } }, match: { protocol: 207 } }"),
        sample(
            CODEL_TIME,
            "classes",
            "#: { queue: { fq_codel: { target: @us } }, match: { protocol: 208 } }",
            "Q0203",
        ),
        sample(
            CODEL_TIME,
            "classes",
            "#: { queue: { fq_codel: { interval: @us } }, match: { protocol: 209 } }",
            "Q0203",
        ),
        sample(
            MEMORY,
            "classes",
            "#: { queue: { fq_codel: { memory: @ } }, match: { protocol: 210 } }",
            "Q0204",
        ),
        sample(
            ROUND_TRIP,
            "classes",
            "#: { queue: { cake: { rtt: @us } }, match: { protocol: 211 } }",
            "Q0203",
        ),
        number(TRANSMIT_QUEUE, "tuning", "txqueuelen: @"),
        sample(BYTE_QUEUE, "tuning", "bql: @", "Q0204"),
        // 274,877,906 us and 1 us at these rates
        burst(
            BUCKET_TIME,
            (13, 34_359_738),
            "#: { direction: up, match: { protocol: 212 }, rate: ~, burst: @ }",
        ),
        burst(
            BURST,
            (1, u32::MAX.into()),
            "#: { direction: down, match: { protocol: 213 }, rate: ~, burst: @ }",
        ),
        Sample {
            codes: ("", "Q0209"),
            ..sample(MARK, "classes", "#: { match: { mark: @, direction: up } }", "")
        },
    ]
}

impl Sample {
    /// Returns the entry with a number. `n` makes its name different from those of other samples.
    fn at(&self, number: u64, n: usize, high: bool) -> String {
        // The smallest burst is at a high rate, and the largest at a low one. For the bytes, it is the other way round.
        let rate = match (self.limit == BURST, high) {
            (false, false) => "100mbit",
            (false, true) => "1mbit",
            (true, false) => "8mbit",
            (true, true) => "10gbit",
        };
        let text = self.entry.replace('@', &number.to_string()).replace('~', rate);
        text.replace('#', &format!("{}-{n}", self.section))
    }

    /// Returns a file in which only this number is unusual; `high` tells which end of the limits it is near.
    pub fn file(&self, number: u64, high: bool) -> String {
        file(&[(self.section, self.at(number, 0, high))])
    }
}

/// Returns a file with all numbers at their smallest or largest.
pub fn extreme(high: bool) -> String {
    let ends = |sample: &Sample| if high { sample.ends.1 } else { sample.ends.0 };
    let all: Vec<_> = (samples().iter().enumerate())
        // Slow lines have no room for the other samples.
        .filter(|(_, sample)| high || sample.section != "link" || sample.limit != RATE)
        .map(|(n, sample)| (sample.section, sample.at(ends(sample), n, high)))
        .collect();
    file(&all)
}

fn file(entries: &[(&str, String)]) -> String {
    let of = |section: &'static str| {
        entries.iter().filter(move |(place, _)| *place == section).map(|(_, entry)| entry)
    };
    let given = |key: &str| entries.iter().any(|(place, entry)| *place == "link" && entry.starts_with(key));
    let usual = [("up: ", "up: 1000gbit"), ("down: ", "down: 1000gbit")];
    let usual = usual.iter().filter(|(key, _)| !given(key)).map(|(_, entry)| (*entry).to_owned());
    let link: Vec<String> = of("link").cloned().chain(usual).collect();
    let lines = |section: &'static str| of(section).map(|entry| format!("  {entry}\n")).collect::<String>();
    let mut text = format!(
        "name: limits\nlink: {{ device: eth0, profile: ethernet, margin: 0%, {} }}\n",
        link.join(", ")
    );
    text += "lan: { device: br-lan, nat: false }\n";
    text += &format!("classes:\n{}  rest: {{ default: true }}\n", lines("classes"));
    for section in ["police", "tuning"] {
        if of(section).next().is_some() {
            text += &format!("{section}:\n{}", lines(section));
        }
    }
    text
}
