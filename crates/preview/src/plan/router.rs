//! The texts of a dump and of a program as the engine of the script reads them.

use super::engine::Router;
use crate::live::{Dump, MARK};
use qosc_compiler::tc::{ETHERNET, Facts, Hook, Program, QdiscKind, header_by_name};
use qosc_compiler::units::IfName;

/// Arguments of the `start` to preview.
#[derive(Debug, Clone, Copy, Default)]
pub struct Call<'a> {
    /// Device of `--device`.
    pub device: Option<&'a IfName>,
    /// True if `--take-over` is given.
    pub take_over: bool,
}

/// Returns the input of the engine.
pub(super) fn router(program: &Program, source: &str, dump: &Dump<'_>) -> Router {
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    let (link, wan, ifb) = (program.link.as_str(), program.wan.as_str(), program.ifb.as_str());
    let (second, uploads) = (program.second_ifb(), program.third_ifb());
    let up = if program.is_up_by_ifb { &uploads } else { wan };
    let settings = &program.settings;
    let mut wanted =
        "== described\n".to_owned() + &qosc_compiler::emit::described(program, facts(program, dump), source);
    if let Some(bytes) = settings.bql {
        let queues = format!("/proc/sys/../../sys/class/net/{wan}/queues/");
        let paths = dump.all("cat").map(|(path, _)| path).filter(|path| path.starts_with(&queues));
        wanted.extend(
            paths.map(|path| format!("sysctl {} {}\n", path.replacen("/proc/sys/", "", 1), bytes.get())),
        );
    }
    wanted.extend(qosc_compiler::emit::marks(program).lines().map(|line| format!("mark {line}\n")));
    let of_wan = dump.link(wan).first().copied().unwrap_or_default();
    let queue = of_wan.split_whitespace().skip_while(|word| *word != "qlen").nth(1).unwrap_or_default();
    // The engine looks for the device of an offload.
    let is_path = |line: &str| line.starts_with("offload ") && line.contains('/');
    let before = dump.file("before");
    let before = before.lines().filter(|line| !is_path(line)).map(|line| format!("{line}\n")).collect();
    let mut files = vec![
        ("wanted".to_owned(), wanted),
        ("state".to_owned(), dump.record()),
        ("before".to_owned(), before),
        (format!("sys/class/net/{wan}/tx_queue_len"), format!("{queue}\n")),
    ];
    for device in [ifb, &second, &uploads] {
        let flags = ["", "0x0\n", "0x1\n"].get(usize::from(dump.upness(device))).copied().unwrap_or_default();
        files.push((format!("sys/class/net/{device}/flags"), flags.to_owned()));
    }
    let variables = vec![
        ("link", link.to_owned()),
        ("dev", wan.to_owned()),
        ("up", up.to_owned()),
        ("ifb1", ifb.to_owned()),
        ("ifb2", second.clone()),
        ("ifbu", uploads.clone()),
        ("txqueuelen", settings.txqueuelen.map(|length| length.to_string()).unwrap_or_default()),
        ("aggregates", aggregates(program)),
        ("has_marks", yes(program.marks.is_some() || program.is_up_by_ifb)),
        ("needs_hook", yes(program.qdiscs.iter().any(|qdisc| qdisc.kind == QdiscKind::Clsact))),
        ("needs_egress", yes(program.filters.iter().any(|filter| filter.hook == Hook::Egress))),
        // Without `--take-over`, `start` refuses to run. The steps are those after it.
        ("take_over", yes(true)),
    ];
    // The lines before the first command are no section of the engine either.
    Router { variables, files, input: format!("{MARK}\n{}", dump.text) }
}

/// Notes what the plan cannot tell from the dump, or what people may not expect.
pub(super) fn note(program: &Program, dump: &Dump<'_>, notes: &mut Vec<String>) {
    let found = dump.lines("tunnels");
    for device in program.decrypted.iter().map(|tunnel| tunnel.device.as_str()) {
        let head = format!("tunnel {device} ");
        let why = match found.iter().any(|line| line.starts_with(&head)) {
            _ if dump.through(device).is_some() => continue,
            true => "this router cannot queue them after it, and `status` says why",
            false => "the script that printed the dump did not look at that device",
        };
        notes.push(format!(
            "the plan assumes that downloads through {device} are queued before decryption: {why}"
        ));
    }
    if program.decrypted.is_empty() && found.is_empty() {
        let before = dump.file("before");
        let devices = before.lines().filter_map(|line| line.strip_prefix("tunnel ")?.split(' ').next());
        notes.extend(
            devices.map(|device| format!("`start` also deletes what the last start created on {device}")),
        );
    }
    if let Some((up, down)) = dump.recorded("rate").trim_end().split_once(' ') {
        notes.push(format!(
            "`rate` set the tree to {up} up and {down} down: `start` restores the rates of the file"
        ));
    }
    let own = aggregates(program);
    if dump.all("aggregates").any(|(asked, _)| asked != own) {
        notes.push(
            "the LAN devices or `offloads` of the file differ from those of the script that printed the dump: only the \
             router can tell which offloads `start` changes"
                .to_owned(),
        );
    }
}

/// Returns the devices on which a script looks for offloads, as the dump of such a script names them.
fn aggregates(program: &Program) -> String {
    let split = program.settings.split;
    let yes = |on: bool| if on { "yes" } else { "no" };
    let receivers: Vec<&str> = program.settings.receivers.iter().map(IfName::as_str).collect();
    let words = format!("up {} down {} by {}", yes(split.up), yes(split.down), receivers.join(" "));
    words.trim_end().to_owned()
}

/// Returns the WAN device of the dump.
pub(super) fn device(
    program: &Program,
    dump: &Dump<'_>,
    call: Call<'_>,
    notes: &mut Vec<String>,
) -> Result<IfName, String> {
    let dumped = dump.head.wan.parse::<IfName>().ok();
    if let (Some(dumped), Some(called)) = (&dumped, call.device)
        && dumped != called
    {
        return Err(format!("the dump is of device {dumped}, not {called}"));
    }
    let wan = dumped.or_else(|| call.device.cloned()).unwrap_or_else(|| program.wan.clone());
    if !dump.shows_qdiscs(wan.as_str()) {
        return Err(format!(
            "the dump shows no qdisc of {wan}: either that router has no `tc`, or the dump is of something else"
        ));
    }
    if call.device.is_none() && wan != program.wan {
        notes.push(format!(
            "the file's device is {}, but the dump is of {wan}: the plan is that of `start --device {wan}`",
            program.wan
        ));
    }
    Ok(wan)
}

/// Returns the facts that only the router knows, as far as the dump shows them.
fn facts(program: &Program, dump: &Dump<'_>) -> Facts {
    use qosc_compiler::terms::Frames;
    let wan = program.wan.as_str();
    let sessions = dump.lines("cat /proc/net/pppoe");
    let carries_pppoe = sessions.iter().any(|line| line.split_whitespace().nth(2) == Some(wan));
    let header = match (dump.is_ethernet(wan), program.frames) {
        (Some(false), _) => 0,
        (Some(true), Frames::Pppoe) => 22,
        (Some(true), Frames::Auto) if carries_pppoe => 22,
        (Some(true), _) => 14,
        (None, frames) => dump.head.header.or_else(|| header_by_name(wan, frames)).unwrap_or(ETHERNET),
    };
    let split = program.settings.split;
    // If the head of the dump does not tell, the script listed the features of devices only if the router has ethtool.
    let by_hand = dump.head.script.is_empty();
    let ethtool = dump.head.ethtool.unwrap_or_else(|| by_hand || dump.all("ethtool").next().is_some());
    Facts { header, split_in_leaves: !ethtool && (split.up || split.down) }
}
