//! Starter file with explanations: the four values of a line, and comments on all further keys.

use crate::resolve::profile::LinkProfile;
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

/// Returns a commented YAML file for this line.
#[must_use]
pub fn text(answers: &Answers) -> String {
    let Answers { device, profile, up, down } = answers;
    let device = quoted(device);
    let LinkProfile { name, about, overhead, mtu, margin, .. } = profile;
    format!(
        "\
## A household's internet line, for qosc. Lines with `##` explain; take the `# ` in front of another line away to put it in force.
##
##   qosc check FILE                 says what is wrong with it
##   qosc explain FILE               says where every number comes from
##   qosc compile FILE -o home.sh    makes the script for the router, where `./home.sh start` puts it in force

## The link's name, by default the file's own. Two files for one router need two.
# name: home

link:
  ## The router's device to the internet. On the router, `ip route get 1.1.1.1` names it behind `dev`. With PPPoE it is
  ## the `ppp` device, not the Ethernet below it.
  device: {device}
  ## The kind of line: {about}.
  ## It says that a packet costs {overhead} bytes more on the line than its own. `qosc profiles` lists the kinds, `qosc profiles {name}` shows this one.
  profile: {name}
  ## The rates of the line. Of DSL, those that the modem's status page shows (`sync` or `actual rate`); of cable and fibre, those of
  ## the contract. Where the line does not reach them, measure by cable with nobody else on it, and take the lowest of several.
  up: {up}
  down: {down}
  ## What is left free of both, so that packets wait here, where they are sorted, and not at the provider. More costs rate; less brings
  ## delay back when the line is busy.
  # margin: {{ up: {}, down: {} }}
  ## The largest packet. `ip link` shows the device's.
  # mtu: {mtu}

lan:
  ## The router's devices to the house: `ip route` names them at the house's networks. Packets are kept from being put together there, where it
  ## matters. One that is not there is left alone.
  device: br-lan
  ## The house's networks: `auto` takes those that the device has. Or list them: [192.168.1.0/24, \"2001:db8:1::/64\"]
  networks: auto
  ## Whether the house shares one IPv4 address on the internet, as most do.
  nat: true

## Who gets what: calls first, then what people wait for, then the rest, and what nobody waits for last. Every device of the house gets
## the same in the rest. `qosc profiles home` shows these classes, to be copied here and changed.
classes:
  preset: home

## Devices of the house that are to be treated in a way of their own. Give them addresses that stay (in the router, a static lease).
## `class` takes all of a device to a class, but for what others match; `guarantee` keeps some for it when all want more.
# hosts:
#   telephone: {{ address: 192.168.1.5, class: voice }}
#   office: {{ address: [192.168.1.10, \"::10/-64\"], guarantee: 20% }}
#   camera: {{ address: 192.168.1.20, class: bulk }}

## Tunnels that end on the router: their packets are sorted and shared by what is inside, as far as that can be seen.
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
    use crate::resolve::profile;

    #[test]
    fn the_file_of_every_profile_compiles_to_what_was_answered() {
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
