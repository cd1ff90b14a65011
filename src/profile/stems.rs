//! Names of built-in files.

use include_dir::Dir;

/// Returns the names of the files in a folder, without their endings, in alphabetical order.
pub fn stems(folder: &Dir<'static>) -> Vec<&'static str> {
    let mut names: Vec<&str> =
        folder.files().filter_map(|file| file.path().file_stem().and_then(|stem| stem.to_str())).collect();
    names.sort_unstable();
    names
}
