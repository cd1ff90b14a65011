//! Parts of a file that multiply the work on each other, each as long as one wishes.

#![cfg(test)]

use std::fmt::Write as _;

/// Feature of a run: the same file many times in a folder.
pub const FOLDER: &str = "folder";
const PRESETS: &str = "presets";

/// A part of a file: its section, and a text of about so many bytes in it.
pub struct Feature {
    pub name: &'static str,
    pub section: &'static str,
    /// Returns the line of an entry.
    entry: fn(usize) -> String,
}

impl Feature {
    /// Returns entries of about so many bytes, but at most as many as the address space or the day has.
    pub fn text(&self, bytes: usize) -> String {
        let mut text = String::new();
        for number in 0..60_000 {
            if text.len() >= bytes {
                break;
            }
            let _infallible = writeln!(text, "  {}", (self.entry)(number));
        }
        text
    }
}

/// A list of values of about a kilobyte, so that a list is a factor of its own.
fn list(number: usize, value: impl Fn(usize) -> String) -> String {
    (0..64).map(|place| value(number * 64 + place)).collect::<Vec<_>>().join(", ")
}

/// All features. Those of one section follow each other in it.
pub const FEATURES: &[Feature] = &[
    Feature {
        name: "links",
        section: "links",
        entry: |n| format!("l{n}: {{ device: e{n}, profile: ethernet, up: 10gbit, down: 10gbit }}"),
    },
    Feature {
        name: "variants",
        section: "variants",
        entry: |n| {
            let (hour, minute) = (n / 60 % 24, n % 60);
            format!(
                "v{n}: {{ when: '{hour:02}:{minute:02}-{hour:02}:{:02}', set: {{ link: {{ up: 9gbit }} }} }}",
                (minute + 1) % 60
            )
        },
    },
    Feature {
        name: "templates",
        section: "templates",
        entry: |n| format!("t{n}: {{ classes: {{ a{n}: {{}}, b{n}: {{ template: t{} }} }} }}", n + 1),
    },
    Feature {
        name: PRESETS,
        section: "templates",
        entry: |n| {
            let head = if n == 0 { "set:\n    classes:\n" } else { "" };
            format!("{head}      s{n}: {{ template: t{} }}", n % 8)
        },
    },
    Feature {
        name: "template uses",
        section: "classes",
        entry: |n| format!("u{n}: {{ template: t{} }}", n % 8),
    },
    Feature {
        name: "unknown templates",
        section: "classes",
        entry: |n| format!("q{n}: {{ template: lost-{n} }}"),
    },
    Feature {
        name: "classes",
        section: "classes",
        entry: |n| {
            format!("c{n}: {{ before: c0, match: {{ protocol: tcp, remote_port: {} }} }}", 1 + n % 65_000)
        },
    },
    Feature {
        name: "lists",
        section: "classes",
        entry: |n| {
            let local = list(n, |v| format!("10.{}.{}.{}", v >> 16 & 255, v >> 8 & 255, v & 255));
            format!("m{n}: {{ match: {{ local: [{local}], remote: [{}] }} }}", local.replace("10.", "11."))
        },
    },
    Feature {
        name: "apps",
        section: "classes",
        entry: |n| {
            format!("p{n}: {{ match: {{ app: [{}] }} }}", list(n, |v| ["teams", "zoom"][v % 2].to_owned()))
        },
    },
    Feature {
        name: "each",
        section: "hosts",
        entry: |n| {
            format!("g{n}: {{ address: 10.{}.{}.0/22, each: {{ ceiling: 1mbit }} }}", n / 64, n % 64 * 4)
        },
    },
    Feature {
        name: "hosts",
        section: "hosts",
        entry: |n| {
            format!("h{n}: {{ address: 11.{}.{}.{}, ceiling: 1mbit }}", n >> 16, n >> 8 & 255, n & 255)
        },
    },
    Feature {
        name: "tunnels",
        section: "tunnels",
        entry: |n| {
            let remote = list(n, |v| format!("198.{}.{}.{}", v >> 16 & 255, v >> 8 & 255, v & 255));
            format!("w{n}: {{ kind: ipip, device: w{n}, remote: [{remote}] }}")
        },
    },
    Feature {
        name: "police",
        section: "police",
        entry: |n| {
            format!(
                "f{n}: {{ direction: up, rate: 4mbit, match: {{ remote: 12.{}.{}.{} }} }}",
                n >> 16,
                n >> 8 & 255,
                n & 255
            )
        },
    },
    Feature { name: "devices", section: "devices", entry: |n| format!("    v{n}: {{ up: 1mbit }}") },
    Feature {
        name: "conjunctions",
        section: "police",
        entry: |n| {
            format!(
                "d{n}: {{ direction: down, rate: 4mbit, match: {{ local_port: 1-65534, remote_port: 1-65534, length: {}-65534, protocol: udp }} }}",
                21 + n
            )
        },
    },
    Feature { name: FOLDER, section: FOLDER, entry: |_| String::new() },
];

/// Returns a file with these features, each with about so many bytes.
pub fn file(features: &[&Feature], bytes: usize) -> String {
    let of = |section: &str| -> String {
        features.iter().filter(|own| own.section == section).map(|own| own.text(bytes)).collect()
    };
    let mut link = String::from("link:\n  device: eth0\n  profile: ethernet\n  up: 10gbit\n  down: 10gbit\n");
    let devices = of("devices");
    if !devices.is_empty() {
        link += &format!("  devices:\n{devices}");
    }
    if features.iter().any(|feature| feature.section == "links") {
        link = format!("links:\n  {}\n{}", link.trim_end().replace('\n', "\n  "), of("links"));
    }
    let mut text = format!("name: many\n{link}");
    for section in ["variants", "templates", "classes", "hosts", "tunnels", "police"] {
        let entries = of(section);
        let is_preset = features.iter().any(|own| own.name == PRESETS);
        let rest = match section {
            "classes" if is_preset => "  preset: set\n  rest: { default: true }\n",
            "classes" => "  rest: { default: true }\n",
            _ => "",
        };
        if !entries.is_empty() || !rest.is_empty() {
            let _infallible = write!(text, "{section}:\n{entries}{rest}");
        }
    }
    text
}
