//! A WireGuard tunnel in a compiled tree. Flows of uploads stay apart because the kernel keeps the hash of each inner
//! flow. Downloads are queued after decryption, and each packet is charged once, as on the line. If that is impossible,
//! they are queued as they arrive.
#![expect(clippy::print_stderr, reason = "the figures are for whoever runs it")]

use crate::counters;
use crate::house::House;
use crate::load::{got, jain, over_idle};
use crate::report::{Report, commands, uptime};
use qosc_compiler::tc::Dev;

/// Serialization delay of a full packet at 2 mbit, in microseconds.
const PACKET: u64 = 6_056;

/// The download rate in bit/s: 16 mbit without a margin.
const DOWN: u64 = 16_000_000;

/// The number of pings beside a load, ten milliseconds apart.
const PINGS: usize = 300;

/// Payload sizes of pings.
const SIZES: [&str; 5] = ["56", "72", "456", "1000", "1392"];

const FQ: &str = "normal: { default: true }";

const MATCHED: &str = "web: { match: { tunnel: office, protocol: tcp, remote_port: 5443 } }, \
     desk: { match: { host: desk } }, office: { match: { tunnel: office } }, rest: { default: true }";

fn class(house: &House, name: &str) -> String {
    counters::class(&house.program, Dev::Ifb, name).id.to_string()
}

/// Runs one part of the case in a guest.
fn run(part: &str, houses: &[(&str, &House)]) -> Option<Report> {
    let (_, first) = houses.first()?;
    let mut guest = first.guest("wireguard").variable("SIZES", &SIZES.join(" ")).variable("PART", part);
    for (name, house) in houses {
        guest = guest.file(&format!("{name}.sh"), house.script.as_str());
    }
    guest.run("wireguard.sh")
}

/// Checks that the counted bytes are those on the wire, with a tolerance of one in `part`. A packet that is queued
/// twice is counted twice.
fn once(report: &Report, leg: &str, part: u64, wrong: &mut Vec<String>) {
    report.expect_code(&format!("{leg}/ping"), 0);
    let Passed { wire, counted, .. } = passed(report, leg);
    let (bytes, _) = counted.of("c05:a000");
    eprintln!("{leg}: {wire} bytes on the wire, {bytes} counted");
    if wire.abs_diff(bytes) * part > wire {
        wrong.push(format!("{leg}: {wire} bytes on the wire, {bytes} counted"));
    }
}

fn up_to_date(report: &Report, leg: &str) {
    report.expect_code(&format!("{leg}/again"), 0);
    assert_eq!(report.out(&format!("{leg}/again")).trim(), "wireguard: up to date", "{leg}");
}

fn house(tunnel: &str, classes: &str) -> House {
    let text = format!(
        "link: {{ device: eth1, up: 2mbit, down: 16mbit, profile: ethernet, margin: 0% }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24, \"2001:db8:2::/64\"], nat: true }}\n\
         hosts: {{ desk: {{ address: 192.168.1.11 }} }}\n\
         tunnels: {{ office: {{ kind: wireguard, device: wg0, remote: 198.51.100.1{tunnel} }} }}\n\
         classes: {{ {classes} }}\n"
    );
    House::of("wireguard", text.into_bytes())
}

/// Output of tc for the classes, at two readings.
struct Counted([String; 2]);

impl Counted {
    fn of(&self, class: &str) -> (u64, u64) {
        let [first, last] = self.0.each_ref().map(|text| {
            let Some((_, rest)) = text.split_once(&format!("class htb {class} ")) else { return (0, 0) };
            let (_, rest) = rest.split_once("Sent ").expect("counters");
            let words: Vec<&str> = rest.split(' ').collect();
            let number = |at: usize| words[at].parse::<u64>().expect("a number");
            (number(0), number(2))
        });
        (last.0 - first.0, last.1 - first.1)
    }
}

/// The traffic between two readings.
struct Passed {
    /// Hundredths of a second.
    time: u64,
    /// Bytes that arrived at the WAN device.
    wire: u64,
    /// Bytes and packets that HTB counted in a class. The bytes exclude the line's overhead above Ethernet.
    counted: Counted,
}

fn passed(report: &Report, leg: &str) -> Passed {
    let wire = |name: &str| {
        let text = report.text(&format!("out/{leg}/{name}.wire"));
        let (at, bytes) = text.trim_end().split_once('\n').expect("a time and a number");
        (uptime(at), bytes.parse::<u64>().expect("bytes"))
    };
    let (first, last) = (wire("first"), wire("last"));
    // The tree may be in either slot.
    let text = |name| report.text(&format!("out/{leg}/{name}.charged")).replace("c05:b", "c05:a");
    let texts = ["first", "last"].map(text);
    Passed { time: last.0 - first.0, wire: last.1 - first.1, counted: Counted(texts) }
}

/// Checks that `qosc plan` for a dump lists the commands that `print` showed, in the same order.
fn expect_planned(report: &Report, leg: &str, script: &str) {
    let step = format!("{leg}/start-dump");
    let plan = report.plan(&step, script, &[1]);
    let printed = report.out(&format!("{leg}/start-print"));
    let printed: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with("tc ") || line.starts_with("ip ") && !line.contains(" gso_max_segs "))
        .collect();
    // A script that has no tunnel removes what the previous one left there. For `plan`, this is a note and not a step.
    let (left, printed): (Vec<&str>, Vec<&str>) =
        printed.into_iter().partition(|line| leg == "flows" && line.contains(" dev wg0 "));
    let noted = plan["notes"].to_string().contains("`start` also deletes what the last start created on wg0");
    assert_eq!(noted, !left.is_empty(), "{leg}: {left:?} {}", plan["notes"]);
    assert_eq!(commands(&plan["steps"]), printed, "{leg}: {}", report.about(&step));
}

#[test]
fn wireguard_flows_are_queued_by_inner_packets() {
    let (fq, cake, matched) =
        (house("", FQ), house("", "normal: { default: true, share: per-host }"), house("", MATCHED));
    let Some(report) = run("traffic", &[("fq", &fq), ("cake", &cake), ("match", &matched)]) else { return };
    let mut wrong = Vec::new();
    for leg in ["fq", "cake", "match"] {
        report.expect_code(&format!("{leg}/start"), 0);
    }
    up_to_date(&report, "fq");
    report.expect_code("fq/check", 0);
    report.expect_code("whole/stop", 0);
    report.expect_same("out/whole/before.state", "out/whole/after.state");
    for leg in ["fq", "cake", "down-fq", "down-cake"] {
        let (median, p99) = over_idle(&report, leg, ["idle", "busy"], PINGS);
        eprintln!(
            "{leg}: pings inside take {median} us over idle at the median, {p99} at p99; {:?}",
            got(&report, leg)
        );
        if median > 3 * PACKET {
            wrong.push(format!("{leg}: pings take {median} us more than idle"));
        }
    }
    // WireGuard pads packets to 16 bytes, but full packets not at all. Twelve bytes are charged in every case.
    for leg in SIZES.iter().map(|size| format!("down-{size}")).chain(["down-six".to_owned()]) {
        once(&report, &leg, 50, &mut wrong);
    }
    for leg in ["down-fq", "down-cake"] {
        let Passed { wire, counted, time } = passed(&report, leg);
        let (bytes, packets) = counted.of("c05:a000");
        // The line has 24 bytes more of each packet than the device counts.
        let (charged, whole) = (bytes + 24 * packets, DOWN / 8 * time / 100);
        let got = got(&report, leg);
        let share = got["inside"] * 100 / (got["inside"] + got["beside"]);
        eprintln!(
            "{leg}: {share} of a hundred inside; {charged} bytes charged of {whole}, {wire} on the wire"
        );
        if !(40..=60).contains(&share) {
            wrong.push(format!("{leg}: {share} of a hundred inside the tunnel"));
        }
        if charged.abs_diff(whole) * 50 > whole {
            wrong.push(format!("{leg}: {charged} bytes charged, where {whole} could pass"));
        }
    }
    let hosts = got(&report, "hosts");
    let jain = jain(&hosts);
    eprintln!("hosts: Jain {jain} of 10000, {hosts:?}");
    if jain < 9_900 {
        wrong.push(format!("hosts: Jain's index is {jain} of 10000: {hosts:?}"));
    }
    // Classes for packets inside the tunnel: one matches the packet itself, one matches its host, and one matches the
    // rest.
    let Passed { counted, .. } = passed(&report, "match");
    let (all, _) = counted.of("c05:a000");
    for name in ["web", "desk", "office", "rest"] {
        let (own, _) = counted.of(&class(&matched, name));
        eprintln!("match: {name} {own} of {all}");
        let right = if name == "rest" { own * 50 < all } else { own * 4 > all };
        if !right {
            wrong.push(format!("match: {name} was charged {own} bytes of {all}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn start_copes_with_a_missing_or_late_wireguard_device() {
    let (fq, matched) = (house("", FQ), house("", MATCHED));
    let flows = house(", inner: flows", "office: { match: { tunnel: office } }, rest: { default: true }");
    let Some(report) = run("changes", &[("fq", &fq), ("match", &matched), ("flows", &flows)]) else { return };
    let mut wrong = Vec::new();
    for leg in ["anew", "gone", "back", "none", "match", "flows"] {
        report.expect_code(&format!("{leg}/start"), 0);
    }
    for leg in ["anew", "gone", "none", "match"] {
        up_to_date(&report, leg);
    }
    for leg in ["back", "none", "other"] {
        report.expect_code(&format!("{leg}/stop"), 0);
    }
    report.expect_same("out/other/before.state", "out/other/after.state");
    for (leg, script) in [
        ("anew", "fq.sh"),
        ("gone", "fq.sh"),
        ("back", "fq.sh"),
        ("match", "match.sh"),
        ("flows", "flows.sh"),
        ("other", "fq.sh"),
    ] {
        expect_planned(&report, leg, script);
    }
    once(&report, "anew", 50, &mut wrong);
    // The downloads are queued as they arrive if the kernel lacks support or the file says so.
    for leg in ["none", "flows"] {
        once(&report, leg, 100, &mut wrong);
    }
    let Passed { counted, .. } = passed(&report, "flows");
    if counted.of(&class(&flows, "office")) != counted.of("c05:a000") {
        wrong.push("flows: the tunnel is not in its class".to_owned());
    }
    // The messages of the script.
    for (step, words) in [
        ("anew/drifted", "wg0: downloads are not queued: it was made anew; start mends that"),
        ("anew/status", "wg0: downloads are queued behind it"),
        ("back/status", "wg0: downloads are queued behind it"),
        ("none/status", "wg0: downloads are queued as they come in, as one flow: this kernel"),
    ] {
        let said = report.out(step);
        if !said.contains(words) {
            wrong.push(format!("{step} says\n{said}"));
        }
    }
    for (step, words) in
        [("gone/start", "as one flow: it is not there"), ("none/start", "as one flow: this kernel")]
    {
        let said = report.text(&format!("out/{step}.err"));
        if !said.contains(words) {
            wrong.push(format!("{step} says\n{said}"));
        }
    }
    let hook = report.text("out/gone/hook");
    if hook.contains("action pass") || hook.contains("gact") {
        wrong.push(format!("something passes for a device that is gone\n{hook}"));
    }
    let hook = report.text("out/flows/hook");
    if hook.contains("clsact") {
        wrong.push(format!("a hook is left\n{hook}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A house whose uploads in the tunnel are queued before they are encrypted if `inner` says so.
fn fast_house(inner: &str, classes: &str) -> House {
    let text = format!(
        "link: {{ device: eth1, up: 10mbit, down: 50mbit, profile: ethernet, margin: 2% }}\n\
         lan: {{ device: br-lan, networks: [192.168.1.0/24, \"2001:db8:2::/64\"], nat: true }}\n\
         tunnels: {{ office: {{ kind: wireguard, device: wg0, remote: 198.51.100.1{inner} }} }}\n\
         classes: {{ {classes} normal: {{ default: true, share: per-host }} }}\n"
    );
    House::of("wireguard", text.into_bytes())
}

#[test]
fn uploads_are_queued_before_encryption() {
    let voice = "voice: { priority: 0, match: { tunnel: office, protocol: udp, remote_port: 5060 } },";
    let flows = fast_house("", "");
    let (matched, class) = (fast_house(", inner: match", ""), fast_house(", inner: match", voice));
    let Some(report) = run("uploads", &[("flows", &flows), ("match", &matched), ("class", &class)]) else {
        return;
    };
    let mut wrong = Vec::new();
    for leg in ["flows", "match", "changed", "gone", "back", "lost", "wan"] {
        report.expect_code(&format!("{leg}/start"), 0);
    }
    for leg in ["match", "gone", "back", "lost", "wan"] {
        up_to_date(&report, leg);
    }
    report.expect_code("match/check", 0);
    for (step, words) in [
        ("changed", "class normal (wireguard.yaml:4) on ifbu-wireguard was changed; `start` mends that"),
        ("deleted", "ifbu-wireguard is gone (1 of 2 differences); `start` mends that"),
    ] {
        report.expect_code(&format!("lost/{step}"), 1);
        let said = report.out(&format!("lost/{step}"));
        assert_eq!(said.lines().next(), Some(format!("wireguard: drifted: {words}").as_str()), "{said}");
    }
    for step in ["undone/tried", "undone/check", "other/start", "other/stop", "end/start", "end/stop"] {
        report.expect_code(step, 0);
    }
    report.expect_same("out/whole/before.state", "out/whole/after.state");
    for (leg, script) in [
        ("match", "match.sh"),
        ("changed", "class.sh"),
        ("gone", "match.sh"),
        ("back", "match.sh"),
        ("lost", "match.sh"),
        ("wan", "flows.sh"),
    ] {
        expect_planned(&report, leg, script);
    }
    assert!(report.out("match/status").contains("wg0: uploads and downloads are queued behind it"));
    assert_eq!(report.text("out/wan/left"), "", "something of the uploads is left");
    // Each packet is charged what it takes on the line.
    for leg in SIZES.iter().map(|size| format!("up-{size}")) {
        once(&report, &leg, 50, &mut wrong);
    }
    for leg in ["up-six", "up-beside", "roaming", "back", "translated"] {
        once(&report, leg, 50, &mut wrong);
    }
    for leg in ["gone", "lost", "wan", "undone"] {
        report.expect_code(&format!("{leg}/ping"), 0);
    }
    assert!(report.text("out/roaming/endpoint").contains(":51999"), "the other end did not move");
    // Hosts are equal, inside the tunnel and outside.
    let before = got(&report, "flows");
    eprintln!("without `inner: match`: Jain {} of 10000, {before:?}", jain(&before));
    for leg in ["inside", "beside", "mixed", "aggregates", "changed"] {
        let (median, p99) = over_idle(&report, leg, ["idle", "busy"], PINGS);
        let got = got(&report, leg);
        let (jain, sum) = (jain(&got), got.values().sum::<u64>());
        let Passed { wire, counted, time } = passed(&report, leg);
        let (bytes, packets) = counted.of("c05:a000");
        let (charged, whole) = (bytes + 24 * packets, 9_800_000 / 8 * time / 100);
        eprintln!(
            "{leg}: Jain {jain} of 10000, {sum} bytes; pings inside take {median} us over idle at the median, {p99} at \
             p99; {charged} bytes charged of {whole}, {} on the line; {got:?}",
            wire + 24 * packets
        );
        if jain < 9_900 {
            wrong.push(format!("{leg}: Jain's index is {jain} of 10000: {got:?}"));
        }
        if p99 > 3 * PACKET / 5 {
            wrong.push(format!("{leg}: pings take {p99} us more than idle at p99"));
        }
        // CAKE splits aggregates after they were given their real length back.
        let most = if leg == "aggregates" { 103 } else { 100 };
        if (wire + 24 * packets) * 100 > whole * most {
            wrong.push(format!("{leg}: {wire} bytes on the wire, where {whole} could pass"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
