//! The contribution of one system.

/// A file for a router.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct File {
    /// Path on the router, which begins with `/`.
    pub path: String,
    /// Content.
    pub text: String,
    /// `true` if the system executes the file.
    pub executable: bool,
}

impl File {
    /// Returns a file that the system executes.
    pub(super) fn program(path: impl Into<String>, text: String) -> File {
        File { path: path.into(), text, executable: true }
    }

    /// Returns a file that the system reads.
    pub(super) fn plain(path: impl Into<String>, text: String) -> File {
        File { path: path.into(), text, executable: false }
    }
}

/// Files, and the commands that belong to them.
#[derive(Debug, Clone, Default)]
pub(super) struct Parts {
    pub(super) files: Vec<File>,
    /// Commands that the user types after the files are there.
    pub(super) enable: Vec<String>,
    /// Commands of the uninstaller before the files are removed.
    pub(super) disable: Vec<String>,
    /// Commands of the uninstaller after the files are removed.
    pub(super) afterwards: Vec<String>,
}

impl Parts {
    /// Returns files without commands.
    pub(super) fn of(files: impl IntoIterator<Item = File>) -> Parts {
        Parts { files: files.into_iter().collect(), ..Parts::default() }
    }

    /// Adds the contribution of another system. Two systems may have the same file or the same command.
    pub(super) fn add(&mut self, other: Parts) {
        fn add<T: PartialEq>(all: &mut Vec<T>, others: Vec<T>) {
            for one in others {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        add(&mut self.files, other.files);
        add(&mut self.enable, other.enable);
        add(&mut self.disable, other.disable);
        add(&mut self.afterwards, other.afterwards);
    }
}
