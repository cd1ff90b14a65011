//! Imports `/etc/config/sqm` of OpenWrt's sqm-scripts.

mod classes;
mod link;
mod original;
mod script;

use super::config::Config;
use super::fit::fit;
use super::foreign;
use super::proof::proven;
use super::report::{Import, ImportReport, Part, Wanted};
use super::text::START;
use super::uci::{self, UciSection};
use qosc_compiler::diag::ticked;

/// Options of sqm-scripts. Those that a queue with its script does not use have no effect.
const OPTIONS: &str = "enabled interface upload download script qdisc qdisc_advanced qdisc_really_really_advanced \
    squash_dscp squash_ingress ingress_ecn egress_ecn ilimit elimit itarget etarget iqdisc_opts eqdisc_opts \
    linklayer linklayer_advanced linklayer_adaptation_mechanism overhead tcMPU tcMTU tcTSIZE debug_logging verbosity";

/// Options for uploads, and those for downloads.
const TURNED: [(&str, &str); 5] = [
    ("upload", "download"),
    ("eqdisc_opts", "iqdisc_opts"),
    ("elimit", "ilimit"),
    ("etarget", "itarget"),
    ("egress_ecn", "ingress_ecn"),
];

/// Converts the queues of a file. `lan` may name a device whose egress carries the downloads.
#[must_use]
pub fn sqm(text: &str, wanted: Wanted<'_>, lan: Option<&str>) -> Import {
    let mut report = ImportReport::default();
    if let Some(import) = foreign::only_finding(text, "sqm") {
        return import;
    }
    let mut queues = uci::read(text, &mut report);
    for (number, queue) in queues.iter_mut().enumerate().filter(|(_, queue)| queue.name.is_empty()) {
        queue.name = queue.text("interface").map_or_else(|| format!("queue{number}"), str::to_owned);
    }
    queues.retain(|section| {
        let is_queue = section.kind.text == "queue";
        if !is_queue {
            let help = "only sections `queue` are converted";
            report.unknown(section.kind.span, "the section", &section.kind.text, help);
        }
        is_queue
    });
    let inside = lan.and_then(|lan| queues.iter().position(|queue| queue.text("interface") == Some(lan)));
    if let Some(inside) = inside.map(|at| queues.remove(at)) {
        match queues.iter_mut().find(|queue| queue.is_enabled()) {
            Some(queue) => queue.take_downloads(inside),
            None => report.bad(inside.kind.span, "the file has no queue of the WAN device", "omit `--lan`"),
        }
    }
    if queues.is_empty() {
        let help = "give OpenWrt's `/etc/config/sqm`; a queue begins with `config queue 'eth1'`";
        report.bad(START, "the file has no queue", help);
    }
    let parts: Vec<_> = queues
        .iter()
        .map(|of| Part { name: &of.name, span: of.kind.span, enabled: of.is_enabled(), of })
        .collect();
    let more = ", and `-o FOLDER` converts all enabled queues";
    report.import("queue", &parts, wanted, more, |queue, report| converted(queue, report))
}

fn converted(queue: &UciSection, report: &mut ImportReport) -> Option<Config> {
    let Some(word) = queue.word("interface") else {
        let said = format!("the queue {} has no interface", ticked(&queue.name));
        return report.refuse(queue.kind.span, said, "write `option interface 'eth1'` with the WAN device");
    };
    let help = "write the name that `ip link` prints, such as `pppoe-wan`";
    let device = report.read(word, "no name of a device", help, |text| text.parse().ok())?;
    let mut config = link::config(queue, device, report)?;
    let script = script::script(queue, report);
    classes::classes(queue, script, &mut config, report);
    let source = original::sides(queue, script, &config);
    fit(&mut config, report);
    rest(queue, report);
    proven(&mut config, &source, report);
    Some(config)
}

impl UciSection {
    /// Takes the downloads from a queue of a LAN device, whose egress carries them.
    fn take_downloads(&mut self, mut other: UciSection) {
        for (up, down) in TURNED {
            self.options.shift_remove(down);
            self.options.extend(other.options.shift_remove(up).map(|own| (down.to_owned(), own)));
        }
    }
}

/// Reports the options that sqm-scripts do not have.
fn rest(queue: &UciSection, report: &mut ImportReport) {
    let is_known = |key: &str, value: &str| value.is_empty() || OPTIONS.split(' ').any(|own| own == key);
    for (key, option) in queue.options.iter().filter(|(key, own)| !is_known(key, &own.value.text)) {
        report.unknown(option.span, "the option", key, "");
    }
}
