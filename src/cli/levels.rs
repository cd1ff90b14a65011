//! `--deny`, `--warn` and `--allow`: what findings count as. Later ones win.

use crate::diag::{Code, Diagnostic, Severity, did_you_mean, ticked};
use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};

/// What a finding is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Deny,
    Warn,
    Allow,
}

/// Which findings are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Group {
    One(Code),
    Warnings,
    Notes,
}

/// The options in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels(Vec<(Level, Group)>);

impl Levels {
    /// Gives the findings the severities that were asked for, and takes out those that are not to be shown. Applying it
    /// twice changes no more than once.
    pub(super) fn apply(&self, found: &mut Vec<Diagnostic>) {
        found.retain_mut(|finding| match self.severity(finding.code) {
            Some(severity) => {
                finding.severity = severity;
                true
            }
            None => false,
        });
    }

    /// What a code counts as; `None` where it is not said at all.
    fn severity(&self, code: Code) -> Option<Severity> {
        let own = code.severity();
        let mut now = Some(own);
        if own == Severity::Error {
            return now;
        }
        for (level, group) in &self.0 {
            let of = |severity| own == severity || now == Some(severity);
            let meant = match group {
                Group::One(one) => *one == code,
                Group::Warnings => of(Severity::Warning),
                Group::Notes => of(Severity::Note),
            };
            now = match level {
                _ if !meant => now,
                Level::Deny => Some(Severity::Error),
                Level::Warn => Some(Severity::Warning),
                Level::Allow => None,
            };
        }
        now
    }
}

/// A code, or a group of them.
fn group(text: &str) -> Result<Group, String> {
    match text {
        "warnings" => return Ok(Group::Warnings),
        "notes" => return Ok(Group::Notes),
        _ => {}
    }
    if let Some(code) = Code::find(text) {
        return Ok(Group::One(code));
    }
    let near = Code::near(text).map(Code::as_str).or_else(|| did_you_mean(text, ["warnings", "notes"]));
    Err(match near {
        Some(near) => format!("there is no such code; did you mean `{near}`?"),
        None => {
            "there is no such code; codes look like `Q0601`, and `warnings` and `notes` are groups".to_owned()
        }
    })
}

/// The same for what lowers: errors stay errors.
fn lowered(text: &str) -> Result<Group, String> {
    match group(text)? {
        Group::One(code) if code.severity() == Severity::Error => {
            Err(format!("{} is an error by itself ({}), and stays one", ticked(code.as_str()), code.title()))
        }
        group => Ok(group),
    }
}

/// The options, by name.
const OPTIONS: [(&str, char, Level, &str); 3] = [
    (
        "deny",
        'D',
        Level::Deny,
        "Count findings with these codes as errors; `warnings` and `notes` are groups; later options win",
    ),
    ("warn", 'W', Level::Warn, "Count them as warnings; what is an error by itself stays one"),
    ("allow", 'A', Level::Allow, "Do not say them"),
];

impl clap::Args for Levels {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, (name, short, level, help)| {
            let arg = Arg::new(*name).long(*name).short(*short).help(*help);
            let arg = arg.value_name("CODE").value_delimiter(',').action(ArgAction::Append);
            command.arg(match level {
                Level::Deny => arg.value_parser(group),
                Level::Warn | Level::Allow => arg.value_parser(lowered),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Levels {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut levels = Levels::default();
        levels.update_from_arg_matches(matches)?;
        Ok(levels)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        let given = OPTIONS.iter().flat_map(|(name, _, level, _)| {
            let places = matches.indices_of(name).into_iter().flatten();
            let groups = matches.get_many::<Group>(name).into_iter().flatten();
            places.zip(groups.map(|group| (*level, *group)))
        });
        let mut given: Vec<_> = given.collect();
        given.sort_by_key(|(place, _)| *place);
        self.0 = given.into_iter().map(|(_, level)| level).collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Levels;
    use crate::diag::{Code, Severity};
    use clap::{Args as _, Command, FromArgMatches as _};

    fn given(words: &str) -> Result<Levels, String> {
        let command = Levels::augment_args(Command::new("check"));
        let words = std::iter::once("check").chain(words.split_whitespace());
        command
            .try_get_matches_from(words)
            .and_then(|matches| Levels::from_arg_matches(&matches))
            .map_err(|e| e.to_string())
    }

    fn severity(words: &str, code: Code) -> Option<Severity> {
        given(words).unwrap().severity(code)
    }

    const WARNING: Code = Code::GuessedOverhead;
    const NOTE: Code = Code::DscpOnlyUp;

    #[test]
    fn later_ones_win() {
        let (error, warning) = (Some(Severity::Error), Some(Severity::Warning));
        assert_eq!(severity("", WARNING), warning);
        assert_eq!(severity("-D warnings", WARNING), error);
        assert_eq!(severity("-D warnings", NOTE), Some(Severity::Note));
        assert_eq!(severity("-D warnings,notes", NOTE), error);
        assert_eq!(severity("-D warnings -A Q0601", WARNING), None);
        assert_eq!(severity("-A Q0601 -D warnings", WARNING), error);
        assert_eq!(severity("-D Q0601,Q0504 --warn q0504", NOTE), warning);
        assert_eq!(severity("-W notes -D warnings", NOTE), error, "a note that counts as a warning is one");
        assert_eq!(severity("-D warnings -W notes", NOTE), warning);
        assert_eq!(severity("--allow=warnings -Wwarnings", WARNING), warning);
        assert_eq!(severity("-A notes -D Q0601", NOTE), None);
    }

    #[test]
    fn errors_cannot_be_lowered() {
        assert_eq!(severity("-A warnings,notes -W notes", Code::BadRate), Some(Severity::Error));
        assert_eq!(severity("-D Q0201", Code::BadRate), Some(Severity::Error));
        for option in ["-A", "-W"] {
            let said = given(&format!("{option} Q0201")).unwrap_err();
            assert!(said.contains("`Q0201` is an error by itself (not a rate), and stays one"), "{said}");
        }
    }

    #[test]
    fn codes_that_do_not_exist_are_told() {
        assert!(given("-D Q060").is_err());
        assert!(given("-A warning").unwrap_err().contains("did you mean `warnings`?"));
        assert!(given("-D 0901").unwrap_err().contains("did you mean `Q0901`?"));
        assert!(given("-D nonsense").unwrap_err().contains("`warnings` and `notes` are groups"));
        assert!(given("-D").is_err());
    }
}
