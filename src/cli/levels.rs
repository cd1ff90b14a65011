//! `--deny`, `--warn` and `--allow`: severities of findings. Later ones win.

use clap::{Arg, ArgAction, ArgMatches, Command, Error, FromArgMatches};
use qosc_compiler::diag::{Group, Level, Levels};
use std::ops::Deref;

/// Options by name.
const OPTIONS: [(&str, char, Level, &str); 3] = [
    (
        "deny",
        'D',
        Level::Deny,
        "Report findings with these codes as errors; `warnings` and `notes` are groups; later options win",
    ),
    ("warn", 'W', Level::Warn, "Report findings with these codes as warnings; errors stay errors"),
    ("allow", 'A', Level::Allow, "Suppress findings with these codes"),
];

/// The levels that the user gave as options.
#[derive(Debug, Default)]
pub(super) struct LevelArgs(Levels);

impl Deref for LevelArgs {
    type Target = Levels;

    fn deref(&self) -> &Levels {
        &self.0
    }
}

impl clap::Args for LevelArgs {
    fn augment_args(command: Command) -> Command {
        OPTIONS.iter().fold(command, |command, (name, short, level, help)| {
            let arg = Arg::new(*name).long(*name).short(*short).help(*help);
            let arg = arg.value_name("CODE").value_delimiter(',').action(ArgAction::Append);
            command.arg(match level {
                Level::Deny => arg.value_parser(Group::read),
                Level::Warn | Level::Allow => arg.value_parser(Group::read_lowered),
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LevelArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut levels = Self::default();
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
    use super::LevelArgs;
    use clap::{Args as _, Command, FromArgMatches as _};
    use qosc_compiler::diag::{Code, Severity};

    fn given(words: &str) -> Result<LevelArgs, String> {
        let command = LevelArgs::augment_args(Command::new("check"));
        let words = std::iter::once("check").chain(words.split_whitespace());
        command
            .try_get_matches_from(words)
            .and_then(|matches| LevelArgs::from_arg_matches(&matches))
            .map_err(|e| e.to_string())
    }

    fn severity(words: &str, code: Code) -> Option<Severity> {
        given(words).unwrap().severity(code)
    }

    const WARNING: Code = Code::GuessedOverhead;
    const NOTE: Code = Code::DscpUploadOnly;

    #[test]
    fn later_level_options_override_earlier_ones() {
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
    fn errors_cannot_be_allowed_or_lowered() {
        assert_eq!(severity("-A warnings,notes -W notes", Code::BadRate), Some(Severity::Error));
        assert_eq!(severity("-D Q0201", Code::BadRate), Some(Severity::Error));
        for option in ["-A", "-W"] {
            let said = given(&format!("{option} Q0201")).unwrap_err();
            assert!(said.contains("`Q0201` is an error by itself (not a rate), and stays one"), "{said}");
        }
    }

    #[test]
    fn unknown_codes_are_rejected_with_a_suggestion() {
        assert!(given("-D Q060").is_err());
        assert!(given("-A warning").unwrap_err().contains("did you mean `warnings`?"));
        assert!(given("-D 0901").unwrap_err().contains("did you mean `Q0901`?"));
        assert!(given("-D nonsense").unwrap_err().contains("`warnings` and `notes` are groups"));
        assert!(given("-D").is_err());
    }
}
