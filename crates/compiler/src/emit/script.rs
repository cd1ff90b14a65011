//! Prints the script: finished lines go into the frame `templates/script.sh.in`.

use super::carried::carry;
use super::lines::Printer;
use super::summary::{Summary, Varied};
use super::words::{self, Reader};
use super::{nft, probe, runtime, shares, shell};
use crate::tc::{Charge, Hook, Overhead, Program, QdiscKind};
use crate::terms::Frames;
use crate::units::fnv1a64;

/// A shell variable that a script sets.
struct Variable {
    /// Lines above it.
    above: String,
    name: &'static str,
    /// Value in quotes.
    value: String,
    /// Rest of its last line.
    comment: String,
}

impl std::fmt::Display for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}{}={}{}", self.above, self.name, self.value, self.comment)
    }
}

/// Date of this version. A router whose clock is before it has not set its clock yet.
const RELEASED: &str = "20261101";

/// Beginning of the line with the digest.
const DIGEST: &str = "\ndigest='";

/// Returns the script of a program.
#[must_use]
pub fn script(program: &Program, summary: &Summary) -> String {
    let (runtime, calls) = runtime::runtime(program, summary);
    let (settings, texts) = (settings(program, summary), texts(program, summary, &runtime));
    let heading = |line: &String| format!("# {}", shell::comment(line)).trim_end().to_owned() + "\n";
    let printed = |variables: &[Variable]| variables.iter().map(Variable::to_string).collect::<String>();
    let mut script = format!(
        include_str!("../../../../templates/script.sh.in"),
        link = program.link,
        version = env!("CARGO_PKG_VERSION"),
        source = shell::comment(&summary.source),
        summary = summary.lines.iter().map(heading).collect::<String>(),
        settings = printed(&settings),
        texts = printed(&texts),
        variants = variants(&settings.iter().chain(&texts).collect::<Vec<_>>(), summary, &runtime),
        calls = calls,
        runtime_id = format_args!("{:08x}", fnv1a64(runtime.as_bytes()) >> 32),
        runtime = runtime,
        carried = carry(&summary.carried),
    );
    let digest = digest(&script);
    // A large script is not printed twice. This line is the first of its kind, because no text above has several lines.
    if let Some(at) = script.find(DIGEST) {
        script.insert_str(at + DIGEST.len(), &digest);
    }
    script
}

/// Returns the digest in the text of a script.
#[must_use]
pub fn digest_of(script: &str) -> Option<&str> {
    script.split_once(DIGEST)?.1.split_once('\'').map(|(digest, _)| digest)
}

/// Returns the digest of a script that has none.
fn digest(undigested: &str) -> String {
    format!("{:016x}", fnv1a64(undigested.as_bytes()))
}

fn settings(program: &Program, summary: &Summary) -> Vec<Variable> {
    let setting = |name, value: String, comment: &str| {
        let comment = if comment.is_empty() { String::new() } else { format!(" # {comment}") };
        Variable { above: String::new(), name, value: shell::quote(&shell::comment(&value)), comment }
    };
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    let Charge { overhead, mpu, .. } = program.charge;
    let (Overhead::AboveIp(above_ip) | Overhead::Fixed(above_ip)) = overhead;
    let frames = match program.frames {
        Frames::Auto => "auto",
        Frames::Ip => "ip",
        Frames::Pppoe => "pppoe",
    };
    let receivers: Vec<&str> = program.settings.receivers.iter().map(crate::units::IfName::as_str).collect();
    let tunnels = program.decrypted.iter().map(|tunnel| match (tunnel.more, tunnel.port) {
        (None, _) => format!("{}:0/plain", tunnel.device),
        (Some(more), Some(0)) => format!("{}:{more}/open", tunnel.device),
        (Some(more), _) => format!("{}:{more}", tunnel.device),
    });
    let tunnels: Vec<String> = tunnels.collect();
    let needs_hook = program.qdiscs.iter().any(|q| q.kind == QdiscKind::Clsact);
    let needs_egress = program.filters.iter().any(|f| f.hook == Hook::Egress);
    let txqueuelen = program.settings.txqueuelen.map(|n| n.to_string()).unwrap_or_default();
    let mut settings = vec![
        setting("link", program.link.as_str().to_owned(), ""),
        setting("source", summary.source.clone(), ""),
        setting("default_dev", program.wan.as_str().to_owned(), "the WAN device: uploads leave by it"),
        setting("ifb1", program.ifb.as_str().to_owned(), "stands for its ingress: downloads pass through it"),
        setting("above_ip", above_ip.to_string(), "bytes on the line above each IP packet"),
        setting("mpu", mpu.to_string(), "a packet is never charged less than this"),
        setting("frames", frames.to_owned(), "what the device's packets are: auto, ip or pppoe"),
        setting("needs_hook", yes(needs_hook), "whether there are filters at the device's ingress or egress"),
        setting("needs_egress", yes(needs_egress), "whether some are at its egress"),
        setting(
            "split_up",
            yes(program.settings.split.up),
            "whether aggregates are kept from the shaper, uploads",
        ),
        setting("split_down", yes(program.settings.split.down), "and downloads"),
        setting("receivers", receivers.join(" "), "devices by which uploads come in"),
        setting("has_marks", yes(program.has_table()), "whether a table of nft writes into marks"),
        setting("txqueuelen", txqueuelen, "of the WAN device; empty to leave it"),
        setting("shaped_up", summary.up.clone(), ""),
        setting("shaped_down", summary.down.clone(), ""),
        setting("line_rates", summary.rates.clone(), "of the YAML, up and down"),
    ];
    if !summary.bounds.is_empty() {
        let comment = "lowest and highest rate for the call `follow`, up and down";
        settings.push(setting("bounds", summary.bounds.clone(), comment));
        settings.push(setting("probes", summary.probes.clone(), "what it pings; empty for the next router"));
        settings.push(setting("most_delay", summary.delay.to_string(), "microseconds that the line may add"));
    }
    if let Some(bytes) = program.settings.bql {
        let comment = "bytes that each transmit queue of the WAN device may hold";
        settings.push(setting("bql", bytes.get().to_string(), comment));
    }
    if let Some(instead) = program.qdiscs.iter().find_map(|q| q.instead.as_ref()) {
        let comment = "the queue of a leaf class if ethtool is missing";
        settings.push(setting("instead", words::instead(instead), comment));
    }
    if let Some(marks) = &program.marks {
        let bits = |bits: u32| format!("{bits:#010x}");
        let comment = "bits of marks that are ours, of connections and packets";
        settings.push(setting("mark_bits", bits(marks.mask & !marks.flag), comment));
        let comment = "and of downloads alone, from the ingress to prerouting";
        settings.push(setting("mark_flag", bits(marks.flag), comment));
    }
    if !tunnels.is_empty() {
        let comment = "devices behind which downloads are queued, and how much longer they were on the line";
        settings.push(setting("tunnels", tunnels.join(" "), comment));
    }
    if let Some(ifb) = program.uploads_ifb() {
        settings.push(setting(
            "uploads_ifb",
            ifb,
            "all uploads pass through it before a tunnel encrypts them",
        ));
    }
    settings
}

/// Returns the texts that this runtime reads. Empty ones are left out.
fn texts(program: &Program, summary: &Summary, runtime: &str) -> Vec<Variable> {
    let objects = Printer { program, reader: Reader::Script, source: &summary.source };
    let trial = Printer { program, reader: Reader::Trial, source: &summary.source };
    let tins = summary
        .tins
        .iter()
        .map(|(direction, number, name)| format!("{direction} {number} {}", shell::comment(name)));
    let policers = program.policers().into_iter().map(|(hook, index, name)| {
        let direction = if hook == Hook::Egress { "up" } else { "down" };
        format!("{direction} {index} {}", shell::comment(name))
    });
    let sysctls = program.settings.sysctls.iter().map(|s| format!("{} {}", s.path, s.value));
    let text = |name, comment, lines: Vec<String>| {
        let lines: Vec<_> = lines.iter().map(|line| shell::inside_quotes(line)).collect();
        let above = format!("\n{comment}\n{}", false_alarms(&lines));
        let value = format!("'\n{}\n'", lines.join("\n"));
        (!lines.is_empty() && runtime.contains(name)).then_some(Variable {
            above,
            name,
            value,
            comment: String::new(),
        })
    };
    let texts = [
        text("objects", OBJECTS, objects.commented()),
        text(
            "marks_table",
            "# The table of nft, which writes the host and the DSCP of an upload into our bits of marks.",
            nft::table(program, "@wan", &summary.source, shell::comment),
        ),
        text("sysctl_list", "# Kernel settings: path below /proc/sys, and value.", sysctls.collect()),
        text("share_list", shares::COMMENT, shares::lines(program)),
        text("tin_list", "# The tins of a CAKE: direction, number, class.", tins.collect()),
        text("police_list", "# The policers: direction, index in the objects, name.", policers.collect()),
        text(
            "tunnel_trial",
            "# A trial of what tunnels need, on a device of its own.",
            probe::decrypted(&trial),
        ),
    ];
    texts.into_iter().flatten().collect()
}

/// Returns when variants begin, and the function that sets what one of them has in place of `base`. Empty without variants.
fn variants(base: &[&Variable], summary: &Summary, runtime: &str) -> String {
    if summary.variants.is_empty() {
        return String::new();
    }
    let mut out = format!(
        "\n# When variants begin and end: day from Monday, hour and minute.\nswitches='{}'\n\
         not_before={RELEASED} # A clock before this date is not set.\n\n# Sets what a variant has in place of the above.\n\
         # shellcheck disable=SC2016,SC1003,SC1112 # Nothing in it is for the shell.\nvary() {{\n    case $1 in\n",
        summary.switches
    );
    for Varied { name, program, summary } in &summary.variants {
        let mut own = settings(program, summary);
        own.extend(texts(program, summary, runtime));
        out.push_str(&format!("    {name})\n"));
        for Variable { name, value, .. } in &own {
            if !base.iter().any(|other| other.name == *name && other.value == *value) {
                out.push_str(&format!("        {name}={value}\n"));
            }
        }
        for Variable { name, .. } in base.iter().filter(|base| own.iter().all(|own| own.name != base.name)) {
            out.push_str(&format!("        {name}=''\n"));
        }
        out.push_str("        ;;\n");
    }
    out + "    esac\n    digest=$digest-$1\n}\n"
}

/// Returns the comment that switches off the rules of shellcheck which take something in these lines for code.
fn false_alarms(lines: &[String]) -> String {
    let has = |part: &[&str]| lines.iter().any(|line| part.iter().any(|p| line.contains(p)));
    let rules = [
        ("SC2016", has(&["$", "`"])),
        ("SC1003", has(&[r"\'\''"])),
        ("SC1112", has(&["\u{2018}", "\u{2019}"])),
    ];
    let found: Vec<_> = rules.iter().filter(|(_, found)| *found).map(|(rule, _)| *rule).collect();
    if found.is_empty() {
        return String::new();
    }
    format!("# shellcheck disable={} # Nothing in it is for the shell.\n", found.join(","))
}

/// Explanation of the objects for readers of the script.
const OBJECTS: &str = "\
# The objects, in the order in which they are made: lines for `tc -batch`. A comment gives the class and the line of the
# YAML for all lines below it. @wan and @ifb are the two devices. `start` computes the other words with an @ on the router.";
