//! Classes of a queue.

use crate::cake;
use crate::config::{Class, Config, NOTHING, Queue, joined};
use crate::fq_codel;
use crate::report::ImportReport;
use crate::uci::UciSection;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::{Amount, Diffserv, Direction, PerDirection};
use qosc_compiler::units::{Percent, Rate};

/// Returns the classes, and sets the keys of the link that belong to them.
pub(super) fn classes(queue: &UciSection, config: &mut Config, report: &mut ImportReport) -> Vec<Class> {
    let squash = |key: &str| queue.text(key) != Some("0");
    let script = script(queue, report);
    config.wash.down = squash("squash_dscp") && script.washes;
    let script = Script { one_tier_down: squash("squash_ingress") && script.tiers, ..script };
    let classes = if is_cake(queue) {
        config.cake = PerDirection { up: Some("cake"), down: config.shapes_down.then_some("cake") };
        of_cake(queue, config, script, report)
    } else {
        of_htb(queue, config, script, report)
    };
    config.trust_dscp = config.shapes_down && !script.restores && classes.iter().any(Class::reads_dscp);
    classes
}

/// Properties of a script.
#[derive(Clone, Copy)]
struct Script {
    /// Several classes by DSCP.
    tiers: bool,
    /// Downloads have one class.
    one_tier_down: bool,
    /// The script clears the DSCP of downloads if `squash_dscp` is set.
    washes: bool,
    /// The script gives a download the DSCP of its connection.
    restores: bool,
}

fn script(queue: &UciSection, report: &mut ImportReport) -> Script {
    let name = queue.text("script").unwrap_or_default();
    let (tiers, washes) = match name {
        "simple.qos" => (true, !is_cake(queue)),
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
    Script { tiers, one_tier_down: false, washes, restores: name == "layer_cake_ct.qos" }
}

fn of_cake(queue: &UciSection, config: &mut Config, script: Script, report: &mut ImportReport) -> Vec<Class> {
    let tins = if script.tiers { Diffserv::Diffserv3 } else { Diffserv::Besteffort };
    let mut options = PerDirection { up: cake::Options::new(tins), down: cake::Options::new(tins) };
    if script.one_tier_down {
        options.down.tins = Diffserv::Besteffort;
    }
    options.down.wash = config.wash.down;
    cake::read(&queue.words("eqdisc_opts"), &mut options.up, Direction::Up, report);
    cake::read(&queue.words("iqdisc_opts"), &mut options.down, Direction::Down, report);
    if !config.shapes_down {
        options.down = options.up.clone();
    }
    config.wash = PerDirection { up: options.up.wash, down: options.down.wash && config.shapes_down };
    if options.up.nat == Some(false) && options.down.nat == Some(false) {
        config.nat = Some(false);
    }
    for key in ["eqdisc_opts", "iqdisc_opts"] {
        if queue.words(key).iter().any(|word| word.text == "memlimit") {
            let said = "`memlimit` of CAKE has no equivalent";
            report.lost(queue.span(key), said, "the compiler derives it from the rate");
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

fn of_htb(queue: &UciSection, config: &Config, script: Script, report: &mut ImportReport) -> Vec<Class> {
    let leaf = leaf_queue(queue, report);
    if !script.tiers {
        return vec![Class { default: true, queue: leaf, ..Class::new("normal", 3) }];
    }
    report.other(
        queue.span("script"),
        "`simple.qos` also gives the router's own DNS and NTP packets the DSCP AF42, and no file can",
        "write `match: { protocol: udp, remote_port: [53, 123] }` in `priority` to prefer those of all hosts",
    );
    let kbit = |rate: Rate, parts: u64| rate.bps() / 1000 / parts * 1000;
    let is_sorted = |one: Direction| one == Direction::Up || !script.one_tier_down;
    // `only` is the guarantee for downloads without tiers.
    let tier =
        |name, priority, guarantee: &dyn Fn(Rate, Direction) -> u64, only, ceiling: &dyn Fn(Rate) -> u64| {
            let amount = |bps: u64| Amount::Rate(Rate::from_bps(bps));
            let rate = |one| *config.rates.get(one);
            Class {
                guarantee: PerDirection::from_fn(|one| {
                    Some(if is_sorted(one) { amount(guarantee(rate(one), one)) } else { only })
                }),
                ceiling: PerDirection::from_fn(|one| is_sorted(one).then(|| amount(ceiling(rate(one))))),
                queue: leaf.clone(),
                ..Class::new(name, priority)
            }
        };
    let code_points = |up, down| {
        joined(cake::by_dscp(PerDirection { up, down: if script.one_tier_down { &[] } else { down } }))
    };
    let prioritized = |rate, one| kbit(rate, 3).min(if one == Direction::Up { 128_000 } else { 32_000 });
    let sixth = |rate, _| kbit(rate, 6);
    let nearly_all = |rate: Rate| rate.bps().saturating_sub(16_000);
    let whole = Amount::Share(Percent::ALL);
    vec![
        Class {
            // the code points of the script: EF, CS6, AF42 and TOS4, for downloads also CS7
            matches: code_points(&[46, 48, 36, 4], &[46, 48, 36, 4, 56]),
            ..tier("priority", 1, &prioritized, NOTHING, &|rate| kbit(rate, 3))
        },
        Class { default: true, ..tier("normal", 2, &sixth, whole, &nearly_all) },
        Class { matches: code_points(&[8], &[8]), ..tier("bulk", 3, &sixth, NOTHING, &nearly_all) },
    ]
}

/// Returns the queue of the leaf classes.
fn leaf_queue(queue: &UciSection, report: &mut ImportReport) -> PerDirection<Option<Queue>> {
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
    PerDirection::from_fn(|direction| fq_codel::queue(options.get(direction)))
}

/// Returns whether CAKE is the root of both directions.
pub(super) fn is_cake(queue: &UciSection) -> bool {
    match queue.text("script").unwrap_or_default() {
        "piece_of_cake.qos" | "layer_cake.qos" | "layer_cake_ct.qos" => true,
        "simplest_tbf.qos" => false,
        _ => queue.text("qdisc").is_some_and(|qdisc| qdisc.starts_with("cake")),
    }
}
