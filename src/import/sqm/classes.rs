//! Classes of a queue.

use super::queue::Queue;
use crate::diag::ticked;
use crate::import::cake;
use crate::import::config::{Class, Config, Match, NOTHING, joined};
use crate::import::fq_codel;
use crate::import::report::Report;
use crate::terms::{Amount, Diffserv, Direction, PerDirection};
use crate::units::{Dscp, Percent, Rate};

/// Returns the classes, and sets the keys of the link that belong to them.
pub(super) fn classes(queue: &Queue, config: &mut Config, report: &mut Report) -> Vec<Class> {
    let squash = |key: &str| queue.text(key) != Some("0");
    let script = script(queue, report);
    config.wash.down = squash("squash_dscp") && script.washes;
    let one_tin_down = squash("squash_ingress") && script.tiers;
    let classes = if queue.is_cake() {
        config.cake = PerDirection { up: true, down: config.shapes_down };
        of_cake(queue, config, script, one_tin_down, report)
    } else {
        of_htb(queue, config, script, one_tin_down, report)
    };
    config.trust_dscp = config.shapes_down && !script.restores && reads_downloads(&classes);
    classes
}

/// Returns `true` if a match looks at the DSCP of downloads.
fn reads_downloads(classes: &[Class]) -> bool {
    let down = |one: &Match| !one.dscp.is_empty() && one.direction != Some(Direction::Up);
    classes.iter().any(|class| class.matches.iter().any(down))
}

/// Properties of a script.
#[derive(Clone, Copy)]
struct Script {
    /// Several classes by DSCP.
    tiers: bool,
    /// The script clears the DSCP of downloads if `squash_dscp` is set.
    washes: bool,
    /// The script gives a download the DSCP of its connection.
    restores: bool,
}

fn script(queue: &Queue, report: &mut Report) -> Script {
    let name = queue.text("script").unwrap_or_default();
    let (tiers, washes) = match name {
        "simple.qos" => (true, !queue.is_cake()),
        "layer_cake.qos" | "layer_cake_ct.qos" => (true, true),
        "piece_of_cake.qos" => (false, true),
        "simplest.qos" | "simplest_tbf.qos" => (false, false),
        other => {
            let said = match other {
                "" => "the queue has no `script`".to_owned(),
                _ => format!("{} is not a script of sqm-scripts", ticked(other)),
            };
            report.lost(
                queue.span("script"),
                said,
                "only the options of the queue are converted; compare `classes` and `trust_dscp` with what the script does",
            );
            (false, false)
        }
    };
    if name == "simplest_tbf.qos" {
        report.other(queue.span("script"), "HTB with one class replaces the token bucket filter (TBF)", "");
    }
    Script { tiers, washes, restores: name == "layer_cake_ct.qos" }
}

fn of_cake(
    queue: &Queue,
    config: &mut Config,
    script: Script,
    one_tin_down: bool,
    report: &mut Report,
) -> Vec<Class> {
    let tins = if script.tiers { Diffserv::Diffserv3 } else { Diffserv::Besteffort };
    let mut options = PerDirection { up: cake::Options::new(tins), down: cake::Options::new(tins) };
    if one_tin_down {
        options.down.tins = Diffserv::Besteffort;
    }
    options.down.wash = config.wash.down;
    cake::read(&queue.words("eqdisc_opts"), &mut options.up, Direction::Up, report);
    cake::read(&queue.words("iqdisc_opts"), &mut options.down, Direction::Down, report);
    if !config.shapes_down {
        options.down = cake::Options { tins: options.up.tins, ..options.up.clone() };
    }
    config.wash = PerDirection { up: options.up.wash, down: options.down.wash && config.shapes_down };
    if options.up.nat == Some(false) && options.down.nat == Some(false) {
        config.nat = Some(false);
    }
    cake::report_differences(&options, queue.span("iqdisc_opts"), report);
    for key in ["eqdisc_opts", "iqdisc_opts"] {
        if queue.words(key).iter().any(|word| word.text == "memlimit") {
            report.lost(
                queue.span(key),
                "`memlimit` of CAKE has no equivalent",
                "the compiler derives it from the rate",
            );
        }
    }
    for key in ["ilimit", "elimit", "itarget", "etarget", "ingress_ecn", "egress_ecn"] {
        let given = queue.text(key).filter(|value| !matches!(*value, "auto" | "default" | "ECN"));
        if given.is_some() {
            report.other(queue.span(key), format!("CAKE has no `{key}`: sqm ignores it here, too"), "");
        }
    }
    if matches!(queue.text("qdisc"), Some(qdisc) if !qdisc.starts_with("cake")) {
        report.other(queue.span("qdisc"), "the script uses CAKE, whatever `qdisc` says", "");
    }
    let restored = script.restores && config.shapes_down && options.down.tins != Diffserv::Besteffort;
    if restored {
        cake::report_restored(queue.span("script"), report);
    }
    cake::classes(&options, restored)
}

fn of_htb(
    queue: &Queue,
    config: &Config,
    script: Script,
    one_tier_down: bool,
    report: &mut Report,
) -> Vec<Class> {
    let leaf = leaf_queue(queue, report);
    if !script.tiers {
        return vec![Class { default: true, queue: leaf, ..Class::new("normal", 3) }];
    }
    report.other(
        queue.span("script"),
        "`simple.qos` also gives the router's own DNS and NTP packets the DSCP AF42, and no file can",
        "write `match: { protocol: udp, remote_port: [53, 123] }` in `priority` to prefer those of all hosts",
    );
    let PerDirection { up, down } = config.rates;
    let kbit = |rate: Rate, parts: u64| rate.bps() / 1000 / parts * 1000;
    let share = |rate: Rate, parts: u64| Amount::Rate(Rate::from_bps(kbit(rate, parts)));
    let least = |most: u64, rate: Rate| Amount::Rate(Rate::from_bps(most.min(kbit(rate, 3))));
    let slop = |rate: Rate| Amount::Rate(Rate::from_bps(rate.bps().saturating_sub(16_000)));
    let whole = Amount::Share(Percent::ALL);
    let per = |up: Amount, down: Amount, one: Amount| PerDirection {
        up: Some(up),
        down: Some(if one_tier_down { one } else { down }),
    };
    // the code points of the script: EF, CS6, AF42 and TOS4, for downloads also CS7
    let code_points = |first: &[u8], more: &[u8]| {
        let matches =
            Direction::BOTH.iter().filter(|own| **own == Direction::Up || !one_tier_down).map(|own| {
                let more = if *own == Direction::Down { more } else { &[] };
                let dscp = first.iter().chain(more).filter_map(|bits| Dscp::new(*bits)).collect();
                Match { dscp, direction: Some(*own), ..Match::default() }
            });
        joined(matches.collect())
    };
    let middle = PerDirection { up: Some(slop(up)), down: (!one_tier_down).then(|| slop(down)) };
    vec![
        Class {
            guarantee: per(least(128_000, up), least(32_000, down), NOTHING),
            ceiling: PerDirection { up: Some(share(up, 3)), down: (!one_tier_down).then(|| share(down, 3)) },
            queue: leaf.clone(),
            matches: code_points(&[46, 48, 36, 4], &[56]),
            ..Class::new("priority", 1)
        },
        Class {
            default: true,
            guarantee: per(share(up, 6), share(down, 6), whole),
            ceiling: middle,
            queue: leaf.clone(),
            ..Class::new("normal", 2)
        },
        Class {
            guarantee: per(share(up, 6), share(down, 6), NOTHING),
            ceiling: middle,
            queue: leaf,
            matches: code_points(&[8], &[]),
            ..Class::new("bulk", 3)
        },
    ]
}

/// Returns the queue of the leaf classes.
fn leaf_queue(queue: &Queue, report: &mut Report) -> Option<crate::import::config::Queue> {
    let mut options = PerDirection::<fq_codel::Options>::default();
    let kind = queue.text("qdisc").unwrap_or("fq_codel");
    if kind != "fq_codel" {
        let said = format!("the queue {} has no equivalent; fq_codel replaces it", ticked(kind));
        report.lost(queue.span("qdisc"), said, "the queues of a class are `fq_codel`, `cake` and `fifo`");
    }
    for direction in Direction::BOTH {
        let [limit, target, ecn, more] = match direction {
            Direction::Up => ["elimit", "etarget", "egress_ecn", "eqdisc_opts"],
            Direction::Down => ["ilimit", "itarget", "ingress_ecn", "iqdisc_opts"],
        };
        let own = options.get_mut(direction);
        if queue.text(ecn) == Some("NOECN") {
            fq_codel::set(own, "ecn", "0");
        }
        if let Some(value) = queue.text(limit)
            && (value.parse::<u64>().is_err() || !fq_codel::set(own, "limit", value))
        {
            let said = format!("{} is no number of packets", ticked(value));
            report.lost(queue.span(limit), said, "the compiler derives `limit`");
        }
        let named = |value: &str| matches!(value.to_ascii_lowercase().as_str(), "auto" | "default");
        if let Some(value) = queue.text(target).filter(|value| !named(value))
            && !fq_codel::set(own, "target", value)
        {
            let said = format!("{} is no target", ticked(value));
            report.lost(queue.span(target), said, "the compiler derives `target` from the rate");
        }
        fq_codel::read(&queue.words(more), own, report);
    }
    fq_codel::queue(&options, queue.span("iqdisc_opts"), report)
}
