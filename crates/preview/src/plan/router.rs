//! The texts of a dump and of a program as the engine of the script reads them.

use super::{Call, Router};
use crate::live::Dump;
use qosc_compiler::tc::{ETHERNET, Facts, Hook, Program, QdiscKind, header_by_name};
use qosc_compiler::units::IfName;

/// Returns the input of the engine.
pub(super) fn router(program: &Program, source: &str, dump: &Dump<'_>, has_aggregates: bool) -> Router {
    let yes = |on: bool| if on { "yes" } else { "no" }.to_owned();
    let (link, wan, ifb) = (program.link.as_str(), program.wan.as_str(), program.ifb.as_str());
    let (second, uploads) = (program.second_ifb(), program.third_ifb());
    let up = if program.is_up_by_ifb { &uploads } else { wan };
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let first = dump.link(wan).first().map(|line| words(line)).unwrap_or_default();
    let queue = first.iter().skip_while(|word| *word != "qlen").nth(1).cloned().unwrap_or_default();
    let of_kernel =
        dump.all("cat").filter_map(|(path, lines)| Some((path.strip_prefix("/proc/sys/")?, lines)));
    let of_kernel: Vec<(&str, &str)> =
        of_kernel.map(|(path, lines)| (path, lines.first().copied().unwrap_or_default())).collect();

    let mut wanted =
        "== described\n".to_owned() + &qosc_compiler::emit::described(program, facts(program, dump), source);
    let queues = format!("../../sys/class/net/{wan}/queues/");
    let limits = of_kernel.iter().filter(|(path, _)| path.starts_with(&queues));
    if let Some(bytes) = program.settings.bql {
        wanted.extend(limits.map(|(path, _)| format!("sysctl {path} {}\n", bytes.get())));
    }
    wanted.extend(qosc_compiler::emit::marks(program).lines().map(|line| format!("mark {line}\n")));
    let mut files = vec![
        ("wanted".to_owned(), wanted),
        ("state".to_owned(), dump.record()),
        ("before".to_owned(), dump.file("before")),
        (format!("sys/class/net/{wan}/tx_queue_len"), queue + "\n"),
    ];
    for device in [ifb, &second, &uploads] {
        let flags = ["", "0x0\n", "0x1\n"].get(usize::from(dump.upness(device))).copied().unwrap_or_default();
        files.push((format!("sys/class/net/{device}/flags"), flags.to_owned()));
    }

    let table = |family| format!("nft list table {family} qosc_{link}");
    let aggregates = |name| dump.all(name).filter(|_| has_aggregates).flat_map(|(_, lines)| lines);
    let mut input = String::new();
    // A line of a dump begins no other section.
    let mut copy = |section: &str, lines: &mut dyn Iterator<Item = &&str>| {
        input += &format!("== {section}\n");
        for line in lines.filter(|line| line.split_whitespace().next() != Some("==")) {
            input += line;
            input += "\n";
        }
    };
    copy("marks", &mut dump.lines(&table("inet")).iter());
    copy("marks", &mut dump.lines(&table("netdev")).iter());
    let values: Vec<String> = of_kernel.iter().map(|(path, value)| format!("{path} {value}")).collect();
    copy("values", &mut values.iter().map(String::as_str).collect::<Vec<_>>().iter());
    copy("aggregates", &mut aggregates("aggregates"));
    copy("aggregates_left", &mut aggregates("aggregates_left"));
    copy("tc", &mut dump.shown(wan, up, ifb).iter());
    Router {
        variables: vec![
            ("link", link.to_owned()),
            ("dev", wan.to_owned()),
            ("up", up.to_owned()),
            ("ifb1", ifb.to_owned()),
            ("ifb2", second.clone()),
            ("ifbu", uploads.clone()),
            ("txqueuelen", program.settings.txqueuelen.map(|length| length.to_string()).unwrap_or_default()),
            ("has_marks", yes(program.marks.is_some() || program.is_up_by_ifb)),
            ("needs_hook", yes(program.qdiscs.iter().any(|qdisc| qdisc.kind == QdiscKind::Clsact))),
            ("needs_egress", yes(program.filters.iter().any(|filter| filter.hook == Hook::Egress))),
            ("take_over", yes(true)),
        ],
        files,
        input: input + "== shown\n",
    }
}

/// Returns the program with only those tunnels whose downloads this router can queue after decryption.
pub(super) fn tunnels(program: &Program, dump: &Dump<'_>, notes: &mut Vec<String>) -> Program {
    let found = dump.lines("tunnels");
    for tunnel in program.decrypted.iter().filter(|tunnel| dump.through(tunnel.device.as_str()).is_none()) {
        let head = format!("tunnel {} ", tunnel.device);
        notes.push(format!(
            "the plan assumes that downloads through {} are queued before decryption: {}",
            tunnel.device,
            match found.iter().any(|line| line.starts_with(&head)) {
                true => "this router cannot queue them after it, and `status` says why",
                false => "the script that printed the dump did not look at that device",
            }
        ));
    }
    if program.decrypted.is_empty() && found.is_empty() {
        let before = dump.file("before");
        let devices = before.lines().filter_map(|line| line.strip_prefix("tunnel ")?.split(' ').next());
        notes.extend(
            devices.map(|device| format!("`start` also deletes what the last start created on {device}")),
        );
    }
    program.with_tunnels(|tunnel| dump.through(tunnel.device.as_str()))
}

/// Returns `true` if the script that printed the dump found the offloads that this file changes.
pub(super) fn has_aggregates(program: &Program, dump: &Dump<'_>, notes: &mut Vec<String>) -> bool {
    let settings = &program.settings;
    let yes = |on: bool| if on { "yes" } else { "no" };
    let receivers: Vec<&str> = settings.receivers.iter().map(IfName::as_str).collect();
    let own =
        format!("up {} down {} by {}", yes(settings.split.up), yes(settings.split.down), receivers.join(" "));
    let same = dump.all("aggregates").all(|(asked, _)| asked == own.trim_end());
    if !same {
        notes.push(
            "the LAN devices or `offloads` of the file differ from those of the script that printed the dump: only the \
             router can tell which offloads `start` changes"
                .to_owned(),
        );
    }
    same
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
