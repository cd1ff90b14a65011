//! Severities that the user chooses for findings: deny, warn or allow, by code or by group.

use super::{Code, Diagnostic, Severity, did_you_mean, ticked};

/// Severity chosen by the user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// The finding counts as an error.
    Deny,
    /// The finding counts as a warning.
    Warn,
    /// The finding is not shown.
    Allow,
}

/// Set of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Findings with this code.
    One(Code),
    /// All warnings.
    Warnings,
    /// All notes.
    Notes,
}

/// Levels in the order in which the user gave them. Later ones win, and errors stay errors.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Levels(Vec<(Level, Group)>);

impl FromIterator<(Level, Group)> for Levels {
    fn from_iter<I: IntoIterator<Item = (Level, Group)>>(levels: I) -> Self {
        Levels(levels.into_iter().collect())
    }
}

impl Levels {
    /// Sets the severities that the user chose, and removes findings that are not shown. A second call changes nothing.
    pub fn apply(&self, found: &mut Vec<Diagnostic>) {
        found.retain_mut(|finding| match self.severity(finding.code) {
            Some(severity) => {
                finding.severity = severity;
                true
            }
            None => false,
        });
    }

    /// Returns the severity of a code, or `None` if its findings are not shown.
    #[must_use]
    pub fn severity(&self, code: Code) -> Option<Severity> {
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

impl Group {
    /// Reads a code or the name of a group.
    ///
    /// # Errors
    /// Returns a message for the user if there is no such code or group.
    pub fn read(text: &str) -> Result<Group, String> {
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
            None => "there is no such code; codes look like `Q0601`, and `warnings` and `notes` are groups"
                .to_owned(),
        })
    }

    /// Reads a code or group for a level that lowers the severity.
    ///
    /// # Errors
    /// Returns an error like [`read`](Self::read), or if the code is an error: errors stay errors.
    pub fn read_lowered(text: &str) -> Result<Group, String> {
        match Group::read(text)? {
            Group::One(code) if code.severity() == Severity::Error => Err(format!(
                "{} is an error by itself ({}), and stays one",
                ticked(code.as_str()),
                code.title()
            )),
            group => Ok(group),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Group, Level, Levels};
    use crate::diag::{Code, Diagnostic, FileId, Severity, Span};

    #[test]
    fn levels_raise_lower_and_remove_findings() {
        let span = Span { file: FileId::OWN, start: 0, end: 0, line: 1, column: 1 };
        let codes = [Code::BadRate, Code::GuessedOverhead, Code::DscpUploadOnly, Code::WebWithoutQuic];
        let mut found: Vec<Diagnostic> = codes.map(|code| Diagnostic::new(code, span, "a finding")).into();
        let levels: Levels = [
            (Level::Allow, Group::Notes),
            (Level::Deny, Group::Warnings),
            (Level::Warn, Group::One(Code::DscpUploadOnly)),
        ]
        .into_iter()
        .collect();
        for _ in 0..2 {
            levels.apply(&mut found);
            let now: Vec<_> = found.iter().map(|finding| (finding.code, finding.severity)).collect();
            let expected = [
                (Code::BadRate, Severity::Error),
                (Code::GuessedOverhead, Severity::Error),
                (Code::DscpUploadOnly, Severity::Warning),
            ];
            assert_eq!(now, expected);
        }
    }
}
