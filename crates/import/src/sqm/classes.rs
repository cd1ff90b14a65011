//! Classes of a queue.

use super::script::{SIMPLE, Script, Tier, is_cake};
use crate::cake;
use crate::config::{Class, Config, NOTHING, Queue, joined};
use crate::fq_codel;
use crate::report::ImportReport;
use crate::uci::UciSection;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::{Amount, Diffserv, Direction, PerDirection};
use qosc_compiler::units::Percent;

/// Sets the classes, and the keys of the link that belong to them.
pub(super) fn classes(queue: &UciSection, script: Script, config: &mut Config, report: &mut ImportReport) {
    config.wash.down = queue.text("squash_dscp") != Some("0") && script.washes;
    config.classes = if is_cake(queue) {
        config.cake = PerDirection { up: Some("cake"), down: config.shapes_down.then_some("cake") };
        of_cake(queue, config, script, report)
    } else {
        of_htb(queue, config, script, report)
    };
    let reads_dscp = config.classes.iter().any(Class::reads_dscp);
    config.trust_dscp = config.shapes_down && !script.restores && reads_dscp;
}

fn of_cake(queue: &UciSection, config: &mut Config, script: Script, report: &mut ImportReport) -> Vec<Class> {
    let mut options = PerDirection::from_fn(|one| cake::Options::new(script.tins(one)));
    options.down.wash = config.wash.down;
    cake::read(&queue.words("eqdisc_opts"), &mut options.up, Direction::Up, report);
    cake::read(&queue.words("iqdisc_opts"), &mut options.down, Direction::Down, report);
    if !config.shapes_down {
        options.down = options.up.clone();
    }
    config.wash = PerDirection { up: options.up.wash, down: options.down.wash && config.shapes_down };
    if options.up.nat == Some(false) && options.down.nat == Some(false) {
        config.about_rates.push(cake::NONAT.to_owned());
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
    let said = "`simple.qos` also gives the router's own DNS and NTP packets the DSCP AF42, and no file can";
    let help = "to prefer those of all hosts, write `match: { protocol: udp, remote_port: [53, 123] }`";
    report.other(queue.span("script"), said, help);
    let is_sorted = |one| script.tins(one) != Diffserv::Besteffort;
    let class = |tier: &Tier| {
        let default = tier.name == "normal";
        let only = if default { Amount::Share(Percent::ALL) } else { NOTHING };
        let rates = PerDirection::from_fn(|one| {
            is_sorted(one).then(|| tier.rates(*config.rates.get(one), one).map(Amount::Rate))
        });
        let code_points =
            PerDirection::from_fn(|one| if is_sorted(one) { tier.code_points(one) } else { &[] });
        Class {
            default,
            guarantee: PerDirection::from_fn(|one| Some(rates.get(one).map_or(only, |[rate, _]| rate))),
            ceiling: PerDirection::from_fn(|one| rates.get(one).map(|[_, ceil]| ceil)),
            queue: leaf.clone(),
            matches: joined(cake::by_dscp(code_points)),
            ..Class::new(tier.name, tier.priority)
        }
    };
    SIMPLE.iter().map(class).collect()
}

/// Returns the queue of the leaf classes.
fn leaf_queue(queue: &UciSection, report: &mut ImportReport) -> PerDirection<Option<Queue>> {
    let mut options = PerDirection::<fq_codel::Options>::default();
    let kind = queue.text("qdisc").unwrap_or("fq_codel");
    if kind != "fq_codel" {
        report.lost(queue.span("qdisc"), fq_codel::instead_of(kind), fq_codel::QUEUES);
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
        let named = |value: &str| matches!(value.to_ascii_lowercase().as_str(), "auto" | "default");
        for (key, word, what, help) in [
            (limit, "limit", "no number of packets", "the compiler derives `limit`"),
            (target, "target", "no target", "the compiler derives `target` from the rate"),
        ] {
            if let Some(value) = queue.text(key).filter(|value| !named(value))
                && !fq_codel::set(own, word, value)
            {
                report.lost(queue.span(key), format!("{} is {what}", ticked(value)), help);
            }
        }
        fq_codel::read(&queue.words(more), own, report);
    }
    PerDirection::from_fn(|direction| fq_codel::queue(options.get(direction)))
}
