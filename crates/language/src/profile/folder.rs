//! Folders with built-in files.

use include_dir::Dir;

/// Returns the names of the files, without their endings, in alphabetical order.
pub fn names(folder: &Dir<'static>) -> Vec<&'static str> {
    let mut names: Vec<&str> =
        folder.files().filter_map(|file| file.path().file_stem().and_then(|stem| stem.to_str())).collect();
    names.sort_unstable();
    names
}

/// Returns the text of the file with this name.
pub fn text(folder: &Dir<'static>, name: &str) -> Option<&'static str> {
    let name = names(folder).into_iter().find(|known| *known == name)?;
    folder.get_file(format!("{name}.yaml"))?.contents_utf8()
}
