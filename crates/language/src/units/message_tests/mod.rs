//! All messages about quantities as users see them: `text: cause`, then each cure on its own line.

mod addresses;
mod amounts;
mod packets;

use super::UnitError;
use std::fmt::Debug;
use std::str::FromStr;

fn shown<T: FromStr<Err = UnitError> + Debug>(texts: &[&str]) -> String {
    let mut shown = String::new();
    for text in texts {
        match text.parse::<T>() {
            Ok(value) => shown += &format!("{text:?} was taken as {value:?}\n"),
            Err(error) => {
                shown += &format!("{}\n", error.message.replace('\n', "<LF>").replace('\u{1b}', "<ESC>"));
                for help in error.help {
                    shown += &format!("  {}\n", help.words);
                }
            }
        }
    }
    shown
}
