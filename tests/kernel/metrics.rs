//! `status` fits 80 columns, and `status --metrics` prints what `tc -s` shows, for HTB, CAKE and policers.

use crate::exposition::{Samples, samples};
use crate::house::House;
use crate::packet::Packet;
use crate::report::Report;
use qosc_compiler::tc::{Dev, Handle, Parent, Program, QdiscKind};
use std::collections::BTreeMap;

/// Names with characters that have a meaning in the format, and of the greatest length.
const LONG: &str = "ein sehr langer Name, wie ihn jede Datei haben darf: groß, breit";

/// The tins of the classes.
const TINS: [(&str, &str); 2] = [("3", "a \"b\" \\ c"), ("2", "rest")];

/// The root qdisc.
const ROOT: Handle = Handle { major: 0xc05, minor: 0 };

fn house(engine: &str) -> House {
    let hosts = if engine == "htb" {
        "hosts: { \"the tv: \\\"upstairs\\\"\": { address: 192.168.1.20, ceiling: 1mbit } }\n"
    } else {
        ""
    };
    let mut yaml = format!(
        "name: counted\n\
         link: {{ device: eth1, profile: ethernet, up: 2mbit, down: 4mbit, engine: {engine}, trust_dscp: true }}\n\
         lan: {{ device: br-lan, nat: false }}\ntuning: {{ offloads: keep }}\n{hosts}\
         classes:\n\
         \x20 \"a \\\"b\\\" \\\\ c\": {{ priority: 0, match: [{{ dscp: ef }}] }}\n"
    );
    if engine == "htb" {
        yaml += &format!("  \"{LONG}\":\n    classes:\n      web: {{ match: [{{ dscp: af21 }}] }}\n");
        yaml += "      more: { match: [{ dscp: af22 }], share: per-host }\n";
    }
    yaml += "  rest: { default: true }\n\
             police:\n\
             \x20 \"p: q\": { direction: down, match: [{ protocol: 222 }], rate: 10% }\n\
             \x20 \"p: \\\"r\\\"\": { direction: up, match: [{ protocol: 223 }, { protocol: 224 }], rate: 100kbit }\n";
    House::of("counted", yaml.into_bytes()).with_calls()
}

/// Packets for every class and policer.
fn packets() -> String {
    let mut lines = String::new();
    for place in ["eth1", "net/eth1"] {
        let (from, to) = ("192.0.2.1", "192.0.2.2");
        for (copies, dscp) in [(3, 46), (5, 18), (7, 20), (11, 0)] {
            lines += &Packet::new(from, to).dscp(dscp).length(500).line(place, copies);
        }
        lines += &Packet::new("192.168.1.20", "198.51.100.1").length(700).line(place, 4);
        lines += &Packet::new("198.51.100.1", "192.168.1.20").length(700).line(place, 4);
        for protocol in [222, 223, 224] {
            lines += &Packet::new(from, to).protocol(protocol).length(1400).line(place, 60);
        }
    }
    lines
}

/// More packets than the line can take, which understand ECN.
fn burst() -> String {
    let mut lines = String::new();
    for place in ["eth1", "net/eth1"] {
        lines += &Packet::new("192.0.2.1", "192.0.2.2").ecn(1).length(1400).line(place, 400);
        lines += &Packet::new("192.0.2.1", "192.0.2.2").ecn(1).dscp(46).length(1400).line(place, 600);
    }
    lines
}

#[test]
fn metrics_equal_the_counters_of_tc() {
    let (htb, cake) = (house("htb"), house("cake"));
    let mut guest = htb.guest("metrics").file("cake.sh", cake.script.as_str()).file("flood", burst());
    for leg in ["dash", "busybox", "cake"] {
        guest = guest.file(&format!("packets-{leg}"), packets());
    }
    let Some(report) = guest.run("metrics.sh") else { return };
    for leg in ["dash", "busybox", "cake"] {
        let house = if leg == "cake" { &cake } else { &htb };
        let step = |name: &str| format!("{leg}/{name}");
        for (name, code) in [
            ("start", 0),
            ("stopped", 3),
            ("busy", 0),
            ("idle", 0),
            ("scaled", 0),
            ("drifted", 1),
            ("wrong", 2),
        ] {
            report.expect_code(&step(name), code);
            let said = report.text(&format!("out/{leg}/{name}.err"));
            assert_eq!(said.is_empty(), name != "wrong", "{}", report.about(&step(name)));
        }
        assert_eq!(
            report.out(&step("stopped")).lines().last(),
            Some("qosc_in_place{link=\"counted\"} 0"),
            "{}",
            report.about(&step("stopped"))
        );
        for name in ["busy", "idle", "scaled", "drifted"] {
            compared(house, &report, &step(name));
            expect_narrow(&report, &step(&format!("{name}-table")));
        }
        let begun: u64 = report.text(&format!("out/{leg}/now")).trim().parse().expect("a time");
        let busy = samples(&report.out(&step("busy")));
        let started: u64 = of(&busy, "qosc_start_time_seconds", &[]).parse().expect("a time");
        assert!(begun.abs_diff(started) <= 5, "{begun} {started}");
        let script = if leg == "cake" { &cake.script } else { &htb.script };
        let digest = qosc_compiler::emit::digest_of(script).expect("a digest");
        assert_eq!(of(&busy, "qosc_script_info", &[("digest", digest)]), "1");
        busy_line(&busy, leg);
    }
}

/// Checks that the burst fills a queue, is marked, and exceeds the policers. Otherwise, zeros would equal zeros.
fn busy_line(busy: &Samples, leg: &str) {
    let kind = if leg == "cake" { "tin" } else { "class" };
    let most = |name: &str| {
        let values = busy.iter().filter(|((own, _), _)| *own == name).map(|(_, value)| value.parse::<f64>());
        values.map(|value| value.expect("a number")).fold(0.0, f64::max)
    };
    for name in ["backlog_bytes", "ecn_marked_packets_total", "dropped_packets_total"] {
        assert!(most(&format!("qosc_{kind}_{name}")) > 0.0, "{leg}: {name} {busy:?}");
    }
    assert!(most("qosc_policer_exceeding_packets_total") > 0.0, "{leg}");
    for (direction, name, came) in [("down", "p: q", "60"), ("up", "p: \"r\"", "120")] {
        let labels = [("direction", direction), ("policer", name)];
        assert_eq!(of(busy, "qosc_policer_packets_total", &labels), came, "{leg}");
    }
    if leg == "cake" {
        assert!(most("qosc_tin_peak_delay_seconds") > 0.001, "{busy:?}");
        return;
    }
    for (class, host, parent) in [
        ("web", None, Some(LONG)),
        ("rest/the tv: \"upstairs\"", Some("the tv: \"upstairs\""), Some("rest")),
        ("a \"b\" \\ c", None, None),
    ] {
        let mut labels = vec![("direction", "down"), ("class", class)];
        labels.extend(host.map(|host| ("host", host)));
        labels.extend(parent.map(|parent| ("parent", parent)));
        assert_ne!(of(busy, "qosc_class_sent_packets_total", &labels), "0", "{class}");
    }
}

/// The sample with these labels and the link.
#[track_caller]
fn of<'a>(samples: &'a Samples, name: &str, labels: &[(&str, &str)]) -> &'a str {
    let mut labels: BTreeMap<String, String> =
        labels.iter().map(|(label, value)| ((*label).to_owned(), (*value).to_owned())).collect();
    labels.insert("link".to_owned(), "counted".to_owned());
    samples
        .get(&(name.to_owned(), labels.clone()))
        .unwrap_or_else(|| panic!("{name} {labels:?}: {samples:#?}"))
}

/// Checks that no line has more than 80 columns, and that no line ends with a space.
#[track_caller]
pub fn expect_narrow(report: &Report, step: &str) {
    let status = report.out(step);
    assert!(!status.is_empty(), "{}", report.about(step));
    for line in status.lines() {
        assert!(line.chars().count() <= 80 && !line.ends_with(' '), "{line:?}\n{}", report.about(step));
    }
}

/// Checks that the metrics name each class, tin and policer, and the time of the start.
#[track_caller]
pub fn expect_every_object(house: &House, report: &Report, step: &str) {
    let printed = samples(&report.out(step));
    let count = |name: &str| printed.keys().filter(|(own, _)| own == name).count();
    let program = &house.program;
    let roots = program.qdiscs.iter().filter(|qdisc| qdisc.parent == Parent::Root).count();
    // a CAKE for each queue has no tins
    let is_cake =
        |kind: &QdiscKind| matches!(kind, QdiscKind::Cake { shaper, .. } if shaper.is_none_or(|own| !own.mq));
    let cakes = program.qdiscs.iter().filter(|qdisc| qdisc.parent == Parent::Root && is_cake(&qdisc.kind));
    let tins = cakes.count() * house.model.leaves().len();
    // The root class of a direction is its link.
    let classes = program.classes.iter().filter(|class| class.parent != Parent::At(ROOT)).count();
    for (name, expected) in [
        ("qosc_in_place", 1),
        ("qosc_start_time_seconds", 1),
        ("qosc_script_info", 1),
        ("qosc_link_rate_bits_per_second", roots),
        ("qosc_class_sent_bytes_total", classes),
        ("qosc_tin_bytes_total", tins),
        ("qosc_policer_bytes_total", program.policers().len()),
    ] {
        assert_eq!(count(name), expected, "{name}\n{}", report.about(step));
    }
}

/// Compares each exact number with those that tc showed before and after. Meanwhile, a packet may have left a queue.
#[track_caller]
fn compared(house: &House, report: &Report, step: &str) {
    let shown = ["before", "after"].map(|when| report.text(&format!("out/{step}.{when}")));
    let [before, after] = shown.each_ref().map(|shown| expected(house, shown));
    let mut printed = samples(&report.out(step));
    let is_rounded = |name: &str| {
        ["_bits_per_second", "_backlog_bytes", "_delay_seconds"].iter().any(|unit| name.ends_with(unit))
    };
    printed.retain(|(name, _), _| {
        !is_rounded(name)
            && ["qosc_link_", "qosc_class_", "qosc_tin_"].iter().any(|kind| name.starts_with(kind))
    });
    assert!(printed.keys().eq(before.keys()), "{step}: {printed:#?} {before:#?}");
    let number = |text: &str| text.parse::<u64>().expect("a number");
    for (key, value) in &printed {
        let (old, new) = (number(&before[key]), number(&after[key]));
        assert!(
            (old.min(new)..=old.max(new)).contains(&number(value)),
            "{step}: {key:?} {value}\n{}",
            shown[0]
        );
    }
}

/// The exact metrics of what tc shows.
fn expected(house: &House, shown: &str) -> Samples {
    let mut expected = Samples::new();
    for ((dev, id, name), value) in counters(shown) {
        let mut labels =
            vec![("link", "counted"), ("direction", if dev == Dev::Wan { "up" } else { "down" })];
        let kind = if id == "root" {
            "link"
        } else if let Some(tin) = id.strip_prefix("tin ") {
            let Some((_, class)) = TINS.iter().find(|(number, _)| *number == tin) else { continue };
            labels.extend([("tin", tin), ("class", class)]);
            "tin"
        } else {
            let Some((class, parent)) = class(&house.program, dev, &id) else { continue };
            labels.push(("class", class));
            if !parent.is_empty() {
                labels.push(("parent", parent));
                labels.extend(class.strip_prefix(&format!("{parent}/")).map(|host| ("host", host)));
            }
            "class"
        };
        let labels = labels.into_iter().map(|(label, value)| (label.to_owned(), value.to_owned())).collect();
        expected.insert((format!("qosc_{kind}_{name}"), labels), value);
    }
    expected
}

/// The name of a class, and that of its parent; empty below the root class. `None` for the root class.
fn class<'a>(program: &'a Program, dev: Dev, id: &str) -> Option<(&'a str, &'a str)> {
    let find = |id: &str| program.classes.iter().find(|class| class.dev == dev && class.id.to_string() == id);
    let class = find(id)?;
    let parent =
        program.classes.iter().find(|other| other.dev == dev && Parent::At(other.id) == class.parent)?;
    Some((&class.why.name, if parent.parent == Parent::At(ROOT) { "" } else { &parent.why.name }))
}

type Counted = BTreeMap<(Dev, String, &'static str), String>;

/// Exact counters by device, id and metric.
fn counters(shown: &str) -> Counted {
    let mut counted = Counted::new();
    let (mut dev, mut roots) = (Dev::Wan, 0);
    let (mut id, mut kind) = (String::new(), "");
    for line in shown.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let mut add = |name, value: &str| counted.insert((dev, id.clone(), name), value.to_owned());
        match words.as_slice() {
            ["filter", ..] => kind = "",
            ["qdisc", _, _, "root", ..] => {
                roots += 1;
                dev = if roots == 1 { Dev::Wan } else { Dev::Ifb };
                (id, kind) = ("root".to_owned(), "root");
            }
            ["qdisc", _, _, "parent", parent, ..] => (id, kind) = ((*parent).to_owned(), "queue"),
            ["class", _, own, ..] => (id, kind) = ((*own).to_owned(), "class"),
            ["Sent", bytes, _, packets, _, _, dropped, ..] if !kind.is_empty() => {
                if kind != "queue" {
                    add("sent_bytes_total", bytes);
                    add("sent_packets_total", packets);
                }
                if kind != "class" {
                    add("dropped_packets_total", dropped.trim_end_matches(','));
                }
            }
            ["backlog", _, packets, "requeues", ..] if kind == "root" || kind == "queue" => {
                add("backlog_packets", packets.trim_end_matches('p'));
            }
            ["marks", marks] if kind == "queue" => {
                add("ecn_marked_packets_total", marks);
            }
            [row @ ("bytes" | "pkts" | "drops" | "marks"), values @ ..] if kind == "root" => {
                let name = match *row {
                    "bytes" => "bytes_total",
                    "pkts" => "packets_total",
                    "drops" => "dropped_packets_total",
                    _ => "ecn_marked_packets_total",
                };
                for (number, value) in (1..).zip(values) {
                    counted.insert((dev, format!("tin {number}"), name), (*value).to_owned());
                }
            }
            _ if kind == "queue" => {
                let at = words.iter().position(|word| *word == "ecn_mark");
                if let Some(marks) = at.and_then(|at| words.get(at + 1)) {
                    add("ecn_marked_packets_total", marks);
                }
            }
            _ => {}
        }
    }
    counted
}
