//! The starter file of `qosc init`: the four values of a line, and comments that explain all other keys.

use crate::profile::LinkProfile;
use crate::units::{IfName, Rate};

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
  ## Ethernet while nobody else uses the line, and use the lowest result. `./home.sh rate UP DOWN`
  ## sets other rates while packets pass.
";

/// Returns a commented YAML file for this line.
#[must_use]
pub fn text(answers: &Answers) -> String {
    let Answers { device, profile, up, down } = answers;
    let device = quoted(device);
    let LinkProfile { name, about, overhead, mtu, margin, .. } = profile;
    let rates = if name == "wireless" { VARYING } else { FIXED };
    format!(
        "\
## An internet line, described for qosc. Lines with `##` are explanations. To use one of the other
## commented lines, remove its `# `.
##
##   qosc check FILE                 reports errors and warnings
##   qosc explain FILE               shows the origin of every number
##   qosc compile FILE -o home.sh    writes the script for the router; `./home.sh start` applies it

## Name of the link, by default the name of this file. Two links of one router need two names.
# name: home

link:
  ## WAN device of the router. On the router, `ip route get 1.1.1.1` names it after `dev`. With
  ## PPPoE, it is the `ppp` device, not the Ethernet device below it.
  device: {device}
  ## Link profile: {about}.
  ## On this line, each packet takes {overhead} bytes more than the IP packet. `qosc profiles` lists all
  ## profiles, and `qosc profiles {name}` shows this one.
  profile: {name}
{rates}  up: {up}
  down: {down}
  ## Share of both rates that stays unused, so that packets queue here, in their classes, and not at
  ## the provider. A larger margin costs rate. A smaller one brings back delay on a busy line.
  # margin: {{ up: {}, down: {} }}
  ## Largest IP packet of the line. `ip link` shows the MTU of the device.
  # mtu: {mtu}

lan:
  ## LAN devices of the router: `ip route` names them for the networks of the LAN. If aggregated
  ## packets would delay others, `start` turns off offloads there. A missing device is ignored.
  device: br-lan
  ## Networks of the LAN. `auto` uses those of the device. Or list them:
  ## [192.168.1.0/24, \"2001:db8:1::/64\"]
  networks: auto
  ## `true` if the hosts share one public IPv4 address, as in most homes.
  nat: true

## Classes of traffic: calls first, then interactive traffic, then everything else, and bulk traffic
## last. Hosts share \"everything else\" equally. `qosc profiles home` shows these classes: copy them
## here to change them.
classes:
  preset: home

## Hosts with rules of their own. Give them fixed addresses, for example by a static lease.
## `class` puts all traffic of a host that no match takes into that class. `guarantee` reserves a
## rate for the host while all hosts want more.
# hosts:
#   telephone: {{ address: 192.168.1.5, class: voice }}
#   office: {{ address: [192.168.1.10, \"::10/-64\"], guarantee: 20% }}
#   camera: {{ address: 192.168.1.20, class: bulk }}

## Tunnels that end on the router. They are classified and shared by their inner packets, as far as
## these are visible.
# tunnels:
#   work: {{ kind: wireguard, device: wg0 }}
",
        margin.up, margin.down
    )
}

#[cfg(test)]
mod tests {
    use super::{Answers, text};
    use crate::compile::{Options, compile};
    use crate::profile;

    #[test]
    fn the_starter_file_compiles_to_the_answers_for_every_profile() {
        for profile in profile::all() {
            let name = profile.name.clone();
            let answers = Answers {
                device: "on".parse().unwrap(),
                profile,
                up: "6.5mbit".parse().unwrap(),
                down: "25mbit".parse().unwrap(),
            };
            let compiled = compile(text(&answers), &Options::of("home.yaml"));
            let (model, _) = compiled.finished().unwrap_or_else(|| panic!("{name}: {:?}", compiled.findings));
            assert_eq!(model.link.device.value, answers.device);
            assert_eq!((model.link.line.up.value, model.link.line.down.value), (answers.up, answers.down));
        }
    }
}
