//! The starter file of `qosc init`: the four values of a line, and comments that explain all other keys.

use qosc_compiler::diag::wrapped;
use qosc_compiler::profile::LinkProfile;
use qosc_compiler::units::{IfName, Rate};

/// Values that a starter file needs.
#[derive(Debug, Clone)]
pub struct Answers {
    /// WAN device of the router.
    pub device: IfName,
    /// Profile of the line.
    pub profile: LinkProfile,
    /// Upload rate of the line.
    pub up: Rate,
    /// Download rate of the line.
    pub down: Rate,
    /// LAN devices of the router, if they are known.
    pub lan: Vec<IfName>,
    /// What the router has shown, as sentences.
    pub remarks: Vec<String>,
}

impl Answers {
    /// Returns the answers about a router that was not read.
    #[must_use]
    pub const fn new(device: IfName, profile: LinkProfile, up: Rate, down: Rate) -> Self {
        Answers { device, profile, up, down, lan: Vec::new(), remarks: Vec::new() }
    }
}

/// Class set of a starter file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Classes {
    /// Calls, interactive traffic, everything else, bulk traffic.
    Home,
    /// One class, on a line that is too slow for several.
    Simple,
}

/// Name of a device for YAML, in quotes if a reader could take it for a word or a number.
fn quoted(device: &IfName) -> String {
    let name = device.as_str();
    let plain =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.contains(|c: char| c.is_ascii_digit());
    if plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// Explanation of the rates of a line whose rate does not vary.
const FIXED: &str =
    "  ## Rates of the line. For DSL, use those of the modem's status page (`sync` or `actual rate`). For
  ## cable and fibre, use those of the contract. If the line does not reach them, measure several
  ## times over Ethernet while the line is idle, and use the lowest result.
";

/// Explanation of the rates of a radio link.
const VARYING: &str =
    "  ## Rates of the line. They vary, so use those of a bad evening: measure several times over
  ## Ethernet while nobody else uses the line, and use the lowest result. With
  ## `script: { calls: [rate] }`, `./home.sh rate UP DOWN` sets other rates while packets pass.
";

/// Returns a commented YAML file for this line. With `ack_filter`, the queue of its default class drops acknowledgements.
#[must_use]
pub fn text(answers: &Answers, classes: Classes, ack_filter: bool) -> String {
    let Answers { device, profile, up, down, lan, remarks } = answers;
    let LinkProfile { name, about, overhead, mtu, margin, .. } = profile;
    let section = match classes {
        Classes::Home => include_str!("../templates/init/home.yaml"),
        Classes::Simple => include_str!("../templates/init/simple.yaml"),
    };
    let lines = section.lines().filter(|line| ack_filter || !line.starts_with("@ack"));
    let section: String = lines.flat_map(|line| [line.trim_start_matches("@ack"), "\n"]).collect();
    let rates = if name == "wireless" { VARYING } else { FIXED };
    let names: Vec<String> = lan.iter().map(quoted).collect();
    let lan = match names.as_slice() {
        [] => "br-lan".to_owned(),
        [only] => only.clone(),
        several => format!("[{}]", several.join(", ")),
    };
    let remarks = remarks.iter().map(|words| {
        let mut lines = String::new();
        wrapped(&mut lines, "##   ", words, 0);
        format!("##\n{}\n", lines.trim_end().replace('\n', "\n##   "))
    });
    let values = [
        ("@remarks\n", remarks.collect()),
        ("@lan", lan),
        ("@rates\n", rates.to_owned()),
        ("@device", quoted(device)),
        ("@name", name.clone()),
        ("@about", about.clone()),
        ("@overhead", overhead.to_string()),
        ("@mtu", mtu.to_string()),
        ("@margin", format!("{{ up: {}, down: {} }}", margin.up, margin.down)),
        ("@up", up.to_string()),
        ("@down", down.to_string()),
    ];
    let file = include_str!("../templates/init/file.yaml").replace("@classes\n", &section);
    values.iter().fold(file, |file, (name, value)| file.replace(name, value))
}

#[cfg(test)]
mod tests {
    use super::{Answers, Classes, text};
    use qosc_compiler::compile::{Options, compile};
    use qosc_compiler::profile;

    #[test]
    fn the_starter_file_compiles_to_the_answers_for_every_profile() {
        for profile in profile::all() {
            let name = profile.name.clone();
            let answers = Answers::new(
                "on".parse().unwrap(),
                profile,
                "6.5mbit".parse().unwrap(),
                "25mbit".parse().unwrap(),
            );
            let compiled = compile(text(&answers, Classes::Home, false), &Options::of("home.yaml"));
            let (model, _) = compiled.finished().unwrap_or_else(|| panic!("{name}: {:?}", compiled.findings));
            assert_eq!(model.link.device.value, answers.device);
            assert_eq!((model.link.line.up.value, model.link.line.down.value), (answers.up, answers.down));
        }
    }
}
