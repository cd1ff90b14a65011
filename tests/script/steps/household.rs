//! Random households.

use std::fmt::Write as _;

/// A random number generator (xorshift) that always gives the same numbers.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from((self.next() >> 33) % end as u64).unwrap()
    }

    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

const NAMES: [&str; 7] = ["voice", "games", "web", "video", "mail", "bulk", "backup"];
const MATCHES: [&str; 9] = [
    "dscp: ef",
    "dscp: [cs1, le]",
    "protocol: udp, remote_port: 3478",
    "protocol: tcp, remote_port: [443, 8443-8450]",
    "remote: 192.0.2.0/24",
    "remote: \"2001:db8::/32\"",
    "length: \"<200\"",
    "mark: 0x10/0xf0",
    "dscp: af11",
];
const QUEUES: [&str; 9] = [
    "",
    "",
    ", queue: cake",
    ", queue: cake, share: per-host",
    ", share: per-host",
    ", queue: fifo",
    ", queue: { fq_codel: { flows: 64 } }",
    ", queue: { fq_codel: { limit: 500 } }",
    ", queue: { cake: { diffserv: diffserv4 } }",
];

/// A household with some of everything. Names and values are so few that two households have much in common.
pub fn household(dice: &mut Dice) -> String {
    let profile = dice.pick(&["docsis", "docsis", "raw", "vdsl2-pppoe", "adsl-pppoa-vcmux"]);
    let ingress = dice.pick(&["shape", "shape", "shape", "shape", "police", "none"]);
    let (up, down) = (dice.pick(&["20mbit", "18mbit"]), dice.pick(&["40mbit", "33mbit", "100mbit"]));
    let engine = dice.pick(&["htb", "htb", "htb", "htb", "htb", "htb", "cake", "{ up: htb, down: cake }"]);
    let mut yaml = format!(
        "link: {{ device: eth0, profile: {profile}, up: {up}, down: {down}, ingress: {ingress}, engine: {engine} }}\n\
         lan: {{ device: br-lan, nat: false }}\nclasses:\n"
    );
    if let Some(at) = yaml.find("classes:") {
        let mut tunnels = String::new();
        for (name, device) in [("office", "wg0"), ("phones", "wg-phones"), ("house", "wg.9")] {
            if dice.one_in(3) {
                let remote = dice.pick(&["", ", remote: 198.51.100.7", ", remote: \"2001:db8::7\""]);
                let _infallible =
                    writeln!(tunnels, "  {name}: {{ kind: wireguard, device: {device}{remote} }}");
            }
        }
        if !tunnels.is_empty() {
            yaml.insert_str(at, &format!("tunnels:\n{tunnels}"));
        }
    }
    let mut names: Vec<&str> = NAMES.to_vec();
    classes(dice, &mut names, 1, &mut yaml);
    if dice.one_in(3) {
        yaml += "  top:\n    priority: 3\n    classes:\n";
        classes(dice, &mut names, 3, &mut yaml);
        yaml += *dice
            .pick(&["      rest: { default: true }\n", "      rest: { default: true, share: per-host }\n"]);
    } else {
        yaml += "  rest: { default: true }\n";
    }
    if dice.one_in(3) {
        yaml += "hosts:\n";
        for (name, address) in
            [("tv", "10.1.0.2"), ("desk", "[10.1.0.3, \"2001:db8:1::3\"]"), ("guests", "10.1.0.0/24")]
        {
            let promise = dice.pick(&[
                "",
                ", class: rest",
                ", ceiling: 2mbit",
                ", ceiling: { down: 3mbit }",
                ", guarantee: { up: 100kbit }",
                ", guarantee: 2%, ceiling: 50%",
            ]);
            let _infallible = writeln!(yaml, "  {name}: {{ address: {address}{promise} }}");
        }
    }
    if dice.one_in(3) {
        let (direction, rate) = (dice.pick(&["up", "down"]), dice.pick(&["1mbit", "2mbit"]));
        let _infallible = write!(
            yaml,
            "police:\n  cap: {{ direction: {direction}, match: [{{ local: 10.9.0.0/16 }}], rate: {rate} }}\n"
        );
    }
    yaml
}

fn classes(dice: &mut Dice, names: &mut Vec<&str>, depth: usize, yaml: &mut String) {
    for _ in 0..dice.below(4).min(names.len()) {
        let indent = "  ".repeat(depth);
        let name = names.remove(dice.below(names.len()));
        let priority = dice.below(4);
        if depth < 3 && names.len() > 3 && dice.one_in(4) {
            let inner = names.remove(dice.below(names.len()));
            let (matches, queue) = (dice.pick(&MATCHES), dice.pick(&QUEUES));
            let _infallible = write!(
                yaml,
                "{indent}{name}:\n{indent}  classes:\n{indent}    {inner}: {{ match: [{{ {matches} }}]{queue} }}\n"
            );
            continue;
        }
        let (matches, queue) = (dice.pick(&MATCHES), dice.pick(&QUEUES));
        let more = dice.pick(&["", "", ", guarantee: 10%", ", ceiling: 70%", ", set_dscp: cs1"]);
        let _infallible = writeln!(
            yaml,
            "{indent}{name}: {{ priority: {priority}{more}{queue}, match: [{{ {matches} }}] }}"
        );
    }
}
