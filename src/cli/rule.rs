//! `qosc rule`.

use super::args::{Rule, RuleFormat};
use super::{Outcome, output};
use crate::diag::{Code, Severity, did_you_mean, ticked};
use crate::rules::{self, Page, Section};
use serde::Serialize;

pub(super) fn run(args: &Rule) -> Outcome {
    let Some(asked) = &args.code else {
        return match args.format {
            RuleFormat::Human => output::result(&list()),
            RuleFormat::Json => json(&Code::ALL.iter().map(|code| Shown::new(*code)).collect::<Vec<_>>()),
        };
    };
    let Some(code) = rules::find(asked) else {
        let known = Code::ALL.iter().map(|code| code.as_str());
        let hint = did_you_mean(asked, known).map(|near| format!("; did you mean `{near}`?"));
        let hint = hint.unwrap_or_else(|| "; `qosc rule` lists them".to_owned());
        output::complain(&format!("there is no rule {}{hint}", ticked(asked)));
        return Outcome::Unable;
    };
    match (args.format, rules::document(code)) {
        (RuleFormat::Json, _) => json(&Shown::new(code)),
        (RuleFormat::Human, Some(text)) => output::result(&text),
        (RuleFormat::Human, None) => output::result(&line(code)),
    }
}

fn list() -> String {
    Code::ALL.iter().map(|code| line(*code)).collect()
}

/// `Q0101  error    the text is not YAML`.
fn line(code: Code) -> String {
    format!("{code}  {:7}  {}\n", code.severity().as_str(), code.title())
}

/// A rule as `--format json` shows it.
#[derive(Serialize)]
struct Shown {
    code: Code,
    severity: Severity,
    title: &'static str,
    sections: Vec<Section<'static>>,
}

impl Shown {
    fn new(code: Code) -> Self {
        let sections = rules::page(code).map(|page| Page::read(page).sections).unwrap_or_default();
        Shown { code, severity: code.severity(), title: code.title(), sections }
    }
}

fn json<T: Serialize>(shown: &T) -> Outcome {
    match serde_json::to_string_pretty(shown) {
        Ok(text) => output::result(&(text + "\n")),
        Err(e) => {
            output::complain(&format!("cannot print as JSON: {e}"));
            Outcome::Unable
        }
    }
}
