//! Files that a program reads and writes. They exist only in memory.

use super::value::Text;
use std::collections::BTreeMap;

/// Files by their paths.
#[derive(Debug, Clone, Default)]
pub struct Files {
    texts: BTreeMap<Vec<u8>, Vec<u8>>,
    /// Places up to which files are read.
    readers: BTreeMap<Vec<u8>, usize>,
    /// Files that are being written.
    writers: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl Files {
    /// Adds a file.
    pub fn add(&mut self, path: &str, text: &str) {
        self.texts.insert(path.as_bytes().to_vec(), text.as_bytes().to_vec());
    }

    /// Returns the text of a file.
    #[must_use]
    pub fn text(&self, path: &str) -> Option<String> {
        let path = path.as_bytes();
        let text = self.writers.get(path).or_else(|| self.texts.get(path))?;
        Some(String::from_utf8_lossy(text).into_owned())
    }

    /// Reads the next line of a file: `None` if there is no such file, and in it `None` at its end.
    pub(super) fn line(&mut self, path: &[u8]) -> Option<Option<Text>> {
        let text = self.texts.get(path)?;
        let at = match self.readers.get_mut(path) {
            Some(at) => at,
            None => self.readers.entry(path.to_vec()).or_default(),
        };
        let rest = text.get(*at..).filter(|rest| !rest.is_empty());
        let line = rest.map(|rest| rest.split(|byte| *byte == b'\n').next().unwrap_or_default());
        *at += line.map_or(0, |line| line.len() + 1);
        Some(line.map(Text::from))
    }

    pub(super) fn write(&mut self, path: &[u8], text: &[u8]) {
        match self.writers.get_mut(path) {
            Some(writer) => writer.extend_from_slice(text),
            None => drop(self.writers.insert(path.to_vec(), text.to_vec())),
        }
    }

    /// Closes a file: it can be read again from its beginning.
    pub(super) fn close(&mut self, path: &[u8]) {
        self.readers.remove(path);
        if let Some((path, text)) = self.writers.remove_entry(path) {
            self.texts.insert(path, text);
        }
    }
}
