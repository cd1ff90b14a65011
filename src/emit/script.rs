//! Prints the script: finished lines go into the template `templates/script.sh.tera`.

use super::carried::carry;
use super::lines::Printer;
use super::words::Reader;
use super::{nft, probe, shares, shell};
use crate::tc::{
    Charge, Dev, EGRESS_END_PREF, EGRESS_PREF, HOOK_BANK, Hook, INGRESS_PREF, Overhead, Program, QdiscKind,
    ROOT_BANK,
};
use crate::terms::Frames;
use crate::units::fnv1a64;
use serde::Serialize;
use std::sync::LazyLock;

/// Shell code that is the same for every link, in the order of the script.
const LIBRARY: [&str; 12] = [
    include_str!("../../templates/lib/facts.sh"),
    include_str!("../../templates/lib/look.sh"),
    include_str!("../../templates/lib/before.sh"),
    include_str!("../../templates/lib/offloads.sh"),
    concat!(
        include_str!("../../templates/lib/marks.sh"),
        "# tunnels {\n\n",
        include_str!("../../templates/lib/tunnels.sh"),
        "# } tunnels\n"
    ),
    include_str!("../../templates/lib/converge.sh"),
    concat!(
        include_str!("../../templates/lib/settings.sh"),
        "\n",
        include_str!("../../templates/lib/preflight.sh")
    ),
    include_str!("../../templates/lib/apply.sh"),
    include_str!("../../templates/lib/trial.sh"),
    include_str!("../../templates/lib/rate.sh"),
    include_str!("../../templates/lib/status.sh"),
    include_str!("../../templates/lib/calls.sh"),
];

static FRAME: LazyLock<Result<tera::Tera, tera::Error>> = LazyLock::new(|| {
    let mut tera = tera::Tera::default();
    tera.add_raw_template("script.sh", include_str!("../../templates/script.sh.tera"))?;
    Ok(tera)
});

/// Failure to print a script because the built-in template is broken. A test rules this out.
#[derive(Debug)]
pub struct EmitError(String);

impl std::fmt::Display for EmitError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "the script's frame is broken: {}", self.0)
    }
}

impl std::error::Error for EmitError {}

/// Information for the head of the script.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Name of the YAML file without its folder.
    pub source: String,
    /// Shaped rates and classes, one per line.
    pub lines: Vec<String>,
    /// Shaped upload rate for people.
    pub up: String,
    /// Shaped download rate for people.
    pub down: String,
    /// Classes in the order of the tree: id, depth, name.
    pub classes: Vec<(u16, usize, String)>,
    /// Tins of the directions that CAKE schedules: direction, number from 1, class.
    pub tins: Vec<(&'static str, u16, String)>,
    /// Whole YAML text, which the script carries at its end.
    pub yaml: String,
}

#[derive(Serialize)]
struct Setting {
    name: &'static str,
    value: String,
    comment: String,
}

/// A finished shell function, to be placed in the template.
#[derive(Serialize)]
struct Function {
    comment: &'static str,
    name: &'static str,
    lines: Vec<String>,
}

#[derive(Serialize)]
struct Frame<'a> {
    link: &'a str,
    version: &'static str,
    source: String,
    summary: Vec<String>,
    settings: Vec<Setting>,
    functions: Vec<Function>,
    library: String,
    carried: String,
    digest: &'a str,
}

/// Returns the script of a program.
///
/// # Errors
/// Fails if the built-in template does not render, which a test rules out.
pub fn script(program: &Program, summary: &Summary) -> Result<String, EmitError> {
    let undigested = render(program, summary, "")?;
    render(program, summary, &format!("{:016x}", fnv1a64(undigested.as_bytes())))
}

fn render(program: &Program, summary: &Summary, digest: &str) -> Result<String, EmitError> {
    let frame = Frame {
        link: program.link.as_str(),
        version: env!("CARGO_PKG_VERSION"),
        source: shell::comment(&summary.source),
        summary: summary
            .lines
            .iter()
            .map(|l| format!("# {}", shell::comment(l)).trim_end().to_owned())
            .collect(),
        settings: settings(program, summary),
        functions: functions(program, summary),
        library: library(program),
        carried: carry(&summary.yaml),
        digest,
    };
    let tera = FRAME.as_ref().map_err(broken)?;
    let context = tera::Context::from_serialize(&frame).map_err(|e| broken(&e))?;
    tera.render("script.sh", &context).map_err(|e| broken(&e))
}

/// Returns the error of a template.
pub(super) fn broken(error: &tera::Error) -> EmitError {
    EmitError(error.to_string())
}

/// The name of the probe device in the library. It holds the whole name of a link only where that is short.
const PROBE: &str = "ifbp-$link";

/// Returns the library. Some lines are only needed for tunnels whose downloads are queued after decryption, and some
/// only for marks.
fn library(program: &Program) -> String {
    let (tunnels, marks) = (!program.decrypted.is_empty(), program.marks.is_some());
    let mut wanted = true;
    let mut kept = String::new();
    for line in LIBRARY.join("\n").split_inclusive('\n') {
        match line.trim() {
            "# tunnels {" => wanted = tunnels,
            "# marks {" => wanted = marks,
            "# } tunnels" | "# } marks" => wanted = true,
            _ if !wanted => {}
            _ => kept.push_str(line),
        }
    }
    let probe = program.probe_device();
    if probe == PROBE.replace("$link", program.link.as_str()) { kept } else { kept.replace(PROBE, &probe) }
}

fn settings(program: &Program, summary: &Summary) -> Vec<Setting> {
    let setting = |name, value: String, comment: &str| {
        let comment = if comment.is_empty() { String::new() } else { format!(" # {comment}") };
        Setting { name, value: shell::quote(&shell::comment(&value)), comment }
    };
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    let Charge { overhead, mpu, .. } = program.charge;
    let (Overhead::AboveIp(above_ip) | Overhead::Told(above_ip)) = overhead;
    let frames = match program.frames {
        Frames::Auto => "auto",
        Frames::Ip => "ip",
        Frames::Pppoe => "pppoe",
    };
    let receivers: Vec<&str> = program.settings.receivers.iter().map(crate::units::IfName::as_str).collect();
    let tunnels: Vec<String> =
        program.decrypted.iter().map(|tunnel| format!("{}:{}", tunnel.device, tunnel.more)).collect();
    let needs_hook = program.qdiscs.iter().any(|q| q.kind == QdiscKind::Clsact);
    let needs_egress = program.filters.iter().any(|f| f.hook == Hook::Egress);
    let txqueuelen = program.settings.txqueuelen.map(|n| n.to_string()).unwrap_or_default();
    let mut settings = vec![
        setting("link", program.link.as_str().to_owned(), ""),
        setting("source", summary.source.clone(), ""),
        setting("default_dev", program.wan.as_str().to_owned(), "the WAN device: uploads leave by it"),
        setting("ifb1", program.ifb.as_str().to_owned(), "stands for its ingress: downloads pass through it"),
        setting("ifb2", program.second_ifb(), "or through this one, after the first had to be made anew"),
        setting("above_ip", above_ip.to_string(), "bytes on the line above each IP packet"),
        setting("mpu", mpu.to_string(), "a packet is never charged less than this"),
        setting("frames", frames.to_owned(), "what the device's packets are: auto, ip or pppoe"),
        setting("needs_hook", yes(needs_hook), "whether there are filters at the device's ingress or egress"),
        setting("needs_egress", yes(needs_egress), "whether some are at its egress"),
        setting(
            "ingress_pref",
            INGRESS_PREF.to_string(),
            "our filters at the ingress have preferences from here",
        ),
        setting("egress_pref", EGRESS_PREF.to_string(), "and those at the egress from here"),
        setting("hook_pref_end", EGRESS_END_PREF.to_string(), "to here"),
        setting(
            "hook_bank",
            HOOK_BANK.to_string(),
            "every other change puts the filters there in a second bank, this far on",
        ),
        setting("root_bank", ROOT_BANK.to_string(), "and those at a root in one this far on"),
        setting(
            "split_up",
            yes(program.settings.split.up),
            "whether aggregates are kept from the shaper, uploads",
        ),
        setting("split_down", yes(program.settings.split.down), "and downloads"),
        setting("receivers", receivers.join(" "), "devices by which uploads come in"),
        setting("has_marks", yes(program.marks.is_some()), "whether a table of nft writes into marks"),
        setting("txqueuelen", txqueuelen, "of the WAN device; empty to leave it"),
        setting("shaped_up", summary.up.clone(), ""),
        setting("shaped_down", summary.down.clone(), ""),
    ];
    if let Some(marks) = &program.marks {
        let bits = |bits: u32| format!("{bits:#010x}");
        let comment = "bits of marks that are ours, of connections and packets";
        settings.push(setting("mark_bits", bits(marks.mask & !marks.flag), comment));
        let comment = "and of downloads alone, from the ingress to prerouting";
        settings.push(setting("mark_flag", bits(marks.flag), comment));
    }
    if !tunnels.is_empty() {
        let comment = "devices at which downloads are decrypted, and how much longer they were";
        settings.push(setting("tunnels", tunnels.join(" "), comment));
    }
    settings
}

/// Returns a function that prints lines. If `quoted` is `true`, the shell replaces nothing in its here-document.
///
/// Otherwise, the lines are one word for the shell's own `printf`. A here-document would cost two processes and a pipe,
/// which takes most of the time of a start with ten thousand hosts.
fn printing(name: &'static str, comment: &'static str, lines: Vec<String>, quoted: bool) -> Function {
    let lines = match (lines.is_empty(), quoted) {
        (true, _) => vec!["    :".to_owned()],
        (false, true) => {
            let open = "    cat <<'END'".to_owned();
            std::iter::once(open).chain(lines).chain(["END".to_owned()]).collect()
        }
        (false, false) => {
            let open = r#"    printf '%s\n' "\"#.to_owned();
            let mut lines: Vec<String> = lines.iter().map(|line| line.replace('"', "\\\"")).collect();
            if let Some(last) = lines.last_mut() {
                last.push('"');
            }
            std::iter::once(open).chain(lines).collect()
        }
    };
    Function { comment, name, lines }
}

fn functions(program: &Program, summary: &Summary) -> Vec<Function> {
    let shell = Printer { program, reader: Reader::Shell, source: &summary.source };
    let trying = Printer { program, reader: probe::reader(), source: &summary.source };
    let splits = program.qdiscs.iter().any(|q| q.instead.is_some());
    // Without replacements for leaves, both functions for leaves are the same.
    let split = |name, same: &str, comment, lines: Vec<String>| match splits {
        true => printing(name, comment, lines, false),
        false => Function { comment, name, lines: vec![format!("    {same}")] },
    };
    let names =
        summary.classes.iter().map(|(id, depth, name)| format!("{id:x} {depth} {}", shell::comment(name)));
    let tins = summary
        .tins
        .iter()
        .map(|(direction, number, name)| format!("{direction} {number} {}", shell::comment(name)));
    let sysctls = program.settings.sysctls.iter().map(|s| format!("{} {}", s.path, s.value));
    let cake = "# The same where aggregates cannot be turned off: CAKE splits them.";
    let mut functions = vec![
        printing(
            "up_tree",
            "# Uploads: the root and the classes. A class is told what a packet costs on the line.",
            shell.tree(Dev::Wan),
            false,
        ),
        printing(
            "up_leaves_whole",
            "# A queue for each class that has one.",
            shell.leaves(Dev::Wan, false),
            false,
        ),
        split("up_leaves_splitting", "up_leaves_whole", cake, shell.leaves(Dev::Wan, true)),
        printing(
            "up_filters",
            "# Which packet goes where: the first that matches, IPv4 and IPv6 each in the order of the YAML.",
            shell.filters(Dev::Wan),
            false,
        ),
        printing("down_tree", "# Downloads, on the ifb.", shell.tree(Dev::Ifb), false),
        printing("down_leaves_whole", "# As above.", shell.leaves(Dev::Ifb, false), false),
        split("down_leaves_splitting", "down_leaves_whole", "# As above.", shell.leaves(Dev::Ifb, true)),
        printing(
            "down_filters",
            "# As above, with local and remote the other way round.",
            shell.filters(Dev::Ifb),
            false,
        ),
        printing(
            "hook_filters",
            "# At the device's ingress and egress: police, and last the way to the ifb.",
            shell.hooks(),
            false,
        ),
        printing(
            "probe_tree",
            "# What preflight tries on a device of its own: one of each kind of thing above.",
            probe::tree(&trying),
            false,
        ),
        printing("probe_leaves_whole", "# As above.", probe::leaf_kinds(&trying, false), false),
        split(
            "probe_leaves_splitting",
            "probe_leaves_whole",
            "# As above.",
            probe::leaf_kinds(&trying, true),
        ),
        printing("probe_rest", "# As above.", probe::filters(&trying), false),
        printing("shares", shares::COMMENT, shares::lines(program), true),
        printing(
            "marks",
            "# What nft is told: which host sends, and with which DSCP, into our own bits of marks.",
            nft::table(program, "$dev", &summary.source, shell::here),
            false,
        ),
        printing("sysctls", "# Kernel settings: path below /proc/sys and value.", sysctls.collect(), true),
        printing("class_names", "# The classes: id, depth, name.", names.collect(), true),
        printing("tin_names", "# The tins of a CAKE: direction, number, class.", tins.collect(), true),
    ];
    if !program.decrypted.is_empty() {
        let comment = "# At the ingress of tunnels' devices: the way to the ifb of what was decrypted.";
        functions.push(printing("tunnel_filters", comment, shell.tunnels(), false));
        let comment = "# What preflight tries for these.";
        functions.push(printing("probe_tunnels", comment, probe::decrypted(&trying), false));
    }
    functions
}
