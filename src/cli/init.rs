//! `qosc init`: a starter file that explains itself.
//!
//! It asks nothing of this machine: the questions, the errors and the comments say where each answer is found.

use super::args::Init;
use super::{Outcome, is_dash, output};
use crate::compile::{Options, compile};
use crate::resolve::profile::{self, LinkProfile};
use crate::units::{IfName, Rate, UnitError};
use std::io::{BufRead, IsTerminal as _, Write};
use std::path::Path;
use std::str::FromStr;

/// Something that a line must be described by.
struct Question {
    /// The option that answers it.
    option: &'static str,
    /// What it asks for.
    asks: &'static str,
    /// How it is found out.
    how: &'static str,
}

const DEVICE: Question = Question {
    option: "--device",
    asks: "the router's device to the internet, such as `ppp0` or `eth1`",
    how: "on the router, `ip route get 1.1.1.1` names it behind `dev`; with PPPoE it is the `ppp` device, not the Ethernet below it",
};
const PROFILE: Question = Question {
    option: "--profile",
    asks: "the kind of line, such as `vdsl2-pppoe`",
    how: "`qosc profiles` lists them; the contract or the modem's status page says DSL, cable or fibre, and a device `ppp0` says PPPoE or PPPoA. `conservative` is safe where nobody knows",
};
const UP: Question = Question {
    option: "--up",
    asks: "the line's upload rate, such as `6.5mbit`",
    how: "of DSL, the modem's status page shows it (`sync`, `actual rate`, upstream); of cable and fibre, the contract does. Where neither does, measure it by cable, with nobody else on the line, and take the lowest of several",
};
const DOWN: Question = Question {
    option: "--down",
    asks: "the line's download rate, such as `25mbit`",
    how: "where the upload rate is: the modem's status page (downstream), the contract, or a measurement",
};

/// What is known of the line.
struct Answers {
    device: IfName,
    profile: LinkProfile,
    up: Rate,
    down: Rate,
}

pub(super) fn run(args: &Init) -> Outcome {
    let path = args.output.as_deref().filter(|path| !is_dash(path));
    if let Some(path) = path.filter(|path| !args.force && path.symlink_metadata().is_ok()) {
        return output::unable(&format!("`{}` is there already; `--force` writes over it", path.display()));
    }
    let answers = if std::io::stdin().is_terminal() {
        asked(args, &mut std::io::stdin().lock(), &mut std::io::stderr().lock())
    } else {
        given(args)
    };
    let text = match answers {
        Ok(answers) => text(&answers),
        Err(words) => return output::unable(&words),
    };
    // what somebody else would be told of it: a profile that does not fit the device, rates that are swapped
    let compiled = compile(&text, &Options::of("home.yaml").shown("<init>"));
    output::findings(&compiled.findings, &compiled.sources);
    if compiled.has_errors() {
        return Outcome::Errors;
    }
    match path {
        None => output::result(&text),
        Some(path) => written(path, &text),
    }
}

fn written(path: &Path, text: &str) -> Outcome {
    let written = output::filed(path, output::file(path, text, false));
    if written == Outcome::Fine {
        output::say(&format!("`{0}` is written; `qosc check {0}` checks it", path.display()));
    }
    written
}

/// The answers from the options alone.
///
/// # Errors
/// The words about all that is missing, and about a profile that there is not.
fn given(args: &Init) -> Result<Answers, String> {
    let known = args.profile.as_deref().map(known).transpose()?;
    let missing: Vec<&Question> = [
        (&DEVICE, args.device.is_none()),
        (&PROFILE, known.is_none()),
        (&UP, args.up.is_none()),
        (&DOWN, args.down.is_none()),
    ]
    .into_iter()
    .filter_map(|(question, is_missing)| is_missing.then_some(question))
    .collect();
    match (&args.device, known, args.up, args.down) {
        (Some(device), Some(profile), Some(up), Some(down)) => {
            Ok(Answers { device: device.clone(), profile, up, down })
        }
        _ => {
            let lines =
                missing.iter().map(|q| format!("  {} is missing: {}\n    {}\n", q.option, q.asks, q.how));
            let lines: String = lines.collect();
            Err(format!(
                "not all of the line is known, and nobody is there to be asked\n{}",
                lines.trim_end()
            ))
        }
    }
}

/// The answers from the options, and for the rest from somebody at a terminal.
///
/// # Errors
/// When the input ends, or there is no profile of the name that an option gives.
fn asked(args: &Init, input: &mut impl BufRead, out: &mut impl Write) -> Result<Answers, String> {
    let device = match &args.device {
        Some(device) => device.clone(),
        None => ask(&DEVICE, parsed::<IfName>, input, out)?,
    };
    let profile = match &args.profile {
        Some(name) => known(name)?,
        None => {
            for link in profile::all() {
                let _ = writeln!(out, "  {:20} {}", link.name, link.about);
            }
            ask(&PROFILE, known, input, out)?
        }
    };
    let up = match args.up {
        Some(up) => up,
        None => ask(&UP, parsed::<Rate>, input, out)?,
    };
    let down = match args.down {
        Some(down) => down,
        None => ask(&DOWN, parsed::<Rate>, input, out)?,
    };
    Ok(Answers { device, profile, up, down })
}

/// Asks until the answer is one.
fn ask<T>(
    question: &Question,
    read: fn(&str) -> Result<T, String>,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> Result<T, String> {
    let _ = writeln!(out, "{}\n  ({})", question.asks, question.how);
    loop {
        let _ = write!(out, "{}> ", question.option.trim_start_matches('-'));
        let _ = out.flush();
        let mut line = String::new();
        match input.read_line(&mut line) {
            Ok(0) => return Err(format!("no answer for `{}`", question.option)),
            Err(e) => return Err(format!("cannot read the answer: {e}")),
            Ok(_) => {}
        }
        match read(line.trim()) {
            Ok(answer) => return Ok(answer),
            Err(words) => {
                let _ = writeln!(out, "{words}");
            }
        }
    }
}

fn parsed<T: FromStr<Err = UnitError>>(text: &str) -> Result<T, String> {
    text.parse().map_err(|error: UnitError| {
        error.help.into_iter().fold(error.message, |words, help| format!("{words}; {help}"))
    })
}

/// The profile of this name.
fn known(name: &str) -> Result<LinkProfile, String> {
    profile::find(name)
        .ok_or_else(|| output::no_such("profile", name, profile::names(), Some("qosc profiles")))
}

/// A device's name for YAML: in quotes where it might be a word or a number.
fn quoted(device: &IfName) -> String {
    let name = device.as_str();
    let plain =
        name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.contains(|c: char| c.is_ascii_digit());
    if plain { name.to_owned() } else { format!("\"{name}\"") }
}

/// The file.
fn text(answers: &Answers) -> String {
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
#[path = "init_tests.rs"]
mod tests;
