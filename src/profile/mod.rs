//! Built-in link profiles by name or by CAKE's keyword.

pub mod keywords;
mod links;

pub use links::{LinkProfile, all, names};

use links::{named, text_of};

/// Returns the text of a link profile by its name or by CAKE's keyword for it.
#[must_use]
pub fn text(name: &str) -> Option<&'static str> {
    text_of(own_name(name)?)
}

/// Returns a link profile by its name or by CAKE's keyword for it.
#[must_use]
pub fn find(name: &str) -> Option<LinkProfile> {
    named(own_name(name)?)
}

/// Returns the name of the link profile with this name or keyword.
fn own_name(name: &str) -> Option<&'static str> {
    let own = names().into_iter().find(|known| *known == name);
    own.or_else(|| keywords::profile_of(name))
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
