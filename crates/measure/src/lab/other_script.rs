//! A script that the router runs in place of the compiled script.

use qosc_compiler::model::Model;
use std::path::Path;

/// Longest time for the script in seconds of the guest.
pub(super) const TIMEOUT: u32 = 120;
/// Folders of the host that the guest does not see: it has its own.
const HIDDEN: [&str; 4] = ["/dev", "/proc", "/run", "/sys"];

/// A shell script of any origin, which shapes the WAN device of the lab's router.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherScript {
    /// Name as the user gave it.
    name: String,
    /// Absolute path.
    path: String,
    /// Arguments of the script.
    args: Vec<String>,
}

impl OtherScript {
    /// Returns the script at this path, with its arguments.
    ///
    /// # Errors
    /// Returns the reason if the file cannot be read, or if the guest cannot see it.
    pub fn new(path: &Path, args: &[String]) -> Result<OtherScript, String> {
        let unable = |why: &str| format!("the lab cannot run the script `{}`: {why}", path.display());
        let real = path.canonicalize().map_err(|e| unable(&e.to_string()))?;
        if HIDDEN.iter().any(|folder| real.starts_with(folder)) {
            return Err(unable("its kernel does not see the files below `/dev`, `/proc`, `/run` and `/sys`"));
        }
        if !real.is_file() {
            return Err(unable("it is not a regular file"));
        }
        std::fs::File::open(&real).map_err(|e| unable(&e.to_string()))?;
        let real = real.to_str().ok_or_else(|| unable("its path is not UTF-8"))?;
        Ok(OtherScript { name: path.display().to_string(), path: real.to_owned(), args: args.to_vec() })
    }

    /// Returns the name as the user gave it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the command as people write it, such as `sh cake.sh 6272 23384`.
    #[must_use]
    pub fn command(&self) -> String {
        let plain = |word: &str| {
            let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=.,:/@%".contains(c);
            !word.is_empty() && word.chars().all(is_plain)
        };
        let words = std::iter::once(&self.name).chain(&self.args);
        let words = words.map(|word| if plain(word) { word.clone() } else { quoted(word) });
        std::iter::once("sh".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Returns the script of the router: `start` runs the other script, and `stop` does nothing.
    pub(super) fn router(&self, model: &Model) -> String {
        let lan = model.lan.devices.first().map_or("br-lan", |device| device.value.as_str());
        let line = &model.link.line;
        let words: Vec<String> =
            std::iter::once(&self.path).chain(&self.args).map(|word| quoted(word)).collect();
        format!(
            "[ \"$1\" = start ] || exit 0\n\
             export WAN={} LAN={} UP_KBIT={} DOWN_KBIT={}\n\
             exec busybox timeout {TIMEOUT} sh {} </dev/null\n",
            quoted(model.link.device.value.as_str()),
            quoted(lan),
            line.up.value.bps() / 1000,
            line.down.value.bps() / 1000,
            words.join(" "),
        )
    }
}

/// Returns a word that the shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
#[path = "other_script_tests.rs"]
mod tests;
