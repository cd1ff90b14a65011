//! File names that would be read as options.

use qosc_compiler::diag::ticked;
use std::ffi::OsString;
use std::path::Path;

/// Returns a message if an argument can be an option and a file name. The shell expands `*` to such names, and CI
/// systems append the names of changed files. Without this check, a file named `-h.yaml` would print the help with exit
/// code 0, and no file would be checked.
///
/// `arguments` begin with the name of the program. Everything after `--` is a file name.
pub(super) fn ambiguous(arguments: &[OsString]) -> Option<String> {
    let options = arguments.iter().skip(1).take_while(|argument| argument.as_os_str() != "--");
    let both = |argument: &&OsString| {
        let bytes = argument.as_encoded_bytes();
        bytes.len() > 1 && bytes.starts_with(b"-") && Path::new(argument).symlink_metadata().is_ok()
    };
    let name = options.into_iter().find(both)?.to_string_lossy().into_owned();
    Some(format!(
        "{} can be an option, and a file has this name\n  help: to name the file, write {}, or `--` before all file names",
        ticked(&name),
        ticked(&format!("./{name}"))
    ))
}
