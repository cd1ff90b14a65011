//! `qosc init`: a starter file with explanations.
//!
//! Without `--from`, it reads nothing from a machine. The questions, errors and comments tell where to find each answer.

mod router;

use super::args::Init;
use super::outcome::{Done, Outcome, is_dash};
use super::output;
use super::output_file::{OutputFile, PLAIN};
use crate::starter::{Answers, Classes, text};
use qosc_compiler::compile::{Compilation, Options, compile};
use qosc_compiler::diag::{Code, Diagnostic, did_you_mean, or_ticked, ticked};
use qosc_compiler::profile::{self, LinkProfile, keywords};
use qosc_compiler::units::{IfName, Rate, UnitError};
use std::io::{BufRead, IsTerminal as _, Write};
use std::str::FromStr;

/// A question about the line.
struct Question {
    /// Option with the answer.
    option: &'static str,
    /// Subject of the question.
    asks: &'static str,
    /// Hint where to find the answer.
    how: &'static str,
}

const DEVICE: Question = Question {
    option: "--device",
    asks: "the WAN device of the router, such as `ppp0` or `eth1`",
    how: "on the router, `ip route get 1.1.1.1` names it after `dev`; with PPPoE it is the `ppp` device, not the Ethernet device below it",
};
const PROFILE: Question = Question {
    option: "--profile",
    asks: "the link profile, such as `vdsl2-pppoe`",
    how: "`qosc profiles` lists them; the contract or the modem's status page tells DSL, cable or fibre, and a device `ppp0` means PPPoE or PPPoA. If you do not know, `conservative` is safe",
};
const UP: Question = Question {
    option: "--up",
    asks: "the upload rate of the line, such as `6.5mbit`",
    how: "for DSL, the modem's status page shows it (`sync` or `actual rate`, upstream); for cable and fibre, use the rate of the contract; for LTE, 5G or satellite, measure it on a bad evening. Otherwise, measure it several times over Ethernet on an idle line, and use the lowest result",
};
const DOWN: Question = Question {
    option: "--down",
    asks: "the download rate of the line, such as `25mbit`",
    how: "from the same source as the upload rate: the modem's status page (downstream), the contract, or a measurement",
};

pub(super) fn run(args: &Init) -> Done {
    let path = args.output.as_deref().filter(|path| !is_dash(path));
    if let Some(path) = path.filter(|path| !args.force && path.symlink_metadata().is_ok()) {
        return Err(format!("`{}` already exists; `--force` overwrites it", output::name(path)));
    }
    let found = args.from.as_deref().map(router::read).transpose()?.unwrap_or_default();
    found.remarks.iter().for_each(|words| output::say(words));
    let args = Init { device: args.device.clone().or(found.device), ..args.clone() };
    let answers = if std::io::stdin().is_terminal() {
        asked(&args, &mut std::io::stdin().lock(), &mut output::Questions::default())
    } else {
        given(&args)
    };
    let answers = Answers { lan: found.lan, remarks: found.remarks, ..answers? };
    let (text, compiled) = fitting(&answers);
    // the remaining findings are those on the answers: a profile that does not fit the device, or swapped rates
    output::findings(&compiled.findings, &compiled.sources);
    if compiled.has_errors() {
        return Ok(Outcome::Errors);
    }
    match path {
        None => output::verbatim(&text),
        Some(path) => written(&OutputFile::new(path, [])?, &text),
    }
}

/// Returns the first starter file whose classes fit the line, or else the last one.
fn fitting(answers: &Answers) -> (String, Compilation) {
    let made = |classes: Classes, ack_filter: bool| {
        let text = text(answers, classes, ack_filter);
        let compiled = compile(&text, &Options::of("home.yaml").shown("<init>"));
        (text, compiled)
    };
    let is_unfit = |finding: &Diagnostic| {
        matches!(finding.code, Code::GuaranteeTooSmall | Code::RateTooLow | Code::AcksFillUpload)
    };
    let mut file = made(Classes::Home, false);
    for (classes, ack_filter) in [(Classes::Home, true), (Classes::Simple, false), (Classes::Simple, true)] {
        if !file.1.findings.iter().any(is_unfit) {
            break;
        }
        file = made(classes, ack_filter);
    }
    file
}

fn written(target: &OutputFile<'_>, text: &str) -> Done {
    target.write(text.as_bytes(), PLAIN)?;
    output::say(&format!("wrote `{0}`; check it with `qosc check {0}`", target.shown()));
    Ok(Outcome::Fine)
}

/// Returns the answers from the options alone.
///
/// # Errors
/// Returns a message on all missing options, or on an unknown profile.
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
            Ok(Answers::new(device.clone(), profile, up, down))
        }
        _ => {
            let lines =
                missing.iter().map(|q| format!("  {} is missing: {}\n    {}\n", q.option, q.asks, q.how));
            let lines: String = lines.collect();
            Err(format!(
                "some values are missing, and there is no terminal to ask for them\n{}",
                lines.trim_end()
            ))
        }
    }
}

/// Returns the answers from the options, and asks for the others at the terminal.
///
/// # Errors
/// Returns an error if the input ends, or if an option names an unknown profile.
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
    Ok(Answers::new(device, profile, up, down))
}

/// Asks until the answer is valid.
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
        error.help.into_iter().fold(error.message, |words, help| format!("{words}; {}", help.words))
    })
}

/// Returns the profile with this name.
fn known(name: &str) -> Result<LinkProfile, String> {
    profile::find(name).ok_or_else(|| {
        let keywords = keywords::all().map(|(keyword, _)| keyword);
        let names: Vec<&str> = profile::names().into_iter().chain(keywords).collect();
        let alike = profile::alike(name);
        if alike.is_empty() || did_you_mean(name, names.iter().copied()).is_some() {
            return output::no_such("profile", name, names, Some("qosc profiles"));
        }
        format!(
            "there is no profile {}; did you mean {}?",
            ticked(name),
            or_ticked(alike.into_iter().take(4))
        )
    })
}

#[cfg(test)]
#[path = "init_tests.rs"]
mod tests;
