//! Rates and packet cost of a queue.

use super::script::is_cake;
use crate::cake;
use crate::config::{Charge, Config};
use crate::device::{LAYERS, above_ip, bounded, layer_of};
use crate::fit::about_rates;
use crate::report::ImportReport;
use crate::uci::UciSection;
use qosc_compiler::diag::ticked;
use qosc_compiler::terms::{Diffserv, Direction, Layer, PerDirection};
use qosc_compiler::units::{IfName, LinkName, Rate};

/// Returns the configuration without classes.
pub(super) fn config(queue: &UciSection, device: IfName, report: &mut ImportReport) -> Option<Config> {
    // the scripts have these defaults
    let up = rate(queue, "upload", 2302, report)?;
    let down = rate(queue, "download", 14698, report)?;
    let charge = charge(queue, &device, report);
    let source = format!("the sqm queue `{}`", queue.name.chars().take(60).collect::<String>());
    let rates = PerDirection { up, down };
    let mut config = Config::new(&source, LinkName::like(&queue.name), device, rates, charge);
    about_rates(&mut config, "sqm states", up.is_some(), !is_cake(queue), report);
    Some(config)
}

/// Returns a rate, or nothing for 0. The outer `None` is an error.
#[expect(clippy::option_option, reason = "an error and an unshaped direction are different")]
fn rate(queue: &UciSection, key: &str, default: u64, report: &mut ImportReport) -> Option<Option<Rate>> {
    let kbit = match queue.word(key) {
        None => {
            let said = format!("the queue has no `{key}`, and sqm takes {default} kbit");
            report.other(queue.span(key), said, "write the rate of the line in the file");
            default
        }
        Some(word) => {
            let kbit = |text: &str| text.parse().ok().filter(|kbit| *kbit < 1_000_000_000);
            let help = "write digits only, such as `option upload '10000'`";
            report.read(word, "no number of kbit/s", help, kbit)?
        }
    };
    Some((kbit > 0).then(|| Rate::from_bps(kbit * 1000)))
}

fn charge(queue: &UciSection, device: &IfName, report: &mut ImportReport) -> Charge {
    let link_layer = queue.text("linklayer").unwrap_or("none");
    let cake = is_cake(queue);
    let layer = layer_of(link_layer).unwrap_or(Layer::Ethernet);
    if layer_of(link_layer).is_none() && link_layer != "none" {
        report.unknown(queue.span("linklayer"), "the link layer", link_layer, LAYERS);
    }
    // CAKE adds the overhead above the IP packet. A size table and HTB add it above the packet of the device.
    let mechanism = queue.text("linklayer_adaptation_mechanism").unwrap_or("default");
    let (cake_adds, device_adds) = match (mechanism, cake) {
        _ if link_layer == "none" => (false, false),
        ("default" | "cake", true) => (true, false),
        ("default", false) | ("tc_stab", _) | ("htb_private", false) => (false, true),
        ("cake", false) | ("htb_private", true) => (false, false),
        (other, _) => {
            let said = format!("the mechanism {} is unknown", ticked(other));
            report.lost(queue.span("linklayer_adaptation_mechanism"), said, "");
            (false, false)
        }
    };
    let number = |key: &str, report: &mut ImportReport| -> i64 {
        let read =
            |word| report.read(word, "no number of bytes", "write digits only", |text| text.parse().ok());
        queue.word(key).and_then(read).unwrap_or_default()
    };
    let (written, mpu) = (number("overhead", report), number("tcMPU", report));
    let (layer, mpu) = if cake_adds || device_adds { (layer, mpu) } else { (Layer::Ethernet, 0) };
    let table = if device_adds { written } else { 0 };
    let mut cost = cake::Options {
        overhead: cake_adds.then_some(written),
        mpu: Some(bounded(mpu, queue.span("tcMPU"), "mpu", report)),
        layer,
        ..cake::Options::new(Diffserv::Besteffort)
    };
    if cake {
        cost = with_keywords(queue, &cost, report);
    }
    let overhead = cost.overhead.unwrap_or_else(|| above_ip(device.as_str())).saturating_add(table);
    Charge {
        profile: "raw",
        overhead: Some(bounded(overhead, queue.span("overhead"), "overhead", report)),
        mpu: Some(cost.mpu.unwrap_or(0).min(256)),
        layer: Some(cost.layer),
        mtu: None,
    }
}

/// Applies the words about packet cost in `eqdisc_opts`, which come after those of the script.
fn with_keywords(queue: &UciSection, start: &cake::Options, report: &mut ImportReport) -> cake::Options {
    let of = |key: &str| {
        let mut options = start.clone();
        // the classes report what has no equivalent
        cake::read(&queue.words(key), &mut options, Direction::Up, &mut ImportReport::default());
        options
    };
    let (up, down) = (of("eqdisc_opts"), of("iqdisc_opts"));
    if (up.overhead, up.mpu, up.layer) != (down.overhead, down.mpu, down.layer) {
        report.two_costs(queue.span("iqdisc_opts"));
    }
    up
}
