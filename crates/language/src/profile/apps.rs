//! Built-in applications with their published ports, from `profiles/apps/`.

use super::folder;
use crate::syntax::profile::{RawApp, read_app};
use include_dir::{Dir, include_dir};

static APPS: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../profiles/apps");

/// Services whose packets look like those of all web pages: they use only port 443.
const WEB: [&str; 26] = [
    "amazon",
    "disney",
    "dropbox",
    "facebook",
    "google-drive",
    "hulu",
    "icloud",
    "instagram",
    "netflix",
    "onedrive",
    "photos",
    "prime-video",
    "reddit",
    "snapchat",
    "spotify",
    "tiktok",
    "twitch",
    "twitter",
    "updates",
    "web",
    "whatsapp",
    "wikipedia",
    "windows-update",
    "x",
    "youtube",
    "zattoo",
];

/// Returns the names of all applications in alphabetical order.
#[must_use]
pub fn names() -> Vec<&'static str> {
    folder::names(&APPS)
}

/// Returns the text of the file of an application.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    folder::text(&APPS, name)
}

/// Returns an application.
#[must_use]
pub fn find(name: &str) -> Option<RawApp> {
    read_app(text(name)?)
}

/// Returns the application that people call by another name.
#[must_use]
pub fn alias(name: &str) -> Option<&'static str> {
    let aliases =
        [("torrent", "bittorrent"), ("torrents", "bittorrent"), ("voip", "sip"), ("wg", "wireguard")];
    aliases.into_iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name)).map(|(_, name)| name)
}

/// Returns `true` for a well-known service without ports of its own.
#[must_use]
pub fn is_web(name: &str) -> bool {
    WEB.contains(&name.to_ascii_lowercase().as_str())
}

#[cfg(test)]
#[path = "apps_tests.rs"]
mod tests;
