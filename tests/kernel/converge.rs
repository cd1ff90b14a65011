//! A walk through configurations: after each step, the kernel's state is the one that the configuration describes.

use crate::house::House;
use crate::life_cycle::expect_held;
use crate::report::{Report, commands};
use crate::uml::Machine;
use std::time::Duration;

const LINK: &str = "name: walk\nlink: { device: eth0, profile: docsis, up: 20mbit, down: 40mbit }\n";
const LAN: &str = "lan: { device: br-lan, nat: false }\n";

/// Steps of hosts and marks whose printed commands are also run by hand. Together they contain every kind of command.
const TYPED: [&str; 5] = ["sharing", "home", "many", "dscp-marks", "no-marks"];

/// Each step of the walk: its name and its file.
pub fn walk() -> Vec<(&'static str, String)> {
    let mut steps = of_classes();
    steps.extend(of_hosts());
    steps.extend(of_marks());
    steps.extend(of_ports());
    steps
}

/// Long lists of ports are in hash tables. They change, move to a new tree and disappear.
fn of_ports() -> Vec<(&'static str, String)> {
    let step = |name, count: usize, more: &str| {
        let ports: Vec<String> = (0..count).map(|number| (2_000 + 7 * number).to_string()).collect();
        let ports = ports.join(", ");
        (
            name,
            format!(
                "{LINK}{LAN}classes:\n  voice: {{ priority: 0, match: [{{ family: ipv4, protocol: udp, remote_port: [{ports}] }}] }}\n  \
                 bulk: {{ match: [{{ protocol: udp, port: 20000-50001 }}]{more} }}\n  rest: {{ default: true }}\n"
            ),
        )
    };
    let child = ", classes: { backup: { match: [{ dscp: cs1 }] } }";
    vec![
        step("ports", 40, ""),
        step("more-ports", 1_100, ""),
        step("other-tree", 41, child),
        step("fewer-ports", 39, child),
        step("few-ports", 2, ""),
        step("ports-again", 40, ""),
    ]
}

/// Behind NAT, hosts are identified by marks: the nft table appears, changes, moves to other bits and disappears.
fn of_marks() -> Vec<(&'static str, String)> {
    let step = |name, tuning: &str, hosts: &str, voice: &str| {
        (
            name,
            format!(
                "{LINK}lan: {{ device: br-lan, networks: [192.168.1.0/24], nat: true }}\n{tuning}\
                 hosts:\n  desk: {{ address: 192.168.1.10 }}\n{hosts}\
                 classes:\n  voice: {{ priority: 0, match: [{voice}] }}\n  rest: {{ default: true }}\n"
            ),
        )
    };
    let (tv, phone) = (
        "  tv: { address: 192.168.1.11 }\n",
        "  phone: { address: 192.168.1.12, mac: \"02:00:00:00:00:0a\" }\n",
    );
    let both = format!("{tv}{phone}");
    let mask = "tuning: { mark_mask: 0x0fff0000 }\n";
    let dscp = "{ host: [desk, phone] }, { dscp: ef, direction: down }";
    vec![
        step("marks", "", "", "{ host: desk }"),
        step("more-marks", "", &both, "{ host: [desk, phone] }"),
        step("dscp-marks", "", &both, dscp),
        step("same-marks", "", &both, &format!("{dscp}, {{ protocol: udp, remote_port: 5060 }}")),
        step("other-bits", mask, &both, dscp),
        step("no-marks", "", "", "{ dscp: ef, direction: up }"),
        step("marks-again", "", "", "{ host: desk }"),
    ]
}

/// Hosts appear, get a guarantee, share a class, move to another class and disappear. The last steps have many hosts in
/// one match, then none.
fn of_hosts() -> Vec<(&'static str, String)> {
    let step = |name, hosts: &str, rest: &str, police: &str| {
        let classes = "  voice: { priority: 0, guarantee: 10%, match: [{ host: [ata, tv] }] }\n  bulk: { match: [{ dscp: cs1 }] }\n";
        let ata = "  ata: { address: [10.9.0.5, \"::5/-64\"] }\n";
        (
            name,
            format!(
                "{LINK}{LAN}hosts:\n{ata}{hosts}classes:\n{classes}  rest: {{ default: true{rest} }}\npolice:\n  \
                 guests: {{ direction: down, match: [{{ {police} }}], rate: 2mbit }}\n"
            ),
        )
    };
    let (tv, guests) =
        ("  tv: { address: 10.9.0.9 }\n", "  guests: { address: 10.9.7.0/24, ceiling: 30% }\n");
    let promised = "  tv: { address: 10.9.0.9, class: rest, guarantee: { down: 20% } }\n";
    let moved = "  tv: { address: 10.9.0.9, class: bulk, guarantee: 20%, ceiling: 50% }\n";
    vec![
        step("hosts", tv, "", "local: 10.9.0.0/16"),
        step("promised", &format!("{promised}{guests}"), "", "host: guests"),
        step("sharing", &format!("{promised}{guests}"), ", share: per-host", "host: [guests, tv]"),
        step("home", &format!("{moved}{guests}"), ", share: per-host", "host: guests"),
        step("first-gone", &format!("{guests}{moved}"), "", "host: tv"),
        step("unpromised", tv, ", share: per-host", "host: tv"),
        (
            "many",
            format!(
                "{LINK}{LAN}hosts:\n{}classes:\n  some:\n    match: [{{ host: [{}] }}]\n  rest: {{ default: true }}\n",
                (0..40).map(|host| format!("  h{host}: {{ address: 10.9.{host}.7 }}\n")).collect::<String>(),
                (0..40).map(|host| format!("h{host}")).collect::<Vec<_>>().join(", "),
            ),
        ),
        ("without", format!("{LINK}{LAN}classes:\n  rest: {{ default: true }}\n")),
    ]
}

fn of_classes() -> Vec<(&'static str, String)> {
    let plain = "classes:\n  voice: { priority: 0, guarantee: 10%, match: [{ dscp: ef }] }\n  \
                 rest: { default: true }\n";
    let step = |name, link: &str, rest: &str| (name, format!("{link}{LAN}{rest}"));
    vec![
        step("first", LINK, plain),
        step("numbers", &LINK.replace("20mbit", "18mbit").replace("40mbit", "33mbit"), plain),
        step("option", LINK, &plain.replace("priority: 0", "priority: 2")),
        step("class", LINK, &format!("{plain}  bulk: {{ match: [{{ dscp: cs1 }}] }}\n")),
        step("matches", LINK, &format!("{plain}  bulk: {{ match: [{{ dscp: [cs1, le] }}] }}\n")),
        step(
            "queues",
            LINK,
            &format!(
                "{plain}  bulk: {{ match: [{{ dscp: [cs1, le] }}], queue: {{ fq_codel: {{ flows: 64 }} }} }}\n"
            ),
        ),
        step("kinds", LINK, &format!("{plain}  bulk: {{ match: [{{ dscp: [cs1, le] }}], queue: cake }}\n")),
        step(
            "inner",
            LINK,
            "classes:\n  voice: { priority: 0, guarantee: 10%, match: [{ dscp: ef }] }\n  rest:\n    classes:\n      \
             web: { default: true }\n      bulk: { match: [{ dscp: [cs1, le] }] }\n",
        ),
        step(
            "moved",
            LINK,
            "classes:\n  voice: { priority: 0, guarantee: 10%, match: [{ dscp: ef }] }\n  rest:\n    classes:\n      \
             web: { default: true }\n  top:\n    classes:\n      bulk: { match: [{ dscp: [cs1, le] }] }\n      \
             other: { match: [{ dscp: af11 }] }\n",
        ),
        step("leaf", LINK, plain),
        step(
            "police",
            LINK,
            &format!(
                "{plain}police:\n  in: {{ direction: down, match: [{{ local: 10.9.0.0/16 }}], rate: 2mbit }}\n  \
                      out: {{ direction: up, match: [{{ local: 10.9.0.0/16 }}], rate: 1mbit }}\n"
            ),
        ),
        step("below", &LINK.replace("docsis", "raw"), plain),
        step("above", LINK, plain),
        step("below-again", &LINK.replace("docsis", "raw"), plain),
        step("unshaped", &LINK.replace(" }", ", ingress: none }"), plain),
        step("policed", &LINK.replace(" }", ", ingress: police }"), plain),
        step(
            "tuned",
            LINK,
            &format!("{plain}tuning: {{ txqueuelen: 300, tcp: {{ rtt: 40ms }}, offloads: keep }}\n"),
        ),
        step("untuned", LINK, plain),
    ]
}

#[test]
fn every_change_converges_to_the_desired_state() {
    walks("walk", Machine::Virtual, walk());
}

/// The steps that need no nft.
pub fn without_marks() -> Vec<(&'static str, String)> {
    let mut steps = of_classes();
    steps.extend(of_hosts());
    steps
}

/// Takes these steps in order, and checks the state after each. Then the printed commands of some steps run by hand.
pub fn walks(name: &str, machine: Machine, steps: Vec<(&'static str, String)>) {
    let houses: Vec<(&str, House)> = steps
        .into_iter()
        .map(|(step, yaml)| (step, House::of("walk", yaml.into_bytes()).held_by(machine)))
        .collect();
    let mut guest = houses[0].1.guest(name).on(machine);
    for (name, house) in &houses {
        guest = guest.file(&format!("scripts/{name}.sh"), house.script.as_str());
    }
    let names: Vec<&str> = houses.iter().map(|(name, _)| *name).collect();
    let plain: Vec<&str> = of_classes().into_iter().map(|(name, _)| name).collect();
    let typed: Vec<&str> =
        names.iter().copied().filter(|name| plain.contains(name) || TYPED.contains(name)).collect();
    let guest = guest
        .variable("SCRIPTS", &names.join(" "))
        .variable("TYPED", &typed.join(" "))
        .variable("QOSC", env!("CARGO_BIN_EXE_qosc"))
        .limit(Duration::from_secs(600));
    let Some(report) = guest.run("converge.sh") else { return };
    for (name, house) in &houses {
        report.expect_code(&format!("{name}/start"), 0);
        expect_planned(&report, name);
        expect_held(house, &report, &format!("{name}/dump"));
        // There is nothing left to do, so the plan has no steps.
        report.plan(&format!("{name}/dump"), &format!("scripts/{name}.sh"), &[0]);
        assert!(
            report.out(&format!("{name}/second")).contains("up to date"),
            "{}{}",
            report.about(&format!("{name}/start")),
            report.about(&format!("{name}/second"))
        );
        report.expect_code(&format!("{name}/check"), 0);
        if typed.contains(name) {
            report.expect_code(&format!("{name}/typed"), 0);
            expect_held(house, &report, &format!("{name}/typed-dump"));
        }
    }
    report.expect_code("whole/stop", 0);
    report.expect_same("out/whole/before.state", "out/whole/after.state");
    report.expect_code("whole/stop-typed", 0);
}

/// Splits the output of `print` into commands. Each is one line, except that an nft program is one command too.
fn shown(printed: &str) -> Vec<&str> {
    let mut commands = Vec::new();
    let mut rest = printed;
    while let Some(line) = rest.lines().next() {
        let end = "\nEND\n";
        let length = match line.strip_suffix("<<'END'").and_then(|_| rest.find(end)) {
            Some(at) => at + end.len() - 1,
            None => line.len(),
        };
        let (command, after) = rest.split_at(length);
        commands.push(command);
        rest = after.trim_start_matches('\n');
    }
    commands
}

/// Checks that `qosc plan`, for the dump before a start, lists the commands that `print` showed, in the same order.
fn expect_planned(report: &Report, name: &str) {
    let step = format!("{name}/before");
    let plan = report.plan(&step, &format!("scripts/{name}.sh"), &[0, 1]);
    let about = || report.about(&step);
    // `qosc plan --live`, which reads the state of the router itself, gives the same plan.
    if name == "class" {
        report.expect_code("class/live", 1);
        let live: serde_json::Value = serde_json::from_str(&report.out("class/live")).expect("JSON");
        assert_eq!(live, plan, "{}", about());
    }
    let printed = report.out(&format!("{name}/print"));
    let printed = shown(&printed);
    // `print` shows settings in between the steps; the plan lists them separately.
    let (set, printed): (Vec<&str>, Vec<&str>) = printed.into_iter().partition(|line| {
        ["echo ", "ethtool ", "nft "].iter().any(|tool| line.starts_with(tool))
            || line.contains(" gso_max_segs ")
    });
    let printed: Vec<&str> =
        printed.into_iter().filter(|line| line.starts_with("tc ") || line.starts_with("ip ")).collect();
    assert_eq!(commands(&plan["steps"]), printed, "{name}: {}", about());
    assert_eq!(commands(&plan["settings"]), set, "{name}: {}", about());
}
