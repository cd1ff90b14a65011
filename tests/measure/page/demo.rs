//! A page like the lab's, with made-up data: a queue of two seconds without a script, and of three milliseconds with
//! one.

use qosc_measure::page::{Axis, BarRow, Bars, Cell, Chart, Item, Page, PageSection, Segment, Series, Table};

/// A hostile name, which tries to run code in the page of its reader.
pub const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!--<script>";

/// Pseudo-random numbers from 0 to 1, always the same.
fn noise(state: &mut u32) -> f64 {
    *state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    f64::from(*state >> 8) / f64::from(1 << 24)
}

/// Latency in milliseconds, ten times a second for a minute. From second 10 to 50, a load adds up to `queue`
/// milliseconds.
fn latency(seed: u32, queue: f64, loss: f64) -> Vec<(f64, Option<f64>)> {
    let mut state = seed;
    let at = |n: u32| {
        let second = f64::from(n) / 10.0;
        let filled = if (10.0..50.0).contains(&second) { ((second - 10.0) / 4.0).min(1.0) } else { 0.0 };
        let lost = noise(&mut state) < loss * filled;
        let value = 12.0 + 2.0 * noise(&mut state) + queue * filled * (0.85 + 0.15 * noise(&mut state));
        (second, (!lost).then_some((value * 100.0).round() / 100.0))
    };
    (0..600).map(at).collect()
}

fn series(name: &str, colour: usize, data: Vec<(f64, Option<f64>)>) -> Series {
    Series { name: name.into(), colour, dashed: false, data }
}

fn latencies(title: &str, y: Axis, points: bool) -> Item {
    Item::Chart(Chart {
        title: title.into(),
        x: Axis::linear("time", "s"),
        y,
        series: vec![
            series("without script", 1, latency(1, 1995.0, 0.08)),
            series("with script", 0, latency(2, 3.0, 0.004)),
        ],
        points,
        shaded: vec![(10.0, 50.0, "three uploads".into())],
    })
}

/// A chart with this many points.
pub fn many(count: u32) -> Item {
    let mut state = 7;
    let at = |n| (f64::from(n) / 100.0, Some((1.0 + 20.0 * noise(&mut state).powi(8)) * 10.0));
    let data = (0..count).map(at).collect();
    Item::Chart(Chart {
        title: format!("{count} replies"),
        x: Axis::linear("time", "s"),
        y: Axis::linear("latency", "ms"),
        series: vec![series("one", 2, data)],
        points: true,
        shaded: Vec::new(),
    })
}

fn sizes() -> Item {
    let sizes = [64, 80, 100, 150, 200, 300, 500, 800, 1200, 1500];
    let pps = |size: i32| 6.5e6 / 8.0 / (f64::from(size) + 22.0);
    let measured = sizes.iter().flat_map(|size| {
        [0.98, 1.01, 1.02].map(|factor| (f64::from(*size), Some((pps(*size) * factor).round())))
    });
    let fitted = sizes.iter().map(|size| (f64::from(*size), Some(pps(*size).round())));
    Item::Chart(Chart {
        title: "Packets by size".into(),
        x: Axis::log("IP packet", "bytes"),
        y: Axis::log("rate", "packets/s"),
        series: vec![
            series("measured", 0, measured.collect()),
            Series { dashed: true, ..series("fitted", 1, fitted.collect()) },
        ],
        points: false,
        shaded: Vec::new(),
    })
}

fn table() -> Item {
    let row = |name: &str, cells: [&str; 6], good: Option<bool>| {
        let mut row = vec![Cell::words(name)];
        row.extend(cells.map(Cell::number));
        if let (Some(good), Some(cell)) = (good, row.get_mut(3)) {
            cell.good = Some(good);
        }
        row
    };
    let head = ["situation", "p50", "p99", "max", "loss", "jitter", "share of host B"];
    Item::Table(Table {
        caption: Some("Ping and a 200 kbit/s stream from host B".into()),
        head: head.map(String::from).to_vec(),
        rows: vec![
            row("idle, without script", ["12.4 ms", "13.1 ms", "13.9 ms", "0 %", "0.2 ms", "–"], None),
            row(
                "three uploads, without script",
                ["1998 ms", "2011 ms", "2013 ms", "7.9 %", "31 ms", "22 %"],
                Some(false),
            ),
            row(
                "three uploads, with script",
                ["14.6 ms", "15.9 ms", "17.0 ms", "0 %", "1.1 ms", "50 %"],
                Some(true),
            ),
            row(
                "8 Mbit/s flood, with script",
                ["14.5 ms", "15.7 ms", "16.8 ms", "0 %", "1.0 ms", "50 %"],
                Some(true),
            ),
        ],
    })
}

fn bars(stacked: bool) -> Item {
    let part = |name: &str, value: f64, colour| Segment {
        name: name.into(),
        value,
        text: format!("{value} %"),
        colour,
    };
    let row = |label: &str, one, other| BarRow {
        label: label.into(),
        parts: vec![part("host A, three uploads", one, 1), part("host B, one upload", other, 0)],
    };
    Item::Bars(Bars {
        title: "Who had the upload".into(),
        full: 100.0,
        stacked,
        rows: vec![row("without script", 78.0, 22.0), row("with script", 50.0, 50.0)],
    })
}

/// The whole page.
pub fn page() -> Page {
    let section = |title: &str, text: &str, items, folded| PageSection {
        title: title.into(),
        text: if text.is_empty() { Vec::new() } else { vec![text.into()] },
        items,
        folded,
    };
    Page {
        title: "vdsl2-home: what the household feels".into(),
        lead: vec![
            "Linux 6.1.0 as one process, in virtual time. A modelled VDSL2 line of 6.5 Mbit/s up and 50 Mbit/s down, 20 ms to the internet and back, \
             1000 packets in the modem.".into(),
            "With three uploads running, 99 of 100 pings took less than 16 ms with the script, and 2011 ms without.".into(),
        ],
        sections: vec![
            section(
                "Latency under three uploads",
                "Host A uploads three files from second 10 to 50, host B pings.",
                vec![
                    latencies("Ping from host B", Axis::log("latency", "ms"), false),
                    latencies("The same, as points", Axis::linear("latency", "ms"), true),
                    table(),
                ],
                false,
            ),
            section("Shares", "", vec![bars(true), bars(false), sizes()], false),
            section("A long measurement", "", vec![many(50_000)], false),
            section(HOSTILE, HOSTILE, hostile(), true),
        ],
    }
}

/// Every item that can show a name, with a hostile one.
fn hostile() -> Vec<Item> {
    let name = || String::from(HOSTILE);
    let axis = || Axis::linear(name(), name());
    let part = Segment { name: name(), value: 40.0, text: name(), colour: 3 };
    vec![
        Item::Text(name()),
        Item::Table(Table {
            caption: Some(name()),
            head: vec![name()],
            rows: vec![vec![Cell::words(name())]],
        }),
        Item::Bars(Bars {
            title: name(),
            full: 100.0,
            stacked: true,
            rows: vec![BarRow { label: name(), parts: vec![part] }],
        }),
        Item::Chart(Chart {
            title: name(),
            x: axis(),
            y: axis(),
            series: vec![series(
                HOSTILE,
                3,
                vec![(0.0, Some(1.0)), (0.4, Some(2.0)), (1.0, None), (1.6, Some(2.0)), (2.0, Some(3.0))],
            )],
            points: false,
            shaded: vec![(0.5, 1.5, name())],
        }),
    ]
}
