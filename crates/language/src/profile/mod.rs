//! Built-in link profiles by name or by CAKE's keyword, built-in applications, and built-in class sets.

pub mod apps;
pub mod folder;
pub mod keywords;
mod links;
pub mod sets;

pub use crate::syntax::profile::LinkProfile;
pub use links::{all, names};

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

/// Returns the profiles that share most words with a name; none if they share no word. A profile has the words of its
/// name and of its keyword in CAKE, or else those of its description, such as `cable`. Two words are shared if one
/// begins with the other, such as `vdsl` and `vdsl2`.
#[must_use]
pub fn alike(name: &str) -> Vec<&'static str> {
    let names = names();
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
        words.map(str::to_lowercase).collect()
    };
    let asked = words(name);
    let shared = |text: &str| {
        let own = words(text);
        let is_shared =
            |word: &&String| own.iter().any(|own| own.starts_with(*word) || word.starts_with(own.as_str()));
        asked.iter().filter(is_shared).count()
    };
    let score = |profile: &str| {
        let of_keywords =
            keywords::all().filter(|(_, of)| *of == profile).map(|(keyword, _)| shared(keyword));
        of_keywords.chain([shared(profile)]).max().unwrap_or(0)
    };
    let most = names.iter().map(|name| score(name)).max().unwrap_or(0);
    if most > 0 {
        return names.iter().copied().filter(|name| score(name) == most).collect();
    }
    let described = |name: &&&str| find(name).is_some_and(|profile| shared(&profile.about) > 0);
    names.iter().filter(described).copied().collect()
}

/// Returns the name of the link profile with this name or keyword.
fn own_name(name: &str) -> Option<&'static str> {
    let own = names().into_iter().find(|known| *known == name);
    own.or_else(|| keywords::profile_of(name))
}

#[cfg(test)]
#[path = "profile_tests.rs"]
mod tests;
