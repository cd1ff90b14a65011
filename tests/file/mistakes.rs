//! Mistakes that people make in a first file: what each message must say, and what to write instead.

use qosc_compiler::compile::{Options, compile};
use qosc_compiler::diag::Code;

/// A file without errors. Each mistake replaces one of its lines.
const FILE: &str = "\
link:
  device: ppp0
  profile: vdsl2-pppoe
  up: 40mbit
  down: 100mbit
lan:
  device: br-lan
  networks: [192.168.1.0/24]
hosts:
  desk: { address: 192.168.1.10 }
classes:
  voice:
    priority: 0
    guarantee: 5mbit
    match: [{ dscp: ef, direction: up }, { protocol: udp, remote_port: 5060-5061 }]
  rest:
    default: true
    share: per-host
";

/// Beginning of the replaced line, the line in its place, part of the message, part of the cure.
const MISTAKES: &[[&str; 4]] = &[
    ["    priority:", "    prioritty: 0", "`prioritty` is not a key of a class", "did you mean `priority`?"],
    [
        "    guarantee:",
        "    garantee: 5mbit",
        "`garantee` is not a key of a class",
        "did you mean `guarantee`?",
    ],
    ["    guarantee:", "    rate: 5mbit", "`rate` is not a key of a class", "did you mean `guarantee`?"],
    ["    guarantee:", "    ceil: 5mbit", "`ceil` is not a key of a class", "did you mean `ceiling`?"],
    ["  up:", "  upload: 40mbit", "`upload` is not a key of `link`", "did you mean `up`?"],
    ["  down:", "  download: 100mbit", "`download` is not a key of `link`", "did you mean `down`?"],
    [
        "  up:",
        "  up: 40mbit\n  shaped: { up: 39mbit }\n  margin: 3%",
        "`margin` cannot stand beside `shaped`",
        "write the margin for downloads only: `margin: { down: 3% }`",
    ],
    [
        "  up:",
        "  up: 40mbit\n  shaped: 39mbit\n  margin: 0%",
        "`margin` cannot stand beside `shaped`",
        "remove `margin`",
    ],
    [
        "  up:",
        "  up: 40mbit\n  shaped: { up: 41mbit }",
        "the shaped rate 41mbit is above the line rate of 40mbit",
        "write a lower rate in `shaped`",
    ],
    ["  up:", "  shaped: { down: 90mbit }", "`up` is missing in `link`", "write the upload rate of the line"],
    ["  up:", "  shaped: { up: 39 }", "the rate `39` has no unit", "write `39mbit`"],
    ["  up:", "  up: 6,5mbit", "the rate `6,5mbit` has a comma", "write `6.5mbit`"],
    ["  up:", "  up: 40", "the rate `40` has no unit", "write `40mbit` if you mean megabits per second"],
    ["  up:", "  up: 40M", "the rate `40M` has the unknown unit `M`", "did you mean `40mbit`?"],
    [
        "  up:",
        "  up: 40mbps",
        "the rate `40mbps` can mean bits or bytes: `bps` means bytes per second in tc",
        "write `40mbit` if you mean bits",
    ],
    [
        "  up:",
        "  up: 40 MB/s",
        "the rate `40 MB/s` can mean bits or bytes",
        "write `40mbit` if you mean bits",
    ],
    [
        "  up:",
        "  up: 40 Mbit/Sek",
        "the rate `40 Mbit/Sek` has the unknown unit `Mbit/Sek`",
        "did you mean `40mbit`?",
    ],
    [
        "  up:",
        "  up: 40000",
        "the rate `40000` has no unit",
        "write `40000kbit` if you mean kilobits per second",
    ],
    [
        "  up:",
        "  up: 400kbit/1mbit",
        "the rate `400kbit/1mbit` is two rates",
        "write `400kbit` for `up` and `1mbit` for `down`, or the other way round",
    ],
    ["  up:", "  up: -40mbit", "the rate `-40mbit` is negative", "write `40mbit` if the sign is a mistake"],
    ["  up:", "  up: 1e3kbit", "the rate `1e3kbit` has an exponent", "write `1000kbit`"],
    [
        "  up:",
        "  up: 040mbit",
        "the rate `040mbit` begins with a zero, which some programs read as octal",
        "write `40mbit`",
    ],
    [
        "  up:",
        "  up: fast",
        "`fast` is not a rate: it does not begin with a number",
        "write a number and a unit, such as `6.5mbit` or `400kbit`",
    ],
    ["  up:", "  up:", "`up` has no value", "write a rate such as `6.5mbit`"],
    ["  up:", "  up:40mbit", "a space is missing after `up:`", "write `up: 40mbit`"],
    ["  up:", "  up 40mbit", "this line has no `:`", "write `up: 40mbit`"],
    ["  profile:", "  profile: cable", "there is no link profile `cable`", "did you mean `docsis`?"],
    [
        "  profile:",
        "  profile: vdsl2",
        "there is no link profile `vdsl2`",
        "did you mean one of these: `vdsl2-bridged`, `vdsl2-bridged-vlan`, `vdsl2-pppoe` or `vdsl2-pppoe-vlan`?",
    ],
    [
        "  profile:",
        "  profile: vdsl2-pppo",
        "there is no link profile `vdsl2-pppo`",
        "did you mean `vdsl2-pppoe`?",
    ],
    [
        "  profile:",
        "  profile: telekom",
        "there is no link profile `telekom`",
        "the nearest names are `ethernet`, `wireless` and `docsis`; `qosc profiles` lists and explains all",
    ],
    [
        "  down:",
        "  down: 10mbit",
        "`up` and `down` look swapped",
        "`up` is the rate from the LAN to the internet: did you mean `up: 10mbit` and `down: 40mbit`?",
    ],
    [
        "  device:",
        "  device: “ppp0”",
        "the device name `“ppp0”` is in quotes that are letters to YAML",
        "write `ppp0`",
    ],
    [
        "  device:",
        "  device: eth0:1",
        "the device name `eth0:1` contains `:`",
        "write letters, digits, `.`, `-`, `_`, `+` and `^` only",
    ],
    [
        "  device:",
        "  device: a-very-long-device-name",
        "the device name `a-very-long-device-name` has 23 characters, but the kernel allows at most 15",
        "write a device that `ip link` lists, such as `eth0`",
    ],
    [
        "  device:",
        "  device: eth0",
        "profile `vdsl2-pppoe` is for a PPP session, but `eth0` is named like an Ethernet device",
        "if the session ends on this router, write the session's device, such as `device: ppp0`",
    ],
    ["  device:", "  devise: ppp0", "`devise` is not a key of `link`", "did you mean `device`?"],
    [
        "  networks:",
        "  networks: [192.168.1.10/24]",
        "the address `192.168.1.10/24` has bits set beyond its prefix length",
        "write `192.168.1.0/24` to match the network",
    ],
    [
        "  networks:",
        "  networks: [192.168.1.0/33]",
        "the address `192.168.1.0/33` has a prefix length above the largest, 32",
        "write a number from 0 to 32 after `/`",
    ],
    [
        "  networks:",
        "  networks: [192.168.1.0/24",
        "this bracket is not closed before the next line",
        "close it with `]`",
    ],
    [
        "  networks:",
        "  networks: 192.168.1.0/255.255.255.0",
        "the address `192.168.1.0/255.255.255.0` has a netmask instead of a prefix length",
        "write `192.168.1.0/24`",
    ],
    [
        "  desk:",
        "  desk: { address: 192.168.1.300 }",
        "the address `192.168.1.300` contains `300`, which is above 255",
        "write an address such as `192.168.1.5` or `2001:db8::10`, a prefix such as `192.168.1.0/24`, or an IPv6 interface part such as `::10/-64`",
    ],
    [
        "  desk:",
        "  desk: { address: desk.lan }",
        "`desk.lan` is not an address",
        "write the address itself: qosc does not look up names",
    ],
    [
        "  desk:",
        "  desk: { address: 192.168.1.10/24 }",
        "the address `192.168.1.10/24` has bits set beyond its prefix length",
        "write `192.168.1.0/24` to match the network",
    ],
    [
        "  desk:",
        "  desk: { mac: 00:11:22:33:44 }",
        "the MAC address `00:11:22:33:44` has 10 digits, not 12",
        "write six pairs of hexadecimal digits, such as `02:00:5e:10:00:01`",
    ],
    [
        "  desk:",
        "  desk: 192.168.1.10",
        "`desk` cannot be a single value",
        "write keys such as `{ address: 192.168.1.10 }`",
    ],
    [
        "  desk:",
        "  desk: { adress: 192.168.1.10 }",
        "`adress` is not a key of a host",
        "did you mean `address`?",
    ],
    ["    match:", "    match: [{ host: dekk }]", "there is no host `dekk`", "did you mean `desk`?"],
    [
        "    match:",
        "    match: [{ protocol: udp, remote_port: 70000 }]",
        "the port `70000` is above the largest, 65535",
        "write a number from 1 to 65535, such as `53`, or a range, such as `5060-5061`",
    ],
    [
        "    match:",
        "    match: [{ protocol: udp, remote_port: sip }]",
        "the port `sip` is a name, not a number",
        "write `5060`",
    ],
    [
        "    match:",
        "    match: [{ protocol: udp, remote_port: 5060:5061 }]",
        "the port `5060:5061` needs a hyphen between its ends",
        "write `5060-5061`",
    ],
    [
        "    match:",
        "    match: [{ protocol: udp, remote_port: 5061-5060 }]",
        "the first number of the port `5061-5060` is above the last",
        "write `5060-5061`",
    ],
    [
        "    match:",
        "    match: [{ protocol: udp, dport: 5060 }]",
        "`dport` is not a key of a match",
        "did you mean `remote_port`?",
    ],
    [
        "    match:",
        "    match: [{ remote_port: 5060 }]",
        "`remote_port` needs a `protocol`",
        "write the protocol of the ports: `protocol: tcp`, `protocol: udp` or `protocol: [tcp, udp]`",
    ],
    [
        "    match:",
        "    match: [{ protocol: tcp/udp, remote_port: 5060 }]",
        "there is no protocol named `tcp/udp`",
        "for several values, write a list: `[tcp, udp]`",
    ],
    [
        "    match:",
        "    match: [{ protocol: icmp, remote_port: 5060 }]",
        "`icmp` has no ports",
        "write one alternative with the ports, and one without ports for the other protocols",
    ],
    [
        "    match:",
        "    match: [{ dscp: 0xb8, direction: up }]",
        "the DSCP `0xb8` is above the largest, 63",
        "write `ef` if `0xb8` is a TOS byte",
    ],
    [
        "    match:",
        "    match: [{ dscp: ef, direction: upload }]",
        "`upload` is not a direction",
        "did you mean `up`?",
    ],
    [
        "    match:",
        "    match: { dscp: ef, direction: up",
        "this bracket is not closed before the next line",
        "close it with `}`",
    ],
    [
        "    match:",
        "    match: []",
        "an empty `match` matches no packet",
        "write an alternative, such as `- dscp: ef`, or remove `match`",
    ],
    [
        "    match:",
        "    match: [{}]",
        "an alternative without keys would match every packet",
        "write a key, such as `direction: up`, or remove the alternative",
    ],
    [
        "    match:",
        "    match: [{ remote: 10.0.0.1, family: ipv6 }]",
        "this match needs IPv4 and IPv6 at once, so no packet can meet it",
        "write one alternative for each family",
    ],
    ["    guarantee:", "    guarantee: 130%", "the percentage `130%` is above 100 %", "write at most `100%`"],
    [
        "    guarantee:",
        "    guarantee: 400kbit/1mbit",
        "the rate `400kbit/1mbit` is two rates",
        "write `400kbit` for `up` and `1mbit` for `down`, or the other way round",
    ],
    [
        "    guarantee:",
        "    guarantee: 60mbit",
        "class `voice` is guaranteed more than the link has",
        "lower the `guarantee`: the class can still borrow up to its `ceiling`",
    ],
    [
        "    guarantee:",
        "    guarantee: { up: 5mbit, dwn: 5mbit }",
        "`dwn` is not a key of `{ up: .., down: .. }`",
        "did you mean `down`?",
    ],
    [
        "    guarantee:",
        "    guarantee: 5mbit\n    ceiling: 1mbit",
        "the ceiling of class `voice` is below its guarantee",
        "raise the `ceiling` or lower the `guarantee`",
    ],
    [
        "    priority:",
        "    priority: high",
        "`high` is not a whole number",
        "write a whole number from 0, which is served first, to 7",
    ],
    [
        "    priority:",
        "    priority: 9",
        "`9` is out of range for `priority`",
        "write a whole number from 0, which is served first, to 7",
    ],
    ["    priority:", "    priority:0", "a space is missing after `priority:`", "write `priority: 0`"],
    [
        "    priority:",
        "    priority: 0\n    priority: 1",
        "the key `priority` is given twice",
        "remove one of them",
    ],
    ["    default:", "    default:true", "a space is missing after `default:`", "write `default: true`"],
    [
        "    default:",
        "    default: yes",
        "some YAML readers take `yes` as a boolean, and others take it as text",
        "write `true`",
    ],
    ["    default:", "    default: ja", "`default` cannot be `ja`", "write `true` or `false`"],
    [
        "    default:",
        "    default: false",
        "no class has `default: true`",
        "write `default: true` in class `rest`, which has no `match`",
    ],
    ["    default:", "    defautl: true", "`defautl` is not a key of a class", "did you mean `default`?"],
    ["    share:", "    share: perhost", "`perhost` is not a value of `share`", "did you mean `per-host`?"],
    [
        "    share:",
        "    share: per-flows",
        "`per-flows` is not a value of `share`",
        "did you mean `per-flow`?",
    ],
    [
        "    share:",
        "    queue: { up: fq_codel, fq_codel: { ecn: false } }",
        "`fq_codel` is not a key of `{ up: .., down: .. }`",
        "the keys here are `up` and `down`",
    ],
    [
        "    share:",
        "    queue: { upload: fq_codel, down: cake }",
        "`upload` is not a key of `{ up: .., down: .. }`",
        "did you mean `up`?",
    ],
    [
        "    share:",
        "    queue: { donw: { cake: { rtt: 50ms } } }",
        "`donw` is not a key of a queue",
        "did you mean `down`?",
    ],
    [
        "    share:",
        "    queue: { up: { fq_codel: { ecn: { up: true } } } }",
        "`ecn` cannot be a mapping",
        "write `true` or `false`",
    ],
    [
        "    share:",
        "    share: { up: per-flow, down: per-host }\n    queue: { down: fq_codel }",
        "a `fq_codel` queue cannot share between hosts",
        "write `queue: { down: cake }` for downloads",
    ],
    [
        "    share:",
        "    share: per-host\n    queue: fq_codel",
        "a `fq_codel` queue cannot share between hosts",
        "remove `queue`, or write `queue: cake`: CAKE shares between hosts first, and then between the flows of each host",
    ],
    [
        "    share:",
        "    share: per-host\n  other:\n    default: true",
        "2 classes have `default: true`",
        "keep `default: true` in one class, and remove it from the others",
    ],
    ["classes:", "classes", "this line has no `:`", "write `classes:`"],
    ["lan:", "lan", "this line has no `:`", "write `lan:`"],
    [
        "  up:",
        "  up: *fast",
        "no anchor `&fast` is defined above this alias",
        "write `&fast` before the value that the alias stands for",
    ],
    [
        "  device:",
        "  device: 'ppp0",
        "this quote is not closed on its line",
        "write the same quote at the end of the value, on the same line",
    ],
    [
        "  device:",
        "  device: \"ppp0",
        "this quote is not closed on its line",
        "write the same quote at the end of the value, on the same line",
    ],
    [
        "  up:",
        "  up: 40mbit\n  bandwidth: 100mbit",
        "`bandwidth` is not a key of `link`",
        "write the rate of each direction: `up: 6.5mbit` and `down: 25mbit`",
    ],
    ["  up:", "\tup: 40mbit", "YAML does not allow a tab here", "use spaces"],
    [
        "  up:",
        "   up: 40mbit",
        "this line continues the value above it, because it is indented more",
        "begin both lines in the same column",
    ],
    [
        "  up:",
        "up: 40mbit",
        "this line continues the value above it, because it is indented more",
        "begin both lines in the same column",
    ],
    ["  up:", "\u{a0}\u{a0}up: 40mbit", "YAML does not indent with a no-break space", "use spaces"],
    [
        "  up:",
        "  up: 40mbit\n  vlan: 7",
        "`vlan` is not a key of `link`",
        "write the device of the VLAN, such as `device: eth0.7`",
    ],
    [
        "  down:",
        "  down: 1000mbit",
        "1gbit is more than this kind of line carries",
        "did you mean `100mbit`?",
    ],
    [
        "  down:",
        "  down: 100mbit\n---",
        "a second document begins here",
        "one file describes one link: move the second document into a file of its own",
    ],
    [
        "  device:",
        "  device: 192.168.1.1",
        "the device `192.168.1.1` is named like an address",
        "write a device that `ip link` lists on the router, such as `device: ppp0` or `device: eth0`",
    ],
    [
        "  device:",
        "  device: VDSL2",
        "the device `VDSL2` is named like a kind of line",
        "write a device that `ip link` lists on the router, such as `device: ppp0` or `device: eth0`",
    ],
    [
        "lan:",
        "  lan:",
        "`lan` is not a key of `link`",
        "`lan` is a section of the file: write it without spaces before it",
    ],
    [
        "  desk:",
        "  desk: address:192.168.1.10",
        "a space is missing after `address:`",
        "write `address: 192.168.1.10`",
    ],
    [
        "  desk:",
        "  desk: {address:192.168.1.10}",
        "a space is missing after `address:`",
        "write `address: 192.168.1.10`",
    ],
    [
        "  desk:",
        "  desk: { address: ::10/-64 }",
        "YAML readers disagree about a value in brackets that begins with `:`",
        "write `\"::10/-64\"`",
    ],
    [
        "    match:",
        "    match: [{ dscp: expedited, direction: up }]",
        "there is no DSCP named `expedited`",
        "write `cs0` to `cs7`, `af11` to `af43`, `ef`, `va`, `le`, or a number from 0 to 63",
    ],
    [
        "    match:",
        "    match: [{ domain: teams.microsoft.com }]",
        "`domain` is not a key of a match",
        "write `app: NAME` for a service with ports of its own",
    ],
    [
        "    match:",
        "    match: [{ app: netflix }]",
        "`netflix` uses port 443 as all web pages do",
        "match the host that uses it",
    ],
    [
        "    match:",
        "    match: [{ time: 22:00-06:00 }]",
        "`time` is not a key of a match",
        "a match does not depend on the time",
    ],
    [
        "    guarantee:",
        "    guarantee: 5",
        "the guarantee `5` has no unit",
        "write `5mbit` for a rate in megabits per second, or `5%` for a share",
    ],
    [
        "    guarantee:",
        "    guarantee: { up: 6,5mbit, down: 25mbit }",
        "in braces, the comma of `6,5mbit` begins a new key",
        "write the decimals after a point: `6.5mbit`",
    ],
    [
        "    guarantee:",
        "    bandwidth: 5mbit",
        "`bandwidth` is not a key of a class",
        "did you mean `guarantee`?",
    ],
    [
        "    priority:",
        "   priority: 0",
        "this line begins in column 4, but another line of the same level begins in column 5",
        "indent all keys of a mapping equally",
    ],
    [
        "  rest:",
        "    rest:",
        "`rest` is not a key of a class",
        "if `rest` is a class, write it beside `voice`, with the same indentation",
    ],
    [
        "  rest:",
        "rest:",
        "`rest` is not a key of the file",
        "if `rest` belongs to `classes` above it, indent it like the lines of `classes`",
    ],
    [
        "    match:",
        "    match:\n      -{ dscp: ef, direction: up }",
        "a space is missing after `-`",
        "write `- { dscp: ef, direction: up }`",
    ],
    [
        "    match:",
        "    match:\n      - protocol: udp, remote_port: 5060",
        "this line has a second `:`",
        "begin a new line for a second key, or write both in braces",
    ],
    [
        "    match:",
        "    match: [{ protocol: udp, remote_port: 3478, 5060-5061 }]",
        "`5060-5061` is not a key of a match",
        "for several values of `remote_port`, write a list: `remote_port: [3478, 5060-5061]`",
    ],
    [
        "    match:",
        "    match: [{ direction: up, dscp: ef, cs5 }]",
        "`cs5` is not a key of a match",
        "for several values of `dscp`, write a list: `dscp: [ef, cs5]`",
    ],
    ["  up:", "  up = 40mbit", "this line has no `:`", "write `up: 40mbit`"],
    [
        "  up:",
        "  up: 40mbit // of the modem",
        "the rate `40mbit // of the modem` has the unknown unit",
        "write `40mbit # of the modem`: a comment begins with a space and `#`",
    ],
    [
        "  rest:",
        "  other:\n  rest:",
        "the class `other` has no value",
        "indent its keys more than its name, or write `other: {}` for a class without settings",
    ],
    ["classes:", "class:", "`class` is not a key of the file", "did you mean `classes`?"],
];

/// The first finding of a file, and its advice: in its help, or beside the marked place.
fn first(text: &str) -> Option<(String, String)> {
    let compiled = compile(text, &Options::of("home.yaml"));
    let finding = compiled.findings.into_iter().find(|finding| finding.code != Code::UnusedHost)?;
    let labels = finding.labels.iter().map(|label| label.text.clone());
    Some((finding.message, finding.help.iter().cloned().chain(labels).collect::<Vec<_>>().join("\n")))
}

#[test]
fn each_mistake_has_the_right_cause_and_cure() {
    assert_eq!(first(FILE), None);
    for [line, mistake, cause, cure] in MISTAKES {
        let old = FILE.lines().find(|old| old.starts_with(line)).unwrap();
        let text = FILE.replacen(old, mistake, 1);
        let (message, advice) = first(&text).unwrap_or_else(|| panic!("{mistake:?} is accepted"));
        assert!(message.contains(cause), "{mistake:?}: {message}");
        assert!(advice.contains(cure), "{mistake:?}: {advice}");
    }
}

#[test]
fn names_of_files_are_names_of_links() {
    let name = |text: &str, path: &str| {
        let compiled = compile(text, &Options::of(path));
        compiled.model.map(|model| model.name.value.to_string())
    };
    assert_eq!(name(FILE, "routers/Site_01.yaml").as_deref(), Some("site-01"));
    assert_eq!(name(&format!("name: site_01\n{FILE}"), "home.yaml").as_deref(), Some("site-01"));
    assert_eq!(name(FILE, "300-30.yaml").as_deref(), Some("link-300-30"));
    assert_eq!(name(FILE, "Our_Home.2.yaml").as_deref(), Some("our-home-2"));
    assert_eq!(name(FILE, "日本.yaml"), None);
}

/// The link of a file in `tests/mistakes.txt` that has none.
const LINK: &str = "link: { device: eth1, profile: docsis, up: 30mbit, down: 300mbit }\n";

#[test]
fn mistakes_of_new_users_are_told_right() {
    let all = include_str!("../mistakes.txt");
    let mut wrong = Vec::new();
    let mut count = 0;
    for mistake in all.split("\n## ").skip(1) {
        count += 1;
        let (title, body) = mistake.split_once('\n').unwrap();
        let (files, wanted) = body.split_once("\n=> ").unwrap();
        let dir = tempfile::tempdir().unwrap();
        let mut files = files.split("\n--- ");
        let mut text = files.next().unwrap().to_owned() + "\n";
        let begins = |word: &str| text.lines().any(|line| line.starts_with(word));
        if !["link:", "links:", "include", "config "].into_iter().any(begins) {
            text.insert_str(0, LINK);
        }
        std::fs::write(dir.path().join("home.yaml"), text).unwrap();
        for file in files {
            let (name, text) = file.split_once('\n').unwrap();
            std::fs::write(dir.path().join(name), text.to_owned() + "\n").unwrap();
        }
        let run = std::process::Command::new(env!("CARGO_BIN_EXE_qosc"))
            .args(["check", "home.yaml"])
            .current_dir(dir.path())
            .output()
            .unwrap();
        let said = String::from_utf8([run.stdout, run.stderr].concat()).unwrap();
        // a long line is wrapped
        let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
        for wanted in wanted.trim_end().split("\n=> ").filter(|wanted| !said.contains(wanted)) {
            wrong.push(format!("{title}: not `{wanted}` but {said}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!(count, 178);
}
